"""Bibliographic data that several formats share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.collections.patents.numbers import NumberKey, Style, number_key
from patmark.collections.patents.publications import publication
from patmark.data import Document, Priority
from patmark.errors import InputError, UsageError
from patmark.languages import language_code

_SYMBOL = re.compile(r"([A-HY])\s?(\d{2})\s?([A-Z])\s*0*(\d{1,4})\s*/\s*(\d{2,6})")
# fixed-width fields: four characters, three for the main group, the rest for the subgroup
_FIXED = re.compile(r"([A-H]\d{2}[A-Z])((?=.{0,2}\d)[ \d]{3})(\d{2,4})\s*")
_NARROWED = re.compile(r"([A-H]\d{2}[A-Z])\s*(\d{1,4})(\d{2})\s*")  # blanks of the fields lost
_IPC = re.compile(r"[A-H]\d{2}[A-Z]")
_NO_LANGUAGE = frozenset(("XX", "ZZ", "UND"))
TRANSLATED = "en"  # language into which offices and databases translate titles and abstracts
UNDETERMINED = "und"  # code of texts in an unknown language
_MARKS = ("data-format", "format")
_STYLES: dict[str, Style] = {"docdb": "docdb", "epo": "docdb", "epodoc": "epodoc"}
_TRIED: tuple[Style, ...] = ("docdb", "epodoc", "national")
_PARTS = ("section", "class", "subclass", "main-group", "subgroup")


@dataclass(frozen=True, slots=True)
class DocumentId:
    """Content of a ``document-id`` element, and the style of its number."""

    country: str = ""
    number: str = ""
    kind: str = ""
    date: str = ""
    style: Style = "national"


def document_id(element: Element | None) -> DocumentId:
    """Return country, number, kind and ISO date of a ``document-id`` element."""
    return DocumentId(
        child_text(element, "country"),
        child_text(element, "doc-number"),
        child_text(element, "kind"),
        iso_date(child_text(element, "date")),
    )


def number_forms(references: Iterable[Element], unmarked: Style) -> list[DocumentId]:
    """Return the forms in which references give one number, that of DOCDB first.

    The form is marked on the reference or on each ``document-id``, or is the ``unmarked`` one.
    Country and date of any form apply to all.
    """
    found: list[DocumentId] = []
    for reference in references:
        for node in [*reference.iterfind("document-id")] or [reference]:
            marks = (
                node.get("document-id-type"),
                *map(node.get, _MARKS),
                *map(reference.get, _MARKS),
            )
            form = next(filter(None, marks), unmarked)
            found.append(replace(document_id(node), style=_STYLES.get(form, "national")))
    numbered = [each for style in _TRIED for each in found if each.style == style and each.number]
    date = next((each.date for each in found if each.date), "")
    epodoc = (each.number[:2] for each in numbered if each.style == "epodoc")
    country = next((each.country for each in found if each.country), next(epodoc, ""))
    return [
        replace(each, date=each.date or date, country=each.country or country) for each in numbered
    ]


def best_priority(forms: Sequence[DocumentId], *, inherits_date: bool = False) -> Priority:
    """Return the first form of a number that is valid as a priority, else the first."""
    found = [
        make_priority(
            each.country,
            each.number,
            each.date,
            kind=each.kind,
            style=each.style,
            inherits_date=inherits_date,
        )
        for each in forms
    ]
    return next((each for each in found if each.key), found[0])


def best_application(references: Iterable[Element], unmarked: Style) -> Application:
    """Return the application of a document, whose number may be given in several forms."""
    forms = number_forms(references, unmarked)
    return _application(best_priority(forms, inherits_date=True) if forms else Priority("", ""))


def number_groups(claims: Iterable[Element]) -> list[list[Element]]:
    """Return the elements of each number: forms of one number have the same ``sequence``."""
    grouped: dict[str, list[Element]] = {}
    for claim in claims:
        grouped.setdefault(claim.get("sequence") or f"#{len(grouped)}", []).append(claim)
    return list(grouped.values())


def make_priority(
    country: str,
    number: str,
    date: str,
    *,
    kind: str = "",
    style: Style = "national",
    inherits_date: bool = False,
) -> Priority:
    """Return a priority with its key, or with the reason for a missing key."""
    found = number_key(country, number, date, kind=kind, style=style, inherits_date=inherits_date)
    known = isinstance(found, NumberKey)
    code = found.country if isinstance(found, NumberKey) else country[:2].upper()
    return Priority(
        code,
        number,
        date,
        kind,
        str(found) if known else "",
        "" if isinstance(found, NumberKey) else found.reason,
    )


class Application(TypedDict):
    """The application fields of a document, or the reason why they are unknown."""

    application_number: str
    application_date: str
    application_key: str
    application_problem: str


def _application(found: Priority) -> Application:
    return Application(
        application_number=found.number,
        application_date=found.date,
        application_key=found.key,
        application_problem=found.problem if found.number else "no application number",
    )


def make_application(
    country: str, number: str, date: str, *, kind: str = "", style: Style = "national"
) -> Application:
    """Return the application number and date of a document, or the date of its parent."""
    return _application(
        make_priority(country, number, date, kind=kind, style=style, inherits_date=True)
    )


def known_language(text: str) -> str:
    """Return the code of a language (eng, EN, zh-CN), or an unknown one in lower case.

    >>> known_language("ENG"), known_language("und"), known_language("XX")
    ('en', 'und', 'und')
    """
    if text.strip().upper() in _NO_LANGUAGE:
        return UNDETERMINED
    try:
        return language_code(text) if text.strip() else ""
    except UsageError:
        return text.strip().lower()


ST36 = ("country", "doc-number", "date")


def priorities_at(
    nodes: Iterable[Element],
    parts: tuple[str, str, str],
    *,
    office: str = "",
    kind: str = "",
    inherits_date: bool = False,
) -> tuple[Priority, ...]:
    """Return the applications of elements; ``parts`` are their country, number and date."""
    found = (tuple(child_text(node, part) for part in parts) for node in nodes)
    return tuple(
        make_priority(
            country or office, number, iso_date(date), kind=kind, inherits_date=inherits_date
        )
        for country, number, date in found
        if number or date
    )


def pct_parents(head: Element | None) -> tuple[Priority, ...]:
    """Return the PCT application of a document, by any office's element."""
    for node in [] if head is None else head.iter():
        name = str(node.tag).lower().replace("-", "")
        if "filing" in name and ("pct" in name or "international" in name):
            number = _first_text(node, "doc-number", "DocNumber", "ApplicationNumberText")
            if number:
                date = _first_text(node, "date", "Date", "FilingDate", "InternationalFilingDate")
                return (make_priority("WO", number, iso_date(date), kind="W"),)
    return ()


def divided_from(head: Element | None) -> tuple[Priority, ...]:
    """Return the applications that this one divides or continues: ``parent-doc`` of ST.36."""
    nodes = [] if head is None else head.iterfind(".//parent-doc//document-id")
    numbered = (node for node in nodes if child_text(node, ST36[1]))
    return priorities_at(numbered, ST36, inherits_date=True)


def _first_text(node: Element, *names: str) -> str:
    return next((text for each in node.iter(*names) if (text := text_of(each))), "")


def symbol(text: str) -> str:
    """Return a normalised classification symbol, such as G06F 17/30, or other text unchanged.

    >>> symbol("G06F017/30"), symbol("G06F  728"), symbol("A61M  31/    00       A I")
    ('G06F 17/30', 'G06F 7/28', 'A61M 31/00')
    >>> symbol("E03C 104"), symbol("H01L 218234")
    ('E03C 1/04', 'H01L 21/8234')
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    match = _SYMBOL.search(plain)
    if match:
        return f"{match[1]}{match[2]}{match[3]} {match[4]}/{match[5]}"
    old = _FIXED.fullmatch(plain) or _NARROWED.fullmatch(plain)
    if old:
        return f"{old[1]} {int(old[2].replace(' ', ''))}/{old[3]}"
    return plain


def symbols(texts: Iterable[str]) -> tuple[str, ...]:
    """Return distinct symbols in order, without empty ones."""
    return tuple(dict.fromkeys(found for found in map(symbol, texts) if found))


def us_ipc(texts: Iterable[str]) -> tuple[str, ...]:
    """Return IPC symbols of older US grants, without the Locarno classes of designs."""
    return symbols(text for text in texts if _IPC.match(text.strip()))


def classification(element: Element) -> str:
    """Return a symbol that is written as text or in parts (section, class, subclass, groups)."""
    written = child_text(element, "text") or child_text(element, "classification-symbol")
    if written:
        return written
    section, main, sub, group, subgroup = (child_text(element, part) for part in _PARTS)
    return f"{section}{main}{sub} {group}/{subgroup}" if section and group else text_of(element)


def st36_ipc(parent: Element) -> tuple[str, ...]:
    """Return IPC symbols of ``classification-ipc`` (to edition 7) and ``classification-ipcr``."""
    names = ("main-classification", "further-classification", "main-clsf", "further-clsf", "text")
    old = [
        text_of(child)
        for element in parent.iterfind(".//classification-ipc")
        for child in [*element.iter(*names)] or [element]
    ]
    new = [classification(element) for element in parent.iterfind(".//classification-ipcr")]
    return symbols([*new, *old])


def without_cited(head: Element) -> Element:
    """Return bibliographic data without cited documents and the search, which have classes too."""
    for name in ("references-cited", "us-references-cited", "us-field-of-classification-search"):
        for node in head.findall(name):
            head.remove(node)
    return head


def count_note(stated: int | None, read: int) -> tuple[str, ...]:
    """Return a note if the record states another number of claims than was read."""
    if stated is None or stated == read:
        return ()
    return (f"the record states {stated} claims; {read} were read",)


def whole_number(text: str) -> int | None:
    """Return a count written in digits, or None."""
    return int(text) if re.fullmatch(r"\s*\d{1,6}\s*", text) else None


def require_number(document: Document) -> Document:
    """Return the document with its normalised number; raise InputError without a number."""
    if not document.number:
        raise InputError.at(f"a {document.source_format} record without a document number")
    named = publication(document.office, document.number, document.kind)
    return replace(document, number=named.number)
