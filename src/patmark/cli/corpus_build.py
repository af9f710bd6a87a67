"""patmark corpus build, patmark corpus demo: a whole collection from patent documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.corpus_progress import step_bar
from patmark.cli.output import say, show
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Report

Engine: TypeAlias = Annotated[
    str, typer.Option(help="local: DuckDB and processes. spark: a Spark cluster.")
]
Master: TypeAlias = Annotated[
    str | None, typer.Option(help="Address of the Spark cluster (default: Spark's settings).")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Processes of the local engine (default: all cores).")
]
Memory: TypeAlias = Annotated[
    str | None, typer.Option(help="Memory of the local engine's SQL, e.g. 4GB; then disk is used.")
]


def build(
    pipeline: Annotated[
        str, typer.Argument(metavar="PIPELINE", help="Settings: .toml, .yaml or .json.")
    ],
    out: Annotated[str, typer.Option(help="Folder of the collection; made if it is not there.")],
    engine: Engine = "local",
    master: Master = None,
    workers: Workers = None,
    memory: Memory = None,
    redo_from: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STEP",
            help="Do this step and all later ones again: parse, families, pairs, align, rank, "
            "clean, split.",
        ),
    ] = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Make a test collection: families, aligned pairs, splits, context, sample, data card.

    Steps that are done are not done again; after an interruption, run the same command.

    Example:

      patmark corpus build pipeline.toml --out collection
    """
    from patmark.corpus.build import build_corpus, read_pipeline
    from patmark.engine import open_engine

    settings = read_pipeline(pipeline)
    folder = output_folder(out)
    running = open_engine(engine, workers=workers, memory=memory, master=master)
    try:
        with step_bar(quiet) as progress:
            made = build_corpus(settings, folder, running, progress=progress, redo_from=redo_from)
    finally:
        running.close()
    card = made.to_report()
    written = write_card(folder, card)
    if as_json:
        print_json({**made.to_json(), "out": out})
    elif not quiet:
        show(card, full=full)
        say(f"wrote {folder}; the data card is {written}")


def demo(
    out: Annotated[str, typer.Option(help="A new folder for documents and settings.")],
    lang: Annotated[str, typer.Option(help="zh-en or ja-en.")] = "zh-en",
    families: Annotated[int, typer.Option(min=1, help="How many families to invent.")] = 60,
    seed: Annotated[int, typer.Option(help="Seed of the invention.")] = 0,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Invent patent families with settings to build a collection from them.

    Example:

      patmark corpus demo --out demo

      patmark corpus build demo/pipeline.toml --out collection
    """
    from patmark.corpus.demo_families import DemoFamilies
    from patmark.data.languages import language_pair

    source, target = language_pair(lang)
    if source is None or target != "en":
        raise UsageError(f"--lang {lang!r}: the demo is zh-en or ja-en")
    invented = DemoFamilies(families, source, seed)
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a new folder")
    written = invented.write(folder)
    if as_json:
        print_json({"families": families, "pipeline": str(written), "out": out})
    elif not quiet:
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


def write_card(folder: Path, card: Report) -> Path:
    """Write a card as Markdown and as HTML; gives the place of the page."""
    from patmark.data import write_atomically
    from patmark.report import to_html, to_markdown

    write_atomically(folder / "data_card.md", to_markdown(card))
    write_atomically(folder / "data_card.html", to_html(card))
    return folder / "data_card.html"


def print_json(result: dict[str, Any]) -> None:
    """Machine-readable output."""
    print(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
