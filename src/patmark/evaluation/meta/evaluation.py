"""All metrics evaluated against the gold measure, and compared with each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Notice
from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.error_free import ErrorFreeDetection, detect_error_free
from patmark.evaluation.meta.human_ceiling import PeopleCeiling, human_ceiling_of
from patmark.evaluation.meta.panel import Panel
from patmark.evaluation.meta.segments import segment_rows
from patmark.evaluation.meta.significance import MetricComparison, compare_metrics
from patmark.evaluation.meta.systems import (
    FEW_SYSTEMS,
    FEWEST_FOR_INTERVAL,
    FEWEST_SYSTEMS,
    system_rows,
)
from patmark.report import message_texts
from patmark.stats import Units
from patmark.wording import tr


@dataclass(frozen=True, slots=True, eq=False)
class MetaEvaluation:
    """All metrics against the gold measure, and the tests between them."""

    panel: Panel
    settings: MetaSettings
    rows: tuple[MetricRow, ...]
    comparison: MetricComparison | None
    units: Units | None
    excluded_kind: str | None = None
    pair: str = ""
    ceiling: PeopleCeiling | None = None
    error_free: ErrorFreeDetection | None = None

    @property
    def systems_name(self) -> str:
        """Systems and language pair in words."""
        systems = (
            tr("without {kind}", kind=self.excluded_kind)
            if self.excluded_kind
            else tr("all systems")
        )
        return tr("{pair}, {systems}", pair=self.pair, systems=systems) if self.pair else systems

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Warnings of inconsistent data, of few systems, and of constant gold."""
        n, level, warnings = len(self.panel.systems), self.settings.level, [*self.panel.warnings]
        if level == "system" and n < FEW_SYSTEMS:
            rule = (
                tr("fewer than {n} have no correlation", n=FEWEST_SYSTEMS)
                if n < FEWEST_SYSTEMS
                else tr("fewer than {n} have no interval", n=FEWEST_FOR_INTERVAL)
                if n < FEWEST_FOR_INTERVAL
                else tr("intervals of accuracies from so few are too narrow")
            )
            warnings.append(
                Notice(
                    "warning",
                    "few-systems",
                    tr(
                        "only {n} systems ({systems_name}); {rule}.",
                        n=n,
                        systems_name=self.systems_name,
                        rule=rule,
                    ),
                )
            )
        if self.panel.gold.is_constant(level):
            whole = tr("systems") if level == "system" else tr("outputs")
            warnings.append(
                Notice(
                    "warning",
                    "constant-gold",
                    tr(
                        "all {whole} have the same {name} ({systems_name}), "
                        "which tells no metric from another.",
                        whole=whole,
                        name=self.panel.gold.name,
                        systems_name=self.systems_name,
                    ),
                )
            )
        if self.error_free is not None:
            warnings += self.error_free.warnings
        return tuple(warnings)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        sampling = self.settings.sampling
        return {
            "gold": self.panel.gold.name,
            "level": self.settings.level,
            "systems": self.panel.systems,
            "without": self.excluded_kind,
            "rows": [row.to_json() for row in self.rows],
            "human_ceiling": self.ceiling and self.ceiling.to_json(),
            "error_free": self.error_free and self.error_free.to_json(),
            "tests": self.comparison.to_json() if self.comparison else None,
            "average_by": self.settings.average_by if self.settings.level == "segment" else None,
            "resampling": {
                "resamples": sampling.resamples,
                "seed": sampling.seed,
                "units": str(self.units) if self.units else "system",
            },
            "notes": self.panel.notes,
            "warnings": message_texts(self.warnings),
        }


def evaluate_metrics(
    panel: Panel, settings: MetaSettings | None = None, without: str | None = None, pair: str = ""
) -> MetaEvaluation:
    """Evaluate every metric of a panel, and compare the metrics with each other.

    ``without`` names systems, or types of systems, to leave out; ``pair`` the language pair.
    """
    if without is not None:
        panel = panel.without(without)
    settings = settings or MetaSettings()
    panel = panel.by_id
    units = Units.choose(panel.documents, settings.sampling.by) if panel.segments else None
    if settings.level == "system":
        rows = system_rows(panel, settings, units)
    else:
        rows = segment_rows(panel, settings, units)
    comparison = compare_metrics(panel.scored_by(panel.metrics), settings, units)
    ceiling = human_ceiling_of(panel, settings, units) if units else None
    error_free = None
    if settings.error_free is not None and units:
        error_free = detect_error_free(panel, settings, units)
    return MetaEvaluation(
        panel, settings, best_first(rows), comparison, units, without, pair, ceiling, error_free
    )


def best_first(rows: Iterable[MetricRow]) -> tuple[MetricRow, ...]:
    """Return the rows by their first coefficient; undefined ones come last."""
    return tuple(sorted(rows, key=_by_agreement, reverse=True))


def _by_agreement(row: MetricRow) -> float:
    value = next(iter(row.agreement.values())).value
    return value if value == value else -np.inf
