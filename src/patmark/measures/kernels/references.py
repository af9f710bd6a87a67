"""Segments with their references laid out flat, as vectorised measures want them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet

Text = TypeVar("Text")


@dataclass(frozen=True, slots=True)
class ReferenceLayout:
    """For each reference in flat order: its segment, and its place among that segment's own."""

    segment: IntArray
    place: IntArray
    most: int

    @classmethod
    def of(cls, reference_lists: Sequence[Sequence[object]]) -> ReferenceLayout:
        """The layout of a list of references per segment."""
        counts = np.array([len(references) for references in reference_lists], dtype=np.int64)
        segment = np.repeat(np.arange(len(counts)), counts)
        first = np.cumsum(counts) - counts
        place = np.arange(len(segment)) - first[segment]
        return cls(segment, place, int(counts.max(initial=0)))


def best_reference(layout: ReferenceLayout, quality: FloatArray) -> IntArray:
    """For each segment the flat index of the reference with the best quality; the first wins."""
    order = np.lexsort((layout.place, -quality, layout.segment))
    first = np.concatenate([[True], np.diff(layout.segment[order]) != 0])
    return np.asarray(order[first], dtype=np.int64)


def best_of_references(
    test_set: TestSet,
    hypotheses: Sequence[Text],
    references: Sequence[Text],
    pair_score: Callable[[Text, Text], float],
) -> FloatArray:
    """Score each hypothesis against each of its references and keep the best."""
    scores = np.zeros(len(test_set))
    flat = iter(references)
    for position, segment in enumerate(test_set):
        hypothesis = hypotheses[position]
        scores[position] = max(pair_score(hypothesis, next(flat)) for _ in segment.references)
    return scores
