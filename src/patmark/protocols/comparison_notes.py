"""What a comparison found and what to beware of, in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, isnan

from patmark.protocols.comparison import Comparison, MeasureComparison
from patmark.protocols.interval_warnings import dependent_segments, interval_notes
from patmark.stats import ALPHA
from patmark.stats.paired import fewest_units

_LEVEL = f"{ALPHA:.0%}"
_SHOWN_IDS = 10
_DEPENDENT = (
    "p-values are too small, intervals too narrow, and systems that do not differ are often called "
    "different"
)


def comparison_findings(comparison: Comparison) -> list[str]:
    """Warnings that concern everything, what each measure found, and which cannot find anything."""
    measures = comparison.measures.values()
    grouped = any(len(measure.clusters) > 1 for measure in measures)
    return [
        *_left_out(comparison),
        *_never_together(comparison),
        *dependent_segments(comparison.units, _DEPENDENT),
        *_too_few_draws(comparison),
        *_by_measure(measures),
        *([_group_rule(comparison)] if grouped else []),
        *_few_units(comparison),
    ]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Smaller remarks."""
    return [
        *interval_notes(comparison.units),
        *_bounded(comparison),
        *_partly_together(comparison),
        *_single_units(comparison),
        *_descriptive(comparison),
    ]


def _group_rule(comparison: Comparison) -> str:
    return (
        "A system opens a group when it is significantly worse, at "
        f"{_LEVEL}{' after Holm' if comparison.corrected else ''}, than one of the group above; "
        "not every pair from different groups differs significantly."
    )


def _by_measure(measures: Iterable[MeasureComparison]) -> list[str]:
    """What the measures found; those that found the same share a sentence."""
    names: dict[str, list[str]] = {}
    for measure in measures:
        names.setdefault(_finding(measure), []).append(measure.measure)
    return [f"{', '.join(agreed)}{found}" for found, agreed in names.items()]


def _finding(measure: MeasureComparison) -> str:
    found = _groups(measure)
    if measure.unscored and measure.clusters:
        found += f" Without a score: {', '.join(measure.unscored)}."
    return found


def _groups(measure: MeasureComparison) -> str:
    if not measure.clusters:
        return ": no system has a score."
    if len(measure.clusters) > 1:
        groups = " | ".join(", ".join(members) for members in measure.clusters)
        return f" groups, best first: {groups}."
    if len(measure.clusters[0]) < 2:
        return f": only {measure.clusters[0][0]} has a score."
    if not measure.testable:
        return ": differences cannot be tested with so few units or draws."
    return f": no difference is significant at {_LEVEL}."


def _left_out(comparison: Comparison) -> list[str]:
    left_out = comparison.left_out
    if not left_out.rows:
        return []
    count, total = len(left_out.rows), comparison.segments + len(left_out.rows)
    faults = ", ".join(f"{system} {number}" for system, number in left_out.unanswered.items())
    ids = ", ".join(left_out.rows[:_SHOWN_IDS]) + (" …" if count > _SHOWN_IDS else "")
    return [
        f"Warning: {count} of {total} rows are left out for all systems, because not every system "
        f"answered them. Rows without an answer: {faults}. Left out: {ids}."
    ]


def _never_together(comparison: Comparison) -> list[str]:
    """Pairs that have no segment in common, and so cannot be compared at all."""
    found = []
    for measure in comparison.measures.values():
        apart = [f"{pair.first} and {pair.second}" for pair in measure.unequal if not pair.common]
        if apart:
            more = f" and {len(apart) - _SHOWN_IDS} more pairs" if apart[_SHOWN_IDS:] else ""
            found.append(
                f"Warning: {measure.measure}: no segment has a score of both "
                f"{'; '.join(apart[:_SHOWN_IDS])}{more}, so nothing can be said of their "
                "difference, whatever their scores are."
            )
    return found


def _partly_together(comparison: Comparison) -> list[str]:
    """Measures under which systems were counted in different segments."""
    found = []
    for measure in comparison.measures.values():
        common = [pair.common for pair in measure.unequal if pair.common]
        if common:
            numbers = " to ".join(map(str, dict.fromkeys((min(common), max(common)))))
            found.append(
                f"{measure.measure}: not every system has a score in every segment. Such pairs are "
                f"tested on the segments that have both ({numbers}), and their differences are "
                "those of these segments, not those of the scores."
            )
    return found


def _single_units(comparison: Comparison) -> list[str]:
    """Systems that have a score but no interval, since it rests on one unit."""
    return [
        f"{measure.measure}: no interval for {system}, whose score rests on one "
        f"{comparison.units.kind}."
        for measure in comparison.measures.values()
        for system, estimate in measure.estimates.items()
        if estimate.ci is None and not isnan(estimate.value)
    ]


def _too_few_draws(comparison: Comparison) -> list[str]:
    draws, pairs = comparison.settings.draws, _pairs(comparison)
    if comparison.bounds_tail:
        return []
    if comparison.corrected and pairs / (draws + 1) > ALPHA:
        return [
            f"Warning: with {pairs} pairs, Holm cannot reach {_LEVEL} from {draws} draws; take at "
            f"least {ceil(pairs / ALPHA)}."
        ]
    if not comparison.corrected and 1 / (draws + 1) > ALPHA:
        return [
            f"Warning: from {draws} draws no p can reach {_LEVEL}; take at least "
            f"{ceil(1 / ALPHA) - 1}."
        ]
    return []


def _few_units(comparison: Comparison) -> list[str]:
    """Measures that rest on fewer units than a significant difference takes."""
    pairs = _pairs(comparison) if comparison.corrected else 1
    fewest = fewest_units(pairs, comparison.bounds_tail)
    few = [m for m in comparison.measures.values() if 0 < m.units < fewest]
    if not few:
        return []
    kind = comparison.units.kind
    named = ", ".join(f"{measure.measure} ({measure.units})" for measure in few)
    if comparison.settings.test != "randomisation":
        effect = "a bootstrap of so few gives p-values that are too small"
    else:
        effect = f"no difference can be significant at {_LEVEL}, however large"
    return [
        f"Warning: too few units ({kind}s) to test, {effect}: {named}. "
        f"At least {fewest} are needed."
    ]


def _pairs(comparison: Comparison) -> int:
    systems = len(comparison.systems)
    return systems * (systems - 1) // 2


def _bounded(comparison: Comparison) -> list[str]:
    """How p can be less than the trials show."""
    if not comparison.bounds_tail:
        return []
    pairs, trials = _pairs(comparison), comparison.settings.draws
    return [
        f"With {pairs} pairs, Holm cannot reach {_LEVEL} from {trials} trials. So p of a "
        "difference that no trial reaches is a bound above it, by Hoeffding's inequality: "
        "2·exp(−z²/2), where z is the difference in standard deviations of all exchanges. "
        f"--trials {ceil(pairs / ALPHA)} tests without it, and takes long."
    ]


def _descriptive(comparison: Comparison) -> list[str]:
    if not comparison.descriptive:
        return []
    return [
        f"Not compared: {', '.join(comparison.descriptive)}. Neither more nor less of it is "
        "better; patmark score shows it."
    ]
