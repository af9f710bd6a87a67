"""Texts side by side with their findings as one HTML file, for reviewers and clients."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from patmark.report.html import carried, check_links, render_page, table_view
from patmark.report.json import plain
from patmark.report.model import FINDING_TITLES, Report, ReviewedPair, ReviewItem, finding_rank

Span: TypeAlias = tuple[int, int]
_STYLES = ("report.css", "filters.css", "review.css")
_SCRIPTS = ("shell.js", "review.js")
_WORST = 10
_AROUND = 40
"""Characters of a quotation before and after the words that a finding marks."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text that the same findings mark; ``severity`` is that of the worst."""

    text: str
    items: tuple[int, ...] = ()
    severity: str = ""


@dataclass(frozen=True, slots=True)
class BeadRow:
    """A bead: the pieces of both sides, and the numbers of its findings."""

    source: tuple[TextPiece, ...]
    target: tuple[TextPiece, ...]
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PairView:
    """A document pair as the page shows it: general findings, then rows."""

    name: str
    languages: tuple[str, str]
    general: tuple[int, ...]
    rows: tuple[BeadRow, ...]


@dataclass(frozen=True, slots=True)
class QuotedFinding:
    """A finding by number, with its words and those around them on both sides."""

    number: int
    languages: tuple[str, str]
    source: tuple[TextPiece, ...]
    target: tuple[TextPiece, ...]


def review_html(report: Report) -> str:
    """Render texts side by side: a page for clients first, then every bead with its findings."""
    from markupsafe import Markup

    check_links({link.text: link.address for link in report.links})
    items = [item for pair in report.review for item in pair.items]
    views, first = [], 0
    for pair in report.review:
        views.append(pair_view(pair, first))
        first += len(pair.items)
    kinds = Counter((item.key["kind"], item.title) for item in items)
    severities = Counter[str](item.severity for item in items)
    documents, *tables = map(table_view, report.tables[1:])  # the first lists the findings
    worst = worst_findings(report.review)
    return render_page(
        "review.html.j2",
        _STYLES,
        _SCRIPTS,
        report.language,
        shown=report,
        items=items,
        worst=worst,
        unlisted=severities.total() - severities["info"] - len(worst),
        documents=documents,
        tables=tables,
        kinds=[(kind, title, count) for (kind, title), count in sorted(kinds.items(), key=str)],
        severities=[(one, title, severities[one]) for one, title in FINDING_TITLES.items()],
        severity_names=FINDING_TITLES,
        pairs=views,
        data=Markup(carried("data", plain(_payload(report.review)))),
    )


def worst_findings(pairs: Sequence[ReviewedPair]) -> list[QuotedFinding]:
    """Return the first errors, then warnings, with their words."""
    numbered = [(pair, item) for pair in pairs for item in pair.items]
    loud = [(n, *one) for n, one in enumerate(numbered) if one[1].severity != "info"]
    loud.sort(key=lambda one: finding_rank(one[2].severity))
    return [
        QuotedFinding(n, pair.languages, *(_quotation(pair, item, n, side) for side in (0, 1)))
        for n, pair, item in loud[:_WORST]
    ]


def _quotation(
    pair: ReviewedPair, item: ReviewItem, number: int, side: int
) -> tuple[TextPiece, ...]:
    """Return the words that a finding marks, with some of their bead around them."""
    span = _span(item, side)
    if span is None:
        return ()
    text, (start, end) = pair.texts[side], span
    beads = (bead[side] for bead in pair.beads)
    low, high = next((one for one in beads if one and one[0] <= start < one[1]), span)
    first, last = max(low, start - _AROUND), min(max(high, end), end + _AROUND)
    if first > low:  # whole words, where blanks divide them
        first = text.find(" ", first, start) + 1 or first
    if last < high:
        last = max(text.rfind(" ", end, last), end) if " " in text[end:last] else last
    pieces = (
        TextPiece(("…" if first > low else "") + text[first:start]),
        TextPiece(text[start:end], (number,), item.severity),
        TextPiece(text[end:last] + ("…" if last < high else "")),
    )
    return tuple(piece for piece in pieces if piece.text)


def _payload(pairs: Sequence[ReviewedPair]) -> list[dict[str, object]]:
    """Return the findings of each document as a saved review holds them."""
    return [
        {
            "name": pair.name,
            "findings": [{**item.key, "verdict": item.verdict} for item in pair.items],
        }
        for pair in pairs
    ]


def pair_view(pair: ReviewedPair, first: int = 0) -> PairView:
    """Return the rows of a document pair; its findings are numbered from ``first``."""
    items = dict(enumerate(pair.items, first))
    marked = [_marked_rows(pair, items, side) for side in (0, 1)]
    placed: dict[int | None, list[int]] = defaultdict(list)
    for number in items:
        touched = marked[1].get(number) or marked[0].get(number)
        placed[touched[0] if touched else None].append(number)
    marks: list[dict[int, list[int]]] = [defaultdict(list), defaultdict(list)]
    for own, found in zip(marks, marked, strict=True):
        for number, places in found.items():
            for row in places:
                own[row].append(number)
    rows = []
    for row, bead in enumerate(pair.beads):
        source, target = (
            tuple(_pieces(text, span, side, [(n, items[n]) for n in marks[side][row]]))
            for side, (text, span) in enumerate(zip(pair.texts, bead, strict=True))
        )
        rows.append(BeadRow(source, target, tuple(placed[row])))
    return PairView(pair.name, pair.languages, tuple(placed[None]), tuple(rows))


def _marked_rows(
    pair: ReviewedPair, items: Mapping[int, ReviewItem], side: int
) -> dict[int, list[int]]:
    """Return the rows in which each finding marks text on one side, by number of the finding."""
    spans = [(bead[side], row) for row, bead in enumerate(pair.beads)]
    ordered = sorted((*span, row) for span, row in spans if span is not None)
    found: dict[int, list[int]] = {}
    for number, item in items.items():
        span = _span(item, side)
        if span is None:
            continue
        place = max(bisect_right(ordered, span[0], key=lambda one: one[0]) - 1, 0)
        rows = []
        while place < len(ordered) and ordered[place][0] < max(span[1], span[0] + 1):
            rows.append(ordered[place][2])
            place += 1
        found[number] = rows
    return found


def _span(item: ReviewItem, side: int) -> Span | None:
    return item.target if side else item.source


def _pieces(
    text: str, span: Span | None, side: int, items: Sequence[tuple[int, ReviewItem]]
) -> Iterator[TextPiece]:
    """Cut the text of a bead where marks begin and end."""
    if span is None:
        return
    start, end = span
    marks = [
        (max(at[0], start), min(at[1], end), number, item.severity)
        for number, item in items
        if (at := _span(item, side)) is not None
    ]
    cuts = {start, end, *(cut for a, b, *_ in marks if a < b for cut in (a, b))}
    for a, b in pairwise(sorted(cuts)):
        over = [
            (number, severity) for low, high, number, severity in marks if low <= a and b <= high
        ]
        worst = min((severity for _, severity in over), key=finding_rank, default="")
        yield TextPiece(text[a:b], tuple(number for number, _ in over), worst)
