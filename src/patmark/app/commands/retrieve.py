"""patmark retrieve: topics, index, translate, search, run, demo, evaluate and compare.

Each command takes a request, or its fields, and returns a result.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Day
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from patmark import data, evaluation, languages, measures as known_measures, protocols, systems
from patmark.app.commands.inputs import split_list
from patmark.app.commands.options import ChosenTest, Draws, Trials
from patmark.app.commands.requests import takes
from patmark.collections import retrieval
from patmark.errors import UsageError
from patmark.options import (
    PYTHON,
    Argument,
    Options,
    Parameter,
    at_least,
    group,
    negative,
    option_name,
)
from patmark.wording import DEFAULT_LANGUAGE, setting

if TYPE_CHECKING:
    from patmark.collections.retrieval import (
        CitedTopics,
        CollectionProblems,
        IndexManifest,
        RetrievalComparison,
        RetrievalEvaluation,
        SearchResult,
        SearchSettings,
        Selection,
        TermProcedure,
        TopicChoice,
        TranslatedTopics,
    )
    from patmark.data import FilePath, PatentDocument
    from patmark.evaluation import CompareSettings, Sampling
    from patmark.protocols import Extrinsic, ExtrinsicSettings

Count: TypeAlias = Callable[[int], None]
_UNFINISHED = ".unfinished"


def _nothing(done: int) -> None:
    """Show no progress."""


@group
class TopicOptions(Options, heading="Topics"):
    """Options of the topics."""

    out: str
    """Write topics.jsonl, qrels.txt and card.json to this folder."""
    text: str = "claim"
    """The text of a topic: claim (the first one), abstract or description."""
    lang: str | None = None
    """Topics in this language; required for office files."""
    ipc: str | Sequence[str] | None = None
    """Topics with one of these codes, at any level: G06F,H01L 21."""
    date: str = "filing"
    """The date of a topic, before which relevant documents are published: filing (as in NTCIR-7),
    priority (the first one) or publication."""
    from_: str | None = None
    """Topics of this date or later."""
    to: str | None = None
    """Topics of this date or earlier."""
    number: int | None = None
    """Number of topics to draw (default: all)."""
    seed: int = 0
    """Random seed of the draw."""
    single: bool = False
    """Only topics with exactly one relevant document."""


@group
class Relevance(Options, heading="Relevance"):
    """Options of relevance."""

    grades: str = "category"
    """category (X=2,I=2,Y=1,A=0, without a letter examiner=1,unknown=1), party (examiner=2,
    third-party=2,applicant=1,other=1,unknown=1), or your own: X=3,Y=2,A=1."""
    by_family: bool = False
    """A citation by or of any document of a family counts for the whole family."""
    claim_one: bool = False
    """Leave out citations against other claims than the first."""
    citations: tuple[str, ...] = ()
    """More citations of the same documents: DOCDB, OPS or other patent files; repeat."""
    families: str | None = None
    """Families from patmark corpus families, instead of those of the documents."""


@group
class TopicsRequest(TopicOptions, Relevance):
    """Request of ``retrieve topics``: a collection, and the choice of its topics."""

    collection: Annotated[tuple[str, ...], Argument()]
    """Documents with citations: JSONL (.gz, .zst), Parquet, or patent files as the offices publish
    them."""

    @property
    def choice(self) -> TopicChoice:
        """The choice of topics, their text, and relevance."""
        given: Any = self
        return retrieval.TopicChoice(
            given.text,
            given.date,
            retrieval.CitationGrades.parsed(self.grades),
            tuple(split_list(self.ipc) if isinstance(self.ipc, str) else self.ipc or ()),
            _day_of("from_", self.from_),
            _day_of("to", self.to),
            languages.language_code(self.lang) if self.lang else None,
            self.by_family,
            self.claim_one,
            self.single,
            self.number,
            self.seed,
        )


@takes(TopicsRequest, "collection", "out")
def topics(request: TopicsRequest, progress: Count = _nothing) -> CitedTopics:
    """Write topics and graded judgements from the citations of a collection to a folder."""
    folder, choice = Path(request.out), request.choice
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    known = retrieval.read_families(request.families) if request.families else {}
    problems = retrieval.CollectionProblems()
    more = retrieval.read_citations(request.citations, problems)
    found = retrieval.read_patents(
        request.collection, choice.language, problems, known, any_language=True
    )
    documents = _counted(found, progress)
    made = retrieval.cited_topics(documents, choice, known, more, problems)
    made.write(folder)
    return made


def _day_of(name: str, written: str | None) -> Day | None:
    """Return the day of a setting; refuse an invalid date."""
    try:
        return None if written is None else data.parse_date(written)
    except ValueError as error:
        raise UsageError(f"{setting(name)}: {error}") from None


def _counted(documents: Iterable[PatentDocument], progress: Count) -> Iterator[PatentDocument]:
    for number, document in enumerate(documents, 1):
        yield document
        progress(number)


@group
class IndexRequest(Options, heading="Index"):
    """Request of ``retrieve index``: documents, and the folder of their index."""

    collection: Annotated[tuple[str, ...], Argument()]
    """Documents: JSONL (.gz, .zst), Parquet, or patent files as the offices publish them (XML,
    SGML, bulk files, archives, folders)."""
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

    @property
    def procedure(self) -> TermProcedure:
        """The named term procedure, if it fits the language; else the default of the language."""
        if self.terms is None:
            if self.lang is None:
                wanted = setting("lang", "en, zh or ja")
                raise UsageError(f"the language is missing; add {wanted}")
            return retrieval.default_procedure(self.lang)
        procedure = retrieval.term_procedure(self.terms)
        if self.lang is not None and languages.language_code(self.lang) != procedure.language:
            raise UsageError(
                f"the terms {self.terms} are for {procedure.language}, not for {self.lang}"
            )
        return procedure


@takes(IndexRequest, "collection", "out", "lang", "terms")
def index(
    request: IndexRequest, progress: Count = _nothing
) -> tuple[IndexManifest, CollectionProblems]:
    """Index documents; return the manifest and the skipped documents."""
    procedure = request.procedure
    known = retrieval.read_families(request.families) if request.families else {}
    left_out = retrieval.CollectionProblems()
    manifest = retrieval.build_index(
        Path(request.out),
        retrieval.read_patents(request.collection, procedure.language, left_out, known),
        procedure,
        sources=[Path(path).name for path in request.collection],
        add=request.add,
        exact_tables=request.exact,
        workers=request.workers,
        progress=progress,
    )
    return manifest, left_out


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


@group
class SearchOptions(Options, heading="Search"):
    """Options of the search."""

    ipc: str = "off"
    """Only documents that share a section, class, subclass or group; or off."""
    date: Annotated[bool, negative("no_date")] = True
    """Only documents published before the date of the topic."""
    keep_own_family: bool = False
    """Include documents of the topic's own family."""
    k: int = retrieval.SearchSettings.k
    """Number of documents per topic."""
    engine: str = retrieval.SearchSettings.engine
    """tantivy; or duckdb, spark: exact BM25, for an index made with --exact."""
    k1: float = retrieval.Bm25.k1
    """BM25: saturation (exact engines)."""
    b: float = retrieval.Bm25.b
    """BM25: length normalisation (exact engines)."""
    master: str | None = None
    """spark: address of the cluster (default: Spark's settings)."""

    @property
    def search(self) -> SearchSettings:
        """Settings of the search."""
        level, engine = retrieval.ipc_level(self.ipc), self.engine
        return retrieval.SearchSettings(
            retrieval.Filters(level, self.date, not self.keep_own_family),
            self.k,
            engine,  # type: ignore[arg-type]
            retrieval.Bm25(self.k1, self.b),
            self.master,
        )


@group
class SearchRequest(SearchInputs, SearchOptions):
    """Request of ``retrieve search``: an index, topics, and the file of the run."""

    index: Annotated[str, Argument("DIR")]
    """The folder of the index."""

    def __post_init__(self) -> None:
        if self.out != "-":
            _refuse_inside(self.out, self.index, "run")


@takes(SearchRequest, "index", "topics", "out", "terms", "qrels")
def search(request: SearchRequest, progress: Count = _nothing) -> SearchResult:
    """Write the best documents of each topic as a run; with qrels, add the recall ceiling."""
    settings = request.search
    index = retrieval.OpenIndex.at(Path(request.index))
    if request.terms is not None:
        index.manifest.check_terms(retrieval.term_procedure(request.terms))
    topics = retrieval.read_topics(request.topics)
    ceiling = None
    if request.qrels is not None:
        judged = retrieval.read_qrels(request.qrels)
        known = index.find(judged.documents)
        ceiling = retrieval.recall_ceiling(known, topics, judged, settings.filters)
    found = retrieval.search_topics(index, topics, settings, progress)
    name = retrieval.run_name(request.out)
    retrieval.write_ranking(request.out, found.ranking(name))
    return replace(found, ceiling=ceiling)


def _refuse_inside(out: str, index: str, what: str) -> None:
    place, folder = Path(out).resolve(), Path(index).resolve()
    if folder == place or folder in place.parents:
        raise UsageError(f"{out} is in the index; write the {what} elsewhere")


@group
class TranslateRequest(Options, heading="Translation"):
    """Request of ``retrieve translate``: topics, and the dictionaries that translate them."""

    topics: Annotated[str, Argument()]
    """Topics: JSONL, NTCIR or TREC."""
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

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        files = [path for one in self.dictionary if (path := one.partition(":")[2])]
        return [self.topics, *files, *self.collection]


@takes(TranslateRequest, "topics", "out", "lang", "dictionary")
def translate(request: TranslateRequest, progress: Count = _nothing) -> TranslatedTopics:
    """Translate topics word by word, and write them."""
    pair = languages.both_languages(request.lang)
    glossaries = [data.read_glossary(choice, *pair) for choice in request.dictionary]
    translator = systems.DictionaryTranslator(
        data.joined_glossaries(glossaries), keep_unknown=not request.drop_unknown
    )
    topics = retrieval.read_topics(request.topics)
    if request.collection:
        problems = retrieval.CollectionProblems()
        documents = _counted(
            retrieval.read_patents(request.collection, pair[1], problems), progress
        )
        done = retrieval.translate_by_ipc(topics, translator, documents, pair[1])
        done = replace(done, problems=problems)
    else:
        done = retrieval.translate_topics(topics, translator)
    retrieval.write_topics(Path(request.out), done.topics)
    return done


@group
class ExtrinsicInputs(Options, heading="Inputs"):
    """Original and translated topics, and relevance judgements."""

    topics: str
    """The original topics, in the language of the index: the ceiling."""
    translated: tuple[str, ...]
    """Translated topics of a system: FILE or NAME=FILE; repeat."""
    qrels: str
    """Judgements: TREC lines or PatSnap JSONL."""


@group
class RankingMeasures(Options, heading="Measures"):
    """Options of the measures."""

    measures: str | Sequence[Any] | None = None
    """Comma-separated measures, e.g. 'AP(rel=2),Recall@100,nDCG@10,P@5,RR,PRES@1000' (default: AP
    rigid and relaxed, recall); runs are ranked by the first."""

    def __post_init__(self) -> None:
        """Refuse unknown names before any file is read."""
        if self.measures is not None:
            given = self.measures
            listed = given if isinstance(given, str) else map(str, given)
            known_measures.parse_ranking_measures(listed)


@group
class TopicRange(Options, heading="Selection"):
    """Options of the range of topics."""

    ap_at_least: float | None = None
    """Only topics whose original text has this AP(rel=1) or more, e.g. 0.9."""
    ap_below: float | None = None
    """Only topics whose original text has less AP(rel=1)."""


@group
class ExtrinsicRequest(ExtrinsicInputs, RankingMeasures, TopicRange, SearchOptions):
    """Request of ``retrieve run``; ``runs_to`` is a folder for every search."""

    index: Annotated[str, Argument("DIR")]
    """The folder of the index."""
    tests: Annotated[CompareSettings, Trials] = field(
        default_factory=lambda: evaluation.CompareSettings()
    )
    runs_to: Annotated[str | None, PYTHON] = None

    @property
    def settings(self) -> ExtrinsicSettings:
        """Search procedure, measures, tests and choice of topics."""
        measures = self.measures
        return protocols.ExtrinsicSettings(
            self.search,
            measures,  # type: ignore[arg-type]
            self.tests,
            self.ap_at_least,
            self.ap_below,
        )

    def __post_init__(self) -> None:
        names = Counter(name for name, _ in map(data.split_name, self.translated))
        doubles = [name for name, times in names.items() if times > 1]
        if doubles:
            raise UsageError(f"two systems are called {doubles[0]!r}; name them with NAME=FILE")
        super().__post_init__()
        if self.runs_to is not None:
            _refuse_inside(self.runs_to, self.index, "runs")
        read = {Path(path).resolve() for path in self.paths}
        for file in self.run_files.values():
            if file in read:
                raise UsageError(f"{file} is an input; it would be overwritten")

    @property
    def systems(self) -> dict[str, str]:
        """The files of translated topics by system."""
        return dict(map(data.split_name, self.translated))

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        return [self.topics, *self.systems.values(), self.qrels]

    @property
    def run_files(self) -> dict[str, Path]:
        """The files of the searches by system."""
        if self.runs_to is None:
            return {}
        place = Path(self.runs_to).resolve()
        return {name: place / f"{name}.run" for name in (protocols.CEILING, *self.systems)}


@takes(ExtrinsicRequest, "index", "topics", "translated", "qrels")
def run(request: ExtrinsicRequest, progress: Count = _nothing) -> Extrinsic:
    """Search with original and translated topics, and measure the loss of each translation."""
    done = protocols.evaluate_extrinsically(
        retrieval.OpenIndex.at(Path(request.index)),
        retrieval.read_topics(request.topics),
        {name: retrieval.read_topics(path) for name, path in request.systems.items()},
        retrieval.read_qrels(request.qrels),
        request.settings,
        lambda _, done: progress(done),
    )
    for name, file in request.run_files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        retrieval.write_ranking(file, done.rankings[name])
    return done


@group
class CollectionDemoRequest(Options, heading="Invention"):
    """Request of ``retrieve demo``: the size of an invented collection, and its folder."""

    folder: Annotated[str, Argument()] = "retrieval-demo"
    """A new folder for everything that is made."""
    documents: int = 1000
    """Number of documents to invent."""
    topics: int = 60
    """Number of topics."""
    seed: int = 0
    """Random seed."""


@dataclass(frozen=True, eq=False)
class CollectionDemo:
    """An invented collection that was searched; ``missing`` is the reason without a dictionary."""

    folder: Path
    systems: Mapping[str, str]
    missing: str
    result: Extrinsic

    def finish(self) -> None:
        """Remove the mark of an unfinished demo."""
        (self.folder / _UNFINISHED).unlink()


@takes(CollectionDemoRequest, "folder", "documents", "topics", "seed")
def demo(request: CollectionDemoRequest, progress: Count = _nothing) -> CollectionDemo:
    """Invent a patent collection, index it, translate its topics, and search with them."""
    folder = _demo_folder(Path(request.folder))
    made = retrieval.DemoCollection(
        request.documents,
        DEFAULT_LANGUAGE,
        request.seed,
        protocols.WORDS,
    )
    retrieval.write_demo(folder, made, request.topics)
    retrieval.build_index(
        folder / "index",
        retrieval.read_collection([str(folder / retrieval.DOCUMENTS)]),
        retrieval.default_procedure(made.language),
        sources=[retrieval.DOCUMENTS],
    )
    invented = protocols.demo_systems(made, request.topics)
    retrieval.write_topics(folder / "topics.zh.jsonl", invented.chinese)
    files = {name: str(folder / f"{name}.jsonl") for name in invented.topics}
    for name, file in files.items():
        retrieval.write_topics(Path(file), invented.topics[name])
    tests = evaluation.CompareSettings(evaluation.Sampling(seed=request.seed))
    index, topics, qrels = (
        str(folder / name) for name in ("index", retrieval.TOPICS, retrieval.QRELS)
    )
    wanted = ExtrinsicRequest(
        index=index, topics=topics, translated=tuple(files.values()), qrels=qrels, tests=tests
    )
    done = replace(run(wanted, progress=progress), notes=(protocols.INVENTED,))
    return CollectionDemo(folder, files, invented.missing, done)


def _demo_folder(folder: Path) -> Path:
    """Make the folder; refuse one with other content than a stopped demo."""
    stopped = (folder / _UNFINISHED).exists()
    if not stopped and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _UNFINISHED).touch()
    shutil.rmtree(folder / "index", ignore_errors=True)
    return folder


@group
class Runs(Options, heading="Inputs"):
    """Runs and judgements.

    In Python ``qrels`` are also grades by topic and document, ``{"1": {"JP1A": 2}}``, and ``run``
    maps systems to files or runs. A run has, for each topic, documents with scores,
    ``{"1": [("JP1A", 7.5)]}`` or ``{"1": {"JP1A": 7.5}}``, or documents alone, best first.
    """

    qrels: str | FilePath | Mapping[str, Mapping[str, int]]
    """Judgements: TREC lines with grades (2, 1, 0, or A, B), or PatSnap JSONL."""
    run: Annotated[tuple[str, ...] | Mapping[str, Any], Parameter(alias=option_name("runs"))] = ()
    """A run: TREC lines or JSON {topic: [documents]}; FILE or NAME=FILE; repeat."""
    collection: tuple[str, ...] = ()
    """The searched documents (JSONL, Parquet, or an index folder), for missing documents and
    families."""
    topics: str | None = None
    """Evaluate the topics of this file only (JSONL, NTCIR, TREC topics)."""
    drop_own_family: bool = False
    """Drop documents of a topic's own family; needs --topics and --collection."""
    strip_kind: bool = False
    """Match patents instead of publications: EP0383071B1 is EP0383071."""
    collapsed: bool = False
    """PatSnap's novelty rows: all members of the families of X documents are relevant."""


@group
class TopicSelection(Options, heading="Selection"):
    """Options of the selection of topics."""

    select_by: Annotated[str | None, Parameter(metavar="RUN")] = None
    """Choose topics by their AP(rel=1) in this run (monolingual)."""
    ap_at_least: float | None = None
    """With --select-by: topics with this AP or more, e.g. 0.9."""
    ap_below: float | None = None
    """With --select-by: topics with less AP than this."""

    def made(self) -> Selection | None:
        """Return the selection."""
        return retrieval.Selection.of(self.select_by, self.ap_at_least, self.ap_below)


@group
class RunsRequest(Runs, RankingMeasures):
    """Runs, judgements and measures."""

    more: Annotated[tuple[str, ...], Argument("RUN")] = ()
    """More runs, as with --run."""
    selection: Annotated[Selection | None, TopicSelection] = None

    def __post_init__(self) -> None:
        self.sources  # noqa: B018 missing runs are refused before anything is read
        super().__post_init__()

    @property
    def sources(self) -> retrieval.RetrievalSources:
        """The inputs of the evaluation."""
        runs: Any = self.run
        names = ("collection", "topics", "drop_own_family", "strip_kind", "collapsed", "selection")
        return retrieval.RetrievalSources(
            self.qrels,
            [*runs, *self.more] if isinstance(runs, tuple) else runs,
            **{name: getattr(self, name) for name in names},
        )

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        return self.sources.paths


@group
class EvaluateRequest(RunsRequest):
    """Request of ``retrieve evaluate``."""

    sampling: Annotated[Sampling, Draws] = field(default_factory=lambda: evaluation.Sampling())


@group
class BleuGaps(RankingMeasures):
    """Measures, and scores of the translated topics."""

    bleu: tuple[str, ...] = ()
    """BLEU of a run as NAME=VALUE, repeat; or a CSV system,segment,measure,value: gaps in BLEU
    against significance."""


@group
class CompareRequest(RunsRequest, BleuGaps):
    """Request of ``retrieve compare``; inputs are those of ``evaluate``.

    ``metrics`` are scores of the translated topics, ``{"BLEU": {"a": 27.1}}``.
    """

    settings: Annotated[CompareSettings, ChosenTest] = field(
        default_factory=lambda: evaluation.CompareSettings()
    )
    metrics: Annotated[Mapping[str, Mapping[str, float]] | None, PYTHON] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.sources.named_runs)
        if count < 2:
            raise UsageError(f"a comparison needs at least two runs, and {count} are given")


@takes(EvaluateRequest, "qrels", "run", "measures")
def evaluate(request: EvaluateRequest) -> RetrievalEvaluation:
    """Measure how well runs retrieve: AP, recall, nDCG, precision, RR, PRES, hit rate."""
    found = retrieval.read_retrieval(request.sources)
    return retrieval.evaluate_retrieval(found, request.measures, request.sampling)


@takes(CompareRequest, "qrels", "run", "measures")
def compare(request: CompareRequest) -> RetrievalComparison:
    """Compare runs on the same topics."""
    metrics = retrieval.read_metrics(request.bleu) if request.metrics is None else request.metrics
    found = retrieval.read_retrieval(request.sources)
    evaluated = retrieval.evaluate_retrieval(found, request.measures, request.settings.sampling)
    return retrieval.compare_retrieval(evaluated, request.settings, metrics)
