"""Rows of databases: Google Patents, The Lens, PatentsView.

| database | rows |
|---|---|
| Google Patents | ``patents-public-data.patents.publications`` in BigQuery, as JSON Lines or CSV |
| The Lens | tables exported from the search page (CSV), and objects of the patent API (JSON) |
| PatentsView | tables of US grants and applications (``g_*``, ``pg_*``), one subject in each |

Numbers of Google Patents are in the form of DOCDB, ``US-2006142694-A1``. A row of PatentsView is a
part of a document; parts that are read together are merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    UNDETERMINED,
    known_language,
    make_application,
    make_priority,
    symbols,
    whole_number,
)
from patmark.collections.patents.formats.body import (
    claims_in_text,
    given_claims,
    make_claim,
    plain_paragraphs,
)
from patmark.collections.patents.formats.citations import (
    APPLICANT,
    EXAMINATION,
    EXAMINER,
    coded_citation,
    distinct,
    party,
)
from patmark.collections.patents.formats.tables import Row, cell, entries, listed, long_text
from patmark.collections.patents.formats.xml_reading import iso_date, tidy
from patmark.collections.patents.publications import publication, read_publication
from patmark.data import Citation, Document, Paragraph, PatentText, Priority
from patmark.errors import InputError
from patmark.languages import in_latin_letters, office_language

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
        citations=distinct(_lens_citations(head)),
        ipc=_symbols(head, "classifications_ipcr"),
        cpc=_symbols(head, "classifications_cpc"),
        texts=_lens_texts(row, head, language),
    )


def _inner(row: Row, name: str) -> Row:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _symbols(head: Row, name: str) -> tuple[str, ...]:
    return symbols(cell(each, "symbol") for each in entries(_inner(head, name), "classifications"))


def _lens_texts(row: Row, head: Row, own: str) -> tuple[PatentText, ...]:
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


def _lens_citations(head: Row) -> Iterator[Citation]:
    for each in entries(_inner(head, "references_cited"), "citations"):
        document = _inner(_inner(each, "patcit"), "document_id")
        number = cell(document, "doc_number")
        if number:
            cited = publication(cell(document, "jurisdiction"), number, cell(document, "kind"))
            phase = cell(each, "cited_phase")
            category = "".join(listed(each, "category"))
            yield coded_citation(str(cited), phase, category, iso_date(cell(document, "date")))


_TEXTS = {
    "summary_text": "summary",
    "draw_desc_text": "drawings",
    "description_text": "embodiments",
}
_IPC = ("section", "ipc_class", "subclass", "main_group", "subgroup")


def read_patentsview(row: Row) -> Iterator[Document]:
    """Yield the part of a patent that a row holds."""
    number = cell(row, "patent_id", "pgpub_id")
    if not number:
        raise InputError.at("a row without patent_id")
    cites = bool(cell(row, "citation_patent_id", "citation_application_id"))
    document = Document(
        office="US",
        number=number,
        kind="" if cites else cell(row, "wipo_kind") or ("A1" if "pgpub_id" in row else ""),
        publication_date=iso_date(cell(row, "patent_date", "published_date")),
        source_format="patentsview",
        language=TRANSLATED,
        citations=_patentsview_citations(row),
        ipc=symbols([_ipc(row)]),
        cpc=symbols([cell(row, "cpc_group")]),
        texts=_patentsview_texts(row),
        stated_claims=whole_number(cell(row, "num_claims")),
    )
    if cell(row, "foreign_application_id"):
        document = replace(
            document,
            priorities=(
                make_priority(
                    cell(row, "foreign_country_filed"),
                    cell(row, "foreign_application_id"),
                    iso_date(cell(row, "filing_date")),
                ),
            ),
        )
    elif cell(row, "application_id"):
        filed = iso_date(cell(row, "filing_date"))
        application = make_application("US", cell(row, "application_id"), filed)
        document = replace(
            document,
            **application,
        )
    yield document


def _ipc(row: Row) -> str:
    section, main, sub, group, subgroup = (cell(row, name) for name in _IPC)
    return f"{section}{main:0>2}{sub} {group}/{subgroup:0>2}" if group and subgroup else ""


def _patentsview_texts(row: Row) -> tuple[PatentText, ...]:
    claim = cell(row, "claim_text")
    number = whole_number(cell(row, "claim_number")) or (
        (whole_number(cell(row, "claim_sequence")) or 0) + 1
    )
    text = PatentText(
        TRANSLATED,
        cell(row, "patent_title", "application_title"),
        cell(row, "patent_abstract", "application_abstract"),
        (make_claim(number, claim),) if claim else (),
        tuple(_description(row)),
    )
    return (text,) if text != PatentText(TRANSLATED) else ()


def _description(row: Row) -> Iterator[Paragraph]:
    """Yield paragraphs of a part of the description; headings in it decide, else the table."""
    for name, section in _TEXTS.items():
        for each in plain_paragraphs(long_text(row.get(name))):
            yield replace(each, section=section) if each.section == "other" else each


def _patentsview_citations(row: Row) -> tuple[Citation, ...]:
    number = cell(row, "citation_patent_id", "citation_application_id")
    if not number:
        return ()
    cited = publication(cell(row, "citation_country") or "US", number, cell(row, "wipo_kind"))
    by = party(tidy(cell(row, "citation_category")))
    phase = {EXAMINER: EXAMINATION, APPLICANT: APPLICANT}.get(by, "")
    return (Citation(str(cited), phase=phase, by=by, date=iso_date(cell(row, "citation_date"))),)
