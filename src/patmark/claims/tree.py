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
        lines.append(lead + _line(claim))
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


def _line(claim: Claim) -> str:
    number = "?" if claim.number is None else str(claim.number)
    words = " ".join(claim.text[claim.content.start - claim.start :].split())
    shown = words if len(words) <= _WIDTH else words[: _WIDTH - 1].rstrip() + "…"
    notes: list[str] = [] if claim.dependent else [claim.category]
    if len(claim.depends_on) > 1:
        notes.append("on " + ", ".join(map(str, claim.depends_on)))
    elif claim.refers_to and not claim.dependent:
        notes.append("mentions " + ", ".join(map(str, claim.refers_to)))
    return f"{number}  {shown}" + (f"  [{'; '.join(notes)}]" if notes else "")
