"""TER: translation edit rate, the edits that turn a translation into a reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.languages import ASIAN_MARKS, tokenize_all
from patmark.measures.base import ReferenceLayout, WordMeasure, one_of
from patmark.measures.bleu import cased_tokens, encoded_sides
from patmark.measures.kernels.edits import translation_edits
from patmark.measures.kernels.ngrams import Encoded, encode_words

_MARKS = '.,?:;!"()'
_NORMALISING = ("tercom", "tercom-asian")


@dataclass(frozen=True, kw_only=True)
class TER(WordMeasure):
    """Edits per reference word, where moving a block of words is one edit.

    Statistics: edits, reference length. With several references, the fewest edits and the mean
    length count.
    """

    label = "TER"
    description = "edits and block moves per 100 reference words, of the corpus, 0–∞"
    formula = "100 · (insertions + deletions + replacements + moved blocks) / reference words"
    limits = (
        "Moves are searched greedily, as by tercom, so that the edits are not always the fewest."
    )
    guide = "measures/ter.md"
    runs_by_default = True
    citation = "Snover et al. 2006; tercom 0.10.0; sacreBLEU 2.6.0"
    higher_is_better = False
    bounds = (0.0, float("inf"))
    english_tokenizer = "none"

    case: Annotated[str, "lower to fold case, or mixed"] = "lower"
    punct: Annotated[
        bool, 'no removes the marks . , ? : ; ! " ( ), with tok=tercom-asian also Asian ones'
    ] = True

    def __post_init__(self) -> None:
        one_of("TER", "case", self.case, ("lower", "mixed"))

    @property
    def percentage(self) -> bool:
        return True

    @property
    def width(self) -> int:
        return 2

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        if not hypotheses:
            return np.zeros((0, 2))
        layout = ReferenceLayout.of(test_set.reference_lists)
        own, other = self._encoded(test_set, hypotheses)
        edits = translation_edits(own.picked(layout.segment), other)
        first, counts = np.flatnonzero(layout.place == 0), np.bincount(layout.segment)
        lengths = np.add.reduceat(other.lengths.astype(float), first) / counts
        return np.column_stack([np.minimum.reduceat(edits, first), lengths])

    def _encoded(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> tuple[Encoded, Encoded]:
        tokenizer = self.tokenizer(test_set)
        if self.punct and tokenizer not in _NORMALISING:
            return encoded_sides(test_set, hypotheses, tokenizer, self.case)
        own, other = map(
            partial(self._kept, tokenizer),
            cased_tokens(test_set, hypotheses, tokenizer, self.case),
        )
        if tokenizer in _NORMALISING:  # sacreBLEU normalises references twice
            other = self._kept(tokenizer, tokenize_all(tuple(map(" ".join, other)), tokenizer))
        words = encode_words([*own, *other])
        return words.part(slice(0, len(own))), words.part(slice(len(own), len(words.lengths)))

    def _kept(self, tokenizer: str, lines: list[list[str]]) -> list[list[str]]:
        """Return the words of all lines, without marks if ``punct`` is off."""
        if self.punct:
            return lines
        marks = _MARKS + (ASIAN_MARKS if tokenizer == "tercom-asian" else "")
        nothing = str.maketrans("", "", marks)
        stripped = ([word.translate(nothing) for word in words] for words in lines)
        return [[word for word in words if word] for words in stripped]

    def score(self, totals: FloatArray) -> FloatArray:
        """Return 100 × edits ÷ length; without reference words 100 if there are edits, else 0."""
        edits, length = totals[..., 0], totals[..., 1]
        result = np.where(edits > 0, 100.0, 0.0)
        np.divide(edits, length, out=result, where=length > 0)
        return np.where(length > 0, 100 * result, result)
