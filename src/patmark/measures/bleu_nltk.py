"""BLEU as NLTK computes it: the mean of its sentence scores, and its corpus score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.measures.base import MeanMeasure, Measure, WordMeasure, one_of
from patmark.measures.bleu import bleu_statistics, brevity_penalty, cased_tokens

_SMALLEST = np.finfo(np.float64).tiny


@dataclass(frozen=True, kw_only=True)
class _NltkBLEU(WordMeasure, Measure):
    """Parameters and counts that both share."""

    label: ClassVar[str] = "BLEU"
    parameters: ClassVar[dict[str, str]] = {
        "n": "longest n-gram, 1–4, all orders with equal weight",
        "case": "mixed, or lower to fold case",
        "smooth": "none, method1 (ε = 0.1) or method2 (add 1 above unigrams)",
    }

    n: int = 4
    case: str = "mixed"
    smooth: str = "none"

    def __post_init__(self) -> None:
        one_of("BLEU(variant=nltk)", "n", self.n, (1, 2, 3, 4))
        one_of("BLEU(variant=nltk)", "case", self.case, ("mixed", "lower"))
        one_of("BLEU(variant=nltk)", "smooth", self.smooth, ("none", "method1", "method2"))

    def _counts(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        hypothesis_tokens, reference_tokens = cased_tokens(
            test_set, hypotheses, self.tokenizer(test_set), self.case
        )
        counts = bleu_statistics(test_set, hypothesis_tokens, reference_tokens, self.n)
        counts[:, 2 + self.n :] = np.maximum(counts[:, 2 + self.n :], 1.0)
        return counts


@dataclass(frozen=True, kw_only=True)
class SentenceBLEU(_NltkBLEU, MeanMeasure):
    """Mean of NLTK's sentence BLEU. An order without a match gives a tiny number, not zero."""

    variant: ClassVar[str] = "nltk"
    description: ClassVar[str] = "mean of NLTK's sentence BLEU, 0–1"
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.bleu_score.sentence_bleu"

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return nltk_bleu(self._counts(test_set, hypotheses), self.n, self.smooth)


@dataclass(frozen=True, kw_only=True)
class CorpusBLEU(_NltkBLEU):
    """NLTK's corpus BLEU, which counts at least one n-gram of each order in every segment."""

    variant: ClassVar[str] = "nltk-corpus"
    description: ClassVar[str] = "NLTK's corpus BLEU, 0–1"
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.bleu_score.corpus_bleu"

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return self._counts(test_set, hypotheses)

    def score(self, totals: FloatArray) -> FloatArray:
        return nltk_bleu(totals, self.n, self.smooth)


def nltk_bleu(statistics: FloatArray, n: int, smooth: str) -> FloatArray:
    """NLTK's BLEU of counts as :func:`patmark.measures.bleu.bleu_statistics` gives them."""
    matches, possible = statistics[..., 2 : 2 + n], statistics[..., 2 + n :]
    if smooth == "method1":
        precisions = np.where(matches == 0, 0.1, matches) / possible
    elif smooth == "method2":
        extra = (np.arange(n) > 0).astype(np.float64)
        precisions = (matches + extra) / (possible + extra)
    else:
        precisions = np.where(matches == 0, _SMALLEST, matches / possible)
    any_match = matches[..., 0] > 0
    mean_log = np.log(np.where(any_match[..., None], precisions, 1.0)).sum(axis=-1) / n
    scores = brevity_penalty(statistics[..., 0], statistics[..., 1]) * np.exp(mean_log)
    return np.asarray(np.where(any_match, scores, 0.0))
