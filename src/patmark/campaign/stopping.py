"""When a campaign may stop: which systems differ by now, and how much more the others need.

The organiser looks as often as they like, so the test is one that stays valid however often it is
looked at. Its units are documents where at least six are known, else segments; what people differ
in for both systems alike does not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from patmark.campaign.state import CampaignState
from patmark.data import FloatArray
from patmark.judgements import finished_grades
from patmark.stats import MIN_DOCUMENTS, Units, anytime_p, anytime_units, holm
from patmark.wording import Text, tr

ALPHA = 0.05
_FEWEST = 5
"""Units below which nothing is said: with fewer their spread is hardly known."""
STOP_NOTE = tr(
    "This may be looked at as often as you like: of systems that are equal, at most 5 % are ever "
    "called different. What is still needed is a forecast, with a power of 80 %."
)
Unit: TypeAlias = Literal["document", "segment"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two systems: do they differ by now?

    ``difference`` is that of ``better`` over ``worse``, on average over ``units``; ``p`` is valid
    however often one looks, and corrected for the number of pairs. ``more`` are the segments that
    it would still take, if the difference stays as it is; None if nobody can say. Texts of fewer
    than six documents are not ``testable``.
    """

    criterion: str
    better: str
    worse: str
    difference: float
    unit: Unit
    units: int
    p: float
    more: int | None
    testable: bool = True

    @property
    def is_decided(self) -> bool:
        """Whether the two differ."""
        return self.p < ALPHA

    @property
    def sentence(self) -> Text:
        """What an organiser needs to know."""
        names = {"better": self.better, "worse": self.worse}
        if self.is_decided:
            return tr("{better} is better than {worse}: more answers are not needed.", **names)
        if not self.testable:
            return tr(
                "{better} and {worse}: texts of at least {n} documents are needed.",
                **names,
                n=MIN_DOCUMENTS,
            )
        if self.units < _FEWEST:
            return tr("{better} and {worse}: too few answers to say anything.", **names)
        if self.more is None:
            return tr("{better} and {worse} are too close for any campaign to tell apart.", **names)
        return tr(
            "{better} seems better than {worse}; about {more} more segments are needed to be sure.",
            **names,
            more=_round(self.more),
        )

    def to_json(self) -> dict[str, Any]:
        """The verdict for machines."""
        return {
            "criterion": self.criterion,
            "better": self.better,
            "worse": self.worse,
            "difference": self.difference,
            "unit": self.unit,
            "units": self.units,
            "p_anytime": self.p,
            "differ": self.is_decided,
            "more_segments": self.more if self.testable else None,
        }


def _round(count: int) -> int:
    """Two digits are as much as a forecast can hold."""
    step = int(10 ** max(0, len(str(count)) - 2))
    return math.ceil(count / step) * step


def stop_rule(state: CampaignState) -> tuple[Verdict, ...]:
    """All pairs of systems by every criterion, surest first."""
    documents = {page.segment: page.document or "" for page in state.plan.pages}
    found: list[Verdict] = []
    judgements, preferences = state.results.judgements, state.results.preferences
    if judgements is not None and (main := judgements.in_phase("main")).rows:
        for criterion in main.criteria:
            grades, _ = finished_grades(main, criterion)
            tables = {
                pair: _mean(grades[:, pair[0]] - grades[:, pair[1]])
                for pair in combinations(range(len(main.systems)), 2)
            }
            found += verdicts(criterion, main.systems, main.segments, tables, documents)
    if preferences is not None and (chosen := preferences.in_phase("main")).rows:
        for criterion in chosen.criteria:
            wins = chosen.wins(criterion)
            ties = chosen.ties(criterion)
            tables = {
                (a, b): _balance(wins[:, a, b], wins[:, b, a], ties[:, a, b])
                for a, b in combinations(range(len(chosen.systems)), 2)
            }
            found += verdicts(criterion, chosen.systems, chosen.segments, tables, documents)
    return tuple(found)


def verdicts(
    criterion: str,
    systems: tuple[str, ...],
    segments: tuple[str, ...],
    differences: Mapping[tuple[int, int], FloatArray],
    documents: Mapping[str, str],
) -> list[Verdict]:
    """Verdicts on pairs of systems, from their differences by segment."""
    groups = [documents.get(segment) or None for segment in segments]
    tested = []
    for (first, second), values in differences.items():
        known = np.flatnonzero(~np.isnan(values))
        if not len(known):
            continue
        unit, means, testable = _units(values[known], [groups[place] for place in known])
        tested.append((first, second, unit, means, len(known), testable))
    corrected = holm(
        [
            anytime_p(_t(means), len(means)) if testable and len(means) >= _FEWEST else 1.0
            for _, _, _, means, _, testable in tested
        ]
    )
    found = []
    for (first, second, unit, means, count, testable), p in zip(tested, corrected, strict=True):
        difference = float(means.mean())
        if difference < 0:
            first, second = second, first
        needed = anytime_units(_effect(means), ALPHA / len(tested))
        more = None if needed is None else max(1, needed - len(means))
        per_unit = count / len(means)
        found.append(
            Verdict(
                criterion,
                systems[first],
                systems[second],
                abs(difference),
                unit,
                len(means),
                p,
                0 if p < ALPHA else None if more is None else math.ceil(more * per_unit),
                testable,
            )
        )
    return sorted(found, key=lambda one: one.p)


def _units(values: FloatArray, documents: list[str | None]) -> tuple[Unit, FloatArray, bool]:
    """What is independent with its mean difference, and whether that can be tested.

    Segments of a few documents are not independent, and nothing can be said of them.
    """
    units = Units.choose(documents)
    means = np.bincount(units.of_segment, values) / np.bincount(units.of_segment)
    is_document = units.kind == "document"
    return "document" if is_document else "segment", means, not units.too_few


def _t(means: FloatArray) -> float:
    return math.sqrt(len(means)) * _effect(means)


def _effect(means: FloatArray) -> float:
    """The mean in standard deviations; NaN where there is none."""
    spread = float(means.std(ddof=1)) if len(means) > 1 else math.nan
    mean = float(means.mean())
    if spread == 0:
        return math.nan if mean == 0 else math.copysign(math.inf, mean)
    return mean / spread


def _mean(differences: FloatArray) -> FloatArray:
    """The mean over evaluators; NaN where nobody judged both."""
    known = ~np.isnan(differences)
    counts = known.sum(axis=0)
    totals = np.where(known, differences, 0.0).sum(axis=0)
    means: FloatArray = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
    return means


def _balance(won: FloatArray, lost: FloatArray, tied: FloatArray) -> FloatArray:
    """Wins less losses as a share of what was compared, by segment."""
    counts = won + lost + tied
    shares: FloatArray = np.where(counts > 0, (won - lost) / np.maximum(counts, 1), np.nan)
    return shares
