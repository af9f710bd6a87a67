"""Where the differences between systems come from: buckets, phrases, extreme segments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from patmark.data import Segment
from patmark.evaluation.buckets import bucket_facets, bucket_tables
from patmark.evaluation.comparison import Comparison
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.evaluation import (
    Evaluation,
    pair_of,
    scores_of,
    system_columns,
)
from patmark.evaluation.phrases import phrase_table
from patmark.report import Cell, Column, Report, Table
from patmark.wording import tr

_EXCERPT = 80


def extreme_segments(
    evaluation: Evaluation, a: str, b: str, measure: str | None = None, limit: int = 10
) -> Table:
    """The segments where ``a`` beats ``b`` by most, then those where ``b`` beats ``a`` by most.

    Segments that the measure gives no value for, and those where both are equal, do not appear.
    The earlier segment comes first among equals.
    """
    scores = scores_of(evaluation, measure)
    first, second = pair_of(evaluation, a, b)
    values = scores.segment_scores
    differences = values[first] - values[second]
    gains = differences if scores.higher_is_better else -differences
    rows: list[tuple[Cell, ...]] = []
    for winner, gain in ((a, gains), (b, -gains)):
        ranked = np.argsort(-gain, kind="stable")
        for position in [int(place) for place in ranked if gain[place] > 0][:limit]:
            segment = evaluation.test_set[position]
            numbers = (values[first], values[second], differences)
            rows.append(
                (
                    winner,
                    segment.id,
                    *(float(column[position]) for column in numbers),
                    _text(segment),
                )
            )
    columns = system_columns(evaluation, scores.measure, (a, b))
    title = tr("reference") if any(evaluation.test_set.reference_lists) else tr("source")
    difference = Column(tr("difference"), columns[0].decimals)
    return Table(
        tr("Where {a} and {b} differ most ({measure})", a=a, b=b, measure=scores.measure),
        (Column(tr("won by")), Column(tr("segment")), *columns, difference, Column(title)),
        tuple(rows),
        note=tr("up to {limit} segments won by each, the largest difference first", limit=limit),
    )


def _text(segment: Segment) -> str:
    """The beginning of the first reference, or of the source where there is none."""
    text = " ".join(next(iter(segment.references), segment.source or "").split())
    return text if len(text) <= _EXCERPT else text[:_EXCERPT].rstrip() + "…"


_TITLE = tr("Comparison of systems")
_EVERY_PAIR_UP_TO = 3
_NEIGHBOURS = 3
_MOST_IN_BUCKETS = 12


def analysed_report(evaluation: Evaluation, comparison: Comparison) -> Report:
    """Scores, differences, buckets, phrases, extreme segments and all segments side by side."""
    facets = bucket_facets(evaluation)
    best = next(iter(comparison.measures.values())).ranking[:_MOST_IN_BUCKETS]
    shown = [system for system in evaluation.systems if system in best]
    tables = []
    for measure in comparison.measures:
        section = tr("{measure} by kind of segment", measure=measure)
        tables += in_section(section, bucket_tables(evaluation, facets, measure, shown))
    for first, second in _pairs_to_explain(comparison):
        section = tr("{first} against {second}", first=first, second=second)
        tables += in_section(section, _explanation(evaluation, first, second))
    return comparison_report(
        comparison,
        _TITLE,
        evaluation.subtitle,
        tables=[*evaluation.reference_tables(), *tables],
        notes=evaluation.compared_notes,
        explorer=evaluation.explorer(facets),
    )


def _explanation(evaluation: Evaluation, first: str, second: str) -> list[Table]:
    tables = [extreme_segments(evaluation, first, second)]
    if any(evaluation.test_set.reference_lists):
        tables.append(phrase_table(evaluation, first, second))
    return tables


def in_section(section: str, tables: Iterable[Table]) -> list[Table]:
    return [replace(table, section=section) for table in tables]


def _pairs_to_explain(comparison: Comparison) -> list[tuple[str, str]]:
    """All pairs of a few systems; of many, neighbours at the top of the first ranking."""
    ranking = next(iter(comparison.measures.values())).ranking
    if len(ranking) <= _EVERY_PAIR_UP_TO:
        return list(combinations(ranking, 2))
    return list(pairwise(ranking))[:_NEIGHBOURS]
