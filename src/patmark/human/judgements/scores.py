"""Scores from human judgements: criteria, cumulative rates, sums, and shares of wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from patmark._version import __version__
from patmark.data import FloatArray, Message, Scores, mean_score, mean_statistics
from patmark.errors import UsageError
from patmark.human.judgements.exclusions import (
    Exclusion,
    finished_grades,
    loss_warning,
    nothing_finished,
    notices,
)
from patmark.human.judgements.model import PREFERENCE, Judgements, Preferences, Scale, positions
from patmark.stats import pairwise_score, pairwise_statistics

NTCIR7_CRITERIA = ("adequacy", "fluency")


def mean_over(values: FloatArray) -> FloatArray:
    """Return the mean over the first axis without NaN; NaN if there are no values."""
    return mean_score(mean_statistics(values).sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class HumanScores:
    """All scores of judgements, and the excluded ones.

    ``documents`` fits the segments of all scores. Warnings among the ``notices`` name excluded
    judgements that may change the scores. ``by_evaluator`` has the grades of each evaluator
    (evaluators, systems, segments); for ordinal ones, pairwise scores.
    """

    scores: dict[str, Scores]
    documents: tuple[str | None, ...]
    exclusions: tuple[Exclusion, ...] = ()
    notices: tuple[Message, ...] = ()
    by_evaluator: Mapping[str, FloatArray] = field(default_factory=dict)


def human_scores(
    judgements: Judgements, *, rates: bool = True, whole_segments: bool = True
) -> HumanScores:
    """Score each criterion, its cumulative rates, and adequacy plus fluency if both were judged.

    With ``whole_segments`` a segment counts for an evaluator only if all systems were graded;
    excluded ones are listed. Continuous scales have no cumulative rates.
    """
    scores: dict[str, Scores] = {}
    exclusions: list[Exclusion] = []
    messages: list[Message] = []
    by_evaluator: dict[str, FloatArray] = {}
    main = _main(judgements)
    for criterion in main.criteria:
        graded = _Graded.of(main, criterion, whole_segments)
        exclusions += graded.exclusions
        by_evaluator[criterion] = graded.by_evaluator
        messages += loss_warning(main, criterion, graded.exclusions)
        values = graded.scale.values if rates and not graded.scale.continuous else ()
        found = [_criterion(graded), *(_rate(graded, value) for value in reversed(values[1:]))]
        scores |= {one.measure: one for one in found}
    if set(NTCIR7_CRITERIA) <= set(main.criteria):
        scores["human"] = sum_scores(judgements, whole_segments=whole_segments)
    messages += [
        text for criterion in judgements.criteria for text in notices(judgements, criterion)
    ]
    return HumanScores(scores, main.documents, tuple(exclusions), tuple(messages), by_evaluator)


def sum_scores(
    judgements: Judgements,
    criteria: Sequence[str] = NTCIR7_CRITERIA,
    name: str = "human",
    *,
    whole_segments: bool = True,
) -> Scores:
    """Add up interval criteria, for outputs with a grade on all; NTCIR-7 by default."""
    main = _main(judgements)
    parts = [_Graded.of(main, criterion, whole_segments) for criterion in criteria]
    for part in parts:
        if part.scale.kind != "interval":
            raise UsageError(f"grades of {part.scale.criterion!r} have no numbers to add up")
    values = np.sum([mean_over(part.grades) for part in parts], axis=0)
    about = {
        "sum": "+".join(criteria),
        "scale": "+".join(part.scale.form for part in parts),
        **_counts(np.concatenate([part.grades for part in parts]), len(main.evaluators)),
        "unfinished": parts[0].unfinished,
        "excluded": sum(len(part.exclusions) for part in parts),
    }
    return Scores.of_values(name, _signature(name, about), main.systems, main.segments, values)


def preference_scores(preferences: Preferences, criterion: str = PREFERENCE) -> Scores:
    """Return the share of comparisons that a system won; a tie is half a win."""
    main = preferences.in_phase("main")
    if not main.rows:
        raise UsageError(f"{preferences.name} has no preferences of the main phase")
    wins, ties = main.wins(criterion), main.ties(criterion)
    points = (wins + ties / 2).sum(axis=2)
    comparisons = (wins + wins.transpose(0, 2, 1) + ties).sum(axis=2)
    rows = [row for row in main.rows if row.criterion == criterion]
    about = {
        "score": "wins",
        "ties": "half",
        "evaluators": len({row.evaluator for row in rows}),
        "items": int((comparisons.sum(axis=1) > 0).sum()),
        "judgements": len(rows),
        "excluded": 0,
    }
    statistics = np.stack([points.T, comparisons.T], axis=-1)
    signature = _signature(criterion, about)
    return Scores(criterion, signature, main.systems, main.segments, statistics)


def scores_among(scores: Scores, systems: Sequence[str], segments: Sequence[str]) -> Scores:
    """Extend scores to more systems and segments, without values."""
    statistics = np.zeros((len(systems), len(segments), scores.statistics.shape[-1]))
    rows = positions(systems, scores.systems)
    columns = positions(segments, scores.segments)
    statistics[np.array(rows)[:, None], columns] = scores.statistics
    return replace(scores, systems=tuple(systems), segments=tuple(segments), statistics=statistics)


@dataclass(frozen=True, slots=True, eq=False)
class _Graded:
    judgements: Judgements
    scale: Scale
    grades: FloatArray
    exclusions: tuple[Exclusion, ...]
    unfinished: str

    @classmethod
    def of(cls, main: Judgements, criterion: str, whole_segments: bool) -> _Graded:
        scale = main.scale(criterion)
        if not whole_segments:
            return cls(main, scale, main.grades(criterion), (), "kept")
        grades, exclusions = finished_grades(main, criterion)
        if np.isnan(grades).all():
            raise nothing_finished(main, criterion)
        return cls(main, scale, grades, exclusions, "kept" if scale.single else "excluded")

    @property
    def by_evaluator(self) -> FloatArray:
        """The grade of each output by each evaluator, without copies."""
        given = self.judgements.without_copies(self.grades, self.scale.criterion)
        if self.scale.kind != "ordinal":
            return given
        return pairwise_score(pairwise_statistics(given))

    def signature(self, measure: str, about: dict[str, object]) -> str:
        return _signature(
            measure,
            {
                "criterion": self.scale.criterion,
                "scale": self.scale.form,
                **dict([self.scale.origin.split(":", 1)] if self.scale.origin else ()),
                **about,
                **_counts(self.grades, len(self.judgements.evaluators)),
                "unfinished": self.unfinished,
                "excluded": len(self.exclusions),
            },
        )


def _criterion(graded: _Graded) -> Scores:
    measure, data = graded.scale.criterion, graded.judgements
    if graded.scale.kind == "ordinal":
        signature = graded.signature(measure, {"score": "pairwise"})
        statistics = pairwise_statistics(graded.grades).sum(axis=0)
        return Scores(measure, signature, data.systems, data.segments, statistics)
    signature = graded.signature(measure, {"score": "mean"})
    values = mean_over(graded.grades)
    return Scores.of_values(measure, signature, data.systems, data.segments, values)


def _rate(graded: _Graded, value: str) -> Scores:
    threshold = cast("float", graded.scale.grade(value))  # the value is one of the scale
    measure, data = f"{graded.scale.criterion}>={value}", graded.judgements
    reached = np.where(np.isnan(graded.grades), np.nan, graded.grades >= threshold)
    signature = graded.signature(measure, {"score": "rate"})
    values = mean_over(reached)
    scores = Scores.of_values(measure, signature, data.systems, data.segments, values)
    return replace(scores, rate=True)


def _main(judgements: Judgements) -> Judgements:
    main = judgements.in_phase("main")
    if not main.rows:
        raise UsageError(f"{judgements.name} has no judgements of the main phase")
    return main


def _counts(grades: FloatArray, evaluators: int) -> dict[str, object]:
    """Count evaluators, segments and judgements of grades (…, systems, segments)."""
    known = ~np.isnan(grades)
    active = known.reshape(-1, evaluators, *known.shape[1:]).any(axis=(0, 2, 3))
    return {
        "evaluators": int(active.sum()),
        "items": int(known.any(axis=(0, 1)).sum()),
        "judgements": int(known.sum()),
    }


def _signature(measure: str, about: dict[str, object]) -> str:
    parts = {**about, "over": "mean", "patmark": __version__}
    return "|".join([measure, *(f"{key}:{value}" for key, value in parts.items())])
