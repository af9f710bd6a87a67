"""Claims as the rows of a tree, each with its text as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from patmark.claims import Claim, ClaimSet, parse_claims
from patmark.web.differences import Run, cut

_DEEPEST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim; ``depth`` is how far it stands below an independent claim, at most 5."""

    name: str
    depth: int
    depends_on: tuple[int, ...]
    runs: tuple[Run, ...]


@lru_cache(maxsize=512)
def claim_views(text: str, language: str | None, runs: tuple[Run, ...]) -> tuple[ClaimView, ...]:
    """The claims of a text in the order of their tree; none if it has no more than one claim.

    Headings and other text before a claim go with the claim that follows, the rest with the last
    one: nothing of the text is lost but blanks between claims.
    """
    known = language if language and language.lower()[:2] in ("en", "zh", "ja") else None
    claims = parse_claims(text, known)
    if len(claims.claims) < 2:
        return ()
    below: dict[int, list[Claim]] = {}
    for claim in claims.claims:
        below.setdefault(_parent(claims, claim), []).append(claim)
    ends = [0, *(claim.end for claim in claims.claims[:-1]), len(text)]
    views: list[ClaimView] = []
    waiting = [(root, 0) for root in reversed(below[0])]
    while waiting:
        claim, depth = waiting.pop()
        views.append(
            ClaimView(
                name="?" if claim.number is None else str(claim.number),
                depth=min(depth, _DEEPEST_SHOWN),
                depends_on=claim.depends_on,
                runs=_without_edges(runs, text, ends[claim.position - 1], ends[claim.position]),
            )
        )
        waiting += [(child, depth + 1) for child in reversed(below.get(claim.position, []))]
    return tuple(views)


def _without_edges(runs: tuple[Run, ...], text: str, start: int, end: int) -> tuple[Run, ...]:
    part = text[start:end]
    return cut(runs, end - len(part.lstrip()), start + len(part.rstrip()))


def _parent(claims: ClaimSet, claim: Claim) -> int:
    """The position of the first earlier claim on which this one depends; 0 for none."""
    for number in claim.depends_on:
        target = claims.find(number)
        if target is not None and target.position < claim.position:
            return target.position
    return 0
