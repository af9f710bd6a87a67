"""Claims and their parts, the dependency tree, and its report.

All places are those of the text as received.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from patmark.claims.text_forms import one_line
from patmark.claims.words import pattern
from patmark.errors import UsageError
from patmark.languages import Piece as Piece, language as pack_of, plain_form
from patmark.report import Cell, Column, Report, Result, Table, clauses, dotted
from patmark.wording import tr, tr_n

TransitionKind: TypeAlias = Literal["open", "closed", "partly-closed", "two-part", "wherein"]
Category: TypeAlias = Literal[
    "apparatus", "method", "composition", "system", "medium", "use", "kit", "other"
]
CATEGORY_NAMES: Mapping[Category, str] = {
    "apparatus": tr("apparatus"),
    "method": tr("method"),
    "composition": tr("composition"),
    "system": tr("system"),
    "medium": tr("medium"),
    "use": tr("use"),
    "kit": tr("kit"),
    "other": tr("other"),
}
TermKind: TypeAlias = Literal["introduced", "bare", "referred"]
_TERM_KINDS: Mapping[TermKind, str] = {
    "introduced": tr("introduced"),
    "bare": tr("bare"),
    "referred": tr("referred"),
}

_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_a-z]", re.IGNORECASE)
_TREE_WIDTH = 72
HARD_SPACE = "\u00a0"


class TextRange(Protocol):
    """Anything with a place in the text: a claim, a term, a reference."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A place in the text: characters ``start`` to ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Transition:
    """The words between preamble and body, and their openness."""

    start: int
    end: int
    kind: TransitionKind


@dataclass(frozen=True, slots=True)
class Limitation:
    """One element or step of the body; level 1 is the outermost."""

    start: int
    end: int
    level: int
    text: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention of other claims; ``preceding`` is for wordings like "any preceding claim"."""

    start: int
    end: int
    numbers: tuple[int, ...]
    preceding: bool
    alternative: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A noun phrase: introduced (a shaft), bare (shafts, water) or referred to (the shaft).

    ``words`` has its words in lower case and singular, in Chinese and Japanese one string.
    ``marker`` is the article or its equivalent, ``sign`` a reference sign after the phrase.
    """

    start: int
    end: int
    text: str
    kind: TermKind
    marker: str
    words: tuple[str, ...]
    sign: str | None

    @property
    def head(self) -> str:
        """The head noun: the last word."""
        return self.words[-1]

    @property
    def shares_noun(self) -> bool:
        """True if its noun is in a later phrase: the first of "a first and a second shaft"."""
        return len(self.words) > len(self.text.split())

    @property
    def name(self) -> str:
        """The phrase, with its shared noun if any."""
        return " ".join(self.words) if self.shares_noun else self.text


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """One claim. ``number`` is the stated one, ``position`` counts from 1.

    ``last`` is the end of a range of numbers, "2-4. (canceled)", else None.

    ``refers_to`` has every mentioned claim. ``depends_on`` has those on which the claim depends by
    its form; a method of making the device of claim 1 refers to claim 1, but does not depend on it.
    """

    number: int | None
    last: int | None
    position: int
    start: int
    end: int
    text: str
    status: str | None
    content: TextSpan
    preamble: TextSpan
    transition: Transition | None
    body: TextSpan
    limitations: tuple[Limitation, ...]
    references: tuple[Reference, ...]
    refers_to: tuple[int, ...]
    depends_on: tuple[int, ...]
    multiple: bool
    alternative: bool
    category: Category
    terms: tuple[Term, ...]

    @property
    def shown_number(self) -> int:
        """The number of the claim, or its position if it states none."""
        return self.position if self.number is None else self.number

    @property
    def dependent(self) -> bool:
        """True if the claim depends on another by its form."""
        return bool(self.depends_on)

    @property
    def canceled(self) -> bool:
        """True if the claim is marked as canceled or deleted."""
        return is_canceled(self.status)

    @property
    def live(self) -> bool:
        """True if the claim is neither canceled nor withdrawn nor refused entry."""
        return self.status is None or pattern("status").match(self.status) is None

    @property
    def numbers(self) -> range:
        """The numbers that the claim covers; empty when it states no number."""
        return numbers_covered(self.number, self.last, self.status)


def is_canceled(status: str | None) -> bool:
    """Return True if a status says that a claim is canceled or deleted."""
    return status is not None and pattern("status", name="canceled").match(status) is not None


def numbers_covered(number: int | None, last: int | None, status: str | None) -> range:
    """Return the numbers of a claim: one, none, or all of "2-4. (canceled)"."""
    if number is None:
        return range(0)
    end = number if last is None or status is None else last
    return range(number, max(number, end) + 1)


def places_by_number(numbers: Sequence[range]) -> dict[int, int]:
    """Map numbers to the positions (from 0) of the first claims that state them, or are there."""
    first: dict[int, int] = {}
    for place, stated in enumerate(numbers):
        for number in stated:
            first.setdefault(number, place)
    for place, stated in enumerate(numbers):
        if not stated:
            first.setdefault(place + 1, place)
    return first


@dataclass(frozen=True, eq=False)
class ClaimSet(Result):
    """The claims of a text, in order, and their references."""

    text: str
    language: str
    claims: tuple[ParsedClaim, ...]
    pieces: tuple[Piece, ...]
    _first: dict[int, ParsedClaim] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = places_by_number([claim.numbers for claim in self.claims])
        first = {number: self.claims[place] for number, place in places.items()}
        object.__setattr__(self, "_first", first)

    @property
    def is_spaced(self) -> bool:
        """True if the language writes blanks between words."""
        return pack_of(self.language).is_spaced

    @cached_property
    def plain(self) -> str:
        """The text with half-width signs and simple dashes; every character keeps its place."""
        return plain_form(self.text)

    @cached_property
    def scopes(self) -> dict[int, tuple[ParsedClaim, ...]]:
        """For each position the other claims whose terms the live claim there can use."""
        return {claim.position: self.in_scope(claim) for claim in self.live}

    @cached_property
    def live(self) -> tuple[ParsedClaim, ...]:
        """The claims that are not marked as canceled or withdrawn."""
        return tuple(claim for claim in self.claims if claim.live)

    @property
    def independent(self) -> tuple[ParsedClaim, ...]:
        """The claims that do not depend on another."""
        return tuple(claim for claim in self.claims if not claim.dependent)

    def find(self, number: int) -> ParsedClaim | None:
        """Return the first claim with this number, or one without number at this position."""
        return self._first.get(number)

    def claim(self, number: int) -> ParsedClaim:
        """Return a claim as :meth:`find` does, and raise an error if there is none."""
        claim = self.find(number)
        if claim is None:
            known = ", ".join(map(str, sorted(self._first))) or "none"
            raise UsageError(f"there is no claim {number}; numbers: {known}")
        return claim

    def absent(self, claim: ParsedClaim) -> tuple[int, ...]:
        """Return the numbers that a claim mentions without such a claim."""
        return tuple(number for number in claim.refers_to if self.find(number) is None)

    def ancestors(self, number: int) -> tuple[ParsedClaim, ...]:
        """Return the claims on which a claim depends, directly or through others, in order."""
        return self._reached(self.claim(number), across=False)

    def in_scope(self, claim: ParsedClaim) -> tuple[ParsedClaim, ...]:
        """Return the claims whose terms a claim can use: all that it mentions, directly or not."""
        return self._reached(claim, across=True)

    def _reached(self, claim: ParsedClaim, across: bool) -> tuple[ParsedClaim, ...]:
        reached: dict[int, ParsedClaim] = {}
        waiting = [claim]
        while waiting:
            current = waiting.pop()
            for target in current.refers_to if across else current.depends_on:
                other = self.find(target)
                if other is not None and other is not claim and other.position not in reached:
                    reached[other.position] = other
                    waiting.append(other)
        return tuple(reached[position] for position in sorted(reached))

    def partition(self) -> tuple[tuple[str, str], ...]:
        """Return kind and text of all pieces; the texts joined are the input."""
        return tuple((piece.kind, self.text[piece.start : piece.end]) for piece in self.pieces)

    @property
    def left_over(self) -> tuple[Piece, ...]:
        """The pieces with words that are neither claims nor headings, such as remarks."""
        return tuple(
            piece
            for piece in self.pieces
            if piece.kind == "gap" and _WORD.search(self.text, piece.start, piece.end)
        )

    def tree(self) -> str:
        """Return the claims as an indented tree, one line each."""
        return "\n".join(tree_lines(self))

    def to_json(self) -> dict[str, Any]:
        """Return everything except the input, in plain types."""
        return {
            "language": self.language,
            "claims": [{**asdict(claim), "dependent": claim.dependent} for claim in self.claims],
            "pieces": [asdict(piece) for piece in self.pieces],
        }

    def to_report(self, name: str = "") -> Report:
        """Return the dependency tree first, then limitations and terms claim by claim."""
        counted = tr_n(
            "{n} claim, {n2} independent",
            "{n} claims, {n2} independent",
            n=len(self.claims),
            n2=len(self.independent),
        )
        return Report(
            title=tr("Claims"),
            subtitle=dotted(name, self.language, counted),
            headlines=(),
            tables=(_tree_table(self), _parts_table(self), _terms_table(self)),
            signatures={},
        )


def tree_lines(claims: ClaimSet, blank: str = " ") -> list[str]:
    """Return one line per claim below the first claim on which it depends; the others are named.

    HTML keeps the indent if its blanks are hard spaces.
    """
    children: defaultdict[int, list[ParsedClaim]] = defaultdict(list)
    roots: list[ParsedClaim] = []
    for claim in claims.claims:
        parent = _parent(claims, claim)
        if parent is None:
            roots.append(claim)
        else:
            children[parent.position].append(claim)
    lines: list[str] = []
    waiting = [(root, "", "") for root in reversed(roots)]
    while waiting:
        claim, lead, below = waiting.pop()
        lines.append(_line(claims, claim, lead.replace(" ", blank)))
        branches = children[claim.position]
        for place, child in reversed(list(enumerate(branches))):
            last = place == len(branches) - 1
            waiting.append(
                (child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
            )
    return lines


def _parent(claims: ClaimSet, claim: ParsedClaim) -> ParsedClaim | None:
    """Return the first earlier claim on which a claim depends; a later one would form a cycle."""
    targets = [claims.find(number) for number in claim.depends_on]
    earlier = [target for target in targets if target and target.position < claim.position]
    return earlier[0] if earlier else None


def _line(claims: ClaimSet, claim: ParsedClaim, lead: str) -> str:
    number = "?" if claim.number is None else str(claim.number)
    shown = one_line(claim.text[claim.content.start - claim.start :], _TREE_WIDTH)
    notes: list[str] = [] if claim.dependent else [CATEGORY_NAMES[claim.category]]
    targets = [_target(claims, claim, target) for target in claim.depends_on]
    if len(targets) > 1 or any(" " in target for target in targets):
        notes.append(tr("on {claims}", claims=tuple(targets)))
    elif claim.refers_to and not claim.dependent:
        mentioned = tuple(_target(claims, claim, target) for target in claim.refers_to)
        notes.append(tr("mentions {claims}", claims=mentioned))
    line = f"{lead}{number}  {shown}"
    return tr("{line}  [{notes}]", line=line, notes=clauses(*notes)) if notes else line


def _target(claims: ClaimSet, claim: ParsedClaim, number: int) -> str:
    """Return a number that a claim names, and its problem."""
    target = claims.find(number)
    if target is None:
        return tr("{number} (missing)", number=number)
    if target is claim:
        return tr("{number} (itself)", number=number)
    if target.canceled:
        return tr("{number} (canceled)", number=number)
    return (
        tr("{number} (later)", number=number) if target.position > claim.position else str(number)
    )


def _tree_table(claims: ClaimSet) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple((line,) for line in tree_lines(claims, HARD_SPACE))
    return Table(
        tr("Dependencies"), (Column(tr("claims, each below the first that it depends on")),), rows
    )


def _parts_table(claims: ClaimSet) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for claim in claims.claims:
        rows.append((_number(claim), tr("preamble"), _preamble(claim)))
        rows += [
            (
                _number(claim),
                tr("limitation, level {level}", level=part.level),
                " ".join(part.text.split()),
            )
            for part in claim.limitations
        ]
    columns = (Column(tr("claim")), Column(tr("part")), Column(tr("text")))
    return Table(tr("Parts"), columns, tuple(rows), section=tr("parts"))


def _terms_table(claims: ClaimSet) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_number(claim), _TERM_KINDS[term.kind], term.text, term.sign or None)
        for claim in claims.claims
        for term in claim.terms
    )
    columns = (Column(tr("claim")), Column(tr("kind")), Column(tr("term")), Column(tr("sign")))
    return Table(tr("Terms"), columns, rows, section=tr("terms"))


def _preamble(claim: ParsedClaim) -> str:
    text = claim.text[claim.preamble.start - claim.start : claim.preamble.end - claim.start]
    return " ".join(text.split())


def _number(claim: ParsedClaim) -> str:
    return f"({claim.position})" if claim.number is None else str(claim.number)
