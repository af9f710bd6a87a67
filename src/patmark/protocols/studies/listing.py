"""Every table and figure of a paper with its status: recomputed, solved or printed only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby
from math import nan

from patmark.protocols.studies.reproduction import (
    DIFFERS,
    OK,
    SOLVED,
    Value,
    grouped,
    published_rows,
)
from patmark.report import Cell, Column, Table
from patmark.wording import tr, tr_n

RECOMPUTED, PRINTED_ONLY = tr("recomputed"), tr("printed only")
_STATUSES: dict[str, str] = {OK: RECOMPUTED, SOLVED: SOLVED, DIFFERS: DIFFERS}
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """A table of a paper, or a part of one.

    ``how`` describes the recomputation, or the reason without one. ``values`` counts the printed
    numbers in ``file``. The largest ``difference`` of recomputed ones is compared with the
    ``tolerance`` of that value; the missing number of solved ones is between the two ends of
    ``solved``.
    """

    place: str
    content: str
    status: str
    how: str
    values: int = 0
    file: str = ""
    difference: float | None = None
    tolerance: float | None = None
    solved: tuple[float, float] | None = None


def recomputed(
    place: str, content: str, values: Iterable[Value], how: str, file: str
) -> list[Part]:
    """Return recomputed printed values; a part for each status."""
    by_status = grouped(values, lambda one: _STATUSES.get(one.status, PRINTED_ONLY))
    return [_part(place, content, status, how, file, found) for status, found in by_status.items()]


def _part(
    place: str, content: str, status: str, how: str, file: str, values: Sequence[Value]
) -> Part:
    if status == SOLVED:
        one = values[0]
        low, high = one.solved or (nan, nan)
        explanation = tr(
            "{subtask} {metric} of {systems}: {low:g} to {high:g}",
            subtask=one.subject,
            metric=one.metric,
            systems=one.missing,
            low=low,
            high=high,
        )
        return Part(place, content, status, explanation, len(values), file, solved=one.solved)
    differences = [(one.difference, one.tolerance) for one in values if one.difference is not None]
    if status == PRINTED_ONLY or not differences:
        return Part(place, content, status, how, len(values), file)
    difference, tolerance = max(differences, key=lambda pair: abs(pair[0]))
    rounded = round(difference, _DIGITS), round(tolerance, _DIGITS)
    return Part(place, content, status, how, len(values), file, *rounded)


def printed_only(
    place: str, content: str, why: str, file: str = "", columns: Iterable[str] = ()
) -> Part:
    """Return numbers in some columns of a file, which are patterns, that cannot be recomputed.

    A file of several tables has a column that distinguishes them.
    """
    rows = published_rows(file) if file else []
    own = [row for row in rows if "table" not in row or place == f"Table {row['table']}"]
    values = sum(
        cell is not None and any(fnmatch(column, pattern) for pattern in columns)
        for row in own
        for column, cell in row.items()
    )
    return Part(place, content, PRINTED_ONLY, why, values, file)


def listed(file: str, values: Sequence[Value]) -> list[Part]:
    """Return every table and figure of a paper, as a file declares them.

    Reproduced parts have their place in ``values``; drawings have no numbers.
    """
    parts = []
    for row in published_rows(file):
        place, content, how = row["place"], tr(row["content"]), tr(row["how"])
        own = [value for value in values if value.place == place]
        if row["status"] == PRINTED_ONLY:
            columns = (row["columns"] or "").split()
            parts.append(printed_only(place, content, how, row["file"] or "", columns))
        elif own:
            parts += recomputed(place, content, own, how, row["file"] or "")
        else:
            parts.append(Part(place, content, RECOMPUTED, how))
    return parts


def printed_only_values(parts: Iterable[Part]) -> int:
    """Return the number of printed values that cannot be recomputed."""
    return sum(part.values for part in parts if part.status == PRINTED_ONLY)


def listing_table(parts: Sequence[Part]) -> Table:
    """Return the list; places with the same content and status share a row."""
    alike: dict[tuple[str, str, str], list[Part]] = {}
    for part in parts:
        alike.setdefault((part.content, part.status, part.how), []).append(part)
    columns = (
        Column(tr("in the paper")),
        Column(tr("content")),
        Column(tr("status")),
        Column(tr("values"), 0),
        Column(tr("off by"), 4),
        Column(tr("bound"), 4),
        Column(tr("how, or why not")),
    )
    rows = [
        (places_text([part.place for part in found]), content, status, *_numbers(found), how)
        for (content, status, how), found in alike.items()
    ]
    return Table(
        tr("Every table and figure of the paper"),
        columns,
        tuple(rows),
        tr(
            "Off by: the largest difference between a recomputed and a printed value. Bound: what "
            "the rounding of its printed inputs, and its own, allows there."
        ),
    )


def _numbers(parts: Sequence[Part]) -> tuple[Cell, Cell, Cell]:
    """Return the number of values, the largest difference, and its tolerance."""
    values = sum(part.values for part in parts) or None
    compared = [
        (abs(part.difference), part.tolerance) for part in parts if part.difference is not None
    ]
    return values, *max(compared, key=lambda pair: pair[0], default=(None, None))


def places_text(places: Sequence[str]) -> str:
    """Return places in few words, such as Tables 5, 7, Figures 2–4."""
    kinds: dict[str, list[int]] = {}
    texts = []
    for place in places:
        kind, _, number = place.partition(" ")
        if number.isdecimal():
            kinds.setdefault(kind, []).append(int(number))
        else:
            texts.append(place)
    numbered = [
        _numbered(kind, len(numbers), _ranges(sorted(numbers))) for kind, numbers in kinds.items()
    ]
    return tr("{parts}", parts=(*numbered, *texts))


def _numbered(kind: str, n: int, numbers: str) -> str:
    if kind == "Table":
        return tr_n("Table {number}", "Tables {number}", n=n, number=numbers)
    if kind == "Figure":
        return tr_n("Figure {number}", "Figures {number}", n=n, number=numbers)
    return f"{kind} {numbers}"


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers, three or more in a row by their ends."""
    texts: list[str] = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        found = [str(number) for _, number in run]
        texts += [f"{found[0]}–{found[-1]}"] if len(found) > 2 else found
    return ", ".join(texts)
