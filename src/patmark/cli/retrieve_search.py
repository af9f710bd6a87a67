"""patmark retrieve search: find documents for topics in an index."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from patmark.cli import options as given, retrieve_options as of_search
from patmark.cli.output import Outputs, say
from patmark.cli.retrieve_index import counting_bar
from patmark.errors import UsageError

_Topics: TypeAlias = Annotated[
    str, typer.Option(help="Topics: JSONL {id, text, date, ipc, family}, NTCIR or TREC.")
]
_Out: TypeAlias = Annotated[str, typer.Option(help="Write the TREC run to this file.")]
_Terms: TypeAlias = Annotated[
    str | None, typer.Option(help="Refuse an index that was built with other terms than these.")
]
_Qrels: TypeAlias = Annotated[
    str | None, typer.Option(help="Judgements: also print the recall that the filters allow.")
]


def search(
    index: of_search.Index,
    topics: _Topics,
    out: _Out,
    ipc: of_search.Ipc = "off",
    date: of_search.Date = True,
    keep_own_family: of_search.OwnFamily = False,
    k: of_search.K = 1000,
    engine: of_search.Engine = "tantivy",
    k1: of_search.K1 = 1.2,
    b: of_search.B = 0.75,
    master: of_search.Master = None,
    terms: _Terms = None,
    qrels: _Qrels = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Find the best documents for each topic by BM25.

    Examples:

      patmark retrieve search index --topics topics.jsonl --out system.run --ipc subclass

      patmark retrieve search index --topics topics.txt --out exact.run --engine duckdb --k1 0.9

    Term statistics are those of the whole collection. Filters only remove documents; with --qrels
    the recall that they still allow is printed.
    """
    from patmark.retrieval import (
        OpenIndex,
        read_qrels,
        read_topics,
        recall_ceiling,
        run_name,
        search_topics,
        term_procedure,
        write_ranking,
    )

    Outputs(as_json, quiet, save=out).check(filter(None, [topics, qrels]))
    _refuse_inside(out, index)
    settings = of_search.search_settings(ipc, date, keep_own_family, k, engine, (k1, b), master)
    opened = OpenIndex.at(Path(index))
    if terms is not None:
        opened.manifest.check_terms(term_procedure(terms))
    wanted = read_topics(topics)
    ceiling = None
    if qrels is not None:
        ceiling = recall_ceiling(opened.documents, wanted, read_qrels(qrels), settings.filters)
    with counting_bar("topics", quiet) as progress:
        found = search_topics(opened, wanted, settings, progress)
    result = replace(found, ceiling=ceiling)
    write_ranking(out, result.ranking(run_name(out)))
    if as_json:
        print(json.dumps(result.to_json(), ensure_ascii=False, indent=2))
    elif not quiet:
        for line in result.lines():
            say(line)
        say(f"wrote {out}")


def _refuse_inside(out: str, index: str) -> None:
    if out != "-" and os.path.realpath(index) in map(str, Path(os.path.realpath(out)).parents):
        raise UsageError(f"{out} lies in the index; write the run elsewhere")
