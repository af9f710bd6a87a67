"""Google Patents Public Data: rows of ``patents-public-data.patents.publications`` in BigQuery.

Exported as JSON Lines or CSV. Numbers are in the form of DOCDB, ``US-2006142694-A1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    UNDETERMINED,
    known_language,
    make_application,
    make_priority,
    symbols,
)
from patmark.collections.patents.formats.body import claims_in_text, plain_paragraphs
from patmark.collections.patents.formats.citations import coded_citation, distinct
from patmark.collections.patents.formats.tables import Row, cell, entries, long_text
from patmark.collections.patents.formats.xml_reading import iso_date, tidy
from patmark.collections.patents.publications import read_publication
from patmark.data import Citation, Document, PatentText, Priority
from patmark.errors import InputError
from patmark.languages import office_language

_NUMBER = re.compile(r"([A-Z]{2})-(.+?)(?:-([A-Z]\d?))?")
_PLAIN = {"title_localized": "title", "abstract_localized": "abstract",
          "claims_localized": "claims", "description_localized": "description"}  # fmt: skip


def read_google_patents(row: Row) -> Iterator[Document]:
    """Yield the publication of a row."""
    named = read_publication(cell(row, "publication_number"))
    if named is None:
        raise InputError.at(f"no publication number: {cell(row, 'publication_number')!r}")
    filed = iso_date(cell(row, "filing_date"))
    country, number, kind = _parts(cell(row, "application_number"))
    application = make_application(country, number, filed, kind=kind, style="docdb")
    texts = _texts(row, named.country)
    yield Document(
        office=named.country,
        number=named.number,
        kind=named.kind or cell(row, "kind_code"),
        publication_date=iso_date(cell(row, "publication_date")),
        source_format="google-patents",
        language=_language(texts, named.country),
        **application,
        priorities=_numbers(row, "priority_claim"),
        parents=_pct(row, filed) + _numbers(row, "parent"),
        citations=distinct(_citations(row)),
        ipc=symbols(cell(each, "code") for each in entries(row, "ipc")),
        cpc=symbols(cell(each, "code") for each in entries(row, "cpc")),
        texts=texts,
        family_id=_family(row),
    )


def _parts(number: str) -> tuple[str, str, str]:
    match = _NUMBER.fullmatch(number)
    return (match[1], match[2], match[3] or "") if match else (number[:2], number[2:], "")


def _family(row: Row) -> str:
    """Return the DOCDB family; -1 stands for none."""
    name = cell(row, "family_id")
    return "" if name.startswith("-") else name


def _numbers(row: Row, name: str) -> tuple[Priority, ...]:
    found = [
        (_parts(cell(each, "application_number")), iso_date(cell(each, "filing_date")))
        for each in entries(row, name)
        if cell(each, "application_number")
    ]
    return tuple(
        make_priority(country, number, date, kind=kind, style="docdb")
        for (country, number, kind), date in found
    )


def _pct(row: Row, filed: str) -> tuple[Priority, ...]:
    number = cell(row, "pct_number")
    return (make_priority("WO", number, filed, kind="W"),) if number else ()


def _texts(row: Row, office: str) -> tuple[PatentText, ...]:
    """Return the texts by language; columns without a language are in that of the office."""
    found: dict[str, dict[str, str]] = {}
    for name, plain in _PLAIN.items():
        for each in entries(row, name):
            language = known_language(cell(each, "language")) or UNDETERMINED
            found.setdefault(language, {}).setdefault(plain, long_text(each.get("text")))
        alone = row.get(name) if not entries(row, name) else None
        text = long_text(alone) or long_text(row.get(plain))
        if text:
            language = known_language(cell(row, "language")) or office_language(office, TRANSLATED)
            found.setdefault(language, {}).setdefault(plain, text)
    return tuple(
        PatentText(
            language,
            tidy(parts.get("title", "")),
            tidy(parts.get("abstract", "")),
            claims_in_text(parts.get("claims", "")),
            plain_paragraphs(parts.get("description", "")),
        )
        for language, parts in found.items()
    )


def _language(texts: tuple[PatentText, ...], office: str) -> str:
    """Return the language of the description or claims, else that of the office."""
    languages = [text.language for text in texts if text.description] or [
        text.language for text in texts if text.claims
    ]
    return languages[0] if languages else office_language(office, TRANSLATED)


def _citations(row: Row) -> Iterator[Citation]:
    for each in entries(row, "citation"):
        cited = read_publication(cell(each, "publication_number"))
        if cited:
            yield coded_citation(str(cited), cell(each, "category"), cell(each, "type"))
