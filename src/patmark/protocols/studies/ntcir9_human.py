"""The human tables of NTCIR-9: figures, consistency, and which systems they tell apart."""

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
    published_rows,
    values_table,
)
from patmark.protocols.studies.rounding import half_unit
from patmark.report import Bars, Cell, Column, StackedBar, Table
from patmark.stats import normal_cdf
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
LEVELS = (0.05, 0.01)
_DECIMALS = 3

Tables: TypeAlias = Mapping[str, Sequence[Row]]
"""Rows by subtask."""


def ntcir9_tables(name: str) -> dict[str, list[Row]]:
    """Return the tables ``adequacy``, ``acceptability`` or ``automatic`` by subtask."""
    return {subtask: published_rows(f"ntcir9/{name}_{subtask}.csv") for subtask in DIRECTIONS}


def rate_columns(row: Row) -> list[str]:
    """Return the columns of the cumulative rates, best grade first."""
    return [column for column in row if column.startswith("rate_")]


def grade_counts(rows: Sequence[Row]) -> FloatArray:
    """Return the number of judgements (systems, grades) have each grade, worst grade first.

    Every rate is a whole number of judgements, so that nothing is lost by its rounding.
    """
    rates = np.array([[row[column] for column in rate_columns(row)] for row in rows])
    return np.asarray(np.diff(np.rint(rates * JUDGEMENTS), prepend=0)[:, ::-1])


def adequacy_checks(tables: Tables) -> list[Value]:
    """Average adequacy of every system from its cumulative rates."""
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
        """``ok`` if the mean is one half but for rounding and no rates fall."""
        good = abs(self.mean - 0.5) <= half_unit(_DECIMALS) and not self.falling
        return OK if good else DIFFERS

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return {
            "table": self.table,
            "subtask": self.subtask,
            "n": self.systems,
            "mean": round(self.mean, 6),
            "expected": 0.5,
            "status": self.status,
            "falling_rates": list(self.falling),
        }


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
    """Return a summary by published table, and every row of adequacy that does not fit."""
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
        told = (check.systems, fit, check.mean - 0.5, check.status)
        place = tr("Table {number}", number=check.table)
        rows.append((place, check.subtask, what, *told))
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


def rank_sum_p(counts: FloatArray) -> FloatArray:
    """Return two-sided Mann-Whitney p-values of all pairs from counts (systems, grades)."""
    n = counts.sum(axis=1)
    both = n[:, None] + n
    above = counts @ (counts.cumsum(axis=1) - counts / 2).T
    tied = counts[:, None] + counts
    ties = (tied**3 - tied).sum(axis=-1) / (both * (both - 1))
    spread = np.sqrt(n[:, None] * n / 12 * (both + 1 - ties))
    distance = np.abs(above - n[:, None] * n / 2) / spread
    return np.asarray(2 * np.vectorize(normal_cdf)(-distance))


def pairs_in_order(human: Mapping[str, Tables], automatic: Tables) -> list[Row]:
    """Return the share of pairs that each metric orders as people do, by their certainty.

    The ``pairs`` are those that people tell apart at a level, ``right`` those that the metric
    orders so; level 1 takes all pairs in.
    """
    found = []
    for criterion, tables in human.items():
        for subtask, rows in tables.items():
            scores = {row["system"]: row for row in automatic[subtask]}
            one, other = np.triu_indices(len(rows), 1)
            p = rank_sum_p(grade_counts(rows))[one, other]
            people = np.array([row[SCORES[criterion]] for row in rows])
            for metric in METRICS:
                named = [scores[row["system"]][metric.lower()] for row in rows]
                gap = np.subtract(*(np.array(named, np.float64)[each] for each in (one, other)))
                same = np.sign(gap) == np.sign(people[one] - people[other])
                for level in (1.0, *LEVELS):
                    chosen = (p <= level) & ~np.isnan(gap)
                    pairs, right = int(chosen.sum()), int((same & chosen).sum())
                    row: Row = {"subtask": subtask, "criterion": criterion, "metric": metric}
                    row |= {"level": level, "pairs": pairs, "right": right}
                    found.append(row | {"accuracy": right / pairs if pairs else None})
    return found


def pairs_table(found: Sequence[Row]) -> Table:
    """Return the share of pairs in the right order by level, one row per metric and criterion."""
    columns = [Column(tr("subtask")), Column(tr("criterion")), Column(tr("metric"))]
    for name in (tr("all"), *(f"p ≤ {level}" for level in LEVELS)):
        columns += [
            Column(tr("pairs, {name}", name=name), 0),
            Column(tr("in order, {name}", name=name), 3),
        ]
    rows: dict[tuple[str, ...], list[Cell]] = {}
    for each in found:
        cells = rows.setdefault((each["subtask"], each["criterion"], each["metric"]), [])
        cells += [each["pairs"], each["accuracy"]]
    return Table(
        tr("Not in the paper: metrics on pairs of systems that people tell apart"),
        tuple(columns),
        tuple((*names, *cells) for names, cells in rows.items()),
        tr(
            "p: two-sided rank-sum test of the printed rates ({judgements} judgements of "
            "each system, taken as independent). It stands for the sign tests of the "
            "paper, which compare the two translations of each sentence and whose tables "
            "are not readable in the source.",
            judgements=JUDGEMENTS,
        ),
    )


def priorities(systems: Tables) -> list[Row]:
    """Return teams with several printed runs, with the run of priority 1 and the best run."""
    columns = {ADEQUACY: SCORES[ADEQUACY], **{metric: metric for metric in METRICS}}
    found = []
    for subtask, rows in systems.items():
        groups: dict[str, list[Row]] = {}
        for row in sorted(rows, key=lambda row: str(row["system"])):
            groups.setdefault(row["system"].rpartition("-")[0], []).append(row)
        for group, runs in groups.items():
            if len(runs) > 1:
                best = {
                    score: max(runs, key=lambda run: run[column])["system"]
                    for score, column in columns.items()
                }
                named = tuple(run["system"] for run in runs)
                found.append({"subtask": subtask, "group": group, "runs": named, "best": best})
    return found


def priorities_table(found: Sequence[Row]) -> Table:
    """Return one row for each group, the best run by each score."""
    scores = list(found[0]["best"]) if found else []
    columns = (
        Column(tr("subtask")),
        Column(tr("runs")),
        *(Column(tr("best {score}", score=score)) for score in scores),
    )
    rows = tuple((one["subtask"], ", ".join(one["runs"]), *one["best"].values()) for one in found)
    good = sum(one["best"]["adequacy"] == one["runs"][0] for one in found)
    return Table(
        tr("Is priority 1 the best run of a group?"),
        columns,
        rows,
        tr(
            "By adequacy in {good} of {n} cases. Tables 21–23 are known for the runs with "
            "human scores alone; of all 130 runs, these groups have more than one.",
            good=good,
            n=len(found),
        ),
    )
