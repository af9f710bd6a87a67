"""patmark corpus sample and judged: precision of sentence pairs by human judgement."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.output import Files, Talk, deliver, tell_beside
from patmark.app.commands.corpus import SampleRequest
from patmark.options import Options, Parameter, group, option


@group
class SampleOptions(Options, heading="Sample"):
    """Options of the sample."""

    out: str
    """Sample to be judged: .csv or .jsonl."""
    n: int = SampleRequest.n
    """Number of pairs to draw; NTCIR-7 judged 3,000."""
    seed: int = SampleRequest.seed
    """Random seed."""


def sample(
    pairs: Annotated[
        str, Parameter(help="Pairs {id, source, target, score, section}: JSONL or Parquet.")
    ],
    /,
    *,
    drawing: SampleOptions,
    output: Talk = Talk(),
) -> None:
    """Draw a sample of sentence pairs for human judgement, stratified by score.

    Fill in the column judgement with correct, partly, wrong or unsure; then run
    patmark corpus judged.

    Example:

      patmark corpus sample pairs.jsonl --n 200 --out sample.csv
    """
    from patmark.app.commands.corpus import sample

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
    """Estimate the precision of sentence pairs from a judged sample, overall and by score.

    Examples:

      patmark corpus judged sample.csv --html precision.html

      patmark corpus judged sample.csv --judgements campaign.csv --write-testset test.jsonl
    """
    from patmark.app.commands.corpus import JudgedRequest, judged

    request = JudgedRequest(sample, judgements, write_testset)
    output.check([sample, request.judgements], request.write_testset)
    deliver(judged(request), output)
