"""patmark corpus build, estimate, demo, split and stats: build and describe collections."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.output import (
    Full,
    Tables,
    Talk,
    deliver,
    print_json,
    progress_bar,
    report_when_stopped,
    say,
    show,
    spoken,
)
from patmark.app.commands.corpus import EngineRequest, FamilyDemoRequest
from patmark.collections.corpus import SplitSettings
from patmark.options import Options, Parameter, at_least, group

if TYPE_CHECKING:
    from patmark.report import Result


@group
class EngineOptions(Options, heading="Engine"):
    """Options of the engine."""

    engine: str = EngineRequest.engine
    """local: DuckDB and processes. spark: a Spark cluster."""
    master: str | None = None
    """Address of the Spark cluster (default: Spark's settings)."""
    workers: Annotated[int | None, at_least(1)] = None
    """Processes of the local engine (default: all cores)."""
    memory: str | None = None
    """Memory of the local engine's SQL, e.g. 4GB; then disk is used."""


@group
class BuildOptions(Options, heading="Collection"):
    """Options of the collection."""

    out: str
    """Folder or URL of the collection with its steps; created if missing."""
    publish: Annotated[str | None, Parameter(metavar="URL")] = None
    """Copy the finished collection there: s3://, gs://, abfs://, hdfs:// or file://."""
    from_: Annotated[str | None, Parameter(metavar="STEP")] = None
    """Repeat this step and all later ones: parse, families, pairs, align, rank, clean, split."""


@group
class CardOutput(Full, Talk):
    """Options of the output of a data card."""


def build(
    pipeline: Annotated[str, Parameter(help="Settings: .toml, .yaml or .json.")],
    /,
    *,
    options: BuildOptions,
    engine: EngineOptions = EngineOptions(),
    output: CardOutput = CardOutput(),
) -> None:
    """Make a test collection: families, aligned pairs, splits, context, sample, data card.

    Finished steps are not repeated; after an interruption, run the same command.

    Example:

      patmark corpus build pipeline.toml --out collection
    """
    from patmark.app.commands.corpus import BuildRequest, build

    request = BuildRequest(pipeline, **vars(options), **vars(engine), language=output.language)
    with report_when_stopped(work="done"), progress_bar(output.quiet) as progress:
        made = build(request, progress=progress)
    _deliver_card(options.out, made, output)
    if made.damaged:
        sys.exit(1)


@group
class EstimateOptions(Options, heading="Estimate"):
    """Options of the full build."""

    documents: Annotated[int, at_least(1)]
    """Number of documents of the full collection."""
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
    """Estimate the time, memory and disk space of a full build from a sample.

    Example:

      patmark corpus estimate sample.toml --documents 10000000 --executors 16 --cores 8
    """
    from patmark.app.commands.corpus import EstimateRequest, estimate

    output.check([pipeline])
    with progress_bar(output.quiet) as progress:
        found = estimate(EstimateRequest(pipeline, **vars(options)), progress=progress)
    deliver(found, output)


@group
class FamilyDemoOptions(Options, heading="Invention"):
    """Options of the invented families."""

    out: str
    """A new folder for documents and settings."""
    lang: str = FamilyDemoRequest.lang
    """zh-en or ja-en."""
    families: Annotated[int, at_least(1)] = FamilyDemoRequest.families
    """Number of families to invent."""
    seed: int = FamilyDemoRequest.seed
    """Random seed."""


def demo(*, invention: FamilyDemoOptions, output: Talk = Talk()) -> None:
    """Write invented patent families, with settings that build a collection from them.

    Example:

      patmark corpus demo --out demo

      patmark corpus build demo/pipeline.toml --out collection
    """
    from patmark.app.commands.corpus import demo

    families, out = invention.families, invention.out
    written = demo(FamilyDemoRequest(**vars(invention)))
    if output.json:
        print_json({"families": families, "pipeline": str(written), "out": out})
    elif not output.quiet:
        print(f"{families} invented families in {written.parent / 'documents'}")
        say(f"wrote {written}; now: patmark corpus build {written} --out collection")


def _deliver_card(out: str, result: Result, output: CardOutput) -> None:
    """Show the data card of a collection."""
    if output.json:
        print_json({**result.to_json(), "out": str(Path(out))})
    elif not output.quiet:
        show(spoken(result, output.language), full=output.full)
        say(f"wrote {Path(out)}; the data card is {Path(out) / 'data_card.html'}")


@group
class SplitOptions(Options, heading="Split"):
    """Options of the split."""

    out: str
    """Folder for train, dev and test."""
    dev: Annotated[int, at_least(0)] = SplitSettings.dev
    """Number of dev pairs."""
    test: Annotated[int, at_least(0)] = SplitSettings.test
    """Number of test pairs."""
    test_from: int | None = None
    """First year of dev and test (default: split without regard to years)."""
    train_until: int | None = None
    """Last year of training (default: the year before)."""
    side: str = SplitSettings.side
    """Publication that dates a pair: source, target or later."""
    per_patent: Annotated[int | None, at_least(1)] = SplitSettings.per_patent
    """Maximum number of dev and test pairs per patent."""
    seed: int = 0
    """Random seed."""


def split(
    pairs: Annotated[
        str, Parameter(help="Pairs {id, source, target, family, …}: Parquet or JSONL.")
    ],
    /,
    *,
    options: SplitOptions,
    engine: EngineOptions = EngineOptions(),
    output: CardOutput = CardOutput(),
) -> None:
    """Divide pairs into train, dev and test, by family and year, without leakage.

    Pairs that a build rejected (filters, duplicates) stay out.

    Example:

      patmark corpus split collection/pairs.parquet --test-from 2006 --out splits
    """
    from patmark.app.commands.corpus import SplitRequest, split

    given = vars(options)
    out, seed = given["out"], given["seed"]
    settings = SplitSettings(**{name: given[name] for name in given if name not in ("out", "seed")})
    request = SplitRequest(pairs, out, settings, seed, **vars(engine), language=output.language)
    with report_when_stopped(work="done"), progress_bar(output.quiet) as progress:
        made = split(request, progress=progress)
    _deliver_card(options.out, made, output)


def stats(
    place: Annotated[
        str, Parameter(name="DIR|PAIRS", help="Folder of a build, or pairs (Parquet, JSONL).")
    ],
    /,
    *,
    output: Tables = Tables(),
) -> None:
    """Show the contents of a collection, and the removed pairs with reasons.

    Example:

      patmark corpus stats collection --full
    """
    from patmark.app.commands.corpus import stats

    output.check([place])
    deliver(stats(place), output)


def changes(
    old: Annotated[str, Parameter(name="OLD", help="Folder of the earlier build.")],
    new: Annotated[str, Parameter(name="NEW", help="Folder of the later build.")],
    /,
    *,
    output: Tables = Tables(),
) -> None:
    """Show the changes between two builds: settings, counts, and pairs of the splits.

    Example:

      patmark corpus changes collection-2025 collection-2026 --md CHANGES.md
    """
    from patmark.app.commands.corpus import changes

    output.check([old, new])
    deliver(changes(old, new), output)
