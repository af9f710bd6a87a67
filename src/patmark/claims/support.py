"""Support of claims in the description: a place for each of their parts, or a finding.

A limitation is compared with every three consecutive sentences of the description. Its words count
by their rarity in the description; English words are compared by their stems, Chinese and Japanese
ones as pairs of characters. Terms and amounts are searched in the whole text, reference signs after
their names in the claims. There is no score.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal, TypeAlias

from patmark.claims.antecedents import EMPTY
from patmark.claims.model import ClaimSet, ParsedClaim, TextSpan
from patmark.claims.parser import parse_claims
from patmark.claims.terms import TELLING_APART
from patmark.claims.text_forms import one_line
from patmark.claims.words import pattern, word_list
from patmark.errors import InputError
from patmark.facts import Amount, facts_of
from patmark.languages import (
    REFERENCE_SIGN,
    content_words,
    foreign_script,
    language as pack_of,
    plain_form,
    porter_stem,
    sentence_spans,
    singular,
    workspace,
)
from patmark.report import Column, Report, Result, Table
from patmark.wording import tr, tr_n

SupportKind: TypeAlias = Literal["limitation", "term", "amount", "sign"]
_SENTENCES = 3
_PASSAGE_SHARE = 0.4
_TEXT_SHARE = 0.6
_BEFORE_SIGN = 50
_LONGEST = 90
_SIGN = re.compile(REFERENCE_SIGN)
_WORD = re.compile(r"[^\W\d_]{3,}")
_HAN_RUN = re.compile(r"[\u3400-\u9fff\u30a1-\u30fc]{2,}")
_NAME_BEFORE = re.compile(r"(?:[^\W\d_]|[\s-])*\Z")
_HAN = re.compile(r"[\u3041-\u9fff]")
_FILLERS = word_list("range-fillers")
_FIRST_STEMS = {
    stem: group.partition("/")[0] for group in word_list("supporting") for stem in group.split("/")
}
KIND_NAMES: Mapping[SupportKind, str] = {
    "limitation": tr("limitation"),
    "term": tr("term"),
    "amount": tr("amount"),
    "sign": tr("reference sign"),
}


@dataclass(frozen=True, slots=True)
class Support:
    """A limitation, term, amount or reference sign of a claim, and its supporting place.

    ``place`` is the best passage of the description, also for a limitation without support;
    ``absent`` has the words that the description lacks.
    """

    kind: SupportKind
    claim: int
    start: int
    end: int
    text: str
    supported: bool
    place: TextSpan | None
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class SupportCheck(Result):
    """The support of each part of the claims in the description, in the order of the claims."""

    claims: ClaimSet
    description: str
    items: tuple[Support, ...]

    def counts(self, kind: SupportKind) -> tuple[int, int]:
        """Return the number of supported parts of a kind, and of all."""
        flags = [item.supported for item in self.items if item.kind == kind]
        return sum(flags), len(flags)

    @property
    def findings(self) -> tuple[Support, ...]:
        """Parts without support."""
        return tuple(item for item in self.items if not item.supported)

    def passage(self, item: Support) -> str:
        """Return the words of the description at the place of a part; empty if there is none."""
        return "" if item.place is None else self.description[item.place.start : item.place.end]

    def to_json(self) -> dict[str, Any]:
        """Return coverage by kind, and every part with its place."""
        coverage = {
            kind: dict(zip(("supported", "total"), self.counts(kind), strict=True))
            for kind in KIND_NAMES
        }
        return {
            "language": self.claims.language,
            "claims": len(self.claims.claims),
            "coverage": coverage,
            "parts": [self._part_json(item) for item in self.items],
        }

    def _part_json(self, item: Support) -> dict[str, Any]:
        place = None
        if item.place is not None:
            line = self.description.count("\n", 0, item.place.start) + 1
            place = {
                "start": item.place.start,
                "end": item.place.end,
                "line": line,
                "text": self.passage(item),
            }
        return {
            "kind": item.kind,
            "claim": item.claim,
            "start": item.start,
            "end": item.end,
            "text": item.text,
            "supported": item.supported,
            "absent": list(item.absent),
            "place": place,
        }

    def to_report(self) -> Report:
        """Return coverage, the parts without support, and the place of each limitation."""
        covered = tuple((KIND_NAMES[kind], *self.counts(kind)) for kind in KIND_NAMES)
        lacking = tuple(
            (str(item.claim), KIND_NAMES[item.kind], _short(item.text), ", ".join(item.absent))
            for item in self.findings
        )
        places = tuple(
            (str(item.claim), _short(item.text), self._line(item), _short(self.passage(item)))
            for item in self.items
            if item.kind == "limitation" and item.supported
        )
        n = len(self.findings)
        return Report(
            title=tr("Support of the claims in the description"),
            subtitle=tr_n("{n} claim", "{n} claims", n=len(self.claims.claims)),
            headlines=(),
            tables=(
                Table(
                    tr("Coverage"),
                    (Column(tr("part")), Column(tr("supported")), Column(tr("all"))),
                    covered,
                ),
                Table(
                    tr("Without support"),
                    tuple(map(Column, (tr("claim"), tr("part"), tr("text"), tr("absent words")))),
                    lacking,
                ),
                Table(
                    tr("Places of the limitations"),
                    tuple(
                        map(
                            Column,
                            (tr("claim"), tr("text"), tr("line"), tr("text of the description")),
                        )
                    ),
                    places,
                ),
            ),
            signatures={},
            findings=(
                tr_n(
                    "{n} part of the claims without support in the description",
                    "{n} parts of the claims without support in the description",
                    n=n,
                ),
            ),
        )

    def _line(self, item: Support) -> str:
        place = item.place
        return "" if place is None else str(self.description.count("\n", 0, place.start) + 1)


def _short(text: str) -> str:
    return one_line(text, _LONGEST)


@workspace()
def check_support(
    claims: str | ClaimSet, description: str, language: str | None = None
) -> SupportCheck:
    """Find the support of each limitation, term and amount of the claims in the description.

    Both must be in one language.
    """
    parsed = parse_claims(claims, language) if isinstance(claims, str) else claims
    if written := foreign_script([description], parsed.language):
        raise InputError.at(f"is {written}, the claims are not", "the description")
    passages = _Passages(description, parsed.language)
    items = [
        item
        for claim in parsed.live
        for item in (
            *_limitations(parsed, claim, passages),
            *_amounts(parsed, claim, passages),
        )
    ]
    items += [*_terms(parsed, passages), *_signs(parsed, passages)]
    order = sorted(items, key=lambda item: (item.start, -item.end, item.kind))
    return SupportCheck(parsed, description, tuple(order))


class _Passages:
    """The description as passages, with the words of each."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.plain = plain_form(text)
        # in Chinese and Japanese a sign follows its name without a blank
        self.folded = self.plain if pack_of(language).is_spaced else _HAN.sub(" ", self.plain)
        self.spans = list(_sentence_spans(text, language))
        self.index: defaultdict[str, list[int]] = defaultdict(list)
        for number, span in enumerate(self.spans):
            for word in roots(self.plain[span.start : span.end], language):
                self.index[word].append(number)
        self.amounts: tuple[Amount, ...] = tuple(facts_of(text, language).amounts)

    def weight(self, word: str) -> float:
        """Return the weight of a word, which decreases with the number of its sentences."""
        return log((1 + len(self.spans)) / (1 + len(self.index.get(word, ())))) + 1.0

    def best(self, words: Iterable[str]) -> tuple[TextSpan | None, float, float]:
        """Return the best passage, and the shares of the words in it and in the whole text.

        It begins and ends with a sentence that has one of the words.
        """
        weights = {word: self.weight(word) for word in words}
        total = sum(weights.values())
        if not total:
            return None, 1.0, 1.0
        found: defaultdict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            starts = {
                start
                for number in self.index.get(word, ())
                for start in range(max(0, number - _SENTENCES + 1), number + 1)
            }
            for start in starts:
                found[start] += weight
        inside = sum(weight for word, weight in weights.items() if word in self.index)
        if not found:
            return None, 0.0, 0.0
        most = max(found.values())
        having = {number for word in weights for number in self.index.get(word, ())}
        first, last = min(
            (self._within(start, having) for start in found if found[start] == most),
            key=lambda place: (place[1] - place[0], place),
        )
        place = TextSpan(self.spans[first].start, self.spans[last].end)
        return place, most / total, inside / total

    def _within(self, start: int, having: Collection[int]) -> tuple[int, int]:
        """Return the first and last sentence of a passage that have one of some words."""
        there = [number for number in range(start, start + _SENTENCES) if number in having]
        return there[0], there[-1]

    def absent(self, text: str, words: Mapping[str, str]) -> tuple[str, ...]:
        """Return the words of a text that the description lacks, by the roots of its words."""
        lacking = {root: word for root, word in words.items() if root not in self.index}
        if pack_of(self.language).is_spaced:
            return tuple(lacking.values())
        found = (one.form for one in content_words([text], self.language)[0])
        return tuple(
            dict.fromkeys(
                word
                for word in found
                if word not in self.plain and any(pair in word or word in pair for pair in lacking)
            )
        )


def _sentence_spans(text: str, language: str) -> Iterator[TextSpan]:
    at = 0
    for line in text.splitlines(keepends=True):
        for start, end in sentence_spans(line, language):
            yield TextSpan(at + start, at + end)
        at += len(line)


def roots(text: str, language: str) -> dict[str, str]:
    """Return the content words by their roots, in Chinese and Japanese pairs of characters."""
    if not pack_of(language).is_spaced:
        cut = pattern("support-cut").sub(" ", text)
        pairs = (run[at : at + 2] for run in _HAN_RUN.findall(cut) for at in range(len(run) - 1))
        return {pair: pair for pair in pairs if pair not in _FILLERS}
    return {
        _root(word): word
        for word in _WORD.findall(text.lower())
        if word not in EMPTY and word not in TELLING_APART and word not in _FILLERS
    }


def _root(word: str) -> str:
    """Return the stem of an English word, or that of a word that supports it."""
    stem = porter_stem(singular(word))
    return _FIRST_STEMS.get(stem, stem)


def _pieces(claim: ParsedClaim) -> Iterator[TextSpan]:
    """Yield the limitations of a claim; without any, its words after the reference."""
    if claim.limitations:
        yield from (TextSpan(one.start, one.end) for one in claim.limitations)
        return
    start = claim.references[0].end if claim.references else claim.content.start
    yield TextSpan(start, claim.content.end)


def _limitations(claims: ClaimSet, claim: ParsedClaim, passages: _Passages) -> Iterator[Support]:
    for piece in _pieces(claim):
        plain = claims.plain[piece.start : piece.end]
        words = roots(plain, claims.language)
        if not words:
            continue
        place, near, anywhere = passages.best(words)
        supported = near >= _PASSAGE_SHARE and anywhere >= _TEXT_SHARE
        absent = passages.absent(plain, words)
        text = claims.text[piece.start : piece.end].strip()
        yield Support(
            "limitation", claim.shown_number, piece.start, piece.end, text, supported, place, absent
        )


def _amounts(claims: ClaimSet, claim: ParsedClaim, passages: _Passages) -> Iterator[Support]:
    start = claim.content.start
    for amount in facts_of(claims.plain[start : claim.content.end], claims.language).amounts:
        if not amount.symbol:
            continue
        place = _stated(amount, passages.amounts)
        yield Support(
            "amount",
            claim.shown_number,
            amount.start + start,
            amount.end + start,
            claims.text[amount.start + start : amount.end + start],
            place is not None,
            place,
        )


def _stated(amount: Amount, described: Sequence[Amount]) -> TextSpan | None:
    """Return the place of the same amount, or of the first of amounts that state all its ends."""
    ends = {end for end in (amount.lo, amount.hi) if end is not None}
    places: dict[object, TextSpan] = {}
    for one in described:
        if one.unit != amount.unit:
            continue
        if (one.lo, one.hi) == (amount.lo, amount.hi):
            return TextSpan(one.start, one.end)
        for end in ends & {one.lo, one.hi}:
            places.setdefault(end, TextSpan(one.start, one.end))
    return min(places.values(), key=lambda place: place.start) if ends <= set(places) else None


def _terms(claims: ClaimSet, passages: _Passages) -> Iterator[Support]:
    """Yield the first mention of each term; each of its words must stand in the description."""
    seen: set[tuple[str, ...]] = set()
    for claim in claims.live:
        for term in claim.terms:
            words = roots(" ".join(term.words), claims.language)
            bare = term.kind == "bare" and len(term.words) == 1
            if term.kind == "referred" or bare or not words or tuple(words) in seen:
                continue
            seen.add(tuple(words))
            absent = passages.absent(" ".join(term.words), words)
            place = None if absent else passages.best(words)[0]
            yield Support(
                "term",
                claim.shown_number,
                term.start,
                term.end,
                term.text,
                not absent,
                place,
                absent,
            )


def _signs(claims: ClaimSet, passages: _Passages) -> Iterator[Support]:
    """Yield each sign in brackets with its name; the description must have both together."""
    seen: set[tuple[str, ...]] = set()
    for claim in claims.live:
        for term in claim.terms:
            bracket = claims.plain[term.end : term.end + 2].lstrip().startswith("(")
            for sign in _SIGN.findall(term.sign or "") if bracket else ():
                if (sign, *term.words) in seen:
                    continue
                seen.add((sign, *term.words))
                place = _sign_place(sign, " ".join(term.words), passages)
                yield Support(
                    "sign", claim.shown_number, term.start, term.end, f"{term.text} ({sign})",
                    place is not None, place,
                )  # fmt: skip


def _sign_place(sign: str, name: str, passages: _Passages) -> TextSpan | None:
    words = set(roots(name, passages.language))
    for match in re.finditer(rf"(?<!\w){re.escape(sign)}(?!\w)", passages.folded):
        start = max(0, match.start() - _BEFORE_SIGN)
        name_before = _NAME_BEFORE.search(passages.plain, start, match.start())
        before = name_before.group() if name_before else ""
        if not words or words & roots(before, passages.language).keys():
            return TextSpan(match.start() - len(before), match.end())
    return None
