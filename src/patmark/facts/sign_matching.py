"""Comparison of reference signs: none lost or invented, each on its own noun.

| difference | evidence |
|---|---|
| a sign is lost or invented | the other text has it nowhere; a repeated sign may be left out |
| one noun with two signs | the source has two nouns |
| one sign on two nouns | the source has one noun |
| a modifier changed | front cover 6a became 後カバー6a; first became second |
| two signs exchanged | the source noun translates to the noun of another sign, and not to its own |
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from patmark.facts.differences import (
    Difference,
    FactComparison,
    FindingCertainty,
    Span,
    one_sided,
)
from patmark.facts.glosses import dictionary_name, fits, is_known
from patmark.facts.lexicon import phrases
from patmark.facts.mentions import Mention, sign_key
from patmark.facts.quantities import COUNTED_LANGUAGES
from patmark.facts.texts import TextFacts
from patmark.languages import GLOSS_LANGUAGE, language, packs
from patmark.wording import tr


@dataclass(frozen=True, slots=True)
class SignTable:
    """The mentions of a text by sign, and by noun in its usual form."""

    nouns: Mapping[str, Sequence[Mention]]
    signs: Mapping[str, Sequence[Mention]]

    def usual_noun(self, sign: str) -> str:
        """Return the noun that a sign has most often; the longest of equally frequent ones."""
        counts = Counter(noun_key(mention) for mention in self.nouns.get(sign, ()))
        return max(counts, key=lambda noun: (counts[noun], len(noun)), default="")


def noun_key(mention: Mention) -> str:
    """Return a noun in lower case with its head in the singular."""
    noun = mention.noun.lower()
    return f"{noun.rpartition(' ')[0]} {mention.head}".strip() if noun.isascii() else noun


def head_key(mention: Mention) -> str:
    """Return the head of a noun, by which nouns of two languages are learned."""
    return _head(noun_key(mention))


def sign_table(facts: TextFacts) -> SignTable:
    """Return the signs of a text or a whole document; figures and steps have no nouns."""
    nouns: defaultdict[str, list[Mention]] = defaultdict(list)
    signs: defaultdict[str, list[Mention]] = defaultdict(list)
    for mention in facts.mentions:
        if mention.noun:
            nouns[mention.sign].append(mention)
            signs[noun_key(mention)].append(mention)
    return SignTable(nouns, signs)


def learned_heads(source: SignTable, target: SignTable) -> dict[str, str]:
    """Return the head in the target of each head of the source that two signs or more share.

    A pair is learned if it is the most frequent one of both heads.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for sign in source.nouns.keys() & target.nouns.keys():
        pairs[_head(source.usual_noun(sign)), _head(target.usual_noun(sign))] += 1
    ours, theirs = Counter[str](), Counter[str]()
    for (one, other), count in pairs.items():
        ours[one] += count
        theirs[other] += count
    return {
        one: other
        for (one, other), count in pairs.items()
        if one and other and count > 1 and 2 * count > ours[one] and 2 * count > theirs[other]
    }


_LONGEST_HEAD = 2


def _head(noun: str) -> str:
    """Return the last word of an English noun, the last two characters of another."""
    return noun.split()[-1] if noun.isascii() and noun else noun[-_LONGEST_HEAD:]


_ANY = re.compile(
    r"(?P<plain>(?:(?<![A-Za-z])[A-Za-z]{1,9}|(?<!\d)(?<!\d\.))\d+(?!\.\d)[A-Za-z]{0,9})"
    r"(?:\s?\((?P<letter>[a-z])\)|(?P<primes>['′\"″]{1,3}))?"
)


def compare_signs(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare the reference signs of two texts and their nouns."""
    ours: Sequence[Mention] = source.mentions
    theirs: Sequence[Mention] = target.mentions
    if not ours and not theirs:
        return FactComparison(0)
    nouns_known = COUNTED_LANGUAGES.issuperset({source.language, target.language})
    if not nouns_known:
        ours, theirs = ([m for m in side if not m.bare] for side in (ours, theirs))
    lost = _missing(ours, target)
    added = _missing(theirs, source)
    kept = len(ours) - len(lost)
    differences = _replaced(source, lost, target, added)
    problems = tr("is not in the translation"), tr("is not in the source")
    for facts, missing, problem in ((source, lost, problems[0]), (target, added, problems[1])):
        for mention in missing:
            message = tr("the sign {key} {problem}", key=mention.sign, problem=problem)
            place, trust = facts.span(mention.start, mention.end), _trust(mention)
            differences.append(
                one_sided("sign", "presence", message, place, lost=missing is lost, certainty=trust)
            )
    if nouns_known:
        known = [one.target for one in differences]
        differences += [one for one in _on_other_nouns(source, target) if one.target not in known]
    return FactComparison(kept, differences)


def _trust(mention: Mention) -> FindingCertainty:
    """Return the certainty of a missing sign; one without brackets may be a plain number."""
    return "likely" if mention.bare else "sure"


def _replaced(
    source: TextFacts, lost: list[Mention], target: TextFacts, added: list[Mention]
) -> list[Difference]:
    """Treat a single lost and a single added sign as one that became the other."""
    if len({m.sign for m in lost}) != 1 or len({m.sign for m in added}) != 1:
        return []
    found = []
    for old, new in zip(tuple(lost), tuple(added), strict=False):
        message = tr("the sign {old} became {new}", old=old.sign, new=new.sign)
        places = source.span(old.start, old.end), target.span(new.start, new.end)
        found.append(Difference("sign", "presence", message, *places, _trust(old), facts=2))
        lost.remove(old)
        added.remove(new)
    return found


def _missing(mentions: Sequence[Mention], other: TextFacts) -> list[Mention]:
    """Return mentions whose sign the other text has nowhere, nor as a word without brackets."""
    if not mentions:
        return []
    there = _everything(other)
    missing = [mention for mention in mentions if not _occurs(mention.sign, there)]
    words = {q.key for q in other.quantities if q.certainty != "exact"} if missing else set()
    return [mention for mention in missing if not (mention.bare and mention.sign in words)]


def _everything(facts: TextFacts) -> Counter[str]:
    """Return everything that could be a sign in any notation; 1(a) counts as 1a and as 1."""
    there: Counter[str] = Counter(mention.sign for mention in facts.mentions)
    for match in _ANY.finditer(facts.text):
        there[match["plain"].upper()] += 1
        if match["letter"] is not None or match["primes"] is not None:
            there[sign_key(match.group())] += 1
    return there


def _occurs(sign: str, there: Counter[str]) -> bool:
    """Return True if a text has a sign whole, in parts, or run together with "FIG"."""
    if sign.endswith("′") and not any(one.endswith("′") for one in there):
        sign = sign.rstrip("′")  # the text writes no primes
    ways = ([sign], sign.split("-"), [f"FIG{sign}"])
    if any(all(there[part] > 0 for part in way) for way in ways):
        return True
    return any(sign in one.split("-") for one in there)


def _on_other_nouns(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find signs on another noun than in the source."""
    tables = sign_table(source), sign_table(target)
    ours, theirs = (table.nouns for table in tables)
    if not theirs:
        return []
    found = _changed_modifiers(source, ours, target, theirs)
    found = found or _two_nouns(source, ours, target, theirs)
    found = found or _two_signs(source, ours, target, theirs)
    found = found or _left_out(source, ours, target, theirs)
    found = found or _reordered(source, target)
    return found or _exchanged(source, ours, target, theirs, learned_heads(*tables))


Table = Mapping[str, Sequence[Mention]]


def _place(facts: TextFacts, mention: Mention) -> tuple[int, int]:
    return facts.span(mention.noun_start, mention.end)


def _noun(facts: TextFacts, mention: Mention) -> str:
    return f"“{facts.quoted(mention.noun_start, mention.noun_start + len(mention.noun))}”"


def _misplaced(message: str, source: Span, target: Span) -> Difference:
    return Difference("sign", "noun", message, source, target)


def _changed_modifiers(
    source: TextFacts, ours: Table, target: TextFacts, theirs: Table
) -> list[Difference]:
    """Find a sign whose noun has the opposite modifier: left roller 3a, 右ローラ3a."""
    found: list[Difference] = []
    for sign in [one for one in ours if one in theirs]:
        mine = frozenset().union(*(m.modifiers for m in ours[sign]))
        for mention in theirs[sign]:
            for group, identity in mention.modifiers:
                opposite = [one for own, one in mine if own == group and one != identity]
                if opposite and (group, identity) not in mine and _someones(ours, group, identity):
                    message = tr(
                        "{noun} has the sign {sign} of another part",
                        noun=_noun(target, mention), sign=sign,
                    )  # fmt: skip
                    place = source.span(ours[sign][0].noun_start, ours[sign][0].end)
                    found.append(
                        Difference("sign", "noun", message, place, _place(target, mention))
                    )
                    break
    return found


def _someones(table: Table, group: str, identity: str) -> bool:
    """Return True if a noun with another sign has the modifier, or the modifier is an ordinal."""
    return any((group, identity) in m.modifiers for mentions in table.values() for m in mentions)


@cache
def _generic_heads() -> frozenset[str]:
    """Return the words that may stand for any part: unit, device, member."""
    return frozenset().union(*(pack.table("words").words("generic-heads") for pack in packs()))


def same_noun(one: Mention, other: Mention) -> bool:
    """Return True if two nouns of one language may be the same, in a longer or shorter form."""
    a, b = one.noun.lower(), other.noun.lower()
    if not a or not b or a.endswith(b) or b.endswith(a):
        return True
    if a.isascii() and b.isascii():
        heads = {one.head, other.head}
        return len(heads) == 1 or heads <= _generic_heads()
    if one.things and other.things and not one.things & other.things:
        return False
    return a[-1] == b[-1]


def _two_nouns(
    source: TextFacts, ours: Table, target: TextFacts, theirs: Table
) -> list[Difference]:
    """Find a sign that has two nouns, but one in the source."""
    for sign, mentions in theirs.items():
        mine = ours.get(sign, ())
        if len(mine) < 1 or any(not same_noun(mine[0], one) for one in mine[1:]):
            continue
        for mention in mentions[1:]:
            if not mention.listed and not same_noun(mentions[0], mention):
                odd = _unlike(source, mine[0], target, mentions) or _odd_one(mentions)
                message = tr(
                    "the sign {sign} is used for {one} and for {other}",
                    sign=sign, one=_noun(target, mentions[0]), other=_noun(target, mention),
                )  # fmt: skip
                return [
                    Difference(
                        "sign", "noun", message, _place(source, mine[0]), _place(target, one)
                    )
                    for one in odd
                ]
    return []


def _unlike(
    source: TextFacts, mine: Mention, target: TextFacts, mentions: Sequence[Mention]
) -> list[Mention]:
    """Return the mentions whose noun does not translate that of the source, if others do."""
    found = [one for one in mentions if not _fits(source, mine, target, one, {})]
    return found if len(found) < len(mentions) else []


def _odd_one(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions of the rarer noun of a sign, or of both if undecided."""
    counts = Counter(mention.head for mention in mentions)
    usual, often = counts.most_common(1)[0]
    if often > 1 or len(counts) == 1:
        return [mention for mention in mentions if mention.head != usual]
    return [mention for mention in mentions[1:] if mention.head != mentions[0].head] or list(
        mentions
    )


def _two_signs(
    source: TextFacts, ours: Table, target: TextFacts, theirs: Table
) -> list[Difference]:
    """Find a noun with two signs where the source has two nouns."""
    nouns: defaultdict[tuple[str, frozenset[str]], dict[str, Mention]] = defaultdict(dict)
    for sign, mentions in theirs.items():
        for mention in mentions:
            if not mention.listed:
                ordinals = frozenset(one for group, one in mention.modifiers if group == "ordinal")
                nouns[mention.noun.lower(), ordinals].setdefault(sign, mention)
    for signs in nouns.values():
        if len(signs) < 2:
            continue
        (one, first), (other, second), *_ = signs.items()
        mine, yours = ours.get(one), ours.get(other)
        if not mine or not yours or any(m.listed for m in (*mine, *yours)):
            continue
        if any(a.noun == b.noun for a in mine for b in yours):
            continue
        if any(same_noun(a, b) for a in mine for b in yours) and not first.modifiers:
            continue
        message = tr(
            "{noun} has the signs {one} and {other}",
            noun=_noun(target, first), one=one, other=other,
        )  # fmt: skip
        odd = second if len(theirs[other]) > 1 or len(theirs[one]) == 1 else first
        return [_misplaced(message, _place(source, yours[0]), _place(target, odd))]
    return []


_RESPECTIVELY = phrases("{respectively}")
_LIST_JOINT = phrases(r"\s*[,、]? ?(?:[,、]|{and})\s*")


def _lists(facts: TextFacts) -> list[list[Mention]]:
    """Return signs in one list: nodes N1 and N2; diode D1 and diode D2."""
    found: list[list[Mention]] = []
    for mention in facts.mentions:
        last = found[-1][-1] if found else None
        if last is not None and _is_listed(facts, last, mention):
            found[-1].append(mention)
        else:
            found.append([mention])
    return [signs for signs in found if len({one.sign for one in signs}) > 1]


def _is_listed(facts: TextFacts, last: Mention, mention: Mention) -> bool:
    between = facts.text[last.end : mention.start]
    if mention.noun and not mention.listed:
        noun = facts.text[mention.noun_start : mention.noun_start + len(mention.noun)]
        found = phrases(rf"(?:{{before-sign-noun}})?{re.escape(noun)}\s*$", ignore_case=False)
        between = found.regex.sub("", between)
    return _LIST_JOINT.fullmatch(between) is not None


def _reordered(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find signs of a list that changed places while another list kept its order.

    Both texts must relate the members of two lists: A and B to C and D, respectively.
    """
    if not all(_RESPECTIVELY.search(facts.text) for facts in (source, target)):
        return []
    ours, theirs = _lists(source), _lists(target)
    if len(ours) != len(theirs) or len(ours) < 2:
        return []
    partners: list[tuple[list[Mention], list[Mention]]] = []
    for mine in ours:
        signs = sorted(one.sign for one in mine)
        yours = next((one for one in theirs if sorted(m.sign for m in one) == signs), None)
        if yours is None:
            return []
        partners.append((mine, yours))
    changed = [
        (mine, yours)
        for mine, yours in partners
        if [one.sign for one in mine] != [one.sign for one in yours]
    ]
    if not changed or len(changed) == len(partners):
        return []
    return [
        _misplaced(
            tr(
                "{one} and {other} are exchanged",
                one=f"“{mine[0].sign}”", other=f"“{mine[-1].sign}”",
            ),
            source.span(mine[0].start, mine[-1].end),
            target.span(yours[0].start, yours[-1].end),
        )
        for mine, yours in changed
    ]  # fmt: skip


def _left_out(source: TextFacts, ours: Table, target: TextFacts, theirs: Table) -> list[Difference]:
    """Find a noun without its sign that always has it in the source.

    A sign may go with its noun: "thereof" needs none.
    """
    for sign, mentions in theirs.items():
        mine = ours.get(sign, [])
        fewer = len({m.head for m in mine}) > len({m.head for m in mentions})
        if len(mentions) >= len(mine) or (mine[0].bare and not fewer):
            continue
        noun = min((m.noun for m in mentions), key=len)
        place = _unsigned(target, noun)
        if fewer or (place is not None and all(_unsigned(source, m.noun) is None for m in mine)):
            message = tr(
                "the sign {key} {problem}", key=sign, problem=tr("is missing on a noun that has it")
            )
            return [
                Difference(
                    "sign",
                    "presence",
                    message,
                    source.span(mine[-1].start, mine[-1].end),
                    None if place is None else target.span(*place),
                    "likely",
                )
            ]
    return []


def _unsigned(facts: TextFacts, noun: str) -> tuple[int, int] | None:
    """Return the place of a noun that no sign follows."""
    places = {
        (m.noun_start + len(m.noun) - len(noun)) for m in facts.mentions if m.noun.endswith(noun)
    }
    is_compound = bool(language(facts.language).table("facts").forms("goes-on"))
    for match in re.finditer(rf"{re.escape(noun)}(?![A-Za-z])", facts.text, re.IGNORECASE):
        before, after = facts.text[: match.start()][-1:], facts.text[match.end() :][:1]
        inside = not noun.isascii() and (
            _IN_WORD.match(after) or (is_compound and _IN_WORD.match(before))
        )
        if match.start() not in places and not inside and not before.isascii() * before.isalpha():
            return match.span()
    return None


_IN_WORD = phrases("{goes-on}")


def _exchanged(
    source: TextFacts, ours: Table, target: TextFacts, theirs: Table, learned: Mapping[str, str]
) -> list[Difference]:
    """Find a sign whose source noun translates to the noun of another sign, not to its own."""
    found: list[Difference] = []
    shared = [sign for sign in ours if sign in theirs]
    for sign in shared:
        for mention in theirs[sign]:
            mine = ours[sign]
            if any(
                _took_noun(source, mine, ours[other], target, mention, theirs[other], learned)
                for other in shared
                if other != sign
            ):
                message = tr(
                    "the sign {sign} of {noun} is used for {other}",
                    sign=sign, noun=_noun(source, mine[0]), other=_noun(target, mention),
                )  # fmt: skip
                places = _place(source, mine[0]), _place(target, mention)
                found.append(Difference("sign", "noun", message, *places))
    return found


def _took_noun(
    source: TextFacts,
    mine: Sequence[Mention],
    yours: Sequence[Mention],
    target: TextFacts,
    mention: Mention,
    others: Sequence[Mention],
    learned: Mapping[str, str],
) -> bool:
    """Return True if a mention has the noun of another sign of the source.

    If words of both nouns are the same, the rest decides: filter element, filter housing.
    """

    def fit(one: Mention, other: Mention) -> bool:
        return _fits(source, one, target, other, learned)

    bare = all(one.bare for one in (*mine, *yours, mention, *others))
    if bare and _things_moved(mine, yours, mention, others):
        return True
    if not any(fit(one, mention) for one in mine):
        taken = any(fit(one, mention) for one in yours)
        crossed = any(fit(one, m) for one in mine for m in others)
        if any(fit(one, m) for one in yours for m in others):
            return False
        if taken and crossed:
            return True
        short = len(source.sentences) == len(target.sentences) == 1
        return (crossed and short) or (taken and _without_dictionary(source, target))
    if source.language == target.language or any(
        len({m.noun for m in mentions}) > 1 for mentions in (mine, yours, others)
    ):
        return False
    parts, rest = _distinct(mine[0], yours[0]), _distinct(mention, others[0])
    if parts is None or rest is None:
        return False
    own, other = (
        [_may_render(source, parts[a], target, rest[b]) for a, b in pairs]
        for pairs in (((0, 0), (1, 1)), ((0, 1), (1, 0)))
    )
    return any(other) and not any(own)


def _things_moved(
    mine: Sequence[Mention],
    yours: Sequence[Mention],
    mention: Mention,
    others: Sequence[Mention],
) -> bool:
    """Return True if the noun of one sign, and of it alone, is known and stands on the other."""
    own, rival, now, then = (
        frozenset[str]().union(*(one.things for one in side))
        for side in (mine, yours, [mention], others)
    )
    moved = own & then or rival & now
    return bool(moved) and not (own & now or rival & then or own & rival or now & then)


def _without_dictionary(source: TextFacts, target: TextFacts) -> bool:
    languages, glosses = {source.language, target.language}, {GLOSS_LANGUAGE}
    return glosses < languages and any(not dictionary_name(one) for one in languages - glosses)


_Part = tuple[str, frozenset[str]]


def _distinct(one: Mention, other: Mention) -> tuple[_Part, _Part] | None:
    """Return the differences of two nouns: words or characters, and things; None if nothing."""
    if one.noun.isascii() and other.noun.isascii():
        words, others, joint = one.noun.lower().split(), other.noun.lower().split(), " "
    else:
        words, others, joint = list(one.noun), list(other.noun), ""
    first = joint.join(word for word in words if word not in others)
    second = joint.join(word for word in others if word not in words)
    if not first or not second or len(first) == len(one.noun):
        return None
    return (first, one.things - other.things), (second, other.things - one.things)


def _may_render(source: TextFacts, one: _Part, target: TextFacts, other: _Part) -> bool:
    return bool(one[1] & other[1]) or fits(one[0], source.language, other[0], target.language)


def _fits(
    source: TextFacts, one: Mention, target: TextFacts, other: Mention, learned: Mapping[str, str]
) -> bool:
    """Return True if a noun of the target may translate a noun of the source.

    Without a dictionary it may if the document translates its head so elsewhere.
    """
    if source.language == target.language:
        return same_noun(one, other)
    if one.things & other.things or learned.get(head_key(one)) == head_key(other):
        return True
    return is_known(
        one.noun if source.language != GLOSS_LANGUAGE else other.noun, _foreign(source, target)
    ) and fits(one.noun, source.language, other.noun, target.language)


def _foreign(source: TextFacts, target: TextFacts) -> str:
    return source.language if source.language != GLOSS_LANGUAGE else target.language
