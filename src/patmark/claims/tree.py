"""The dependency tree of a set of claims in plain text."""

from __future__ import annotations

from collections import defaultdict

from patmark.claims.model import Claim, ClaimSet

_WIDTH = 72


def claim_tree(claims: ClaimSet) -> str:
    """One line per claim below the first claim on which it depends; the others are named."""
    children: defaultdict[int, list[Claim]] = defaultdict(list)
    roots: list[Claim] = []
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
        lines.append(lead + _line(claims, claim))
        branches = children[claim.position]
        for place, child in reversed(list(enumerate(branches))):
            last = place == len(branches) - 1
            waiting.append(
                (child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
            )
    return "\n".join(lines)


def _parent(claims: ClaimSet, claim: Claim) -> Claim | None:
    """The first claim before this one on which it depends; later ones would close a circle."""
    targets = [claims.find(number) for number in claim.depends_on]
    earlier = [target for target in targets if target and target.position < claim.position]
    return earlier[0] if earlier else None


def _line(claims: ClaimSet, claim: Claim) -> str:
    number = "?" if claim.number is None else str(claim.number)
    words = " ".join(claim.text[claim.content.start - claim.start :].split())
    shown = words if len(words) <= _WIDTH else words[: _WIDTH - 1].rstrip() + "…"
    notes: list[str] = [] if claim.dependent else [claim.category]
    targets = [_target(claims, claim, target) for target in claim.depends_on]
    if len(targets) > 1 or any(" " in target for target in targets):
        notes.append("on " + ", ".join(targets))
    elif claim.refers_to and not claim.dependent:
        mentioned = (_target(claims, claim, target) for target in claim.refers_to)
        notes.append("mentions " + ", ".join(mentioned))
    return f"{number}  {shown}" + (f"  [{'; '.join(notes)}]" if notes else "")


def _target(claims: ClaimSet, claim: Claim, number: int) -> str:
    """A number that a claim names, and what is wrong with it."""
    target = claims.find(number)
    if target is None:
        return f"{number} (missing)"
    if target is claim:
        return f"{number} (itself)"
    if target.canceled:
        return f"{number} (canceled)"
    return f"{number} (later)" if target.position > claim.position else str(number)
