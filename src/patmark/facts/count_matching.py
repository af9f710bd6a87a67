"""Comparison of words by their number: negations, only, or, closed lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from patmark.facts.differences import Difference, FactComparison, FactKind, FindingCertainty, Span
from patmark.facts.glosses import (
    affirmative_stems,
    english_stems,
)
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.texts import TextFacts
from patmark.facts.word_features import features_of, is_long, slot_of, words_of
from patmark.languages import GLOSS_LANGUAGE, language
from patmark.wording import tr

_COUNTED_GROUPS = {"negation": "NOT", "only": "ONLY", "or": "OR", "list": "CLOSED"}


def _aligned_clause(source: TextFacts, place: int, target: TextFacts) -> Span:
    """Return the target clause at the position of a source place."""
    clauses = target.clauses or ((0, max(1, len(target.text))),)
    position = next((n for n, (a, b) in enumerate(source.clauses) if a <= place < b), 0)
    count = max(1, len(source.clauses))
    if count == len(clauses):
        return clauses[position]
    share = (place + 0.5) / max(1, len(source.text))
    middle = share * len(target.text)
    return min(clauses, key=lambda c: 0 if c[0] <= middle < c[1] else 1)


class _Counts(NamedTuple):
    sure: list[Hit]
    possible: list[Hit]


def _counts(facts: TextFacts, group: str) -> _Counts:
    hits = words_of(facts, group)
    if group == "or":
        hits = _without_chains(facts, hits)
    hits = [hit for hit in hits if (group, hit.row.id) != ("list", "OPEN")]
    sure = [hit for hit in hits if hit.row.sure]
    if group == "negation":
        sure = _without_double_negations(facts, sure)
    places = {hit.start for hit in sure}
    return _Counts(sure, [h for h in hits if not h.row.sure and h.start not in places])


def explaining(possible: list[Hit], other: list[Hit]) -> list[Hit]:
    """Return the remaining possible words after words of one meaning explain each other."""
    taken = Counter(hit.row.id for hit in other if hit.row.id not in _COUNTED_GROUPS.values())
    left = []
    for hit in possible:
        if taken[hit.row.id] > 0:
            taken[hit.row.id] -= 1
        else:
            left.append(hit)
    return left


def _without_like(facts: TextFacts, ours: _Counts, theirs: _Counts) -> tuple[_Counts, _Counts]:
    """Leave out sure words with a possible word of their meaning: hardly, にくい."""
    meanings: dict[int, str] = {
        hit.start: hit.row.id
        for hit in words_of(facts, "negation")
        if not hit.row.sure and hit.row.id != "UN"
    }
    sure, possible = list(ours.sure), list(theirs.possible)
    for hit in ours.sure:
        meaning = meanings.get(hit.start) if hit.row.group == "negation" else None
        like = next((one for one in possible if one.row.id == meaning), None)
        if like is not None:
            sure.remove(hit)
            possible.remove(like)
    return _Counts(sure, ours.possible), _Counts(theirs.sure, possible)


_VERB_NEGATION = re.compile(r"not|cannot|\w+n't", re.IGNORECASE)


def _without_rendered(
    facts: TextFacts, counts: _Counts, other: TextFacts, theirs: _Counts
) -> _Counts:
    """Leave out possible negations that the English text renders with a separate word.

    With "different" in the translation, 不同 explains no "not". "Non-conductive" may still be 绝缘.
    """
    into_glosses = other.language == GLOSS_LANGUAGE != facts.language
    if not into_glosses or not (counts.possible and theirs.sure):
        return counts
    if not all(_VERB_NEGATION.fullmatch(other.text[hit.start : hit.end]) for hit in theirs.sure):
        return counts
    stems = english_stems(other.text)
    left = [
        hit
        for hit in counts.possible
        if stems.isdisjoint(affirmative_stems(facts.text, hit.start, hit.end, facts.language))
    ]
    return _Counts(counts.sure, left)


def _without_chains(facts: TextFacts, hits: list[Hit]) -> list[Hit]:
    """Count A or B or C once: other languages write A, B or C."""
    [longest] = language(facts.language).reach("link")
    kept: list[Hit] = []
    last: Hit | None = None
    for hit in hits:
        linked = (
            last is not None and hit.row.sure and last.row.sure
            and hit.start - last.end <= longest
            and not re.search(r"[;。.]", facts.text[last.end : hit.start])
        )  # fmt: skip
        if not linked:
            kept.append(hit)
        last = hit
    return kept


_CONJUNCTION = re.compile(
    r"\b(?:when|if|while|because|and|but|or|unless|until|although|where\w*|which|so)\b"
)
_FAR = 2.0


def _surroundings(facts: TextFacts, hit: Hit) -> Counter[str]:
    """Return the features of the text around a word, inside its clause; near ones count twice."""
    first, last = next((c for c in facts.clauses if c[0] <= hit.start < c[1]), (0, len(facts.text)))
    found: Counter[str] = Counter()
    reach = language(facts.language).reach
    for before, after in (reach("near"), reach("around")):
        left = facts.text[max(first, hit.start - before) : hit.start]
        right = facts.text[hit.end : min(last, hit.end + after)]
        parts = _CONJUNCTION.split(left)[-1], _CONJUNCTION.split(right)[0]
        found.update(features_of(" ".join(parts), facts.language))
    return found


def _unmatched_place(mine: TextFacts, sure: list[Hit], other: TextFacts, hits: list[Hit]) -> Hit:
    """Return a word that is left without a counterpart if those with like surroundings pair."""
    if len(sure) == 1:
        return sure[0]
    theirs = [(hit, _surroundings(other, hit)) for hit in hits]
    sizes = max(1, len(mine.text)), max(1, len(other.text))
    likeness = [
        (
            (around & features).total() - _FAR * abs(one.start / sizes[0] - hit.start / sizes[1]),
            n,
            m,
        )
        for n, one in enumerate(sure)
        for around in (_surroundings(mine, one),)
        for m, (hit, features) in enumerate(theirs)
    ]
    left, free = dict(enumerate(sure)), set(range(len(hits)))
    for _, n, m in sorted(likeness, reverse=True):
        if len(left) > 1 and n in left and m in free:
            del left[n]
            free.remove(m)
    return next(iter(left.values()))


def _likeliest_clause(mine: TextFacts, hit: Hit, other: TextFacts) -> Span:
    """Return the clause of the other text that best renders the context of a word."""
    by_place = _aligned_clause(mine, hit.start, other)
    around = _surroundings(mine, hit)

    def shared(clause: Span) -> tuple[int, bool]:
        features = features_of(other.text[slice(*clause)], other.language)
        return sum(around[one] for one in features), clause == by_place

    return max(other.clauses or (by_place,), key=shared)


def compare_counted(source: TextFacts, target: TextFacts, group: str) -> FactComparison:
    """Compare how often both texts negate, exclude, offer a choice or close a list."""
    if group not in source.by_group and group not in target.by_group:
        return FactComparison(0)
    if is_long(source, target):
        return FactComparison(0)
    ours, theirs = _counts(source, group), _counts(target, group)
    if group == "negation":
        ours, theirs = (
            _without_rendered(source, ours, target, theirs),
            _without_rendered(target, theirs, source, ours),
        )
    ours, theirs = (
        _Counts(ours.sure, explaining(ours.possible, theirs.possible)),
        _Counts(theirs.sure, explaining(theirs.possible, ours.possible)),
    )
    ours, theirs = _without_like(source, ours, theirs)
    theirs, ours = _without_like(target, theirs, ours)
    lost = len(ours.sure) - len(theirs.sure) - len(theirs.possible)
    added = len(theirs.sure) - len(ours.sure) - len(ours.possible)
    if group == "negation":  # not … unless is only … if
        now, before = (
            sum(hit.row.sure for hit in words_of(facts, "only")) for facts in (target, source)
        )
        only = now - before
        lost -= 2 * max(0, only)
        added -= 2 * max(0, -only)
        lost -= _cancelled(source, ours.sure, lost)
        added -= _cancelled(target, theirs.sure, added)
    if group == "only":
        now, before = (
            sum(hit.row.sure for hit in words_of(facts, "negation")) for facts in (target, source)
        )
        lost -= max(0, now - before) // 2
        added -= max(0, before - now) // 2
    kept = min(len(ours.sure), len(theirs.sure) + len(theirs.possible))
    if lost <= 0 and added <= 0:
        return FactComparison(kept)
    slot = slot_of(group)
    if lost > 0:
        hit = _unmatched_place(source, ours.sure, target, [*theirs.sure, *theirs.possible])
        clause = _opposite(group, target, hit, source)
        message = tr("{word} has no counterpart", word=_named(group, source, hit))
        return FactComparison(
            kept,
            [_counted(slot, message, source, (hit.start, hit.end), target, clause)],
        )
    hit = _unmatched_place(target, theirs.sure, source, [*ours.sure, *ours.possible])
    clause = _opposite(group, source, hit, target)
    message = tr("{word} is not in the source", word=_named(group, target, hit))
    return FactComparison(
        kept, [_counted(slot, message, source, clause, target, (hit.start, hit.end))]
    )


def _named(group: str, facts: TextFacts, hit: Hit) -> str:
    """Return a quoted word; a negation is named as one for readers of the other language."""
    word = f"“{facts.quoted(hit.start, hit.end)}”"
    return tr("the negation {word}", word=word) if group == "negation" else word


_BETWEEN_NEGATIONS = phrases("(?:{between-negations})*")


def _without_double_negations(facts: TextFacts, negations: list[Hit]) -> list[Hit]:
    """Leave out two negations that affirm together: not impossible, 并非没有."""
    between = _BETWEEN_NEGATIONS.of(facts.language)
    kept: list[Hit] = []
    for hit in negations:
        if kept and between and between.fullmatch(facts.text, kept[-1].end, hit.start):
            kept.pop()
        else:
            kept.append(hit)
    return kept


def _cancelled(facts: TextFacts, negations: Sequence[Hit], surplus: int) -> int:
    """Return the number of surplus negations that cancel each other: two of one clause affirm."""
    if surplus < 2:
        return 0
    pairs = sum(
        one.end >= other.start - _LONGEST_DOUBLE
        and not _CLAUSE_MARK.search(facts.text, one.end, other.start)
        for one, other in pairwise(negations)
    )
    return 2 * min(pairs, surplus // 2)


_LONGEST_DOUBLE = 12
_CLAUSE_MARK = re.compile("[,;。、.]")


def _counted(
    slot: tuple[FactKind, str],
    message: str,
    source: TextFacts,
    ours: Span,
    target: TextFacts,
    theirs: Span,
) -> Difference:
    """Return a difference in the number of words, which is weak for several sentences."""
    several = slot[0] == "marker" and max(len(f.sentences) for f in (source, target)) > 1
    certainty: FindingCertainty = "possible" if several else "likely"
    return Difference(*slot, message, source.span(*ours), target.span(*theirs), certainty)


def _opposite(group: str, facts: TextFacts, hit: Hit, other: TextFacts) -> Span:
    """Return the place where a missing word should be: its opposite, or the clause."""
    clause = _likeliest_clause(other, hit, facts)
    rival = {"or": ("and", "AND"), "list": ("list", "OPEN")}.get(group)
    if rival:
        found = words_of(facts, *rival)
        if found:
            share = hit.start / max(1, len(other.text)) * len(facts.text)
            best = min(found, key=lambda h: abs(h.start - share))
            return best.start, best.end
    return clause
