"""RIBES, equal to NTT's RIBES.py 1.03.1."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from math import exp
from typing import ClassVar, Generic, TypeVar

from patmark.data import FloatArray, TestSet
from patmark.measures.base import MeanMeasure, WordMeasure, best_of_references, one_of
from patmark.measures.bleu import cased_tokens
from patmark.measures.kernels.ngrams import unique_context_positions

Name = TypeVar("Name", bound=Hashable)

_WIDEST = 8  # nearly all words of ordinary text are told apart by fewer words than this


@dataclass(frozen=True, kw_only=True)
class RIBES(WordMeasure, MeanMeasure):
    """Word order agreement (Kendall's τ, normalised) times precision times brevity penalty."""

    label: ClassVar[str] = "RIBES"
    description: ClassVar[str] = "rank correlation of word order, mean of segments, 0–1"
    citation: ClassVar[str] = "Isozaki et al. 2010; NTT RIBES.py 1.03.1"
    parameters: ClassVar[dict[str, str]] = {
        "alpha": "weight of unigram precision",
        "beta": "weight of the brevity penalty",
        "case": "lower, as the script does by default, or mixed",
    }

    alpha: float = 0.25
    beta: float = 0.10
    case: str = "lower"

    def __post_init__(self) -> None:
        one_of("RIBES", "case", self.case, ("lower", "mixed"))

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        hypothesis_tokens, reference_tokens = cased_tokens(
            test_set, hypotheses, self.tokenizer(test_set), self.case
        )
        return best_of_references(test_set, hypothesis_tokens, reference_tokens, self._pair_score)

    def _pair_score(self, hypothesis: list[str], reference: list[str]) -> float:
        if not hypothesis or not reference:
            return 0.0
        positions = align(hypothesis, reference)
        aligned = len(positions)
        if aligned == 1 and len(reference) == 1:
            order = 1.0
        elif aligned < 2:
            return 0.0
        else:
            order = ascending_pairs(positions) / (aligned * (aligned - 1) / 2)
        precision = aligned / len(hypothesis)
        brevity = min(1.0, exp(1 - len(reference) / len(hypothesis)))
        return float(order * precision**self.alpha * brevity**self.beta)


def align(hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Reference positions of the hypothesis words that can be told apart.

    A word that occurs once on both sides is aligned at once. Any other is aligned by the shortest
    context, left before right, that occurs once on both sides; without one it is left out.
    """
    words = _Windows.of(hypothesis, reference)
    wider = _WiderWindows(hypothesis, reference)
    positions = []
    for index, word in enumerate(hypothesis):
        occurrences = words.in_reference.get(word)
        if occurrences is None:
            continue
        if occurrences == 1 and words.in_hypothesis[word] == 1:
            positions.append(words.place[word])
        else:
            position = wider.find(index)
            if position is not None:
                positions.append(position)
    return positions


@dataclass(frozen=True, slots=True)
class _Windows(Generic[Name]):
    """All windows of one size, each with a name: counts on both sides, last reference place."""

    names: Sequence[Name]
    in_hypothesis: Mapping[Name, int]
    in_reference: Mapping[Name, int]
    place: Mapping[Name, int]

    @classmethod
    def of(cls, hypothesis: Sequence[Name], reference: Sequence[Name]) -> _Windows[Name]:
        place = dict(zip(reference, range(len(reference)), strict=True))
        return cls(hypothesis, Counter(hypothesis), Counter(reference), place)


class _WiderWindows:
    """Windows of two words and more, made when asked for.

    A window is numbered by the number of the window one word shorter and its last word. Texts that
    repeat themselves, where this would go on for long, are sorted once instead.
    """

    def __init__(self, hypothesis: Sequence[str], reference: Sequence[str]) -> None:
        self._hypothesis, self._reference = hypothesis, reference
        self._shorter: tuple[Iterable[object], Iterable[object]] = (hypothesis, reference)
        self._sizes: list[_Windows[int]] = []

    def find(self, index: int) -> int | None:
        """The reference position of a hypothesis word by its shortest telling context."""
        for size in range(1, max(index, len(self._hypothesis) - index) + 1):
            if size > _WIDEST:
                return self._by_any_context[index]
            windows = self._of_size(size)
            occurs = False
            for start, offset in ((index - size, size), (index, 0)):
                if not 0 <= start < len(windows.names):
                    continue
                name = windows.names[start]
                occurrences = windows.in_reference.get(name, 0)
                if occurrences == 1 and windows.in_hypothesis[name] == 1:
                    return windows.place[name] + offset
                occurs = occurs or occurrences > 0
            if not occurs:
                return None
        return None

    @cached_property
    def _by_any_context(self) -> list[int | None]:
        return unique_context_positions(self._hypothesis, self._reference)

    def _of_size(self, size: int) -> _Windows[int]:
        while len(self._sizes) < size:
            reach = len(self._sizes) + 1
            numbers: defaultdict[object, int] = defaultdict(count().__next__)
            own, other = (
                [numbers[key] for key in zip(shorter, words[reach:], strict=False)]
                for shorter, words in zip(
                    self._shorter, (self._hypothesis, self._reference), strict=True
                )
            )
            self._shorter = (own, other)
            self._sizes.append(_Windows.of(own, other))
        return self._sizes[size - 1]


def ascending_pairs(positions: Sequence[int]) -> int:
    """How many pairs of positions stand in ascending order; equal ones do not count."""
    if all(before < after for before, after in pairwise(positions)):
        return len(positions) * (len(positions) - 1) // 2
    ordered: list[int] = []
    pairs = 0
    for position in positions:
        pairs += bisect_left(ordered, position)
        insort(ordered, position)
    return pairs
