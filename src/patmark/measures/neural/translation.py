"""Common parts of learned translation metrics: source texts, and truncation of long ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from patmark.data import FloatArray, IntArray, Scores, TestSet, counted
from patmark.errors import InputError, Problem
from patmark.measures.base import ReferenceLayout, best_reference, one_of
from patmark.measures.neural.base import ModelMeasure

DTYPES = ("float32", "float16", "bfloat16")


class Triple(NamedTuple):
    """A translation with its source and reference; unused ones are empty."""

    segment: str
    source: str
    hypothesis: str
    reference: str


class TripleScores(NamedTuple):
    """The score of each triple, and True if a text of it was truncated."""

    scores: FloatArray
    cut: FloatArray


@dataclass(frozen=True, kw_only=True)
class TranslationMetric(ModelMeasure):
    """The mean score of a learned metric, the best one over references.

    Published programs truncate long texts silently. So does this by default, but the third
    statistic counts the segments, and a note states their number.
    """

    ways_with_long = ("cut", "refuse")
    needs = frozenset({"source", "references"})
    bounds = (-np.inf, np.inf)

    batch: int = 8
    long: Annotated[str, "what to do with longer texts: cut (and count them) or refuse"] = "cut"
    dtype: Annotated[str, "float32, float16 or bfloat16: in which numbers the network runs"] = (
        "float32"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "dtype", self.dtype, DTYPES)

    @property
    def width(self) -> int:
        return 3

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return np.asarray(self._statistics(test_set, hypotheses)[:, 0])

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        triples, layout = self._triples(test_set, hypotheses)
        found = self._judge(triples)
        chosen = self._chosen(found.scores, triples, layout)
        return np.column_stack([found.scores[chosen], np.ones(len(chosen)), found.cut[chosen]])

    def _triples(
        self, test_set: TestSet, hypotheses: Sequence[str]
    ) -> tuple[list[Triple], ReferenceLayout]:
        """Make a triple for each reference, or for each segment if references are not read."""
        lists = test_set.reference_lists
        if "references" not in self.needs:
            lists = tuple(("",) for _ in test_set)
        layout = ReferenceLayout.of(lists)
        references = [reference for own in lists for reference in own]
        return [
            Triple(
                f"segment {test_set[at].id!r}",
                (test_set[at].source or "") if "source" in self.needs else "",
                hypotheses[at],
                reference,
            )
            for at, reference in zip(layout.segment, references, strict=True)
        ], layout

    def _chosen(
        self, scores: FloatArray, triples: Sequence[Triple], layout: ReferenceLayout
    ) -> IntArray:
        """Return the place of the best triple of each segment; refuse undefined scores."""
        wrong = np.flatnonzero(~np.isfinite(scores)).tolist()
        if wrong:
            raise InputError(
                Problem(f"{triples[at].segment}: {self.name} has no value") for at in wrong
            )
        return best_reference(layout, scores if self.higher_is_better else -scores)

    def longest_input(self) -> int:
        """Return the maximum number of tokens, special ones included."""
        return self.loaded().limit(self.limit)

    @abstractmethod
    def _judge(self, triples: Sequence[Triple]) -> TripleScores:
        """Return score and truncation of each triple."""

    def cut_flags(
        self, triples: Sequence[Triple], lengths: Mapping[str, Sequence[int]], most: int
    ) -> FloatArray:
        """Return 1 if a side has more than ``most`` tokens; refuse it if requested."""
        longer = {side: np.array(counts) > most for side, counts in lengths.items()}
        found = [
            (triples[at].segment, side, lengths[side][at])
            for side, beyond in longer.items()
            for at in np.flatnonzero(beyond).tolist()
        ]
        if found and self.long == "refuse":
            self.refuse_long(sorted(set(found)), most)
        return np.asarray(np.any(list(longer.values()), axis=0), dtype=np.float64)

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[str, ...]:
        cut = scores.statistics[..., 2].sum(axis=1)
        most = self.longest_input() if cut.any() else 0
        return tuple(
            f"{self.name}: in {counted(int(number), 'segment')} of {system} (of "
            f"{len(scores.segments)}) what goes beyond {most} tokens was cut off; it has no effect "
            "on the score."
            for system, number in zip(scores.systems, cut, strict=True)
            if number
        )
