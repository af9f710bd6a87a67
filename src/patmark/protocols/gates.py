"""Gates for continuous integration: a score that is too low, a drop that is too large and real."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data import Estimate, Scores
from patmark.errors import InputError, Problem, UsageError
from patmark.measures import split_names
from patmark.protocols.saved_scores import as_mean, measure_name
from patmark.stats import ALPHA, PairedTest, Units, randomise_pairs

FAIL_UNDER = "fail-under"
MAX_DROP = "max-drop"
_ROUNDING = 1e-12
_DIGITS = range(2, 15)
_VERSION_PART = re.compile(r"\|patmark:[^|]*")


@dataclass(frozen=True, slots=True)
class Threshold:
    """A measure and the value that it must keep to."""

    measure: str
    value: float


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a gate said of one system under one measure, and why, in a sentence.

    For ``fail-under``, ``value`` is the score; for ``max-drop`` how much worse the score became.
    """

    gate: str
    measure: str
    system: str
    value: float
    limit: float
    passed: bool
    p: float | None
    message: str


def parse_threshold(text: str) -> Threshold:
    """A threshold such as ``BLEU=30`` or ``BLEU(n=1)=55.5``; the last = counts."""
    name, sign, number = text.rpartition("=")
    if not sign or not name.strip() or name.count("(") != name.count(")"):
        raise UsageError(f"{text.strip()!r} is not a threshold; write MEASURE=NUMBER, e.g. BLEU=30")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{text.strip()}: expected a number after the =, found {number.strip()!r}")
    return Threshold(measure_name(name), value)


def parse_thresholds(text: str) -> list[Threshold]:
    """Several thresholds with commas between them: ``BLEU=30,TER=60``."""
    thresholds = [parse_threshold(part) for part in split_names(text)]
    if not thresholds:
        raise UsageError("no threshold is given; write MEASURE=NUMBER, e.g. BLEU=30")
    names = [threshold.measure for threshold in thresholds]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise UsageError(f"two thresholds for one measure: {', '.join(doubles)}")
    return thresholds


def check_fail_under(
    estimates: Mapping[str, Mapping[str, Estimate]],
    thresholds: Sequence[Threshold],
    higher_is_better: Mapping[str, bool],
) -> list[GateResult]:
    """Whether every system reaches every threshold.

    Where less is better, a value above the threshold fails. A value that is not defined fails.
    """
    _check_known(thresholds, estimates, "scored")
    return [
        _fail_under(threshold, system, estimate.value, higher_is_better[threshold.measure])
        for threshold in thresholds
        for system, estimate in estimates[threshold.measure].items()
    ]


def check_max_drop(
    current: Mapping[str, Scores],
    baseline: Mapping[str, Scores],
    thresholds: Sequence[Threshold],
    units: Units,
    trials: int,
    seed: int,
) -> list[GateResult]:
    """Whether no system became worse than its baseline by more than is allowed.

    A drop counts only if it is also significant at 5 % in a paired approximate randomisation of
    the same segments. Systems are matched by name; a single one in each is matched to the other.
    """
    _check_drops(thresholds, trials)
    _check_known(thresholds, current, "scored")
    _check_known(thresholds, baseline, "in the baseline")
    places, quantities = [], []
    for threshold in thresholds:
        now, before = _comparable(current[threshold.measure], baseline[threshold.measure])
        for row, other in _matched_systems(now.systems, before.systems):
            places.append((threshold, now.systems[row], now.higher_is_better))
            quantities.append(
                (np.stack([now.statistics[row], before.statistics[other]]), now.score)
            )
    tests = randomise_pairs(quantities, units, trials, seed)
    return [
        _max_drop(*place, [float(value) for value in score(statistics.sum(axis=1))], test)
        for place, (statistics, score), [test] in zip(places, quantities, tests, strict=True)
    ]


def _fail_under(threshold: Threshold, system: str, value: float, higher: bool) -> GateResult:
    measure, limit = threshold.measure, threshold.value
    exceeded = _beyond(limit, value) if higher else _beyond(value, limit)
    passed = not (exceeded or math.isnan(value))
    shown_value, shown_limit = _shown(value, limit)
    found = "has no value" if math.isnan(value) else f"is {shown_value}"
    bound = f"{'at least' if higher else 'at most'} {shown_limit}"
    joint = ";" if passed else ", but"
    message = f"{measure} of {system} {found}{joint} {bound} is asked for"
    return GateResult(FAIL_UNDER, measure, system, value, limit, passed, None, message)


def _max_drop(
    threshold: Threshold, system: str, higher: bool, values: Sequence[float], test: PairedTest
) -> GateResult:
    drop = -test.delta if higher else test.delta
    measure, limit = threshold.measure, threshold.value
    significant = test.p <= ALPHA
    comparable = not math.isnan(drop)
    passed = comparable and not (significant and _beyond(drop, limit))
    now, before = _shown(*values)
    message = f"{measure} of {system} went from {before} to {now}: "
    message += _explained(drop, limit, "fell" if higher else "rose", test.p)
    if not comparable:
        which = "now" if math.isnan(values[0]) else "in the baseline"
        message = f"{measure} of {system} has no value {which}, so that a drop cannot be ruled out"
    return GateResult(MAX_DROP, measure, system, drop, limit, passed, test.p, message)


def _explained(drop: float, limit: float, worse: str, p: float) -> str:
    if not _beyond(drop, 0.0):
        return "it did not become worse"
    shown_drop, shown_limit = _shown(drop, limit)
    if not _beyond(drop, limit):
        return f"it {worse} by {shown_drop}, within the allowed {shown_limit}"
    more = f"it {worse} by {shown_drop}, more than the allowed {shown_limit}"
    if p <= ALPHA:
        return f"{more}, and the difference is significant (p = {p:.4f})"
    return f"{more}, but the difference is not significant (p = {p:.4f})"


def _beyond(value: float, limit: float) -> bool:
    """Whether a value is larger than a limit by more than the rounding of sums."""
    return value > limit + _ROUNDING * max(1.0, abs(limit))


def _shown(value: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ, at least two."""
    for digits in _DIGITS:
        pair = f"{value:.{digits}f}", f"{other:.{digits}f}"
        if pair[0] != pair[1] or abs(value - other) <= _ROUNDING * max(1.0, abs(other)):
            break
    return pair


def _check_drops(thresholds: Sequence[Threshold], trials: int) -> None:
    negative = [threshold for threshold in thresholds if threshold.value < 0]
    if negative:
        raise UsageError(
            f"{negative[0].measure}={negative[0].value:g}: an allowed drop must not be negative"
        )
    fewest = math.ceil(1 / ALPHA) - 1
    if trials < fewest:
        raise UsageError(
            f"no drop can be significant with {trials} trials; at least {fewest} are needed"
        )


def _check_known(thresholds: Sequence[Threshold], known: Mapping[str, object], where: str) -> None:
    for threshold in thresholds:
        if threshold.measure not in known:
            raise UsageError(
                f"{threshold.measure} has a threshold, but it is not {where}; "
                f"there are {', '.join(known)}"
            )


def _comparable(now: Scores, before: Scores) -> tuple[Scores, Scores]:
    """Both scores with one score function; other segments or another way of counting is refused."""
    if len(now.segments) != len(before.segments):
        raise InputError.at(
            f"the baseline has {len(before.segments)} segments, there are {len(now.segments)} now"
        )
    for place, (new, old) in enumerate(zip(now.segments, before.segments, strict=True), 1):
        if new != old:
            raise InputError.at(
                f"the baseline has other segments: at place {place} it has {old!r}, now {new!r}"
            )
    signatures = [_VERSION_PART.sub("", scores.signature) for scores in (before, now)]
    if signatures[0] == signatures[1]:
        if _count_alike(now, before):
            return now, before
        means = as_mean(now), as_mean(before)
        if means[0] is not None and means[1] is not None:
            return means[0], means[1]
    raise InputError.at(
        f"the baseline counted {now.measure} in another way; make it again: "
        f"{signatures[0]} there, {signatures[1]} now"
    )


def _count_alike(now: Scores, before: Scores) -> bool:
    """Whether statistics of both mean the same; a measure without a name is saved as a mean."""
    if now.statistics.shape[-1] != before.statistics.shape[-1]:
        return False
    totals = before.statistics.sum(axis=1)
    return np.array_equal(now.score(totals), before.score(totals), equal_nan=True)


def _matched_systems(now: Sequence[str], before: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of systems now and in the baseline."""
    if len(now) == len(before) == 1:
        return [(0, 0)]
    missing = [system for system in now if system not in before]
    if missing:
        there = ", ".join(before)
        raise InputError(
            Problem(f"the baseline has no system {system!r}; it has {there}") for system in missing
        )
    return [(row, before.index(system)) for row, system in enumerate(now)]
