"""RIBES, equal to NTT's RIBES.py 1.03.1."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray, TestSet
from patmark.measures.base import (
    MeanMeasure,
    ReferenceLayout,
    WordMeasure,
    best_reference,
    one_of,
)
from patmark.measures.bleu import encoded_sides
from patmark.measures.kernels.ngrams import (
    Encoded,
    Places,
    chunk_slices,
    ngram_groups,
    runs,
    text_rows,
    unique_context_positions,
)

_LONGEST_TOGETHER, _RUNS_TOGETHER = 128, 256
_WIDEST = (4, 9)  # context width that distinguishes nearly all words of ordinary text


@dataclass(frozen=True, kw_only=True)
class RIBES(WordMeasure, MeanMeasure):
    """Word order agreement (Kendall's τ, normalised) times precision times brevity penalty."""

    label = "RIBES"
    description = "rank correlation of word order, mean of segments, 0–1"
    formula = (
        "(τ + 1) / 2 · P^0.25 · BP^0.10: Kendall's τ of the order of matched words, word "
        "precision, brevity"
    )
    limits = "Says little of the choice of words; with hardly any matched word it is 0."
    guide = "measures/ribes.md"
    runs_by_default = True
    citation = "Isozaki et al. 2010; NTT RIBES.py 1.03.1"

    alpha: Annotated[float, "weight of unigram precision"] = 0.25
    beta: Annotated[float, "weight of the brevity penalty"] = 0.10
    case: Annotated[str, "lower, as the script does by default, or mixed"] = "lower"

    def __post_init__(self) -> None:
        one_of("RIBES", "case", self.case, ("lower", "mixed"))

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        own, other = encoded_sides(test_set, hypotheses, self.tokenizer(test_set), self.case)
        layout = ReferenceLayout.of(test_set.reference_lists)
        own = own.picked(layout.segment)
        scores = np.zeros(len(layout.segment))
        for chunk in chunk_slices(own.lengths + other.lengths):
            pair, position = align(own.part(chunk), other.part(chunk))
            scores[chunk] = self._scores(own.lengths[chunk], other.lengths[chunk], pair, position)
        return scores[best_reference(layout, scores)]

    def _scores(
        self, own: IntArray, other: IntArray, pair: IntArray, position: IntArray
    ) -> FloatArray:
        """Score pairs of texts of these lengths from the pair and place of aligned words."""
        aligned = np.bincount(pair, minlength=len(own))
        possible = aligned * (aligned - 1) / 2
        ascending = possible.copy()
        disordered = (pair[1:] == pair[:-1]) & (position[1:] <= position[:-1])
        numbers = np.unique(pair[1:][disordered])
        starts = np.cumsum(aligned) - aligned
        ascending[numbers] = ascending_counts(position, starts[numbers], aligned[numbers])
        alone = (aligned == 1) & (other == 1)
        order = np.where(alone, 1.0, ascending / np.maximum(possible, 1))
        length = np.maximum(own, 1)
        brevity = np.exp(np.minimum(0.0, 1 - other / length))
        return np.asarray(order * (aligned / length) ** self.alpha * brevity**self.beta)


def align(hypotheses: Encoded, references: Encoded) -> tuple[IntArray, IntArray]:
    """Return the pair and the reference position of each alignable hypothesis word.

    A word that occurs once on both sides is aligned directly. Any other is aligned by the shortest
    context, left before right, that occurs once on both sides, or left out. All pairs are searched
    together, for short contexts first. Texts that repeat themselves, where this would take long,
    are sorted one by one instead.
    """
    own, other = Places.of(hypotheses), Places.of(references)
    position = np.full(len(own.place), -1)
    undecided, narrowest = np.arange(len(position)), 1
    for widest in _WIDEST:
        searched = np.unique(own.text[undecided])
        partners, occurs = _unique_contexts(hypotheses, references, searched, widest)
        for size in range(narrowest, widest + 1):
            for shift in (size - 1, 0):
                begin = np.where(own.place[undecided] >= shift, undecided - shift, -1)
                partner = partners[size - 1, begin]
                found = partner >= 0
                position[undecided[found]] = other.place[partner[found]] + shift
                undecided = undecided[~found]
        before = np.where(own.place[undecided] >= widest - 1, undecided - widest + 1, -1)
        undecided = undecided[occurs[undecided] | occurs[before]]
        narrowest = widest + 1
    for number in np.unique(own.text[undecided]).tolist():
        one = slice(number, number + 1)
        places = unique_context_positions(
            hypotheses.part(one).ids.tolist(), references.part(one).ids.tolist()
        )
        inside = undecided[own.text[undecided] == number]
        known = np.array([-1 if place is None else place for place in places])
        position[inside] = known[own.place[inside]]
    aligned = position >= 0
    return own.text[aligned], position[aligned]


def _unique_contexts(
    hypotheses: Encoded, references: Encoded, pairs: IntArray, widest: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Find the reference word that starts the same context of 1 … ``widest`` words.

    A context counts if it occurs once on both sides. The second array is True if the widest occurs
    in the reference at all. The last column is for an absent context.
    """
    partners = np.full((widest, len(hypotheses.ids) + 1), -1)
    occurs = np.zeros(len(hypotheses.ids) + 1, dtype=bool)
    every = np.arange(len(hypotheses.lengths))
    for rows in text_rows(hypotheses, references, every, widest, some=pairs, with_words=True):
        for partner, groups in zip(
            partners, ngram_groups(rows, widest, with_words=True), strict=True
        ):
            [others], sizes = groups.counts(), groups.sizes()
            first = groups.bounds[:-1][(sizes == 2) & (others == 1)]
            in_reference = groups.latest[first + 1]
            partner[groups.words[2 * first + 1 - in_reference]] = groups.words[in_reference]
        shared = np.flatnonzero(others)
        occurs[groups.words[runs(groups.bounds[shared], (sizes - others)[shared])]] = True
    return partners, occurs


def ascending_counts(position: IntArray, starts: IntArray, sizes: IntArray) -> IntArray:
    """Count the ascending pairs of positions in each run.

    All runs are compared with themselves, shifted by one place, by two and so on. Long runs are
    counted one by one.
    """
    found = np.zeros(len(sizes), dtype=np.int64)
    for run in np.flatnonzero(sizes > _LONGEST_TOGETHER).tolist():
        found[run] = ascending_pairs(position[starts[run] : starts[run] + sizes[run]].tolist())
    short = np.flatnonzero(sizes <= _LONGEST_TOGETHER)
    short = short[np.argsort(sizes[short])]
    for begin in range(0, len(short), _RUNS_TOGETHER):
        runs = short[begin : begin + _RUNS_TOGETHER]
        longest = int(sizes[runs[-1]])
        place = np.arange(longest)
        inside = place < sizes[runs, None]
        rows = np.where(inside, position[np.where(inside, starts[runs, None] + place, 0)], -1)
        for step in range(1, longest):
            found[runs] += np.count_nonzero(rows[:, step:] > rows[:, :-step], axis=1)
    return found


def ascending_pairs(positions: Sequence[int]) -> int:
    """Count the pairs of positions in ascending order; equal ones do not count."""
    if all(before < after for before, after in pairwise(positions)):
        return len(positions) * (len(positions) - 1) // 2
    ordered: list[int] = []
    pairs = 0
    for position in positions:
        pairs += bisect_left(ordered, position)
        insort(ordered, position)
    return pairs
