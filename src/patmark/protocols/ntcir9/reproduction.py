"""Do the human tables of NTCIR-9 agree with themselves? And what of them cannot be recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Estimate
from patmark.evaluation import Settings, correlate_systems, sampling_signature
from patmark.evaluation.meta.systems import resampling_json
from patmark.protocols import published
from patmark.protocols.reproduction import (
    DIFFERS,
    OK,
    Quantity,
    ReproducedValue,
    Reproduction,
    quantities_table,
    side_by_side_table,
    summary,
    values_table,
)
from patmark.report import Column, Point, Report, Scatter, Table

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


TOLERANCE = 0.0015
METRICS = ("BLEU", "NIST", "RIBES")
ALL, WITHOUT_RBMT = "all", "without RBMT"
_AGAINST = "average adequacy"
_PUBLISHED_STATISTICS = ("spearman", "pearson")
_TYPES = ("SMT", "RBMT", "HYBRID", "EBMT")  # in this order, marks are the same in all charts
_DIRECTIONS = {
    "CE": "Chinese to English",
    "JE": "Japanese to English",
    "EJ": "English to Japanese",
}


@dataclass(frozen=True, slots=True)
class _System:
    """A system with both kinds of scores; a metric is None where the source has no value."""

    name: str
    type: str
    adequacy: float
    metrics: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class _Recomputed:
    """Everything that was computed, before it is shown."""

    systems: dict[str, list[_System]]
    values: list[ReproducedValue]
    more: list[Quantity]
    averages: list[ReproducedValue]
    pairwise: list[PairwiseCheck]
    resampling: dict[str, Any]


def reproduce_ntcir9(settings: Settings | None = None) -> Reproduction:
    """Tables 19 and 20 beside the printed values, what the paper leaves out, and checks."""
    settings = settings or Settings()
    systems = {subtask: _systems(subtask) for subtask in published.SUBTASKS}
    meta = published.ntcir9_meta()
    correlated = [_correlate(row, systems[row.subtask], settings) for row in meta]
    done = _Recomputed(
        systems,
        [value for each in correlated for value in each.values],
        [quantity for each in correlated for quantity in each.more],
        adequacy_checks(),
        pairwise_checks(),
        resampling_json(settings, sum(each.undefined for each in correlated)),
    )
    report = _report(done)
    return Reproduction(report, _result(done, report.notes))


def _report(done: _Recomputed) -> Report:
    return Report(
        title="NTCIR-9 PatentMT: published tables computed again",
        subtitle=summary(done.values, f"within {TOLERANCE}"),
        headlines=(),
        tables=(
            _table(19, ALL, done.values), _table(20, WITHOUT_RBMT, done.values),
            _more_table(done.more), *consistency_tables(done.averages, done.pairwise),
            validation_table(),
        ),
        signatures={
            "source": "Goto et al. 2011, NTCIR-9 overview, Tables 5–23",
            "intervals": sampling_signature(done.resampling),
        },
        notes=tuple(_notes(done.values)),
        charts=tuple(_charts(done.systems)),
    )  # fmt: skip


def _result(done: _Recomputed, notes: Sequence[str]) -> dict[str, Any]:
    return {
        "study": "ntcir9",
        "tolerance": TOLERANCE,
        "rows": [value.to_json() for value in done.values],
        "more": [quantity.to_json() for quantity in done.more],
        "consistency": [value.to_json() for value in done.averages],
        "pairwise": [check.to_json() for check in done.pairwise],
        "validation": validation_json(),
        "notes": list(notes),
        "resampling": done.resampling,
    }


@dataclass(frozen=True, slots=True)
class _Correlated:
    values: list[ReproducedValue]
    more: list[Quantity]
    undefined: int


def _systems(subtask: str) -> list[_System]:
    automatic = {row.system: row for row in published.ntcir9_automatic(subtask)}
    return [
        _System(
            row.system, row.type, row.average,
            {metric: getattr(automatic[row.system], metric.lower()) for metric in METRICS},
        )
        for row in published.ntcir9_adequacy(subtask)
    ]  # fmt: skip


def _correlate(
    row: published.MetaRow, systems: Sequence[_System], settings: Settings
) -> _Correlated:
    """One row of Table 19 or 20, and the statistics that the paper does not have."""
    chosen = [each for each in systems if row.systems == ALL or each.type != "RBMT"]
    known = [(value, each) for each in chosen if (value := each.metrics[row.metric]) is not None]
    missing = tuple(each.name for each in chosen if each.metrics[row.metric] is None)
    found = correlate_systems(
        [each.adequacy for _, each in known], [value for value, _ in known], settings
    )
    quantities = {
        name: Quantity(
            row.subtask, row.metric, _AGAINST, row.systems, name, estimate,
            row.table if name in _PUBLISHED_STATISTICS else None, missing=missing,
        )
        for name, estimate in found.estimates.items()
    }  # fmt: skip
    values = [_beside(quantities.pop(name), getattr(row, name)) for name in _PUBLISHED_STATISTICS]
    return _Correlated(values, list(quantities.values()), found.undefined)


def _beside(quantity: Quantity, printed: float) -> ReproducedValue:
    agrees = abs(quantity.estimate.value - printed) <= TOLERANCE
    return ReproducedValue(quantity, printed, agrees)


def _table(number: int, systems: str, values: Sequence[ReproducedValue]) -> Table:
    chosen = [value for value in values if value.quantity.table == number]
    return side_by_side_table(
        f"Table {number}: average adequacy and metrics, systems: {systems}", chosen,
        "n and the intervals (95 %, over systems) are not in the paper.",
    )  # fmt: skip


def _more_table(more: Sequence[Quantity]) -> Table:
    return quantities_table(
        "Not in the paper: agreement of the orders", more,
        "Pairwise accuracy: share of pairs of systems that the metric orders as adequacy does.",
    )  # fmt: skip


def _notes(values: Sequence[ReproducedValue]) -> list[str]:
    found = {
        (each.subtask, each.metric, each.statistic, each.systems): each.estimate.value
        for each in (value.quantity for value in values)
    }
    pairs = [
        (found[subtask, metric, statistic, ALL], without)
        for (subtask, metric, statistic, systems), without in found.items()
        if systems == WITHOUT_RBMT
    ]
    risen = sum(without > with_all for with_all, without in pairs)
    lesson = (
        "Correlation depends on the types of the systems: people rate rule-based (RBMT) systems "
        f"higher than BLEU and NIST do. Without them {risen} of {len(pairs)} correlations rise."
    )
    return [lesson, *_missing_notes(values)]


def _missing_notes(values: Sequence[ReproducedValue]) -> list[str]:
    """One note for each metric that lacks an input, with what was computed without it."""
    lacking: dict[tuple[str, str], list[ReproducedValue]] = {}
    for value in values:
        if value.quantity.missing:
            key = (value.quantity.subtask, value.quantity.metric)
            lacking.setdefault(key, []).append(value)
    notes = []
    for (subtask, metric), rows in lacking.items():
        names = ", ".join(rows[0].quantity.missing)
        computed = "; ".join(
            f"{row.quantity.statistic}, {row.quantity.systems}, n = {row.quantity.estimate.n}: "
            f"{row.quantity.estimate.value:.3f} (printed {row.published:.3f})"
            for row in rows
        )
        notes.append(
            f"{subtask} {metric}: the {metric} of {names} is not readable in the source and is "
            f"not guessed. Without this system: {computed}."
        )
    return notes


def _charts(systems: dict[str, list[_System]]) -> list[Scatter]:
    return [
        _chart(subtask, metric, chosen) for subtask, chosen in systems.items() for metric in METRICS
    ]


def _chart(subtask: str, metric: str, systems: Sequence[_System]) -> Scatter:
    points = tuple(
        Point(value, each.adequacy, each.name, each.type)
        for each in sorted(systems, key=lambda each: _TYPES.index(each.type))
        if (value := each.metrics[metric]) is not None
    )
    missing = [each.name for each in systems if each.metrics[metric] is None]
    return Scatter(
        f"{_DIRECTIONS[subtask]}: {metric} and average adequacy", metric, _AGAINST, points,
        f"Not shown, as its {metric} is not readable in the source: {', '.join(missing)}."
        if missing else "",
    )  # fmt: skip
