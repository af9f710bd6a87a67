"""Measures of rankings, with names as in ir-measures: ``AP(rel=2)``, ``Recall@100``, ``nDCG@10``.

ir-measures computes them with trec_eval; PRES is our own. Every measure gives one number per topic.
A topic without a document of the grade that a measure asks for has no value and leaves the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from patmark._version import __version__
from patmark.catalogue import load_library
from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.retrieval.qrels import PARTIAL, RELEVANT, Qrels
from patmark.retrieval.rankings import Ranking

Level: TypeAlias = Literal["document", "family"]
_LARGEST = 10**9
_TREC_EVAL = "trec_eval, through ir-measures (MacAvaney, Macdonald and Ounis 2022)"


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A way of judging rankings. ``rel`` is the lowest grade that counts as relevant.

    ``cutoff`` is the depth to which a ranking is read. ``level`` family counts each invention once:
    the documents of a family are one. A subclass is the measure of one label; ``peer`` is its name
    in ir-measures, empty for a measure of our own.
    """

    label: ClassVar[str]
    description: ClassVar[str]
    peer: ClassVar[str]
    citation: ClassVar[str] = _TREC_EVAL
    needs_cutoff: ClassVar[bool] = False
    graded: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    rate: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, str]] = {
        "cutoff": "depth to which a ranking is read, written @k",
        "rel": "lowest grade that counts as relevant",
        "level": "document, or family to count each invention once",
    }

    cutoff: int | None = None
    rel: int = 1
    level: Level = "document"

    def __post_init__(self) -> None:
        if self.needs_cutoff and self.cutoff is None:
            raise UsageError(f"{self.label} needs a depth; write e.g. {self.label}@100")
        if self.cutoff is not None and not 1 <= self.cutoff <= _LARGEST:
            raise UsageError(f"{self.label}@{self.cutoff}: the depth must be at least 1")
        if not 1 <= self.rel <= _LARGEST:
            raise UsageError(f"{self.label}: rel={self.rel} must be at least 1")
        if self.graded and self.rel != 1:
            raise UsageError(f"{self.label} counts every grade; it has no parameter 'rel'")
        if self.level not in ("document", "family"):
            raise UsageError(f"{self.label}: level={self.level} must be document or family")

    @property
    def name(self) -> str:
        """The name that parses back; AP always says whether it is rigid or relaxed."""
        given = [f"rel={self.rel}"] if self.rel != 1 or self.label == "AP" else []
        given += [f"level={self.level}"] if self.level != "document" else []
        bracket = f"({','.join(given)})" if given else ""
        return f"{self.label}{bracket}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def __str__(self) -> str:
        return self.name

    def signature(self, qrels: str, **more: object) -> str:
        """Everything that changes the number, in one line; ``qrels`` is their fingerprint."""
        parts: dict[str, object] = {
            "rel": self.rel,
            "cutoff": self.cutoff or "all",
            "level": self.level,
            "ties": "float32, document descending",
            "unjudged": "not relevant",
            "missing": "0",
            "qrels": qrels,
            **more,
            "over": "mean",
            "patmark": __version__,
        }
        return "|".join([self.label, *(f"{key}:{value}" for key, value in parts.items())])

    def evaluate(self, qrels: Qrels, ranking: Ranking) -> FloatArray:
        """The value of every topic of the qrels; NaN for topics that leave the mean."""
        return evaluate_all([self], qrels, ranking)[0]


class AP(RankingMeasure):
    """Average precision."""

    label = "AP"
    description = "mean of the precision at each relevant document; its mean is MAP"
    peer = "AP"


class Recall(RankingMeasure):
    """Recall at a depth."""

    label = "Recall"
    description = "share of the relevant documents among the first k"
    peer = "R"
    needs_cutoff = True


class Precision(RankingMeasure):
    """Precision at a depth."""

    label = "P"
    description = "share of relevant documents among the first k"
    peer = "P"
    needs_cutoff = True


class NDCG(RankingMeasure):
    """Normalised discounted cumulative gain."""

    label = "nDCG"
    description = "gain by grade, discounted by log2(rank + 1), of the best possible"
    peer = "nDCG"
    graded = True


class ReciprocalRank(RankingMeasure):
    """Reciprocal rank."""

    label = "RR"
    description = "1 / rank of the first relevant document; its mean is MRR"
    peer = "RR"


class HitRate(RankingMeasure):
    """Success at a depth."""

    label = "HitRate"
    description = "1 if a relevant document is among the first k"
    peer = "Success"
    rate = True
    needs_cutoff = True


class PRES(RankingMeasure):
    """Patent retrieval evaluation score, which no provider of ir-measures has."""

    label = "PRES"
    description = "patent retrieval evaluation score to depth k (Magdy and Jones 2010)"
    citation = "Magdy and Jones 2010, PRES: a score metric for evaluating recall-oriented IR"
    peer = ""
    needs_cutoff = True

    def score(self, ranks: Sequence[int], relevant: int) -> float:
        """The score of a topic from the ranks of the relevant documents that were found.

        Those that were missed stand below the depth, one after the other.
        """
        depth, found = self.cutoff or 1, len(ranks)
        missed = (relevant - found) * (depth + (relevant + found + 1) / 2)
        mean_rank = (sum(ranks) + missed) / relevant
        return 1 - (mean_rank - (relevant + 1) / 2) / depth


RIGID, RELAXED = AP(rel=RELEVANT), AP(rel=PARTIAL)


def evaluate_all(
    measures: Sequence[RankingMeasure], qrels: Qrels, ranking: Ranking
) -> list[FloatArray]:
    """The values of several measures in one pass, in the order of the topics of the qrels."""
    grades, found = qrels.grades, ranking.by_topic()
    peers = {measure: _peer(measure) for measure in measures if measure.peer}
    values = _peer_values(set(peers.values()), grades, found)
    results = []
    for measure in measures:
        if isinstance(measure, PRES):
            of_topics = _pres_values(measure, grades, found)
        else:
            of_topics = values[peers[measure]]
        counts = qrels.relevant(measure.rel) > 0
        filled = np.array([of_topics.get(topic, 0.0) for topic in qrels.topics], dtype=np.float64)
        results.append(np.where(counts, filled, np.nan))
    return results


def _peer(measure: RankingMeasure) -> Any:
    """The same measure in ir-measures."""
    rel = "" if measure.graded else f"(rel={measure.rel})"
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    return load_library("ir_measures", "retrieval").parse_measure(f"{measure.peer}{rel}{cutoff}")


def _peer_values(
    peers: set[Any], grades: Mapping[str, Mapping[str, int]], found: Mapping[str, Sequence[str]]
) -> dict[Any, dict[str, float]]:
    """Values by measure and topic; a topic for which nothing relevant was found has none.

    Documents that are not relevant only push others down, so that those below the last relevant one
    are not handed over, nor grades below 1, of which trec_eval knows no negative ones. Scores are
    falling whole numbers, which are not sorted again.
    """
    values: dict[Any, dict[str, float]] = {peer: {} for peer in peers}
    judged, run = {}, {}
    for topic, of_topic in grades.items() if peers else ():
        relevant = {document: grade for document, grade in of_topic.items() if grade > 0}
        names = found.get(topic, ())
        last = max((rank for rank, name in enumerate(names, 1) if name in relevant), default=0)
        if last:
            judged[topic] = relevant
            run[topic] = dict(zip(names, range(last, 0, -1), strict=False))
    for metric in (
        load_library("ir_measures", "retrieval").iter_calc(list(peers), judged, run) if run else ()
    ):
        values[metric.measure][metric.query_id] = metric.value
    return values


def _pres_values(
    measure: PRES,
    grades: Mapping[str, Mapping[str, int]],
    found: Mapping[str, Sequence[str]],
) -> dict[str, float]:
    values = {}
    for topic, of_topic in grades.items():
        relevant = {document for document, grade in of_topic.items() if grade >= measure.rel}
        read = found.get(topic, ())[: measure.cutoff]
        ranks = [rank for rank, document in enumerate(read, 1) if document in relevant]
        if relevant:
            values[topic] = measure.score(ranks, len(relevant))
    return values
