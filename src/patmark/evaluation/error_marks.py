"""Scores from error annotations: MQM and ESA, in total and by error category.

MQM is minus the sum of the weights of the errors of an output, by a named set of weights. 0 means
no error and higher is better, as in the files of WMT; printed tables often omit the minus. Points
are averaged over the evaluators of an output first, then over segments, as in WMT. ESA is the grade
from 0 to 100 that an evaluator gives after marking errors, averaged in the same way.

All scores are additive over segments, and the points of the categories add up to the total.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from patmark._version import __version__
from patmark.data import (
    Annotation,
    Annotations,
    FloatArray,
    RatingKey,
    Scores,
    mean_score,
    mean_statistics,
)
from patmark.errors import UsageError, near
from patmark.languages import mostly_spaced

_ANY = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """Points by severity, and exceptions by category and severity (an empty one is any)."""

    name: str
    severities: Mapping[str, float]
    exceptions: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def of(self, mark: Annotation) -> float:
        """Return the points that an error costs."""
        category, severity = mark.category.rstrip("!").lower(), mark.severity
        for key in ((category, severity), (category, _ANY)):
            if key in self.exceptions:
                return self.exceptions[key]
        if severity in self.severities:
            return self.severities[severity]
        known = ", ".join(self.severities)
        raise UsageError(
            f"the weights {self.name!r} have none for errors that are {mark.severity!r}, only for "
            f"{known}{near(mark.severity, self.severities)}"
        )


WEIGHTS: Mapping[str, Weights] = MappingProxyType(
    {
        one.name: one
        for one in (
            Weights(
                "wmt",
                {"major": 5.0, "minor": 1.0, "neutral": 0.0},
                {("non-translation", _ANY): 25.0, ("fluency/punctuation", "minor"): 0.1},
            ),
            Weights("mqm", {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0}),
            Weights(
                "patent",
                {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0},
                {("non-translation", _ANY): 25.0},
            ),
        )
    }
)
"""The named sets of weights.

``wmt`` is that of Freitag et al. 2021. ``mqm`` multiplies by five at each step. In ``patent`` a
critical error, which changes the scope of protection, costs as much as a non-translation, because
it is as harmful to the patent holder.
"""


def weights_called(name: str) -> Weights:
    """Return a named set of weights."""
    if name in WEIGHTS:
        return WEIGHTS[name]
    known = ", ".join(WEIGHTS)
    raise UsageError(f"unknown weights {name!r}; the known ones are {known}{near(name, WEIGHTS)}")


def fitting_weights(annotations: Annotations) -> Weights:
    """Return the weights of WMT, or those for patents if WMT lacks a severity."""
    known = WEIGHTS["wmt"].severities
    foreign = any(mark.severity not in known for mark in annotations.marks)
    return WEIGHTS["patent" if foreign else "wmt"]


MQM, ESA = "mqm", "esa"
_DIGITS = 9  # of sums of tenths


def points_lost(
    annotations: Annotations, weights: Weights, of: Callable[[Annotation], bool] | None = None
) -> dict[RatingKey, float]:
    """Return the points that each rating loses, by all errors or by some of them."""
    return {
        key: round(sum(weights.of(mark) for mark in marks if of is None or of(mark)), _DIGITS)
        for key, marks in annotations.by_rating.items()
    }


def rating_values(annotations: Annotations, values: Mapping[RatingKey, float]) -> FloatArray:
    """Return one value per rating as (evaluators, systems, segments); NaN if not rated."""
    axes = annotations.systems, annotations.segments, annotations.evaluators
    systems, segments, evaluators = ({name: at for at, name in enumerate(axis)} for axis in axes)
    table = np.full((len(evaluators), len(systems), len(segments)), np.nan)
    for (system, segment, evaluator), value in values.items():
        table[evaluators[evaluator], systems[system], segments[segment]] = value
    return table


def z_by_evaluator(values: FloatArray) -> FloatArray:
    """Return values (evaluators, …) in standard deviations from the mean of their evaluator.

    An evaluator with constant values has zeros.
    """
    flat = values.reshape(len(values), -1)
    known = ~np.isnan(flat)
    number = np.maximum(known.sum(axis=1, keepdims=True), 1)
    centred = flat - np.where(known, flat, 0).sum(axis=1, keepdims=True) / number
    squares = np.where(known, centred**2, 0).sum(axis=1, keepdims=True)
    spread = np.sqrt(squares / np.maximum(number - 1, 1))
    found: FloatArray = centred / np.where(spread > 0, spread, 1)
    return found.reshape(values.shape)


def mqm_scores(
    annotations: Annotations,
    weights: Weights | None = None,
    *,
    lengths: Mapping[str, float] | None = None,
    unit: str = "words",
    normalised: bool = False,
) -> Scores:
    """Return MQM of every system, per segment or per 100 ``unit``.

    A score per 100 units needs the ``lengths`` of the segments. ``normalised`` converts the points
    of each evaluator to z-scores before averaging.
    """
    weights = weights or fitting_weights(annotations)
    lost = points_lost(annotations, weights)
    values = rating_values(annotations, {key: 0.0 - points for key, points in lost.items()})
    about = {"weights": weights.name, "normalised": "z by evaluator" if normalised else None}
    scores = _averaged(
        annotations, MQM, z_by_evaluator(values) if normalised else values, about, lengths, unit
    )
    return scores if normalised else replace(scores, bounds=(-np.inf, 0.0))


def esa_scores(annotations: Annotations) -> Scores | None:
    """Return the grades from 0 to 100 of every system; None without any."""
    given = {one.key: one.score for one in annotations.rated if one.score is not None}
    if not given:
        return None
    scores = _averaged(annotations, ESA, rating_values(annotations, given), {})
    return replace(scores, bounds=(0.0, 100.0))


def part_scores(
    annotations: Annotations,
    weights: Weights | None = None,
    part: Callable[[Annotation], str] = lambda mark: mark.category,
) -> dict[str, Scores]:
    """Return MQM by parts, such as categories or severities: the points lost by their errors.

    The parts of a system add up to its MQM.
    """
    weights = weights or fitting_weights(annotations)

    def lost_by(name: str) -> Scores:
        lost = points_lost(annotations, weights, lambda mark: part(mark) == name)
        values = rating_values(annotations, {key: 0.0 - points for key, points in lost.items()})
        about = {"weights": weights.name, "errors": name}
        scores = _averaged(annotations, f"{MQM}[{name}]", values, about)
        return replace(scores, bounds=(-np.inf, 0.0))

    return {name: lost_by(name) for name in sorted({part(mark) for mark in annotations.marks})}


def error_counts(
    annotations: Annotations, of: Callable[[Annotation], bool] | None = None
) -> FloatArray:
    """Return the mean number of errors over evaluators (systems, segments); NaN if not rated."""
    counts = {
        key: float(sum(of is None or of(mark) for mark in marks))
        for key, marks in annotations.by_rating.items()
    }
    return _over_evaluators(rating_values(annotations, counts))


def source_lengths(sources: Mapping[str, str], language: str | None) -> tuple[str, dict[str, int]]:
    """Return the unit and the lengths of sources: characters without blanks, else words.

    The source length is the same for all systems, so that nobody gains by writing more.
    """
    if mostly_spaced(sources.values(), language):
        return "words", {segment: len(text.split()) for segment, text in sources.items()}
    return "characters", {
        segment: sum(not sign.isspace() for sign in text) for segment, text in sources.items()
    }


def _over_evaluators(values: FloatArray) -> FloatArray:
    return mean_score(mean_statistics(values).sum(axis=0))


def _averaged(
    annotations: Annotations,
    measure: str,
    values: FloatArray,
    about: Mapping[str, str | None],
    lengths: Mapping[str, float] | None = None,
    unit: str = "",
) -> Scores:
    """Return scores from values of ratings (evaluators, systems, segments)."""
    known = ~np.isnan(values)
    facts = {
        **about,
        "per": f"100 {unit} of the source" if lengths is not None else "segment",
        "evaluators": str(int(known.any(axis=(1, 2)).sum())),
        "ratings": str(int(known.sum())),
        "over": "evaluators, then segments",
        "patmark": __version__,
    }
    parts = (f"{name}:{value}" for name, value in facts.items() if value is not None)
    segments, averaged = annotations.segments, _over_evaluators(values)
    scores = Scores.of_values(
        measure, "|".join((measure, *parts)), annotations.systems, segments, averaged
    )
    if lengths is None:
        return scores
    missing = [segment for segment in segments if segment not in lengths]
    if missing:
        raise UsageError(f"the length of segment {missing[0]!r} is not known")
    # (points, 1) of a segment becomes (100 × points, length)
    factors = np.array([[100.0, float(lengths[segment])] for segment in segments])
    return replace(scores, statistics=scores.statistics * factors)
