"""From a text to a set of claims."""

from __future__ import annotations

from patmark.claims.categories import Subject, subject_of
from patmark.claims.claim_parts import find_parts
from patmark.claims.dependencies import find_dependency, find_references
from patmark.claims.limitations import find_limitations
from patmark.claims.model import Claim, ClaimSet, Reference, Span, Term
from patmark.claims.plain import plain_form
from patmark.claims.splitting import Chunk, split_claims
from patmark.claims.terms import find_terms
from patmark.errors import UsageError
from patmark.text.folding import language_of

_LANGUAGES = ("en", "zh", "ja")


def parse_claims(text: str, language: str | None = None) -> ClaimSet:
    """The claims of a text in English, Chinese or Japanese.

    Without ``language`` the script of the text decides. Numbers are kept as they are stated:
    missing, repeated and jumping ones are for the reader of the result to judge.
    """
    if language is not None and language.lower()[:2] not in _LANGUAGES:
        raise UsageError(f"claims are parsed in {', '.join(_LANGUAGES)}, not in {language!r}")
    code = language_of(language, text)
    plain = plain_form(text)
    chunks, pieces = split_claims(plain)
    terms = find_terms(plain, text, [Span(chunk.content, chunk.end) for chunk in chunks], code)
    stated = {chunk.number for chunk in chunks}
    known: dict[int, Subject] = {}
    claims: list[Claim] = []
    for chunk, claim_terms in zip(chunks, terms, strict=True):
        claim, subject = _claim(plain, text, chunk, len(claims) + 1, code, known, claim_terms)
        claims.append(claim)
        number = chunk.number or claim.position
        if chunk.number is not None or number not in stated:
            known.setdefault(number, subject)
    return ClaimSet(text, code, tuple(claims), pieces)


def _claim(
    plain: str,
    text: str,
    chunk: Chunk,
    position: int,
    language: str,
    known: dict[int, Subject],
    terms: tuple[Term, ...],
) -> tuple[Claim, Subject]:
    """One claim, and what later claims need to know about it."""
    content = Span(chunk.content, chunk.end)
    references = find_references(plain, content, known)
    parts = find_parts(plain, content, language, references)
    subject = subject_of(plain, parts.preamble, language)
    dependency = find_dependency(plain, content, references, subject, known, language)
    claim = Claim(
        number=chunk.number,
        last=chunk.last,
        position=position,
        start=chunk.start,
        end=chunk.end,
        text=text[chunk.start : chunk.end],
        status=chunk.status,
        content=content,
        preamble=parts.preamble,
        transition=parts.transition,
        body=parts.body,
        limitations=find_limitations(plain, text, parts.body),
        references=references,
        refers_to=dependency.refers_to,
        depends_on=dependency.depends_on,
        multiple=dependency.multiple,
        alternative=dependency.alternative,
        category=subject.category,
        terms=tuple(term for term in terms if not _overlaps(term, references)),
    )
    return claim, subject


def _overlaps(term: Term, references: tuple[Reference, ...]) -> bool:
    """Whether a term is part of a mention of claims ("the preceding claims")."""
    return any(item.start < term.end and term.start < item.end for item in references)
