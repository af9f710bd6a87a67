"""Comparison of roles and owners: parts that changed their places around a verb or a noun."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from patmark.facts.differences import Difference
from patmark.facts.glosses import (
    fits,
)
from patmark.facts.lexicon import Hit, pattern_of, phrases
from patmark.facts.texts import TextFacts
from patmark.facts.word_features import (
    NO_CONTRASTS,
    ORDINAL,
    features_of,
    ordinal_value,
    slot_of,
    words_of,
)
from patmark.languages import HAN, KATAKANA, function_words, language
from patmark.wording import tr

_OF = re.compile(
    r"(?: (?!of\b)[a-z]+){0,2} (?:of|in|from) (?:the |an? |said |each )?", re.IGNORECASE
)
_NO_OWNERS = NO_CONTRASTS | {"scope", "count", "time", "then", "trend", "extreme", "identity"}
_LONGEST_OWNER = 40
_LONGEST_ORDINAL = 3  # with its genitive
_GENITIVE = phrases("(?:{genitive})?")
_ENDS_OWNER = re.compile(r"[,;.]| (?:is|are|to|and|or|of|with|by|from|in|on|at|through|via)\b")


def _owner(facts: TextFacts, hit: Hit) -> str:
    """Return the thing that a word describes, with its ordinal: the inlet of the second pump."""
    things = [one for one in facts.words if one.row.is_thing and one.row.sure]
    before = [one for one in things if one.end <= hit.start]
    if not language(facts.language).is_dense:
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
        things = [one for one in before if _GENITIVE.fullmatch(facts.text, one.end, hit.start)]
        begin = things[-1].start - _LONGEST_ORDINAL if things else 0
    if not things:
        return ""
    ordinal = ORDINAL.search(facts.text, max(0, begin), things[-1].start)
    return f"{ordinal_value(ordinal) if ordinal else ''} {things[-1].row.id}"


def compare_owners(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find two opposites that changed their owners: the inlet of the pump, the outlet of a tank."""
    found: list[Difference] = []
    for group in sorted(source.by_group.keys() & target.by_group.keys()):
        if group in _NO_OWNERS or group.startswith("thing"):
            continue
        labels = [
            [(h.start, h.end, h.row.id) for h in words_of(facts, group) if h.row.sure]
            for facts in (source, target)
        ]
        if any(len(own) != 2 or own[0][2] == own[1][2] for own in labels):
            continue
        ours, theirs = (
            {h.row.id: _owner(facts, h) for h in words_of(facts, group) if h.row.sure}
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


@cache
def _role(group: str, code: str) -> re.Pattern[str] | None:
    """Return the pattern of a group of words for roles; None if a language has none."""
    found = pattern_of(f"role-{group}", code)
    return re.compile(found) if found else None


@cache
def _symmetric() -> re.Pattern[str]:
    return re.compile(pattern_of("role-symmetric"), re.IGNORECASE)


_PARTICLE = phrases(
    rf"(?:{{genitive}})?[{HAN}{KATAKANA}A-Za-z0-9]{{0,14}}(?:(?P<agent>{{agent-particle}})|(?P<particle>{{particle}}))?"
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
        "ordinal": [(m.start(), m.end(), ordinal_value(m)) for m in ORDINAL.finditer(facts.text)]
    }
    device = _role("device", facts.language)
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
    return facts.text[hit.start : hit.end].rstrip("s").endswith(("er", "or"))


_NAMES = frozenset({"electrode", "machine"})
_NO_LABELS = NO_CONTRASTS | {"scope", "count", "time", "trend", "extreme", "identity"}


def _roles(facts: TextFacts, found: Sequence[_Label]) -> _Roles | None:
    """Return agent and patient among two labels; None if there are not two."""
    if len(found) > 2 and len({label for *_, label in found}) == len(found):
        return _subject_among(facts, found)
    if len(found) != 2 or found[0][2] == found[1][2]:
        return None
    (start, first_end, one), (second, end, two) = found
    between = facts.text[first_end:second]
    loose = re.search(r"[;。]|\. ", between) is not None or _symmetric().search(between) is not None
    if _is_oblique(facts, start, first_end) and not _is_oblique(facts, second, end):
        start, first_end, one, second, end, two = second, end, two, start, first_end, one
    before, after = (_role(f"agent-{side}", facts.language) for side in ("before", "after"))
    for at, upto, own, other in ((start, first_end, one, two), (second, end, two, one)):
        if (before and before.search(facts.text[max(0, at - 12) : at])) or (
            after and after.match(facts.text, upto)
        ):
            return _Roles(own, other, min(start, second), max(first_end, end), loose)
    return _Roles(one, two, min(start, second), max(first_end, end), loose)


_SUBJECT_END = phrases("{subject-end}")


def _subject_among(facts: TextFacts, found: Sequence[_Label]) -> _Roles | None:
    """Return the first of several labels as agent if a sentence begins with it, active voice."""
    start, first_end, one = found[0]
    if len(facts.sentences) > 1 or start > language(facts.language).reach("lead")[0]:
        return None
    subject_end = _SUBJECT_END.of(facts.language)
    if subject_end and not subject_end.match(facts.text, first_end):
        return None
    if _PASSIVE.search(facts.text):
        return None
    return _Roles(one, "", start, found[-1][1], False)


_PASSIVE = phrases("{passive}")


def _is_oblique(facts: TextFacts, start: int, end: int) -> bool:
    """Return True if a noun depends on a preposition or has no particle of subject or object."""
    if particle := _PARTICLE.of(facts.language):
        match = particle.match(facts.text, end)
        return match is not None and match["particle"] is not None
    before = _role("oblique", facts.language)
    return bool(before and before.search(facts.text[max(0, start - 16) : start]))


def compare_roles(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find two parts that exchanged their places around a verb or between two clauses."""
    directed = [
        *words_of(source, "time"),
        *source.loose_limits,
        *words_of(target, "time"),
        *target.loose_limits,
    ]
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
    return Difference(*slot_of(group), message, *places)


_NOUN_AFTER = phrases("(?:{genitive})?({noun-after})")
_WORDS_AFTER = re.compile(r"(?:[ -][a-z]+){1,4}")


def _noun_after(facts: TextFacts, place: int) -> str:
    """Return the noun after an ordinal; empty if there is none."""
    if pattern := _NOUN_AFTER.of(facts.language):
        found = pattern.match(facts.text, place)
        return found[1] if found else ""
    match = _WORDS_AFTER.match(facts.text, place)
    words = re.split("[ -]", match.group())[1:] if match else []
    ends = function_words("after-noun")
    end = next((at for at, word in enumerate(words) if word in ends), len(words))
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
            features_of(
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
