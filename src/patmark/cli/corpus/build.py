"""patmark corpus build, estimate, demo, split and stats: a collection, and pairs that are there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.output import (
    Full,
    Tables,
    Talk,
    deliver,
    print_json,
    progress_bar,
    say,
    show,
    told_when_stopped,
)
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group

if TYPE_CHECKING:
    from patmark.report import Result


@group
class Engine(Options, heading="Engine"):
    """Where the work is done."""

    engine: str = "local"
    """local: DuckDB and processes. spark: a Spark cluster."""
    master: str | None = None
    """Address of the Spark cluster (default: Spark's settings)."""
    workers: Annotated[int | None, at_least(1)] = None
    """Processes of the local engine (default: all cores)."""
    memory: str | None = None
    """Memory of the local engine's SQL, e.g. 4GB; then disk is used."""

    @contextmanager
    def open(self) -> Iterator[Any]:
        """The engine, closed again at the end of the block."""
        from patmark.engine import open_engine

        running = open_engine(
            self.engine, workers=self.workers, memory=self.memory, master=self.master
        )
        try:
            yield running
        finally:
            running.close()


@group
class BuildOptions(Options, heading="Collection"):
    """Where the collection goes, and what is done again."""

    out: str
    """Folder of the collection; made if it is not there."""
    publish: Annotated[str | None, Parameter(metavar="URL")] = None
    """Copy the finished collection there: s3://, gs://, abfs://, hdfs:// or file://."""
    from_: Annotated[str | None, Parameter(metavar="STEP")] = None
    """Do this step and all later ones again: parse, families, pairs, align, rank, clean, split."""


@group
class CardOutput(Full, Talk):
    """How much of a data card is printed."""


def build(
    pipeline: Annotated[str, Parameter(help="Settings: .toml, .yaml or .json.")],
    /,
    *,
    options: BuildOptions,
    engine: Engine = Engine(),
    output: CardOutput = CardOutput(),
) -> None:
    """Make a test collection: families, aligned pairs, splits, context, sample, data card.

    Steps that are done are not done again; after an interruption, run the same command.

    Example:

      patmark corpus build pipeline.toml --out collection
    """
    from patmark.corpus import build_corpus, read_pipeline
    from patmark.engine import open_store

    settings = read_pipeline(pipeline)
    folder = output_folder(options.out)
    if options.publish is not None:
        open_store(options.publish)  # a wrong address is told before hours of work
    with (
        told_when_stopped(work="done"),
        engine.open() as running,
        progress_bar(output.quiet) as progress,
    ):
        made = build_corpus(settings, folder, running, progress=progress, from_=options.from_)
    deliver_card(folder, made, output)
    if options.publish is not None:
        made.publish(options.publish)


@group
class EstimateOptions(Options, heading="Estimate"):
    """What the full build is."""

    documents: Annotated[int, at_least(1)]
    """How many documents the full collection has."""
    workers: Annotated[int | None, at_least(1)] = None
    """Processes that build the sample (default: all cores)."""
    executors: Annotated[int | None, at_least(1)] = None
    """Machines of a Spark cluster (default: this machine alone)."""
    cores: Annotated[int | None, at_least(1)] = None
    """Cores of each machine (default: as many as here)."""


def estimate(
    pipeline: Annotated[str, Parameter(help="Settings whose inputs are a sample.")],
    /,
    *,
    options: EstimateOptions,
    output: Tables = Tables(),
) -> None:
    """Build a sample and say what time, memory and disk a full build will take.

    Example:

      patmark corpus estimate sample.toml --documents 10000000 --executors 16 --cores 8
    """
    from patmark.corpus import estimate_build, read_pipeline

    output.check([pipeline])
    with progress_bar(output.quiet) as progress:
        found = estimate_build(
            read_pipeline(pipeline),
            options.documents,
            workers=options.workers,
            executors=options.executors or 0,
            cores=options.cores,
            progress=progress,
        )
    deliver(found, output)


@group
class Invention(Options, heading="Invention"):
    """What is invented."""

    out: str
    """A new folder for documents and settings."""
    lang: str = "zh-en"
    """zh-en or ja-en."""
    families: Annotated[int, at_least(1)] = 60
    """How many families to invent."""
    seed: int = 0
    """Seed of the invention."""


def demo(*, invention: Invention, output: Talk = Talk()) -> None:
    """Invent patent families with settings to build a collection from them.

    Example:

      patmark corpus demo --out demo

      patmark corpus build demo/pipeline.toml --out collection
    """
    from patmark.corpus import DemoFamilies
    from patmark.data import language_pair

    source, target = language_pair(invention.lang)
    if source is None or target != "en":
        raise UsageError(f"--lang {invention.lang!r}: the demo is zh-en or ja-en")
    families, folder = invention.families, Path(invention.out)
    invented = DemoFamilies(families, source, invention.seed)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a new folder")
    written = invented.write(folder)
    if output.json:
        print_json({"families": families, "pipeline": str(written), "out": invention.out})
    elif not output.quiet:
        print(f"{families} invented families in {folder / 'documents'}")
        say(f"wrote {written}; now: patmark corpus build {written} --out collection")


def output_folder(out: str) -> Path:
    """The folder to write to, made if its own folder is there."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; --out takes a folder")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{folder} cannot be made: its folder does not exist")
    folder.mkdir(exist_ok=True)
    return folder


def deliver_card(folder: Path, result: Result, output: CardOutput) -> None:
    """Write a data card into a collection as Markdown and as HTML, and show it."""
    from patmark.corpus import write_card

    card = write_card(folder, result, output.language)
    if output.json:
        print_json({**result.to_json(), "out": str(folder)})
    elif not output.quiet:
        show(card, full=output.full)
        say(f"wrote {folder}; the data card is {folder / 'data_card.html'}")


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
    from patmark.corpus import SplitSettings, split_pairs

    settings = SplitSettings(
        options.dev,
        options.test,
        options.side,
        options.train_until,
        options.test_from,
        options.per_patent,
    )
    with (
        told_when_stopped(work="done"),
        engine.open() as running,
        progress_bar(output.quiet) as progress,
    ):
        folder = output_folder(options.out)
        made = split_pairs(Path(pairs), folder, settings, options.seed, running, progress=progress)
    deliver_card(folder, made, output)


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
    from patmark.corpus import collection_stats

    output.check([place])
    deliver(collection_stats(Path(place)), output)
