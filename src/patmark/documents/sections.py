"""Sections of a patent in a whole document: claims, abstract, description, drawings."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from patmark.collections.patents import classify_heading
from patmark.documents.model import Span, TextBlock
from patmark.languages import has_claim_style, joint_pattern, packs
from patmark.wording import tr

CLAIMS, ABSTRACT, DESCRIPTION, DRAWINGS = "claims", "abstract", "description", "drawings"
SECTION_NAMES: Mapping[str, str] = MappingProxyType(
    {
        CLAIMS: tr("claims"),
        ABSTRACT: tr("abstract"),
        DESCRIPTION: tr("description"),
        DRAWINGS: tr("description of the drawings"),
    }
)
_AROUND = re.compile(r"^[\s#【\[<〈《(*]+|[\s】\]>〉》)*:.：。-]+$")
_BLANKS_IN_HAN = re.compile(r"(?<=[^\x00-\x7f])\s+(?=[^\x00-\x7f])")
_LONGEST_HEADING = 80


@cache
def _parts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of the headings of parts in all languages."""
    forms: defaultdict[str, list[str]] = defaultdict(list)
    for pack in packs():
        for part, written in pack.table("headings").forms("part").items():
            forms[part] += written
    return tuple((part, re.compile("|".join(each), re.IGNORECASE)) for part, each in forms.items())


@cache
def _label() -> re.Pattern[str]:
    """Return the pattern of the label that an office form puts before a heading."""
    return re.compile(rf"\A(?:{joint_pattern('documents', 'part-label')})")


@cache
def _first_claim() -> re.Pattern[str]:
    begin = joint_pattern("documents", "claim-start")
    return re.compile(rf"\s*(?:{begin})?[1１]\s?[.．、):：】 ]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A part of a document; ``heading`` is empty, at the start, without a heading."""

    name: str
    start: int
    end: int
    heading: Span


def section_of_heading(text: str) -> str | None:
    """Return the section that a heading opens; None for any other text.

    >>> section_of_heading("What is claimed is:"), section_of_heading("【背景技術】")
    ('claims', 'description')
    """
    if len(text) > _LONGEST_HEADING:
        return None
    plain = _AROUND.sub("", unicodedata.normalize("NFKC", text))
    plain = _BLANKS_IN_HAN.sub("", _label().sub("", plain, count=1))
    named = next((name for name, form in _parts() if form.fullmatch(plain)), None)
    if named is not None:
        return named
    found = classify_heading(plain)
    if found is None:
        return None
    return DRAWINGS if found == "drawings" else DESCRIPTION


def _stated(block: TextBlock) -> str | None:
    """Return the section of a block that the file itself states."""
    if block.section in ("", "title", "other"):
        return None
    return block.section if block.section in SECTION_NAMES else DESCRIPTION


def find_sections(text: str, blocks: Sequence[TextBlock]) -> tuple[DocumentSection, ...]:
    """Return the sections of a document in order; neighbours of one name are joined.

    A text without headings that begins with claim 1 and has the style of claims is all claims.
    """
    opened: list[tuple[str, Span]] = []
    for block in blocks:
        headed = section_of_heading(text[block.start : block.end])
        name = _stated(block) or headed
        if name is not None and (not opened or opened[-1][0] != name):
            opened.append((name, (block.start, block.end if headed else block.start)))
    if not opened and _first_claim().match(text) and has_claim_style(text):
        return (DocumentSection(CLAIMS, 0, len(text), (0, 0)),)
    ends = [*(place[0] for _, place in opened[1:]), len(text)]
    return tuple(
        DocumentSection(name, place[0], end, place)
        for (name, place), end in zip(opened, ends, strict=False)
    )


def section_at(sections: Iterable[DocumentSection], place: int) -> str | None:
    """Return the name of the section at a place."""
    return next((one.name for one in sections if one.start <= place < one.end), None)
