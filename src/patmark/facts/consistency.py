"""A document compared with itself: contradictory quantities, one sign on two nouns, two signs."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Sequence

from patmark.facts.amounts import Amount
from patmark.facts.differences import Difference
from patmark.facts.lexicon import phrases
from patmark.facts.mentions import Mention
from patmark.facts.sign_matching import SignTable, noun_key, same_noun, sign_table
from patmark.facts.texts import TextFacts
from patmark.languages import language
from patmark.wording import tr


def find_contradictions(facts: TextFacts) -> list[Difference]:
    """Return places of a document that contradict each other.

    ``source`` is the first place and ``target`` the one that contradicts it, both in the same text.
    Quantities contradict each other if the same words state two values that exclude each other,
    outside examples and preferences.
    """
    table = sign_table(facts)
    return [*_amounts(facts), *_two_nouns(facts, table), *_two_signs(facts, table)]


_NO_SUBJECT = phrases(r"{<no-subject>}|[\s,、:;()=]")
_ONE_CASE = phrases("{<one-case}")
_SHORTEST_SUBJECT, _SHORTEST_UNSPACED = 8, 3  # characters


def _amounts(facts: TextFacts) -> list[Difference]:
    by_subject: defaultdict[tuple[str, object], list[Amount]] = defaultdict(list)
    spaced = not language(facts.language).is_dense
    shortest = _SHORTEST_SUBJECT if spaced else _SHORTEST_UNSPACED
    for amount in facts.amounts:
        sentence = facts.sentences[bisect(facts.sentences, (amount.start, len(facts.text))) - 1]
        if not amount.symbol or _ONE_CASE.search(facts.text, *sentence):
            continue
        subject = _NO_SUBJECT.regex.sub("", amount.subject.lower())
        if len(subject) >= shortest:
            by_subject[subject, amount.unit].append(amount)
    found = []
    for amounts in by_subject.values():
        first = amounts[0]
        other = next((one for one in amounts[1:] if first.relation(one) == "disjoint"), None)
        if other is not None and not (first.approximate and other.approximate):
            message = tr("{old} here, {new} there", old=first.shown, new=other.shown)
            places = facts.span(first.start, first.end), facts.span(other.start, other.end)
            found.append(Difference("number", "value", message, *places, "likely"))
    return found


def _place(facts: TextFacts, mention: Mention) -> tuple[int, int]:
    return facts.span(mention.noun_start, mention.end)


def _two_nouns(facts: TextFacts, table: SignTable) -> list[Difference]:
    """Find a sign on another noun than its usual one."""
    found = []
    for sign, mentions in table.nouns.items():
        own = [m for m in mentions if not m.listed and not (m.bare and _YEAR.fullmatch(m.sign))]
        usual, odd = _usual(own)
        if usual is None or not odd:
            continue
        for mention in odd:
            message = tr(
                "the sign {sign} is used for {one} and for {other}",
                sign=sign, one=_noun(facts, usual), other=_noun(facts, mention),
            )  # fmt: skip
            places = _place(facts, usual), _place(facts, mention)
            found.append(Difference("sign", "noun", message, *places, "likely"))
    return found


_YEAR = re.compile(r"(?:19|20)\d\d")


def _usual(mentions: Sequence[Mention]) -> tuple[Mention | None, list[Mention]]:
    """Return a mention of the usual noun, and those of another; nothing if nouns are too many."""
    if len(mentions) < 2:
        return None, []
    counts = Counter(map(noun_key, mentions))
    key = counts.most_common(1)[0][0]
    usual = next(mention for mention in mentions if noun_key(mention) == key)
    odd: dict[str, Mention] = {}
    for mention in mentions:
        if not same_noun(usual, mention):
            odd.setdefault(noun_key(mention), mention)
    return usual, list(odd.values()) if len(odd) == 1 else []


def _two_signs(facts: TextFacts, table: SignTable) -> list[Difference]:
    """Find a noun with another sign than its usual one, if that sign has its own noun."""
    found = []
    for mentions in table.signs.values():
        own = [mention for mention in mentions if not mention.listed]
        counts = Counter(mention.sign for mention in own)
        if len(counts) != 2:
            continue
        (usual, often), (rare, seldom) = counts.most_common(2)
        if often <= seldom or _is_part(usual, rare):
            continue
        first = next(mention for mention in own if mention.sign == usual)
        odd = next(mention for mention in own if mention.sign == rare)
        message = tr(
            "{noun} has the signs {one} and {other}", noun=_noun(facts, odd), one=usual, other=rare
        )
        places = _place(facts, first), _place(facts, odd)
        found.append(Difference("sign", "noun", message, *places, "likely"))
    return found


def _is_part(one: str, other: str) -> bool:
    """Return True for 12 and 12a, which name parts of one thing."""
    return one.startswith(other) or other.startswith(one) or (
        one[:-1] == other[:-1] and one[-1:].isalpha() and other[-1:].isalpha()
    )  # fmt: skip


def _noun(facts: TextFacts, mention: Mention) -> str:
    return f"“{facts.quoted(mention.noun_start, mention.noun_start + len(mention.noun))}”"
