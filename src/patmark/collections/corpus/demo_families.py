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
from typing import NamedTuple

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
from patmark.examples.vocabulary import (
    DOMAINS,
    PURPOSES,
    QUALITIES,
    RELATIONS,
    Domain,
    TrilingualTerm,
    coined_word,
)

_COINED = 400
_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeiou])")


class Sentence(NamedTuple):
    """Sentence in three languages."""

    en: str
    zh: str
    ja: str


_FIELD = Sentence(
    "The present invention relates to a {device}, and more particularly to a {device} that has a "
    "{quality} {part}.",
    "本发明涉及一种{device}，特别涉及具有{quality}{part}的{device}。",
    "本発明は、{device}に関し、特に{quality}{part}を備えた{device}に関する。",
)
_BACKGROUND = (
    Sentence(
        "In a conventional {device}, the {part} {relation} the {other}.",
        "在现有的{device}中，{part}{relation}{other}。",
        "従来の{device}では、{part}が{other}を{relation}。",
    ),
    Sentence(
        "However, the {part} wears out after {hours} hours of use.",
        "然而，{part}在使用{hours}小时后会磨损。",
        "しかしながら、{part}は{hours}時間の使用後に摩耗する。",
    ),
    Sentence(
        "A {quality} {part} and a {coined} {other} are also known.",
        "{quality}{part}和{coined}{other}也是已知的。",
        "{quality}{part}及び{coined}{other}も知られている。",
    ),
    Sentence(
        "In particular, the gap between the {part} and the {other} grows to {large} mm.",
        "特别地，{part}与{other}之间的间隙会增大到{large}mm。",
        "特に、{part}と{other}との隙間が{large}mmまで広がる。",
    ),
)
_EMBODIMENTS = (
    Sentence(
        "As shown in FIG. {figure}, the {quality} {part} {sign} {relation} the {coined} {other} "
        "{sign2}.",
        "如图{figure}所示，{quality}{part}{sign}{relation}{coined}{other}{sign2}。",
        "図{figure}に示すように、{quality}{part}{sign}は{coined}{other}{sign2}を{relation}。",
    ),
    Sentence(
        "The thickness of the {coined} {part} {sign} is {small} mm to {large} mm.",
        "{coined}{part}{sign}的厚度为{small}mm至{large}mm。",
        "{coined}{part}{sign}の厚さは{small}mm～{large}mmである。",
    ),
    Sentence(
        "The temperature of the {part} is kept at {degrees} °C, and its humidity at {minutes}%.",
        "将{part}的温度保持在{degrees}℃，湿度保持在{minutes}%。",
        "{part}の温度は{degrees}℃に、湿度は{minutes}%に保たれる。",
    ),
    Sentence(
        "When the {part} {sign} {relation} the {other} {sign2}, the {third} moves in the direction "
        "of arrow {arrow}.",
        "当{part}{sign}{relation}{other}{sign2}时，{third}沿箭头{arrow}的方向移动。",
        "{part}{sign}が{other}{sign2}を{relation}と、{third}は矢印{arrow}の方向に移動する。",
    ),
    Sentence(
        "The {coined} {part} is made of a {quality} material {purpose}.",
        "{coined}{part}由{quality}材料制成，{purpose}。",
        "{purpose}、{coined}{part}は{quality}材料で作られる。",
    ),
    Sentence(
        "In step S{step}, the {part} is connected to the {other} {sign} through the {coined} "
        "{third}.",
        "在步骤S{step}中，{part}通过{coined}{third}与{other}{sign}连接。",
        "ステップS{step}において、{part}は{coined}{third}を介して{other}{sign}に接続される。",
    ),
    Sentence(
        "Instead of the {part} {sign}, a {quality} {other} may be used.",
        "也可以使用{quality}{other}代替{part}{sign}。",
        "{part}{sign}の代わりに、{quality}{other}を用いてもよい。",
    ),
    Sentence(
        "A sensor measures the pressure of the {part} every {minutes} seconds, and the {coined} "
        "{other} is stopped above {degrees} kPa.",
        "传感器每{minutes}秒测量一次{part}的压力，超过{degrees}kPa时停止{coined}{other}。",
        "センサは{minutes}秒ごとに{part}の圧力を測定し、{degrees}kPaを超えると{coined}{other}を停止する。",
    ),
)
_SUMMARY = (
    Sentence(
        "An object of the invention is to provide a {device} with a {coined} {part}.",
        "本发明的目的在于提供一种具有{coined}{part}的{device}。",
        "本発明の目的は、{coined}{part}を備えた{device}を提供することである。",
    ),
    Sentence(
        "According to the invention, the {quality} {part} {relation} the {other}.",
        "根据本发明，{quality}{part}{relation}{other}。",
        "本発明によれば、{quality}{part}が{other}を{relation}。",
    ),
)
_CLAIM = Sentence(
    "A {device} comprising a {quality} {part} and a {coined} {other}, wherein the {quality} {part} "
    "{relation} the {coined} {other}.",
    "一种{device}，包括{quality}{part}和{coined}{other}，其特征在于，所述{quality}{part}{relation}"
    "所述{coined}{other}。",
    "{quality}{part}と、{coined}{other}とを備え、前記{quality}{part}が前記{coined}{other}を"
    "{relation}ことを特徴とする{device}。",
)
_DEPENDENT = Sentence(
    "The {device} according to claim 1, wherein the {third} has a thickness of {small} mm to "
    "{large} mm.",
    "根据权利要求1所述的{device}，其特征在于，所述{third}的厚度为{small}mm至{large}mm。",
    "前記{third}の厚さが{small}mm～{large}mmである、請求項１に記載の{device}。",
)
_TITLE = Sentence(
    "{device} with {coined} {part}",
    "具有{coined}{part}的{device}",
    "{coined}{part}を備えた{device}",
)


class Writer:
    """Writer of the sentences of one invention; deterministic given the random numbers."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._domain: Domain = rng.choice(DOMAINS)

    @property
    def subclass(self) -> str:
        """The IPC subclass of the invention."""
        return self._domain.subclass

    def title(self) -> Sentence:
        """Return the title of the invention."""
        return self._filled(_TITLE)

    def claims(self, count: int) -> list[Sentence]:
        """Return a claim and others that depend on it."""
        return [self._filled(_DEPENDENT if number else _CLAIM) for number in range(count)]

    def section(self, name: str, count: int) -> list[Sentence]:
        """Return sentences of a section."""
        forms = {
            "field": (_FIELD,),
            "background": _BACKGROUND,
            "summary": _SUMMARY,
            "embodiments": _EMBODIMENTS,
        }[name]
        return [self._filled(self._rng.choice(forms)) for _ in range(count)]

    def _filled(self, form: Sentence) -> Sentence:
        """Fill words and numbers into a form, the same ones in each language."""
        rng = self._rng
        part, other, third = rng.sample(self._domain.parts, 3)
        words: dict[str, TrilingualTerm] = {
            "device": self._domain.device,
            "part": part,
            "other": other,
            "third": third,
            "quality": rng.choice(QUALITIES),
            "relation": rng.choice(RELATIONS),
            "purpose": rng.choice(PURPOSES),
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
            for language, text in zip(Sentence._fields, form, strict=True)
        )
        english, *others = texts
        english = _BEFORE_VOWEL.sub(r"\1n ", english)
        return Sentence(english[0].upper() + english[1:], *others)


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


@dataclass(frozen=True)
class DemoFamilies:
    """Families that are reproducible from their parameters."""

    size: int = 60
    language: str = "zh"
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
            office=_OFFICES[self.language],
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

    def _filed(self, number: int) -> date:
        return _FIRST_DAY + timedelta(days=_DAYS * number // self.size)

    def _priority(self, number: int) -> Priority:
        filed = self._filed(number)
        office, serial = _OFFICES[self.language], 10_000 + number
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
        office = _OFFICES[self.language]
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
        "en",
        f"{11_000_000 + number}",
        applied.isoformat(),
        f"US {applied.year} {11_000_000 + number}",
        priorities=tuple(claimed),
        ipc=codes,
        texts=(content.text("en"),),
    )


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
        """Return the content with sentences that the translator omitted or joined."""
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

    def text(self, language: str) -> PatentText:
        """Return the whole text in one language."""
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
        return PatentText(language, title, abstract, tuple(claims), tuple(paragraphs))
