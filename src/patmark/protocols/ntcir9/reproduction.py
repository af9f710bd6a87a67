"""NTCIR-9 computed again: correlations of metrics with adequacy, and checks of human tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from patmark.data import Estimate
from patmark.evaluation import Sampling, SystemSampling
from patmark.protocols.reproduction import (
    DIFFERS,
    OK,
    PUBLISHED_ONLY,
    QUANTITY_KEYS,
    Reproduction,
    Row,
    Study,
    Value,
    correlated,
    grouped,
    published_rows,
    quantities_table,
    side_by_side_table,
    summary,
    values_table,
)
from patmark.report import Cell, Column, Point, Report, Scatter, Table

TOLERANCE = 0.0015
METRICS = ("BLEU", "NIST", "RIBES")
DIRECTIONS = {
    "CE": "Chinese to English",
    "JE": "Japanese to English",
    "EJ": "English to Japanese",
}
ALL, WITHOUT_RBMT = "all", "without RBMT"
_ADEQUACY_TABLES = {"CE": 5, "JE": 9, "EJ": 13}
_ACCEPTABILITY_TABLES = {"CE": 7, "JE": 11, "EJ": 15}
_AVERAGE_TOLERANCE = 0.001
_MEAN_TOLERANCE = 0.0005  # the scores are printed with three decimals
_AGAINST = "average adequacy"
_TYPES = ("SMT", "RBMT", "HYBRID", "EBMT")  # in this order, marks are the same in all charts
_VALIDATION_NOTE = (
    "Published values only: the judgements of single sentences are not public, so that these "
    "correlations cannot be computed again."
)


def ntcir9_tables(name: str) -> dict[str, list[Row]]:
    """The tables ``adequacy``, ``acceptability`` or ``automatic`` by subtask."""
    return {subtask: published_rows(f"ntcir9/{name}_{subtask}.csv") for subtask in DIRECTIONS}


def reproduce_ntcir9(sampling: Sampling | None = None) -> Reproduction:
    """Tables 19 and 20 beside the printed values, what the paper leaves out, and checks."""
    sampling = sampling or Sampling()
    adequacy, automatic = ntcir9_tables("adequacy"), ntcir9_tables("automatic")
    systems = {subtask: _joined(adequacy[subtask], automatic[subtask]) for subtask in DIRECTIONS}
    values: list[Value] = []
    more: list[Value] = []
    undefined = 0
    for row in published_rows("ntcir9/meta_published.csv"):
        found, without_value = _correlate(row, systems[row["subtask"]], sampling)
        values += [value for value in found if value.published is not None]
        more += [value for value in found if value.published is None]
        undefined += without_value
    drawn = SystemSampling(sampling.resamples, sampling.seed, undefined)
    averages, pairwise = adequacy_checks(adequacy), pairwise_checks(ntcir9_tables("acceptability"))
    validation = published_rows("ntcir9/validation_published.csv")
    notes = (_lesson(values), *_missing_notes(values))
    report = Report(
        title="NTCIR-9 PatentMT: published tables computed again",
        subtitle=summary(values, f"within {TOLERANCE}"),
        headlines=(),
        tables=(
            *(_table(table, chosen, values) for table, chosen in ((19, ALL), (20, WITHOUT_RBMT))),
            quantities_table(
                "Not in the paper: agreement of the orders",
                more,
                "Pairwise accuracy: share of pairs of systems that the metric orders as adequacy "
                "does.",
            ),
            *consistency_tables(averages, pairwise),
            _validation_table(validation),
        ),
        signatures={
            "source": "Goto et al. 2011, NTCIR-9 overview, Tables 5–23",
            "intervals": drawn.signature,
        },
        notes=notes,
        charts=tuple(
            _chart(subtask, metric, chosen)
            for subtask, chosen in systems.items()
            for metric in METRICS
        ),
    )
    result = {
        "study": "ntcir9",
        "tolerance": TOLERANCE,
        "rows": [value.to_json() for value in values],
        "more": [value.to_json(QUANTITY_KEYS) for value in more],
        "consistency": [value.to_json() for value in averages],
        "pairwise": [check.to_json() for check in pairwise],
        "validation": [_validation_json(row) for row in validation],
        "notes": notes,
        "resampling": drawn.to_json(),
    }
    return Reproduction(result, report)


STUDY = Study(reproduce_ntcir9)


def _joined(adequacy: Sequence[Row], automatic: Sequence[Row]) -> list[Row]:
    """Each judged system with its automatic scores under the names of the metrics."""
    scores = {row["system"]: row for row in automatic}
    return [
        {**row, **{metric: scores[row["system"]][metric.lower()] for metric in METRICS}}
        for row in adequacy
    ]


def _correlate(row: Row, systems: Sequence[Row], sampling: Sampling) -> tuple[list[Value], int]:
    """A row of Table 19 or 20, the statistics that the paper lacks, and undefined resamples."""
    metric = row["item"]
    chosen = [one for one in systems if row["systems"] == ALL or one["type"] != "RBMT"]
    known = [one for one in chosen if one[metric] is not None]
    missing = tuple(one["system"] for one in chosen if one[metric] is None)
    about = Value(
        row["subtask"],
        metric,
        against=_AGAINST,
        systems=row["systems"],
        table=row["table"],
        missing=missing,
        tolerance=TOLERANCE,
    )
    adequacy, scores = [one["average"] for one in known], [one[metric] for one in known]
    printed = {name: row[name] for name in ("spearman", "pearson")}
    return correlated(about, adequacy, scores, sampling, printed)


def adequacy_checks(tables: Mapping[str, Sequence[Row]]) -> list[Value]:
    """Average adequacy of every system from its cumulative rates.

    A grade of g counts in the rates of "1 or higher" to "g or higher", so the mean is the sum of
    all rates; the rate of "1 or higher" is one.
    """
    about = Value("", "adequacy", "average", against="cumulative rates")
    values = []
    for subtask, rows in tables.items():
        table = replace(about, subject=subtask, table=_ADEQUACY_TABLES[subtask])
        for row in rows:
            mean = Estimate(1 + sum(_rates(row)[:-1]), n=1)
            value = replace(table, estimate=mean, published=row["average"], systems=row["system"])
            values.append(replace(value, tolerance=_AVERAGE_TOLERANCE))
    return values


def _rates(row: Row) -> list[float]:
    """Cumulative rates of grades, best grade first."""
    return [value for column, value in row.items() if column.startswith("rate_")]


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
        return _ACCEPTABILITY_TABLES[self.subtask]

    @property
    def status(self) -> str:
        """``ok`` if the mean is one half but for rounding and no rates fall."""
        good = abs(self.mean - 0.5) <= _MEAN_TOLERANCE and not self.falling
        return OK if good else DIFFERS

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        return {
            "table": self.table,
            "subtask": self.subtask,
            "n": self.systems,
            "mean": round(self.mean, 6),
            "expected": 0.5,
            "status": self.status,
            "falling_rates": list(self.falling),
        }


def pairwise_checks(tables: Mapping[str, Sequence[Row]]) -> list[PairwiseCheck]:
    """Tables 7, 11 and 15."""
    return [
        PairwiseCheck(
            subtask,
            len(rows),
            float(np.mean([row["pairwise"] for row in rows])),
            tuple(row["system"] for row in rows if (np.diff(_rates(row)) < 0).any()),
        )
        for subtask, rows in tables.items()
    ]


def consistency_tables(averages: Sequence[Value], pairwise: Sequence[PairwiseCheck]) -> list[Table]:
    """A summary by published table, and every row of adequacy that does not fit."""
    columns = (
        Column("table"),
        Column("subtask"),
        Column("check"),
        Column("systems", 0),
        Column("fit", 0),
        Column("largest difference", 4),
        Column("status"),
    )
    rows: list[tuple[Cell, ...]] = []
    for (place, subtask), values in grouped(averages, lambda one: (one.place, one.subject)).items():
        fit = sum(value.status == OK for value in values)
        largest = max((value.difference or 0.0 for value in values), key=abs)
        status = OK if fit == len(values) else DIFFERS
        what = "average = 1 + sum of the rates"
        rows.append((place, subtask, what, len(values), fit, largest, status))
    for check in pairwise:
        what = f"mean pairwise score {check.mean:.4f} = ½; rates never fall"
        fit = check.systems - len(check.falling)
        told = (check.systems, fit, check.mean - 0.5, check.status)
        rows.append((f"Table {check.table}", check.subtask, what, *told))
    overview = Table("Consistency of the human tables", columns, tuple(rows))
    wrong = [value for value in averages if value.status != OK]
    return [overview, values_table("Averages that do not fit", wrong)] if wrong else [overview]


def _table(number: int, systems: str, values: Sequence[Value]) -> Table:
    return side_by_side_table(
        f"Table {number}: average adequacy and metrics, systems: {systems}",
        [value for value in values if value.table == number],
        "n and the intervals (95 %, over systems) are not in the paper.",
    )


def _validation_table(rows: Sequence[Row]) -> Table:
    """Tables 17 and 18, as printed."""
    names = ("table", "subtask", "criterion", "between")
    columns = (*map(Column, names), Column("Pearson, published", 3))
    cells = tuple(
        (f"Table {row['table']}", row["subtask"], row["criterion"], row["between"], row["pearson"])
        for row in rows
    )
    return Table("Tables 17 and 18: validation", columns, cells, _VALIDATION_NOTE)


def _validation_json(row: Row) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("table", "subtask", "criterion", "between")},
        "statistic": "pearson",
        "published": row["pearson"],
        "recomputed": None,
        "status": PUBLISHED_ONLY,
    }


def _lesson(values: Sequence[Value]) -> str:
    found = {
        (one.subject, one.metric, one.statistic, one.systems): one.recomputed or 0.0
        for one in values
    }
    pairs = [
        (found[subtask, metric, statistic, ALL], without)
        for (subtask, metric, statistic, systems), without in found.items()
        if systems == WITHOUT_RBMT
    ]
    risen = sum(without > with_all for with_all, without in pairs)
    return (
        "Correlation depends on the types of the systems: people rate rule-based (RBMT) systems "
        f"higher than BLEU and NIST do. Without them {risen} of {len(pairs)} correlations rise."
    )


def _missing_notes(values: Sequence[Value]) -> list[str]:
    """One note for each metric that lacks an input, with what was computed without it."""
    lacking = grouped((one for one in values if one.missing), lambda one: (one.subject, one.metric))
    notes = []
    for (subtask, metric), found in lacking.items():
        computed = "; ".join(
            f"{one.statistic}, {one.systems}, n = {one.estimate.n}: {one.estimate.value:.3f} "
            f"(printed {one.published:.3f})"
            for one in found
            if one.estimate
        )
        notes.append(
            f"{subtask} {metric}: the {metric} of {', '.join(found[0].missing)} is not readable in "
            f"the source and is not guessed. Without this system: {computed}."
        )
    return notes


def _chart(subtask: str, metric: str, systems: Sequence[Row]) -> Scatter:
    points = tuple(
        Point(one[metric], one["average"], one["system"], one["type"])
        for one in sorted(systems, key=lambda one: _TYPES.index(one["type"]))
        if one[metric] is not None
    )
    missing = ", ".join(one["system"] for one in systems if one[metric] is None)
    note = f"Not shown, as its {metric} is not readable in the source: {missing}."
    title = f"{DIRECTIONS[subtask]}: {metric} and average adequacy"
    return Scatter(title, metric, _AGAINST, points, note if missing else "")
