"""The human tables of NTCIR-9: consistency and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.protocols.studies.reproduction import (
    DIFFERS,
    OK,
    Row,
    Value,
    grouped,
    half_unit,
    published_rows,
    values_table,
)
from patmark.report import Bars, Cell, Column, StackedBar, Table, fields_json
from patmark.wording import tr

METRICS = ("BLEU", "NIST", "RIBES")
DIRECTIONS = {
    "CE": tr("Chinese to English"),
    "JE": tr("Japanese to English"),
    "EJ": tr("English to Japanese"),
}
ADEQUACY, ACCEPTABILITY = "adequacy", "acceptability"
SCORES = {ADEQUACY: "average", ACCEPTABILITY: "pairwise"}
TABLES = {
    ADEQUACY: {"CE": 5, "JE": 9, "EJ": 13},
    ACCEPTABILITY: {"CE": 7, "JE": 11, "EJ": 15},
}
FIGURES = {
    ADEQUACY: {"CE": 2, "JE": 4, "EJ": 6},
    ACCEPTABILITY: {"CE": 3, "JE": 5, "EJ": 7},
}
JUDGEMENTS = 300  # of each system: 100 sentences by each of three evaluators
_DECIMALS = 3

Tables: TypeAlias = Mapping[str, Sequence[Row]]
"""Rows by subtask."""


def ntcir9_tables(name: str) -> dict[str, list[Row]]:
    """Return the tables ``adequacy`` or ``acceptability`` by subtask."""
    return {subtask: published_rows(f"ntcir9/{name}_{subtask}.csv") for subtask in DIRECTIONS}


def rate_columns(row: Row) -> list[str]:
    """Return the columns of the cumulative rates, best grade first."""
    return [column for column in row if column.startswith("rate_")]


def grade_counts(rows: Sequence[Row]) -> FloatArray:
    """Return the number of judgements (systems, grades) with each grade, worst grade first.

    Every rate is a whole number of judgements, so that nothing is lost by its rounding.
    """
    rates = np.array([[row[column] for column in rate_columns(row)] for row in rows])
    return np.asarray(np.diff(np.rint(rates * JUDGEMENTS), prepend=0)[:, ::-1])


def adequacy_checks(tables: Tables) -> list[Value]:
    """Return average adequacy of every system from its cumulative rates."""
    about = Value("", ADEQUACY, tr("average"), against=tr("cumulative rates"))
    about = replace(about, tolerance=half_unit(_DECIMALS))
    values = []
    for subtask, rows in tables.items():
        table = replace(about, subject=subtask, table=TABLES[ADEQUACY][subtask])
        means = grade_counts(rows) @ np.arange(1, 6) / JUDGEMENTS
        for row, mean in zip(rows, means.tolist(), strict=True):
            value = replace(table, estimate=Estimate(mean, n=1), published=row["average"])
            values.append(replace(value, systems=row["system"]))
    return values


@dataclass(frozen=True, slots=True)
class PairwiseCheck:
    """A table of acceptability: the mean pairwise score, which must be one half, and its rates.

    ``falling`` names the systems whose cumulative rates fall towards lower grades.
    """

    subtask: str
    systems: int
    mean: float
    falling: tuple[str, ...]

    @property
    def table(self) -> int:
        """The number of the table in the paper."""
        return TABLES[ACCEPTABILITY][self.subtask]

    @property
    def status(self) -> str:
        """``ok`` if the mean is one half up to rounding and no rates fall."""
        good = abs(self.mean - 0.5) <= half_unit(_DECIMALS) and not self.falling
        return OK if good else DIFFERS

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        names = ("table", "subtask", "n=systems")
        about = {"mean": round(self.mean, 6), "expected": 0.5, "status": self.status}
        return fields_json(self, *names, **about, falling_rates=self.falling)


def pairwise_checks(tables: Tables) -> list[PairwiseCheck]:
    """Return tables 7, 11 and 15."""
    return [
        PairwiseCheck(
            subtask,
            len(rows),
            float(np.mean([row["pairwise"] for row in rows])),
            tuple(
                row["system"]
                for row, counts in zip(rows, grade_counts(rows), strict=True)
                if (counts < 0).any()
            ),
        )
        for subtask, rows in tables.items()
    ]


def consistency_tables(averages: Sequence[Value], pairwise: Sequence[PairwiseCheck]) -> list[Table]:
    """Return a summary by published table, and every inconsistent row of adequacy."""
    columns = (
        Column(tr("table")),
        Column(tr("subtask")),
        Column(tr("check")),
        Column(tr("systems"), 0),
        Column(tr("fit"), 0),
        Column(tr("largest difference"), 4),
        Column(tr("status")),
    )
    rows: list[tuple[Cell, ...]] = []
    for (place, subtask), values in grouped(averages, lambda one: (one.place, one.subject)).items():
        fit = sum(value.status == OK for value in values)
        largest = max((value.difference or 0.0 for value in values), key=abs)
        status = OK if fit == len(values) else DIFFERS
        what = tr("average = 1 + sum of the rates")
        rows.append((place, subtask, what, len(values), fit, largest, status))
    for check in pairwise:
        what = tr("mean pairwise score {mean:.4f} = ½; rates never fall", mean=check.mean)
        fit = check.systems - len(check.falling)
        cells = (check.systems, fit, check.mean - 0.5, check.status)
        place = tr("Table {number}", number=check.table)
        rows.append((place, check.subtask, what, *cells))
    overview = Table(tr("Consistency of the human tables"), columns, tuple(rows))
    wrong = [value for value in averages if value.status != OK]
    return [overview, values_table(tr("Averages that do not fit"), wrong)] if wrong else [overview]


def figures(human: Mapping[str, Tables]) -> list[Bars]:
    """Return figures 2 to 7: the share of each grade by system, best first."""
    drawn = []
    for criterion, tables in human.items():
        for subtask, rows in tables.items():
            shares = grade_counts(rows)[:, ::-1] / JUDGEMENTS
            grades = [column.split("_")[1] for column in rate_columns(rows[0])]
            title = tr(
                "Figure {number}, {direction}: {criterion}",
                number=FIGURES[criterion][subtask],
                direction=DIRECTIONS[subtask],
                criterion=criterion,
            )
            score = tr("average adequacy") if criterion == ADEQUACY else tr("pairwise score")
            bars = tuple(
                StackedBar(row["system"], tuple(share.tolist()), row[SCORES[criterion]])
                for row, share in zip(rows, shares, strict=True)
            )
            note = tr(
                "Drawn from Table {number}. The number is the {score}.",
                number=TABLES[criterion][subtask],
                score=score,
            )
            drawn.append(Bars(title, tr("judgements"), tuple(grades), bars, note, tr("Figures"), 3))
    return sorted(drawn, key=lambda bars: bars.title)
