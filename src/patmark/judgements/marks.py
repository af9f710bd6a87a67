"""Judgements from error annotations, so that systems can be ranked by them like by any grade.

An annotated output has the grade ``esa``, that from 0 to 100 which was given with its errors, where
it is not among the judgements already, and ``mqm``, minus the points of its errors. Who asked for a
grade judges by it: it comes first.
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
        grades = {ESA: one.score} if one.score is not None and given else {}
        grades[MQM] = 0.0 - lost[one.key]
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
