"""patmark retrieve search and translate: find documents for topics, or translate topics first."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from patmark.cli.output import Talk, Ui, counting
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group
from patmark.wording import speaker

if TYPE_CHECKING:
    from patmark.retrieval import SearchSettings


@group
class Search(Options, heading="Search"):
    """How to search."""

    ipc: str = "off"
    """Only documents that share a section, class, subclass or group; or off."""
    date: Annotated[bool, Parameter(negative="--no-date")] = True
    """Only documents published before the date of the topic."""
    keep_own_family: bool = False
    """Do not leave out the family of the topic."""
    k: int = 1000
    """How many documents for each topic."""
    engine: str = "tantivy"
    """tantivy; or duckdb, spark: exact BM25, for an index made with --exact."""
    k1: float = 1.2
    """BM25: saturation (exact engines)."""
    b: float = 0.75
    """BM25: weight of length (exact engines)."""
    master: str | None = None
    """spark: address of the cluster (default: Spark's settings)."""

    @property
    def settings(self) -> SearchSettings:
        """How to search, from the options above."""
        from patmark.retrieval import Bm25, Filters, SearchSettings, ipc_level

        filters = Filters(ipc_level(self.ipc), self.date, not self.keep_own_family)
        engine = cast("Any", self.engine)
        return SearchSettings(filters, self.k, engine, Bm25(self.k1, self.b), self.master)


@group
class SearchInputs(Options, heading="Inputs"):
    """What is searched for, and where the results go."""

    topics: str
    """Topics: JSONL {id, text, date, ipc, family}, NTCIR or TREC."""
    out: str
    """Write the TREC run to this file."""
    terms: str | None = None
    """Refuse an index that was built with other terms than these."""
    qrels: str | None = None
    """Judgements: also print the recall that the filters allow."""


def search(
    index: Annotated[str, Parameter(name="DIR", help="The folder of the index.")],
    /,
    *,
    inputs: SearchInputs,
    how: Search = Search(),
    output: Talk = Talk(),
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
    )

    out = inputs.out
    output.check([inputs.topics, inputs.qrels], out)
    _refuse_inside(out, index)
    settings = how.settings
    opened = OpenIndex.at(Path(index))
    if inputs.terms is not None:
        opened.manifest.check_terms(term_procedure(inputs.terms))
    wanted = read_topics(inputs.topics)
    ceiling = None
    if inputs.qrels is not None:
        judged = read_qrels(inputs.qrels)
        known = opened.find(judged.documents)
        ceiling = recall_ceiling(known, wanted, judged, settings.filters)
    with counting(output.quiet, "topics") as progress:
        found = search_topics(opened, wanted, settings, progress)
    result = replace(found, ceiling=ceiling)
    result.write(out, run_name(out))
    lines = map(speaker(Ui().language), result.lines())
    output.tell(result.to_json(), *lines, f"wrote {out}")


def _refuse_inside(out: str, index: str) -> None:
    if out != "-" and os.path.realpath(index) in map(str, Path(os.path.realpath(out)).parents):
        raise UsageError(f"{out} lies in the index; write the run elsewhere")


@group
class Translation(Options, heading="Translation"):
    """How topics are translated, and where they go."""

    lang: str
    """Languages as SOURCE-TARGET: zh-en, ja-en, en-zh …"""
    dictionary: tuple[str, ...]
    """cedict (zh-en, en-zh), jmdict or edict:FILE (ja-en, en-ja), tsv:FILE (word, tab, translation)
    or inverted-tsv:FILE (the other way round); repeat, the first that has a word decides."""
    drop_unknown: bool = False
    """Leave out words that no dictionary has."""
    out: str
    """Write the translated topics to this JSONL."""


def translate(
    topics: Annotated[str, Parameter(help="Topics: JSONL, NTCIR or TREC.")],
    /,
    *,
    translation: Translation,
    output: Talk = Talk(),
) -> None:
    """Translate topics word by word: a baseline that needs no model and no network.

    Examples:

      patmark retrieve translate topics.jsonl --lang zh-en --dictionary cedict --out cedict.jsonl

      patmark retrieve translate topics.txt --lang ja-en --dictionary tsv:own.tsv
      --dictionary edict:edict2.gz --out edict.jsonl

      patmark retrieve translate topics.jsonl --lang en-zh --dictionary cedict --drop-unknown
      --out cedict.jsonl

    Words that no dictionary has are kept as they stand, or left out on request, and counted.
    """
    from patmark.data import language_pair
    from patmark.retrieval import read_topics, translate_topics, write_topics
    from patmark.systems import DictionaryTranslator
    from patmark.text import joined_glossaries, read_glossary

    lang, out = translation.lang, translation.out
    files = [path for one in translation.dictionary if (path := one.partition(":")[2])]
    output.check([topics, *files], out)
    source, target = language_pair(lang)
    if source is None:
        raise UsageError(f"--lang {lang}: two languages are needed, such as zh-en")
    glossaries = [read_glossary(choice, source, target) for choice in translation.dictionary]
    translator = DictionaryTranslator(
        joined_glossaries(glossaries), keep_unknown=not translation.drop_unknown
    )
    done = translate_topics(read_topics(topics), translator)
    write_topics(Path(out), done.topics)
    output.tell(done.to_json(), *done.lines(), f"wrote {out}")
