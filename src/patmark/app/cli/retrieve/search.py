"""patmark retrieve search and translate: search with topics, and translation of topics."""

from __future__ import annotations

from typing import Annotated, Any, cast

from patmark.app.cli.output import Talk, Ui, counting, wrote
from patmark.collections.retrieval import Bm25, SearchSettings
from patmark.options import Options, Parameter, group
from patmark.wording import speaker


@group
class SearchOptions(Options, heading="Search"):
    """Options of the search."""

    ipc: str = "off"
    """Only documents that share a section, class, subclass or group; or off."""
    date: Annotated[bool, Parameter(negative="--no-date")] = True
    """Only documents published before the date of the topic."""
    keep_own_family: bool = False
    """Include documents of the topic's own family."""
    k: int = SearchSettings.k
    """Number of documents per topic."""
    engine: str = SearchSettings.engine
    """tantivy; or duckdb, spark: exact BM25, for an index made with --exact."""
    k1: float = Bm25.k1
    """BM25: saturation (exact engines)."""
    b: float = Bm25.b
    """BM25: length normalisation (exact engines)."""
    master: str | None = None
    """spark: address of the cluster (default: Spark's settings)."""

    @property
    def settings(self) -> SearchSettings:
        """Settings of the search."""
        from patmark.collections.retrieval import Filters, ipc_level

        filters = Filters(ipc_level(self.ipc), self.date, not self.keep_own_family)
        engine = cast("Any", self.engine)
        return SearchSettings(filters, self.k, engine, Bm25(self.k1, self.b), self.master)


@group
class SearchInputs(Options, heading="Inputs"):
    """Options of the inputs and the output of a search."""

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
    how: SearchOptions = SearchOptions(),
    output: Talk = Talk(),
) -> None:
    """Search the index with each topic by BM25.

    Examples:

      patmark retrieve search index --topics topics.jsonl --out system.run --ipc subclass

      patmark retrieve search index --topics topics.txt --out exact.run --engine duckdb --k1 0.9

    Term statistics are those of the whole collection. Filters only remove documents; with --qrels
    the resulting recall ceiling is printed.
    """
    from patmark.app.commands.retrieve import SearchRequest, search

    out = inputs.out
    request = SearchRequest(index, **vars(inputs), settings=how.settings)
    output.check([inputs.topics, inputs.qrels], out)
    with counting(output.quiet, "topics") as progress:
        result = search(request, progress=progress)
    lines = map(speaker(Ui().language), result.lines())
    output.tell(result.to_json(), *lines, wrote(out, output.language))


@group
class TopicTranslation(Options, heading="Translation"):
    """Options of the translation of topics."""

    lang: str
    """Languages as SOURCE-TARGET: zh-en, ja-en, en-zh …"""
    dictionary: tuple[str, ...]
    """cedict (zh-en, en-zh), jmdict or edict:FILE (ja-en, en-ja), jmdict+cedict (ja-zh, zh-ja),
    tsv:FILE (word, tab, translation) or inverted-tsv:FILE (the other way round); repeat, the first
    that has a word decides."""
    collection: tuple[str, ...] = ()
    """Documents in the target language, as for retrieve index, that decide between the translations
    of a word by the topic's IPC codes; repeat."""
    drop_unknown: bool = False
    """Drop words that no dictionary has."""
    out: str
    """Write the translated topics to this JSONL."""


def translate(
    topics: Annotated[str, Parameter(help="Topics: JSONL, NTCIR or TREC.")],
    /,
    *,
    translation: TopicTranslation,
    output: Talk = Talk(),
) -> None:
    """Translate topics word by word: a baseline without a model or a network.

    Examples:

      patmark retrieve translate topics.jsonl --lang zh-en --dictionary cedict --out cedict.jsonl

      patmark retrieve translate topics.txt --lang ja-en --dictionary tsv:own.tsv
      --dictionary edict:edict2.gz --out edict.jsonl

      patmark retrieve translate topics.jsonl --lang en-zh --dictionary cedict --drop-unknown
      --out cedict.jsonl

      patmark retrieve translate topics.jsonl --lang en-zh --dictionary cedict --collection
      patents.jsonl.gz --out cedict.jsonl

    Unknown words are kept, or removed on request, and counted. If a word has several translations,
    the first one of the dictionary is taken, or with --collection the one that documents of the
    topic's IPC section, class and subclass use.
    """
    from patmark.app.commands.retrieve import TranslateRequest, translate

    out = translation.out
    request = TranslateRequest(topics, **vars(translation))
    output.check(request.paths, out)
    with counting(output.quiet, "documents") as progress:
        done = translate(request, progress=progress)
    output.tell(done.to_json(), *done.lines(), wrote(out, output.language))
