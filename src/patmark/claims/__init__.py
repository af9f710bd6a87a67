"""Claims: numbered claims out of any text, their parts, dependencies and terms."""

from patmark.claims.model import (
    Category,
    Claim,
    ClaimSet,
    Limitation,
    Piece,
    Reference,
    Span,
    Term,
    Transition,
    claim_tree,
)
from patmark.claims.parser import parse_claims
from patmark.claims.terms import covers

__all__ = [
    "Category",
    "Claim",
    "ClaimSet",
    "Limitation",
    "Piece",
    "Reference",
    "Span",
    "Term",
    "Transition",
    "claim_tree",
    "covers",
    "parse_claims",
]
