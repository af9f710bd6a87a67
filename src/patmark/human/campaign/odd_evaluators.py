"""Advice for organisers in sentences: agreement, and outlying evaluators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeAlias

import numpy as np

from patmark.data import FloatArray, criterion_name
from patmark.human.campaign.attention_checks import AttentionResult
from patmark.human.campaign.state import CampaignState
from patmark.human.judgements import CriterionValidation, finished_grades
from patmark.stats import ALPHA, holm, normal_cdf, spearman, t_test
from patmark.wording import Text, tr

Oddness: TypeAlias = Literal["fast", "slow", "strict", "lenient", "random", "inattentive"]
KINDS: Mapping[Oddness, Text] = {
    "fast": tr("fast"),
    "slow": tr("slow"),
    "strict": tr("strict"),
    "lenient": tr("lenient"),
    "random": tr("random"),
    "inattentive": tr("inattentive"),
}
_TIMES = 3.0
"""Factor of speed from which an evaluator is an outlier."""
_FEWEST_PAGES = 5
_FEWEST_COMMON = 10
_SHIFT = 0.5
"""Allowed difference of a mean from others, in standard deviations of all grades."""
_FOLLOWS = 0.3
"""The correlation that the others must reach before an evaluator without any is an outlier."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """An outlying property of an evaluator, with the evidence. It is no proof: look and ask."""

    evaluator: str
    kind: Oddness
    evidence: Text


def oddities(state: CampaignState, checks: tuple[AttentionResult, ...]) -> tuple[Oddity, ...]:
    """Return evaluators much faster, slower, stricter or more lenient than others, or random."""
    found = [*_by_speed(state), *_by_checks(checks)]
    if main := state.results.graded:
        for criterion in main.criteria:
            grades, _ = finished_grades(main, criterion)
            found += _by_grades(main.evaluators, criterion, grades)
    order = {name: place for place, name in enumerate(state.plan.evaluators)}
    return tuple(sorted(found, key=lambda one: order.get(one.evaluator, len(order))))


def _by_speed(state: CampaignState) -> list[Oddity]:
    speeds = {
        one.name: one.seconds
        for one in state.people
        if one.seconds and one.done >= _FEWEST_PAGES and one.info.excluded is None
    }
    found = []
    for name, own in speeds.items():
        others = [seconds for other, seconds in speeds.items() if other != name]
        if not others:
            continue
        usual = median(others)
        if usual < own * _TIMES and own < usual * _TIMES:
            continue
        text = tr(
            "{own} seconds for a page; the others take {usual}",
            own=_seconds(own),
            usual=_seconds(usual),
        )
        found.append(Oddity(name, "fast" if own < usual else "slow", text))
    return found


def _by_checks(checks: tuple[AttentionResult, ...]) -> list[Oddity]:
    """Return evaluators at or below chance on attention checks."""
    found = []
    for one in checks:
        asked = one.below + one.equal + one.above
        if asked >= 3 and one.below * 2 <= asked:
            text = tr(
                "{question}: only {below} of {asked} degraded texts were judged worse than the "
                "original",
                question=one.question,
                below=one.below,
                asked=asked,
            )
            found.append(Oddity(one.evaluator, "inattentive", text))
    return found


def _by_grades(names: tuple[str, ...], criterion: str, grades: FloatArray) -> list[Oddity]:
    """Return evaluators whose grades are above, below or unrelated to those of others."""
    compared = [_with_others(grades, place) for place in range(len(names))]
    shifts = [own - others for own, others in compared]
    enough = [len(one) >= _FEWEST_COMMON for one in shifts]
    p_values = holm(
        [t_test(one) if ok else math.nan for one, ok in zip(shifts, enough, strict=True)]
    )
    follows = [
        float(spearman(own, others)) if ok else math.nan
        for (own, others), ok in zip(compared, enough, strict=True)
    ]
    found = []
    most = _SHIFT * float(np.nanstd(grades)) if any(enough) else math.nan
    for place, name in enumerate(names):
        if not enough[place]:
            continue
        count, shift = len(shifts[place]), float(shifts[place].mean())
        if p_values[place] < ALPHA and abs(shift) >= most:
            values = {
                "criterion": criterion_name(criterion),
                "steps": f"{abs(shift):.1f}",
                "n": count,
            }
            low = tr("{criterion}: {steps} lower than the others on {n} common outputs", **values)
            high = tr("{criterion}: {steps} higher than the others on {n} common outputs", **values)
            strict = shift < 0
            found.append(Oddity(name, "strict" if strict else "lenient", low if strict else high))
        own = 0.0 if math.isnan(follows[place]) else follows[place]
        others = [
            one for other, one in enumerate(follows) if other != place and not math.isnan(one)
        ]
        usual = median(others) if others else 0.0
        if usual >= _FOLLOWS and _chance(own, count) >= ALPHA:
            text = tr(
                "{criterion}: the grades do not follow those of others (correlation {own} on {n} "
                "common outputs; the others reach {usual})",
                criterion=criterion_name(criterion),
                own=f"{own:.2f}",
                usual=f"{usual:.2f}",
                n=count,
            )
            found.append(Oddity(name, "random", text))
    return found


def _with_others(grades: FloatArray, place: int) -> tuple[FloatArray, FloatArray]:
    rest = np.delete(grades, place, axis=0)
    known = ~np.isnan(rest)
    counts = known.sum(axis=0)
    means = np.where(known, rest, 0.0).sum(axis=0) / np.maximum(counts, 1)
    both = ~np.isnan(grades[place]) & (counts > 0)
    return grades[place][both], means[both]


def _chance(correlation: float, n: int) -> float:
    """Return the one-sided p of a correlation, by Fisher's transformation."""
    if correlation >= 1:
        return 0.0
    return 1 - float(normal_cdf(math.atanh(max(correlation, -0.999)) * math.sqrt(n - 3)))


def _seconds(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def agreement_sentence(one: CriterionValidation) -> Text | None:
    """Return the meaning of the agreement on a criterion, in a sentence without coefficients."""
    found = one.agreement
    if found is None or not math.isfinite(found.alpha.value):
        return None
    alpha = found.alpha.value
    level = next(text for least, text in _LEVELS.items() if alpha >= least)
    return tr(level.pattern, criterion=criterion_name(one.criterion), alpha=f"{alpha:.2f}")


_LEVELS = {
    0.8: tr("{criterion}: agreement is very high (α {alpha}); one evaluator would suffice."),
    0.6: tr("{criterion}: agreement is good (α {alpha}); the results are reliable."),
    0.4: tr(
        "{criterion}: agreement is moderate (α {alpha}); rely on means over several "
        "evaluators, not on single answers."
    ),
    0.2: tr(
        "{criterion}: agreement is low (α {alpha}); discuss the guidelines and the items "
        "under Consensus."
    ),
    -math.inf: tr(
        "{criterion}: agreement is close to chance (α {alpha}); revise the question or the "
        "guidelines."
    ),
}
"""Sentences on agreement by the least alpha."""
