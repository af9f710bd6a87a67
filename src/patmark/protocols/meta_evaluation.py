"""Which automatic metric can be trusted: its agreement with a gold measure, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.errors import UsageError
from patmark.protocols.evaluation import Settings
from patmark.protocols.meta_panel import Panel, Series
from patmark.protocols.meta_tests import MetricComparison, compare_metrics
from patmark.protocols.system_correlations import COEFFICIENTS
from patmark.stats import Units, resampled_scores
from patmark.stats.correlation import AverageBy, Coefficient, grouped, pearson, spearman
from patmark.stats.correlation_intervals import segment_intervals
from patmark.stats.pair_counts import acc_eq, kendall_b
from patmark.stats.system_accuracy import soft_pairwise_accuracy
from patmark.stats.system_intervals import drawn_systems_interval
from patmark.stats.tie_calibration import calibrate, constant_accuracy, cross_validated

Level: TypeAlias = Literal["system", "segment"]
DEFAULT_PERMUTATIONS = 1000
_FOLDS = 10
_SEGMENT_COEFFICIENTS: Mapping[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall_b,
    "acc_eq": acc_eq,
}
_RESAMPLED_WHOLE = ("pearson", "spearman")  # over all cells or by system, others take too long


@dataclass(frozen=True, slots=True)
class MetaSettings:
    """How metrics are judged: the level, groups of segments, resampling and permutations."""

    level: Level = "system"
    average_by: AverageBy = "item"
    permutations: int = DEFAULT_PERMUTATIONS
    sampling: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise UsageError(f"the level {self.level!r} is unknown; choose system or segment")
        if self.average_by not in get_args(AverageBy):
            raise UsageError(
                f"average by {self.average_by!r} is unknown; choose none, system or item"
            )
        if self.permutations < 1:
            raise UsageError(f"at least one permutation is needed, not {self.permutations}")


@dataclass(frozen=True, slots=True)
class MetricRow:
    """How one metric agrees with gold; ``n`` systems or, by segment, cells with gold.

    ``details`` are numbers without an interval: groups, thresholds, resamples without a value.
    """

    metric: str
    n: int
    agreement: Mapping[str, Estimate]
    details: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """The row with each coefficient as a number, and the intervals beside them."""
        values = {_key(name): _number(one.value) for name, one in self.agreement.items()}
        intervals = {
            _key(name): [_number(bound) for bound in one.ci]
            for name, one in self.agreement.items()
            if one.ci is not None
        }
        details = {name: _number(value) for name, value in self.details.items()}
        return {"metric": self.metric, "n": self.n, **values, "ci": intervals, **details}


@dataclass(frozen=True, slots=True, eq=False)
class MetaEvaluation:
    """All metrics against the gold measure, and the tests between them."""

    panel: Panel
    settings: MetaSettings
    rows: tuple[MetricRow, ...]
    comparison: MetricComparison | None
    units: Units | None
    excluded_kind: str | None = None

    @property
    def systems_name(self) -> str:
        """Which systems were taken, in words."""
        return f"without {self.excluded_kind}" if self.excluded_kind else "all systems"

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        sampling = self.settings.sampling
        return {
            "gold": self.panel.gold.name,
            "level": self.settings.level,
            "systems": list(self.panel.systems),
            "without": self.excluded_kind,
            "rows": [row.to_json() for row in self.rows],
            "tests": self.comparison.to_json() if self.comparison else None,
            "average_by": self.settings.average_by if self.settings.level == "segment" else None,
            "resampling": {
                "resamples": sampling.resamples,
                "seed": sampling.seed,
                "units": str(self.units) if self.units else "system",
            },
            "notes": list(self.panel.notes),
        }


def evaluate_metrics(
    panel: Panel, settings: MetaSettings | None = None, without: str | None = None
) -> MetaEvaluation:
    """Judge every metric of a panel, and compare the metrics with each other.

    ``without`` names a type of systems to leave out.
    """
    if without is not None:
        panel = panel.without(without)
    settings = settings or MetaSettings()
    units = Units.choose(panel.documents, settings.sampling.by) if panel.segments else None
    if settings.level == "system":
        rows = _system_rows(panel, settings, units)
    else:
        rows = _segment_rows(panel, settings, units)
    comparison = compare_metrics(
        panel, settings.level, settings.average_by, settings.permutations, settings.sampling.seed,
        units,
    )  # fmt: skip
    ordered = sorted(rows, key=_by_agreement, reverse=True)
    return MetaEvaluation(panel, settings, tuple(ordered), comparison, units, without)


def _by_agreement(row: MetricRow) -> float:
    value = next(iter(row.agreement.values())).value
    return value if value == value else -np.inf


def _system_rows(panel: Panel, settings: MetaSettings, units: Units | None) -> list[MetricRow]:
    sampling = settings.sampling
    series = (panel.gold, *panel.metrics)
    draws = _system_draws(series, units, sampling)
    rows = []
    for metric in panel.metrics:
        known = ~np.isnan(metric.of_systems)
        estimates, undefined = {}, 0
        for name, coefficient in COEFFICIENTS.items():
            if not sampling.resamples:
                value = coefficient(panel.gold.of_systems[known], metric.of_systems[known])
                estimates[name] = Estimate(float(value), None, int(known.sum()))
                continue
            one = drawn_systems_interval(
                panel.gold.of_systems[known], metric.of_systems[known], coefficient,
                sampling.resamples, sampling.seed,
                gold_draws=_columns(draws.get(panel.gold.name), known),
                metric_draws=_columns(draws.get(metric.name), known),
            )  # fmt: skip
            estimates[name] = Estimate(one.value, one.ci, int(known.sum()))
            undefined = max(undefined, one.undefined)
        spa = _soft_accuracy(panel, metric, settings, units)
        if spa is not None:
            estimates["SPA"] = Estimate(spa, None, int(known.sum()))
        details = {"undefined_resamples": float(undefined)}
        rows.append(MetricRow(metric.name, int(known.sum()), estimates, details))
    return rows


def _system_draws(
    series: Sequence[Series], units: Units | None, sampling: Settings
) -> dict[str, FloatArray]:
    """Scores of resampled segments, (resamples, systems), where statistics are known."""
    known = [one for one in series if one.scores is not None]
    if units is None or not known or not sampling.resamples:
        return {}
    quantities = [(one.scores.statistics, one.scores.score) for one in known if one.scores]
    drawn = resampled_scores(quantities, units, sampling.resamples, sampling.seed)
    return {
        one.name: -scores if one.turned else scores
        for one, scores in zip(known, drawn, strict=True)
    }


def _columns(draws: FloatArray | None, known: np.ndarray[Any, np.dtype[np.bool_]]) -> Any:
    return None if draws is None else draws[:, known]


def _soft_accuracy(
    panel: Panel, metric: Series, settings: MetaSettings, units: Units | None
) -> float | None:
    """SPA, where both have segment scores and every judged segment was judged for all systems."""
    gold, scores = panel.gold.of_segments, metric.of_segments
    if gold is None or scores is None or units is None or np.isnan(metric.of_systems).any():
        return None
    missing = np.isnan(gold)
    if (missing.any(axis=0) != missing.all(axis=0)).any() or np.isnan(scores[~missing]).any():
        return None
    return soft_pairwise_accuracy(
        gold, scores, settings.permutations, settings.sampling.seed, units.of_segment
    ).value


def _segment_rows(panel: Panel, settings: MetaSettings, units: Units | None) -> list[MetricRow]:
    gold = panel.gold.of_segments
    lacking = [one.name for one in (panel.gold, *panel.metrics) if one.of_segments is None]
    if gold is None or lacking or units is None:
        raise UsageError(f"{', '.join(lacking)} has no scores of segments; use --level system")
    return [_segment_row(gold, metric, settings, units) for metric in panel.metrics]


def _segment_row(
    gold: FloatArray, metric: Series, settings: MetaSettings, units: Units
) -> MetricRow:
    scores = metric.of_segments
    if scores is None:  # pragma: no cover - refused before
        raise UsageError(f"{metric.name} has no scores of segments")
    gold = np.where(np.isnan(metric.of_systems)[:, None], np.nan, gold)
    cells = int(np.count_nonzero(~np.isnan(gold)))
    by, sampling = settings.average_by, settings.sampling
    estimates: dict[str, Estimate] = {}
    details: dict[str, float] = {}
    for name, coefficient in _SEGMENT_COEFFICIENTS.items():
        found = grouped(gold, scores, coefficient, by)
        ci = None
        if sampling.resamples and (by == "item" or name in _RESAMPLED_WHOLE):
            [one] = segment_intervals(
                gold, scores[None], units, coefficient, by, sampling.resamples, sampling.seed
            )
            ci = one.ci
        estimates[name] = Estimate(found.value, ci, cells)
        details[f"undefined_groups_{name}"] = float(found.undefined)
        details |= {"groups": float(found.groups), "skipped_groups": float(found.skipped)}
    if by == "item":
        estimates["acc_eq calibrated"], found_details = _calibrated(gold, scores, units, settings)
        details |= found_details
    return MetricRow(metric.name, cells, estimates, details)


def _calibrated(
    gold: FloatArray, scores: FloatArray, units: Units, settings: MetaSettings
) -> tuple[Estimate, dict[str, float]]:
    """Accuracy with the best threshold for ties, the threshold, and what it is on new documents."""
    best = calibrate(gold, scores)
    sampling, ci = settings.sampling, None
    if sampling.resamples:

        def with_ties(x: FloatArray, y: FloatArray) -> FloatArray:
            return acc_eq(x, y, best.epsilon)

        [one] = segment_intervals(
            gold, scores[None], units, with_ties, "item", sampling.resamples, sampling.seed
        )
        ci = one.ci
    folds = min(_FOLDS, units.count)
    fresh = cross_validated(gold, scores, units.of_segment, folds).accuracy if folds > 1 else np.nan
    details = {
        "epsilon": best.epsilon,
        "acc_eq_cross_validated": fresh,
        "acc_eq_constant_metric": constant_accuracy(gold),
    }
    return Estimate(best.accuracy, ci, int(np.count_nonzero(~np.isnan(gold)))), details


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _key(name: str) -> str:
    return name.replace(" ", "_")
