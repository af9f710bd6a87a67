"""patmark corpus split and stats: pairs that are there already."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from patmark.cli.corpus.build import CardOutput, Engine, deliver_card, output_folder
from patmark.cli.output import Ready, Tables, deliver, progress_bar
from patmark.cli.parsing import Options, Parameter, at_least, group


@group
class SplitOptions(Options, heading="Split"):
    """How pairs are divided, and where they go."""

    out: str
    """Folder for train, dev and test."""
    dev: Annotated[int, at_least(0)] = 2000
    """Pairs of dev."""
    test: Annotated[int, at_least(0)] = 2000
    """Pairs of test."""
    test_from: int | None = None
    """First year of dev and test (default: years do not count)."""
    train_until: int | None = None
    """Last year of training (default: the year before)."""
    side: str = "target"
    """Whose publication counts: source, target or later."""
    per_patent: Annotated[int, at_least(1)] = 20
    """Most pairs that dev and test take from a patent."""
    seed: int = 0
    """Seed of the drawing."""


def split(
    pairs: Annotated[
        str, Parameter(help="Pairs {id, source, target, family, …}: Parquet or JSONL.")
    ],
    /,
    *,
    options: SplitOptions,
    engine: Engine = Engine(),
    output: CardOutput = CardOutput(),
) -> None:
    """Divide pairs into train, dev and test, by family and year, without leakage.

    Pairs that a build left out before (filters, duplicates) stay out.

    Example:

      patmark corpus split collection/pairs.parquet --test-from 2006 --out splits
    """
    from patmark.corpus.build import split_pairs
    from patmark.corpus.data_card import pairs_card
    from patmark.corpus.split_settings import SplitSettings

    settings = SplitSettings(
        options.dev,
        options.test,
        options.side,
        options.train_until,
        options.test_from,
        options.per_patent,
    )
    with engine.open() as running, progress_bar(output.quiet) as progress:
        folder = output_folder(options.out)
        facts = split_pairs(Path(pairs), folder, settings, options.seed, running, progress=progress)
    deliver_card(folder, pairs_card(pairs, facts), {**facts, "out": options.out}, output)


def stats(
    place: Annotated[
        str, Parameter(name="DIR|PAIRS", help="Folder of a build, or pairs (Parquet, JSONL).")
    ],
    /,
    *,
    output: Tables = Tables(),
) -> None:
    """Show what is in a collection, and what was left out and why.

    Example:

      patmark corpus stats collection --full
    """
    from patmark.corpus.build import count_pairs
    from patmark.corpus.data_card import data_card, pairs_card, read_facts

    output.check([place])
    if Path(place).is_dir():
        facts = read_facts(Path(place))
        report = data_card(facts)
    else:
        facts = count_pairs(Path(place))
        report = pairs_card(place, facts)
    deliver(Ready(report, facts), output)
