"""What the parser found in a text of claims: the tree, and every claim with its parts."""

from __future__ import annotations

from patmark.claims import Claim, ClaimSet
from patmark.claims.tree import claim_tree
from patmark.report import Cell, Column, Report, Table

_HARD_SPACE = "\u00a0"
_LEADS = " │├└─"


def parsed_claims_report(claims: ClaimSet, name: str) -> Report:
    """The dependency tree first, then limitations and terms claim by claim."""
    return Report(
        title="Claims",
        subtitle=f"{name} · {claims.language} · {len(claims.claims)} claims, "
        f"{len(claims.independent)} independent",
        headlines=(),
        tables=(_tree(claims), _limitations(claims), _terms(claims)),
        signatures={},
    )


def kept_indent(line: str) -> str:
    """A line of a tree whose blanks before the number survive in HTML."""
    indent = len(line) - len(line.lstrip(_LEADS))
    return line[:indent].replace(" ", _HARD_SPACE) + line[indent:]


def _tree(claims: ClaimSet) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (kept_indent(line),) for line in claim_tree(claims).splitlines()
    )
    return Table("Dependencies", (Column("claims, each below the first that it depends on"),), rows)


def _limitations(claims: ClaimSet) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for claim in claims.claims:
        rows.append((_number(claim), "preamble", _preamble(claim)))
        rows += [
            (
                _number(claim),
                f"limitation, level {part.level}",
                " ".join(part.text.split()),
            )
            for part in claim.limitations
        ]
    columns = (Column("claim"), Column("part"), Column("text"))
    return Table("Parts", columns, tuple(rows), section="parts")


def _terms(claims: ClaimSet) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_number(claim), term.kind, term.text, term.sign or None)
        for claim in claims.claims
        for term in claim.terms
    )
    columns = (Column("claim"), Column("kind"), Column("term"), Column("sign"))
    return Table("Terms", columns, rows, section="terms")


def _preamble(claim: Claim) -> str:
    text = claim.text[claim.preamble.start - claim.start : claim.preamble.end - claim.start]
    return " ".join(text.split())


def _number(claim: Claim) -> str:
    return f"({claim.position})" if claim.number is None else str(claim.number)
