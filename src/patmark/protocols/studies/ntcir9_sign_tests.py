"""The printed sign tests of NTCIR-9, and the marks that the printed rates allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray
from patmark.protocols.studies.ntcir9_human import (
    ACCEPTABILITY,
    ADEQUACY,
    JUDGEMENTS,
    METRICS,
    SCORES,
    Tables,
    grade_counts,
)
from patmark.protocols.studies.reproduction import Row, published_rows
from patmark.report import Cell, Column, Table, fields_json
from patmark.stats import binomial_cdf
from patmark.wording import tr

SIGN_TESTS = {
    ADEQUACY: {"JE": 10, "EJ": 14},  # Table 6 (CE) is not legible
    ACCEPTABILITY: {"CE": 8, "JE": 12, "EJ": 16},
}
LEVELS = {">>": 0.01, ">": 0.05}
NONE = "-"
_MARKS = (*LEVELS, NONE)  # from the smallest p to the largest
_SYMBOLS = {">>": "≫", ">": ">", NONE: "–"}
_REPORTED = (0.05, 0.01)
_STEP = 3  # rotations of one list of grades against the other

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PrintedMark:
    """A printed sign test of two systems, and the marks that their printed rates allow.

    ``found`` are the marks of the tried pairings: each is a list of judgements with the rates of
    both systems. ``allowed`` are the marks that no bound on wins and losses excludes.
    """

    better: str
    worse: str
    mark: str
    found: frozenset[str]
    allowed: frozenset[str]

    @property
    def possible(self) -> bool:
        """True if judgements with the printed rates give the printed mark."""
        return self.mark in self.found

    @property
    def excluded(self) -> bool:
        """True if no judgements with the printed rates give the printed mark."""
        return self.mark not in self.allowed

    @property
    def decided(self) -> bool:
        """True if all judgements with the printed rates give the same mark."""
        return len(self.allowed) == 1


@dataclass(frozen=True, slots=True)
class SignTestTable:
    """A printed table of sign tests."""

    table: int
    subtask: str
    criterion: str
    marks: tuple[PrintedMark, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        marks = self.marks
        excluded = [fields_json(one, "better", "worse", "mark") for one in marks if one.excluded]
        return fields_json(
            self,
            "table",
            "subtask",
            "criterion",
            pairs=len(marks),
            marks={name: sum(one.mark == name for one in marks) for name in _MARKS},
            possible=sum(one.possible for one in marks),
            decided=sum(one.decided for one in marks),
            excluded=excluded,
        )


def printed_levels(criterion: str, subtask: str) -> dict[tuple[str, str], float] | None:
    """Return the level of each pair (better, worse), 1 without a mark; None if not legible."""
    if subtask not in SIGN_TESTS[criterion]:
        return None
    return {
        (row["better"], row["worse"]): LEVELS.get(row["mark"], 1.0)
        for row in published_rows(f"ntcir9/sign_test_{criterion}_{subtask}.csv")
    }


def sign_test_tables(human: Mapping[str, Tables]) -> list[SignTestTable]:
    """Return the legible tables of sign tests, each mark with the printed rates."""
    found = []
    for criterion, tables in SIGN_TESTS.items():
        for subtask, number in tables.items():
            rows = human[criterion][subtask]
            counts = dict(zip((row["system"] for row in rows), grade_counts(rows), strict=True))
            marks = tuple(
                PrintedMark(*pair, row["mark"], marks_found(*grades), marks_allowed(*grades))
                for row in published_rows(f"ntcir9/sign_test_{criterion}_{subtask}.csv")
                for pair in [(row["better"], row["worse"])]
                for grades in [(counts[pair[0]], counts[pair[1]])]
            )
            found.append(SignTestTable(number, subtask, criterion, marks))
    return sorted(found, key=lambda one: one.table)


def marks_found(better: FloatArray, worse: FloatArray) -> frozenset[str]:
    """Return the marks of pairings of two lists of grades, given as counts, worst grade first.

    Both lists are sorted, the second also backwards, and rotated against each other.
    """
    first, second = (np.repeat(np.arange(each.size), each.astype(int)) for each in (better, worse))
    steps = np.arange(first.size) + np.arange(0, first.size, _STEP)[:, None]
    paired = np.concatenate([one[steps % first.size] for one in (second, second[::-1])])
    wins, losses = (first > paired).sum(axis=1), (first < paired).sum(axis=1)
    return frozenset(_MARKS[place] for place in np.unique(_places(wins, losses)).tolist())


def marks_allowed(better: FloatArray, worse: FloatArray) -> frozenset[str]:
    """Return the marks between the bounds on wins and losses of any pairing.

    A pair is won if the first has more than a grade and the second at most this grade. By counting,
    this happens at least as often as the difference of the two counts above the grade.
    """
    fewest, most = _bounds(better, worse)
    fewest_lost, most_lost = _bounds(worse, better)
    wins, losses = np.array([most, fewest]), np.array([fewest_lost, most_lost])
    best, worst = _places(wins, losses).tolist()
    return frozenset(_MARKS[best : worst + 1])


def _bounds(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    """Return the smallest and the largest number of pairs in which the first is better."""
    at_least, other = (np.append(each[::-1].cumsum()[::-1], 0) for each in (first, second))
    surely = max(0, int((at_least - other).max()))
    surely_not = int((other[:-1] - at_least[1:]).max())
    return surely, int(first.sum()) - surely_not


def _places(wins: Counts, losses: Counts) -> Counts:
    """Return the places of the marks of two-sided sign tests, ties dropped."""
    place = np.zeros(wins.shape, np.int64)
    for level in LEVELS.values():
        place += losses > _critical_losses(level)[wins + losses]
    return place


@cache
def _critical_losses(level: float) -> Counts:
    """Return the largest number of losses that is significant, for each number of pairs.

    -1 if none is.
    """
    critical, losses = [], -1
    for pairs in range(JUDGEMENTS + 1):
        while losses + 1 < pairs - losses - 1 and 2 * binomial_cdf(losses + 1, pairs) < level:
            losses += 1
        critical.append(losses)
    return np.array(critical)


def sign_tests_table(found: Sequence[SignTestTable]) -> Table:
    """Return one row for each printed table: its marks, and their consistency with the rates."""
    columns = (
        Column(tr("table")),
        Column(tr("subtask")),
        Column(tr("criterion")),
        Column(tr("pairs"), 0),
        *(Column(symbol, 0) for symbol in _SYMBOLS.values()),
        Column(tr("possible"), 0),
        Column(tr("decided"), 0),
        Column(tr("impossible")),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        values = one.to_json()
        excluded = ", ".join(
            f"{row['better']} {_SYMBOLS[row['mark']]} {row['worse']}" for row in values["excluded"]
        )
        place = tr("Table {number}", number=one.table)
        head = (place, one.subtask, one.criterion, values["pairs"], *values["marks"].values())
        rows.append((*head, values["possible"], values["decided"], excluded or None))
    return Table(
        tr("Printed sign tests beside the printed rates"),
        columns,
        tuple(rows),
        tr(
            "≫: p < 0.01, >: p < 0.05, –: neither. Possible: some judgements with the printed "
            "rates give the mark by a two-sided sign test without ties. Decided: all do. The paper "
            "states neither sides nor ties, and the rates cannot tell: a one-sided test and ties "
            "split in halves allow the same marks. Table 6 is not legible in the source."
        ),
    )


def pairs_in_order(human: Mapping[str, Tables], automatic: Tables) -> list[Row]:
    """Return the share of pairs that each metric orders like people, by significance level.

    ``pairs`` differ significantly at a level in the printed sign test, ``right`` are those that the
    metric orders alike; level 1 includes all pairs. Without a printed test they are None.
    """
    found = []
    for criterion, tables in human.items():
        for subtask, rows in tables.items():
            scores = {row["system"]: row for row in automatic[subtask]}
            one, other = np.triu_indices(len(rows), 1)
            p = _level_matrix(printed_levels(criterion, subtask), rows)[one, other]
            people = np.array([row[SCORES[criterion]] for row in rows])
            for metric in METRICS:
                named = [scores[row["system"]][metric.lower()] for row in rows]
                gap = np.subtract(*(np.array(named, np.float64)[each] for each in (one, other)))
                same = np.sign(gap) == np.sign(people[one] - people[other])
                for level in (1.0, *_REPORTED):
                    row: Row = {"subtask": subtask, "criterion": criterion, "metric": metric}
                    row |= {"level": level, "pairs": None, "right": None, "accuracy": None}
                    if level == 1 or not np.isnan(p).any():
                        chosen = ((p <= level) | (level == 1)) & ~np.isnan(gap)
                        pairs, right = int(chosen.sum()), int((same & chosen).sum())
                        row |= {"pairs": pairs, "right": right, "accuracy": right / pairs}
                    found.append(row)
    return found


def _level_matrix(
    printed: Mapping[tuple[str, str], float] | None, rows: Sequence[Row]
) -> FloatArray:
    """Return the level of each pair of systems, in both orders; NaN if none is printed."""
    names = [row["system"] for row in rows]
    if printed is None:
        return np.full((len(names), len(names)), np.nan)
    both = {**printed, **{(worse, better): level for (better, worse), level in printed.items()}}
    return np.array([[both.get((one, other), 1.0) for other in names] for one in names])


def pairs_table(found: Sequence[Row]) -> Table:
    """Return the share of pairs in the right order by level, one row per metric and criterion."""
    columns = [Column(tr("subtask")), Column(tr("criterion")), Column(tr("metric"))]
    for name in (tr("all"), *(f"p < {level}" for level in _REPORTED)):
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
        tr("p: the printed sign test of Tables 8, 10, 12, 14 and 16; Table 6 is not legible."),
    )
