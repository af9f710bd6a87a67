"""Measures of rankings, with names as in ir-measures: ``AP(rel=2)``, ``Recall@100``, ``nDCG@10``.

ir-measures computes them with trec_eval, except PRES, ERR and RBP. For ERR it would run a Perl
script that rounds, and for RBP it needs another package. Every measure gives one number per topic.
A topic without a document of the required grade has no value and is left out of the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from patmark._version import __version__
from patmark.catalogue import load_library
from patmark.collections.retrieval.qrels import PARTIAL, RELEVANT, Qrels
from patmark.collections.retrieval.rankings import Ranking
from patmark.data import FloatArray
from patmark.errors import UsageError

Level: TypeAlias = Literal["document", "family"]
_LARGEST = 10**9
_HIGHEST_SCALE = 1000  # 2 to its power is still a float
_TREC_EVAL = "trec_eval, through ir-measures (MacAvaney, Macdonald and Ounis 2022)"


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A measure of rankings. ``rel`` is the lowest relevant grade.

    ``cutoff`` is the depth to which a ranking is read. ``level`` family counts each invention once:
    the documents of a family are one. A subclass is the measure of one label; ``peer`` is its name
    in ir-measures if it differs, empty for our own measures. A measure that ``looks_at_judged``
    documents needs the whole ranking and the documents judged as not relevant.
    """

    label: ClassVar[str]
    description: ClassVar[str]
    peer: ClassVar[str | None] = None
    citation: ClassVar[str] = _TREC_EVAL
    needs_cutoff: ClassVar[bool] = False
    takes_cutoff: ClassVar[bool] = True
    looks_at_judged: ClassVar[bool] = False
    counts_every_topic: ClassVar[bool] = False
    unjudged: ClassVar[str] = "not relevant"
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
        if self.cutoff is not None and not self.takes_cutoff:
            raise UsageError(f"{self.label} reads the whole ranking; it has no depth")
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
        """The name that parses back; for AP it is always rigid or relaxed."""
        given = [f"rel={self.rel}"] if self.rel != 1 or self.label == "AP" else []
        given += [f"level={self.level}"] if self.level != "document" else []
        given += [f"{each.name}={getattr(self, each.name):g}" for each in self._own(named=True)]
        bracket = f"({','.join(given)})" if given else ""
        return f"{self.label}{bracket}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def _own(self, *, named: bool = False) -> list[Field[Any]]:
        """Return parameters that only this measure has; ``named`` ones are not the default."""
        own = (each for each in fields(self) if each.name not in RankingMeasure.parameters)
        return [each for each in own if not named or getattr(self, each.name) != each.default]

    def __str__(self) -> str:
        return self.name

    def signature(self, qrels: str, **more: object) -> str:
        """Return all settings that change the number; ``qrels`` is their fingerprint."""
        parts: dict[str, object] = {
            "rel": self.rel,
            "cutoff": self.cutoff or "all",
            "level": self.level,
            **{each.name: f"{getattr(self, each.name):g}" for each in self._own()},
            "ties": "float32, document descending",
            "unjudged": self.unjudged,
            "missing": "0",
            "qrels": qrels,
            **more,
            "over": "mean",
            "patmark": __version__,
        }
        return "|".join([self.label, *(f"{key}:{value}" for key, value in parts.items())])

    def topic_score(self, grades: Mapping[str, int], found: Sequence[str]) -> float:
        """Return the value of a topic that has relevant documents, for a measure without a peer."""
        raise NotImplementedError

    def evaluate(self, qrels: Qrels, ranking: Ranking) -> FloatArray:
        """Return the value of every topic of the qrels; NaN for topics left out of the mean."""
        return evaluate_all([self], qrels, ranking)[0]


class AP(RankingMeasure):
    """Average precision."""

    label = "AP"
    description = "mean of the precision at each relevant document; its mean is MAP"


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
    needs_cutoff = True


class NDCG(RankingMeasure):
    """Normalised discounted cumulative gain."""

    label = "nDCG"
    description = "gain by grade, discounted by log2(rank + 1), of the best possible"
    graded = True


class ReciprocalRank(RankingMeasure):
    """Reciprocal rank."""

    label = "RR"
    description = "1 / rank of the first relevant document; its mean is MRR"


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

    def topic_score(self, grades: Mapping[str, int], found: Sequence[str]) -> float:
        """Return the score of a topic that has relevant documents."""
        relevant = {document for document, grade in grades.items() if grade >= self.rel}
        read = found[: self.cutoff]
        ranks = [rank for rank, document in enumerate(read, 1) if document in relevant]
        return self.score(ranks, len(relevant))

    def score(self, ranks: Sequence[int], relevant: int) -> float:
        """Return the score of a topic from the ranks of the retrieved relevant documents.

        Missed ones are placed below the depth, one after the other.
        """
        depth, found = self.cutoff or 1, len(ranks)
        missed = (relevant - found) * (depth + (relevant + found + 1) / 2)
        mean_rank = (sum(ranks) + missed) / relevant
        return 1 - (mean_rank - (relevant + 1) / 2) / depth


@dataclass(frozen=True, slots=True)
class ERR(RankingMeasure):
    """Expected reciprocal rank, which ir-measures delegates to a Perl script of five decimals.

    The scale is a parameter, not the highest occurring grade, so that one more judgement does not
    change the values of other documents. As in gdeval it is 4, and a grade above it is refused.
    """

    label: ClassVar[str] = "ERR"
    description: ClassVar[str] = "expected 1 / rank at which a reader is satisfied, by grade"
    citation: ClassVar[str] = "Chapelle, Metzler, Zhang and Grinspan 2009, as in gdeval"
    peer: ClassVar[str] = ""
    graded: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = {
        **RankingMeasure.parameters,
        "highest": "highest grade of the scale",
    }

    highest: int = 4

    def __post_init__(self) -> None:
        RankingMeasure.__post_init__(self)
        if not 1 <= self.highest <= _HIGHEST_SCALE:
            raise UsageError(f"ERR: highest={self.highest} must be 1 to {_HIGHEST_SCALE}")

    def topic_score(self, grades: Mapping[str, int], found: Sequence[str]) -> float:
        """Compute ERR; a document of the highest grade 4 satisfies 15 readers of 16."""
        best = max(grades.values())
        if best > self.highest:
            cure = f"write ERR(highest={best})"
            raise UsageError(f"{self}: the qrels have grade {best}, above {self.highest}; {cure}")
        score, still_reading = 0.0, 1.0
        for rank, document in enumerate(found[: self.cutoff], 1):
            satisfied = (2 ** max(grades.get(document, 0), 0) - 1) / 2**self.highest
            score += still_reading * satisfied / rank
            still_reading *= 1 - satisfied
        return score


@dataclass(frozen=True, slots=True)
class RBP(RankingMeasure):
    """Rank-biased precision, for which ir-measures needs another package."""

    label: ClassVar[str] = "RBP"
    description: ClassVar[str] = "precision for a reader who goes on to the next rank with p"
    citation: ClassVar[str] = "Moffat and Zobel 2008, Rank-biased precision"
    peer: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, str]] = {
        **RankingMeasure.parameters,
        "p": "how patient the reader is, between 0 and 1",
    }

    p: float = 0.8

    def __post_init__(self) -> None:
        RankingMeasure.__post_init__(self)
        if not 0 < self.p < 1:
            raise UsageError(f"RBP: p={self.p:g} must lie between 0 and 1")

    def topic_score(self, grades: Mapping[str, int], found: Sequence[str]) -> float:
        """Return the sum of the weights of the ranks of relevant documents."""
        hits = np.array([grades.get(name, 0) >= self.rel for name in found[: self.cutoff]], bool)
        return float((1 - self.p) * (self.p ** np.flatnonzero(hits)).sum())


class Bpref(RankingMeasure):
    """Binary preference."""

    label = "Bpref"
    description = "share of judged not relevant documents below each relevant one"
    takes_cutoff = False
    looks_at_judged = True
    unjudged = "passed over"


class Rprec(RankingMeasure):
    """Precision at the number of relevant documents."""

    label = "Rprec"
    description = "share of relevant documents among the first R, if R are relevant"
    takes_cutoff = False


class InferredAP(RankingMeasure):
    """Average precision inferred from a sample of judgements."""

    label = "infAP"
    description = "AP estimated from incomplete judgements; grade -1: in the pool, not judged"
    citation = "Yilmaz and Aslam 2006; trec_eval, through ir-measures"
    takes_cutoff = False
    looks_at_judged = True
    unjudged = "estimated"


class JudgedShare(RankingMeasure):
    """Share of judged documents among the first."""

    label = "Judged"
    description = "share of judged documents among the first k: how far others can be trusted"
    citation = "ir-measures (MacAvaney, Macdonald and Ounis 2022)"
    needs_cutoff = True
    graded = True
    looks_at_judged = True
    counts_every_topic = True
    unjudged = "counted"


RIGID, RELAXED = AP(rel=RELEVANT), AP(rel=PARTIAL)


def evaluate_all(
    measures: Sequence[RankingMeasure], qrels: Qrels, ranking: Ranking
) -> list[FloatArray]:
    """Compute several measures in one pass, for the topics of the qrels in their order."""
    grades, found = qrels.grades, ranking.by_topic()
    peers = {measure: _peer(measure) for measure in measures if measure.peer != ""}
    judging = {peer for measure, peer in peers.items() if measure.looks_at_judged}
    values = {
        **_peer_values(set(peers.values()) - judging, *_relevant_only(grades, found)),
        **_peer_values(judging, grades, {topic: _scored(names) for topic, names in found.items()}),
    }
    results = []
    for measure in measures:
        counts = np.full(len(qrels.topics), True)
        if not measure.counts_every_topic:
            counts = qrels.relevant(measure.rel) > 0
        of_topics = (
            values[peers[measure]]
            if measure in peers
            else (
                {
                    topic: measure.topic_score(of_topic, found.get(topic, ()))
                    for topic, of_topic in grades.items()
                    if any(grade >= measure.rel for grade in of_topic.values())
                }
            )
        )
        filled = np.array([of_topics.get(topic, 0.0) for topic in qrels.topics], dtype=np.float64)
        results.append(np.where(counts, filled, np.nan))
    return results


def _peer(measure: RankingMeasure) -> Any:
    """Return the measure of ir-measures."""
    rel = "" if measure.graded else f"(rel={measure.rel})"
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    return load_library("ir_measures", "retrieval").parse_measure(
        f"{measure.peer or measure.label}{rel}{cutoff}"
    )


def _relevant_only(
    grades: Mapping[str, Mapping[str, int]], found: Mapping[str, Sequence[str]]
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Reduce judgements and rankings to topics with retrieved relevant documents.

    Documents that are not relevant only push others down, so those below the last relevant one are
    not passed on, nor grades below 1.
    """
    judged, run = {}, {}
    for topic, of_topic in grades.items():
        relevant = {document: grade for document, grade in of_topic.items() if grade > 0}
        names = found.get(topic, ())
        last = max((rank for rank, name in enumerate(names, 1) if name in relevant), default=0)
        if last:
            judged[topic] = relevant
            run[topic] = _scored(names[:last])
    return judged, run


def _scored(names: Sequence[str]) -> dict[str, int]:
    """Return descending whole numbers as scores, to keep the order."""
    return dict(zip(names, range(len(names), 0, -1), strict=True))


def _peer_values(
    peers: set[Any],
    judged: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, int]],
) -> dict[Any, dict[str, float]]:
    """Return values by measure and topic; a topic that is not in the run has none."""
    values: dict[Any, dict[str, float]] = {peer: {} for peer in peers}
    if peers and run:
        library = load_library("ir_measures", "retrieval")
        for metric in library.iter_calc(list(peers), judged, run):
            values[metric.measure][metric.query_id] = metric.value
    return values
