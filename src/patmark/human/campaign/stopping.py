"""Stopping rule: significant differences so far, and the segments that others still need.

The test is sequential: it stays valid at any number of looks. Its units are documents, of which six
are needed (a segment without a document is one), or segments if no document is known. Evaluator
effects that apply to both systems cancel out.

The guarantee is for systems with the same grade distribution, even with long tails: differences are
then equally often on either side. If only the means are equal, such as with one error in thirty
segments that costs as much as all the small ones of the other system, a first stretch misleads
every test of means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from typing import Any, Literal, TypeAlias

import numpy as np

from patmark.data import FloatArray
from patmark.human.campaign.results import CampaignResults, form_scales
from patmark.human.campaign.state import CampaignState
from patmark.human.judgements import counted_grades, mean_over
from patmark.stats import (
    ALPHA,
    MIN_DOCUMENTS,
    Units,
    anytime_p,
    anytime_sign_p,
    anytime_sign_units,
    anytime_units,
    holm,
)
from patmark.wording import Text, tr, tr_n

_FEWEST = 5
"""Minimum number of units: with fewer their variance is hardly known."""
_FEW_SIZES = 8
"""Differences with at most this many values (as of grades from 1 to 5) are counted as wins and
losses, because they are far from normal."""
STOP_NOTE = tr(
    "This may be looked at as often as you like: of systems with equally distributed grades, about "
    "5 % at most are ever called different. If one has rare grave errors and the other many small "
    "ones, wait for the rare ones. What is still needed is a forecast, with a power of 80 %."
)
Unit: TypeAlias = Literal["document", "segment"]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two systems by a criterion: difference (or NaN) and document (or None) of each segment."""

    criterion: str
    first: str
    second: str
    differences: FloatArray
    documents: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class StopVerdict:
    """Verdict on the difference of two systems so far.

    ``difference`` is that of ``better`` over ``worse``, on average over ``units``; ``p`` is valid
    at any number of looks, and corrected for all pairs and criteria. ``more`` are the segments
    still needed if the difference stays the same; None if unknown. Texts of fewer than six
    documents are not ``testable``.
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
        """True if the two differ significantly."""
        return self.p < ALPHA

    @property
    def sentence(self) -> Text:
        """The verdict in a sentence."""
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

    @property
    def rests_on(self) -> str:
        """The number of units, in words."""
        if self.unit == "document":
            return tr_n("{n} document", "{n} documents", n=self.units)
        return tr_n("{n} segment", "{n} segments", n=self.units)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
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
    """Round up to two digits, the accuracy of a forecast."""
    step = int(10 ** max(0, len(str(count)) - 2))
    return math.ceil(count / step) * step


def stop_rule(state: CampaignState) -> tuple[StopVerdict, ...]:
    """Return all pairs of systems by every criterion, most significant first."""
    compared = list(_compared(state.results, state.whole_segments))
    choices = sum(one.compares for one in state.form.questions)
    criteria = len(form_scales(state.form)) + choices
    planned = math.comb(len(state.settings.get("systems", ())), 2) * criteria
    return verdicts(compared, max(planned, len(compared)))


def _compared(results: CampaignResults, whole_segments: bool) -> Iterator[Compared]:
    """Yield the differences of all pairs of systems by segment, if the same person judged both.

    Without ``whole_segments`` outputs were distributed at random, and everybody's grades of one are
    compared with everybody's of the other.
    """
    if main := results.graded:
        for criterion in main.criteria:
            grades = counted_grades(main, criterion, whole_segments=whole_segments)
            for (a, first), (b, second) in combinations(enumerate(main.systems), 2):
                if whole_segments:
                    differences = mean_over(grades[:, a] - grades[:, b])
                else:
                    differences = mean_over(grades[:, a]) - mean_over(grades[:, b])
                yield Compared(criterion, first, second, differences, main.documents)
    if chosen := results.chosen:
        for criterion in chosen.criteria:
            wins, ties = chosen.wins(criterion), chosen.ties(criterion)
            for (a, first), (b, second) in combinations(enumerate(chosen.systems), 2):
                differences = _balance(wins[:, a, b], wins[:, b, a], ties[:, a, b])
                yield Compared(criterion, first, second, differences, chosen.documents)


def verdicts(compared: Sequence[Compared], tests: int) -> tuple[StopVerdict, ...]:
    """Return verdicts on pairs, most significant first, corrected for this number of ``tests``.

    Uncompared pairs have no verdict, but count among the tests: a correction that grows with the
    answers would not hold for early looks.
    """
    found = [_verdict(one, tests) for one in compared if not np.isnan(one.differences).all()]
    unseen = [1.0] * (tests - len(found))
    corrected = holm([*(one.p for one in found), *unseen])[: len(found)]
    final = [
        replace(one, p=p, more=0 if p < ALPHA else one.more)
        for one, p in zip(found, corrected, strict=True)
    ]
    return tuple(sorted(final, key=lambda one: one.p))


def _verdict(compared: Compared, tests: int) -> StopVerdict:
    """Return the verdict with a p that is not corrected yet."""
    known = ~np.isnan(compared.differences)
    values = compared.differences[known]
    units = Units.choose([one or None for one in compress(compared.documents, known)])
    means = np.bincount(units.of_segment, values) / np.bincount(units.of_segment)
    is_reversed = means.mean() < 0
    p, needed = _tested(-means if is_reversed else means, ALPHA / tests)
    testable = not units.too_few
    more = None if needed is None else max(1, needed - len(means))
    return StopVerdict(
        compared.criterion,
        compared.second if is_reversed else compared.first,
        compared.first if is_reversed else compared.second,
        abs(float(means.mean())),
        "document" if units.kind == "document" else "segment",
        len(means),
        p if testable and len(means) >= _FEWEST else 1.0,
        None if more is None else math.ceil(more * len(values) / len(means)),
        testable,
    )


def _tested(means: FloatArray, alpha: float) -> tuple[float, int | None]:
    """Return the p-value of differences with a nonnegative mean, and the units for ``alpha``.

    Differences of few sizes, such as preferences, are counted as wins and losses; if most
    contradict the mean, there is no result.
    """
    apart = np.round(means[np.abs(means) > 1e-9], 9)
    if len(np.unique(np.abs(apart))) > _FEW_SIZES:
        effect = float(means.mean() / means.std(ddof=1))
        return anytime_p(math.sqrt(len(means)) * effect, len(means)), anytime_units(effect, alpha)
    wins = int((apart > 0).sum())
    losses = len(apart) - wins
    if wins <= losses:
        return 1.0, None
    needed = anytime_sign_units(wins / len(apart), alpha)
    with_ties = None if needed is None else math.ceil(needed * len(means) / len(apart))
    return anytime_sign_p(wins, losses), with_ties


def _balance(won: FloatArray, lost: FloatArray, tied: FloatArray) -> FloatArray:
    """Return wins minus losses as a share of all comparisons, by segment."""
    counts = won + lost + tied
    shares: FloatArray = np.where(counts > 0, (won - lost) / np.maximum(counts, 1), np.nan)
    return shares
