"""Invented patent families: an application in Chinese or Japanese and its translation into English.

Everything that a build must cope with is there: translations that join two sentences or leave one
out, documents without a family, families that share only a part of their priorities, publications
of two kinds, two members that say the same, and a record that cannot be read.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain
from pathlib import Path

from patmark.corpus.demo_sentences import Sentence, Writer
from patmark.corpus.document import Claim, Document, Paragraph, Priority, Text
from patmark.corpus.document_jsonl import write_documents
from patmark.data import atomic_writer
from patmark.errors import UsageError

LANGUAGES = ("zh", "ja")
PIPELINE = "pipeline.toml"
_OFFICES = {"zh": "CN", "ja": "JP"}
_FIRST_DAY = date(2000, 1, 10)
_DAYS = 4000
_TEST_YEAR = 2009
_HEADINGS = {
    "field": Sentence("TECHNICAL FIELD", "技术领域", "技術分野"),
    "background": Sentence("BACKGROUND", "背景技术", "背景技術"),
    "summary": Sentence("SUMMARY OF THE INVENTION", "发明内容", "発明の概要"),
    "embodiments": Sentence(
        "DESCRIPTION OF EMBODIMENTS", "具体实施方式", "発明を実施するための形態"
    ),
}
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


@dataclass(frozen=True, slots=True)
class DemoFamilies:
    """Families that can be made again from their parameters."""

    size: int = 60
    language: str = "zh"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise UsageError(f"no demo from {self.language!r}; choose from {', '.join(LANGUAGES)}")
        if self.size < 1:
            raise UsageError("a demo needs at least one family")

    def documents(self) -> Iterator[Document]:
        """The documents, family by family."""
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
            name=PIPELINE, source=self.language, office=_OFFICES[self.language], seed=self.seed,
            year=_TEST_YEAR, held=held, sample=min(50, held * 2),
        )  # fmt: skip
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
            yield replace(english, kind="B2", number=f"{7_000_000 + number}",
                          publication_date=later)  # fmt: skip

    def _filed(self, number: int) -> date:
        return _FIRST_DAY + timedelta(days=_DAYS * number // self.size)

    def _priority(self, number: int) -> Priority:
        filed = self._filed(number)
        office, serial = _OFFICES[self.language], 10_000 + number
        if office == "CN":
            return Priority(office, f"{filed.year}1{serial:07}", filed.isoformat(),
                            key=f"CN {filed.year} 1{serial:07}")  # fmt: skip
        return Priority(office, f"{filed.year}-{serial:06}", filed.isoformat(),
                        key=f"JP {filed.year} {serial:06}")  # fmt: skip

    def _document(
        self, number: int, filed: date, codes: tuple[str, ...], own: Priority, content: _Content
    ) -> Document:
        """The first filing; it claims nothing, others claim it."""
        office = _OFFICES[self.language]
        published = filed + timedelta(days=545)
        return Document(
            office, f"{100_000_000 + number}" if office == "CN" else f"{filed.year}{number:06}",
            "A", published.isoformat(), "demo", self.language, own.number, own.date, own.key,
            ipc=codes, texts=(content.text(self.language),),
        )  # fmt: skip


def _english(
    number: int, filed: date, codes: tuple[str, ...], claimed: Sequence[Priority], content: _Content
) -> Document:
    applied = filed + timedelta(days=350)
    published = applied + timedelta(days=200 + number % 90)
    return Document(
        "US", f"{published.year}{number:07}", "A1", published.isoformat(), "demo", "en",
        f"{11_000_000 + number}", applied.isoformat(), f"US {applied.year} {11_000_000 + number}",
        priorities=tuple(claimed), ipc=codes, texts=(content.text("en"),),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Content:
    """The sentences of an invention."""

    title: Sentence
    abstract: tuple[Sentence, ...]
    claims: tuple[Sentence, ...]
    sections: dict[str, tuple[Sentence, ...]]

    @classmethod
    def written(cls, writer: Writer, rng: random.Random) -> _Content:
        sections = {
            name: tuple(writer.section(name, rng.randint(*size))) for name, size in _SIZES.items()
        }
        abstract = (*sections["summary"][:1], *writer.section("summary", 1))
        return cls(writer.title(), abstract, tuple(writer.claims(3)), sections)

    def translated(self, rng: random.Random) -> _Content:
        """The same with sentences that the translator left out or joined."""
        sections = {}
        for name, sentences in self.sections.items():
            found: list[Sentence] = []
            for sentence in sentences:
                chance = rng.random()
                if found and chance < _JOINED:
                    joined = f"{found[-1].en.removesuffix('.')}; {sentence.en}"
                    found[-1] = found[-1]._replace(en=joined)
                elif chance > _OMITTED + _JOINED or not found:
                    found.append(sentence)
            sections[name] = tuple(found)
        return replace(self, sections=sections)

    def text(self, language: str) -> Text:
        """The whole text in one language."""
        blank = " " if language == "en" else ""
        paragraphs: list[Paragraph] = []
        for name, sentences in self.sections.items():
            heading = getattr(_HEADINGS[name], language)
            paragraphs.append(Paragraph(name, "", heading, is_heading=True))
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
        return Text(language, title, abstract, tuple(claims), tuple(paragraphs))
