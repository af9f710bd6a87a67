"""Agreement of evaluators on error spans: shared characters, and alpha over characters.

Only outputs that several evaluators rated count. Every character of the output is an item: an
evaluator left it unmarked or gave it the severity of the worst mark on it. F1 is that of the marked
characters of each two evaluators, over all outputs together; alpha (Krippendorff, nominal) corrects
for chance. Both ignore the source side, where few errors are marked. Partial F1 matches whole
spans, on both sides, with partial credit for partial overlap (Perrella et al. 2026): spans of two
evaluators are matched one to one, best overlap first. A matched span earns the share of its
characters that the other covers; sums over all outputs are divided by the numbers of spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from patmark.data import (
    NO_CATEGORY,
    SEVERITIES,
    AnnotatedTexts,
    Annotation,
    Annotations,
    Estimate,
    Evidence,
    FloatArray,
    Rating,
    Run,
    ScoreFunction,
    TestSet,
    mean_score,
    severity_rank,
)
from patmark.report import Cell, Column, Table, fields_json
from patmark.stats import Alpha, Sampling, Units, estimate_all, krippendorff_alpha
from patmark.wording import tr

_Span = tuple[str, int, int, str]


def evidence_annotations(
    evidence: Sequence[Sequence[Evidence]], test_set: TestSet, run: Run, evaluator: str
) -> Annotations:
    """Return the places that a measure such as xCOMET marks, as annotations of an evaluator.

    Segments without an output were not rated.
    """
    ratings, marks = [], []
    rows = zip(test_set, run.hypotheses, evidence, strict=True)
    for segment, output, places in rows:
        if output is None:
            continue
        key = (run.system, segment.id, evaluator)
        ratings.append(Rating(*key, document=segment.document))
        marks += [
            Annotation(*key, one.start, one.end, "target", NO_CATEGORY, one.severity or "major")
            for one in places
            if one.side == "hypothesis"
        ]
    return Annotations(tuple(ratings), tuple(marks))


def partial_credit(
    first: Sequence[Annotation], second: Sequence[Annotation], penalty: float = 0.0
) -> FloatArray:
    """Return the credit and the number of spans of both evaluators on one output.

    Equal spans count once; marks without a place have no characters and are left out. A match of
    different severities earns 1 − ``penalty`` of its overlap.
    """
    mine, others = _spans(first), _spans(second)
    pairs = []
    for here, one in enumerate(mine):
        for there, other in enumerate(others):
            overlap = min(one[2], other[2]) - max(one[1], other[1])
            if one[0] == other[0] and overlap > 0:
                share = (1.0 if one[3] == other[3] else 1 - penalty) * overlap
                own, its = one[2] - one[1], other[2] - other[1]
                pairs.append((-2 * share / (own + its), here, there, share / own, share / its))
    credit = np.array([0.0, len(mine), 0.0, len(others)])
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, here, there, of_first, of_second in sorted(pairs):
        if here not in taken[0] and there not in taken[1]:
            taken[0].add(here)
            taken[1].add(there)
            credit += (of_first, 0, of_second, 0)
    return credit


def _spans(marks: Sequence[Annotation]) -> list[_Span]:
    found = {(one.side, one.start, one.end, one.severity) for one in marks if one.has_place}
    return sorted(found)


def partial_precision(sums: FloatArray) -> FloatArray:
    """Return the credit of the first evaluator's spans; 1 without any."""
    return _share(sums[..., 0], sums[..., 1])


def partial_recall(sums: FloatArray) -> FloatArray:
    """Return the credit of the second evaluator's spans; 1 without any."""
    return _share(sums[..., 2], sums[..., 3])


def partial_f1(sums: FloatArray) -> FloatArray:
    """Return the harmonic mean of precision and recall from summed `partial_credit` (…, 4)."""
    precision, recall = partial_precision(sums), partial_recall(sums)
    both = precision + recall
    return np.asarray(np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1), 0.0))


def _share(credit: FloatArray, spans: FloatArray) -> FloatArray:
    return np.asarray(np.where(spans > 0, credit / np.where(spans > 0, spans, 1), 1.0))


@dataclass(frozen=True, slots=True)
class SpanPair:
    """Two evaluators on the outputs that both rated.

    ``f1`` counts characters that both marked, ``same_severity`` only those with the same severity;
    NaN if neither marked anything. ``found`` is the share of outputs in which both find an error,
    or both none. ``partial`` is the F1 of matched spans, ``precision`` the credit of the first
    evaluator's spans and ``recall`` that of the second's.
    """

    first: str
    second: str
    outputs: int
    f1: Estimate
    same_severity: Estimate
    found: float
    partial: Estimate
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """The agreement of all evaluators; ``alpha`` is None if the texts are unknown."""

    outputs: int
    pairs: tuple[SpanPair, ...]
    f1: Estimate
    same_severity: Estimate
    partial: Estimate
    alpha: Alpha | None

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        f1 = ("f1", "f1_same_severity=same_severity", "partial_f1=partial")
        shares = ("partial_precision=precision", "partial_recall=recall", "found")
        pairs = [
            fields_json(one, "a=first", "b=second", "outputs", *f1, *shares) for one in self.pairs
        ]
        return fields_json(self, "outputs", *f1, "alpha", pairs=pairs)

    def tables(self) -> list[Table]:
        """Return every two evaluators, and all together."""
        alpha, everybody = self.alpha, tr("all")
        whole = Estimate(alpha.value, alpha.ci, alpha.items) if alpha else None

        def of_pairs(name: str, total: Cell = None) -> Callable[[SpanPair | None], Cell]:
            """Return the value of a pair by name, or that of all pairs."""
            return lambda one: total if one is None else getattr(one, name, None)

        columns = (
            (Column(tr("evaluator")), of_pairs("first", everybody)),
            (Column(tr("other")), of_pairs("second", everybody)),
            (Column(tr("common outputs"), 0), of_pairs("outputs", self.outputs)),
            (Column(tr("character F1"), 3), of_pairs("f1", self.f1)),
            (Column(tr("F1, same severity"), 3), of_pairs("same_severity", self.same_severity)),
            (Column(tr("partial F1"), 3), of_pairs("partial", self.partial)),
            (Column(tr("precision"), 3), of_pairs("precision")),
            (Column(tr("recall"), 3), of_pairs("recall")),
            (Column(tr("same verdict"), 3), of_pairs("found")),
            (Column(tr("α of characters"), 3), of_pairs("alpha", whole)),
        )
        note = tr(
            "Character F1: of the characters of the outputs that two evaluators marked, the share "
            "that both marked. Partial F1: spans matched one to one, each with credit for the "
            "share of its characters that the other covers; precision is the credit of the "
            "evaluator's spans, recall that of the other's. Same verdict: outputs of which both "
            "say that there is an error, or both that there is none. α: Krippendorff's, nominal, "
            "of every character as unmarked or marked with a severity."
        )
        records = (None, *self.pairs)
        return [Table.of_records(tr("Agreement on marked errors"), records, columns, note)]


def span_agreement(
    annotations: Annotations, texts: AnnotatedTexts | None = None, sampling: Sampling | None = None
) -> SpanAgreement | None:
    """Return agreement on error spans; None if no output has two evaluators."""
    sampling = sampling or Sampling()
    raters = Counter((one.system, one.segment) for one in annotations.rated)
    outputs = [output for output, number in raters.items() if number > 1]
    if not outputs:
        return None
    segments = [segment for _, segment in outputs]
    units = _units(segments, annotations.documents, sampling)
    lengths = [_length(annotations, one, texts) for one in outputs]
    marks = {
        evaluator: [annotations.by_rating.get((*one, evaluator)) for one in outputs]
        for evaluator in annotations.evaluators
    }
    marked = {
        evaluator: [_levels(one, length) for one, length in zip(own, lengths, strict=True)]
        for evaluator, own in marks.items()
    }
    pairs, totals, credits = [], np.zeros((2, len(outputs), 2)), np.zeros((len(outputs), 4))
    for first, second in combinations(annotations.evaluators, 2):
        counts = _shared(marked[first], marked[second])
        if counts is None:
            continue
        totals += counts
        both = [
            (bool(mine.any()), bool(other.any()))
            for mine, other in zip(marked[first], marked[second], strict=True)
            if mine is not None and other is not None
        ]
        f1, alike = (_estimate(one, units, sampling, len(both)) for one in counts)
        equal = float(np.mean([mine == other for mine, other in both]))
        credit = np.array(
            [
                np.zeros(4) if mine is None or other is None else partial_credit(mine, other)
                for mine, other in zip(marks[first], marks[second], strict=True)
            ]
        )
        credits += credit + credit[:, [2, 3, 0, 1]]
        partial = _estimate(credit, units, sampling, len(both), partial_f1)
        whole = credit.sum(axis=0)
        shares = float(partial_precision(whole)), float(partial_recall(whole))
        pairs.append(SpanPair(first, second, len(both), f1, alike, equal, partial, *shares))
    f1, alike = (_estimate(one, units, sampling, len(outputs)) for one in totals)
    partial = _estimate(credits, units, sampling, len(outputs), partial_f1)
    known = texts is not None and all(one in texts.targets for one in outputs)
    alpha = _alpha(list(marked.values()), segments, annotations, sampling) if known else None
    return SpanAgreement(len(outputs), tuple(pairs), f1, alike, partial, alpha)


def _units(segments: Sequence[str], documents: Mapping[str, str], sampling: Sampling) -> Units:
    """Return the resampling units: the outputs of one document, or else of one segment."""
    known = [documents.get(segment) for segment in segments]
    chosen = Units.choose(known, sampling.by, segments)
    if chosen.kind == "document" or len(set(segments)) < 2:
        return chosen
    return Units.choose(segments, "document")


def _length(annotations: Annotations, output: tuple[str, str], texts: AnnotatedTexts | None) -> int:
    """Return the characters of an output, or the marked ones if the text is unknown."""
    if texts is not None and output in texts.targets:
        return len(texts.targets[output])
    ends = (
        mark.end
        for evaluator in annotations.evaluators
        for mark in annotations.by_rating.get((*output, evaluator), ())
        if mark.side == "target"
    )
    return max(ends, default=0)


def _levels(marks: Iterable[Annotation] | None, length: int) -> FloatArray | None:
    """Return the severity of each character, 0 if unmarked; None for an unrated output."""
    if marks is None:
        return None
    levels = np.zeros(length)
    for mark in marks:
        if mark.side == "target":
            rank = max(len(SEVERITIES) - severity_rank(mark.severity), 1)
            levels[mark.start : mark.end] = np.maximum(levels[mark.start : mark.end], rank)
    return levels


def _shared(
    mine: Sequence[FloatArray | None], others: Sequence[FloatArray | None]
) -> FloatArray | None:
    """Return twice the number of shared characters of each output, and the sum of both sides.

    The shape is (2, outputs, 2): marked at all, and marked with the same severity.
    """
    counts = np.zeros((2, len(mine), 2))
    common = False
    for place, (one, other) in enumerate(zip(mine, others, strict=True)):
        if one is None or other is None:
            continue
        common = True
        both = (one > 0) & (other > 0)
        marked = np.count_nonzero(one) + np.count_nonzero(other)
        counts[0, place] = 2 * np.count_nonzero(both), marked
        counts[1, place] = 2 * np.count_nonzero(both & (one == other)), marked
    return counts if common else None


def _estimate(
    statistics: FloatArray,
    units: Units,
    sampling: Sampling,
    n: int,
    score: ScoreFunction = mean_score,
) -> Estimate:
    quantity = (statistics[None], score)
    [[found]] = estimate_all([quantity], units, sampling.resamples, sampling.seed)
    return Estimate(found.value, found.ci, n)


def _alpha(
    marked: Sequence[Sequence[FloatArray | None]],
    segments: Sequence[str],
    annotations: Annotations,
    sampling: Sampling,
) -> Alpha:
    blocks, places = [], []
    for segment, *of_output in zip(segments, *marked, strict=True):
        size = next(len(one) for one in of_output if one is not None)
        blocks.append([np.full(size, np.nan) if one is None else one for one in of_output])
        places += [segment] * size
    units = _units(places, annotations.documents, sampling)
    levels = np.concatenate(blocks, axis=1)
    return krippendorff_alpha(levels, "nominal", units, sampling.resamples, sampling.seed)
