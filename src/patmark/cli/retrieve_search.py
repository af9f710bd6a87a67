"""patmark retrieve search: find documents for topics in an index."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs, say
from patmark.cli.retrieve_index import counting_bar
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.retrieval.recall_ceiling import RecallCeiling
    from patmark.retrieval.search import SearchResult

_Index: TypeAlias = Annotated[str, typer.Argument(metavar="DIR", help="The folder of the index.")]
_Topics: TypeAlias = Annotated[
    str, typer.Option(help="Topics: JSONL {id, text, date, ipc, family}, NTCIR or TREC.")
]
_Out: TypeAlias = Annotated[str, typer.Option(help="Write the TREC run to this file.")]
_Ipc: TypeAlias = Annotated[
    str,
    typer.Option(help="Only documents that share a section, class, subclass or group; or off."),
]
_Date: TypeAlias = Annotated[
    bool,
    typer.Option("--date/--no-date", help="Only documents published before the date of the topic."),
]
_OwnFamily: TypeAlias = Annotated[
    bool, typer.Option("--keep-own-family", help="Do not leave out the family of the topic.")
]
_K: TypeAlias = Annotated[int, typer.Option(help="How many documents for each topic.")]
_Engine: TypeAlias = Annotated[
    str, typer.Option(help="tantivy; or duckdb, spark: exact BM25, for an index made with --exact.")
]
_K1: TypeAlias = Annotated[float, typer.Option("--k1", help="BM25: saturation (exact engines).")]
_B: TypeAlias = Annotated[float, typer.Option("--b", help="BM25: weight of length (exact).")]
_Master: TypeAlias = Annotated[
    str | None, typer.Option(help="spark: address of the cluster (default: Spark's settings).")
]
_Terms: TypeAlias = Annotated[
    str | None, typer.Option(help="Refuse an index that was built with other terms than these.")
]
_Qrels: TypeAlias = Annotated[
    str | None, typer.Option(help="Judgements: also print the recall that the filters allow.")
]


def search(
    index: _Index,
    topics: _Topics,
    out: _Out,
    ipc: _Ipc = "off",
    date: _Date = True,
    keep_own_family: _OwnFamily = False,
    k: _K = 1000,
    engine: _Engine = "tantivy",
    k1: _K1 = 1.2,
    b: _B = 0.75,
    master: _Master = None,
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
    from patmark.retrieval.bm25_sql import Bm25
    from patmark.retrieval.filters import Filters
    from patmark.retrieval.index_terms import term_procedure
    from patmark.retrieval.ipc import ipc_level
    from patmark.retrieval.qrels import read_qrels
    from patmark.retrieval.rankings import run_name, write_ranking
    from patmark.retrieval.recall_ceiling import recall_ceiling
    from patmark.retrieval.search import Engine, OpenIndex, SearchSettings, search_topics
    from patmark.retrieval.topics import read_topics

    Outputs(as_json, quiet, save=out).check(filter(None, [topics, qrels]))
    _refuse_inside(out, index)
    filters = Filters(ipc_level(ipc), date, not keep_own_family)
    settings = SearchSettings(filters, k, cast(Engine, engine), Bm25(k1, b), master)
    opened = OpenIndex.at(Path(index))
    if terms is not None:
        opened.manifest.check_terms(term_procedure(terms))
    wanted = read_topics(topics)
    ceiling = None
    if qrels is not None:
        ceiling = recall_ceiling(opened.documents, wanted, read_qrels(qrels), filters)
    with counting_bar("topics", quiet) as progress:
        result = search_topics(opened, wanted, settings, progress)
    write_ranking(out, result.ranking(run_name(out)))
    if as_json:
        print(json.dumps(_json(result, ceiling), ensure_ascii=False, indent=2))
    elif not quiet:
        for line in _lines(result, ceiling):
            say(line)
        say(f"wrote {out}")


def _refuse_inside(out: str, index: str) -> None:
    if out != "-" and os.path.realpath(index) in map(str, Path(os.path.realpath(out)).parents):
        raise UsageError(f"{out} lies in the index; write the run elsewhere")


def _json(result: SearchResult, ceiling: RecallCeiling | None) -> dict[str, Any]:
    return {
        "topics": len(result.found),
        "rows": sum(map(len, result.found.values())),
        "empty_topics": list(result.empty),
        "excluded_undated": result.undated,
        "excluded_unclassified": result.unclassified,
        "topics_without_family": result.without_family,
        "ceiling": ceiling and ceiling.to_json(),
        "signature": result.signature,
    }


def _lines(result: SearchResult, ceiling: RecallCeiling | None) -> Iterator[str]:
    rows = sum(map(len, result.found.values()))
    yield f"{len(result.found)} topics, {rows} documents found"
    yield result.signature
    if result.empty:
        yield f"nothing was found for {len(result.empty)} topics: {', '.join(result.empty[:10])}"
    if result.undated:
        yield f"{result.undated} documents without a date were left out"
    if result.unclassified:
        yield f"{result.unclassified} documents without an IPC code were left out"
    if result.without_family:
        yield f"{result.without_family} topics name no family that could be left out"
    if ceiling is not None:
        yield (
            f"recall ceiling over {ceiling.topics} topics: IPC {ceiling.ipc:.4f}, date "
            f"{ceiling.date:.4f}, family {ceiling.family:.4f}, all {ceiling.all:.4f}"
        )
    if ceiling is not None and ceiling.missing_documents:
        yield f"{ceiling.missing_documents} relevant documents are not in the collection"
    if ceiling is not None and ceiling.without_relevant:
        yield f"{ceiling.without_relevant} topics have no relevant document and do not count"
