"""Sentence BLEU, equal to NLTK, averaged over segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.measures.base import MeanMeasure, WordMeasure, one_of
from patmark.measures.bleu import bleu_statistics, brevity_penalty, cased_tokens

_SMALLEST = np.finfo(np.float64).tiny


@dataclass(frozen=True, kw_only=True)
class SentenceBLEU(WordMeasure, MeanMeasure):
    """Mean of NLTK's sentence BLEU. An order without a match gives a tiny number, not zero."""

    label: ClassVar[str] = "BLEU"
    variant: ClassVar[str] = "nltk"
    description: ClassVar[str] = "mean of NLTK's sentence BLEU with equal weights up to n, 0–1"
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.bleu_score.sentence_bleu"
    parameters: ClassVar[dict[str, str]] = {
        "n": "longest n-gram, 1–4",
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

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        hypothesis_tokens, reference_tokens = cased_tokens(
            test_set, hypotheses, self.tokenizer(test_set), self.case
        )
        counts = bleu_statistics(test_set, hypothesis_tokens, reference_tokens, self.n)
        return sentence_bleu(counts, self.n, self.smooth)


def sentence_bleu(statistics: FloatArray, n: int, smooth: str = "none") -> FloatArray:
    """NLTK's sentence BLEU of each row of :func:`patmark.measures.bleu.bleu_statistics`."""
    matches = statistics[:, 2 : 2 + n]
    possible = np.maximum(statistics[:, 2 + n :], 1.0)
    if smooth == "method1":
        precisions = np.where(matches == 0, 0.1, matches) / possible
    elif smooth == "method2":
        extra = (np.arange(n) > 0).astype(np.float64)
        precisions = (matches + extra) / (possible + extra)
    else:
        precisions = np.where(matches == 0, _SMALLEST, matches / possible)
    mean_log = np.log(np.where(matches[:, :1] == 0, 1.0, precisions)).sum(axis=1) / n
    scores = brevity_penalty(statistics[:, 0], statistics[:, 1]) * np.exp(mean_log)
    return np.asarray(np.where(matches[:, 0] == 0, 0.0, scores))
