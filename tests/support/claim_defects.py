"""Real claims with one known defect each, made with a seed.

A defect is put in only where it is one: an introduction is dropped where nothing else before it
names the thing, and a term is changed to a word that the claims do not have.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_INTRODUCED = re.compile(r"\b(?:a|an) (?=(?P<phrase>(?:[a-z]{3,} ){0,2}[a-z]{3,})\b)")
_ENDS = re.compile(
    r" (?:for|of|in|on|to|is|are|and|or|that|which|having|with|from|at|by|wherein|comprising|"
    r"includes|including|configured|adapted|being|has|between|through|into)\b|[,;:.]"
)
_MENTION = re.compile(r"\bclaims? (?P<number>\d+)\b", re.IGNORECASE)
_OTHER_NOUNS = ("bracket", "turnstile", "flywheel", "teapot", "ladder", "harpsichord", "lantern")
_NO_NOUN_WORDS = """
and or for with from that which such having wherein comprising plurality number group pair method
said the are being adapted configured one two each other
"""
_NO_NOUNS = frozenset(_NO_NOUN_WORDS.split())


@dataclass(frozen=True)
class Defect:
    """The claims with the defect, the claim it is in, and the words that give it away."""

    text: str
    claim: int
    words: str


Claims = Sequence[tuple[int, str]]


def joined(claims: Claims) -> str:
    """Claims as numbered text."""
    return "\n\n".join(f"{number}. {text}" for number, text in claims)


def _replaced(claims: Claims, number: int, text: str) -> str:
    return joined([(one, text if one == number else words) for one, words in claims])


def _phrases(text: str) -> Iterator[tuple[int, str, re.Match[str]]]:
    """Place of an introduction, its phrase, and the first later mention of it with "the".

    Phrase and mention end where a function word or a sign follows, so that they are whole names.
    """
    for match in _INTRODUCED.finditer(text):
        words = match["phrase"].split()
        for size in range(len(words), 0, -1):
            phrase = " ".join(words[:size])
            if _NO_NOUNS & set(words[:size]) or not _ENDS.match(text, match.end() + len(phrase)):
                continue
            later = re.compile(rf"\b(?:the|said) (?P<phrase>{phrase})(?={_ENDS.pattern})")
            found = later.search(text, match.end())
            if found is not None:
                yield match.start(), phrase, found
                break


def _named_between(text: str, place: int, phrase: str, mention: re.Match[str]) -> bool:
    """Whether the noun of a phrase stands anywhere else before the mention with "the"."""
    noun = re.compile(rf"\b{phrase.split()[-1]}", re.IGNORECASE)
    own = text.index(phrase, place)
    before, between = text[:own], text[own + len(phrase) : mention.start()]
    return noun.search(before) is not None or noun.search(between) is not None


def drop_antecedents(claims: Claims, rng: random.Random, remove: bool) -> Iterator[Defect]:
    """An independent claim in which "a X" became "the X", or was removed."""
    for number, text in claims:
        if "claim" in text.lower():
            continue
        found = [
            (place, phrase)
            for place, phrase, mention in _phrases(text)
            if not _named_between(text, place, phrase, mention)
        ]
        if found:
            place, phrase = rng.choice(found)
            article = re.compile(r"an? ").match(text, place)
            end = place if article is None else article.end()
            changed = text[:place] + text[end + len(phrase) :].lstrip() if remove else (
                text[:place] + "the " + text[end:]
            )  # fmt: skip
            yield Defect(_replaced(claims, number, changed), number, phrase)


def change_terms(claims: Claims, rng: random.Random) -> Iterator[Defect]:
    """A claim in which one "the X" has another noun."""
    everything = joined(claims).lower()
    free = [noun for noun in _OTHER_NOUNS if noun not in everything]
    for number, text in claims:
        found = [mention for _, _, mention in _phrases(text)]
        if found:
            mention = rng.choice(found)
            noun = rng.choice(free)
            words = mention["phrase"].split()
            phrase = " ".join([*words[:-1], noun])
            changed = text[: mention.start("phrase")] + phrase + text[mention.end("phrase") :]
            yield Defect(_replaced(claims, number, changed), number, noun)


def shift_dependencies(claims: Claims, rng: random.Random) -> Iterator[Defect]:
    """A claim that mentions a number that does not exist, its own, or a later one."""
    last = max(number for number, _ in claims)
    for number, text in claims:
        mention = _MENTION.search(text)
        if mention is None:
            continue
        targets = [last + rng.randint(1, 20), number, rng.randint(number, last)]
        target = str(rng.choice(targets))
        changed = text[: mention.start("number")] + target + text[mention.end("number") :]
        yield Defect(_replaced(claims, number, changed), number, target)


def cut_ends(claims: Claims, rng: random.Random) -> Iterator[Defect]:
    """A claim that stops somewhere in its second half, at the end of a word."""
    for number, text in claims:
        words = text.split(" ")
        kept = " ".join(words[: max(1, int(len(words) * rng.uniform(0.5, 0.95)))])
        if len(words) > 4 and not kept.rstrip("\"')] ").endswith("."):
            yield Defect(_replaced(claims, number, kept), number, kept.split(" ")[-1])


def duplicate_claims(claims: Claims, rng: random.Random) -> Iterator[Defect]:
    """The claims with one of them once more at the end."""
    last = max(number for number, _ in claims)
    for _ in range(min(5, len(claims))):
        _, text = rng.choice(claims)
        yield Defect(joined([*claims, (last + 1, text)]), last + 1, text)


Maker = Callable[[Claims, random.Random], Iterator[Defect]]
DEFECTS: dict[str, tuple[Maker, frozenset[str]]] = {
    "antecedent not introduced": (
        lambda claims, rng: drop_antecedents(claims, rng, remove=False),
        frozenset(("antecedent-missing",)),
    ),
    "introduction removed": (
        lambda claims, rng: drop_antecedents(claims, rng, remove=True),
        frozenset(("antecedent-missing",)),
    ),
    "dependency shifted": (
        shift_dependencies,
        frozenset(("dependency-missing", "dependency-forward", "dependency-self")),
    ),
    "term changed": (change_terms, frozenset(("antecedent-missing", "term-drift"))),
    "end cut": (cut_ends, frozenset(("claim-truncated", "period-missing"))),
    "claim duplicated": (duplicate_claims, frozenset(("duplicate-claim",))),
}
