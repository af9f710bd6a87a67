"""Comparison of two claims by limitation: same, changed, missing or added.

| relation | the limitation of the draft |
|---|---|
| same | has the same words |
| equivalent | has other function words, or states the same amounts in other units |
| narrower, broader, contradictory | differs in scope (:mod:`patmark.claims.scope`) |
| reworded | has other words in the place of some: not judged |
| missing, added | has no counterpart |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from patmark.claims.bags import bags_of, overlap
from patmark.claims.profiles import ClaimProfile, Clause
from patmark.claims.scope import ScopedClaim, ScopeDifference, word_differences
from patmark.data import FloatArray
from patmark.languages import CJK
from patmark.wording import tr

LimitationRelation: TypeAlias = Literal[
    "same", "equivalent", "narrower", "broader", "contradictory", "overlapping", "reworded",
    "missing", "added",
]  # fmt: skip
RELATION_NAMES: Mapping[str, str] = {
    "same": tr("same"),
    "equivalent": tr("equivalent"),
    "narrower": tr("narrower"),
    "broader": tr("broader"),
    "contradictory": tr("contradictory"),
    "reworded": tr("reworded"),
    "overlapping": tr("overlapping"),
    "missing": tr("missing"),
    "added": tr("added"),
}
_FEWEST_SHARED = 0.3
_ALIKE = 0.45  # limitations: shorter than claims, one other word weighs more
_FEWEST_ITEMS = 6  # words and pairs of a limitation that may be part of a longer one


class DiffPart(NamedTuple):
    """A run of words that two texts share, or that only one of them has."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True, slots=True)
class ComparedLimitation:
    """A limitation of the reference, the assigned one of the draft, and their relation.

    ``claims`` are the positions (from 0) of the two claims; places of clauses are those of the
    canonical texts.
    """

    claims: tuple[int, int]
    reference: Clause | None
    draft: Clause | None
    texts: tuple[str, str]
    relation: LimitationRelation
    differences: tuple[ScopeDifference, ...] = ()

    @property
    def as_moved(self) -> ComparedLimitation:
        """The limitation of a claim that has all its words, elsewhere or in another order."""
        if self.relation in ("same", "contradictory"):
            return self
        return replace(self, relation="equivalent", differences=())

    @property
    def words(self) -> str:
        """The differences in words."""
        return tr("{parts}", parts=tuple(one.message for one in self.differences))

    @property
    def is_changed(self) -> bool:
        """True if both sides have the limitation in different words."""
        return self.relation not in ("same", "missing", "added")

    @property
    def diff(self) -> tuple[DiffPart, ...]:
        """Word-level difference of the texts."""
        return word_diff(*self.texts)

    def to_json(self) -> dict[str, Any]:
        """Return relation, texts and differences in plain types."""
        return {
            "relation": self.relation,
            "reference": self.texts[0] or None,
            "draft": self.texts[1] or None,
            "differences": [
                {"relation": one.relation, "message": one.message} for one in self.differences
            ],
            "diff": [list(part) for part in self.diff] if self.is_changed else [],
        }


@dataclass(frozen=True, slots=True)
class ClaimRelation:
    """The numbers of a reference claim and of its assigned draft claim, with their relation.

    A number is None if one side has no such claim.
    """

    reference: int | None
    draft: int | None
    relation: str
    limitations: tuple[ComparedLimitation, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return numbers, relation and limitations in plain types."""
        return {
            "reference": self.reference,
            "draft": self.draft,
            "relation": self.relation,
            "limitations": [row.to_json() for row in self.limitations],
        }


def compare_limitations(
    reference: ClaimProfile,
    draft: ClaimProfile,
    claims: tuple[int, int],
    differences: Sequence[ScopeDifference],
) -> list[ComparedLimitation]:
    """Compare the limitations of two claims, whose ``differences`` in facts are known.

    Limitations are assigned by the words that they share; the rows are in the order of the
    reference, and added ones follow the limitation before them.
    """
    ours = [one for one in reference.clauses if one.claim == claims[0]]
    theirs = [one for one in draft.clauses if one.claim == claims[1]]
    pairs, shares = _assigned(
        [_words(reference, one) for one in ours], [_words(draft, one) for one in theirs]
    )
    rows: list[ComparedLimitation] = []
    for row, clause in enumerate(ours):
        column = pairs.get(row)
        if column is None:
            text = _text(reference, clause)
            rows.append(ComparedLimitation(claims, clause, None, (text, ""), "missing"))
            continue
        alike = bool(shares[row, column] > _ALIKE)
        pair = clause, theirs[column]
        rows.append(_compared(reference, draft, claims, pair, differences, alike))
    for column, clause in enumerate(theirs):
        if column not in pairs.values():
            added = ComparedLimitation(claims, None, clause, ("", _text(draft, clause)), "added")
            rows.insert(_place(rows, clause), added)
    return rows


def _words(profile: ClaimProfile, clause: Clause) -> Sequence[str]:
    """Return the words of a limitation that state no fact; all if there are no others."""
    offset = profile.claims.claims[clause.claim].content.start
    scoped = profile.scoped[clause.claim].within(clause.start - offset, clause.end - offset)
    return scoped.words_beside_facts() or clause.words


def _assigned(
    ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]
) -> tuple[dict[int, int], FloatArray]:
    from scipy.optimize import linear_sum_assignment

    if not ours or not theirs:
        return {}, np.zeros((len(ours), len(theirs)))
    found = overlap(bags_of(ours), bags_of(theirs))
    smaller = np.minimum(found.rows[:, None], found.columns)
    contained = found.shared / np.maximum(smaller, _FEWEST_ITEMS)
    shares = np.maximum(found.agreement, 0.9 * contained)
    rows, columns = linear_sum_assignment(shares, maximize=True)
    kept = {
        int(row): int(column)
        for row, column in zip(rows, columns, strict=True)
        if shares[row, column] >= _FEWEST_SHARED
    }
    _join_neighbours(kept, ours, theirs)
    return kept, shares


def _join_neighbours(
    pairs: dict[int, int], ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]
) -> None:
    """Pair two limitations that share a word and are alone between the same neighbours."""
    taken = set(pairs.values())
    for row in range(len(ours)):
        column = 0 if row == 0 else pairs.get(row - 1, -2) + 1
        if row in pairs or column in taken or not 0 <= column < len(theirs):
            continue
        last = row == len(ours) - 1 and column == len(theirs) - 1
        if (last or pairs.get(row + 1) == column + 1) and _share_word(ours[row], theirs[column]):
            pairs[row] = column


def _share_word(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    numbers = any(word[0].isdecimal() for word in ours)
    return not set(ours).isdisjoint(theirs) or (
        numbers and any(word[0].isdecimal() for word in theirs)
    )


def _place(rows: Sequence[ComparedLimitation], clause: Clause) -> int:
    """Return the row before which an added limitation belongs, by its place in the draft."""
    for at, row in enumerate(rows):
        if row.draft is not None and row.draft.start > clause.start:
            return at
    return len(rows)


def _compared(
    reference: ClaimProfile,
    draft: ClaimProfile,
    claims: tuple[int, int],
    clauses: tuple[Clause, Clause],
    differences: Sequence[ScopeDifference],
    alike: bool,
) -> ComparedLimitation:
    ours, theirs = clauses
    texts = _text(reference, ours), _text(draft, theirs)
    if ours.words == theirs.words:
        return ComparedLimitation(claims, ours, theirs, texts, "same")
    offsets = (
        reference.claims.claims[claims[0]].content.start,
        draft.claims.claims[claims[1]].content.start,
    )
    spans = [
        (clause.start - offset, clause.end - offset)
        for clause, offset in zip(clauses, offsets, strict=True)
    ]
    own = [
        one for one in differences if _is_in(one.reference, spans[0]) or _is_in(one.draft, spans[1])
    ]
    scoped = (
        reference.scoped[claims[0]].within(*spans[0]),
        draft.scoped[claims[1]].within(*spans[1]),
    )
    if not own and alike:
        own = word_differences(*scoped)
    if own:
        joint = joint_relation({one.relation for one in own})
        return ComparedLimitation(claims, ours, theirs, texts, joint, tuple(own))
    relation: LimitationRelation = "equivalent" if say_the_same(*scoped) else "reworded"
    return ComparedLimitation(claims, ours, theirs, texts, relation)


def say_the_same(ours: ScopedClaim, theirs: ScopedClaim) -> bool:
    """Return True if two limitations have the same words and counts besides their facts."""
    one, other = (sorted(side.words_and_counts()) for side in (ours, theirs))
    return one == other


def _is_in(place: tuple[int, int] | None, span: tuple[int, int]) -> bool:
    return place is not None and span[0] <= place[0] < span[1]


def _text(profile: ClaimProfile, clause: Clause) -> str:
    return profile.form.written(clause.start, clause.end)


def relation_of_claims(
    rows: Sequence[ComparedLimitation], differences: Sequence[ScopeDifference] = ()
) -> LimitationRelation:
    """Return the relation of a claim with these limitations, or with ``differences`` as a whole.

    Limitations that are missing make it broader, added ones narrower. One that is broader in some
    limitations and narrower in others overlaps with the reference.
    """
    if not differences:
        return joint_relation({_AS_CLAIM.get(row.relation, row.relation) for row in rows})
    lone = {_AS_CLAIM[row.relation] for row in rows if row.relation in ("missing", "added")}
    return joint_relation({one.relation for one in differences} | lone)


_AS_CLAIM: Mapping[LimitationRelation, LimitationRelation] = {
    "missing": "broader",
    "added": "narrower",
    "same": "equivalent",
}
_BY_WEIGHT: Sequence[LimitationRelation] = ("narrower", "broader", "reworded")


def joint_relation(found: Collection[str]) -> LimitationRelation:
    """Return the relation of a whole whose parts have these relations."""
    if "contradictory" in found:
        return "contradictory"
    if {"narrower", "broader"}.issubset(found) or "overlapping" in found:
        return "overlapping"
    for relation in _BY_WEIGHT:
        if relation in found:
            return relation
    return "equivalent"


_DIFF_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:[.,][^\W{CJK}]+)*|[^\w\s]|\s+")


def word_diff(old: str, new: str) -> tuple[DiffPart, ...]:
    """Return the words of two texts: shared, removed and added, in order."""
    return tuple(_diff_parts(_DIFF_WORD.findall(old), _DIFF_WORD.findall(new)))


def _diff_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffPart]:
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield DiffPart("same", "".join(old[a:b]))
            continue
        if a < b:
            yield DiffPart("removed", "".join(old[a:b]))
        if c < d:
            yield DiffPart("added", "".join(new[c:d]))
