"""Comparison of opposites and nouns, and of the arguments of comparisons and words of time.

Words of the table are sure or possible. A contrast (upstream for downstream) is a difference only
if one word is lost and its opposite gained.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from patmark.facts.count_matching import explaining
from patmark.facts.differences import Difference, FactComparison, Span
from patmark.facts.glosses import (
    dictionary_in_use,
    dictionary_name,
    english_stems,
    gloss_stems,
    is_in_word,
)
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.step_order import compare_steps
from patmark.facts.texts import TextFacts
from patmark.facts.word_features import (
    FUNCTION_GROUPS,
    NO_CONTRASTS,
    features_of,
    han_features,
    is_long,
    slot_of,
    words_of,
)
from patmark.languages import GLOSS_LANGUAGE, HAN, KATAKANA, language
from patmark.wording import tr


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
    if is_long(source, target):
        return FactComparison(0)
    groups = {
        hit.row.group
        for hit in (*source.words, *target.words)
        if hit.row.sure and hit.row.group not in NO_CONTRASTS
    }
    several = max(len(facts.sentences) for facts in (source, target)) > 1
    for group in sorted(groups):
        same = [
            sorted((h.row.id, h.row.sure) for h in words_of(f, group)) for f in (source, target)
        ]
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
    explained = {*mine, *yours} - {*explaining(mine, yours), *explaining(yours, mine)}
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


_AT_LEAST_ONE = phrases("{at-least-one}")


def _one_for_at_least_one(
    source: TextFacts, ours: _Tally, target: TextFacts, theirs: _Tally
) -> list[tuple[str, str]]:
    """Return the change of "at least one" to "one", or back, where no other word explains it."""
    for facts, some, one in ((source, ours, theirs), (target, theirs, ours)):
        stated = [h for h in some.hits.get("SOME", ()) if _AT_LEAST_ONE.search(facts.text, *h[:2])]
        if stated and not one.sure.keys() - {"ONE"} and one.all["ONE"] > some.all["ONE"]:
            return [("SOME", "ONE") if some is ours else ("ONE", "SOME")]
    return []


_RELATES = phrases("{relates}")


def _is_relation(facts: TextFacts, hit: Hit) -> bool:
    """Return True if a word relates two things; "rear wheel" does not."""
    relates = _RELATES.of(facts.language)
    if relates is None or hit.row.group == "time":
        return True
    return relates.match(facts.text, hit.end) is not None


def _means_else(facts: TextFacts, hit: Hit, other: TextFacts) -> bool:
    """Return True if the other text has a certain sense of an ambiguous word: 负极 is negative."""
    return any(
        sure.row.sure and (sure.start, sure.end) == (hit.start, hit.end)
        and sure.row.group not in NO_CONTRASTS
        and any(
            one.row.sure and one.row.id == sure.row.id for one in words_of(other, sure.row.group)
        )
        for sure in facts.words
        if sure.row.group != hit.row.group
    )  # fmt: skip


def _contrasted(facts: TextFacts, group: str, other: TextFacts) -> list[Hit]:
    """Return the words of a group; those of a negated limit count there: no smaller than 5 mm.

    The unit of a number is no noun: 6 bar.
    """
    hits = [
        hit for hit in words_of(facts, group) if hit.row.sure or not _means_else(facts, hit, other)
    ]
    if not group.startswith("thing"):
        negated = [h for h in facts.limits if _NEGATED.search(facts.text, h.start, h.end)]
        return [hit for hit in hits if not _is_within(hit, negated)]
    units = [(q.end, q.reach) for q in facts.quantities if q.reach > q.end]
    return [hit for hit in hits if not any(a <= hit.start < b for a, b in units)]


_NEGATED = phrases("{negated-limit}")


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
                _BESIDE.fullmatch(facts.text[min(one.end, hit.end) : max(one.start, hit.start)])
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


_BESIDE = phrases("(?: |{genitive})*")


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
    goes_on = re.compile(f"[{HAN}{KATAKANA}]").match(facts.text, hit.end)
    return goes_on is not None and _AFTER_NOUN.match(facts.text, hit.end) is None


_AFTER_NOUN = phrases("{after-noun}")
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
    foreign = [f.language for f in (source, target) if f.language != GLOSS_LANGUAGE]
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
    return stems <= others if language == GLOSS_LANGUAGE else bool(stems & others)


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
    return Difference(*slot_of(group), message, *places, "possible" if uncertain else "likely")


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
_BEFORE_PLACE = phrases("{before-place}")
_CLAUSE_BEFORE = phrases("[,;。]|{topic}")
_LIMIT_CLAUSE_BEFORE = phrases("[,;。]|{topic}|{limit-subject}")
_LONGEST_ARGUMENT = 70
_ARGUMENT_END = re.compile(r"[,;。、.]|\band\b|\bwhich\b")
_PLACE_END = re.compile(rf"{_ARGUMENT_END.pattern}|\b(?:is|are|was|were|has|have)\b")


def _argument(facts: TextFacts, hit: Hit) -> str:
    """Return the words that a preposition or postposition governs."""
    if hit.row.group in language(facts.language).table("words").words("argument-before"):
        before = facts.text[max(0, hit.start - _LONGEST_ARGUMENT) : hit.start]
        cuts = _LIMIT_CLAUSE_BEFORE if hit.row.group == "limit-post" else _CLAUSE_BEFORE
        clause = cuts.regex.split(before)[-1]
        return _BEFORE_PLACE.regex.split(clause)[-1] if hit.row.group in _PLACES else clause
    after = facts.text[hit.end : hit.end + _LONGEST_ARGUMENT]
    end = _PLACE_END if hit.row.group in _PLACES else _ARGUMENT_END
    return end.split(after, maxsplit=1)[0]


def _rest(facts: TextFacts, argument: str) -> str:
    start = next((a for a, b in facts.sentences if argument in facts.text[a:b]), 0)
    end = next((b for a, b in facts.sentences if a == start), len(facts.text))
    return facts.text[start:end].replace(argument, " ", 1)


_STEMS_OF_PLACES = english_stems("side end direction position place portion part")


def _crossing(source: TextFacts, target: TextFacts, a: Hit, b: Hit) -> int:
    """Return how much better the argument of one word fits the rest of the other sentence.

    Negative: the arguments fit each other. 0: nothing is known.
    """
    mine, theirs = _argument(source, a), _argument(target, b)
    my_rest, their_rest = _rest(source, mine), _rest(target, theirs)
    read = features_of if GLOSS_LANGUAGE in (source.language, target.language) else han_features
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
        if one.row.sure and one.row.group not in FUNCTION_GROUPS:
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
        found.append(Difference(*slot_of("limit"), message, *places))
    return found


def _step_features(facts: TextFacts, places: Sequence[Span]) -> set[str]:
    """Return features comparable across languages in parts of a text."""
    found: set[str] = set()
    for start, end in places:
        found |= features_of(facts.text[start:end], facts.language)
        found |= {
            f"{hit.row.group} {hit.row.id}"
            for hit in facts.words
            if start <= hit.start < end and hit.row.sure
            and hit.row.group not in FUNCTION_GROUPS and hit.row.group not in ("time", "then")
        }  # fmt: skip
    return found - _STEMS_OF_ORDER


_STEMS_OF_ORDER = english_stems("first then after afterward final finally last next again once")
