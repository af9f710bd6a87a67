"""Reference signs of a document as tables: sign → nouns and noun → signs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from patmark.facts.mentions import Mention
from patmark.facts.texts import TextFacts


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
