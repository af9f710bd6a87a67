"""Rates of findings by check and severity, in systems and in the references.

The rate of the references is the noise floor, because human translations have such findings, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import SEVERITY_NAMES, Evidence, Scores, TestSet
from patmark.measures import Check, Measure
from patmark.report import Cell, Column, Table
from patmark.wording import tr

_SEVERITIES = ("major", "minor", "")
_PER = 100


@dataclass(frozen=True, slots=True)
class FindingRates:
    """Findings for 100 segments: (check, severity) → system → rate."""

    systems: tuple[str, ...]
    rates: Mapping[tuple[str, str], Mapping[str, float]]

    @classmethod
    def of(
        cls,
        evidence: Mapping[str, Mapping[str, Sequence[Sequence[Evidence]]]],
        sizes: Mapping[str, int],
    ) -> FindingRates:
        """Count findings by check and system; ``sizes`` are numbers of texts."""
        rates: dict[tuple[str, str], dict[str, float]] = {}
        for check, by_system in evidence.items():
            counts = {
                system: Counter(one.severity for places in segments for one in _findings(places))
                for system, segments in by_system.items()
            }
            for severity in _SEVERITIES:
                if any(count[severity] for count in counts.values()):
                    rates[check, severity] = {
                        system: _PER * count[severity] / max(1, sizes[system])
                        for system, count in counts.items()
                    }
        return cls(tuple(sizes), rates)

    def to_json(self) -> dict[str, Any]:
        """Return system → check → severity → rate; findings without a severity are "unrated"."""
        found: dict[str, dict[str, dict[str, float]]] = {system: {} for system in self.systems}
        for (check, severity), by_system in self.rates.items():
            for system, rate in by_system.items():
                found[system].setdefault(check, {})[severity or "unrated"] = rate
        return found

    def tables(self) -> list[Table]:
        """Return the rates as a table; none without findings."""
        rows: list[tuple[Cell, ...]] = [
            (
                check,
                SEVERITY_NAMES.get(severity),
                *(by_system.get(system) for system in self.systems),
            )
            for (check, severity), by_system in self.rates.items()
        ]
        columns = (
            Column(tr("check")),
            Column(tr("severity")),
            *(Column(system, 1, higher_is_better=False) for system in self.systems),
        )
        return [Table(tr("Findings per 100 segments"), columns, tuple(rows))] if rows else []


def _findings(places: Iterable[Evidence]) -> list[Evidence]:
    """Return one place of each finding: places in source and output count as one."""
    found: list[Evidence] = []
    pending: Evidence | None = None
    for one in places:
        paired = (
            pending is not None
            and (pending.side, one.side) == ("source", "hypothesis")
            and pending.message == one.message
        )
        if not paired:
            found.append(one)
        pending = None if paired else one
    return found


def missing_score(measure: Measure, test_set: TestSet, scores: Scores) -> str:
    """Return the reason why a check has no score for any system; empty if it has one."""
    if not isinstance(measure, Check) or scores.statistics[..., 1].any():
        return ""
    return measure.not_applicable(test_set) or tr("the texts have nothing that it checks")
