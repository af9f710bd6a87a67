"""Which differences between systems are real: paired tests, correction, clusters, power.

Works on scores alone, whatever they judge and wherever they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from patmark.data import Estimate, FloatArray, Scores
from patmark.errors import UsageError
from patmark.protocols.evaluation import Settings, estimate_json, resampling_json
from patmark.stats import (
    ALPHA,
    EffectSizes,
    PairedTest,
    SignTest,
    Units,
    bootstrap_pairs,
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
    """How differences are tested. ``holm`` None means: when there are more than two systems."""

    sampling: Settings = field(default_factory=Settings)
    test: TestName = "randomisation"
    trials: int = DEFAULT_TRIALS
    holm: bool | None = None
    detect: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise UsageError(f"the test {self.test!r} is unknown; choose from {', '.join(TESTS)}")
        if self.sampling.resamples < 1 or self.trials < 1:
            raise UsageError("a comparison needs at least one resample and one trial")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems under one measure: how they differ, how surely, how much."""

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

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at 5 %, after correction."""
        return self.p_holm <= ALPHA


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """All systems under one measure, best first."""

    measure: str
    signature: str
    higher_is_better: bool
    ranking: tuple[str, ...]
    estimates: Mapping[str, Estimate]
    rank_ranges: Mapping[str, tuple[int, int]]
    clusters: tuple[tuple[str, ...], ...]
    pairs: tuple[Pair, ...]

    def cluster_of(self, system: str) -> int:
        """The number of a system's cluster, from 1."""
        return next(number for number, members in enumerate(self.clusters, 1) if system in members)


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems under all measures."""

    systems: tuple[str, ...]
    measures: Mapping[str, MeasureComparison]
    units: Units
    settings: CompareSettings

    @property
    def corrected(self) -> bool:
        """Whether p-values are corrected for the number of pairs."""
        return _corrects(self.settings, len(self.systems))

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {
            "systems": list(self.systems),
            "measures": {name: _measure_json(measure) for name, measure in self.measures.items()},
            "test": {
                "name": self.settings.test,
                "trials": _trials(self.settings),
                "seed": self.settings.sampling.seed,
                "correction": "holm" if self.corrected else "none",
                "alpha": ALPHA,
            },
            "resampling": resampling_json(self.settings.sampling, self.units),
            "signatures": {name: m.signature for name, m in self.measures.items()},
        }


def compare(
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    settings: CompareSettings | None = None,
) -> Comparison:
    """Compare all pairs of systems under every measure, on one set of resamples."""
    settings = settings or CompareSettings()
    systems = next(iter(scores.values())).systems if scores else ()
    if len(systems) < 2:
        raise UsageError(f"a comparison needs at least two systems, and {len(systems)} are given")
    _check_detect(settings, scores)
    units = Units.choose(documents, settings.sampling.by)
    quantities = [(one.statistics, one.score) for one in scores.values()]
    sampling = settings.sampling
    draws = resampled_scores(quantities, units, sampling.resamples, sampling.seed)
    estimates = [estimates_of(q, drawn) for q, drawn in zip(quantities, draws, strict=True)]
    tests = (
        randomise_pairs(quantities, units, settings.trials, sampling.seed)
        if settings.test == "randomisation"
        else [None] * len(quantities)
    )
    measures = {
        name: _compare_measure(one, of_systems, drawn, randomised, units, settings)
        for (name, one), of_systems, drawn, randomised in zip(
            scores.items(), estimates, draws, tests, strict=True
        )
    }
    return Comparison(systems, measures, units, settings)


def _compare_measure(
    scores: Scores, estimates: Sequence[Estimate], draws: FloatArray,
    randomised: Sequence[PairedTest] | None, units: Units, settings: CompareSettings,
) -> MeasureComparison:  # fmt: skip
    observed = np.array([estimate.value for estimate in estimates])
    convention = "sacrebleu" if settings.test == "bootstrap-sacrebleu" else "shift"
    bootstrapped = bootstrap_pairs(draws, observed, cast("Any", convention))
    tests = randomised if randomised is not None else bootstrapped
    p_values = [test.p for test in tests]
    corrected = holm(p_values) if _corrects(settings, len(scores.systems)) else p_values
    by_pair = {(test.first, test.second): p for test, p in zip(tests, corrected, strict=True)}
    segments = scores.segment_scores
    pairs = tuple(
        _pair(scores, segments, draws, interval, test.p, p, units, settings)
        for interval, test, p in zip(bootstrapped, tests, corrected, strict=True)
    )
    better = scores.higher_is_better
    groups = clusters(observed.tolist(), by_pair, better)
    names = scores.systems
    return MeasureComparison(
        scores.measure, scores.signature, better,
        tuple(names[system] for group in groups for system in group),
        dict(zip(names, estimates, strict=True)),
        dict(zip(names, rank_ranges(observed.tolist(), by_pair, better), strict=True)),
        tuple(tuple(names[system] for system in group) for group in groups),
        pairs,
    )  # fmt: skip


def _pair(
    scores: Scores, segments: FloatArray, draws: FloatArray, interval: PairedTest,
    p: float, p_holm: float, units: Units, settings: CompareSettings,
) -> Pair:  # fmt: skip
    a, b = interval.first, interval.second
    sign = 1.0 if scores.higher_is_better else -1.0
    differences = paired_differences(segments[a], segments[b]) * sign
    spread = float(np.nanstd(draws[:, a] - draws[:, b], ddof=1)) if len(draws) > 1 else np.nan
    wanted = (settings.detect or {}).get(scores.measure, interval.delta)
    return Pair(
        scores.systems[a], scores.systems[b], interval.delta,
        interval.ci or (np.nan, np.nan), float(p), float(p_holm),
        sign_test(differences), t_test(differences), wilcoxon_test(differences),
        effect_sizes(differences),
        smallest_difference(spread),
        units_needed(spread, units.count, wanted),
    )  # fmt: skip


def _corrects(settings: CompareSettings, systems: int) -> bool:
    return systems > 2 if settings.holm is None else settings.holm


def _trials(settings: CompareSettings) -> int:
    return settings.trials if settings.test == "randomisation" else settings.sampling.resamples


def _check_detect(settings: CompareSettings, scores: Mapping[str, Scores]) -> None:
    unknown = sorted(set(settings.detect or {}) - set(scores))
    if unknown:
        raise UsageError(f"no measure here is called {unknown[0]}; there are {', '.join(scores)}")


def _measure_json(measure: MeasureComparison) -> dict[str, Any]:
    return {
        "ranking": list(measure.ranking),
        "scores": {name: estimate_json(value) for name, value in measure.estimates.items()},
        "rank_ranges": {name: list(pair) for name, pair in measure.rank_ranges.items()},
        "clusters": [list(members) for members in measure.clusters],
        "pairs": [_pair_json(pair) for pair in measure.pairs],
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    numbers = {
        "delta": pair.delta, "p": pair.p, "p_holm": pair.p_holm,
        "p_sign": pair.sign.p, "p_t": pair.p_t, "p_wilcoxon": pair.p_wilcoxon,
        "cohen_d": pair.effect.cohen_d, "cliff_delta": pair.effect.cliff_delta,
        "win_rate": pair.effect.win_rate, "detectable": pair.detectable,
        "units_needed": pair.units_needed,
    }  # fmt: skip
    return {
        "a": pair.first, "b": pair.second,
        **{key: value if np.isfinite(value) else None for key, value in numbers.items()},
        "ci": [bound if np.isfinite(bound) else None for bound in pair.ci],
        "wins": pair.sign.wins, "losses": pair.sign.losses, "ties": pair.sign.ties,
        "significant": pair.significant,
    }  # fmt: skip
