"""Evaluation of runs: inputs, selection of topics, measures with intervals over topics.

All preparation of the data before scoring is recorded, because it changes the numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from patmark.collections.retrieval.collection import CollectionFacts, read_collection
from patmark.collections.retrieval.families import (
    collapse_qrels,
    collapse_ranking,
    without_kind,
    without_own_family,
)
from patmark.collections.retrieval.measures import (
    RELAXED,
    RIGID,
    RankingMeasure,
    Recall,
    evaluate_all,
)
from patmark.collections.retrieval.qrels import RELEVANT, Qrels, missing_documents, read_qrels
from patmark.collections.retrieval.rankings import (
    Ranking,
    ranking_of,
    read_ranking,
    run_name,
    separated_note,
)
from patmark.collections.retrieval.search import OpenIndex
from patmark.collections.retrieval.topics import Topic, read_topics
from patmark.data import Estimate, FilePath, FloatArray, Scores, mean_statistics, split_name
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import (
    INTERVAL_METHOD,
    RATE_METHOD,
    Evaluation,
    Sampling,
    estimate_json,
    interval_note,
)
from patmark.measures import parse_ranking_measures
from patmark.report import Cell, Column, Report, Result, Table, clauses, first_of
from patmark.stats import Units, estimate_scores
from patmark.wording import setting, tr

_DEPTHS = (100, 200, 500, 1000)
_SHOWN = 10


@dataclass(frozen=True, slots=True, eq=False)
class RankingScores:
    """Scores of all runs by all measures.

    ``missing`` lists, by run, the topics without any document, which count 0; ``left_out`` is the
    number of topics left out of the mean of a measure because no document has its grade.
    """

    scores: Mapping[str, Scores]
    topics: tuple[str, ...]
    missing: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, int]


def default_measures(qrels: Qrels) -> tuple[RankingMeasure, ...]:
    """Return AP (rigid if grade 2 occurs, and relaxed), and recall at the depths of NTCIR-7."""
    rigid = (RIGID,) if qrels.relevant(RELEVANT).any() else ()
    recalls = (Recall(depth) for depth in _DEPTHS)
    return (*rigid, RELAXED, *recalls)


def score_rankings(
    rankings: Sequence[Ranking],
    qrels: Qrels,
    measures: str | Sequence[RankingMeasure | str] | None = None,
    collection: CollectionFacts | None = None,
    **about: object,
) -> RankingScores:
    """Score every run with every measure.

    A topic that is missing from a run counts 0 and is listed; one that is missing from the qrels is
    an error. Measures by family need the families of the collection. ``about`` describes the
    preparation of the data in the signatures.
    """
    check_rankings(rankings, qrels)
    chosen = default_measures(qrels) if measures is None else _parsed(measures)
    systems = tuple(ranking.name for ranking in rankings)
    values = _values(chosen, rankings, qrels, collection)
    fingerprint = qrels.fingerprint
    scores, left_out = {}, {}
    for measure in chosen:
        of_runs = np.stack(values[measure])
        counts = ~np.isnan(of_runs)
        scores[measure.name] = Scores(
            measure.name,
            measure.signature(fingerprint, **about),
            systems,
            qrels.topics,
            mean_statistics(of_runs),
            bounds=measure.bounds,
            rate=measure.rate,
        )
        left_out[measure.name] = int((~counts[0]).sum())
    missing = {one.name: _without_documents(one, qrels) for one in rankings}
    return RankingScores(scores, qrels.topics, missing, left_out)


def check_rankings(rankings: Sequence[Ranking], qrels: Qrels) -> None:
    """Refuse runs of one name, and unjudged topics."""
    names = [ranking.name for ranking in rankings]
    problems = [
        Problem(f"two runs are called {name!r}; name them with NAME=FILE")
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    known = set(qrels.topics)
    problems += [
        Problem(f"topic {topic!r} of the run {ranking.name} is not in {qrels.name}")
        for ranking in rankings
        for topic in ranking.topics
        if topic not in known
    ]
    if not rankings:
        problems.append(Problem("there is no run to score"))
    if not qrels.topics:
        problems.append(Problem(f"{qrels.name} has no topics"))
    if problems:
        raise InputError(problems)


def _values(
    measures: Sequence[RankingMeasure],
    rankings: Sequence[Ranking],
    qrels: Qrels,
    collection: CollectionFacts | None,
) -> dict[RankingMeasure, list[FloatArray]]:
    """Return the values of all topics by measure and run; all measures of a level in one pass."""
    values: dict[RankingMeasure, list[FloatArray]] = {measure: [] for measure in measures}
    for level in dict.fromkeys(measure.level for measure in measures):
        of_level = [measure for measure in measures if measure.level == level]
        judged, runs = qrels, list(rankings)
        if level == "family":
            if collection is None:
                needed = "need the collection, which knows the families"
                raise UsageError(f"measures with level=family {needed}")
            judged = collapse_qrels(qrels, collection.family)
            runs = [collapse_ranking(one, collection.family)[0] for one in rankings]
        for run in runs:
            for measure, found in zip(of_level, evaluate_all(of_level, judged, run), strict=True):
                values[measure].append(found)
    return values


def _without_documents(ranking: Ranking, qrels: Qrels) -> tuple[str, ...]:
    lengths = dict(zip(ranking.topics, ranking.lengths.tolist(), strict=True))
    return tuple(topic for topic in qrels.topics if not lengths.get(topic))


def _parsed(measures: str | Sequence[RankingMeasure | str]) -> tuple[RankingMeasure, ...]:
    listed = measures if isinstance(measures, str) else map(str, measures)
    return tuple(parse_ranking_measures(listed))


@dataclass(frozen=True, slots=True)
class Selection:
    """Topics selected by the average precision of a run, usually retrieval without translation.

    NTCIR-7 took topics with AP of at least 0.9 for the dry run, and from 0.3 to below 0.9 for the
    formal run. AP counts partially relevant documents, too, so that every topic has one.
    """

    run: str
    at_least: float = 0.0
    below: float | None = None

    def __post_init__(self) -> None:
        above = self.below is not None and not self.at_least < self.below <= 1
        if not 0 <= self.at_least <= 1 or above:
            raise UsageError(
                f"topics with an AP from {self.at_least:g} to below "
                f"{'…' if self.below is None else format(self.below, 'g')}: expected a range "
                "within 0 and 1"
            )

    def __str__(self) -> str:
        upper = "" if self.below is None else f" and < {self.below:g}"
        return tr(
            "{name} of {run} >= {at_least:g}{upper}",
            name=RELAXED.name,
            run=self.run,
            at_least=self.at_least,
            upper=upper,
        )

    @classmethod
    def of(cls, run: str | None, at_least: float | None, below: float | None) -> Selection | None:
        """Return the selection by a run; None without one, which allows no range."""
        limits = {"ap_at_least": at_least, "ap_below": below}
        given = [setting(name) for name, limit in limits.items() if limit is not None]
        if run is None and given:
            raise UsageError(f"{', '.join(given)} has no effect without {setting('select_by')}")
        if run is not None and not given:
            options = f"{setting('ap_at_least', '0.9')}, {setting('ap_below')}"
            raise UsageError(f"say which topics to choose: {options}, or both")
        return None if run is None else cls(run, at_least or 0.0, below)

    def topics(self, ranking: Ranking, qrels: Qrels) -> tuple[str, ...]:
        """Return the topics within the range; a topic without a relevant document has no AP."""
        values = np.nan_to_num(RELAXED.evaluate(qrels, ranking), nan=-1.0)
        kept = values >= self.at_least
        if self.below is not None:
            kept &= values < self.below
        return tuple(qrels.topics[place] for place in np.flatnonzero(kept).tolist())


@dataclass(frozen=True)
class RetrievalSources:
    """Inputs of an evaluation, and the preparation of its runs.

    ``qrels`` is a file, or grades by topic and document. ``runs`` are files (``FILE`` or
    ``NAME=FILE``), or by name files or documents by topic: with scores, or alone, best first.
    ``collapsed`` uses the families of the X documents of novelty rows.
    """

    qrels: FilePath | Mapping[str, Mapping[str, int]]
    runs: FilePath | Sequence[FilePath] | Mapping[str, Any]
    _: KW_ONLY
    collection: Sequence[str] = ()
    topics: str | None = None
    drop_own_family: bool = False
    strip_kind: bool = False
    collapsed: bool = False
    selection: Selection | None = None

    def __post_init__(self) -> None:
        if not self.runs:
            raise UsageError(f"give the runs to evaluate: {setting('run', 'NAME=FILE')}")
        if self.drop_own_family and not (self.topics and self.collection):
            raise UsageError(
                "to drop a topic's own family, the topics and the collection are needed, which "
                "know the families"
            )

    @property
    def named_runs(self) -> list[tuple[str | None, Any]]:
        """The runs with their names; None if the file gives the name."""
        if isinstance(self.runs, Mapping):
            return list(self.runs.items())
        given = [self.runs] if isinstance(self.runs, str | PathLike) else self.runs
        named = [(split_name(str(argument)), str(argument)) for argument in given]
        return [(None if path == text else name, path) for (name, path), text in named]

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        chosen = [] if self.selection is None else [split_name(self.selection.run)[1]]
        given = [self.qrels, *(run for _, run in self.named_runs), *self.collection]
        return [*map(str, filter(_is_path, (*given, self.topics))), *chosen]


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalData:
    """Judgements and runs, ready to be scored.

    ``judged`` topics are in the file; those of ``qrels`` are evaluated. ``missing`` are relevant
    documents outside the collection, None without a collection. ``dropped`` counts the removed rows
    by run: second publications of a patent, and own families.
    """

    qrels: Qrels
    rankings: tuple[Ranking, ...]
    sources: RetrievalSources
    judged: int
    collection: CollectionFacts | None = None
    missing: tuple[str, ...] | None = None
    dropped: dict[str, dict[str, int]] | None = None

    @property
    def signature_parts(self) -> dict[str, object]:
        """Preparation of the data, for signatures."""
        sources = self.sources
        done: dict[str, object] = {"topics": f"{len(self.qrels.topics)} of {self.judged}"}
        done |= {"select": str(sources.selection)} if sources.selection else {}
        done |= {"kind": "stripped"} if sources.strip_kind else {}
        done |= {"targets": "families"} if sources.collapsed else {}
        return done | ({"own-family": "dropped"} if sources.drop_own_family else {})

    def to_json(self) -> dict[str, Any]:
        """Return the inputs and their preparation."""
        selection = self.sources.selection
        held = None
        if self.collection is not None and self.missing is not None:
            held = {
                "documents": len(self.collection),
                "relevant_documents_missing": len(self.missing),
                "missing": list(self.missing),
            }
        return {
            "qrels": self.qrels.name,
            "topics": len(self.qrels.topics),
            "topics_judged": self.judged,
            "selection": None
            if selection is None
            else {
                "run": selection.run,
                "measure": RELAXED.name,
                "at_least": selection.at_least,
                "below": selection.below,
                "topics": list(self.qrels.topics),
            },
            "strip_kind": self.sources.strip_kind,
            "collapsed": self.sources.collapsed,
            "drop_own_family": self.sources.drop_own_family,
            "dropped_rows": self.dropped or {},
            "reordered_topics": {run.name: run.reordered for run in self.rankings},
            "separated_scores": {run.name: run.separated for run in self.rankings},
            "collection": held,
        }

    def notes(self) -> list[str]:
        """Return notes on the data."""
        notes: list[str] = []
        if self.sources.selection is not None:
            notes.append(
                tr(
                    "Topics: {n} of {judged} topics, with {selection}.",
                    n=len(self.qrels.topics),
                    judged=self.judged,
                    selection=str(self.sources.selection),
                )
            )
        elif len(self.qrels.topics) < self.judged:
            notes.append(
                tr(
                    "Topics: {n} of {judged} judged ones.",
                    n=len(self.qrels.topics),
                    judged=self.judged,
                )
            )
        if self.missing:
            notes.append(
                tr(
                    "{n} relevant documents are not in the collection and cannot be found: "
                    "{documents}.",
                    n=len(self.missing),
                    documents=first_of(self.missing, _SHOWN),
                )
            )
        for run, reasons in (self.dropped or {}).items():
            notes += [
                tr("{run}: {n} rows dropped: {why}.", run=run, n=count, why=why)
                for why, count in reasons.items()
            ]
        notes += [
            tr("{name}: {note}.", name=run.name, note=separated_note(run.separated))
            for run in self.rankings
            if run.separated
        ]
        return notes + [
            tr(
                "{name}: the scores of {reordered} topics say another order than the ranks; "
                "scores decide, and among equal ones the document name, as in trec_eval.",
                name=run.name,
                reordered=run.reordered,
            )
            for run in self.rankings
            if run.reordered
        ]


def read_retrieval(sources: RetrievalSources) -> RetrievalData:
    """Read all inputs and prepare them for scoring."""
    given = sources.qrels
    if not isinstance(given, Mapping):
        qrels = read_qrels(given, collapsed=sources.collapsed)
    elif sources.collapsed:
        raise UsageError(f"{setting('collapsed')} has no effect without a file of novelty rows")
    else:
        qrels = Qrels("qrels", given)
    rankings = [
        read_ranking(run, name) if _is_path(run) else ranking_of(name or "", _scored(run))
        for name, run in sources.named_runs
    ]
    return prepare_retrieval(qrels, rankings, sources)


def _is_path(given: object) -> bool:
    return isinstance(given, str | PathLike)


def _scored(run: Mapping[str, Any]) -> dict[str, list[tuple[str, float]]]:
    """Return documents with scores by topic; documents alone get scores that keep their order."""
    return {
        topic: list(found.items())
        if isinstance(found, Mapping)
        else [
            (one, float(len(found) - place)) if isinstance(one, str) else (one[0], float(one[1]))
            for place, one in enumerate(found)
        ]
        for topic, found in run.items()
    }


def prepare_retrieval(
    qrels: Qrels, rankings: Sequence[Ranking], sources: RetrievalSources
) -> RetrievalData:
    """Prepare judgements and runs for scoring."""
    judged = len(qrels.topics)
    selection = sources.selection
    chosen = [] if selection is None else [read_ranking(split_name(selection.run)[1])]
    named = None if sources.strip_kind else named_documents(qrels, [*rankings, *chosen])
    facts = _facts(sources.collection, named) if sources.collection else None
    topics = () if sources.topics is None else read_topics(sources.topics)
    preparation = _Preparation(sources, topics, facts, qrels.in_capitals)
    dropped: dict[str, dict[str, int]] = {}
    prepared = tuple(preparation.of(ranking, dropped) for ranking in rankings)
    if sources.strip_kind:
        qrels = collapse_qrels(qrels, without_kind)
        facts = None if facts is None else _without_kinds(facts)
    check_rankings(prepared, qrels)
    if sources.topics is not None:
        qrels = qrels.only([topic.id for topic in topics])
    if selection is not None:
        qrels = _selected(qrels, selection, preparation.of(chosen[0], {}), sources)
    missing = None if facts is None else missing_documents(qrels, facts.families)
    prepared = tuple(ranking.of_topics(set(qrels.topics)) for ranking in prepared)
    return RetrievalData(qrels, prepared, _named(sources), judged, facts, missing, dropped)


def _facts(collection: Sequence[str], named: Collection[str] | None) -> CollectionFacts:
    """Return the documents and families of files, or of an index."""
    folders = [path for path in collection if Path(path).is_dir()]
    if not folders:
        return CollectionFacts.of(read_collection(collection), named)
    if len(collection) > 1:
        raise UsageError(f"{folders[0]} is an index; it cannot be joined with other collections")
    return index_facts(OpenIndex.at(Path(folders[0])), named)


def index_facts(index: OpenIndex, named: Collection[str] | None = None) -> CollectionFacts:
    """Return the documents of an index, all or the named ones, and their families."""
    if named is None:
        return CollectionFacts(index.families)
    families = {document.id: document.family or document.id for document in index.find(named)}
    return CollectionFacts(families, index.manifest.documents)


def named_documents(qrels: Qrels, rankings: Iterable[Ranking]) -> set[str]:
    """Return all judged or retrieved documents."""
    judged = {document for _, document, _ in qrels.rows()}
    return judged.union(*(ranking.documents for ranking in rankings))


@dataclass(frozen=True, slots=True)
class _Preparation:
    """Preparation of a run before it is scored."""

    sources: RetrievalSources
    topics: Sequence[Topic]
    facts: CollectionFacts | None
    in_capitals: bool = False

    def of(self, ranking: Ranking, dropped: dict[str, dict[str, int]]) -> Ranking:
        """Return a run without own families and kind codes, as requested; count dropped rows."""
        counts: dict[str, int] = {}
        if self.in_capitals:
            ranking, counts["the same number in other letters"] = collapse_ranking(
                ranking, str.upper
            )
        if self.sources.drop_own_family and self.facts is not None:
            ranking, counts["of the topic's own family"] = without_own_family(
                ranking, self.topics, self.facts.family
            )
        if self.sources.strip_kind:
            ranking, counts["further publications of a patent"] = collapse_ranking(
                ranking, without_kind
            )
        if found := {why: count for why, count in counts.items() if count}:
            dropped[ranking.name] = found
        return ranking


def _without_kinds(facts: CollectionFacts) -> CollectionFacts:
    """Return families by patent; the first named publication decides."""
    families: dict[str, str] = {}
    for document, family in facts.families.items():
        patent = without_kind(document)
        families.setdefault(patent, patent if family == document else family)
    return CollectionFacts(families)


def _selected(
    qrels: Qrels, selection: Selection, ranking: Ranking, sources: RetrievalSources
) -> Qrels:
    chosen = selection.topics(ranking, qrels)
    if not chosen:
        raise UsageError(f"there is no topic with {_named(sources).selection}")
    return qrels.only(chosen)


def _named(sources: RetrievalSources) -> RetrievalSources:
    """Return the sources with the name of the selecting run in place of its path."""
    selection = sources.selection
    if selection is None:
        return sources
    name, path = split_name(selection.run)
    shown = run_name(path) if selection.run == path else name
    return replace(sources, selection=replace(selection, run=shown))


@dataclass(frozen=True, eq=False)
class RetrievalEvaluation(Result):
    """All runs under all measures."""

    data: RetrievalData
    found: RankingScores
    settings: Sampling

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(ranking.name for ranking in self.data.rankings)

    @property
    def scores(self) -> Mapping[str, Scores]:
        """Scores by measure, with topics as segments."""
        return self.found.scores

    @property
    def documents(self) -> tuple[None, ...]:
        """None for each topic: topics belong to no document and are resampled individually."""
        return (None,) * len(self.found.topics)

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result."""
        return Evaluation(scores=self.scores, documents=self.documents)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → run → mean over topics with interval."""
        units = Units.choose(self.documents, self.settings.by, self.found.topics)
        estimated = estimate_scores(
            self.scores.values(), units, self.settings.resamples, self.settings.seed
        )
        return {
            name: dict(zip(self.systems, values, strict=True))
            for name, values in zip(self.scores, estimated, strict=True)
        }

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            **self.data.to_json(),
            "systems": {
                system: {
                    measure: estimate_json(values[system])
                    for measure, values in self.estimates.items()
                }
                for system in self.systems
            },
            "missing": {run: list(topics) for run, topics in self.found.missing.items()},
            "left_out": dict(self.found.left_out),
            "signatures": {name: scores.signature for name, scores in self.scores.items()},
            "resampling": {
                "method": INTERVAL_METHOD,
                "rates": RATE_METHOD,
                "by": "topic",
                "units": len(self.documents),
                "resamples": self.settings.resamples,
                "seed": self.settings.seed,
                "confidence": 0.95,
            },
        }

    def to_report(self) -> Report:
        """Return one table, with notes on topics that count 0 or are left out."""
        return Report(
            title=tr("Retrieval"),
            subtitle=self.subtitle,
            headlines=(),
            tables=(self._table(),),
            signatures={name: scores.signature for name, scores in self.scores.items()},
            notes=tuple(self.notes()),
        )

    @property
    def subtitle(self) -> str:
        """Judgements and number of topics, in one line."""
        return tr("{name} · {n} topics", name=self.data.qrels.name, n=len(self.found.topics))

    def notes(self) -> list[str]:
        """Return notes on topics that count 0 or are left out of a mean, and on the data."""
        notes = self.data.notes()
        for run, topics in self.found.missing.items():
            if topics:
                notes.append(
                    tr(
                        "{run}: {n} of {all} topics have no documents and count 0: {topics}.",
                        run=run,
                        n=len(topics),
                        all=len(self.found.topics),
                        topics=first_of(topics, _SHOWN),
                    )
                )
        empty = [
            topic
            for topic, n in zip(self.data.qrels.topics, self.data.qrels.relevant(), strict=True)
            if not n
        ]
        if empty:
            notes.append(
                tr(
                    "{n} of {all} topics have no relevant document and leave all means that "
                    "need one: {topics}.",
                    n=len(empty),
                    all=len(self.found.topics),
                    topics=first_of(empty, _SHOWN),
                )
            )
        notes += [
            tr(
                "{measure}: {topics} of {n} topics have no document of that grade and leave "
                "the mean.",
                measure=measure,
                topics=topics,
                n=len(self.found.topics),
            )
            for measure, topics in self.found.left_out.items()
            if topics > len(empty)
        ]
        return notes

    def _table(self) -> Table:
        first = next(iter(self.estimates.values()))
        ranked = sorted(self.systems, key=lambda system: _descending(first[system]))
        columns = [Column(tr("run"))]
        columns += (Column(name, 4, (0.0, 1.0)) for name in self.estimates)
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (run, *(values[run] for values in self.estimates.values())) for run in ranked
        )
        rated = any(scores.rate for scores in self.scores.values())
        how = interval_note(self.settings, tr("topic"), rates=rated)
        note = clauses(self._counts(), how)
        return Table(tr("Means over topics"), tuple(columns), rows, note)

    def _counts(self) -> str:
        """Return the number of topics of each mean."""
        measures: dict[int, list[str]] = {}
        for name, left_out in self.found.left_out.items():
            measures.setdefault(len(self.found.topics) - left_out, []).append(name)
        counts = (
            tr("n = {n} topics for {names}", n=n, names=tuple(names))
            for n, names in measures.items()
        )
        return clauses(*counts)


def _descending(estimate: Estimate) -> tuple[bool, float]:
    """Return a sort key: best first, runs without a value last."""
    known = estimate.value == estimate.value
    return not known, -estimate.value if known else 0.0


def evaluate_retrieval(
    data: RetrievalData,
    measures: str | Sequence[RankingMeasure | str] | None = None,
    settings: Sampling | None = None,
) -> RetrievalEvaluation:
    """Score all runs; by default with AP rigid and relaxed, and recall as in NTCIR-7."""
    settings = settings or Sampling()
    if settings.by == "document":
        raise UsageError("topics belong to no document; resampling is by topic")
    found = score_rankings(
        data.rankings, data.qrels, measures, data.collection, **data.signature_parts
    )
    return RetrievalEvaluation(data, found, settings)
