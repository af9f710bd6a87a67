"""Invented patents in English, Chinese or Japanese, with families, IPC codes, dates and citations.

An invention is a list of features. It may improve an earlier one, whose features it partly repeats
and which its search report cites: those citations are the judgements. The same seed gives the same
inventions in every language, so that topics of one language can be searched in another one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from patmark.collections.retrieval.qrels import PARTIAL, RELEVANT, Qrels, write_qrels
from patmark.collections.retrieval.topics import Topic, write_topics
from patmark.data import Citation, PatentDocument, write_json_lines
from patmark.errors import UsageError
from patmark.examples.vocabulary import Trilingual, coined_word, domains, terms

LANGUAGES = Trilingual._fields
DOCUMENTS, TOPICS, QRELS = "documents.jsonl", "topics.jsonl", "qrels.txt"

_FIRST_DAY = date(1993, 1, 1)
_DAYS = 9000
_COINED = 20_000
_FEATURES = 6
_CATEGORIES = {RELEVANT: "X", PARTIAL: "Y"}
_WORDS_PER_SENTENCE = 13


class Feature(NamedTuple):
    """A part in its relation to another one; ``sign`` is its reference sign."""

    quality: Trilingual
    part: Trilingual
    relation: Trilingual
    coined: Trilingual
    other: Trilingual
    sign: int


@dataclass(frozen=True, slots=True)
class Invention:
    """Common content of the documents of a family. ``cited`` are families, by grade."""

    number: int
    domain: int
    groups: tuple[int, ...]
    filed: date
    features: tuple[Feature, ...]
    cited: Mapping[int, int]

    @property
    def family(self) -> str:
        """The name of the family."""
        return f"F{self.number:07}"


@dataclass(frozen=True, slots=True)
class DemoCollection:
    """A collection that is reproducible from its parameters.

    ``words`` is the mean length of a document; three in a hundred documents have no date.
    """

    size: int
    language: str = LANGUAGES[0]
    seed: int = 0
    words: int = 150

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise UsageError(f"no demo in {self.language!r}; choose from {', '.join(LANGUAGES)}")
        if self.size < 1 or self.words < 1:
            raise UsageError("a demo collection needs at least one document of one word")

    def documents(self) -> Iterator[PatentDocument]:
        """Yield the documents one by one, families in the order of their filing."""
        for number in range(self.size):
            yield self._document(number)

    def topics(self, count: int, language: str | None = None) -> tuple[Topic, ...]:
        """Return claims of the latest families that cite something, in any language."""
        return tuple(
            Topic(
                f"T{invention.number:07}",
                _claim(invention, language or self.language),
                invention.filed,
                _codes(invention),
                invention.family,
            )
            for invention in self._citing(count)
        )

    def qrels(self, count: int) -> Qrels:
        """Return citations of the same families: all documents of a cited family are relevant."""
        judged = {
            f"T{invention.number:07}": {
                self._id(number): grade
                for family, grade in invention.cited.items()
                for number in (2 * family, 2 * family + 1)
                if number < self.size
            }
            for invention in self._citing(count)
        }
        return Qrels("demo citations", judged)

    def _citing(self, count: int) -> list[Invention]:
        families = range((self.size - 1) // 2, -1, -1)
        made = (_invention(self.seed, number, (self.size + 1) // 2) for number in families)
        chosen = [one for one, _ in zip((i for i in made if i.cited), range(count), strict=False)]
        if len(chosen) < count:
            raise UsageError(f"{self.size} documents give only {len(chosen)} topics, not {count}")
        return chosen[::-1]

    def _id(self, number: int) -> str:
        return f"{_in(self.language, 'office')}{number + 1:08}"

    def _document(self, number: int) -> PatentDocument:
        """Return a document; two make a family, and the second claims a part of the invention."""
        invention = _invention(self.seed, number // 2, (self.size + 1) // 2)
        if number % 2:
            invention = replace(invention, features=invention.features[::2])
        rng = random.Random(f"document {self.seed} {number}")
        published = invention.filed + timedelta(days=rng.randint(180, 540) + 300 * (number % 2))
        device = domains()[invention.domain].device
        return PatentDocument(
            id=self._id(number),
            date=None if rng.random() < 0.03 else published,
            ipc=_codes(invention),
            title=getattr(device, self.language),
            claims=_claim(invention, self.language),
            description=_description(invention, rng, self.language, self.words),
            lang=self.language,
            family=invention.family,
            filed=invention.filed,
            citations=() if number % 2 else self._citations(invention),
        )

    def _citations(self, invention: Invention) -> tuple[Citation, ...]:
        """Return the first document of each cited family, as in a search report."""
        return tuple(
            Citation(self._id(2 * family), _CATEGORIES[grade], phase="search", by="examiner")
            for family, grade in invention.cited.items()
        )


def write_demo(folder: Path, demo: DemoCollection, topics: int) -> None:
    """Write documents, topics in the language of the documents, and TREC qrels to a folder."""
    write_json_lines(folder / DOCUMENTS, (document.to_row() for document in demo.documents()))
    write_topics(folder / TOPICS, demo.topics(topics))
    write_qrels(folder / QRELS, demo.qrels(topics))


@lru_cache(maxsize=4096)
def _invention(seed: int, number: int, families: int) -> Invention:
    """Invent features, and repeat some of the improved invention."""
    rng = random.Random(f"invention {seed} {number}")
    domain = rng.randrange(len(domains()))
    filed = _FIRST_DAY + timedelta(days=_DAYS * number // families)
    own = _own_features(seed, number)
    cited: dict[int, int] = {}
    features = list(own)
    if number >= 20 and rng.random() < 0.5:
        for grade, taken in ((RELEVANT, 4), (PARTIAL, 2)):
            earlier = _cited(rng, seed, domain, number * 3 // 4)
            cited.setdefault(earlier, grade)
            features += _own_features(seed, earlier)[:taken]
    groups = tuple(sorted(rng.sample(range(1, 40), rng.randint(1, 2))))
    return Invention(number, domain, groups, filed, tuple(features), cited)


def _cited(rng: random.Random, seed: int, domain: int, families: int) -> int:
    """Return an earlier family, mostly of the same domain."""
    chosen = rng.choices(range(families), k=8)
    same = [number for number in chosen if _domain_of(seed, number) == domain]
    return same[0] if same and rng.random() < 0.8 else chosen[0]


@lru_cache(maxsize=1 << 17)
def _domain_of(seed: int, number: int) -> int:
    return random.Random(f"invention {seed} {number}").randrange(len(domains()))


@lru_cache(maxsize=4096)
def _own_features(seed: int, number: int) -> tuple[Feature, ...]:
    rng = random.Random(f"features {seed} {number}")
    parts = domains()[_domain_of(seed, number)].parts
    return tuple(_feature(rng, parts) for _ in range(_FEATURES))


def _feature(rng: random.Random, parts: tuple[Trilingual, ...]) -> Feature:
    return Feature(
        rng.choice(terms("quality")),
        rng.choice(parts),
        rng.choice(terms("relation")),
        coined_word(int(_COINED * rng.random() ** 3)),
        rng.choice(parts),
        2 * rng.randint(5, 60),
    )


def _codes(invention: Invention) -> tuple[str, ...]:
    subclass = domains()[invention.domain].subclass
    return tuple(f"{subclass} {group}/00" for group in invention.groups)


def _in(language: str, kind: str, name: str = "") -> str:
    """Return a sentence that occurs once in the table."""
    [form] = terms(kind, name)
    return str(getattr(form, language))


def _claim(invention: Invention, language: str) -> str:
    device = getattr(domains()[invention.domain].device, language)
    features = [_phrase(feature, language) for feature in invention.features]
    joined = _in(language, "collection", "divider").join(features)
    return _in(language, "collection", "claim").format(device=device, features=joined)


def _description(invention: Invention, rng: random.Random, language: str, words: int) -> str:
    """Return sentences about the features of the invention, and more about others of its domain."""
    parts = domains()[invention.domain].parts
    count = max(1, round(words * rng.uniform(0.5, 1.5) / _WORDS_PER_SENTENCE))
    sentences = []
    for _ in range(count):
        own = rng.random() < 0.4
        feature = rng.choice(invention.features) if own else _feature(rng, parts)
        purpose = getattr(rng.choice(terms("purpose")), language)
        sentence = _in(language, "collection", "sentence").format(
            purpose=purpose, feature=_phrase(feature, language)
        )
        sentences.append(sentence[0].upper() + sentence[1:])
    return (" " if language == LANGUAGES[0] else "").join(sentences)


def _phrase(feature: Feature, language: str) -> str:
    words = {
        name: getattr(word, language)
        for name, word in zip(Feature._fields, feature, strict=True)
        if isinstance(word, Trilingual)
    }
    return _in(language, "collection", "feature").format(sign=feature.sign, **words)
