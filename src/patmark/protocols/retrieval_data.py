"""Read what a retrieval evaluation is made of, and choose its topics.

Everything that is done to the data before scoring is recorded, because it changes the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from patmark.data import split_name
from patmark.errors import UsageError
from patmark.retrieval import (
    RELAXED,
    CollectionFacts,
    OpenIndex,
    Qrels,
    Ranking,
    Topic,
    collapse_qrels,
    collapse_ranking,
    missing_documents,
    read_collection,
    read_qrels,
    read_ranking,
    read_topics,
    run_name,
    topic_values,
    without_kind,
    without_own_family,
)
from patmark.retrieval.evaluation import check_rankings

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Selection:
    """Topics chosen by the average precision of a run, usually retrieval without translation.

    NTCIR-7 took topics with AP of at least 0.9 for the dry run, and from 0.3 to below 0.9 for the
    formal run. AP counts partially relevant documents, too, so that every topic has one.
    """

    run: str
    at_least: float = 0.0
    below: float | None = None

    def __post_init__(self) -> None:
        above = self.below is not None and self.below <= self.at_least
        if not 0 <= self.at_least <= 1 or above:
            raise UsageError(
                f"topics with an AP from {self.at_least:g} to below {self.below}: expected a range "
                "within 0 and 1"
            )

    def __str__(self) -> str:
        upper = "" if self.below is None else f" and < {self.below:g}"
        return f"{RELAXED.name} of {self.run} >= {self.at_least:g}{upper}"

    def topics(self, ranking: Ranking, qrels: Qrels) -> tuple[str, ...]:
        """The topics within the range; one without a relevant document has no AP and is not."""
        values = np.nan_to_num(topic_values(ranking, qrels, RELAXED), nan=-1.0)
        kept = values >= self.at_least
        if self.below is not None:
            kept &= values < self.below
        return tuple(qrels.topics[place] for place in np.flatnonzero(kept).tolist())


@dataclass(frozen=True, slots=True)
class RetrievalSources:
    """The files and options that name what is evaluated."""

    qrels: str
    runs: Sequence[str]
    collection: Sequence[str] = ()
    topics: str | None = None
    drop_own_family: bool = False
    strip_kind: bool = False
    selection: Selection | None = None

    def __post_init__(self) -> None:
        if self.drop_own_family and not (self.topics and self.collection):
            raise UsageError(
                "to drop a topic's own family, the topics and the collection are needed, which "
                "know the families"
            )

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        runs = [split_name(argument)[1] for argument in self.runs]
        chosen = [] if self.selection is None else [split_name(self.selection.run)[1]]
        return [self.qrels, *runs, *self.collection, *filter(None, [self.topics]), *chosen]


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalData:
    """Judgements and runs, ready to be scored.

    ``judged`` topics are in the file; those of ``qrels`` are evaluated. ``missing`` are relevant
    documents that the collection does not hold, None without a collection. ``dropped`` counts, by
    run, the rows that were removed: second publications of a patent, and own families.
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
        """What was done to the data, for signatures."""
        sources = self.sources
        done: dict[str, object] = {"topics": f"{len(self.qrels.topics)} of {self.judged}"}
        done |= {"select": str(sources.selection)} if sources.selection else {}
        done |= {"kind": "stripped"} if sources.strip_kind else {}
        return done | ({"own-family": "dropped"} if sources.drop_own_family else {})

    def to_json(self) -> dict[str, Any]:
        """What was evaluated, and what was done to it before."""
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
            "selection": None if selection is None else {
                "run": selection.run, "measure": RELAXED.name, "at_least": selection.at_least,
                "below": selection.below, "topics": list(self.qrels.topics),
            },
            "strip_kind": self.sources.strip_kind,
            "drop_own_family": self.sources.drop_own_family,
            "dropped_rows": self.dropped or {},
            "reordered_topics": {run.name: run.reordered for run in self.rankings},
            "collection": held,
        }  # fmt: skip

    def notes(self) -> list[str]:
        """What a reader must know of the data."""
        notes = []
        if self.sources.selection is not None:
            chosen = f"{len(self.qrels.topics)} of {self.judged} topics"
            notes.append(f"Topics: {chosen}, with {self.sources.selection}.")
        elif len(self.qrels.topics) < self.judged:
            notes.append(f"Topics: {len(self.qrels.topics)} of {self.judged} judged ones.")
        if self.missing:
            listed = ", ".join(self.missing[:_SHOWN]) + (" …" if len(self.missing) > _SHOWN else "")
            notes.append(
                f"{len(self.missing)} relevant documents are not in the collection and cannot be "
                f"found: {listed}."
            )
        for run, reasons in (self.dropped or {}).items():
            notes += [f"{run}: {count} rows dropped: {why}." for why, count in reasons.items()]
        return notes + [
            f"{run.name}: the scores of {run.reordered} topics say another order than the ranks; "
            "scores decide, and among equal ones the document name, as in trec_eval."
            for run in self.rankings
            if run.reordered
        ]


def read_retrieval(sources: RetrievalSources) -> RetrievalData:
    """Read everything, and bring it to the form in which it is scored."""
    qrels = read_qrels(sources.qrels)
    judged = len(qrels.topics)
    named = [split_name(argument) for argument in sources.runs]
    rankings = [
        read_ranking(path, None if argument == path else name)
        for argument, (name, path) in zip(sources.runs, named, strict=True)
    ]
    facts = _facts(sources.collection) if sources.collection else None
    topics = () if sources.topics is None else read_topics(sources.topics)
    preparation = _Preparation(sources, topics, facts)
    dropped: dict[str, dict[str, int]] = {}
    prepared = tuple(preparation.of(ranking, dropped) for ranking in rankings)
    if sources.strip_kind:
        qrels = collapse_qrels(qrels, without_kind)
        facts = None if facts is None else _without_kinds(facts)
    check_rankings(prepared, qrels)
    if sources.topics is not None:
        qrels = qrels.only([topic.id for topic in topics])
    if sources.selection is not None:
        qrels = _selected(qrels, sources.selection, preparation)
    missing = None if facts is None else missing_documents(qrels, facts.families)
    prepared = tuple(ranking.of_topics(set(qrels.topics)) for ranking in prepared)
    return RetrievalData(qrels, prepared, _named(sources), judged, facts, missing, dropped)


def _facts(collection: Sequence[str]) -> CollectionFacts:
    """The documents and families of files, or of an index, which knows them without reading all."""
    folders = [path for path in collection if Path(path).is_dir()]
    if not folders:
        return CollectionFacts.of(read_collection(collection))
    if len(collection) > 1:
        raise UsageError(f"{folders[0]} is an index; it cannot be joined with other collections")
    return index_facts(OpenIndex.at(Path(folders[0])))


def index_facts(index: OpenIndex) -> CollectionFacts:
    """The documents and families of an index."""
    return CollectionFacts({one.id: one.family or one.id for one in index.documents})


@dataclass(frozen=True, slots=True)
class _Preparation:
    """What is done to every run before it is scored."""

    sources: RetrievalSources
    topics: Sequence[Topic]
    facts: CollectionFacts | None

    def of(self, ranking: Ranking, dropped: dict[str, dict[str, int]]) -> Ranking:
        """A run without own families and kind codes, as asked for; what is dropped is counted."""
        counts: dict[str, int] = {}
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
    """Families by patent; publications of one patent are of one family, the first that is named."""
    families: dict[str, str] = {}
    for document, family in facts.families.items():
        patent = without_kind(document)
        families.setdefault(patent, patent if family == document else family)
    return CollectionFacts(families)


def _selected(qrels: Qrels, selection: Selection, preparation: _Preparation) -> Qrels:
    ranking = preparation.of(read_ranking(split_name(selection.run)[1]), {})
    chosen = selection.topics(ranking, qrels)
    if not chosen:
        raise UsageError(f"there is no topic with {_named(preparation.sources).selection}")
    return qrels.only(chosen)


def _named(sources: RetrievalSources) -> RetrievalSources:
    """The same with the name of the selecting run instead of its path."""
    selection = sources.selection
    if selection is None:
        return sources
    name, path = split_name(selection.run)
    shown = run_name(path) if selection.run == path else name
    return replace(sources, selection=replace(selection, run=shown))
