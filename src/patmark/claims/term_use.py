"""Which terms of the reference a candidate keeps, and which it changes.

| term of the candidate | is |
|---|---|
| a term of the reference, or a short form of one ("the shaft" for "a rotating shaft") | kept |
| the head of a term of the reference with other words before it | changed |
| "the X" that nothing introduces, and that the reference does not use | changed |
| anything else | new: neither good nor bad |
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from patmark.claims.model import Term
from patmark.claims.profiles import ClaimProfile, Words

_RECURRING = 2


@dataclass(frozen=True, slots=True)
class ChangedTerm:
    """A term of the candidate, and the words of the reference for it where they are known."""

    term: Term
    usual: Words | None


@dataclass(frozen=True, slots=True)
class KeptTerms:
    """How many of the reference's recurring terms are used, and the first place of the others."""

    kept: int
    lost: tuple[Term, ...]

    @property
    def share(self) -> float:
        """Kept of all; 1 if no term recurs."""
        total = self.kept + len(self.lost)
        return self.kept / total if total else 1.0


def changed_terms(reference: ClaimProfile, candidate: ClaimProfile) -> list[ChangedTerm]:
    """The occurrences of terms in the candidate that are changed ones."""
    known = _with_short_forms(reference)
    by_head = _usual_by_head(reference)
    loose = {(term.start, term.end) for term in candidate.unsupported}
    found = []
    for term in (term for claim in candidate.claims.claims for term in claim.terms):
        if term.words in known:
            continue
        usual = by_head.get(term.head)
        if usual is not None or (term.start, term.end) in loose:
            found.append(ChangedTerm(term, usual))
    return found


def unclear_terms(reference: ClaimProfile, candidate: ClaimProfile) -> list[Term]:
    """Terms with "the" that lack an antecedent, and that the reference does not use in that way.

    That a claim refers to a missing one is a fault of linkage and not counted here once more.
    """
    excused = {term.words for term in reference.unsupported}
    return [term for term in candidate.unclear if term.words not in excused]


def kept_terms(reference: ClaimProfile, candidate: ClaimProfile) -> KeptTerms:
    """Which terms that the reference uses more than once the candidate uses as well."""
    first: dict[Words, Term] = {}
    for claim in reference.claims.claims:
        for term in claim.terms:
            first.setdefault(term.words, term)
    used = _with_short_forms(candidate)
    recurring = [words for words, count in reference.terms.items() if count >= _RECURRING]
    lost = tuple(first[words] for words in recurring if words not in used)
    return KeptTerms(len(recurring) - len(lost), lost)


def _with_short_forms(profile: ClaimProfile) -> set[Words]:
    """The terms, and what is left of each when words before the head are dropped."""
    return {words[start:] for words in profile.terms for start in range(len(words))}


def _usual_by_head(profile: ClaimProfile) -> dict[str, Words]:
    """For each head the commonest term; the first of several."""
    counts: dict[str, Counter[Words]] = {}
    for words, count in profile.terms.items():
        counts.setdefault(words[-1], Counter())[words] += count
    return {head: terms.most_common(1)[0][0] for head, terms in counts.items()}
