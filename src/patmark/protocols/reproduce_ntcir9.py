"""NTCIR-9 PatentMT computed again from its published tables: metrics against human adequacy.

Tables 19 and 20 of the overview follow from the adequacy tables (5, 9, 13) and the tables of
automatic scores (21 to 23). "Without RBMT" leaves out the systems whose type in the adequacy table
is RBMT. The judgements of single sentences are not public, so what rests on them (Tables 17 and
18, sign tests) cannot be computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Point, Report, Scatter, Table
from patmark.protocols import published
from patmark.protocols.evaluation import Settings
from patmark.protocols.ntcir9_consistency import (
    PairwiseCheck,
    adequacy_checks,
    consistency_tables,
    pairwise_checks,
    validation_json,
    validation_table,
)
from patmark.protocols.reproduction import (
    Quantity,
    ReproducedValue,
    Reproduction,
    quantities_table,
    side_by_side_table,
    summary,
)
from patmark.protocols.system_correlations import (
    correlate_systems,
    resampling_json,
    sampling_signature,
)

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
