"""Sections of a description, from the headings of all languages (``languages/CODE/headings.tsv``).

| section | what it holds |
|---|---|
| related | cross references to other applications, government interest |
| field | technical field |
| background | prior art, problems of the prior art |
| summary | problem, solution, effects: the disclosure of the invention |
| drawings | brief description of the drawings |
| embodiments | modes of carrying out the invention, examples |
| industrial | industrial applicability |
| signs | list of reference signs |
| sequences | sequence listing |
| other | before the first heading that is known |
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from patmark.languages import Row, has_cjk, packs

SECTIONS = (
    "related",
    "field",
    "background",
    "summary",
    "drawings",
    "embodiments",
    "industrial",
    "signs",
    "sequences",
    "other",
)

_LONGEST_HEADING = 120
_LONGEST_PLAIN_HEADING = 60

_ACCENTS = re.compile("[\u0300-\u036f]")
_ELISION = re.compile(r"\b([ld])['’]", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=\w)\((s|e|n|en|es)\)", re.IGNORECASE)
_TABLE = "headings"
# A heading consists of known words only. Its section is that of the first kind of words here that
# it has: "detailed description of the drawings" opens embodiments, "brief description of the
# drawings" does not.
_KINDS = {
    "signs": "signs", "sequences": "sequences", "industrial": "industrial", "related": "related",
    "background": "background", "detailed": "embodiments", "drawings": "drawings",
    "summary": "summary", "embodiments": "embodiments", "field": "field", "disclosure": "summary",
    "invention": "embodiments",
}  # fmt: skip


def folded(text: str) -> str:
    """Return a text or pattern without accents, and with articles before a vowel written out."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return _ELISION.sub(r"\1e ", unicodedata.normalize("NFC", bare))


def bounded(rows: Iterable[Row]) -> re.Pattern[str]:
    """Return a pattern of the words of rows: whole ones, or any part of CJK text, longest first."""
    forms = [folded(form) for row in rows for form in row.forms]
    joined = sorted(filter(has_cjk, forms), key=len, reverse=True)
    spaced = "|".join(form for form in forms if not has_cjk(form)) or "(?!)"
    return re.compile("|".join((rf"\b(?:{spaced})(?!\w)", *joined)), re.IGNORECASE)


@cache
def heading_rows(group: str) -> tuple[Row, ...]:
    """Return the rows of a group in the tables of headings of all languages."""
    return tuple(row for pack in packs() for row in pack.table(_TABLE).rows if row.group == group)


@cache
def _keys() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = heading_rows("section")
    return tuple(
        (section, bounded(row for row in rows if row.id == kind))
        for kind, section in _KINDS.items()
    )


@cache
def _all_known() -> re.Pattern[str]:
    kinds = (*(words for _, words in _keys()), bounded(heading_rows("filler")))
    known = "|".join(words.pattern for words in kinds)
    return re.compile(rf"(?:(?>{known})[\s,、\u30fb/&()-]*+)++", re.IGNORECASE)


@cache
def _whole() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return patterns of whole headings, which may have unknown words."""
    return tuple((row.id, re.compile(_any_of(row), re.IGNORECASE)) for row in heading_rows("whole"))


@cache
def _example() -> re.Pattern[str]:
    """Return the headings of single examples, which may occur without a common heading."""
    number = rf"\d+(?:[-.]\d+)*[a-z]?|[ivx]{{1,4}}|[a-h]|{_any_of(*heading_rows('number'))}"
    title = r"(?:\s*[:：.、—–-].*)?"
    forms = _any_of(*heading_rows("example"))
    return re.compile(rf"(?:{forms})(?:\s*(?:no\.? ?)?(?:{number}){title})?", re.IGNORECASE)


@cache
def _marks() -> re.Pattern[str]:
    """Return the brackets and numbers around a heading."""
    number = r"\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])[.)、]\s*"
    return re.compile(
        rf"^[\s【\[<〈《(]*(?:{number}|(?:{_any_of(*heading_rows('number'))})、)?"
        r"|[\s】\]>〉》):.：。-]*$",
        re.IGNORECASE,
    )


def _any_of(*rows: Row) -> str:
    return folded("|".join(form for row in rows for form in row.forms))


# element and processing-instruction names, lower case without hyphens
_ELEMENTS = {
    "related": "relapp crossreferencetorelatedapplications federalresearchstatement govint",
    "field": "technicalfield",
    "background": "backgroundart backgroundofinvention citationlist patentliterature "
    "nonpatentliterature priorart",
    "summary": "brfsum summaryofinvention disclosure techproblem techsolution advantageouseffects "
    "inventionsummary technicalproblem technicalsolution contentofinvention bsum "
    "briefsummary",
    "drawings": "drwdesc drawingdescription descriptionofdrawings drawingsdescription "
    "briefdescriptionofdrawings drwd",
    "embodiments": "detdesc detaileddescription descriptionofembodiments bestmode modeforinvention "
    "embodimentsexample embodimentdescription inventionmode embodiments detd",
    "industrial": "industrialapplicability",
    "signs": "referencesignslist epreferencelist",
    "sequences": "sequencelisttext sequencelist",
}
_BY_ELEMENT = {name: section for section, names in _ELEMENTS.items() for name in names.split()}


def classify_heading(text: str) -> str | None:
    """Return the section that a heading opens; None for headings inside a section.

    >>> classify_heading("BACKGROUND OF THE INVENTION"), classify_heading("【発明の効果】")
    ('background', 'summary')
    """
    if len(text) > _LONGEST_HEADING:
        return None
    plain = _plain(text)
    if _all_known().fullmatch(plain):
        return next((section for section, words in _keys() if words.search(plain)), None)
    return next((section for section, pattern in _whole() if pattern.fullmatch(plain)), None)


def _plain(text: str) -> str:
    """Return a heading without brackets, numbers and accents, "(s)" as plural."""
    written = folded(unicodedata.normalize("NFKC", text).strip())
    return _PLURAL.sub(r"\1", _marks().sub("", written))


def section_from(heading: str) -> str | None:
    """Return the section of the text below a heading; None if it continues the previous one.

    A single example belongs to the embodiments even if no heading opens them.

    >>> section_from("Example 3: Coating"), classify_heading("Example 3: Coating")
    ('embodiments', None)
    """
    section = classify_heading(heading)
    if (
        section is None
        and len(heading) <= _LONGEST_HEADING
        and _example().fullmatch(_plain(heading))
    ):
        return "embodiments"
    return section


def plain_heading(text: str) -> str | None:
    """Return the section of a paragraph that may be a heading without markup."""
    if len(text) > _LONGEST_PLAIN_HEADING or text.endswith((",", ";", "，", "；")):
        return None
    ends_sentence = text.endswith((".", "。")) and not text.isupper()
    return None if ends_sentence else section_from(text)


def element_section(name: str) -> str | None:
    """Return the section of an element or processing instruction name."""
    return _BY_ELEMENT.get(name.lower().replace("-", ""))
