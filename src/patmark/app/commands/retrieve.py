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
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark import data, languages, measures as known_measures, protocols, systems
from patmark.app.commands.requests import takes
from patmark.collections import retrieval
from patmark.errors import UsageError
from patmark.evaluation import CompareSettings, Sampling
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.collections.retrieval import (
        CitedTopics,
        CollectionProblems,
        IndexManifest,
        RetrievalComparison,
        RetrievalEvaluation,
        SearchResult,
        SearchSettings,
        TermProcedure,
        TopicChoice,
        TranslatedTopics,
    )
    from patmark.data import PatentDocument
    from patmark.protocols import Extrinsic, ExtrinsicSettings

Count: TypeAlias = Callable[[int], None]
_UNFINISHED = ".unfinished"


def _nothing(done: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class TopicsRequest:
    """Request of ``retrieve topics``: a collection, and the choice of its topics."""

    collection: Sequence[str]
    out: str
    choice: TopicChoice
    citations: Sequence[str] = ()
    families: str | None = None


@takes(TopicsRequest)
def topics(request: TopicsRequest, progress: Count = _nothing) -> CitedTopics:
    """Write topics and graded judgements from the citations of a collection to a folder."""
    folder = Path(request.out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    known = retrieval.read_families(request.families) if request.families else {}
    problems = retrieval.CollectionProblems()
    more = retrieval.read_citations(request.citations, problems)
    found = retrieval.read_patents(
        request.collection, request.choice.language, problems, known, any_language=True
    )
    documents = _counted(found, progress)
    made = retrieval.cited_topics(documents, request.choice, known, more, problems)
    made.write(folder)
    return made


def day_of(name: str, written: str | None) -> Day | None:
    """Return the day of a setting; refuse an invalid date."""
    try:
        return None if written is None else data.parse_date(written)
    except ValueError as error:
        raise UsageError(f"{setting(name)}: {error}") from None


def _counted(documents: Iterable[PatentDocument], progress: Count) -> Iterator[PatentDocument]:
    for number, document in enumerate(documents, 1):
        yield document
        progress(number)


@dataclass(frozen=True)
class IndexRequest:
    """Request of ``retrieve index``: documents, and the folder of their index."""

    collection: Sequence[str]
    out: str
    lang: str | None = None
    terms: str | None = None
    add: bool = False
    families: str | None = None
    exact: bool = False
    workers: int | None = None

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


@takes(IndexRequest)
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


@dataclass(frozen=True)
class SearchRequest:
    """Request of ``retrieve search``: an index, topics, and the file of the run."""

    index: str
    topics: str
    out: str
    terms: str | None = None
    qrels: str | None = None
    settings: SearchSettings = field(default_factory=lambda: retrieval.SearchSettings())

    def __post_init__(self) -> None:
        if self.out != "-":
            _refuse_inside(self.out, self.index, "run")


@takes(SearchRequest)
def search(request: SearchRequest, progress: Count = _nothing) -> SearchResult:
    """Write the best documents of each topic as a run; with qrels, add the recall ceiling."""
    index = retrieval.OpenIndex.at(Path(request.index))
    if request.terms is not None:
        index.manifest.check_terms(retrieval.term_procedure(request.terms))
    topics = retrieval.read_topics(request.topics)
    ceiling = None
    if request.qrels is not None:
        judged = retrieval.read_qrels(request.qrels)
        known = index.find(judged.documents)
        ceiling = retrieval.recall_ceiling(known, topics, judged, request.settings.filters)
    found = retrieval.search_topics(index, topics, request.settings, progress)
    name = retrieval.run_name(request.out)
    retrieval.write_ranking(request.out, found.ranking(name))
    return replace(found, ceiling=ceiling)


def _refuse_inside(out: str, index: str, what: str) -> None:
    place, folder = Path(out).resolve(), Path(index).resolve()
    if folder == place or folder in place.parents:
        raise UsageError(f"{out} is in the index; write the {what} elsewhere")


@dataclass(frozen=True)
class TranslateRequest:
    """Request of ``retrieve translate``: topics, and the dictionaries that translate them.

    The documents of a ``collection`` decide between the translations of a word.
    """

    topics: str
    out: str
    lang: str
    dictionary: Sequence[str]
    collection: Sequence[str] = ()
    drop_unknown: bool = False

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        files = [path for one in self.dictionary if (path := one.partition(":")[2])]
        return [self.topics, *files, *self.collection]


@takes(TranslateRequest)
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


@dataclass(frozen=True)
class ExtrinsicRequest:
    """Request of ``retrieve run``: original and translated topics.

    ``translated`` are ``FILE`` or ``NAME=FILE``. ``runs_to`` is a folder for every search.
    """

    index: str
    topics: str
    translated: Sequence[str]
    qrels: str
    settings: ExtrinsicSettings = field(default_factory=lambda: protocols.ExtrinsicSettings())
    runs_to: str | None = None

    def __post_init__(self) -> None:
        names = Counter(name for name, _ in map(data.split_name, self.translated))
        doubles = [name for name, times in names.items() if times > 1]
        if doubles:
            raise UsageError(f"two systems are called {doubles[0]!r}; name them with NAME=FILE")
        _check_measures(self.settings.measures)
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


@takes(ExtrinsicRequest)
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


@dataclass(frozen=True)
class CollectionDemoRequest:
    """Request of ``retrieve demo``: the size of an invented collection, and its folder."""

    folder: str = "retrieval-demo"
    documents: int = 1000
    topics: int = 60
    seed: int = 0


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


@takes(CollectionDemoRequest)
def demo(request: CollectionDemoRequest, progress: Count = _nothing) -> CollectionDemo:
    """Invent a patent collection, index it, translate its topics, and search with them."""
    folder = _demo_folder(Path(request.folder))
    made = retrieval.DemoCollection(request.documents, "en", request.seed, protocols.WORDS)
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
    settings = protocols.ExtrinsicSettings(comparison=CompareSettings(Sampling(seed=request.seed)))
    index, topics, qrels = (
        str(folder / name) for name in ("index", retrieval.TOPICS, retrieval.QRELS)
    )
    wanted = ExtrinsicRequest(index, topics, list(files.values()), qrels, settings)
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


@dataclass(frozen=True)
class EvaluateRequest(retrieval.RetrievalSources):
    """Request of ``retrieve evaluate``.

    ``qrels`` are grades by topic and document, ``{"1": {"JP1A": 2}}``. A run has, for each topic,
    documents with scores, ``{"1": [("JP1A", 7.5)]}`` or ``{"1": {"JP1A": 7.5}}``, or documents
    alone, best first. Runs are given by system name. Both may be file paths, from which systems
    take their names.
    """

    measures: str | Sequence[Any] | None = None
    sampling: Sampling | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_measures(self.measures)


@dataclass(frozen=True)
class CompareRequest(retrieval.RetrievalSources):
    """Request of ``retrieve compare``; inputs are those of ``evaluate``.

    ``metrics`` are scores of the translated topics, ``{"BLEU": {"a": 27.1}}``.
    """

    measures: str | Sequence[Any] | None = None
    settings: CompareSettings | None = field(default=None, kw_only=True)
    metrics: Mapping[str, Mapping[str, float]] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_measures(self.measures)
        count = len(self.named_runs)
        if count < 2:
            raise UsageError(f"a comparison needs at least two runs, and {count} are given")


def _check_measures(measures: str | Sequence[Any] | None) -> None:
    """Refuse unknown names before any file is read."""
    if measures is not None:
        listed = measures if isinstance(measures, str) else map(str, measures)
        known_measures.parse_ranking_measures(listed)


@takes(EvaluateRequest)
def evaluate(request: EvaluateRequest) -> RetrievalEvaluation:
    """Measure how well runs retrieve: AP, recall, nDCG, precision, RR, PRES, hit rate."""
    found = retrieval.read_retrieval(request)
    return retrieval.evaluate_retrieval(found, request.measures, request.sampling)


@takes(CompareRequest)
def compare(request: CompareRequest) -> RetrievalComparison:
    """Compare runs on the same topics."""
    sampling = request.settings.sampling if request.settings else None
    found = retrieval.read_retrieval(request)
    evaluated = retrieval.evaluate_retrieval(found, request.measures, sampling)
    return retrieval.compare_retrieval(evaluated, request.settings, request.metrics)
