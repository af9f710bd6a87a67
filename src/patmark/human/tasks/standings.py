"""Standings of the runs of a task under each measure, with letters of the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from patmark.data import Estimate, Scores, TestSet
from patmark.evaluation import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    Pair,
    Sampling,
    compare,
)
from patmark.stats import Units, estimate_scores, significance_letters

MOST_LETTERS = 10
_ALPHABET = 26


@dataclass(frozen=True, slots=True)
class MeasureStanding:
    """Standing of the runs under one measure; runs without judgements have no human one.

    Runs share a letter if and only if they do not differ significantly. There are no letters if no
    difference could be significant.
    """

    measure: str
    signature: str
    higher_is_better: bool
    estimates: Mapping[str, Estimate]
    units: Units
    title: str
    letters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rank_ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()
    testable: bool = False

    @property
    def shows_ranks(self) -> bool:
        """True if there are so many letters that a range of ranks is easier to read."""
        return max(map(len, self.letters.values()), default=0) > MOST_LETTERS

    def letters_text(self, run: str) -> str:
        """Return the letters of a run, separated by blanks beyond one alphabet."""
        different = {letter for letters in self.letters.values() for letter in letters}
        return (" " if len(different) > _ALPHABET else "").join(self.letters.get(run, ()))

    def mark(self, run: str) -> str:
        """Return the mark of a run: its letters, or its best and worst rank."""
        if not self.shows_ranks or run not in self.letters:
            return self.letters_text(run)
        best, worst = self.rank_ranges[run]
        return f"{best}" if best == worst else f"{best}–{worst}"

    @property
    def decimals(self) -> int:
        """Number of decimals to show if the scale of a measure is unknown."""
        values = [estimate.value for estimate in self.estimates.values()]
        return 4 if all(abs(value) <= 1 for value in values if not np.isnan(value)) else 2


def compared_standings(comparison: Comparison, titles: Mapping[str, str]) -> list[MeasureStanding]:
    """Return the standing under each measure of a comparison."""
    return [
        _standing(one, comparison.units, titles.get(name, name))
        for name, one in comparison.measures.items()
    ]


def _standing(compared: MeasureComparison, units: Units, title: str) -> MeasureStanding:
    names = list(compared.estimates)
    position = {name: place for place, name in enumerate(names)}
    letters = significance_letters(
        [compared.estimates[name].value for name in names],
        {(position[pair.first], position[pair.second]): pair.p_holm for pair in compared.pairs},
        compared.higher_is_better,
    )
    return MeasureStanding(
        compared.measure,
        compared.signature,
        compared.higher_is_better,
        compared.estimates,
        units,
        title,
        dict(zip(names, letters, strict=True)) if compared.testable else {},
        compared.rank_ranges or {},
        compared.pairs,
        compared.testable,
    )


def lone_standing(
    scores: Scores, estimates: Mapping[str, Estimate], units: Units, title: str
) -> MeasureStanding:
    """Return the standing of a run that cannot be compared with any other."""
    return MeasureStanding(
        scores.measure, scores.signature, scores.higher_is_better, estimates, units, title
    )


def human_standings(
    human: Mapping[str, Scores], documents: Mapping[str, str | None], settings: CompareSettings
) -> tuple[tuple[MeasureStanding, ...], tuple[Comparison, ...]]:
    """Compare each human measure by itself, since runs and segments may differ.

    ``documents`` maps a segment to its document.
    """
    standings: list[MeasureStanding] = []
    comparisons: list[Comparison] = []
    for name, scores in human.items():
        own = documents_of(scores, documents)
        if len(scores.systems) > 1:
            compared = compare({name: scores}, own, replace(settings, detect=None))
            comparisons.append(compared)
            standings += compared_standings(compared, {})
        else:
            units = Units.choose(own, settings.sampling.by, scores.segments)
            estimates = run_estimates(scores, units, settings.sampling)
            standings.append(lone_standing(scores, estimates, units, name))
    return tuple(standings), tuple(comparisons)


def run_estimates(scores: Scores, units: Units, sampling: Sampling) -> dict[str, Estimate]:
    """Estimate scores with intervals, for the runs that have one."""
    [estimates] = estimate_scores([scores], units, sampling.resamples, sampling.seed)
    return {
        run: estimate
        for run, estimate in zip(scores.systems, estimates, strict=True)
        if not np.isnan(estimate.value)
    }


def documents_of(scores: Scores, documents: Mapping[str, str | None]) -> Sequence[str | None]:
    """Return the documents of the segments of scores."""
    return [documents[segment] for segment in scores.segments]


def documents_by_segment(test_set: TestSet) -> dict[str, str | None]:
    """Return the document of each segment."""
    return {segment.id: segment.document for segment in test_set}
