"""Judgements from error annotations, so that systems can be ranked by them like by any grade.

An annotated output has the grade ``mqm``, minus the points of its errors, and ``esa``, the grade
from 0 to 100 that was given with them, where it is not among the judgements already.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from patmark.data import Annotations
from patmark.evaluation import ESA, MQM, Weights, points_lost
from patmark.judgements.formats.campaign_jsonl import SCORE_CRITERIA, grade_text
from patmark.judgements.model import BUILT_IN_SCALES, Judgement, Scale


def mark_scale(weights: Weights) -> Scale:
    """The scale of the grades that annotated errors give, which tells by which weights."""
    return replace(BUILT_IN_SCALES[MQM], origin=f"weights:{weights.name}")


def mark_judgements(
    annotations: Annotations, weights: Weights, graded: Collection[str] = ()
) -> list[Judgement]:
    """A judgement for each rating; ``graded`` are criteria that the files have grades of."""
    lost = points_lost(annotations, weights)
    given = not set(SCORE_CRITERIA) & set(graded)
    rows = []
    for one in annotations.rated:
        grades = {MQM: 0.0 - lost[one.key]}
        if one.score is not None and given:
            grades[ESA] = one.score
        rows += [
            Judgement(
                one.evaluator,
                one.system,
                one.segment,
                criterion,
                grade_text(value),
                one.document,
            )
            for criterion, value in grades.items()
        ]
    return rows
