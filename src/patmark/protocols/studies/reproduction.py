"""Reproduction of published studies: a recomputed value with the printed one.

The folder ``published`` holds the numbers that papers have printed; its SOURCES.md names them.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any, TypeAlias, TypeVar

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.evaluation import Sampling, correlate_systems
from patmark.report import (
    Cell,
    Column,
    Report,
    Result,
    Table,
    clauses,
    plain,
    sentences,
)
from patmark.stats import Coefficient, pearson, spearman
from patmark.wording import tr, yes_or_no

OK = tr("ok")
DIFFERS = tr("differs")
INPUT_MISSING = tr("input missing")
SOLVED = tr("solved")
OTHER_PAIRS = tr("other pairs")
PUBLISHED_ONLY = tr("published only")
QUANTITY_KEYS = (
    "table", "figure", "subtask", "metric", "against", "systems", "n", "statistic", "recomputed",
    "ci", "missing",
)  # fmt: skip
COMPARED_KEYS = (*QUANTITY_KEYS, "published", "difference", "tolerance", "solved", "status")
_SYMBOLS = {"spearman": "ρ", "pearson": "r"}
_SLACK = 1e-9  # relative error of binary fractions, if a difference equals the tolerance
_DIGITS = 6

Row: TypeAlias = dict[str, Any]
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction(Result):
    """A reproduced study."""

    result: Mapping[str, Any]
    report: Report

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return dict(plain(self.result))

    def to_report(self) -> Report:
        """Return recomputed and published values side by side."""
        return self.report


@dataclass(frozen=True, slots=True)
class Study:
    """Recomputation of a published study, with its options besides sampling."""

    run: Callable[..., Reproduction]
    takes: frozenset[str] = frozenset()

    def reproduce(self, sampling: Sampling | None = None, **options: str | None) -> Reproduction:
        """Recompute the study; options that it does not take are ignored."""
        taken = {name: value for name, value in options.items() if name in self.takes}
        return self.run(sampling or Sampling(), **taken)


@dataclass(frozen=True, slots=True)
class Value:
    """A statistic of a metric for one subtask or criterion: recomputed, printed, or both.

    ``estimate`` is None if it cannot be recomputed, ``published`` if the paper does not print it;
    ``table`` or ``figure`` is its place in the paper. Both agree within ``tolerance``, or if
    ``rounding`` maps one to the other. ``missing`` names systems whose input is not available: the
    value was computed without them. If all values that depend on the missing number agree with it
    between two ends, these are ``solved``. A value published for ``published_n`` items is not
    compared with one of another number.
    """

    subject: str
    metric: str
    statistic: str = ""
    estimate: Estimate | None = None
    published: float | None = None
    against: str = ""
    systems: str = ""
    table: int | None = None
    figure: int | None = None
    missing: tuple[str, ...] = ()
    tolerance: float = 0.0
    rounding: Callable[[float], float] | None = None
    published_n: int | None = None
    solved: tuple[float, float] | None = None

    @property
    def recomputed(self) -> float | None:
        """The recomputed value without its interval."""
        return self.estimate.value if self.estimate else None

    @property
    def difference(self) -> float | None:
        """Recomputed minus published, if both are of the same items."""
        if self.estimate is None or self.published is None:
            return None
        if self.published_n not in (None, self.estimate.n):
            return None
        return self.estimate.value - self.published

    @property
    def status(self) -> str:
        """``ok`` if both agree, or the reason why not."""
        if self.estimate is None:
            return PUBLISHED_ONLY
        if self.missing:
            return SOLVED if self.solved else INPUT_MISSING
        if self.difference is None:
            return OTHER_PAIRS
        if self.rounding and math.isfinite(self.estimate.value):
            agrees = self.rounding(round(self.estimate.value, _DIGITS)) == self.published
        else:
            agrees = abs(self.difference) <= self.tolerance + _SLACK
        return OK if agrees else DIFFERS

    @property
    def place(self) -> str:
        """Place in the paper, in words."""
        if self.table is not None:
            return tr("Table {number}", number=self.table)
        return "" if self.figure is None else tr("Figure {number}", number=self.figure)

    @property
    def count(self) -> Cell:
        """Number of items, and the total."""
        if self.estimate is None:
            return None
        n = self.estimate.n
        return tr("{n} of {total}", n=n, total=n + len(self.missing)) if self.missing else n

    def to_json(self, keys: Iterable[str] = COMPARED_KEYS) -> dict[str, Any]:
        """Return the chosen keys, in their order."""
        difference, estimate = self.difference, self.estimate
        computed = {
            "subtask": self.subject,
            "criterion": self.subject,
            "n": estimate.n if estimate else None,
            "ci": estimate.ci if estimate else None,
            "missing": list(self.missing),
            "difference": None if difference is None else round(difference, _DIGITS),
            "tolerance": round(self.tolerance, _DIGITS),
        }
        return {key: computed[key] if key in computed else getattr(self, key) for key in keys}


@dataclass(frozen=True, slots=True)
class PublishedFinding:
    """A statement of the paper, its consistency with the tables, and the deciding numbers."""

    statement: str
    subtask: str
    holds: bool
    evidence: str


def findings_table(found: Sequence[PublishedFinding]) -> Table:
    """Return the statements of the paper, checked against its tables."""
    columns: dict[Column, str | Callable[[PublishedFinding], Cell]] = {
        Column(tr("statement")): "statement",
        Column(tr("subtask")): "subtask",
        Column(tr("holds")): lambda each: yes_or_no(each.holds),
        Column(tr("evidence")): "evidence",
    }
    return Table.of_records(tr("Findings of the paper, checked against its tables"), found, columns)


def correlated(
    about: Value,
    gold: Sequence[float],
    metric: Sequence[float],
    sampling: Sampling,
    printed: Mapping[str, float] | None = None,
    decimals: tuple[int, int, int] = (0, 0, 0),
) -> tuple[list[Value], int]:
    """Return all coefficients of two scores of the same systems, with the printed ones.

    ``about`` names their subject; the number counts undefined resamples. Printed values may differ
    by the rounding of both scores and their own, to that many ``decimals``.
    """
    found = correlate_systems(gold, metric, sampling)
    values = []
    for name, estimate in found.estimates.items():
        value = replace(about, statistic=name, estimate=estimate)
        if printed and name in printed:
            halves = [half_unit(each) for each in decimals]
            bound = BOUNDS[name](np.asarray(gold), np.asarray(metric), *halves[:2])
            value = replace(value, published=printed[name], tolerance=bound + halves[2])
        else:
            value = replace(value, table=None)
        values.append(value)
    return values, found.undefined


def published_rows(name: str) -> list[Row]:
    """Return a file of published numbers; an empty cell is None."""
    text = (resources.files(__package__) / "published" / name).read_text(encoding="utf-8")
    return [
        {column: _cell(column, cell) for column, cell in row.items()}
        for row in csv.DictReader(text.splitlines())
    ]


def _cell(column: str, text: str) -> Any:
    if not text:
        return None
    try:
        return int(text) if column in ("table", "priority") else float(text)
    except ValueError:
        return text


def grouped(values: Iterable[Value], key: Callable[[Value], _Key]) -> dict[_Key, list[Value]]:
    """Return values by a key, with keys in order of first occurrence."""
    found: dict[_Key, list[Value]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return found


def statuses(values: Iterable[Value]) -> str:
    """Return the different statuses of some values."""
    return tr("{parts}", parts=tuple(dict.fromkeys(value.status for value in values)))


def answered(report: Report, sentence: str, found: Sequence[PublishedFinding] = ()) -> Report:
    """Return a report that begins with the number of reproduced values."""
    sentences = [tr("{note}.", note=sentence)]
    if found:
        n = sum(one.holds for one in found)
        sentences.append(tr("{n} of {all} findings of the paper hold.", n=n, all=len(found)))
    return replace(report, findings=(*sentences, *report.findings))


def summary(values: Sequence[Value], within: str, printed_only: int = 0) -> str:
    """Return the number of reproduced values, in words.

    ``printed_only`` counts the values that cannot be recomputed.
    """
    counts = Counter(value.status for value in values)
    agree = tr(
        "{n} of {all} published values agree {within}",
        n=counts[OK],
        all=len(values),
        within=within,
    )
    others = {
        SOLVED: tr("{n} are solved", n=counts[SOLVED]),
        INPUT_MISSING: tr("{n} lack an input", n=counts[INPUT_MISSING]),
        DIFFERS: tr("{n} differ", n=counts[DIFFERS]),
    }
    texts = [text for status, text in others.items() if counts[status]]
    if printed_only:
        texts.append(tr("{n:,} more are printed only", n=printed_only))
    return clauses(agree, *texts)


def values_table(title: str, values: Sequence[Value], decimals: int = 3) -> Table:
    """Return one row per value: recomputed, published, difference and status."""
    columns = {
        Column(tr("subtask")): "subject",
        Column(tr("metric")): "metric",
        Column(tr("systems")): "systems",
        Column(tr("statistic")): "statistic",
        Column("n", 0): "count",
        Column(tr("recomputed"), decimals): "estimate",
        Column(tr("published"), decimals): "published",
        Column(tr("difference"), decimals + 1): "difference",
        Column(tr("status")): "status",
    }
    return Table.of_records(title, values, columns)


def side_by_side_table(title: str, values: Sequence[Value], note: str) -> Table:
    """Return one row per metric: every statistic recomputed and printed."""
    by_metric = grouped(values, lambda one: f"{one.subject} {one.metric}")
    columns = [Column(tr("metric"))]
    for name in dict.fromkeys(value.statistic for value in values):
        columns += [
            Column(name, 3),
            Column(tr("printed {symbol}", symbol=_SYMBOLS.get(name, name)), 3),
        ]
    rows: list[tuple[Cell, ...]] = []
    for metric, found in by_metric.items():
        cells: list[Cell] = [cell for one in found for cell in (one.estimate, one.published)]
        rows.append((metric, *cells, found[0].count, statuses(found)))
    differences = (one.difference for one in values if not one.missing)
    compared = [abs(one) for one in differences if one is not None]
    if compared:
        note = sentences(note, tr("Largest difference: {value:.4f}.", value=max(compared)))
    return Table(title, (*columns, Column("n", 0), Column(tr("status"))), tuple(rows), note)


def quantities_table(title: str, values: Sequence[Value], note: str) -> Table:
    """Return quantities that the paper does not print, one row per relation."""
    relations = grouped(
        values, lambda one: (one.place, one.subject, one.metric, one.against, one.systems)
    )
    names = list(dict.fromkeys(value.statistic for value in values))
    first = 0 if any(key[0] for key in relations) else 1
    labels = (tr("place"), tr("subtask"), tr("metric"), tr("against"), tr("systems"))[first:]
    columns = (*map(Column, labels), Column("n", 0), *(Column(name, 3) for name in names))
    rows: list[tuple[Cell, ...]] = []
    for key, found in relations.items():
        estimates = {one.statistic: one.estimate for one in found}
        shown = tuple(name or None for name in key[first:])
        rows.append((*shown, found[0].count, *(estimates.get(name) for name in names)))
    return Table(title, columns, tuple(rows), note)


_SLACK = 1e-9  # of binary fractions

Bound: TypeAlias = Callable[[FloatArray, FloatArray, float, float], float]


def half_unit(decimals: int) -> float:
    """Return the largest difference between a number and its printed form."""
    return 0.5 * 10.0**-decimals


def pearson_bound(x: FloatArray, y: FloatArray, x_half: float, y_half: float) -> float:
    """Return a first-order bound on the change of r by rounding.

    It changes by (z_y - r z_x) / (n s_x) for each unit of an x, and likewise for a y.
    """
    z_x, z_y = ((each - each.mean()) / each.std() for each in (x, y))
    r = float(pearson(x, y))
    of_x = np.abs(z_y - r * z_x).mean() * x_half / x.std()
    of_y = np.abs(z_x - r * z_y).mean() * y_half / y.std()
    return float(of_x + of_y)


def spearman_bound(x: FloatArray, y: FloatArray, x_half: float, y_half: float) -> float:
    """Return a bound on the change of rho by rounding.

    Rounding never reverses an order, so only ties are open: each may stand for either order. The
    change is largest if all of them agree with the other side, or all disagree.
    """
    rho = float(spearman(x, y))
    broken = (pearson(_places(x, sign * y), _places(y, sign * x)) for sign in (1, -1))
    return max(abs(float(other) - rho) for other in broken)


def _places(values: FloatArray, within_ties: FloatArray) -> FloatArray:
    return np.argsort(np.lexsort((within_ties, values))).astype(np.float64)


BOUNDS: Mapping[str, Bound] = {"pearson": pearson_bound, "spearman": spearman_bound}
_COEFFICIENTS: Mapping[str, Coefficient] = {"pearson": pearson, "spearman": spearman}


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed coefficient; the metric of one system is NaN, because it is unknown."""

    statistic: str
    gold: Sequence[float]
    metric: Sequence[float]
    value: float


def solve(equations: Sequence[Printed], step: float, decimals: int) -> tuple[float, float] | None:
    """Return the smallest and largest number consistent with all printed coefficients.

    The search tries multiples of ``step`` within the range of the other numbers, extended by its
    width on both sides. Return None without coefficients.
    """
    known = np.concatenate([np.asarray(each.metric, np.float64) for each in equations])
    low, high = np.nanmin(known), np.nanmax(known)
    first, last = round((2 * low - high) / step), round((2 * high - low) / step)
    tried = np.arange(first, last + 1) * step
    good = np.ones(tried.size, dtype=bool)
    for each in equations:
        metric = np.tile(np.asarray(each.metric, np.float64), (tried.size, 1))
        metric = np.where(np.isnan(metric), tried[:, None], metric)
        found = _COEFFICIENTS[each.statistic](np.asarray(each.gold, np.float64), metric)
        good &= np.abs(found - each.value) <= half_unit(decimals) + _SLACK
    if not good.any():
        return None
    return round(float(tried[good].min()), 9), round(float(tried[good].max()), 9)
