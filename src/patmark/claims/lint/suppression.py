"""Comments in the text of claims that switch rules off.

    % patmark: ignore=antecedent-missing,exemplary-language
    <!-- patmark: ignore=wording -->
    # patmark: ignore-file=two-part-form

``%`` and ``#`` comments run to the end of the line. A comment on a line of its own belongs to the
claim around it, else to the next claim; one at the end of a line belongs to the claim in that
line. ``ignore-file`` counts for all claims and for findings about the whole set. Rules and
families of rules are named; without names all rules are meant. Comments are no part of a claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from patmark.claims.model import Claim

_COMMENT = re.compile(
    r"<!--[ \t]*patmark:[ \t]*(?P<kind>ignore(?:-file)?)(?:[ \t]*=(?P<names>[^\n]*?))?[ \t]*-->"
    r"|(?:(?<=\s)|^)(?:[%#]|//)[ \t]*patmark:[ \t]*(?P<line_kind>ignore(?:-file)?)"
    r"(?:[ \t]*=(?P<line_names>[^\n]*))?[ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: where it is, whether it is for the whole file, and which rules it names."""

    start: int
    end: int
    whole_file: bool
    names: tuple[str, ...]


def find_suppressions(text: str) -> tuple[Suppression, ...]:
    """The comments of a text, in order."""
    found = []
    for match in _COMMENT.finditer(text):
        kind = match["kind"] or match["line_kind"]
        names = match["names"] if match["kind"] else match["line_names"]
        listed = tuple(name.strip() for name in (names or "").split(",") if name.strip())
        found.append(Suppression(match.start(), match.end(), kind == "ignore-file", listed))
    return tuple(found)


def without_comments(text: str, comments: Sequence[Suppression]) -> str:
    """The text with blanks in place of comments, so that every character keeps its place."""
    pieces, last = [], 0
    for comment in comments:
        pieces += [text[last : comment.start], " " * (comment.end - comment.start)]
        last = comment.end
    return "".join([*pieces, text[last:]])


def claim_of(comment: Suppression, text: str, claims: Sequence[Claim]) -> int | None:
    """The position of the claim that a comment is about; None when there is no claim."""
    line = text.rfind("\n", 0, comment.start) + 1
    before_it = text[line : comment.start].strip()
    for claim in claims:
        inside = claim.start <= comment.start < claim.end
        in_line = bool(before_it) and claim.start < comment.start and claim.end > line
        if inside or (in_line and claim.end <= comment.start):
            return claim.position
    later = (claim.position for claim in claims if claim.start >= comment.end)
    return next(later, None)
