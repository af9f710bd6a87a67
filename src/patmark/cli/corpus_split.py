"""patmark corpus split, patmark corpus stats: pairs that are there already."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.corpus_build import (
    Engine,
    Master,
    Memory,
    Workers,
    output_folder,
    print_json,
    write_card,
)
from patmark.cli.corpus_progress import step_bar
from patmark.cli.output import Outputs, deliver_report, say, show


def split(
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS",
            help="Pairs {id, source, target, family, …}: Parquet or JSONL.",
        ),
    ],
    out: Annotated[str, typer.Option(help="Folder for train, dev and test.")],
    dev: Annotated[int, typer.Option(min=0, help="Pairs of dev.")] = 2000,
    test: Annotated[int, typer.Option(min=0, help="Pairs of test.")] = 2000,
    test_from: Annotated[
        int | None, typer.Option(help="First year of dev and test (default: years do not count).")
    ] = None,
    train_until: Annotated[
        int | None, typer.Option(help="Last year of training (default: the year before).")
    ] = None,
    side: Annotated[
        str, typer.Option(help="Whose publication counts: source, target or later.")
    ] = "target",
    per_patent: Annotated[
        int, typer.Option(min=1, help="Most pairs that dev and test take from a patent.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the drawing.")] = 0,
    engine: Engine = "local",
    master: Master = None,
    workers: Workers = None,
    memory: Memory = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Divide pairs into train, dev and test, by family and year, without leakage.

    Pairs that a build left out before (filters, duplicates) stay out.

    Example:

      patmark corpus split collection/pairs.parquet --test-from 2006 --out splits
    """
    from patmark.corpus.build import split_pairs
    from patmark.corpus.splits import SplitSettings
    from patmark.engine import open_engine

    settings = SplitSettings(dev, test, side, train_until, test_from, per_patent)
    running = open_engine(engine, workers=workers, memory=memory, master=master)
    try:
        with step_bar(quiet) as progress:
            divided = split_pairs(
                Path(pairs), output_folder(out), settings, seed, running, progress=progress
            )
    finally:
        running.close()
    card = divided.to_report()
    written = write_card(Path(out), card)
    if as_json:
        print_json({**divided.to_json(), "out": out})
    elif not quiet:
        show(card, full=full)
        say(f"wrote {out}; the data card is {written}")


def stats(
    place: Annotated[
        str,
        typer.Argument(metavar="DIR|PAIRS", help="Folder of a build, or pairs (Parquet, JSONL)."),
    ],
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Show what is in a collection, and what was left out and why.

    Example:

      patmark corpus stats collection --full
    """
    from patmark.corpus.build import collection_stats

    outputs = Outputs(as_json, quiet, full, html, csv, md)
    outputs.check([place])
    found = collection_stats(Path(place))
    deliver_report(found.to_report(), found.to_json(), outputs)
