"""Sections of two documents of one family, side by side, as sentences ready to be aligned.

| section | paired |
|---|---|
| title, abstract | with each other |
| claims | one by one, by number, when both sides have the same numbers; else all together |
| background, summary … | with the section of the same name |
| sections of one side only, or of very different size | pooled in order into ``description`` |

Each sentence of both documents is in exactly one pair. A pair with sentences on one side only says
in ``problem`` why it is one. What is no sentence (placeholders, paragraph numbers, headings of
sections) is left out, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from patmark.data import Claim, Document, Paragraph, Text, without_placeholders
from patmark.patents import SECTIONS, classify_heading
from patmark.text import CJK, is_paragraph_number, split_clauses, split_sentences

POOLED = "description"
_LARGEST_DISPROPORTION = 4.0
_SMALL = 400
_WRAP_IN_CJK = re.compile(rf"(?<=[{CJK}、。，；：])\s+(?=[{CJK}「（])")


@dataclass(frozen=True, slots=True)
class SectionSide:
    """The sentences of a section in one document, and how many pieces were left out."""

    sentences: tuple[str, ...] = ()
    only_placeholders: int = 0
    paragraph_numbers: int = 0
    section_headings: int = 0

    def __add__(self, other: SectionSide) -> SectionSide:
        return SectionSide(
            self.sentences + other.sentences,
            self.only_placeholders + other.only_placeholders,
            self.paragraph_numbers + other.paragraph_numbers,
            self.section_headings + other.section_headings,
        )

    @property
    def characters(self) -> int:
        """The length of all sentences together."""
        return sum(map(len, self.sentences))


@dataclass(frozen=True, slots=True)
class SectionPair:
    """A section in both documents; ``number`` is that of a claim (0: no single claim)."""

    section: str
    source: SectionSide
    target: SectionSide
    number: int = 0
    problem: str = ""

    @property
    def has_content(self) -> bool:
        """Whether a document has anything here, even if it is no sentence."""
        return SectionSide() != self.source or SectionSide() != self.target

    @property
    def is_paired(self) -> bool:
        """Whether both sides have sentences."""
        return bool(self.source.sentences and self.target.sentences)


def paired_sections(
    source: Document,
    target: Document,
    source_language: str,
    target_language: str,
    *,
    clauses: bool = False,
) -> tuple[SectionPair, ...]:
    """All sections of two documents, paired; one document may be both sides.

    A claim is one sentence; with ``clauses`` it is as many as it has limitations.
    """
    ours, theirs = source.text(source_language), target.text(target_language)
    pairs = [
        SectionPair("title", _title(ours), _title(theirs)),
        SectionPair("abstract", _abstract(ours), _abstract(theirs)),
        *_claim_pairs(ours, theirs, clauses),
        *_description_pairs(ours, theirs),
    ]
    return tuple(_explained(pair) for pair in pairs if pair.has_content)


def _explained(pair: SectionPair) -> SectionPair:
    if pair.is_paired or pair.problem:
        return pair
    sides = (("source", pair.source), ("target", pair.target))
    missing = " and ".join(name for name, side in sides if not side.sentences)
    return replace(pair, problem=f"no {pair.section} in the {missing}")


def _title(text: Text) -> SectionSide:
    return _side([text.title])


def _abstract(text: Text) -> SectionSide:
    return _side(split_sentences(text.abstract, text.language))


def _side(pieces: Iterable[str], section_headings: int = 0) -> SectionSide:
    sentences: list[str] = []
    placeholders = numbers = 0
    for piece in pieces:
        plain = _one_line(without_placeholders(piece))
        if is_paragraph_number(plain):
            numbers += 1
        elif any(character.isalnum() for character in plain):
            sentences.append(plain)
        elif piece.strip():
            placeholders += 1
    return SectionSide(tuple(sentences), placeholders, numbers, section_headings)


def _one_line(text: str) -> str:
    """A sentence without line breaks; between Chinese characters a break is no blank."""
    return " ".join(_WRAP_IN_CJK.sub(lambda m: "" if "\n" in m.group() else " ", text).split())


def _claim_pairs(source: Text, target: Text, clauses: bool) -> Iterator[SectionPair]:
    def side(claims: Sequence[Claim], language: str) -> SectionSide:
        parts = [split_clauses(each.text, language) if clauses else [each.text] for each in claims]
        return _side(piece for pieces in parts for piece in pieces)

    theirs = {claim.num: claim for claim in target.claims}
    numbers = [claim.num for claim in source.claims]
    if len(theirs) == len(target.claims) and sorted(numbers) == sorted(theirs):
        for claim in source.claims:
            yield SectionPair(
                "claims",
                side([claim], source.language),
                side([theirs[claim.num]], target.language),
                claim.num,
            )
    else:
        both = side(source.claims, source.language), side(target.claims, target.language)
        yield SectionPair("claims", *both)


def _description_pairs(source: Text, target: Text) -> Iterator[SectionPair]:
    """Sections by name; what has no counterpart of a fitting size goes into one pool."""
    ours = _sections(source.description, source.language)
    theirs = _sections(target.description, target.language)
    ratio = _ratio(ours.values(), theirs.values())
    named = [
        section
        for section in SECTIONS
        if section in ours and section in theirs
        if _fits(ours[section].characters * ratio, theirs[section].characters)
    ]
    for section in named:
        yield SectionPair(section, ours[section], theirs[section])
    pools = (_pool(ours, named), _pool(theirs, named))
    yield SectionPair(POOLED, *pools)


def _sections(description: Iterable[Paragraph], language: str) -> dict[str, SectionSide]:
    """The sides of a description by section, in the order of the document."""
    found: dict[str, SectionSide] = {}
    for paragraph in description:
        before = found.get(paragraph.section, SectionSide())
        found[paragraph.section] = before + _paragraph(paragraph, language)
    return found


def _paragraph(paragraph: Paragraph, language: str) -> SectionSide:
    if not paragraph.is_heading:
        return _side(split_sentences(paragraph.text, language))
    if classify_heading(paragraph.text) is not None:
        return _side([], section_headings=1)
    return _side([paragraph.text])


def _ratio(ours: Iterable[SectionSide], theirs: Iterable[SectionSide]) -> float:
    first, second = (sum(side.characters for side in sides) for sides in (ours, theirs))
    return second / first if first else 1.0


def _fits(expected: float, found: float) -> bool:
    """Whether two sections can hold the same text, given the ratio of the whole descriptions."""
    low, high = sorted((expected, float(found)))
    return high <= max(_SMALL, _LARGEST_DISPROPORTION * low)


def _pool(sections: dict[str, SectionSide], named: Sequence[str]) -> SectionSide:
    left = (side for section, side in sections.items() if section not in named)
    return sum(left, start=SectionSide())
