"""What the checks share: the claims, the plain text, and what a claim can build on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from patmark.claims.lint.english_basis import EnglishBasis, Verdict
from patmark.claims.lint.findings import Found, Office, Severity
from patmark.claims.model import Claim, ClaimSet, Term
from patmark.claims.plain import plain_form

_GONE = re.compile(r"(?:cancel|delet|withdrawn|not[ -]entered)", re.IGNORECASE)


@dataclass(frozen=True)
class LintContext:
    """One set of claims under the eye of one office."""

    claims: ClaimSet
    office: Office
    description: str | None = None

    @cached_property
    def plain(self) -> str:
        """The text with half-width signs and simple dashes; every character keeps its place."""
        return plain_form(self.claims.text)

    @cached_property
    def live(self) -> tuple[Claim, ...]:
        """The claims that are not marked as canceled or withdrawn."""
        return tuple(
            claim
            for claim in self.claims.claims
            if claim.status is None or _GONE.match(claim.status) is None
        )

    @cached_property
    def scopes(self) -> dict[int, tuple[Claim, ...]]:
        """For each position the claims whose terms the claim can use, its own not included."""
        return {claim.position: self.claims.in_scope(claim) for claim in self.live}

    @cached_property
    def groundless(self) -> frozenset[int]:
        """The positions of claims that build on a claim that does not exist, directly or not.

        What that claim would have introduced is not known.
        """
        return frozenset(
            claim.position
            for claim in self.live
            if any(self.claims.absent(item) for item in (claim, *self.scopes[claim.position]))
        )

    @cached_property
    def unfounded(self) -> tuple[tuple[Claim, Term, Verdict], ...]:
        """The English phrases with "the" that refer to nothing, each with what was found out."""
        finder = EnglishBasis(self.plain)
        judged = (
            (claim, term, finder.judge(claim, place, self.scopes[claim.position]))
            for claim in self.live
            for place, term in enumerate(claim.terms)
            if term.kind == "referred"
        )
        return tuple(item for item in judged if item[2].basis != "found")

    def words(self, claim: Claim) -> str:
        """The plain text of a claim without its number."""
        return self.plain[claim.content.start : claim.content.end]


def name_of(claim: Claim) -> int:
    """The number of a claim, or its position where it states none."""
    return claim.position if claim.number is None else claim.number


def found(
    claim: Claim, start: int, end: int, message: str, at_most: Severity | None = None
) -> Found:
    """Something seen in a claim."""
    return Found(start, end, message, name_of(claim), claim.position, at_most)


def shown(text: str, longest: int = 60) -> str:
    """A piece of text for a message: on one line, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
