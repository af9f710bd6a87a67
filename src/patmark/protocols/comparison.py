"""Which differences between systems are real: paired tests, correction, clusters, power.

Works on scores alone, whatever they judge and wherever they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from patmark.data import Estimate, FloatArray, Scores
from patmark.errors import UsageError
from patmark.protocols.choice import check_named, is_descriptive, refuse_descriptive
from patmark.protocols.comparison_json import comparison_json
from patmark.protocols.comparison_pairs import PairResult, counted, lowest_p, pair_results
from patmark.protocols.evaluation import Settings
from patmark.protocols.patsnap_pairing import LeftOut, pair_rows
from patmark.stats import (
    ALPHA,
    EffectSizes,
    PairedTest,
    SignTest,
    Units,
    clusters,
    effect_sizes,
    estimates_of,
    holm,
    paired_differences,
    randomise_pairs,
    rank_ranges,
    resampled_scores,
    sign_test,
    smallest_difference,
    t_test,
    units_needed,
    wilcoxon_test,
)

TestName: TypeAlias = Literal["randomisation", "bootstrap", "bootstrap-sacrebleu"]
TESTS: tuple[TestName, ...] = ("randomisation", "bootstrap", "bootstrap-sacrebleu")
DEFAULT_TRIALS = 10_000


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """How differences are tested. ``holm`` None means: when there are more than two systems.

    ``detect`` names, by measure, a difference that one would like to be able to see. Without
    ``trials`` there are 10,000; where these are too few for Holm's correction over all pairs, a p
    beyond them is a bound by Hoeffding. A number that is asked for is all that p rests on.
    """

    sampling: Settings = field(default_factory=Settings)
    test: TestName = "randomisation"
    trials: int | None = None
    holm: bool | None = None
    detect: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise UsageError(f"the test {self.test!r} is unknown; choose from {', '.join(TESTS)}")
        if self.sampling.resamples < 1 or (self.trials is not None and self.trials < 1):
            raise UsageError("a comparison needs at least one resample and one trial")
        for measure, wanted in (self.detect or {}).items():
            if not 0 < wanted < np.inf:
                raise UsageError(
                    f"{measure}={wanted:g}: a difference to detect must be greater than 0"
                )

    @property
    def draws(self) -> int:
        """How many draws a p-value rests on."""
        if self.test != "randomisation":
            return self.sampling.resamples
        return DEFAULT_TRIALS if self.trials is None else self.trials

    def corrects(self, systems: int) -> bool:
        """Whether p-values of so many systems are corrected by Holm."""
        return systems > 2 if self.holm is None else self.holm

    def bounds_tail(self, systems: int) -> bool:
        """Whether p-values of so many systems may be bounds, since the trials are too few."""
        pairs = systems * (systems - 1) // 2
        allowed = self.trials is None and self.test == "randomisation" and self.corrects(systems)
        return allowed and pairs / (self.draws + 1) > ALPHA


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems under one measure: how they differ, how surely, how much.

    All of it is of the ``common`` segments in which both were counted, which lie in ``units``.
    ``delta`` is the score of the first minus that of the second, on the scale of the measure.
    ``sign`` and ``effect`` are turned so that more is better: positive where the first is better.
    ``units_needed`` are for the difference found, ``units_for_detect`` for the one asked for.
    """

    first: str
    second: str
    delta: float
    ci: tuple[float, float]
    p: float
    p_holm: float
    sign: SignTest
    p_t: float
    p_wilcoxon: float
    effect: EffectSizes
    detectable: float
    units_needed: float
    common: int
    units: int
    units_for_detect: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at 5 %, after correction."""
        return self.p_holm <= ALPHA


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """All systems under one measure, best first.

    ``clusters`` hold the systems that have a score, ``unscored`` the others. ``units`` carry
    statistics of the measure; ``smallest_p`` is the smallest p that the test can give, corrected.
    ``counted`` says in how many segments each system was counted.
    """

    measure: str
    signature: str
    higher_is_better: bool
    ranking: tuple[str, ...]
    estimates: Mapping[str, Estimate]
    rank_ranges: Mapping[str, tuple[int, int]]
    clusters: tuple[tuple[str, ...], ...]
    pairs: tuple[Pair, ...]
    unscored: tuple[str, ...]
    units: int
    smallest_p: float
    counted: Mapping[str, int]

    @property
    def unequal(self) -> tuple[Pair, ...]:
        """Pairs with a score of both, of which one was counted where the other was not."""
        of = self.counted
        both = ((pair, of[pair.first], of[pair.second]) for pair in self.pairs)
        return tuple(pair for pair, a, b in both if min(a, b) and pair.common < max(a, b))

    @property
    def testable(self) -> bool:
        """Whether any difference could be significant at 5 %, after correction."""
        return self.smallest_p <= ALPHA

    def cluster_of(self, system: str) -> int | None:
        """The number of a system's cluster, from 1; None for a system without a score."""
        numbered = enumerate(self.clusters, 1)
        return next((number for number, members in numbered if system in members), None)


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems under all measures.

    ``segments`` are compared; ``left_out`` names rows that are not, and ``descriptive`` measures
    that are not.
    """

    systems: tuple[str, ...]
    measures: Mapping[str, MeasureComparison]
    units: Units
    settings: CompareSettings
    segments: int
    left_out: LeftOut
    descriptive: tuple[str, ...] = ()

    @property
    def corrected(self) -> bool:
        """Whether p-values are corrected for the number of pairs."""
        return self.settings.corrects(len(self.systems))

    @property
    def bounds_tail(self) -> bool:
        """Whether p-values may be bounds, since the trials are too few for so many pairs."""
        return self.settings.bounds_tail(len(self.systems))

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return comparison_json(self)


def compare(
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    settings: CompareSettings | None = None,
) -> Comparison:
    """Compare all pairs of systems under every measure, on one set of resamples.

    Measures that only describe are left out, and so are PatSnap rows that not all systems answered.
    """
    settings = settings or CompareSettings()
    systems = next(iter(scores.values())).systems if scores else ()
    if len(systems) < 2:
        raise UsageError(f"a comparison needs at least two systems, and {len(systems)} are given")
    descriptive = tuple(name for name in scores if is_descriptive(name))
    if len(descriptive) == len(scores):
        refuse_descriptive(descriptive)
    check_named(settings.detect or {}, scores)
    scores = {name: one for name, one in scores.items() if name not in descriptive}
    scores, documents, left_out = pair_rows(scores, documents)
    units = Units.choose(documents, settings.sampling.by)
    measures = _compare_measures(scores, units, settings)
    return Comparison(systems, measures, units, settings, len(documents), left_out, descriptive)


def _compare_measures(
    scores: Mapping[str, Scores], units: Units, settings: CompareSettings
) -> dict[str, MeasureComparison]:
    quantities = [(one.statistics, one.score) for one in scores.values()]
    sampling = settings.sampling
    draws = resampled_scores(quantities, units, sampling.resamples, sampling.seed)
    estimates = [estimates_of(q, drawn, units) for q, drawn in zip(quantities, draws, strict=True)]
    systems = len(next(iter(scores.values())).systems)
    tests = (
        randomise_pairs(
            quantities, units, settings.draws, sampling.seed,
            tail_bound=settings.bounds_tail(systems),
        )
        if settings.test == "randomisation"
        else [None] * len(quantities)
    )  # fmt: skip
    return {
        name: _compare_measure(one, of_systems, drawn, randomised, units, settings)
        for (name, one), of_systems, drawn, randomised in zip(
            scores.items(), estimates, draws, tests, strict=True
        )
    }


def _compare_measure(
    scores: Scores, estimates: Sequence[Estimate], draws: FloatArray,
    randomised: Sequence[PairedTest[int]] | None, units: Units, settings: CompareSettings,
) -> MeasureComparison:  # fmt: skip
    observed = np.array([estimate.value for estimate in estimates])
    tests = pair_results(scores, draws, randomised, units, settings)
    p_values = [test.p for test in tests]
    corrects = settings.corrects(len(scores.systems))
    corrected = holm(p_values) if corrects else p_values
    by_pair = {
        (test.first, test.second): p if _agrees(test, observed) else 1.0
        for test, p in zip(tests, corrected, strict=True)
    }
    tested = sum(not np.isnan(p) for p in p_values) if corrects else 1
    wanted = (settings.detect or {}).get(scores.measure)
    segments = scores.segment_scores
    pairs = tuple(
        _pair(scores, segments, test, p, tested, wanted)
        for test, p in zip(tests, corrected, strict=True)
    )
    better, names = scores.higher_is_better, scores.systems
    unscored = np.flatnonzero(np.isnan(observed)).tolist()
    groups = clusters(observed.tolist(), by_pair, better)
    return MeasureComparison(
        scores.measure, scores.signature, better,
        tuple(names[system] for group in groups for system in group),
        dict(zip(names, estimates, strict=True)),
        dict(zip(names, rank_ranges(observed.tolist(), by_pair, better), strict=True)),
        tuple(tuple(names[system] for system in group) for group in groups if group != unscored),
        pairs, tuple(names[system] for system in unscored), units.carrying(scores.statistics),
        lowest_p(settings, max(test.units for test in tests), tested, len(names)),
        dict(zip(names, counted(scores).sum(axis=1).tolist(), strict=True)),
    )  # fmt: skip


def _agrees(test: PairResult, observed: FloatArray) -> bool:
    """Whether the difference on common segments goes the way of the ranking, by all segments."""
    return not test.delta * (observed[test.first] - observed[test.second]) < 0


def _pair(
    scores: Scores, segments: FloatArray, test: PairResult, p_holm: float, tested: int,
    wanted: float | None,
) -> Pair:  # fmt: skip
    a, b = test.first, test.second
    sign = 1.0 if scores.higher_is_better else -1.0
    differences = paired_differences(segments[a], segments[b]) * sign

    def needed(delta: float) -> float:
        return units_needed(test.spread, test.units, delta, tested)

    return Pair(
        scores.systems[a], scores.systems[b], test.delta, test.ci, float(test.p), float(p_holm),
        sign_test(differences), t_test(differences), wilcoxon_test(differences),
        effect_sizes(differences),
        smallest_difference(test.spread, test.units, tested),
        needed(test.delta), test.common, test.units,
        None if wanted is None else needed(wanted),
    )  # fmt: skip
