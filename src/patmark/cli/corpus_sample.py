"""patmark corpus sample, patmark corpus judged: how many sentence pairs are right."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs, deliver_report, say


def sample(
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS", help="Pairs {id, source, target, score, section}: JSONL or Parquet."
        ),
    ],
    out: Annotated[str, typer.Option(help="Sample to be judged: .csv or .jsonl.")],
    n: Annotated[int, typer.Option("--n", help="How many pairs to draw.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the drawing.")] = 0,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Draw sentence pairs for people to judge, evenly from all scores.

    Fill in the column judgement with correct, partly, wrong or unsure; then run
    patmark corpus judged.

    Example:

      patmark corpus sample pairs.jsonl --n 200 --out sample.csv
    """
    from patmark.corpus.sampling import sample_file

    Outputs(save=out, as_json=as_json).check([pairs])
    drawn = sample_file(pairs, n, seed, out)
    if as_json:
        print(json.dumps({**drawn.to_json(), "out": out}, ensure_ascii=False, indent=2))
    elif not quiet:
        talk = say if out == "-" else print
        talk(drawn.line())
        say(f"wrote {out}")


def judged(
    sample: Annotated[
        str, typer.Argument(metavar="SAMPLE", help="The sample with judgements: .csv or .jsonl.")
    ],
    judgements: Annotated[
        str | None,
        typer.Option(help="Judgements of the sample from a campaign: its CSV export."),
    ] = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Say how many pairs are correct, from a judged sample, with intervals, over all and by score.

    Examples:

      patmark corpus judged sample.csv --html precision.html

      patmark corpus judged sample.csv --judgements campaign.csv
    """
    from patmark.corpus.judged_sample import (
        merge_judgements,
        precision,
        read_campaign_judgements,
        read_judged,
    )

    outputs = Outputs(as_json=as_json, quiet=quiet, html=html, csv=csv, md=md, latex=latex)
    outputs.check([sample, *filter(None, [judgements])])
    rows = read_judged(sample, elsewhere=judgements is not None)
    notes: tuple[str, ...] = ()
    if judgements is not None:
        campaign = read_campaign_judgements(judgements)
        rows, notes = merge_judgements(rows, campaign), campaign.notes()
    result = precision(rows)
    deliver_report(result.to_report(sample, notes), result.to_json(), outputs)
