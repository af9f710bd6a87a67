"""Do the human tables of NTCIR-9 agree with themselves? And what of them cannot be recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Column, Estimate, Table
from patmark.protocols import published
from patmark.protocols.reproduction import DIFFERS, OK, Quantity, ReproducedValue, values_table

ADEQUACY_TABLES = {"CE": 5, "JE": 9, "EJ": 13}
ACCEPTABILITY_TABLES = {"CE": 7, "JE": 11, "EJ": 15}
_AVERAGE_TOLERANCE = 0.001
_MEAN_TOLERANCE = 0.0005  # the scores are printed with three decimals
_ROUNDING = 1e-9
_VALIDATION_NOTE = (
    "Published values only: the judgements of single sentences are not public, so that these "
    "correlations cannot be computed again."
)


@dataclass(frozen=True, slots=True)
class PairwiseCheck:
    """A table of acceptability: the mean pairwise score, which must be one half, and its rates.

    ``falling`` names the systems whose cumulative rates fall towards lower grades.
    """

    subtask: str
    table: int
    systems: int
    mean: float
    falling: tuple[str, ...]

    @property
    def status(self) -> str:
        """``ok`` if the mean is one half but for rounding and no rates fall."""
        good = abs(self.mean - 0.5) <= _MEAN_TOLERANCE and not self.falling
        return OK if good else DIFFERS

    def to_json(self) -> dict[str, Any]:
        """A stable shape."""
        return {
            "table": self.table, "subtask": self.subtask, "n": self.systems,
            "mean": round(self.mean, 6), "expected": 0.5, "status": self.status,
            "falling_rates": list(self.falling),
        }  # fmt: skip


def adequacy_checks() -> list[ReproducedValue]:
    """Average adequacy of every system from its cumulative rates.

    A grade of g counts in the rates of "1 or higher" to "g or higher", so the mean is the sum of
    all rates; the rate of "1 or higher" is one.
    """
    return [
        _adequacy_check(subtask, row)
        for subtask in published.SUBTASKS
        for row in published.ntcir9_adequacy(subtask)
    ]


def _adequacy_check(subtask: str, row: published.AdequacyRow) -> ReproducedValue:
    average = 1 + sum(row.rates[:-1])
    agrees = abs(average - row.average) <= _AVERAGE_TOLERANCE + _ROUNDING
    quantity = Quantity(
        subtask, "adequacy", "cumulative rates", row.system, "average", Estimate(average, n=1),
        ADEQUACY_TABLES[subtask],
    )  # fmt: skip
    return ReproducedValue(quantity, row.average, agrees)


def pairwise_checks() -> list[PairwiseCheck]:
    """Tables 7, 11 and 15."""
    checks = []
    for subtask in published.SUBTASKS:
        rows = published.ntcir9_acceptability(subtask)
        mean = float(np.mean([row.pairwise for row in rows]))
        falling = tuple(row.system for row in rows if _falls(row.rates))
        table = ACCEPTABILITY_TABLES[subtask]
        checks.append(PairwiseCheck(subtask, table, len(rows), mean, falling))
    return checks


def _falls(rates: Sequence[float]) -> bool:
    """Whether a cumulative rate is lower than the one of a better grade."""
    return bool((np.diff(rates) < 0).any())


def consistency_tables(
    averages: Sequence[ReproducedValue], pairwise: Sequence[PairwiseCheck]
) -> list[Table]:
    """A summary by published table, and every row of adequacy that does not fit."""
    columns = (
        Column("table"), Column("subtask"), Column("check"), Column("systems", 0),
        Column("fit", 0), Column("largest difference", 4), Column("status"),
    )  # fmt: skip
    rows = [_average_row(subtask, averages) for subtask in published.SUBTASKS]
    rows += [
        (
            f"Table {check.table}", check.subtask,
            f"mean pairwise score {check.mean:.4f} = ½; rates never fall",
            check.systems, check.systems - len(check.falling), check.mean - 0.5, check.status,
        )
        for check in pairwise
    ]  # fmt: skip
    summary = Table("Consistency of the human tables", columns, tuple(rows))
    wrong = [value for value in averages if value.status != OK]
    return [summary, values_table("Averages that do not fit", wrong)] if wrong else [summary]


def _average_row(
    subtask: str, averages: Sequence[ReproducedValue]
) -> tuple[str, str, str, int, int, float, str]:
    chosen = [value for value in averages if value.quantity.subtask == subtask]
    fit = sum(value.agrees for value in chosen)
    return (
        f"Table {ADEQUACY_TABLES[subtask]}", subtask,
        "average = 1 + sum of the rates", len(chosen), fit,
        max((value.difference for value in chosen), key=abs),
        OK if fit == len(chosen) else DIFFERS,
    )  # fmt: skip


def validation_table() -> Table:
    """Tables 17 and 18, as printed."""
    columns = (
        Column("table"), Column("subtask"), Column("criterion"), Column("between"),
        Column("Pearson, published", 3),
    )  # fmt: skip
    rows = tuple(
        (f"Table {row.table}", row.subtask, row.criterion, row.between, row.pearson)
        for row in published.ntcir9_validation()
    )
    return Table("Tables 17 and 18: validation", columns, rows, _VALIDATION_NOTE)


def validation_json() -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "table": row.table, "subtask": row.subtask, "criterion": row.criterion,
            "between": row.between, "statistic": "pearson", "published": row.pearson,
            "recomputed": None, "status": "published only",
        }
        for row in published.ntcir9_validation()
    ]  # fmt: skip
