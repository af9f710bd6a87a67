"""patmark retrieve index: put a patent collection on disk so that it can be searched."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.output import say

if TYPE_CHECKING:
    from patmark.retrieval import IndexManifest, TermProcedure

_QUIET_SECONDS = 1.0

_Collection: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="COLLECTION...",
        help="Documents: JSONL (.gz, .zst), Parquet, or patent files as the offices publish them "
        "(XML, SGML, bulk files, archives, folders).",
    ),
]
_Out: TypeAlias = Annotated[str, typer.Option(help="The folder of the index.")]
_Language: TypeAlias = Annotated[
    str | None, typer.Option(help="The language of the documents: en, zh or ja.")
]
_Terms: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="en-stem, en-word, zh-bigram, zh-word, ja-bigram or ja-word, instead of the default "
        "of the language; with -nosigns, reference signs in brackets are dropped."
    ),
]
_Add: TypeAlias = Annotated[
    bool, typer.Option("--add", help="Add the documents to the finished index of the folder.")
]
_Exact: TypeAlias = Annotated[
    bool,
    typer.Option("--exact", help="Also write the tables that search --engine duckdb|spark needs."),
]


def index(
    collection: _Collection,
    out: _Out,
    lang: _Language = None,
    terms: _Terms = None,
    add: _Add = False,
    exact: _Exact = False,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
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
    from patmark.retrieval import CollectionProblems, build_index, read_patents

    procedure = _procedure(lang, terms)
    left_out = CollectionProblems()
    with counting_bar("documents", quiet) as progress:
        manifest = build_index(
            Path(out), read_patents(collection, procedure.language, left_out), procedure,
            sources=[Path(path).name for path in collection],
            add=add, exact_tables=exact, progress=progress,
        )  # fmt: skip
    if as_json:
        found = {**manifest.to_json(), "left_out": left_out.to_json()}
        print(json.dumps(found, ensure_ascii=False, indent=2))
    elif not quiet:
        for line in _lines(manifest, out):
            print(line)
    if not as_json:
        for line in left_out.lines():
            say(line)


def _procedure(lang: str | None, terms: str | None) -> TermProcedure:
    """The procedure that was named, if it is one for the language; else that of the language."""
    from patmark.data import language_code
    from patmark.errors import UsageError
    from patmark.retrieval import default_procedure, term_procedure

    if terms is None:
        if lang is None:
            raise UsageError("the language is missing; add --lang en, zh or ja")
        return default_procedure(lang)
    procedure = term_procedure(terms)
    if lang is not None and language_code(lang) != procedure.language:
        raise UsageError(f"the terms {terms} are for {procedure.language}, not for {lang}")
    return procedure


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


@contextmanager
def counting_bar(what: str, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """A count on stderr, when a person is watching and work takes more than a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    begin = time.monotonic()
    shown = False

    def advance(done: int) -> None:
        nonlocal shown
        if time.monotonic() - begin > _QUIET_SECONDS:
            print(f"\r{done} {what}", end="", file=sys.stderr, flush=True)
            shown = True

    try:
        yield advance
    finally:
        if shown:
            say("")
