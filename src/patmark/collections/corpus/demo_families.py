"""Invented patent families: an application in Chinese or Japanese and its translation into English.

They contain everything that a build must handle: translations that join two sentences or omit one,
documents without a family, families that share only a part of their priorities, publications of two
kinds, two members with the same text, and an unreadable record.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain
from pathlib import Path

from patmark.data import (
    Claim,
    Document,
    Paragraph,
    PatentText,
    Priority,
    atomic_writer,
    write_documents,
)
from patmark.errors import UsageError
from patmark.examples.vocabulary import Domain, Trilingual, coined_word, domains, terms

_COINED = 400
_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeiou])")


class Writer:
    """Writer of the sentences of one invention; deterministic given the random numbers."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._domain: Domain = rng.choice(domains())

    @property
    def subclass(self) -> str:
        """The IPC subclass of the invention."""
        return self._domain.subclass

    def title(self) -> Trilingual:
        """Return the title of the invention."""
        return self._filled(*terms("title"))

    def claims(self, count: int) -> list[Trilingual]:
        """Return a claim and others that depend on it."""
        forms = (*terms("claim"), *terms("dependent claim"))
        return [self._filled(forms[number > 0]) for number in range(count)]

    def section(self, name: str, count: int) -> list[Trilingual]:
        """Return sentences of a section."""
        forms = terms("sentence", name)
        return [self._filled(self._rng.choice(forms)) for _ in range(count)]

    def _filled(self, form: Trilingual) -> Trilingual:
        """Fill words and numbers into a form, the same ones in each language."""
        rng = self._rng
        part, other, third = rng.sample(self._domain.parts, 3)
        words: dict[str, Trilingual] = {
            "device": self._domain.device,
            "part": part,
            "other": other,
            "third": third,
            "quality": rng.choice(terms("quality")),
            "relation": rng.choice(terms("relation")),
            "purpose": rng.choice(terms("purpose")),
            "coined": coined_word(rng.randrange(_COINED)),
        }
        small = rng.randint(1, 80)
        numbers = {
            "figure": rng.randint(1, 9),
            "sign": rng.randrange(10, 60, 2),
            "sign2": rng.randrange(61, 99, 2),
            "small": f"{small / 10:.1f}",
            "large": f"{(small + rng.randint(1, 60)) / 10:.1f}",
            "degrees": rng.randint(20, 400),
            "minutes": rng.randint(2, 90),
            "hours": rng.randint(11, 99) * 100,
            "step": rng.randint(1, 40),
            "arrow": rng.choice("ABCDEFGH"),
        }
        texts = (
            text.format(
                **numbers, **{name: getattr(word, language) for name, word in words.items()}
            )
            for language, text in zip(Trilingual._fields, form, strict=True)
        )
        english, *others = texts
        english = _BEFORE_VOWEL.sub(r"\1n ", english)
        return Trilingual(english[0].upper() + english[1:], *others)


_ENGLISH, *LANGUAGES = Trilingual._fields
PIPELINE = "pipeline.toml"
_FIRST_DAY = date(2000, 1, 10)
_DAYS = 4000
_TEST_YEAR = 2009
_SIZES = {"field": (1, 1), "background": (4, 7), "summary": (2, 4), "embodiments": (10, 18)}
_PARAGRAPH = 4
_JOINED, _OMITTED = 0.08, 0.04
_SETTINGS = """\
# An invented collection: patmark corpus build {name} --out built
name = "demo {source}-en"
lang = "{source}-en"
inputs = ["documents"]
seed = {seed}

[pairs]
source_offices = ["{office}"]
target_offices = ["US"]
prefer = ["A", "B"]

[align]
passes = 2

[split]
# as in NTCIR: by the year in which the English document was published
side = "target"
test_from = {year}
dev = {held}
test = {held}
per_patent = 8

[sample]
size = {sample}
"""


@dataclass(frozen=True)
class DemoFamilies:
    """Families that are reproducible from their parameters."""

    size: int = 60
    language: str = LANGUAGES[0]
    seed: int = 0

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise UsageError(f"no demo from {self.language!r}; choose from {', '.join(LANGUAGES)}")
        if self.size < 1:
            raise UsageError("a demo needs at least one family")

    def documents(self) -> Iterator[Document]:
        """Return the documents, family by family."""
        return chain.from_iterable(self._family(number) for number in range(self.size))

    def write(self, folder: Path) -> Path:
        """Write the documents of each office, a broken line, and settings for a build."""
        places = folder / "documents"
        places.mkdir(parents=True, exist_ok=True)
        documents = list(self.documents())
        for office in sorted({document.office for document in documents}):
            chosen = [document for document in documents if document.office == office]
            half = (len(chosen) + 1) // 2
            for number, part in enumerate((chosen[:half], chosen[half:]), 1):
                write_documents(places / f"{office.lower()}-{number}.jsonl", part)
        with atomic_writer(places / "broken.jsonl") as file:
            file.write('{"office": "US", "number": "1999000')
        held = max(4, self.size // 2)
        settings = _SETTINGS.format(
            name=PIPELINE,
            source=self.language,
            office=self._office,
            seed=self.seed,
            year=_TEST_YEAR,
            held=held,
            sample=min(50, held * 2),
        )
        with atomic_writer(folder / PIPELINE) as file:
            file.write(settings)
        return folder / PIPELINE

    def _family(self, number: int) -> Iterator[Document]:
        rng = random.Random(f"family {self.seed} {number}")
        writer = Writer(rng)
        filed = self._filed(number)
        priority = self._priority(number)
        content = _Content.written(writer, rng)
        codes = (f"{writer.subclass} {rng.randint(1, 39)}/00",)
        native = self._document(number, filed, codes, priority, content)
        yield native
        if number % 10 == 9:  # never translated
            return
        earlier = () if number % 12 or not number else (self._priority(number - 1),)
        english = _english(number, filed, codes, (priority, *earlier), content.translated(rng))
        yield english
        if number % 7 == 0:  # granted without a change
            later = (filed + timedelta(days=1500)).isoformat()
            yield replace(
                english, kind="B2", number=f"{7_000_000 + number}", publication_date=later
            )

    @property
    def _office(self) -> str:
        [offices] = terms("office")
        return str(getattr(offices, self.language))

    def _filed(self, number: int) -> date:
        return _FIRST_DAY + timedelta(days=_DAYS * number // self.size)

    def _priority(self, number: int) -> Priority:
        filed = self._filed(number)
        office, serial = self._office, 10_000 + number
        if office == "CN":
            return Priority(
                office,
                f"{filed.year}1{serial:07}",
                filed.isoformat(),
                key=f"CN {filed.year} 1{serial:07}",
            )
        return Priority(
            office,
            f"{filed.year}-{serial:06}",
            filed.isoformat(),
            key=f"JP {filed.year} {serial:06}",
        )

    def _document(
        self, number: int, filed: date, codes: tuple[str, ...], own: Priority, content: _Content
    ) -> Document:
        """Return the first filing, which claims no priority."""
        office = self._office
        published = filed + timedelta(days=545)
        return Document(
            office,
            f"{100_000_000 + number}" if office == "CN" else f"{filed.year}{number:06}",
            "A",
            published.isoformat(),
            "demo",
            self.language,
            own.number,
            own.date,
            own.key,
            ipc=codes,
            texts=(content.text(self.language),),
        )


def _english(
    number: int, filed: date, codes: tuple[str, ...], claimed: Sequence[Priority], content: _Content
) -> Document:
    applied = filed + timedelta(days=350)
    published = applied + timedelta(days=200 + number % 90)
    return Document(
        "US",
        f"{published.year}{number:07}",
        "A1",
        published.isoformat(),
        "demo",
        _ENGLISH,
        f"{11_000_000 + number}",
        applied.isoformat(),
        f"US {applied.year} {11_000_000 + number}",
        priorities=tuple(claimed),
        ipc=codes,
        texts=(content.text(_ENGLISH),),
    )


@dataclass(frozen=True, slots=True)
class _Content:
    """The sentences of an invention."""

    title: Trilingual
    abstract: tuple[Trilingual, ...]
    claims: tuple[Trilingual, ...]
    sections: dict[str, tuple[Trilingual, ...]]

    @classmethod
    def written(cls, writer: Writer, rng: random.Random) -> _Content:
        sections = {
            name: tuple(writer.section(name, rng.randint(*size))) for name, size in _SIZES.items()
        }
        abstract = (*sections["summary"][:1], *writer.section("summary", 1))
        return cls(writer.title(), abstract, tuple(writer.claims(3)), sections)

    def translated(self, rng: random.Random) -> _Content:
        """Return the content with sentences that the translator omitted or joined."""
        sections = {}
        for name, sentences in self.sections.items():
            found: list[Trilingual] = []
            for sentence in sentences:
                chance = rng.random()
                if found and chance < _JOINED:
                    joined = f"{found[-1].en.removesuffix('.')}; {sentence.en}"
                    found[-1] = found[-1]._replace(en=joined)
                elif chance > _OMITTED + _JOINED or not found:
                    found.append(sentence)
            sections[name] = tuple(found)
        return replace(self, sections=sections)

    def text(self, language: str) -> PatentText:
        """Return the whole text in one language."""
        blank = " " if language == _ENGLISH else ""
        paragraphs: list[Paragraph] = []
        for name, sentences in self.sections.items():
            [heading] = terms("heading", name)
            paragraphs.append(Paragraph(name, "", getattr(heading, language), is_heading=True))
            for start in range(0, len(sentences), _PARAGRAPH):
                piece = [getattr(each, language) for each in sentences[start : start + _PARAGRAPH]]
                number = f"{len(paragraphs):04}"
                paragraphs.append(Paragraph(name, number, blank.join(piece)))
        claims = [
            Claim(number, getattr(claim, language), () if number == 1 else (1,))
            for number, claim in enumerate(self.claims, 1)
        ]
        abstract = blank.join(getattr(each, language) for each in self.abstract)
        title = getattr(self.title, language)
        return PatentText(language, title, abstract, tuple(claims), tuple(paragraphs))
