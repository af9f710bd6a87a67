"""Gaps in BLEU, or any metric, between runs, against the significance of their retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import read_score_table
from patmark.errors import InputError, UsageError
from patmark.protocols.bleu_gap import (
    GapLimits,
    GapPair,
    gap_charts,
    gap_limits,
    gap_pairs,
    pair_table,
)
from patmark.report import Column, Scatter, Table

_TITLE = "Gaps and significance"
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class MetricGaps:
    """All pairs of runs that have a value, and the gaps that sum them up.

    ``without_value`` are runs that have none, such as the search with the original topics.
    """

    measure: str
    pairs: tuple[GapPair, ...]
    limits: tuple[GapLimits, ...]
    without_value: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {
            "measure": self.measure,
            "pairs": [_pair_json(pair) for pair in self.pairs],
            "limits": [_limits_json(each) for each in self.limits],
            "without_value": list(self.without_value),
        }

    def tables(self) -> tuple[Table, ...]:
        """The gaps that sum up, and every pair."""
        return _limits_table(self.limits), pair_table(self.pairs, _TITLE, self.measure)

    def charts(self) -> tuple[Scatter, ...]:
        """One chart per metric."""
        return gap_charts(self.pairs, _TITLE, self.measure)

    def findings(self) -> list[str]:
        """How large a gap had to be, and from where on it was enough; a line per metric."""
        return [_finding(each, self.measure) for each in self.limits]

    def notes(self) -> list[str]:
        """What readers must know of the gaps."""
        notes = [f"The gaps describe the {len(self.pairs)} pairs of these runs, no others."]
        if self.without_value:
            notes.append(f"In no gap, without a value: {', '.join(self.without_value)}.")
        return notes


def metric_gaps(
    measure: str,
    outcome: Mapping[str, float],
    levels: Mapping[frozenset[str], float | None],
    metrics: Mapping[str, Mapping[str, float]],
) -> MetricGaps:
    """Gaps of the runs that have a value under every metric; runs without any are named."""
    valued = {run for values in metrics.values() for run in values}
    unknown = sorted(valued - outcome.keys())
    if unknown:
        known = ", ".join(outcome)
        raise UsageError(f"there is no run called {', '.join(unknown)}; there are {known}")
    if len(valued) < 2:
        raise UsageError("gaps need values of at least two runs")
    pairs = gap_pairs(metrics, {run: outcome[run] for run in outcome if run in valued}, levels)
    without = tuple(run for run in outcome if run not in valued)
    return MetricGaps(measure, pairs, gap_limits(pairs), without)


def read_metrics(arguments: Sequence[str]) -> dict[str, dict[str, float]]:
    """Metrics by run: ``NAME=VALUE`` is BLEU; a CSV holds scores of whole systems by any metric."""
    metrics: dict[str, dict[str, float]] = {}
    for argument in arguments:
        name, _, text = argument.rpartition("=")
        value = _number(text) if name.strip() else None
        found = {"BLEU": {name.strip(): value}} if value is not None else _read_table(argument)
        for metric, values in found.items():
            known = metrics.setdefault(metric, {})
            doubles = sorted(known.keys() & values.keys())
            if doubles:
                raise UsageError(f"{metric} of {', '.join(doubles)} is given twice")
            known |= values
    return metrics


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _read_table(path: str) -> dict[str, dict[str, float]]:
    table = read_score_table(path)
    found = {
        metric: {
            system: float(value)
            for system, value in zip(table.systems, values, strict=True)
            if not np.isnan(value)
        }
        for metric, values in table.of_systems.items()
    }
    if not found:
        raise InputError.at("has no score of a whole system (a row with an empty segment)", path)
    return found


def _finding(each: GapLimits, measure: str) -> str:
    if each.necessary is None:
        return f"{each.metric}: no pair differs at 1 % in {measure}, whatever its gap."
    safe = "every pair" if each.safe is None else f"every pair with a gap above {each.safe:.2f}"
    return (
        f"{each.metric}: pairs that differ at 1 % in {measure} have a gap of at least "
        f"{each.necessary:.2f}; {safe} differs."
    )


def _limits_table(limits: Sequence[GapLimits]) -> Table:
    columns = (
        Column("metric"), Column("necessary"), Column("safe above"), Column("pairs at 1 %", 0),
        Column("others", 0),
    )  # fmt: skip
    rows = tuple(
        (each.metric, each.necessary, each.safe, each.significant, each.others) for each in limits
    )
    return Table(
        "How much it takes to retrieve better", columns, rows,
        "Necessary: smallest gap of a pair that differs at 1 %. Safe: largest gap of any other.",
    )  # fmt: skip


def _pair_json(pair: GapPair) -> dict[str, Any]:
    return {
        "better": pair.better, "worse": pair.worse, "level": pair.level,
        "gaps": {name: round(gap, _DIGITS) for name, gap in pair.gaps.items()},
        "outcome_gap": round(pair.outcome_gap, _DIGITS),
    }  # fmt: skip


def _limits_json(each: GapLimits) -> dict[str, Any]:
    return {
        "metric": each.metric,
        "necessary": None if each.necessary is None else round(each.necessary, _DIGITS),
        "safe": None if each.safe is None else round(each.safe, _DIGITS),
        "pairs_significant": each.significant, "pairs_other": each.others,
    }  # fmt: skip
