"""Comparison of polarity, limits, markers and roles.

Words of the table are sure or possible. A sure word without a counterpart is a difference only if
no possible word of the other text explains it; a contrast (upstream for downstream) only if one
word is lost and its opposite gained.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

from patmark.facts.differences import Difference, FactComparison, FactKind, FindingCertainty, Span
from patmark.facts.glosses import (
    affirmative_stems,
    dictionary_in_use,
    dictionary_name,
    english_stems,
    fits,
    gloss_stems,
    is_in_word,
)
from patmark.facts.lexicon import Hit, pattern_of
from patmark.facts.quantities import Quantity, parse_english, parse_han
from patmark.facts.step_order import compare_steps
from patmark.facts.texts import TextFacts
from patmark.facts.units import in_base_unit, unit_meaning
from patmark.text import HAN, simplified, simplified_japanese
from patmark.wording import tr

_COUNTED_GROUPS = {"negation": "NOT", "only": "ONLY", "or": "OR", "list": "CLOSED"}
_FUNCTION_GROUPS = frozenset({"limit-pre", "limit-post", "negation", "only", "or", "and", "list"})
_NO_CONTRASTS = _FUNCTION_GROUPS | {"action"}  # what is done only tells steps apart
_SHOWN = {">=": "≥", ">": ">", "<=": "≤", "<": "<", "~>": ">", "~<": "<"}
KATAKANA = "ァ-ヺー"


def _of(facts: TextFacts, group: str, identity: str | None = None) -> list[Hit]:
    hits = facts.by_group.get(group, [])
    return hits if identity is None else [hit for hit in hits if hit.row.id == identity]


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
    hits = _of(facts, group)
    if group == "or":
        hits = _without_chains(facts, hits)
    hits = [hit for hit in hits if (group, hit.row.id) != ("list", "OPEN")]
    sure = [hit for hit in hits if hit.row.sure]
    if group == "negation":
        sure = _without_double_negations(facts, sure)
    places = {hit.start for hit in sure}
    return _Counts(sure, [h for h in hits if not h.row.sure and h.start not in places])


def _explaining(possible: list[Hit], other: list[Hit]) -> list[Hit]:
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
        for hit in _of(facts, "negation")
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
    if other.language != "en" or facts.language == "en" or not (counts.possible and theirs.sure):
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


_LONGEST_LINK = {"en": 40, "zh": 12, "ja": 18}


def _without_chains(facts: TextFacts, hits: list[Hit]) -> list[Hit]:
    """Count A or B or C once: other languages write A, B or C."""
    longest = _LONGEST_LINK.get(facts.language, 40)
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


_AROUND = {"en": ((0, 14), (24, 40)), "zh": ((0, 6), (10, 14)), "ja": ((8, 0), (18, 6))}
"""Characters before and after a word that show what it is about; Japanese negations end a verb."""
_CONJUNCTION = re.compile(
    r"\b(?:when|if|while|because|and|but|or|unless|until|although|where\w*|which|so)\b"
)
_FAR = 2.0


def _surroundings(facts: TextFacts, hit: Hit) -> Counter[str]:
    """Return the features of the text around a word, inside its clause; near ones count twice."""
    first, last = next((c for c in facts.clauses if c[0] <= hit.start < c[1]), (0, len(facts.text)))
    found: Counter[str] = Counter()
    for before, after in _AROUND.get(facts.language, _AROUND["en"]):
        left = facts.text[max(first, hit.start - before) : hit.start]
        right = facts.text[hit.end : min(last, hit.end + after)]
        parts = _CONJUNCTION.split(left)[-1], _CONJUNCTION.split(right)[0]
        found.update(_features(" ".join(parts), facts.language))
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
        features = _features(other.text[slice(*clause)], other.language)
        return sum(around[one] for one in features), clause == by_place

    return max(other.clauses or (by_place,), key=shared)


_MOST_SENTENCES = 8


def _is_long(source: TextFacts, target: TextFacts) -> bool:
    """Return True for texts of many sentences, where counts of words say nothing."""
    return max(len(facts.sentences) for facts in (source, target)) > _MOST_SENTENCES


def compare_counted(source: TextFacts, target: TextFacts, group: str) -> FactComparison:
    """Compare how often both texts negate, exclude, offer a choice or close a list."""
    if group not in source.by_group and group not in target.by_group:
        return FactComparison(0)
    if _is_long(source, target):
        return FactComparison(0)
    ours, theirs = _counts(source, group), _counts(target, group)
    if group == "negation":
        ours, theirs = (
            _without_rendered(source, ours, target, theirs),
            _without_rendered(target, theirs, source, ours),
        )
    ours, theirs = (
        _Counts(ours.sure, _explaining(ours.possible, theirs.possible)),
        _Counts(theirs.sure, _explaining(theirs.possible, ours.possible)),
    )
    ours, theirs = _without_like(source, ours, theirs)
    theirs, ours = _without_like(target, theirs, ours)
    lost = len(ours.sure) - len(theirs.sure) - len(theirs.possible)
    added = len(theirs.sure) - len(ours.sure) - len(ours.possible)
    if group == "negation":  # not … unless is only … if
        now, before = (
            sum(hit.row.sure for hit in _of(facts, "only")) for facts in (target, source)
        )
        only = now - before
        lost -= 2 * max(0, only)
        added -= 2 * max(0, -only)
        lost -= _cancelled(source, ours.sure, lost)
        added -= _cancelled(target, theirs.sure, added)
    if group == "only":
        now, before = (
            sum(hit.row.sure for hit in _of(facts, "negation")) for facts in (target, source)
        )
        lost -= max(0, now - before) // 2
        added -= max(0, before - now) // 2
    kept = min(len(ours.sure), len(theirs.sure) + len(theirs.possible))
    if lost <= 0 and added <= 0:
        return FactComparison(kept)
    slot = _slot(group)
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


_BETWEEN_NEGATIONS = {
    "en": re.compile(r"\s+(?:be |an? |entirely |completely |at all )?", re.IGNORECASE),
    "zh": re.compile("[是会能可得]?"),
    "ja": re.compile("(?:で|は|が|も|とは|わけ|こと|もの)*"),
}


def _without_double_negations(facts: TextFacts, negations: list[Hit]) -> list[Hit]:
    """Leave out two negations that affirm together: not impossible, 并非没有."""
    between = _BETWEEN_NEGATIONS.get(facts.language)
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


def _slot(group: str) -> tuple[FactKind, str]:
    """Return kind and slot of a difference in words of a group."""
    slots: dict[str, tuple[FactKind, str]] = {
        "negation": ("polarity", "negation"), "thing": ("term", "noun"),
        "ordinal": ("ordinal", "roles"), "limit": ("limit", "direction"),
    }  # fmt: skip
    return slots.get(group.partition("-")[0], ("marker", group))


def _opposite(group: str, facts: TextFacts, hit: Hit, other: TextFacts) -> Span:
    """Return the place where a missing word should be: its opposite, or the clause."""
    clause = _likeliest_clause(other, hit, facts)
    rival = {"or": ("and", "AND"), "list": ("list", "OPEN")}.get(group)
    if rival:
        found = _of(facts, *rival)
        if found:
            share = hit.start / max(1, len(other.text)) * len(facts.text)
            best = min(found, key=lambda h: abs(h.start - share))
            return best.start, best.end
    return clause


def compare_limits(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare the limits of equal quantities: ≥ 85 % must not become ≤ 85 %, nor > 85 %."""
    differences: list[Difference] = []
    kept = 0
    for ours, theirs in source.matched(target).pairs:
        if not ours.limit and not theirs.limit:
            continue
        if _limits_agree(ours, theirs) or _is_extreme(source, ours, target, theirs):
            kept += 1
            continue
        number = f"{ours.key}{f' {ours.unit}' if ours.unit else ''}"
        message = tr(
            "{old} became {new}",
            old=f"{_SHOWN.get(ours.limit, '=')} {number}",
            new=f"{_SHOWN.get(theirs.limit, '=')} {number}",
        )
        reach_ours, reach_theirs = max(ours.end, ours.reach), max(theirs.end, theirs.reach)
        differences.append(
            Difference(
                "limit",
                _limit_slot(ours.limit, theirs.limit),
                message,
                source.span(*_with_limit_word(source, ours.start, reach_ours)),
                target.span(*_with_limit_word(target, theirs.start, reach_theirs)),
                "sure" if ours.limit and theirs.limit else "likely",
            )
        )
    return FactComparison(kept, differences)


def _is_extreme(source: TextFacts, ours: Quantity, target: TextFacts, theirs: Quantity) -> bool:
    """Return True if a noun states the limit that one number lacks: the maximum force is 70 N."""
    if bool(ours.limit) == bool(theirs.limit):
        return False
    facts, limit = (target, ours.limit) if ours.limit else (source, theirs.limit)
    extreme = "MINIMUM" if ">" in limit else "MAXIMUM"
    return bool(_of(facts, "extreme", extreme))


def _limit_slot(ours: str, theirs: str) -> str:
    if not ours or not theirs:
        return "presence"
    return "end" if ours.lstrip("~")[0] == theirs.lstrip("~")[0] else "direction"


def _limits_agree(ours: Quantity, theirs: Quantity) -> bool:
    """Return True if two limits may be the same; an end of a range is weak evidence."""
    if ours.ranged or theirs.ranged:
        return True
    if not ours.limit or not theirs.limit:
        return "~" in ours.limit + theirs.limit or ours.unit is None or theirs.unit is None
    if "~" in ours.limit + theirs.limit:
        return ours.limit.lstrip("~")[0] == theirs.limit.lstrip("~")[0]
    return ours.limit == theirs.limit


_OTHER_LIMIT = re.compile(r"[\d,;。]")


def _with_limit_word(facts: TextFacts, start: int, end: int) -> Span:
    """Return the place of a quantity together with the word that limits it."""
    for hit in facts.words:
        if hit.row.group == "limit-pre" and 0 <= start - hit.end <= 25:
            start = start if _OTHER_LIMIT.search(facts.text, hit.end, start) else hit.start
        elif hit.row.group == "limit-post" and 0 <= hit.start - end <= 14:
            return start, end if _OTHER_LIMIT.search(facts.text, end, hit.start) else hit.end
    return start, end


class _Tally(NamedTuple):
    sure: Counter[str]
    all: Counter[str]
    hits: dict[str, list[Hit]]


def _tally(hits: Iterable[Hit]) -> _Tally:
    sure: Counter[str] = Counter()
    every: Counter[str] = Counter()
    places: dict[str, list[Hit]] = {}
    for hit in hits:
        every[hit.row.id] += 1
        places.setdefault(hit.row.id, []).append(hit)
        if hit.row.sure:
            sure[hit.row.id] += 1
    return _Tally(sure, every, places)


def compare_contrasts(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare words with an opposite: one lost and its opposite gained is a difference."""
    differences: list[Difference] = []
    kept = 0
    if _is_long(source, target):
        return FactComparison(0)
    groups = {
        hit.row.group
        for hit in (*source.words, *target.words)
        if hit.row.sure and hit.row.group not in _NO_CONTRASTS
    }
    several = max(len(facts.sentences) for facts in (source, target)) > 1
    for group in sorted(groups):
        same = [sorted((h.row.id, h.row.sure) for h in _of(f, group)) for f in (source, target)]
        if same[0] == same[1]:
            kept += sum(sure for _, sure in same[0])
            continue
        ours, theirs = map(
            _tally,
            _without_common(_contrasted(source, group, target), _contrasted(target, group, source)),
        )
        kept += sum(min(ours.sure[one], theirs.all[one]) for one in ours.sure)
        changes = _changes(group in _AMBIGUOUS and not several, ours, theirs)
        if group.startswith("thing"):
            changes = _without_compounds(source, target, ours, theirs, changes)
        if group == "scope" and not changes:
            changes = _one_for_at_least_one(source, ours, target, theirs)
        if not changes:
            continue
        if group.startswith("thing"):
            changes = [c for c in changes if _really_replaced(source, target, ours, theirs, *c)]
            if not _are_one(ours, theirs, changes):  # of one kind: sulfuric acid, nitric acid
                changes = [c for c in changes if _shared_stems(source, target, ours, theirs, *c)]
            if not _are_one(ours, theirs, changes):
                continue
        old, new = changes[0]
        lost, gained = _clearest(source, ours.hits[old]), _clearest(target, theirs.hits[new])
        if (
            group in _RELATIONS
            and _is_relation(source, lost)
            and _is_relation(target, gained)
            and _is_converse(source, target, lost, gained)
        ):
            continue
        a, b = _nearest(source, ours.hits[old], target, theirs.hits[new])
        differences.append(_word_difference(group, source, a, target, b))
    differences += _reversed_comparison(source, target)
    return FactComparison(kept, differences)


def _without_common(ours: list[Hit], theirs: list[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Leave out possible words that explain each other: 第一 and "first" are no primary coil."""
    mine, yours = (
        [
            h
            for h in hits
            if not h.row.sure and not any(h.start == s.start for s in hits if s.row.sure)
        ]
        for hits in (ours, theirs)
    )
    explained = {*mine, *yours} - {*_explaining(mine, yours), *_explaining(yours, mine)}
    return [h for h in ours if h not in explained], [h for h in theirs if h not in explained]


def _clearest(facts: TextFacts, hits: Sequence[Hit]) -> Hit:
    """Return the last sure word; else the last one that ends a clause: 加入前,; else the last."""
    sure = [hit for hit in hits if hit.row.sure]
    ending = [hit for hit in hits if facts.text[hit.end : hit.end + 1] in (",", "、")]
    return (sure or ending or hits)[-1]


# words of which an ambiguous one may be lost or gained if its opposite is certain
_AMBIGUOUS = frozenset(
    {"time", "terminal", "polarity", "vertical", "chemistry", "optics", "electrode"}
)
# words between two things, which change places with them: A above B, B below A
_RELATIONS = frozenset({"time", "flow", "vertical", "lateral", "sagittal", "depth"})


def _changes(loose: bool, ours: _Tally, theirs: _Tally) -> list[tuple[str, str]]:
    """Return the words that are lost, each with an opposite that is gained.

    If ``loose``, one of both may be ambiguous.
    """
    lost = [one for one in ours.all if ours.sure[one] > theirs.all[one]]
    gained = [one for one in theirs.all if theirs.sure[one] > ours.all[one]]
    fewer = [one for one in ours.all if ours.all[one] > theirs.all[one]]
    more = [one for one in theirs.all if theirs.all[one] > ours.all[one]]
    return [
        (old, new)
        for new in (more if loose else gained)
        for old in (fewer if loose else lost)
        if old != new and not (theirs.all[old] and ours.all[new]) and (old in lost or new in gained)
    ]


_AT_LEAST_ONE = re.compile(
    r"at least (?:one|an?)|one or |至少|或(?:者)?多|以上|少なくとも|それ以上"
)


def _one_for_at_least_one(
    source: TextFacts, ours: _Tally, target: TextFacts, theirs: _Tally
) -> list[tuple[str, str]]:
    """Return the change of "at least one" to "one", or back, where no other word explains it."""
    for facts, some, one in ((source, ours, theirs), (target, theirs, ours)):
        stated = [h for h in some.hits.get("SOME", ()) if _AT_LEAST_ONE.search(facts.text, *h[:2])]
        if stated and not one.sure.keys() - {"ONE"} and one.all["ONE"] > some.all["ONE"]:
            return [("SOME", "ONE") if some is ours else ("ONE", "SOME")]
    return []


_RELATES = re.compile(
    r"(?:[a-z-]*\s+(?:end|side|direction|position)s?)?\s+(?:of|to|from|than|the|an?|said|each)\b",
    re.IGNORECASE,
)


def _is_relation(facts: TextFacts, hit: Hit) -> bool:
    """Return True if a word relates two things; "rear wheel" does not."""
    if facts.language != "en" or hit.row.group == "time":
        return True
    return _RELATES.match(facts.text, hit.end) is not None


def _means_else(facts: TextFacts, hit: Hit, other: TextFacts) -> bool:
    """Return True if the other text has a certain sense of an ambiguous word: 负极 is negative."""
    return any(
        sure.row.sure and (sure.start, sure.end) == (hit.start, hit.end)
        and sure.row.group not in _NO_CONTRASTS
        and any(one.row.sure and one.row.id == sure.row.id for one in _of(other, sure.row.group))
        for sure in facts.words
        if sure.row.group != hit.row.group
    )  # fmt: skip


def _contrasted(facts: TextFacts, group: str, other: TextFacts) -> list[Hit]:
    """Return the words of a group; those of a negated limit count there: no smaller than 5 mm.

    The unit of a number is no noun: 6 bar.
    """
    hits = [hit for hit in _of(facts, group) if hit.row.sure or not _means_else(facts, hit, other)]
    if not group.startswith("thing"):
        negated = [h for h in facts.limits if _NEGATED.search(facts.text, h.start, h.end)]
        return [hit for hit in hits if not _is_within(hit, negated)]
    units = [(q.end, q.reach) for q in facts.quantities if q.reach > q.end]
    return [hit for hit in hits if not any(a <= hit.start < b for a, b in units)]


_NEGATED = re.compile(r"\b(?:no|not|never|cannot)\b|n't|[不未没]|ない|ず", re.IGNORECASE)


def _is_within(hit: Hit, others: Sequence[Hit]) -> bool:
    return any(one.start <= hit.start and hit.end <= one.end for one in others)


def _without_compounds(
    source: TextFacts,
    target: TextFacts,
    ours: _Tally,
    theirs: _Tally,
    changes: list[tuple[str, str]],
) -> list[tuple[str, str]]:
    """Leave out nouns next to a noun of both texts if others changed: plate of a cover plate."""
    common = ours.hits.keys() & theirs.hits.keys()

    def is_joined(facts: TextFacts, tally: _Tally, identity: str) -> bool:
        return all(
            any(
                facts.text[min(one.end, hit.end) : max(one.start, hit.start)].strip(" 的の") == ""
                for word in common
                for one in tally.hits[word]
            )
            for hit in tally.hits[identity]
        )

    alone = [
        (old, new)
        for old, new in changes
        if not is_joined(source, ours, old) and not is_joined(target, theirs, new)
    ]
    return alone or changes


def _are_one(ours: _Tally, theirs: _Tally, changes: Sequence[tuple[str, str]]) -> bool:
    """Return True if there is one change; コンデンサ may be a capacitor or a condenser."""
    places = {(ours.hits[old][0].start, theirs.hits[new][0].start) for old, new in changes}
    return len(places) == 1


def _is_part_of_word(facts: TextFacts, hit: Hit) -> bool:
    """Return True for one character of a longer word: 球 of 球囊, 水 of 墨水."""
    if hit.end - hit.start > 1 or facts.text[hit.start].isascii():
        return False
    if is_in_word(facts.text, hit.start, facts.language):
        return True
    if hit.row.group != "thing-part":
        return False
    after = facts.text[hit.end : hit.end + 1]
    return re.match(f"[{HAN}{KATAKANA}]", after) is not None and after not in _AFTER_NOUN


_AFTER_NOUN = frozenset(
    "的和与及或在上下内外中为是由被将之所每各均都通设向从并连接固安装位布穿转旋移沿绕带驱推拉压"
)
_FEW_THINGS = 5  # without a dictionary, sentences with more things are too often reworded


def _shared_stems(
    source: TextFacts, target: TextFacts, ours: _Tally, theirs: _Tally, old: str, new: str
) -> frozenset[str]:
    """Return the common dictionary stems of two words."""
    before, after = ours.hits[old][0], theirs.hits[new][0]
    return gloss_stems(source.text[before.start : before.end], source.language) & gloss_stems(
        target.text[after.start : after.end], target.language
    )


def _really_replaced(
    source: TextFacts, target: TextFacts, ours: _Tally, theirs: _Tally, old: str, new: str
) -> bool:
    """Return True if the dictionary does not translate the lost word with the gained one."""
    before, after = ours.hits[old][0], theirs.hits[new][0]
    word = source.text[before.start : before.end]
    other = target.text[after.start : after.end]
    if len(source.sentences) > 1:
        return False
    if _is_part_of_word(source, before) or _is_part_of_word(target, after):
        return False
    foreign = [f.language for f in (source, target) if f.language != "en"]
    if not all(map(dictionary_in_use, foreign)) and min(len(word), len(other)) < 2:
        return False
    many = sum(hit.row.is_thing for hit in source.words) > _FEW_THINGS
    if many and not all(map(dictionary_name, foreign)):
        return False
    if source.language == target.language:
        return True
    partners = ours.hits.keys() & theirs.hits.keys()
    mine, yours = (
        gloss_stems(_without(facts, own, {*partners, matched}), facts.language)
        for facts, own, matched in ((source, ours.hits, new), (target, theirs.hits, old))
    )
    stems, others = gloss_stems(word, source.language), gloss_stems(other, target.language)
    shared = stems & others
    if stems > shared and others > shared:  # sulfuric acid, nitric acid
        stems, others = stems - shared, others - shared
    return not (
        _is_rendered(stems, yours, source.language) or _is_rendered(others, mine, target.language)
    )


def _without(facts: TextFacts, hits: Mapping[str, Sequence[Hit]], words: Set[str]) -> str:
    """Return a text without words that have their partner; one character may be part of a word."""
    text = facts.text
    for hit in (hit for word in words for hit in hits.get(word, ())):
        if hit.end - hit.start > 1:
            text = f"{text[: hit.start]}{' ' * (hit.end - hit.start)}{text[hit.end :]}"
    return text


def _is_rendered(stems: frozenset[str], others: frozenset[str], language: str) -> bool:
    """Return True if other words may render a word; all stems of an English one must be there."""
    return stems <= others if language == "en" else bool(stems & others)


def _nearest(
    source: TextFacts, ours: Sequence[Hit], target: TextFacts, theirs: Sequence[Hit]
) -> tuple[Hit, Hit]:
    """Return the two words at the most similar places."""
    scale = len(target.text) / max(1, len(source.text))
    return min(
        ((a, b) for a in ours for b in theirs if a.row.sure or b.row.sure),
        key=lambda pair: (
            not pair[0].row.sure, not pair[1].row.sure, abs(pair[0].start * scale - pair[1].start)
        ),
    )  # fmt: skip


def _word_difference(
    group: str, source: TextFacts, a: Hit, target: TextFacts, b: Hit
) -> Difference:
    message = tr(
        "{old} became {new}",
        old=f"“{source.quoted(a.start, a.end)}”",
        new=f"“{target.quoted(b.start, b.end)}”",
    )
    places = source.span(a.start, a.end), target.span(b.start, b.end)
    part_of_word = group.startswith("thing") and any(
        hit.end - hit.start == 1 and not facts.text[hit.start].isascii()
        for facts, hit in ((source, a), (target, b))
    )  # 金 of 基金
    many = max(len(facts.sentences) for facts in (source, target)) > _FEW_SENTENCES
    uncertain = part_of_word or many  # in a long text the two words may be unrelated
    return Difference(*_slot(group), message, *places, "possible" if uncertain else "likely")


_FEW_SENTENCES = 2


def _reversed_comparison(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find comparisons without a number that point the other way: larger for smaller."""
    ours, theirs = source.loose_limits, target.loose_limits
    if len(ours) != 1 or len(theirs) != 1 or ours[0].row.id[0] == theirs[0].row.id[0]:
        return []
    if _is_converse(source, target, ours[0], theirs[0]):
        return []
    return [_word_difference("limit", source, ours[0], target, theirs[0])]


# the argument of a comparison or a word of time is before or after it
_PLACES = frozenset({"flow", "vertical", "lateral", "sagittal", "depth"})
_ARGUMENT_BEFORE = {"zh": {"time", *_PLACES}, "ja": {"time", "limit-post", *_PLACES}}
_BEFORE_PLACE = re.compile(
    "位于|处于|设[置]?[在于]|布置[在于]|配置[在于]|安装[在于]|在|于|[はがを、]"
)
_LONGEST_ARGUMENT = 70
_ARGUMENT_END = re.compile(r"[,;。、.]|\band\b|\bwhich\b")
_PLACE_END = re.compile(rf"{_ARGUMENT_END.pattern}|\b(?:is|are|was|were|has|have)\b")


def _argument(facts: TextFacts, hit: Hit) -> str:
    """Return the words that a preposition or postposition governs."""
    if hit.row.group in _ARGUMENT_BEFORE.get(facts.language, ()):
        before = facts.text[max(0, hit.start - _LONGEST_ARGUMENT) : hit.start]
        subject = r"|[はが、]" if facts.language == "ja" and hit.row.group == "limit-post" else ""
        clause = re.split(rf"[,;。]|(?<=[^また]は)、?{subject}", before)[-1]
        return _BEFORE_PLACE.split(clause)[-1] if hit.row.group in _PLACES else clause
    after = facts.text[hit.end : hit.end + _LONGEST_ARGUMENT]
    end = _PLACE_END if hit.row.group in _PLACES else _ARGUMENT_END
    return end.split(after, maxsplit=1)[0]


def _rest(facts: TextFacts, argument: str) -> str:
    start = next((a for a, b in facts.sentences if argument in facts.text[a:b]), 0)
    end = next((b for a, b in facts.sentences if a == start), len(facts.text))
    return facts.text[start:end].replace(argument, " ", 1)


_ORDINAL = re.compile(
    r"第 ?([0-9]{1,3}|[〇一二三四五六七八九十]{1,3})"
    r"|\b(first|second|third|fourth|fifth|sixth)\b(?! of\b)"
    r"|([0-9]{1,3}|[一二三四五六七八九十]{1,3})(?:番目|つ目|個目|回目|段目|層目)",
    re.IGNORECASE,
)
_SIGN_OR_NUMBER = re.compile(r"[A-Z]?\d+[a-z]?|(?<![A-Za-z])[A-Z](?![A-Za-z])")


def _features(text: str, language: str) -> set[str]:
    """Return features comparable across languages: ordinals, signs, stems of glosses."""
    found = {f"#{_ordinal_value(m)}" for m in _ORDINAL.finditer(text)}
    found |= {m.group().lower() for m in _SIGN_OR_NUMBER.finditer(_ORDINAL.sub(" ", text))}
    return found | set(gloss_stems(text.lower() if language == "en" else text, language))


def _han_features(text: str, language: str) -> set[str]:
    """Return features comparable between Chinese and Japanese: ordinals, signs, Han words."""
    found = {f"#{_ordinal_value(m)}" for m in _ORDINAL.finditer(text)}
    found |= {m.group().lower() for m in _SIGN_OR_NUMBER.finditer(_ORDINAL.sub(" ", text))}
    plain = simplified_japanese(text) if language == "ja" else simplified(text)
    return found | {a + b for a, b in pairwise(plain) if _HAN.match(a) and _HAN.match(b)}


_HAN = re.compile(f"[{HAN}]")


def _ordinal_value(match: re.Match[str]) -> str:
    if numeral := match[1] or match[3]:
        return numeral if numeral.isdecimal() else str(parse_han(numeral))
    return str(parse_english(match[2])[0])


_STEMS_OF_PLACES = english_stems("side end direction position place portion part")


def _crossing(source: TextFacts, target: TextFacts, a: Hit, b: Hit) -> int:
    """Return how much better the argument of one word fits the rest of the other sentence.

    Negative: the arguments fit each other. 0: nothing is known.
    """
    mine, theirs = _argument(source, a), _argument(target, b)
    my_rest, their_rest = _rest(source, mine), _rest(target, theirs)
    read = _features if "en" in (source.language, target.language) else _han_features
    features = [
        read(mine, source.language), read(my_rest, source.language),
        read(theirs, target.language), read(their_rest, target.language),
    ]  # fmt: skip
    arg, rest, their_arg, other_rest = features
    for facts, hit, argument, own, others in (
        (source, a, mine, arg, rest), (target, b, theirs, their_arg, other_rest),
    ):  # fmt: skip
        inside, outside = _table_words(facts, hit, argument)
        own |= inside
        others |= outside
    arg, rest, their_arg, other_rest = (
        own - _STEMS_OF_PLACES for own in (arg, rest, their_arg, other_rest)
    )
    shared_mine, shared_theirs = arg & rest, their_arg & other_rest
    arg, rest = arg - shared_mine, rest - shared_mine
    their_arg, other_rest = their_arg - shared_theirs, other_rest - shared_theirs
    straight = 2 * len(arg & their_arg)
    crossed = len(arg & other_rest) + len(rest & their_arg)
    return crossed - straight


def _table_words(facts: TextFacts, hit: Hit, argument: str) -> tuple[set[str], set[str]]:
    """Return the words of the table in the argument of a word, and those in its sentence."""
    start = facts.text.find(argument)
    sentence = next((c for c in facts.sentences if c[0] <= hit.start < c[1]), (0, len(facts.text)))
    inside: set[str] = set()
    outside: set[str] = set()
    for one in facts.words:
        if not sentence[0] <= one.start < sentence[1] or one.row.group == hit.row.group:
            continue
        if one.row.sure and one.row.group not in _FUNCTION_GROUPS:
            found = inside if start <= one.start < start + len(argument) else outside
            found.add(f"{one.row.group} {one.row.id}")
    return inside, outside


def _is_converse(source: TextFacts, target: TextFacts, a: Hit, b: Hit) -> bool:
    """Return True if exchanged arguments make up for opposite words: A before B, B after A."""
    return _crossing(source, target, a, b) > 0


def compare_order(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find steps in another order, and comparisons whose arguments were exchanged."""
    found = compare_steps(source, target, _step_features)
    ours = [h for h in source.loose_limits if h.row.sure]
    theirs = [h for h in target.loose_limits if h.row.sure]
    if len(ours) != 1 or len(theirs) != 1 or ours[0].row.id[0] != theirs[0].row.id[0]:
        return found
    [a], [b] = ours, theirs
    if _crossing(source, target, a, b) > 1:
        word = f"“{target.quoted(b.start, b.end)}”"
        message = tr("the two sides of {word} are exchanged", word=word)
        clause = next((c for c in target.clauses if c[0] <= b.start < c[1]), (b.start, b.end))
        places = source.span(a.start, a.end), target.span(*clause)
        found.append(Difference(*_slot("limit"), message, *places))
    return found


def _step_features(facts: TextFacts, places: Sequence[Span]) -> set[str]:
    """Return features comparable across languages in parts of a text."""
    found: set[str] = set()
    for start, end in places:
        found |= _features(facts.text[start:end], facts.language)
        found |= {
            f"{hit.row.group} {hit.row.id}"
            for hit in facts.words
            if start <= hit.start < end and hit.row.sure
            and hit.row.group not in _FUNCTION_GROUPS and hit.row.group not in ("time", "then")
        }  # fmt: skip
    return found - _STEMS_OF_ORDER


_STEMS_OF_ORDER = english_stems("first then after afterward final finally last next again once")
_OF = re.compile(
    r"(?: (?!of\b)[a-z]+){0,2} (?:of|in|from) (?:the |an? |said |each )?", re.IGNORECASE
)
_NO_OWNERS = _NO_CONTRASTS | {"scope", "count", "time", "then", "trend", "extreme", "identity"}
_LONGEST_OWNER = 40
_ENDS_OWNER = re.compile(r"[,;.]| (?:is|are|to|and|or|of|with|by|from|in|on|at|through|via)\b")


def _owner(facts: TextFacts, hit: Hit) -> str:
    """Return the thing that a word describes, with its ordinal: the inlet of the second pump."""
    things = [one for one in facts.words if one.row.is_thing and one.row.sure]
    before = [one for one in things if one.end <= hit.start]
    if facts.language == "en":
        match = _OF.match(facts.text, hit.end)
        if match is not None:
            end = _ENDS_OWNER.search(facts.text, match.end())
            last = end.start() if end else match.end() + _LONGEST_OWNER
            things = [one for one in things if match.end() <= one.start and one.end <= last]
            begin = match.end()
        else:
            things = [one for one in before if facts.text[one.end : hit.start] == " "]
            begin = things[-1].start - len("second ") if things else 0
    else:
        things = [one for one in before if facts.text[one.end : hit.start] in ("", "的", "の")]
        begin = things[-1].start - len("第二の") if things else 0
    if not things:
        return ""
    ordinal = _ORDINAL.search(facts.text, max(0, begin), things[-1].start)
    return f"{_ordinal_value(ordinal) if ordinal else ''} {things[-1].row.id}"


def compare_owners(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find two opposites that changed their owners: the inlet of the pump, the outlet of a tank."""
    found: list[Difference] = []
    for group in sorted(source.by_group.keys() & target.by_group.keys()):
        if group in _NO_OWNERS or group.startswith("thing"):
            continue
        labels = [
            [(h.start, h.end, h.row.id) for h in _of(facts, group) if h.row.sure]
            for facts in (source, target)
        ]
        if any(len(own) != 2 or own[0][2] == own[1][2] for own in labels):
            continue
        ours, theirs = (
            {h.row.id: _owner(facts, h) for h in _of(facts, group) if h.row.sure}
            for facts in (source, target)
        )
        one, other = ours
        if (
            all((*ours.values(), *theirs.values()))
            and ours[one] != ours[other]
            and (ours[one], ours[other]) == (theirs.get(other), theirs.get(one))
        ):
            found.append(_exchanged_labels(group, source, labels[0], target, labels[1]))
    return found


def _role_patterns(group: str) -> dict[str, re.Pattern[str]]:
    patterns = {language: pattern_of(group, language) for language in ("en", "zh", "ja")}
    return {language: re.compile(pattern) for language, pattern in patterns.items() if pattern}


_AGENT_BEFORE = _role_patterns("role-agent-before")
_AGENT_AFTER = _role_patterns("role-agent-after")
_OBLIQUE_BEFORE = _role_patterns("role-oblique")
_DEVICE = _role_patterns("role-device")
_SYMMETRIC = re.compile(pattern_of("role-symmetric"), re.IGNORECASE)
_PARTICLE = re.compile(
    rf"(?:の)?[{HAN}{KATAKANA}A-Za-z0-9]{{0,14}}(?P<particle>は|が|を|に|で|から|へ|と|の|より)?"
)


class _Roles(NamedTuple):
    agent: str
    patient: str
    start: int
    end: int
    loose: bool


_Label = tuple[int, int, str]


def _labels(facts: TextFacts) -> dict[str, list[_Label]]:
    """Return ordinals and opposites that name a part, by group: 送信部, the input terminal."""
    labels: dict[str, list[_Label]] = {
        "ordinal": [(m.start(), m.end(), _ordinal_value(m)) for m in _ORDINAL.finditer(facts.text)]
    }
    device = _DEVICE.get(facts.language)
    certain = {hit.row.group for hit in facts.words if hit.row.sure}
    for hit in facts.words:
        if hit.row.is_thing or hit.row.group in _NO_LABELS or not device:
            continue
        if hit.row.sure or (hit.row.group in _NAMES and hit.row.group not in certain):
            end = device.match(facts.text, hit.end)
            if end or hit.row.group in _NAMES or _is_device(facts, hit):
                label = (hit.start, end.end() if end else hit.end, hit.row.id)
                labels.setdefault(hit.row.group, []).append(label)
    return labels


def _is_device(facts: TextFacts, hit: Hit) -> bool:
    """Return True if an English word names a device by its function: transmitter, decoder."""
    return facts.language == "en" and facts.text[hit.start : hit.end].rstrip("s").endswith(
        ("er", "or")
    )


_NAMES = frozenset({"electrode", "machine"})
_NO_LABELS = _NO_CONTRASTS | {"scope", "count", "time", "trend", "extreme", "identity"}


def _roles(facts: TextFacts, found: Sequence[_Label]) -> _Roles | None:
    """Return agent and patient among two labels; None if there are not two."""
    if len(found) > 2 and len({label for *_, label in found}) == len(found):
        return _subject_among(facts, found)
    if len(found) != 2 or found[0][2] == found[1][2]:
        return None
    (start, first_end, one), (second, end, two) = found
    between = facts.text[first_end:second]
    loose = re.search(r"[;。]|\. ", between) is not None or _SYMMETRIC.search(between) is not None
    if _is_oblique(facts, start, first_end) and not _is_oblique(facts, second, end):
        start, first_end, one, second, end, two = second, end, two, start, first_end, one
    before, after = _AGENT_BEFORE.get(facts.language), _AGENT_AFTER.get(facts.language)
    for at, upto, own, other in ((start, first_end, one, two), (second, end, two, one)):
        if (before and before.search(facts.text[max(0, at - 12) : at])) or (
            after and after.match(facts.text, upto)
        ):
            return _Roles(own, other, min(start, second), max(first_end, end), loose)
    return _Roles(one, two, min(start, second), max(first_end, end), loose)


_LONGEST_LEAD = {"en": 14, "zh": 4, "ja": 4}
_SUBJECT_END = re.compile("[^、。はがをに]{0,14}?[はが]")


def _subject_among(facts: TextFacts, found: Sequence[_Label]) -> _Roles | None:
    """Return the first of several labels as agent if a sentence begins with it, active voice."""
    start, first_end, one = found[0]
    if len(facts.sentences) > 1 or start > _LONGEST_LEAD.get(facts.language, 0):
        return None
    if facts.language == "ja" and not _SUBJECT_END.match(facts.text, first_end):
        return None
    if _PASSIVE.search(facts.text):
        return None
    return _Roles(one, "", start, found[-1][1], False)


_PASSIVE = re.compile(r"\bby\b|[由被]|によ[りっ]", re.IGNORECASE)


def _is_oblique(facts: TextFacts, start: int, end: int) -> bool:
    """Return True if a noun depends on a preposition or has no particle of subject or object."""
    if facts.language == "ja":
        match = _PARTICLE.match(facts.text, end)
        return match is not None and match["particle"] not in ("は", "が", None)
    before = _OBLIQUE_BEFORE.get(facts.language)
    return bool(before and before.search(facts.text[max(0, start - 16) : start]))


def compare_roles(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find two parts that exchanged their places around a verb or between two clauses."""
    directed = [
        *_of(source, "time"), *source.loose_limits, *_of(target, "time"), *target.loose_limits
    ]  # fmt: skip
    if any(hit.row.sure for hit in directed):
        return []
    ours, theirs = _labels(source), _labels(target)
    found: list[Difference] = []
    for group in sorted(ours.keys() & theirs.keys()):
        if group == "ordinal":
            ours[group] = _of_one_noun(source, ours[group])
            theirs[group] = _of_one_noun(target, theirs[group])
            fitting = _fitting_nouns(source, ours[group], target, theirs[group])
            if fitting < 0:
                found.append(_exchanged_labels(group, source, ours[group], target, theirs[group]))
            if fitting:
                continue
        mine, yours = _roles(source, ours[group]), _roles(target, theirs[group])
        if mine is None or yours is None or not _are_exchanged(mine, yours):
            continue
        loose = mine.loose or yours.loose
        if loose and not _clauses_exchanged(source, ours[group], target, theirs[group]):
            continue
        found.append(_exchanged_labels(group, source, ours[group], target, theirs[group]))
    return found


def _are_exchanged(mine: _Roles, yours: _Roles) -> bool:
    """Return True if agent and patient changed places; of several labels, if the agent changed."""
    if not mine.patient and not yours.patient:
        return mine.agent != yours.agent
    return (mine.agent, mine.patient) == (yours.patient, yours.agent)


def _exchanged_labels(
    group: str,
    source: TextFacts,
    ours: Sequence[_Label],
    target: TextFacts,
    theirs: Sequence[_Label],
) -> Difference:
    one, other = (f"“{source.quoted(a, b)}”" for a, b, _ in (ours[0], ours[-1]))
    message = tr("{one} and {other} are exchanged", one=one, other=other)
    places = (
        source.span(ours[0][0], ours[-1][1]), target.span(theirs[0][0], theirs[-1][1])
    )  # fmt: skip
    return Difference(*_slot(group), message, *places)


_NOUN_AFTER = {
    "zh": re.compile(f"((?:(?![的在与和及或由被将对用从向为是于第且并])[{HAN}]){{1,5}})"),
    "ja": re.compile(f"の?((?!第)(?:[{HAN}]+|[{KATAKANA}]+){{1,2}})"),
}
_WORDS_AFTER = re.compile(r"(?:[ -][a-z]+){1,4}")
_ENDS_NOUN = frozenset(
    {"of", "is", "are", "was", "were", "in", "on", "to", "and", "or", "with", "by", "from", "that",
     "which", "has", "have", "for", "the", "a", "an", "at", "into", "than", "as", "so", "via"}
)  # fmt: skip


def _noun_after(facts: TextFacts, place: int) -> str:
    """Return the noun after an ordinal; empty if there is none."""
    if facts.language != "en":
        pattern = _NOUN_AFTER.get(facts.language)
        found = pattern.match(facts.text, place) if pattern else None
        return found[1] if found else ""
    match = _WORDS_AFTER.match(facts.text, place)
    words = re.split("[ -]", match.group())[1:] if match else []
    end = next((at for at, word in enumerate(words) if word in _ENDS_NOUN), len(words))
    if end > 1 and words[end - 1].endswith(("s", "ed")) and end < len(words):  # primer anneals to
        end -= 1
    return " ".join(words[:end])


def _of_one_noun(facts: TextFacts, labels: list[_Label]) -> list[_Label]:
    """Return the two ordinals of several that count the same noun; else all."""
    if len(labels) < 3:
        return labels
    nouns = [_noun_after(facts, end)[:_LONGEST_HEAD] for _, end, _ in labels]
    counted = {
        noun
        for noun in nouns
        if noun and len({v for (*_, v), n in zip(labels, nouns, strict=True) if n == noun}) == 2
    }
    chosen = [label for label, noun in zip(labels, nouns, strict=True) if noun in counted]
    return chosen if len(chosen) == 2 else labels


_LONGEST_HEAD = 4


def _fitting_nouns(
    source: TextFacts, ours: Sequence[_Label], target: TextFacts, theirs: Sequence[_Label]
) -> int:
    """Return 1 if two ordinals stand on the nouns of the source, -1 if exchanged, else 0.

    Only nouns tell that differ: the first key, the second message.
    """
    if (
        len(ours) != 2
        or len(theirs) != 2
        or len({v for *_, v in ours} & {v for *_, v in theirs}) < 2
    ):
        return 0
    nouns: list[dict[str, str]] = []
    for facts, labels in ((source, ours), (target, theirs)):
        found = {value: _noun_after(facts, end) for _, end, value in labels}
        if not all(found.values()):
            return 0
        nouns.append(found)
    if source.language == target.language:
        return 0
    one, other = nouns[0]
    straight, crossed = (
        [fits(nouns[0][a], source.language, nouns[1][b], target.language) for a, b in pairs]
        for pairs in (((one, one), (other, other)), ((one, other), (other, one)))
    )
    if sum(straight) > sum(crossed):
        return 1
    return -1 if any(crossed) and not any(straight) else 0


def _clauses_exchanged(
    source: TextFacts,
    ours: Sequence[_Label],
    target: TextFacts,
    theirs: Sequence[_Label],
) -> bool:
    """Return True if two labels changed clauses, while the rest of the clauses did not."""
    if len(source.clauses) != len(target.clauses):
        return False
    clauses = [
        [
            next(n for n, c in enumerate(facts.clauses) if c[0] <= label[0] < c[1])
            for label in labels
        ]
        for facts, labels in ((source, ours), (target, theirs))
    ]
    if clauses[0] != clauses[1] or len(set(clauses[0])) < 2:
        return False
    features = [
        [
            _features(
                facts.text[slice(*facts.clauses[n])].replace(facts.text[a:b], " "), facts.language
            )
            for (a, b, _), n in zip(labels, places, strict=True)
        ]
        for facts, labels, places in (
            (source, ours, clauses[0]), (target, theirs, clauses[1]),
        )
    ]  # fmt: skip
    (one, other), (new_one, new_other) = features
    one, other = one - other, other - one
    new_one, new_other = new_one - new_other, new_other - new_one
    straight = len(one & new_one) + len(other & new_other)
    return straight > len(one & new_other) + len(other & new_one)


def compare_bindings(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find values that were exchanged between two things: layer 1 of 20 nm, layer 2 of 50 nm."""
    ours = _bindings(source)
    theirs = _bindings(target) if len(ours) > 1 else {}
    found: list[Difference] = []
    if not theirs:
        return found
    for (group, key), (other_group, other) in combinations(sorted(ours), 2):
        if group != other_group:
            continue
        values, others = ours[group, key], ours[group, other]
        mine, yours = theirs.get((group, key), {}), theirs.get((group, other), {})
        exchanged = next(
            (
                (value, rival)
                for value in values
                for rival in others
                if value != rival and value[0] == rival[0]
                and rival in mine and value in yours
                and value not in mine and rival not in yours
                and rival not in values and value not in others
            ),
            None,
        )  # fmt: skip
        if exchanged is not None:
            value, rival = exchanged
            one, two = (f"“{source.quoted(*b[v].key)}”" for b, v in (
                (values, value), (others, rival)
            ))  # fmt: skip
            message = tr("two values are exchanged between {one} and {other}", one=one, other=two)
            slot: tuple[FactKind, str] = (
                ("number", "binding") if value[0].startswith(_QUANTITY) else ("marker", value[0])
            )
            found += [
                Difference(*slot, message, source.span(*old.span), target.span(*new.span))
                for old, new in ((values[value], mine[rival]), (others[rival], yours[value]))
            ]
    return found


_KEY_GROUPS = frozenset({"depth", "vertical", "sagittal", "lateral"})
_MARKER_VALUES = frozenset(
    {"reach", "flow", "heat", "state", "trend", "switch", "speed", "chemistry", "polarity",
     "mobility", "motion", "operation", "conduct", "transparency", "hardness", "lock"}
)  # fmt: skip


class _Binding(NamedTuple):
    """The places of a key, and of a key with its value."""

    key: Span
    span: Span


_QUANTITY = "quantity "  # with its dimension: only values of one dimension can be exchanged
Bindings = dict[tuple[str, str], dict[tuple[str, str], _Binding]]


_JOINED_MARKERS = re.compile(
    r" ?(?:sides?|[側侧])?[の的]? ?(?:and|or|及び|および|又は|または|[とや・、和与與或及,/]|以及)"
    r"(?: the| )?",
    re.IGNORECASE,
)


def _single_markers(facts: TextFacts) -> list[Hit]:
    """Return the values in words, but not two of one thing: upstream and downstream of a filter."""
    found: list[Hit] = []
    joined: set[Hit] = set()
    for hit in facts.words:
        if hit.row.group not in _MARKER_VALUES or not hit.row.sure:
            continue
        last = next((one for one in reversed(found) if one.row.group == hit.row.group), None)
        if last and _JOINED_MARKERS.fullmatch(facts.text, last.end, hit.start):
            joined |= {last, hit}
        found.append(hit)
    return [hit for hit in found if hit not in joined]


def _bindings(facts: TextFacts) -> Bindings:
    """Return the values of each ordinal, place or property, each with the place of both."""
    values: list[tuple[int, int, tuple[str, str]]] = [
        (q.start, max(q.end, q.reach), (f"{_QUANTITY}{meaning.dimension}", str(value)))
        for q in facts.quantities
        if q.certainty == "exact" and q.unit and not q.is_token
        for value, meaning in [in_base_unit(q.key, q.unit) or (Fraction(0), unit_meaning(q.unit))]
    ]
    values += [(hit.start, hit.end, (hit.row.group, hit.row.id)) for hit in _single_markers(facts)]
    if len({value for *_, value in values}) < 2:
        return {}
    keys: list[tuple[Span, str, str]] = [
        (m.span(), "ordinal", _ordinal_value(m)) for m in _ORDINAL.finditer(facts.text)
    ]
    keys += [
        ((hit.start, hit.end), hit.row.group.partition("-")[0], hit.row.id)
        for hit in facts.words
        if (hit.row.group in _KEY_GROUPS or hit.row.is_thing) and hit.row.sure
    ]
    if len(keys) < 2:
        return {}
    found: Bindings = {}
    for start, end, value in values:
        clause = next((c for c in facts.clauses if c[0] <= start < c[1]), (0, len(facts.text)))
        nearest: dict[str, tuple[Span, str]] = {}
        for key, group, identity in keys:
            place = key[0]
            if group == value[0]:
                continue
            if value[0].startswith(_QUANTITY):
                if place < start:
                    nearest[group] = (key, identity)
            elif clause[0] <= place < clause[1]:
                known = nearest.get(group)
                if known is None or abs(place - start) < abs(known[0][0] - start):
                    nearest[group] = (key, identity)
        for group, (key, identity) in nearest.items():
            span = (min(key[0], start), max(key[0] + 1, end))
            found.setdefault((group, identity), {}).setdefault(value, _Binding(key, span))
    return found
