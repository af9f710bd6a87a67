"""patmark corpus sample and judged: how many sentence pairs are right."""

from __future__ import annotations

from typing import Annotated

from patmark.cli.output import Files, Talk, deliver, tell_beside
from patmark.commands.corpus import SampleRequest
from patmark.options import Options, Parameter, group, option


@group
class SampleOptions(Options, heading="Sample"):
    """Options of the sample."""

    out: str
    """Sample to be judged: .csv or .jsonl."""
    n: int = SampleRequest.n
    """How many pairs to draw."""
    seed: int = SampleRequest.seed
    """Seed of the drawing."""


def sample(
    pairs: Annotated[
        str, Parameter(help="Pairs {id, source, target, score, section}: JSONL or Parquet.")
    ],
    /,
    *,
    drawing: SampleOptions,
    output: Talk = Talk(),
) -> None:
    """Draw sentence pairs for people to judge, evenly from all scores.

    Fill in the column judgement with correct, partly, wrong or unsure; then run
    patmark corpus judged.

    Example:

      patmark corpus sample pairs.jsonl --n 200 --out sample.csv
    """
    from patmark.commands.corpus import sample

    out = drawing.out
    output.check([pairs], out)
    drawn = sample(SampleRequest(pairs, **vars(drawing)))
    tell_beside([drawn.line()], drawn.to_json(), out, output)


def judged(
    sample: Annotated[str, Parameter(help="The sample with judgements: .csv or .jsonl.")],
    /,
    *,
    judgements: Annotated[
        str | None,
        option("Inputs", "Judgements of the sample from a campaign: its CSV export."),
    ] = None,
    write_testset: Annotated[
        str | None,
        option("Test set", "Write the pairs that people judged correct as a test set: .jsonl."),
    ] = None,
    output: Files = Files(),
) -> None:
    """Say how many pairs are correct, from a judged sample, with intervals, over all and by score.

    Examples:

      patmark corpus judged sample.csv --html precision.html

      patmark corpus judged sample.csv --judgements campaign.csv --write-testset test.jsonl
    """
    from patmark.commands.corpus import JudgedRequest, judged

    request = JudgedRequest(sample, judgements, write_testset)
    output.check([sample, request.judgements], request.write_testset)
    deliver(judged(request), output)
