"""Significance of differences between systems: level, paired tests, Holm's correction, power.

One set of resamples (or of exchanges) serves every system and measure, so that all pairs are
compared on the same draws and the work is a matrix product.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import ceil, exp, floor, inf, isnan, log2, nan, sqrt
from typing import Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar, cast

import numpy as np

from patmark.data import FloatArray, IntArray, ScoreFunction
from patmark.errors import UsageError
from patmark.stats.distributions import (
    binomial_cdf,
    normal_cdf,
    normal_quantile,
    student_cdf,
    student_quantile,
)
from patmark.stats.intervals import intervals_holding
from patmark.stats.resampling import Units
from patmark.stats.rounding import magnitude, rounded

Name = TypeVar("Name", int, str)
Convention: TypeAlias = Literal["shift", "sacrebleu"]

ALPHA = 0.05
_TAIL = ALPHA / 2

_CELLS_AT_ONCE = 1 << 23
_CELLS_IN_PART = 1 << 16
_PAIRS_IN_PART = 32
_WORD_BITS = 64
_ROUNDING = 1e-10  # of a score; smaller differences count as zero


def is_significant(p: float, alpha: float = ALPHA) -> bool:
    """Return True if p is at most 5 %; a p of NaN is not significant."""
    return p <= alpha


@dataclass(frozen=True, slots=True)
class PairedTest(Generic[Name]):
    """Paired test of two systems, metrics or runs: first minus second, interval, p.

    ``p_holm`` is p corrected for all tested pairs. Both are upper bounds if ``p_bound`` is True,
    because no draw reached the difference. ``n`` is the number of cases, such as segments or
    topics, counted for both, and ``units`` that of resampling units. ``spread`` is the standard
    deviation of the resampled difference. ``sign`` and ``effect`` are of single cases. Results that
    were not requested are NaN, 0 or None. If not ``testable``, nothing may be called significant,
    regardless of p.
    """

    first: Name
    second: Name
    delta: float
    ci: tuple[float, float] | None
    p: float
    p_holm: float = nan
    n: int = 0
    units: int = 0
    spread: float = nan
    sign: SignTest | None = None
    effect: EffectSizes | None = None
    testable: bool = True
    p_bound: bool = False

    @property
    def significant(self) -> bool:
        """True if the difference is significant at 5 %, after correction."""
        return self.confirms(self.p_holm)

    def confirms(self, p: float) -> bool:
        """Return True if test and interval agree: p is significant, and the interval excludes 0.

        Without an interval the test decides alone.
        """
        apart = self.ci is None or not self.ci[0] <= 0 <= self.ci[1]
        return self.testable and is_significant(p) and apart

    def named(self: PairedTest[int], names: Sequence[str]) -> PairedTest[str]:
        """Replace positions by names."""
        same = cast("PairedTest[str]", self)
        return replace(same, first=names[self.first], second=names[self.second])

    def turned(self) -> Self:
        """Exchange first and second."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            delta=-self.delta,
            ci=None if self.ci is None else (-self.ci[1], -self.ci[0]),
            sign=None if self.sign is None else self.sign.turned(),
            effect=None if self.effect is None else self.effect.turned(),
        )


def holm(p_values: Sequence[float]) -> list[float]:
    """Apply Holm's step-down correction; NaN stays NaN and does not count."""
    p = np.asarray(p_values, dtype=np.float64)
    corrected = np.full(len(p), np.nan)
    valid = np.flatnonzero(~np.isnan(p))
    order = valid[np.argsort(p[valid], kind="stable")]
    factors = len(order) - np.arange(len(order))
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, factors * p[order]))
    return [float(value) for value in corrected]


def with_holm(tests: Sequence[PairedTest[Name]]) -> list[PairedTest[Name]]:
    """Return the tests of all pairs, with p corrected for their number."""
    corrected = holm([test.p for test in tests])
    return [replace(test, p_holm=p) for test, p in zip(tests, corrected, strict=True)]


def system_pairs(systems: int) -> list[tuple[int, int]]:
    """Return all pairs of positions, the earlier first."""
    return list(combinations(range(systems), 2))


def bootstrap_pairs(
    draws: FloatArray, observed: FloatArray, convention: Convention | None = "shift",
    pairs: Sequence[tuple[int, int]] | None = None, tails: Sequence[float] | None = None,
    intervals: Sequence[tuple[float, float] | None] | None = None,
) -> list[PairedTest[int]]:  # fmt: skip
    """Run the paired bootstrap on resampled scores (resamples, systems) and observed ones.

    Without ``pairs``, given by position, all pairs are tested. ``tails`` are the shares of
    resamples beyond the ends of their intervals (:func:`tail_beyond`), by default 2.5 %. An entry
    of ``intervals``, as for a difference of rates, is used instead. A difference that is equal in
    all resamples has no interval.

    ``shift`` counts how often a resampled difference is as far from the observed one as that is
    from zero. ``sacrebleu`` follows that program and Moses: absolute differences, centred at their
    mean, strictly beyond the observed one; its p is about half as large. None computes no p.
    """
    tested = system_pairs(len(observed)) if pairs is None else list(pairs)
    tails = [_TAIL] * len(tested) if tails is None else tails
    given = [None] * len(tested) if intervals is None else intervals
    by_system = np.ascontiguousarray(draws.T)
    results = []
    for part in _parts(len(tested), len(draws)):
        a, b = np.array(tested[part]).T
        differences = by_system[a] - by_system[b]
        delta = _differences(observed[a], observed[b])
        if convention is None:
            p = np.full(len(a), nan)
        elif convention == "sacrebleu":
            p = np.array(list(map(_centred_p, np.abs(differences), np.abs(delta))))
        else:
            p = _p_values(np.abs(differences - delta[:, None]), observed[a], observed[b])
        columns = zip(
            tested[part], delta.tolist(), given[part], p.tolist(), spreads(differences).tolist(),
            intervals_holding(delta, differences, tails[part]),
            [False] * len(a) if convention is None else _never_reached(p, differences),
            _slack(observed[a], observed[b]).tolist(), strict=True,
        )  # fmt: skip
        results += [
            PairedTest(
                first, second, own, ci or (None if spread <= slack else drawn), share,
                spread=spread, p_bound=bound,
            )
            for (first, second), own, ci, share, spread, drawn, bound, slack in columns
        ]  # fmt: skip
    return results


def _parts(count: int, cells: int) -> Iterator[slice]:
    """Yield slices of rows small enough for the processor cache."""
    size = max(1, _CELLS_IN_PART // max(1, cells))
    return (slice(start, start + size) for start in range(0, count, size))


def spreads(values: FloatArray) -> FloatArray:
    """Return the standard deviation of the known values of each row; NaN for fewer than two."""
    known = ~np.isnan(values)
    if known.all() and values.shape[1] > 1:
        return np.asarray(np.std(values, axis=1, ddof=1))
    rows = (row[kept] for row, kept in zip(values, known, strict=True))
    return np.array([np.std(row, ddof=1) if len(row) > 1 else nan for row in rows])


def draw_signs(units: int, trials: int, seed: int) -> Iterator[FloatArray]:
    """Yield −1 (systems exchanged) or 1 for each trial and unit, in blocks.

    A trial uses whole random words, so that results do not depend on the block size.
    """
    rng = np.random.default_rng(seed)
    words = max(1, -(-units // _WORD_BITS))
    block = max(1, _CELLS_AT_ONCE // max(1, units))
    for start in range(0, trials, block):
        rows = min(block, trials - start)
        drawn = rng.integers(0, 1 << _WORD_BITS, size=(rows, words), dtype=np.uint64)
        bits = np.unpackbits(drawn.astype("<u8").view(np.uint8), axis=1, count=units)
        signs = bits.astype(np.float64)
        signs *= -2.0
        signs += 1.0
        yield signs


def exchange_signs(units: int, trials: int, seed: int) -> tuple[Iterable[FloatArray], bool]:
    """Return the signs of exchanges, in blocks, and True if they are exhaustive.

    If there are at most ``trials`` exchanges (2 to the power of the number of units), each is made
    once, and the result does not depend on the seed.
    """
    if units <= log2(trials):
        return (1.0 - 2.0 * _patterns(units),), True
    return draw_signs(units, trials, seed), False


@cache
def _patterns(size: int) -> FloatArray:
    """Return all rows of that many zeros and ones; the first has only zeros."""
    return np.asarray(np.arange(1 << size)[:, None] >> np.arange(size) & 1, np.float64)


def randomise_pairs(
    quantities: Sequence[tuple[FloatArray, ScoreFunction]], units: Units, trials: int, seed: int,
    pairs: Sequence[tuple[int, int]] | None = None, tail_bound: bool = False,
    unit_scores: Sequence[ScoreFunction | None] | None = None,
) -> list[list[PairedTest[int]]]:  # fmt: skip
    """Run approximate randomisation of many quantities by the same exchanges: quantity × pair.

    A quantity is given by its statistics (systems, segments, k) and its score function. In each
    trial the two systems exchange the statistics of every unit with probability ½. p is exact if
    all exchanges can be enumerated (:func:`exchange_signs`). The exchanges depend only on the seed
    and the number of units, and are drawn again for each quantity, which saves memory. Without
    ``pairs``, given by position, all pairs are tested. With ``tail_bound``, p is
    :func:`tangent_bound` if no trial reaches the difference and the bound is less. A level that
    trials can reach is then decided by the trials alone, a lower one by the bound alone, so that
    both are controlled. Units with equal scores are no evidence: p is never less than the others
    could give. ``unit_scores`` computes their scores if short texts need another function.
    """
    if trials < 1:
        raise UsageError(f"approximate randomisation needs at least one trial, not {trials}")
    results = []
    by_unit = unit_scores or [None] * len(quantities)
    for (statistics, score), unit_score in zip(quantities, by_unit, strict=True):
        per_unit = units.totals(statistics)
        signs, complete = exchange_signs(units.count, trials, seed)
        signed = _signed_totals(per_unit, signs, (1 << units.count) if complete else trials)
        tested = system_pairs(len(per_unit)) if pairs is None else pairs
        results.append(
            _randomise(
                per_unit, signed, score, unit_score or score, tested, tail_bound, complete=complete
            )
        )
    return results


def _signed_totals(per_unit: FloatArray, signs: Iterable[FloatArray], trials: int) -> FloatArray:
    """Return half of the kept minus half of the exchanged totals: (systems, k, trials).

    The trials of one statistic are contiguous in memory, which is fastest for score functions.
    """
    systems, count, size = per_unit.shape
    matrix = np.moveaxis(per_unit, 0, 1).reshape(count, systems * size)
    signed = np.empty((systems, size, trials))
    start = 0
    for block in signs:
        end = start + len(block)
        signed[..., start:end] = (matrix.T @ block.T).reshape(systems, size, -1)
        start = end
    signed /= 2
    return signed


def _randomise(
    per_unit: FloatArray, signed: FloatArray, score: ScoreFunction, unit_score: ScoreFunction,
    pairs: Sequence[tuple[int, int]], tail_bound: bool, *, complete: bool,
) -> list[PairedTest[int]]:  # fmt: skip
    totals = per_unit.sum(axis=1)
    observed = score(totals)
    of_units = unit_score(per_unit)
    slopes = _pair_slopes(per_unit, score, pairs) if tail_bound else ()
    results = []
    for part in _parts(len(pairs), signed[0].size):
        a, b = np.array(pairs[part]).T
        middle = ((totals[a] + totals[b]) / 2)[:, None]
        halves = np.empty((len(a), *signed[0].shape))
        for row, (first, second) in zip(halves, pairs[part], strict=True):
            np.subtract(signed[first], signed[second], out=row)
        exchanged = np.swapaxes(halves, 1, 2)
        found = score(middle + exchanged) - score(middle - exchanged)
        p = _p_values(np.abs(found), observed[a], observed[b], own=not complete)
        beyond = [False] * len(p) if complete else _never_reached(p, found)
        for row in np.flatnonzero(beyond).tolist() if tail_bound else ():
            first, second = pairs[part][row]
            bound = _tangent_bound(
                per_unit[first] - per_unit[second], slopes[part][row],
                float(observed[first] - observed[second]), exchanged[row], found[row],
            )  # fmt: skip
            p[row] = min(p[row], bound)
        p = np.maximum(p, _least_p(of_units[a], of_units[b]))
        delta = _differences(observed[a], observed[b])
        results += [
            PairedTest(first, second, own, None, share, p_bound=bound)
            for (first, second), own, share, bound in zip(
                pairs[part], delta.tolist(), p.tolist(), beyond, strict=True
            )
        ]
    return results


def _never_reached(p: FloatArray, found: FloatArray) -> list[bool]:
    """Return True for each row whose difference no draw reached."""
    draws = np.count_nonzero(~np.isnan(found), axis=1)
    reached: list[bool] = (p <= 1 / (draws + 1)).tolist()
    return reached


def _least_p(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the least p if only some units differ: 2 in 2ⁿ exchanges.

    Exchanging units with equal scores can still change a ratio by its denominator. A system that is
    shorter throughout would otherwise differ significantly by a single error.
    """
    differing = (first != second) & ~(np.isnan(first) & np.isnan(second))
    return np.asarray(np.minimum(1.0, 2.0 ** (1 - np.count_nonzero(differing, axis=1))))


def _differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first minus second; zero if they are equal up to rounding."""
    apart = first - second
    return np.where(np.abs(apart) <= _slack(first, second), 0.0, apart)


def _slack(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(_ROUNDING * np.maximum(np.abs(first), np.abs(second)))


def _p_values(
    distances: FloatArray, first: FloatArray, second: FloatArray, *, own: bool = True
) -> FloatArray:
    """Return the share of distances that reach the one between two scores.

    With ``own`` the observed one is counted as well.
    """
    valid = distances.shape[1] - np.count_nonzero(np.isnan(distances), axis=1)
    bound = np.abs(first - second)
    least = bound - _slack(first, second)
    reached = np.count_nonzero(distances >= least[:, None], axis=1)
    return np.where(
        np.isnan(bound) | (valid == 0), nan, (reached + own) / np.maximum(valid + own, 1)
    )


def _centred_p(distances: FloatArray, bound: float) -> float:
    valid = distances[~np.isnan(distances)]
    if np.isnan(bound) or not len(valid):
        return float("nan")
    return (int(np.count_nonzero(valid - valid.mean() > bound)) + 1) / (len(valid) + 1)


# p beyond the trials of a randomisation test. Exchanges of two systems do not change the mean of
# their totals. The score is therefore replaced by its tangent there: the difference becomes a sum
# of one number per unit, and every exchange changes the sign of such a number. The tail of a sum
# with random signs is enumerated for up to 24 units. For more it has a bound without any
# assumption: the smaller of 2·exp(−z²/2) (Hoeffding) and 2·c·Φ(−z), c = 1/(4·Φ(−√2)) = 3.18
# (Bentkus and Dzindzalieta 2015). It is a valid p of exchangeability, above the exact p of the
# tangent, which for means is that of the score. The exact p of a nonlinear score, such as BLEU that
# falls to zero with the last match, may be larger than that of its tangent. So the tail begins at
# the difference of the scores minus the largest deviation between score and tangent, if that is
# nearer, and an enumerated tail is multiplied by c. If the deviation is never larger than in the
# trials, the bound is above the exact p of the score as well.
_STEP = 1e-6  # of the sum of a statistic
_LEAST = float(np.finfo(np.float64).tiny)  # p is never zero
_MOST_COUNTED = 24  # units; two halves of them have 4,096 sums each
_ABOVE_NORMAL = 1 / (4 * normal_cdf(-sqrt(2)))


def tangent_bound(
    first: FloatArray, second: FloatArray, score: ScoreFunction,
    exchanged: FloatArray | None = None,
) -> float:  # fmt: skip
    """Return a valid p of the difference of two systems, from statistics (units, k).

    It is the tail of all exchanges beyond the difference along the tangent. If that is less, the
    tail begins at the difference of the scores minus their largest deviation from the tangent, in
    the observed difference and in ``exchanged``. ``exchanged`` are half the differences of totals
    after exchanges, (trials, k). The bound is 1 if the tangent is flat.
    """
    halves = np.zeros((0, first.shape[1])) if exchanged is None else exchanged
    totals = np.stack([first.sum(axis=0), second.sum(axis=0)])
    middle = (totals[0] + totals[1]) / 2
    found = score(middle + halves) - score(middle - halves)
    observed = float(np.subtract(*score(totals)))
    slopes = tangent_slopes(first, second, score)
    return _tangent_bound(first - second, slopes, observed, halves, found)


def _tangent_bound(
    differences: FloatArray, slopes: FloatArray, observed: float, exchanged: FloatArray,
    found: FloatArray,
) -> float:  # fmt: skip
    """Compute :func:`tangent_bound` from known slopes and differences of scores."""
    if not abs(observed) > 0:
        return 1.0
    of_units = differences @ slopes
    tangent = float(of_units.sum())
    departures = np.abs(found - 2 * (exchanged @ slopes))
    apart = float(np.fmax.reduce(departures, initial=abs(observed - tangent)))
    tail = sign_sum_tail(of_units, min(abs(tangent), abs(observed) - apart))
    bends = apart > _ROUNDING * abs(observed) and len(of_units) <= _MOST_COUNTED
    return min(1.0, _ABOVE_NORMAL * tail) if bends else tail


def sign_sum_tail(values: FloatArray, bound: float) -> float:
    """Return P(|sum of values with random signs| ≥ the given value).

    It is exact for up to 24 nonzero values, an upper bound for more, and 1 if nothing varies.
    """
    values = values[values != 0]
    spread = float(np.square(values).sum())
    if not (0 < spread < inf and bound > 0):
        return 1.0
    if len(values) > _MOST_COUNTED:
        return max(_LEAST, _normal_bound(bound / sqrt(spread)))
    least = bound - _ROUNDING * float(np.abs(values).sum())
    halves = values[::2], values[1::2]
    some, others = ((1.0 - 2.0 * _patterns(len(half))) @ half for half in halves)
    above = len(others) * len(some) - np.searchsorted(np.sort(others), least - some).sum()
    return min(1.0, 2 * float(above) / 2.0 ** len(values))


def without_weightiest(
    per_unit: FloatArray, score: ScoreFunction, pairs: Sequence[tuple[int, int]], trials: int,
    seed: int,
) -> list[tuple[int, float]]:  # fmt: skip
    """Return the unit of each pair whose removal weakens the difference most, and p without it.

    ``per_unit`` has the statistics (systems, units, k). Differences are those along the tangent,
    which are additive over units.
    """
    if not pairs:
        return []
    slopes = _pair_slopes(per_unit, score, pairs)
    of_units = np.array([
        (per_unit[a] - per_unit[b]) @ slope for (a, b), slope in zip(pairs, slopes, strict=True)
    ])  # fmt: skip
    totals, squares = of_units.sum(axis=1), np.square(of_units).sum(axis=1)
    left = np.abs(totals)[:, None] - np.sign(totals)[:, None] * of_units
    spread = np.sqrt(np.maximum(squares[:, None] - np.square(of_units), 0.0))
    strength = np.divide(left, spread, out=np.zeros_like(left), where=spread > 0)
    units = np.argmin(strength, axis=1)
    kept = of_units.copy()
    kept[np.arange(len(pairs)), units] = 0.0
    bounds = np.maximum(left[np.arange(len(pairs)), units], 0.0)
    if kept.shape[1] - 1 <= _MOST_COUNTED:
        p = [sign_sum_tail(row, bound) for row, bound in zip(kept, bounds, strict=True)]
    else:
        least = bounds - _ROUNDING * np.abs(kept).sum(axis=1)
        hits = np.zeros(len(pairs))
        for signs in draw_signs(kept.shape[1], trials, seed):
            for part in _parts(len(pairs), len(signs) // _PAIRS_IN_PART):
                reached = np.abs(kept[part] @ signs.T) >= least[part, None]
                hits[part] += np.count_nonzero(reached, axis=1)
        p = ((hits + 1) / (trials + 1)).tolist()
        p = [
            min(share, sign_sum_tail(row, bound)) if share <= 1 / (trials + 1) else share
            for share, row, bound in zip(p, kept, bounds.tolist(), strict=True)
        ]
    return list(zip(units.tolist(), p, strict=True))


def _normal_bound(z: float) -> float:
    """Return the bound of the two-sided tail of a sum with random signs, z deviations from 0."""
    return min(1.0, 2 * exp(-(z**2) / 2), 2 * _ABOVE_NORMAL * normal_cdf(-z))


def tangent_slopes(first: FloatArray, second: FloatArray, score: ScoreFunction) -> FloatArray:
    """Return the slope of a score in each statistic between two systems; zero if uncounted.

    Statistics have the shape (…, units, k), slopes (…, k). They are invariant under
    exchanges, so they need not be exact.
    """
    middle = ((first.sum(axis=-2) + second.sum(axis=-2)) / 2)[..., None, :]
    steps = _STEP * (np.abs(first) + np.abs(second)).sum(axis=-2)
    along = steps[..., None] * np.eye(steps.shape[-1])
    rise = score(middle + along) - score(middle - along)
    slopes: FloatArray = np.divide(rise, 2 * steps, out=np.zeros(steps.shape), where=steps > 0)
    return slopes


def _pair_slopes(
    per_unit: FloatArray, score: ScoreFunction, pairs: Sequence[tuple[int, int]]
) -> FloatArray:
    """Return the tangent slopes of each pair: (pairs, k)."""
    slopes = np.empty((len(pairs), per_unit.shape[-1]))
    for part in _parts(len(pairs), per_unit[0].size):
        a, b = np.array(pairs[part]).T
        slopes[part] = tangent_slopes(per_unit[a], per_unit[b], score)
    return slopes


# Power of a paired comparison, from the standard deviation of its bootstrapped difference. The
# deviation falls with the square root of the number of units for every measure, so one test set
# predicts the required size of another. The power is that of the randomisation test. Its p is a
# multiple of 2^(1 - units), which excludes small test sets; otherwise it behaves like the t-test.
POWER = 0.8
_COARSE_UP_TO = 60  # units; with more, the discreteness of p no longer matters
_MOST_UNITS = 10**15  # maximum size of a test set; a difference that needs more cannot be found


def fewest_units(tests: int = 1) -> int:
    """Return the least number of units for one of that many corrected tests to be significant."""
    return ceil(log2(2 * max(1, tests) / ALPHA))


def smallest_p(units: int, trials: int, tests: int = 1, tail_bound: bool = False) -> float:
    """Return the smallest p that randomisation can give, corrected for that many tests.

    With ``tail_bound`` it may be less than trials alone can show: all units favour one system.
    """
    seen = 1 / (trials + 1)
    if tail_bound:
        seen = min(seen, _normal_bound(sqrt(units)) if units > _MOST_COUNTED else 0.0)
    return min(1.0, max(1, tests) * max(2.0 ** (1 - units), seen))


def smallest_difference(spread: float, units: int, pairs: int = 1) -> float:
    """Return the minimum detectable difference of a two-sided test at 5 % with 80 % power.

    ``spread`` is the standard deviation of the bootstrapped difference over that many units.
    ``pairs`` applies the first step of Holm's correction. Infinite if the units are too few to find
    any difference.
    """
    if isnan(spread) or units < 1:
        return nan
    if units < fewest_units(pairs):
        return inf
    return _visible(units, pairs) * spread * sqrt(units / (units - 1))


def units_needed(spread: float, units: int, delta: float, pairs: int = 1) -> float:
    """Return the number of units needed to detect a difference of this size with 80 % power.

    Infinite if no test set could have that many, as for a difference of rounding.
    """
    if isnan(spread) or isnan(delta) or units < 2:
        return nan
    if delta == 0:
        return inf
    of_one_unit = spread * units / sqrt(units - 1)
    wanted = abs(delta)

    def enough(count: int) -> bool:
        return _visible(count, pairs) * of_one_unit / sqrt(count) <= wanted

    fewest = most = fewest_units(pairs)
    while not enough(most):
        if most >= _MOST_UNITS:
            return inf
        most *= 2
    return float(bisect_left(range(most), True, lo=fewest, key=enough))


@cache
def _visible(units: int, pairs: int) -> float:
    """Return the minimum detectable difference in standard errors.

    The discreteness of p is accounted for by the step below the level. If only the lowest p of all
    is left, every unit has to favour the same system, which requires more than the t-test does.
    """
    level, steps = ALPHA / max(1, pairs), 0
    if units <= _COARSE_UP_TO:
        patterns = 2.0 ** (units - 1)
        steps = floor(level * patterns)
        level = max(1, steps - 1) / patterns
    by_t = student_quantile(1 - level / 2, units - 1) + student_quantile(POWER, units - 1)
    all_alike = normal_quantile(POWER ** (1 / units)) * sqrt(units)
    return max(by_t, all_alike) if steps == 1 else by_t


_MARKS = {0.01: "≫", 0.05: ">"}
_MOST_EXACT = 50
_MOST_EXACT_WITH_TIES = 13


def level_reached(p: float) -> float | None:
    """Return the stricter of the levels 1 % and 5 % that p reaches; None if neither."""
    return next((level for level in _MARKS if p < level), None)


def ntcir_mark(p: float, none: str = "-") -> str:
    """Return the mark of a p in NTCIR tables: ≫ below 1 %, > below 5 %, else ``none``."""
    level = level_reached(p)
    return none if level is None else _MARKS[level]


@dataclass(frozen=True, slots=True)
class SignTest:
    """Segments won, lost and tied; ties are dropped from the test."""

    wins: int
    losses: int
    ties: int
    p: float

    def turned(self) -> SignTest:
        """Exchange first and second."""
        return SignTest(self.losses, self.wins, self.ties, self.p)


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """Effect sizes of paired differences.

    ``cohen_dz`` is the mean difference in standard deviations of the differences. ``cliff_delta``
    is the paired form of Cliff's δ, the share of wins minus that of losses. ``win_rate`` counts
    ties as half a win.
    """

    cohen_dz: float
    cliff_delta: float
    win_rate: float

    def turned(self) -> EffectSizes:
        """Exchange first and second."""
        return EffectSizes(-self.cohen_dz, -self.cliff_delta, 1 - self.win_rate)


def paired_differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return differences of the segments with a score of both, to twelve digits."""
    differences = rounded(first - second, magnitude(first, second))
    return differences[~np.isnan(differences)]


class SegmentTests(NamedTuple):
    """Tests on the differences of single segments of two systems."""

    sign: SignTest
    effect: EffectSizes
    p_t: float
    p_wilcoxon: float


def segment_tests(first: FloatArray, second: FloatArray) -> list[SegmentTests]:
    """Return the tests of many pairs at once, from scores of their segments (pairs, segments)."""
    differences = rounded(first - second, magnitude(first, second, axis=1))
    known = ~np.isnan(differences)
    if known.all():
        return _tests_of(differences)
    rows = zip(differences, known, strict=True)
    return [test for row, kept in rows for test in _tests_of(row[kept][None])]


def _tests_of(differences: FloatArray) -> list[SegmentTests]:
    wins = np.count_nonzero(differences > 0, axis=1).tolist()
    losses = np.count_nonzero(differences < 0, axis=1).tolist()
    count = differences.shape[1]
    tests = zip(
        wins, losses, *map(np.ndarray.tolist, _moments(differences)), _wilcoxon(differences),
        strict=True,
    )  # fmt: skip
    return [
        SegmentTests(
            _sign_test(won, lost, count - won - lost),
            _effect_sizes(won, lost, count, mean, spread),
            _t_test(mean, spread, count),
            p,
        )
        for won, lost, mean, spread, p in tests
    ]


def sign_test(differences: FloatArray) -> SignTest:
    """Run the exact two-sided sign test; p = 1 without wins and losses."""
    wins = int(np.count_nonzero(differences > 0))
    losses = int(np.count_nonzero(differences < 0))
    return _sign_test(wins, losses, len(differences) - wins - losses)


def _sign_test(wins: int, losses: int, ties: int) -> SignTest:
    return SignTest(
        wins, losses, ties, min(1.0, 2 * binomial_cdf(min(wins, losses), wins + losses))
    )


def t_test(differences: FloatArray) -> float:
    """Return p of the two-sided paired t-test.

    If all differences are zero, p is 1. It is NaN for other constant differences and for fewer than
    two, which have no variance.
    """
    return _tests_of(differences[None])[0].p_t


def _t_test(mean: float, spread: float, count: int) -> float:
    if count < 2:
        return nan
    if spread == 0:
        return nan if mean else 1.0
    return 2 * student_cdf(-abs(mean) / (spread / sqrt(count)), count - 1)


def wilcoxon_test(differences: FloatArray) -> float:
    """Return p of the two-sided Wilcoxon signed-rank test, zeros dropped; 1 if none is left.

    As in SciPy, the test is exact for up to 50 differences, with ties up to 13, and normal beyond.
    They are counted after dropping zeros. SciPy counts the zeros too, so with zeros it may use the
    normal approximation where this is exact.
    """
    return _wilcoxon(differences[None])[0]


def _wilcoxon(differences: FloatArray) -> list[float]:
    """Test each row.

    Magnitudes are ordered like their bits, which leave room for the sign at the end. So one sort
    brings equal magnitudes together and keeps their signs.
    """
    rows, count = differences.shape
    if not count:
        return [1.0] * rows
    keys = np.abs(differences).view(np.uint64) << np.uint64(1)
    keys |= differences > 0
    keys.sort(axis=1)
    sizes_of = (keys >> np.uint64(1)).ravel()
    new = np.ones(rows * count, dtype=bool)
    np.not_equal(sizes_of[1:], sizes_of[:-1], out=new[1:])
    new[::count] = True
    starts = np.flatnonzero(new)
    row, length = starts // count, np.diff(starts, append=rows * count)
    zeros = np.where(
        sizes_of[::count] == 0, length[np.searchsorted(starts, np.arange(rows) * count)], 0
    )
    ranks = 2 * (starts - row * count - zeros[row]) + length + 1  # twice the mid-ranks
    ranks[sizes_of[starts] == 0] = 0
    positive = np.add.reduceat((keys & np.uint64(1)).ravel().astype(np.int64), starts) * ranks
    firsts = np.searchsorted(row, np.arange(rows))
    sums, squares, above, most = (
        np.add.reduceat(values, firsts).tolist()
        for values in (ranks * length, ranks**2 * length, positive, (ranks > 0) * 1)
    )
    found = []
    for place, (total, square, over, distinct) in enumerate(
        zip(sums, squares, above, most, strict=True)
    ):
        left, smaller = count - int(zeros[place]), min(over, total - over)
        if left <= (_MOST_EXACT if distinct == left else _MOST_EXACT_WITH_TIES):
            inside = row == place
            tail = _exact_tail(np.repeat(ranks[inside], length[inside])[count - left :], smaller)
        else:
            tail = normal_cdf((smaller - total / 2) / sqrt(square / 4))
        found.append(min(1.0, 2 * tail))
    return found


def _exact_tail(ranks: IntArray, bound: int) -> float:
    """Return P(sum of the ranks with a positive sign ≤ bound)."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks:
        chances[rank:] += chances[:-rank]
        chances /= 2
    return float(chances[: bound + 1].sum())


def effect_sizes(differences: FloatArray) -> EffectSizes:
    """Return effect sizes of paired differences; NaN without any.

    ``cohen_dz`` is also NaN for constant nonzero differences, where it is infinite.
    """
    return _tests_of(differences[None])[0].effect


def _effect_sizes(wins: int, losses: int, count: int, mean: float, spread: float) -> EffectSizes:
    if not count:
        return EffectSizes(nan, nan, nan)
    won, lost = wins / count, losses / count
    cohen_dz = mean / spread if spread else (nan if mean else 0.0)
    return EffectSizes(cohen_dz, won - lost, won + (1 - won - lost) / 2)


def _moments(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of each row.

    The deviation is exactly zero for equal values, which rounding would change, and for a single
    value.
    """
    rows, count = differences.shape
    if count < 2:
        return differences.sum(axis=1), np.zeros(rows)
    spread = np.std(differences, axis=1, ddof=1)
    spread[np.ptp(differences, axis=1) == 0] = 0.0
    return differences.mean(axis=1), spread
