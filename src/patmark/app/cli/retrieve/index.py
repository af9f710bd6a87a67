"""patmark retrieve index: index of a patent collection."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.output import Talk, Ui, counting, print_json, report_when_stopped, say
from patmark.options import Options, Parameter, at_least, group
from patmark.wording import speaker


@group
class IndexOptions(Options, heading="Index"):
    """Options of the index."""

    out: str
    """The folder of the index."""
    lang: str | None = None
    """The language of the documents: en, zh or ja."""
    terms: str | None = None
    """en-stem, en-word, zh-bigram, zh-word, ja-bigram or ja-word, instead of the default of the
    language; with -nosigns, reference signs in brackets are dropped."""
    add: bool = False
    """Add the documents to the finished index of the folder."""
    families: str | None = None
    """Families from patmark corpus families, instead of those of the documents."""
    exact: bool = False
    """Also write the tables that search --engine duckdb|spark needs."""
    workers: Annotated[int | None, at_least(1)] = None
    """Number of processes and indexing threads (default: one per core)."""


@group
class IndexOutput(Ui, Talk):
    """Messages about the index."""


def index(
    *collection: Annotated[
        str,
        Parameter(
            required=True,
            help="Documents: JSONL (.gz, .zst), Parquet, or patent files as the offices publish "
            "them (XML, SGML, bulk files, archives, folders).",
        ),
    ],
    options: IndexOptions,
    output: IndexOutput = IndexOutput(),
) -> None:
    """Index a collection of patent documents.

    Examples:

      patmark retrieve index patents.jsonl.gz --out index --lang en

      patmark retrieve index 1993.parquet 1994.parquet --out index --lang ja --terms ja-word

      patmark retrieve index 1995.parquet --out index --lang ja --terms ja-word --add

      patmark retrieve index ipg250107.zip ep-fulltext/ --out index --lang en

    Unreadable patent records, and documents without text in the language, are left out and counted.
    The same command resumes a stopped build.
    """
    from patmark.app.commands.retrieve import IndexRequest, index

    request = IndexRequest(collection, **vars(options))
    with (
        report_when_stopped(work="done"),
        counting(output.quiet, "documents") as progress,
    ):
        manifest, left_out = index(request, progress=progress)
    tr = speaker(output.language)
    if output.json:
        print_json({**manifest.to_json(), "left_out": left_out.to_json()})
    elif not output.quiet:
        print(*map(tr, manifest.lines(options.out)), sep="\n")
    if not output.json:
        for line in left_out.lines():
            say(tr(line))
