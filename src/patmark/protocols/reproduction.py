"""What the reproductions of published tables share: values side by side, and their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Estimate
from patmark.report import Cell, Column, Report, Table

OK = "ok"
DIFFERS = "differs"
INPUT_MISSING = "input missing"
_SYMBOLS = {"spearman": "ρ", "pearson": "r"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number: a statistic of a metric against something else, over a set of systems.

    ``table`` or ``figure`` says where the paper has it, if it does; ``estimate.n`` counts systems.
    ``missing`` names the systems that belong to the set and whose input is not readable in the
    source; the quantity was computed without them.
    """

    subtask: str
    metric: str
    against: str
    systems: str
    statistic: str
    estimate: Estimate
    table: int | None = None
    figure: int | None = None
    missing: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where the paper has it, in words."""
        if self.table is not None:
            return f"Table {self.table}"
        return "" if self.figure is None else f"Figure {self.figure}"

    def to_json(self) -> dict[str, Any]:
        """A stable shape; a value that is not defined is null."""
        return {
            "table": self.table, "figure": self.figure, "subtask": self.subtask,
            "metric": self.metric, "against": self.against, "systems": self.systems,
            "n": self.estimate.n, "statistic": self.statistic,
            "recomputed": _finite(self.estimate.value),
            "ci": [_finite(end) for end in self.estimate.ci] if self.estimate.ci else None,
            "missing": list(self.missing),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReproducedValue:
    """A recomputed quantity beside the published one.

    Where an input is missing the two are not comparable, however close they are.
    """

    quantity: Quantity
    published: float
    agrees: bool

    @property
    def difference(self) -> float:
        """Recomputed minus published."""
        return self.quantity.estimate.value - self.published

    @property
    def status(self) -> str:
        """One of ``ok``, ``differs``, ``input missing``."""
        return INPUT_MISSING if self.quantity.missing else OK if self.agrees else DIFFERS

    def to_json(self) -> dict[str, Any]:
        """The quantity with what was published."""
        return {
            **self.quantity.to_json(), "published": self.published,
            "difference": _finite(round(self.difference, 6)), "status": self.status,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """A published study computed again: a report to read and a result for programs."""

    report: Report
    result: Mapping[str, Any]


def summary(values: Sequence[ReproducedValue], within: str) -> str:
    """How many published values come out again, in words."""
    counts = Counter(value.status for value in values)
    parts = [f"{counts[OK]} of {len(values)} published values agree {within}"]
    if counts[INPUT_MISSING]:
        parts.append(f"{counts[INPUT_MISSING]} lack an input")
    if counts[DIFFERS]:
        parts.append(f"{counts[DIFFERS]} differ")
    return "; ".join(parts)


def values_table(
    title: str, values: Sequence[ReproducedValue], decimals: int = 3, note: str = ""
) -> Table:
    """Recomputed and published values side by side."""
    columns = (
        Column("subtask"), Column("metric"), Column("systems"), Column("statistic"),
        Column("n", 0), Column("recomputed", decimals), Column("published", decimals),
        Column("difference", decimals + 1), Column("status"),
    )  # fmt: skip
    rows = tuple(
        (
            quantity.subtask, quantity.metric, quantity.systems, quantity.statistic,
            _count(quantity), quantity.estimate, value.published, value.difference, value.status,
        )
        for value in values
        for quantity in (value.quantity,)
    )  # fmt: skip
    return Table(title, columns, rows, note)


def side_by_side_table(title: str, values: Sequence[ReproducedValue], note: str = "") -> Table:
    """One row per metric: every statistic recomputed, and beside it as published.

    For values of one set of systems, which the title names.
    """
    names = list(dict.fromkeys(value.quantity.statistic for value in values))
    grouped: dict[tuple[str, str], dict[str, ReproducedValue]] = {}
    for value in values:
        key = (value.quantity.subtask, value.quantity.metric)
        grouped.setdefault(key, {})[value.quantity.statistic] = value
    columns = [Column("metric")]
    for name in names:
        columns += [Column(name, 3), Column(f"printed {_SYMBOLS.get(name, name)}", 3)]
    rows: list[tuple[Cell, ...]] = []
    for key, found in grouped.items():
        cells: list[Cell] = [" ".join(key)]
        for name in names:
            cells += [found[name].quantity.estimate, found[name].published]
        statuses = dict.fromkeys(value.status for value in found.values())
        rows.append((*cells, _count(next(iter(found.values())).quantity), ", ".join(statuses)))
    compared = [abs(value.difference) for value in values if not value.quantity.missing]
    largest = f" Largest difference: {max(compared):.4f}." if compared else ""
    return Table(
        title, (*columns, Column("n", 0), Column("status")), tuple(rows), f"{note}{largest}"
    )


def quantities_table(title: str, quantities: Sequence[Quantity], note: str = "") -> Table:
    """Quantities that the paper does not print: one row per relation, one column per statistic."""
    names = list(dict.fromkeys(quantity.statistic for quantity in quantities))
    grouped: dict[tuple[str, ...], dict[str, Quantity]] = {}
    for each in quantities:
        relation = (each.place, each.subtask, each.metric, each.against, each.systems)
        grouped.setdefault(relation, {})[each.statistic] = each
    first = 0 if any(key[0] for key in grouped) else 1
    labels = ("place", "subtask", "metric", "against", "systems")[first:]
    columns = (*map(Column, labels), Column("n", 0), *(Column(name, 3) for name in names))
    rows: list[tuple[Cell, ...]] = []
    for key, found in grouped.items():
        estimates = (found[name].estimate if name in found else None for name in names)
        rows.append((*key[first:], _count(next(iter(found.values()))), *estimates))
    return Table(title, columns, tuple(rows), note)


def _count(quantity: Quantity) -> Cell:
    n = quantity.estimate.n
    return f"{n} of {n + len(quantity.missing)}" if quantity.missing else n


def _finite(value: float) -> float | None:
    return value if value == value else None
