from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import patmark
from patmark.languages import tokenize_all
from patmark.measures import MeanMeasure, WordMeasure


@patmark.register
@dataclass(frozen=True, kw_only=True)
class ExactMatch(MeanMeasure):
    label: ClassVar[str] = "exact-match"
    description: ClassVar[str] = "share of segments that equal a reference, 0–1"
    citation: ClassVar[str] = "our house"
    parameters: ClassVar[dict[str, str]] = {"case": "mixed, or lower to fold case"}

    case: str = "mixed"

    def segment_scores(self, test_set, hypotheses):
        fold = str.lower if self.case == "lower" else str
        pairs = zip(test_set, hypotheses, strict=True)
        return np.array([float(fold(text) in map(fold, one.references)) for one, text in pairs])


@patmark.register
@dataclass(frozen=True, kw_only=True)
class TypeTokenRatio(WordMeasure):
    label: ClassVar[str] = "type-token"
    description: ClassVar[str] = "distinct words of a segment ÷ words, of the corpus, 0–1"
    citation: ClassVar[str] = "our house"
    needs: ClassVar[frozenset[str]] = frozenset()

    def _statistics(self, test_set, hypotheses):
        words = tokenize_all(hypotheses, self.tokenizer(test_set))
        return np.array([(len(set(one)), len(one)) for one in words], dtype=float)

    def score(self, totals):
        return totals[..., 0] / np.maximum(totals[..., 1], 1)


test_set = patmark.TestSet.of(["The valve closes.", "The film is thin."])
run = patmark.Run("mine", ("The valve closes.", "the film is thin."))
names = ["exact-match", "exact-match(case=lower)", "type-token"]
show(patmark.evaluate(test_set, [run], names).to_json())
