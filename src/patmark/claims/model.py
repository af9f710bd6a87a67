"""What a set of claims is made of. All places are places in the text as it was received."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from patmark.errors import UsageError

PieceKind: TypeAlias = Literal["heading", "claim", "gap"]
TransitionKind: TypeAlias = Literal["open", "closed", "partly-closed", "two-part", "wherein"]
Category: TypeAlias = Literal[
    "apparatus", "method", "composition", "system", "medium", "use", "kit", "other"
]
TermKind: TypeAlias = Literal["introduced", "bare", "referred"]


_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text: characters ``start`` to ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the input that is a heading, a claim, or text between them."""

    kind: PieceKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Transition:
    """The words between preamble and body, and how much they leave open."""

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
    """A mention of other claims; ``preceding`` stands for wordings like "any preceding claim"."""

    start: int
    end: int
    numbers: tuple[int, ...]
    preceding: bool
    alternative: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A noun phrase: introduced (a shaft), bare (shafts, water) or referred to (the shaft).

    ``words`` has its words in small letters and singular, in Chinese and Japanese one string.
    ``marker`` is the article or what stands for one, ``sign`` a reference sign after the phrase.
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
        """The word that says what it is: the last one."""
        return self.words[-1]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. ``number`` is what the text states, ``position`` counts from 1.

    ``last`` is the end of a range of numbers, "2-4. (canceled)", and else None.

    ``refers_to`` has every claim that is mentioned. ``depends_on`` has those on which the claim
    depends by its form; a method of making the device of claim 1 refers to claim 1, but does
    not depend on it.
    """

    number: int | None
    last: int | None
    position: int
    start: int
    end: int
    text: str
    status: str | None
    content: Span
    preamble: Span
    transition: Transition | None
    body: Span
    limitations: tuple[Limitation, ...]
    references: tuple[Reference, ...]
    refers_to: tuple[int, ...]
    depends_on: tuple[int, ...]
    multiple: bool
    alternative: bool
    category: Category
    terms: tuple[Term, ...]

    @property
    def dependent(self) -> bool:
        """Whether the claim depends on another by its form."""
        return bool(self.depends_on)

    @property
    def canceled(self) -> bool:
        """Whether the claim is marked as canceled or deleted: it says nothing any more."""
        return self.status is not None and self.status.lower().startswith(("cancel", "delet"))

    @property
    def numbers(self) -> range:
        """The numbers for which the claim stands; none where it states none."""
        if self.number is None:
            return range(0)
        last = self.number if self.last is None or self.status is None else self.last
        return range(self.number, max(self.number, last) + 1)


@dataclass(frozen=True)
class ClaimSet:
    """The claims of a text, in order, and how they hang together."""

    text: str
    language: str
    claims: tuple[Claim, ...]
    pieces: tuple[Piece, ...]
    _first: dict[int, Claim] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        first: dict[int, Claim] = {}
        for claim in self.claims:
            for number in claim.numbers:
                first.setdefault(number, claim)
        for claim in self.claims:
            if claim.number is None:
                first.setdefault(claim.position, claim)
        object.__setattr__(self, "_first", first)

    @property
    def independent(self) -> tuple[Claim, ...]:
        """The claims that do not depend on another."""
        return tuple(claim for claim in self.claims if not claim.dependent)

    def find(self, number: int) -> Claim | None:
        """The first claim that states this number; else one without number at this position."""
        return self._first.get(number)

    def claim(self, number: int) -> Claim:
        """As :meth:`find`; an error when there is none."""
        claim = self.find(number)
        if claim is None:
            known = ", ".join(map(str, sorted(self._first))) or "none"
            raise UsageError(f"there is no claim {number}; numbers: {known}")
        return claim

    def absent(self, claim: Claim) -> tuple[int, ...]:
        """The numbers that a claim mentions though no claim has them."""
        return tuple(number for number in claim.refers_to if self.find(number) is None)

    def ancestors(self, number: int) -> tuple[Claim, ...]:
        """The claims on which a claim depends, directly or through others, in order."""
        return self._reached(self.claim(number), across=False)

    def in_scope(self, claim: Claim) -> tuple[Claim, ...]:
        """The claims whose terms a claim can use: all that it mentions, directly or not."""
        return self._reached(claim, across=True)

    def _reached(self, claim: Claim, across: bool) -> tuple[Claim, ...]:
        reached: dict[int, Claim] = {}
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
        """Kind and text of all pieces; the texts joined are the input."""
        return tuple((piece.kind, self.text[piece.start : piece.end]) for piece in self.pieces)

    @property
    def left_over(self) -> tuple[Piece, ...]:
        """The pieces with words that are neither claims nor headings: talk around the claims."""
        return tuple(
            piece
            for piece in self.pieces
            if piece.kind == "gap" and _WORD.search(self.text, piece.start, piece.end)
        )

    def tree(self) -> str:
        """The claims as an indented tree, one line each."""
        from patmark.claims.tree import claim_tree

        return claim_tree(self)

    def to_json(self) -> dict[str, Any]:
        """Everything but the input, in plain types."""
        return {
            "language": self.language,
            "claims": [{**asdict(claim), "dependent": claim.dependent} for claim in self.claims],
            "pieces": [asdict(piece) for piece in self.pieces],
        }
