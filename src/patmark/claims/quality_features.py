"""The features of ClaimQuality: a candidate against the reference, each from 0 to 1.

| feature | what it is | 1 means |
|---|---|---|
| coverage | share of the reference's clauses that the candidate has | nothing is missing |
| support | share of the candidate's clauses that the reference has | nothing was added |
| claims | likeness of assigned claims, over the larger number | claim for claim the same |
| position | likeness of claims with the same place, over the larger number | the same in order |
| terms | agreement of the terms and how often they occur (Dice) | the same terms |
| linkage | agreement of the claims that assigned claims refer to | the same dependencies |
| length | mean length of a claim, the smaller over the larger | claims as long |
| antecedents | share of "the X" with an antecedent, or with none in the reference | none lacks |
| repetition | share of runs of four words that are new, against the reference | no more repeated |
| ending | whether the last claim ends with a full stop, as the reference does | not cut off |

The first five read content. The others do not, so that they count in full only when at least half
of the content is there (the geometric mean of coverage and support), and less in proportion below:
a text without the content cannot gain by its form.

A claim that is copied but contradicts the reference (:mod:`patmark.claims.contradictions`) counts
less in all features, and so do the claims that build on it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

import numpy as np

from patmark.claims.alignment import Alignment
from patmark.claims.contradictions import trust
from patmark.claims.coverage import coverage, support
from patmark.claims.profiles import ClaimProfile
from patmark.data import FloatArray

CONTENT = ("coverage", "support", "claims", "position", "terms")
FORM = ("linkage", "length", "antecedents", "repetition", "ending")
FEATURES = (*CONTENT, *FORM)
_ENOUGH = 0.5

_Item = TypeVar("_Item", bound=Hashable)


def quality_features(alignment: Alignment) -> FloatArray:
    """The features in the order of FEATURES; all 0 for a candidate without claims."""
    if not alignment.candidate.all_words:
        return np.zeros(len(FEATURES))
    reference, candidate = alignment.reference, alignment.candidate
    covered, supported = coverage(alignment).value, support(alignment).value
    content = [
        covered,
        supported,
        _assigned_likeness(alignment),
        float(alignment.likeness.diagonal().sum()) / alignment.longest,
        dice(reference.terms, candidate.terms),
    ]
    form = [
        linkage(alignment),
        _length_closeness(reference, candidate),
        antecedents(reference, candidate),
        novelty(reference, candidate),
        _ending(reference, candidate),
    ]
    gate = form_gate(covered, supported)
    return trust(alignment) * np.array([*content, *(gate * value for value in form)])


def form_gate(covered: float, supported: float) -> float:
    """How far form counts: in full from half of the content on, in proportion below."""
    return min(1.0, math.sqrt(covered * supported) / _ENOUGH)


def linkage(alignment: Alignment) -> float:
    """Agreement of the claims that assigned claims refer to (Jaccard), over the larger number."""
    return sum(link_agreements(alignment).values()) / alignment.longest


def link_agreements(alignment: Alignment) -> dict[int, float]:
    """For each assigned claim of the candidate: do it and its origin refer to the same claims?"""
    agreements = {}
    for theirs, ours in alignment.assigned.items():
        wanted = alignment.reference.targets[theirs]
        seen = {alignment.in_reference(target) for target in alignment.candidate.targets[ours]}
        agreements[ours] = len(wanted & seen) / len(wanted | seen)
    return agreements


def antecedents(reference: ClaimProfile, candidate: ClaimProfile) -> float:
    """Share of "the X" that has an antecedent, or has none in the reference either."""
    if not candidate.referred:
        return 1.0
    return 1 - len(own_unsupported(reference, candidate)) / candidate.referred


def own_unsupported(reference: ClaimProfile, candidate: ClaimProfile) -> list[int]:
    """Places in ``candidate.unsupported`` of terms that the reference does not use in that way."""
    excused = {term.words for term in reference.unsupported}
    return [place for place, term in enumerate(candidate.unsupported) if term.words not in excused]


def dice(first: Counter[_Item], second: Counter[_Item]) -> float:
    """Agreement of two bags; 1 if both are empty."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0


def _assigned_likeness(alignment: Alignment) -> float:
    theirs, ours = list(alignment.assigned), list(alignment.assigned.values())
    return float(alignment.likeness[theirs, ours].sum()) / alignment.longest


def _length_closeness(reference: ClaimProfile, candidate: ClaimProfile) -> float:
    means = [len(side.all_words) / len(side.words) for side in (reference, candidate)]
    return min(means) / max(means)


def novelty(reference: ClaimProfile, candidate: ClaimProfile) -> float:
    """Share of runs of four words that are new, against that of the reference."""
    usual = 1 - reference.repeated
    return min(1.0, (1 - candidate.repeated) / usual) if usual else 1.0


def _ending(reference: ClaimProfile, candidate: ClaimProfile) -> float:
    expected = reference.claims.claims[-1] not in reference.unfinished
    return float(not expected or candidate.claims.claims[-1] not in candidate.unfinished)
