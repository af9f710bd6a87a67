"""All metrics judged against the gold measure, and compared with each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.panel import Panel
from patmark.evaluation.meta.segments import segment_rows
from patmark.evaluation.meta.significance import MetricComparison, compare_metrics
from patmark.evaluation.meta.systems import system_rows
from patmark.stats import Units


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
            "systems": self.panel.systems,
            "without": self.excluded_kind,
            "rows": [row.to_json() for row in self.rows],
            "tests": self.comparison,
            "average_by": self.settings.average_by if self.settings.level == "segment" else None,
            "resampling": {
                "resamples": sampling.resamples,
                "seed": sampling.seed,
                "units": str(self.units) if self.units else "system",
            },
            "notes": self.panel.notes,
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
        rows = system_rows(panel, settings, units)
    else:
        rows = segment_rows(panel, settings, units)
    comparison = compare_metrics(
        panel,
        settings.level,
        settings.average_by,
        settings.permutations,
        settings.sampling.seed,
        units,
    )
    ordered = sorted(rows, key=_by_agreement, reverse=True)
    return MetaEvaluation(panel, settings, tuple(ordered), comparison, units, without)


def _by_agreement(row: MetricRow) -> float:
    value = next(iter(row.agreement.values())).value
    return value if value == value else -np.inf
