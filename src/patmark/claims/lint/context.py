"""The claims that a rule checks, and the results of its check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from patmark.claims.model import ClaimSet, ParsedClaim, TextRange
from patmark.claims.text_forms import one_line
from patmark.facts import Amount, facts_of, match_unit

Office: TypeAlias = Literal["any", "uspto", "epo", "jpo", "cnipa"]
Severity: TypeAlias = Literal["error", "warning", "information"]
OFFICES: tuple[Office, ...] = get_args(Office)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

_NUMBER = re.compile(r"\d+(?!\Z)")


@dataclass(frozen=True, slots=True)
class Found:
    """A result of a check: a place and a claim (None for the whole set).

    ``message`` names one of several messages of the rule, and ``values`` fill it in. ``at_most``
    lowers the severity of the rule for a less certain case.
    """

    start: int
    end: int
    message: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    claim: int | None = None
    position: int | None = None
    at_most: Severity | None = None


@dataclass(frozen=True)
class LintContext:
    """One set of claims and the rules of one office."""

    claims: ClaimSet
    office: Office
    description: str | None = None
    _amounts: dict[int, tuple[Amount, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def amounts(self, claim: ParsedClaim) -> tuple[Amount, ...]:
        """Return the amounts with a unit of a claim, with places in the text of all claims."""
        if claim.position not in self._amounts:
            self._amounts[claim.position] = tuple(self._find_amounts(claim))
        return self._amounts[claim.position]

    def _find_amounts(self, claim: ParsedClaim) -> Iterator[Amount]:
        start, words = claim.content.start, self.words(claim)
        # few claims have a unit after a number, and amounts take time
        if all(match_unit(words, match.end()) is None for match in _NUMBER.finditer(words)):
            return
        for amount in facts_of(words, self.claims.language).amounts:
            if amount.symbol:
                yield replace(amount, start=amount.start + start, end=amount.end + start)

    @property
    def plain(self) -> str:
        """The text of the claims in plain signs."""
        return self.claims.plain

    @property
    def live(self) -> tuple[ParsedClaim, ...]:
        """The claims that are not marked as canceled or withdrawn."""
        return self.claims.live

    @property
    def scopes(self) -> dict[int, tuple[ParsedClaim, ...]]:
        """For each position the other claims whose terms the claim can use."""
        return self.claims.scopes

    def words(self, claim: ParsedClaim) -> str:
        """Return the plain text of a claim without its number."""
        return self.plain[claim.content.start : claim.content.end]

    def matches(self, pattern: re.Pattern[str]) -> Iterator[tuple[ParsedClaim, re.Match[str]]]:
        """Yield every match of a pattern in the live claims, with its claim."""
        for claim in self.live:
            for match in pattern.finditer(self.plain, claim.content.start, claim.content.end):
                yield claim, match


Check: TypeAlias = Callable[[LintContext], Iterator[Found]]


def found(
    claim: ParsedClaim,
    place: TextRange | re.Match[str],
    message: str = "",
    at_most: Severity | None = None,
    /,
    **values: Any,
) -> Found:
    """Build the result of a check in a claim."""
    start, end = place.span() if isinstance(place, re.Match) else (place.start, place.end)
    return Found(start, end, message, values, claim.shown_number, claim.position, at_most)


def shown(text: str, longest: int = 60) -> str:
    """Return a piece of text for a message: on one line, and not too long."""
    return one_line(text, longest)
