"""patmark retrieve index: put a patent collection on disk so that it can be searched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.cli.output import Talk, counting, print_json, say, told_when_stopped
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group

if TYPE_CHECKING:
    from patmark.retrieval import IndexManifest, TermProcedure


@group
class IndexOptions(Options, heading="Index"):
    """What an index holds, and where it lies."""

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
    """How many processes make terms, and threads index them (default: one per processor)."""

    @property
    def procedure(self) -> TermProcedure:
        """The procedure that was named, if it fits the language; else that of the language."""
        from patmark.data import language_code
        from patmark.retrieval import default_procedure, term_procedure

        if self.terms is None:
            if self.lang is None:
                raise UsageError("the language is missing; add --lang en, zh or ja")
            return default_procedure(self.lang)
        procedure = term_procedure(self.terms)
        if self.lang is not None and language_code(self.lang) != procedure.language:
            raise UsageError(
                f"the terms {self.terms} are for {procedure.language}, not for {self.lang}"
            )
        return procedure


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
    output: Talk = Talk(),
) -> None:
    """Index a collection of patent documents.

    Examples:

      patmark retrieve index patents.jsonl.gz --out index --lang en

      patmark retrieve index 1993.parquet 1994.parquet --out index --lang ja --terms ja-word

      patmark retrieve index 1995.parquet --out index --lang ja --terms ja-word --add

      patmark retrieve index ipg250107.zip ep-fulltext/ --out index --lang en

    Of patent files, what cannot be read or has no text in the language is left out and counted.
    A build that was stopped goes on where it was when the same command is given again.
    """
    from patmark.retrieval import CollectionProblems, build_index, read_families, read_patents

    procedure = options.procedure
    known = read_families(options.families) if options.families else {}
    left_out = CollectionProblems()
    with (
        told_when_stopped(work="done"),
        counting(output.quiet, "documents") as progress,
    ):
        manifest = build_index(
            Path(options.out),
            read_patents(list(collection), procedure.language, left_out, known),
            procedure,
            sources=[Path(path).name for path in collection],
            add=options.add,
            exact_tables=options.exact,
            workers=options.workers,
            progress=progress,
        )
    if output.json:
        print_json({**manifest.to_json(), "left_out": left_out.to_json()})
    elif not output.quiet:
        print(*_lines(manifest, options.out), sep="\n")
    if not output.json:
        for line in left_out.lines():
            say(line)


def _lines(manifest: IndexManifest, out: str) -> Iterator[str]:
    yield f"{out}: {manifest.documents} documents, {manifest.tokens} words"
    yield f"terms   {manifest.terms_signature}"
    yield f"engine  {manifest.engine}, BM25(k1={manifest.k1:g}, b={manifest.b:g})"
    yield f"ids     {manifest.ids_sha256}"
    if manifest.undated:
        yield f"{manifest.undated} documents have no date; a search by date leaves them out"
    if manifest.unclassified:
        yield f"{manifest.unclassified} documents have no IPC code; a search by IPC leaves them out"
    if manifest.unreadable_codes:
        yield f"{manifest.unreadable_codes} IPC codes could not be read and do not count"
