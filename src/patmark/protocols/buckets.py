"""How each system does in each bucket of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data import Cell, Column, Estimate, FloatArray, IntArray, Scores, Table
from patmark.protocols.bucket_facets import Values, class_order
from patmark.protocols.evaluation import Evaluation, interval_note
from patmark.protocols.lookup import scores_of, system_columns
from patmark.stats import Units, draw_weights
from patmark.stats.resampling import interval_around

MOST_ROWS = 40
FEW_SEGMENTS = 20
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class _Bucket:
    """The segments that have one value of a facet."""

    value: str
    members: IntArray


def bucket_tables(
    evaluation: Evaluation, facets: Mapping[str, Values], measure: str | None = None
) -> list[Table]:
    """A table per facet with the score of every system in every bucket.

    The score of a bucket is the corpus score of its segments. Facets with a single value have no
    table; without a measure the first one is shown.
    """
    scores = scores_of(evaluation, measure)
    found = {facet: _buckets(values) for facet, values in facets.items()}
    found = {facet: buckets for facet, buckets in found.items() if len(buckets) > 1}
    shown = {facet: _shown(facet, buckets) for facet, buckets in found.items()}
    groups = [bucket.members for buckets in shown.values() for bucket in buckets]
    settings = evaluation.settings
    estimates = iter(
        estimate_groups(scores, groups, evaluation.units, settings.resamples, settings.seed)
    )
    columns = system_columns(evaluation, scores.measure, evaluation.systems)
    tables = []
    for facet, buckets in shown.items():
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (bucket.value, len(bucket.members), *next(estimates)) for bucket in buckets
        )
        note = _note(evaluation, rows, found[facet], facets[facet])
        title = f"{scores.measure} by {facet}"
        tables.append(Table(title, (Column(facet), Column("segments"), *columns), rows, note))
    return tables


def _buckets(values: Values) -> list[_Bucket]:
    """The buckets of a facet, the largest first."""
    members: dict[str, list[int]] = {}
    for position, value in enumerate(values):
        if value is not None:
            members.setdefault(value, []).append(position)
    largest_first = sorted(members, key=lambda value: (-len(members[value]), value))
    return [_Bucket(value, np.array(members[value])) for value in largest_first]


def _shown(facet: str, buckets: Sequence[_Bucket]) -> list[_Bucket]:
    """The largest buckets; in their own order where the facet has one."""
    order = {value: rank for rank, value in enumerate(class_order(facet))}
    return sorted(buckets[:MOST_ROWS], key=lambda bucket: order.get(bucket.value, len(order)))


def _note(
    evaluation: Evaluation,
    rows: Sequence[tuple[Cell, ...]],
    buckets: Sequence[_Bucket],
    values: Values,
) -> str:
    parts = [interval_note(evaluation.settings, evaluation.units)]
    cells = [cell for row in rows for cell in row[2:] if isinstance(cell, Estimate)]
    if evaluation.settings.resamples and any(cell.ci is None for cell in cells):
        parts.append(f"no interval for a bucket that lies in one {evaluation.units.kind}")
    shown = {bucket.value: len(bucket.members) for bucket in buckets}
    small = [str(value) for value, *_ in rows if shown[str(value)] < FEW_SEGMENTS]
    if small:
        named = ", ".join(small) if len(small) <= _MOST_NAMED else f"{len(small)} of {len(rows)}"
        parts.append(f"fewer than {FEW_SEGMENTS} segments, so read with care: {named}")
    if len(buckets) > MOST_ROWS:
        parts.append(f"{len(buckets) - MOST_ROWS} smaller buckets are left out")
    without = sum(value is None for value in values)
    if without:
        parts.append(f"{without} segments have no value")
    return "; ".join(parts)


def estimate_groups(
    scores: Scores, groups: Sequence[IntArray], units: Units, resamples: int, seed: int
) -> list[list[Estimate]]:
    """Values and intervals of groups of segments from one set of resamples: group × system.

    The numbers are those of ``estimate_all`` on statistics that are zero outside a group, at the
    cost of the group only. Resamples that hold nothing of a group are left out, and a group within
    one resampling unit has no interval, since it would never vary.
    """
    draws = _draws(scores, groups, units, resamples, seed) if resamples else [None] * len(groups)
    results = []
    for members, drawn in zip(groups, draws, strict=True):
        statistics = scores.statistics[:, members]
        values = scores.score(statistics.sum(axis=1))
        counted = np.count_nonzero(~np.isnan(scores.score(statistics)), axis=1)
        varying = drawn if len(np.unique(units.of_segment[members])) > 1 else None
        results.append(
            [
                Estimate(float(value), interval_around(float(value), varying, system), int(n))
                for system, (value, n) in enumerate(zip(values, counted, strict=True))
            ]
        )
    return results


def _draws(
    scores: Scores, groups: Sequence[IntArray], units: Units, resamples: int, seed: int
) -> list[FloatArray]:
    """Resampled scores (resamples, systems) of each group."""
    sums = [_unit_sums(scores.statistics, members, units) for members in groups]
    blocks: list[list[FloatArray]] = [[] for _ in groups]
    for weights in draw_weights(units.count, resamples, seed):
        for (drawn_units, per_unit), block in zip(sums, blocks, strict=True):
            times = weights[:, drawn_units]
            block.append(_scored(scores, times, per_unit))
    return [np.concatenate(block) for block in blocks]


def _scored(scores: Scores, times: FloatArray, per_unit: FloatArray) -> FloatArray:
    """Scores of resamples in which each unit occurs so many times."""
    count, systems, size = per_unit.shape
    totals = times @ per_unit.reshape(count, systems * size)
    values = scores.score(totals.reshape(len(times), systems, size))
    return np.where(times.sum(axis=1, keepdims=True) > 0, values, np.nan)


def _unit_sums(
    statistics: FloatArray, members: IntArray, units: Units
) -> tuple[IntArray, FloatArray]:
    """The units that a group has segments in, and its statistics (units, systems, k) there."""
    drawn_units, position = np.unique(units.of_segment[members], return_inverse=True)
    sums = np.zeros((len(drawn_units), len(statistics), statistics.shape[-1]))
    np.add.at(sums, position, np.moveaxis(statistics[:, members], 0, 1))
    return drawn_units, sums
