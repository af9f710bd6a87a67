"""The differences of a comparison, drawn: one line per pair, beside a line at zero."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from patmark.data import Interval, Intervals
from patmark.protocols.comparison import MeasureComparison, Pair
from patmark.stats import ALPHA

_MOST_PAIRS = 45


def difference_chart(
    measure: MeasureComparison, pairs: Sequence[Pair], decimals: int, *, corrected: bool
) -> Intervals:
    """A line for each pair (better system first), or for neighbours where pairs are many."""
    shown = sorted(pairs, key=lambda pair: -abs(float(np.nan_to_num(pair.delta))))
    note = f"Significant: p at most {ALPHA:.0%}{' after Holm' if corrected else ''}."
    if corrected:
        note += (
            " The intervals are not corrected for the number of pairs: one may leave out zero "
            "without being significant."
        )
    if len(pairs) > _MOST_PAIRS:
        shown = _neighbours(measure, pairs)
        note = (
            f"Of {len(pairs)} pairs only neighbours in the ranking are drawn; the table below "
            f"holds every pair. {note}"
        )
    rows = tuple(
        Interval(f"{pair.first} − {pair.second}", pair.delta, *pair.ci, pair.significant)
        for pair in shown
    )
    lower = "" if measure.higher_is_better else ", lower is better"
    return Intervals(
        f"How far apart by {measure.measure}", f"difference in {measure.measure}{lower}", rows,
        note, measure.measure, decimals,
    )  # fmt: skip


def _neighbours(measure: MeasureComparison, pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs that stand side by side in the ranking, best first."""
    known = {frozenset((pair.first, pair.second)): pair for pair in pairs}
    return [known[frozenset(names)] for names in pairwise(measure.ranking)]
