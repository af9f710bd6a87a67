"""Paired tests of all pairs of systems, each on the segments in which both were counted.

Where every system was counted in the same segments, all pairs share one set of draws. A system that
lacks segments, such as one that was not judged there, is compared on those that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, Scores
from patmark.measures import Check
from patmark.protocols.choice import measure_called
from patmark.stats import PairedTest, Units, bootstrap_pairs, resampled_scores, system_pairs
from patmark.stats.paired import Convention, randomise_pairs, smallest_p
from patmark.stats.resampling import FEWEST_UNITS

if TYPE_CHECKING:
    from patmark.protocols.comparison import CompareSettings

_Places: TypeAlias = tuple[int, int]
_NOTHING = float("nan")
_NO_LIMIT = 1000  # units; so many put no limit to a p-value


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two systems by position, tested on the ``common`` segments in which both were counted.

    So many ``units`` hold these segments. ``spread`` is the standard deviation of the resampled
    difference. Without common segments nothing has a value.
    """

    first: int
    second: int
    delta: float
    ci: tuple[float, float]
    p: float
    spread: float
    common: int
    units: int


def counted(scores: Scores) -> NDArray[np.bool_]:
    """In which segments each system has any statistics: (systems, segments).

    A check counts nothing where a segment gives nothing to check. That is no gap: an output in
    which another system invented something has been looked at as well.
    """
    carried: NDArray[np.bool_] = (scores.statistics != 0).any(axis=-1)
    if isinstance(measure_called(scores.measure), Check):
        carried[:] = carried.any(axis=0)
    return carried


def pair_results(
    scores: Scores,
    draws: FloatArray,
    randomised: Sequence[PairedTest[int]] | None,
    units: Units,
    settings: CompareSettings,
) -> list[PairResult]:
    """All pairs in order; ``draws`` and ``randomised`` are those of all segments.

    They serve every pair whose systems were counted in the same segments. ``randomised`` None
    means that the bootstrap is the test.
    """
    carried = counted(scores)
    observed = scores.score(scores.statistics.sum(axis=1))
    pairs = system_pairs(len(carried))
    alike = [pair for pair in pairs if np.array_equal(*carried[list(pair)])]
    own_units = [len(np.unique(units.of_segment[own])) for own in carried]
    exchanged = {(test.first, test.second): test for test in randomised or ()}
    results: dict[_Places, PairResult] = {}
    for interval in bootstrap_pairs(draws, observed, _convention(settings), alike):
        pair = interval.first, interval.second
        common, carrying = int(carried[pair[0]].sum()), own_units[pair[0]]
        results[pair] = _result(pair, interval, exchanged.get(pair), draws[:, pair], common,
                                carrying)  # fmt: skip
    groups: dict[bytes, list[_Places]] = {}
    for a, b in pairs:
        if (a, b) not in results:
            groups.setdefault((carried[a] & carried[b]).tobytes(), []).append((a, b))
    for group in groups.values():
        results |= _on_common(scores, carried, group, units, settings)
    return [results[pair] for pair in pairs]


def lowest_p(settings: CompareSettings, units: int, pairs: int, systems: int) -> float:
    """The smallest p that a test of so many pairs of systems can give, corrected.

    The bootstrap has no lower limit but its draws; 1 where nothing was counted at all.
    """
    if not units:
        return 1.0
    enough = units if settings.test == "randomisation" else _NO_LIMIT
    return smallest_p(enough, settings.draws, pairs, settings.bounds_tail(systems))


def _on_common(
    scores: Scores, carried: NDArray[np.bool_], group: Sequence[_Places], units: Units,
    settings: CompareSettings,
) -> dict[_Places, PairResult]:  # fmt: skip
    """Pairs that all have the same segments in common, tested on these alone."""
    columns = np.flatnonzero(carried[group[0][0]] & carried[group[0][1]])
    if not len(columns):
        gap = (_NOTHING, _NOTHING)
        return {pair: PairResult(*pair, _NOTHING, gap, _NOTHING, _NOTHING, 0, 0) for pair in group}
    systems = sorted({system for pair in group for system in pair})
    place = {system: row for row, system in enumerate(systems)}
    pairs = [(place[a], place[b]) for a, b in group]
    statistics = scores.statistics[systems][:, columns]
    quantity, drawn_units = (statistics, scores.score), units.among(columns)
    sampling = settings.sampling
    [draws] = resampled_scores([quantity], drawn_units, sampling.resamples, sampling.seed)
    observed = scores.score(statistics.sum(axis=1))
    intervals = bootstrap_pairs(draws, observed, _convention(settings), pairs)
    exchanged: Sequence[PairedTest[int] | None] = [None] * len(pairs)
    if settings.test == "randomisation":
        [exchanged] = randomise_pairs(
            [quantity], drawn_units, settings.draws, sampling.seed, pairs,
            settings.bounds_tail(len(scores.systems)),
        )  # fmt: skip
    return {
        pair: _result(pair, interval, test, draws[:, rows], len(columns), drawn_units.count)
        for pair, rows, interval, test in zip(group, pairs, intervals, exchanged, strict=True)
    }


def _result(
    pair: _Places, interval: PairedTest[int], exchanged: PairedTest[int] | None, draws: FloatArray,
    common: int, units: int,
) -> PairResult:  # fmt: skip
    """One pair from its tests and its resampled scores (resamples, 2)."""
    differences = draws[:, 0] - draws[:, 1]
    known = differences[~np.isnan(differences)]
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else _NOTHING
    ci = interval.ci if interval.ci is not None and units >= FEWEST_UNITS else None
    return PairResult(
        *pair, interval.delta, ci or (_NOTHING, _NOTHING), (exchanged or interval).p, spread,
        common, units,
    )  # fmt: skip


def _convention(settings: CompareSettings) -> Convention:
    return "sacrebleu" if settings.test == "bootstrap-sacrebleu" else "shift"
