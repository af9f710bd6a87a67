"""patmark corpus sample and judged: how many sentence pairs are right."""

from __future__ import annotations

from typing import Annotated

from patmark.cli.output import Files, Ready, Talk, deliver, print_json, say, talk_beside
from patmark.cli.parsing import Options, Parameter, group


@group
class Drawing(Options, heading="Sample"):
    """How many pairs are drawn, and where they go."""

    out: str
    """Sample to be judged: .csv or .jsonl."""
    n: int = 200
    """How many pairs to draw."""
    seed: int = 0
    """Seed of the drawing."""


def sample(
    pairs: Annotated[
        str, Parameter(help="Pairs {id, source, target, score, section}: JSONL or Parquet.")
    ],
    /,
    *,
    drawing: Drawing,
    output: Talk = Talk(),
) -> None:
    """Draw sentence pairs for people to judge, evenly from all scores.

    Fill in the column judgement with correct, partly, wrong or unsure; then run
    patmark corpus judged.

    Example:

      patmark corpus sample pairs.jsonl --n 200 --out sample.csv
    """
    from patmark.corpus.sampling import draw_from_file, write_sample

    n, seed, out = drawing.n, drawing.seed, drawing.out
    output.check([pairs], out)
    drawn = draw_from_file(pairs, n, seed)
    write_sample(out, drawn)
    strata = {each.stratum: each.stratum_pairs for each in drawn}
    total = sum(strata.values())
    if output.json:
        print_json({"sample": n, "pairs": total, "strata": len(strata), "seed": seed, "out": out})
    elif not output.quiet:
        talk = talk_beside(out)
        talk(f"{n} of {total} pairs, from {len(strata)} strata of scores (seed {seed})")
        say(f"wrote {out}")


@group
class JudgedElsewhere(Options, heading="Inputs"):
    """Judgements that are not in the sample itself."""

    judgements: str | None = None
    """Judgements of the sample from a campaign: its CSV export."""


def judged(
    sample: Annotated[str, Parameter(help="The sample with judgements: .csv or .jsonl.")],
    /,
    *,
    given: JudgedElsewhere = JudgedElsewhere(),
    output: Files = Files(),
) -> None:
    """Say how many pairs are correct, from a judged sample, with intervals, over all and by score.

    Examples:

      patmark corpus judged sample.csv --html precision.html

      patmark corpus judged sample.csv --judgements campaign.csv
    """
    from patmark.corpus.campaign_judgements import merge_judgements, read_campaign_judgements
    from patmark.corpus.judged_sample import precision, precision_json, read_judged
    from patmark.corpus.sampling_report import precision_report

    judgements = given.judgements
    output.check([sample, judgements])
    rows = read_judged(sample, elsewhere=judgements is not None)
    notes: tuple[str, ...] = ()
    if judgements is not None:
        campaign = read_campaign_judgements(judgements)
        rows, notes = merge_judgements(rows, campaign), campaign.notes()
    result = precision(rows)
    deliver(Ready(precision_report(result, sample, notes), precision_json(result)), output)
