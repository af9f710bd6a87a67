"""Exact assignment at least cost."""

from __future__ import annotations

from collections.abc import Sequence

_FORBIDDEN = 1e6


def least_cost_pairs(costs: Sequence[Sequence[float | None]]) -> list[tuple[int, int]]:
    """Return pairs of rows and columns: as many as possible, at the least sum of costs.

    ``None`` forbids a pair. Only rows and columns that compete are solved together.
    """
    columns = [[c for c, cost in enumerate(row) if cost is not None] for row in costs]
    rivals = [c for own in columns if len(own) == 1 for c in own]
    taken = [c for own in columns for c in own]
    alone = {c for c in rivals if taken.count(c) == 1}
    pairs = [(r, own[0]) for r, own in enumerate(columns) if len(own) == 1 and own[0] in alone]
    rows = [r for r, own in enumerate(columns) if own and not (len(own) == 1 and own[0] in alone)]
    if not rows:
        return pairs
    from scipy.optimize import linear_sum_assignment

    left = sorted({c for r in rows for c in columns[r]})
    table = [[_FORBIDDEN if costs[r][c] is None else costs[r][c] for c in left] for r in rows]
    for place, column in zip(*linear_sum_assignment(table), strict=True):
        if costs[rows[place]][left[column]] is not None:
            pairs.append((rows[place], left[column]))
    return sorted(pairs)
