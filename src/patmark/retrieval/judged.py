"""A ranking beside the judgements: at which ranks the relevant documents of each topic stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.retrieval.coding import positions_within, translated
from patmark.retrieval.qrels import Qrels
from patmark.retrieval.rankings import Ranking


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRanking:
    """The relevant documents that were found: topic, rank and grade, by topic and rank.

    Topics are positions in those of ``qrels``. Documents that were found but not judged, or judged
    not to be relevant, only push the others down.
    """

    qrels: Qrels
    topic_of: IntArray
    ranks: IntArray
    grades: IntArray
    found: IntArray

    @property
    def missing(self) -> tuple[str, ...]:
        """The topics for which nothing was found."""
        return tuple(self.qrels.topics[topic] for topic in np.flatnonzero(self.found == 0).tolist())

    def hits(self, grade: int, cutoff: int | None) -> NDArray[np.bool_]:
        """Which of the rows have a grade or a better one, not below a rank."""
        relevant = self.grades >= grade
        return relevant if cutoff is None else relevant & (self.ranks <= cutoff)

    def sums(self, rows: NDArray[np.bool_], values: FloatArray | None = None) -> FloatArray:
        """Values of some rows summed up by topic; without values, how many rows there are."""
        weights = None if values is None else values[rows]
        topics = len(self.qrels.topics)
        return np.bincount(self.topic_of[rows], weights, topics).astype(np.float64)

    def places(self, rows: NDArray[np.bool_]) -> FloatArray:
        """For each of some rows, the how-manieth of its topic it is; 0 for other rows."""
        places = np.zeros(len(rows))
        places[rows] = positions_within(self.topic_of[rows]) + 1
        return places


def judge(ranking: Ranking, qrels: Qrels) -> JudgedRanking:
    """Look up the grade of every document of a ranking; rows of other topics are left out."""
    topics = translated(ranking.topics, qrels.topics)[ranking.topic_of]
    documents = translated(ranking.documents, qrels.documents)[ranking.document_of]
    width = max(1, len(qrels.documents))
    known = qrels.topic_of * width + qrels.document_of
    wanted = np.where((topics >= 0) & (documents >= 0), topics * width + documents, -1)
    place = np.minimum(np.searchsorted(known, wanted), max(0, len(known) - 1))
    judged = known[place] == wanted if len(known) else np.zeros(len(wanted), dtype=bool)
    grades = np.where(judged, qrels.grades[place], 0) if len(known) else np.zeros_like(wanted)
    rows = np.flatnonzero(grades > 0)
    rows = rows[np.lexsort((ranking.ranks[rows], topics[rows]))]
    found = np.bincount(topics[topics >= 0], minlength=len(qrels.topics))
    return JudgedRanking(qrels, topics[rows], ranking.ranks[rows], grades[rows], found)


def ideal_gains(qrels: Qrels, cutoff: int | None) -> FloatArray:
    """The discounted gain of each topic if all its relevant documents stood first, best first."""
    relevant = qrels.grades > 0
    topic_of, grades = qrels.topic_of[relevant], qrels.grades[relevant]
    order = np.lexsort((-grades, topic_of))
    topic_of, grades = topic_of[order], grades[order]
    ranks = positions_within(topic_of) + 1
    counted = ranks <= (cutoff or len(ranks))
    gains = grades[counted] / np.log2(ranks[counted] + 1)
    return np.bincount(topic_of[counted], gains, len(qrels.topics)).astype(np.float64)
