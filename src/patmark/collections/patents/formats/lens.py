"""The Lens: tables exported from its search page (CSV), and objects of its patent API (JSON)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    UNDETERMINED,
    known_language,
    make_application,
    make_priority,
    symbols,
)
from patmark.collections.patents.formats.body import given_claims, plain_paragraphs
from patmark.collections.patents.formats.citations import coded_citation, distinct
from patmark.collections.patents.formats.tables import Row, cell, entries, listed, long_text
from patmark.collections.patents.formats.xml_reading import iso_date, tidy
from patmark.collections.patents.publications import publication, read_publication
from patmark.data import Citation, Document, PatentText, Priority
from patmark.languages import in_latin_letters, office_language


def read_lens_table(row: Row) -> Iterator[Document]:
    """Yield the publication of a row of an export; its texts are a title and an abstract."""
    office = cell(row, "Jurisdiction")
    named = read_publication(cell(row, "Display Key", "Publication Number"))
    filed = iso_date(cell(row, "Application Date"))
    application = make_application(office, cell(row, "Application Number"), filed, style="docdb")
    language = known_language(cell(row, "Document Language")) or office_language(office, TRANSLATED)
    text = PatentText(language, cell(row, "Title"), cell(row, "Abstract"))
    if text.title.isascii() and not in_latin_letters(language):  # the export translates some parts
        text = PatentText(TRANSLATED, text.title, text.abstract)
    yield Document(
        office=office or (named.country if named else ""),
        number=named.number if named else "",
        kind=cell(row, "Kind") or (named.kind if named else ""),
        publication_date=iso_date(cell(row, "Publication Date")),
        source_format="lens",
        language=language,
        **application,
        priorities=_written_priorities(row),
        citations=distinct(
            Citation(str(cited))
            for each in listed(row, "Cited Patents", ";;")
            if (cited := read_publication(each))
        ),
        ipc=symbols(listed(row, "IPCR Classifications", ";;")),
        cpc=symbols(listed(row, "CPC Classifications", ";;")),
        texts=(text,) if text.title or text.abstract else (),
    )


def _written_priorities(row: Row) -> tuple[Priority, ...]:
    """Read ``US 201662345678 P;;EP 17012345 A``, of which only the earliest date is given.

    With several, the date of each is the only year up to the filing that fits its number.
    """
    texts = listed(row, "Priority Numbers", ";;")
    first = iso_date(cell(row, "Earliest Priority Date"))
    last = iso_date(cell(row, "Application Date", "Publication Date")) or first
    years = range(int(first[:4]), int(last[:4]) + 1) if first else ()
    dates = [first] if len(texts) == 1 else [str(year) for year in years]
    return tuple(_written_priority(text, dates) for text in texts)


def _written_priority(text: str, dates: Sequence[str]) -> Priority:
    country, _, rest = text.partition(" ")
    number, _, kind = rest.rpartition(" ")
    made = [
        make_priority(country, number or rest, date, kind=kind if number else "", style="docdb")
        for date in (*dates, "")
    ]
    known = [each for each in made if each.key]
    return known[0] if len(known) == 1 else made[-1]


def read_lens_object(row: Row) -> Iterator[Document]:
    """Yield the publication of an object of the API."""
    biblio = row.get("biblio") if isinstance(row.get("biblio"), dict) else row
    head: Row = biblio if isinstance(biblio, dict) else {}
    filed = _inner(head, "application_reference")
    application = make_application(
        cell(filed, "jurisdiction"),
        cell(filed, "doc_number"),
        iso_date(cell(filed, "date")),
        kind=cell(filed, "kind"),
        style="docdb",
    )
    office = cell(row, "jurisdiction")
    language = known_language(cell(row, "lang")) or office_language(office, UNDETERMINED)
    yield Document(
        office=office,
        number=cell(row, "doc_number"),
        kind=cell(row, "kind"),
        publication_date=iso_date(cell(row, "date_published")),
        source_format="lens",
        language=language,
        **application,
        priorities=tuple(
            make_priority(
                cell(each, "jurisdiction"),
                cell(each, "doc_number"),
                iso_date(cell(each, "date")),
                kind=cell(each, "kind"),
                style="docdb",
            )
            for each in entries(_inner(head, "priority_claims"), "claims")
        ),
        citations=distinct(_citations(head)),
        ipc=_symbols(head, "classifications_ipcr"),
        cpc=_symbols(head, "classifications_cpc"),
        texts=_texts(row, head, language),
    )


def _inner(row: Row, name: str) -> Row:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _symbols(head: Row, name: str) -> tuple[str, ...]:
    return symbols(cell(each, "symbol") for each in entries(_inner(head, name), "classifications"))


def _texts(row: Row, head: Row, own: str) -> tuple[PatentText, ...]:
    titles = {_lang(each, own): cell(each, "text") for each in entries(head, "invention_title")}
    abstracts = {
        _lang(each, own): tidy(long_text(each.get("text"))) for each in entries(row, "abstract")
    }
    claims = {_lang(each, own): each for each in entries(row, "claims")}
    descriptions = {
        _lang(each, own): long_text(each.get("text")) for each in entries(row, "description")
    }
    return tuple(
        PatentText(
            language,
            titles.get(language, ""),
            abstracts.get(language, ""),
            given_claims(
                long_text(each.get("claim_text"))
                for each in entries(claims.get(language, {}), "claims")
            ),
            plain_paragraphs(descriptions.get(language, "")),
        )
        for language in dict.fromkeys([*titles, *abstracts, *claims, *descriptions])
    )


def _lang(each: Row, own: str) -> str:
    return known_language(cell(each, "lang")) or own


def _citations(head: Row) -> Iterator[Citation]:
    for each in entries(_inner(head, "references_cited"), "citations"):
        document = _inner(_inner(each, "patcit"), "document_id")
        number = cell(document, "doc_number")
        if number:
            cited = publication(cell(document, "jurisdiction"), number, cell(document, "kind"))
            phase = cell(each, "cited_phase")
            category = "".join(listed(each, "category"))
            yield coded_citation(str(cited), phase, category, iso_date(cell(document, "date")))
