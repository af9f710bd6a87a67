"""What the two METEORs share: parameters, lower-case words, and the formula."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import MeanMeasure, WordMeasure
from patmark.measures.kernels.references import best_of_references
from patmark.text import tokenize_all

Words: TypeAlias = Sequence[str]
PairScore: TypeAlias = Callable[[Words, Words], float]


@dataclass(frozen=True, kw_only=True)
class MeteorFamily(WordMeasure, MeanMeasure):
    """A weighted mean of precision and recall over matched words, less a penalty for chunks."""

    label: ClassVar[str] = "METEOR"
    parameters: ClassVar[Mapping[str, str]] = {
        "alpha": "weight of precision in the denominator of the mean, 0–1; high favours recall",
        "beta": "exponent of the penalty, at least 0",
        "gamma": "greatest penalty, 0–1",
    }

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5

    def __post_init__(self) -> None:
        allowed = {"alpha": 1.0, "beta": float("inf"), "gamma": 1.0}
        for parameter, most in allowed.items():
            value = getattr(self, parameter)
            if not 0 <= value <= most:
                raise UsageError(f"METEOR: {parameter}={value} is not between 0 and {most:g}")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        tokenizer = self.tokenizer(test_set)
        cased = [
            tokenize_all(hypotheses, tokenizer),
            tokenize_all(test_set.flat_references, tokenizer),
        ]
        # One string object per word makes every later look-up faster.
        lower = {word: word.lower() for word in set().union(*cased[0], *cased[1])}
        ours, theirs = ([[lower[word] for word in words] for words in texts] for texts in cased)
        score = self._pair_score(test_set, set(lower.values()))
        return best_of_references(test_set, ours, theirs, score)

    @abstractmethod
    def _pair_score(self, test_set: TestSet, vocabulary: Set[str]) -> PairScore:
        """The function that scores a hypothesis against a reference, given all their words."""

    def mean_of(self, matches: int, hypothesis_length: int, reference_length: int) -> float:
        """The weighted harmonic mean of precision and recall; ``matches`` is not zero."""
        precision = matches / hypothesis_length
        recall = matches / reference_length
        return precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)

    def keep_of(self, matches: int, chunks: int) -> float:
        """What the penalty leaves when the matches lie in so many runs."""
        fragmentation: float = (chunks / matches) ** self.beta
        return 1 - self.gamma * fragmentation
