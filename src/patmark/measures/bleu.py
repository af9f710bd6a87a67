"""BLEU of a corpus, equal to sacreBLEU; and BLEU as NLTK computes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from patmark.data import FloatArray, IntArray, Scores, TestSet
from patmark.languages import tokenize_all
from patmark.measures.base import MeanMeasure, Measure, ReferenceLayout, WordMeasure, one_of
from patmark.measures.kernels.ngrams import (
    Encoded,
    clipped_matches,
    ngrams_in,
    vocabulary_of,
)
from patmark.wording import tr


@dataclass(frozen=True, kw_only=True)
class BLEU(WordMeasure):
    """Corpus BLEU. Statistics: hypothesis length, reference length, matches and totals for 1…n."""

    label = "BLEU"
    description = "n-gram precision with brevity penalty, of the corpus, 0–100"
    formula = (
        "100 · BP · exp(mean of ln p_n, n = 1…4); BP = min(1, exp(1 − r / h)) of "
        "reference and hypothesis length"
    )
    limits = (
        "Shared word sequences only: a wrong number costs as much as a synonym. Compare "
        "equal signatures only."
    )
    guide = "measures/bleu.md"
    runs_by_default = True
    citation = "Papineni et al. 2002; sacreBLEU 2.6.0 (Post 2018)"
    bounds = (0.0, 100.0)

    n: Annotated[int, "longest n-gram, 1–4"] = 4
    case: Annotated[str, "mixed, or lower to fold case"] = "mixed"
    smooth: Annotated[str, "exp, floor (0.1), add-k (1) or none, for orders without a match"] = (
        "exp"
    )
    effective: Annotated[bool, "average only the orders that the text is long enough for"] = False

    def __post_init__(self) -> None:
        one_of("BLEU", "n", self.n, (1, 2, 3, 4))
        one_of("BLEU", "case", self.case, ("mixed", "lower"))
        one_of("BLEU", "smooth", self.smooth, ("exp", "floor", "add-k", "none"))

    @property
    def width(self) -> int:
        return 2 + 2 * self.n

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        own, other = encoded_sides(test_set, hypotheses, self.tokenizer(test_set), self.case)
        return bleu_statistics(test_set, own, other, self.n)

    def score(self, totals: FloatArray) -> FloatArray:
        matches = totals[..., 2 : 2 + self.n]
        possible = totals[..., 2 + self.n :]
        penalty = brevity_penalty(totals[..., 0], totals[..., 1])
        if self.smooth != "add-k" and totals[..., 2:].min(initial=1) > 0:  # usual, much faster
            mean_log = np.log(matches / possible).sum(axis=-1) / self.n
            return np.asarray(penalty * 100 * np.exp(mean_log))
        precisions, used = self._smoothed(matches, possible)
        order = used.sum(axis=-1) if self.effective else np.full(used.shape[:-1], self.n)
        floor = np.full(precisions.shape, -np.inf)
        logs = np.where(used, np.log(precisions, where=precisions > 0, out=floor), 0.0)
        complete = self.effective | used.all(axis=-1)
        possible_score = complete & (matches.sum(axis=-1) > 0)
        mean_log = logs.sum(axis=-1) / np.maximum(order, 1)
        return np.asarray(np.where(possible_score, penalty * 100 * np.exp(mean_log), 0.0))

    def segment_score(self, statistics: FloatArray) -> FloatArray:
        """Score segments with effective order, as sacreBLEU's sentence level does."""
        return replace(self, effective=True).score(statistics)

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[str, ...]:
        """Name systems whose score is 0 only because no segment is long enough."""
        totals = scores.statistics.sum(axis=1)
        shorter = replace(self, effective=True)
        too_short = (self.score(totals) == 0) & (shorter.score(totals) > 0)
        if not too_short.any():
            return ()
        systems = ", ".join(scores.systems[place] for place in np.flatnonzero(too_short))
        return (
            tr(
                "{name} of {systems} is 0 because no segment has {n} words in a row; {name2} "
                "counts shorter texts too, and chrF needs no words.",
                name=self.name,
                systems=systems,
                n=self.n,
                name2=shorter.name,
            ),
        )

    def _smoothed(self, matches: FloatArray, possible: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return smoothed precisions per order, and the orders that have n-grams."""
        if self.smooth == "add-k":
            extra = (np.arange(self.n) > 0).astype(np.float64)
            matches, possible = matches + extra, possible + extra
        used = np.cumprod(possible > 0, axis=-1).astype(bool)
        divisor = np.where(used, possible, 1.0)
        zero = used & (matches == 0)
        precisions = matches / divisor
        if self.smooth == "exp":
            halvings = np.cumsum(zero, axis=-1)
            precisions = np.where(zero, 1 / (np.exp2(halvings) * divisor), precisions)
        elif self.smooth == "floor":
            precisions = np.where(zero, 0.1 / divisor, precisions)
        return precisions, used


def cased_tokens(
    test_set: TestSet, hypotheses: tuple[str, ...], tokenizer: str, case: str
) -> tuple[list[list[str]], list[list[str]]]:
    """Tokenize hypotheses and references, with case folded before."""
    references = test_set.flat_references
    if case == "lower":
        hypotheses = tuple(map(str.lower, hypotheses))
        references = tuple(map(str.lower, references))
    return tokenize_all(hypotheses, tokenizer), tokenize_all(references, tokenizer)


def encoded_sides(
    test_set: TestSet, hypotheses: tuple[str, ...], tokenizer: str, case: str
) -> tuple[Encoded, Encoded]:
    """Encode hypotheses and references with one vocabulary."""
    vocabulary, lower = vocabulary_of(tokenizer), case == "lower"
    references = vocabulary.encode(test_set.flat_references, lower)
    return vocabulary.encode(hypotheses, lower), references


def bleu_statistics(
    test_set: TestSet, hypotheses: Encoded, references: Encoded, longest: int
) -> FloatArray:
    """Return lengths, clipped matches and possible matches of each segment."""
    layout = ReferenceLayout.of(test_set.reference_lists)
    lengths, reference_lengths = hypotheses.lengths, references.lengths
    matches = clipped_matches(hypotheses, references, layout.segment, longest)
    closest = closest_lengths(layout, lengths, reference_lengths)
    possible = [ngrams_in(lengths, order) for order in range(1, longest + 1)]
    return np.column_stack([lengths.astype(np.float64), closest, matches, *possible])


def closest_lengths(
    layout: ReferenceLayout, lengths: IntArray, reference_lengths: IntArray
) -> FloatArray:
    """Return the nearest reference length of each segment, the shorter one of two."""
    distance = np.abs(reference_lengths - lengths[layout.segment])
    order = np.lexsort((reference_lengths, distance, layout.segment))
    first = np.concatenate([[True], np.diff(layout.segment[order]) != 0])
    return np.asarray(reference_lengths[order[first]], dtype=np.float64)


def brevity_penalty(length: FloatArray, reference_length: FloatArray) -> FloatArray:
    """Return 1 if the hypothesis is at least as long as the reference, less if it is shorter."""
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.exp(np.minimum(0.0, 1 - reference_length / length))
    return np.asarray(np.where(length > 0, penalty, 0.0))


_SMALLEST = np.finfo(np.float64).tiny


@dataclass(frozen=True, kw_only=True)
class _NltkBLEU(WordMeasure, Measure):
    """Common parameters and counts of the NLTK variants."""

    label = "BLEU"
    guide = "measures/bleu.md"

    n: Annotated[int, "longest n-gram, 1–4, all orders with equal weight"] = 4
    case: Annotated[str, "mixed, or lower to fold case"] = "mixed"
    smooth: Annotated[str, "none, method1 (ε = 0.1) or method2 (add 1 above unigrams)"] = "none"

    def __post_init__(self) -> None:
        one_of("BLEU(variant=nltk)", "n", self.n, (1, 2, 3, 4))
        one_of("BLEU(variant=nltk)", "case", self.case, ("mixed", "lower"))
        one_of("BLEU(variant=nltk)", "smooth", self.smooth, ("none", "method1", "method2"))

    def _counts(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        own, other = encoded_sides(test_set, hypotheses, self.tokenizer(test_set), self.case)
        counts = bleu_statistics(test_set, own, other, self.n)
        counts[:, 2 + self.n :] = np.maximum(counts[:, 2 + self.n :], 1.0)
        return counts


@dataclass(frozen=True, kw_only=True)
class SentenceBLEU(_NltkBLEU, MeanMeasure):
    """Mean of NLTK's sentence BLEU. An order without a match gives a tiny number, not zero."""

    variant = "nltk"
    description = "mean of NLTK's sentence BLEU, 0–1"
    formula = "mean over segments of BP · exp(mean of ln p_n)"
    limits = "Without smoothing an order without a match makes a segment all but 0."
    citation = "NLTK 3.10.4, nltk.translate.bleu_score.sentence_bleu"

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return nltk_bleu(self._counts(test_set, hypotheses), self.n, self.smooth)


@dataclass(frozen=True, kw_only=True)
class CorpusBLEU(_NltkBLEU):
    """NLTK's corpus BLEU, which counts at least one n-gram of each order in every segment."""

    variant = "nltk-corpus"
    description = "NLTK's corpus BLEU, 0–1"
    formula = "BP · exp(mean of ln p_n) of summed counts"
    limits = (
        "Counts at least one n-gram of each order in every segment, so that short "
        "segments lower it."
    )
    citation = "NLTK 3.10.4, nltk.translate.bleu_score.corpus_bleu"

    @property
    def width(self) -> int:
        return 2 + 2 * self.n

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return self._counts(test_set, hypotheses)

    def score(self, totals: FloatArray) -> FloatArray:
        return nltk_bleu(totals, self.n, self.smooth)


def nltk_bleu(statistics: FloatArray, n: int, smooth: str) -> FloatArray:
    """Return NLTK's BLEU from counts of :func:`patmark.measures.bleu.bleu_statistics`."""
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
