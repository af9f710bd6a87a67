"""PatentsView tables of US grants and applications: one subject in each.

``g_patent``, ``g_patent_abstract``, ``g_application``, ``g_claims_*``, ``g_brf_sum_text_*``,
``g_draw_desc_text_*``, ``g_detail_desc_text_*``, ``g_ipc_at_issue``, ``g_cpc_current``,
``g_foreign_priority``, ``g_us_patent_citation``, ``g_foreign_citation``, and the same of
applications (``pg_*``). A row is a part of a document; those that are read together are merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    make_application,
    make_priority,
    symbols,
    whole_number,
)
from patmark.collections.patents.formats.body import make_claim, plain_paragraphs
from patmark.collections.patents.formats.citations import APPLICANT, EXAMINATION, EXAMINER, party
from patmark.collections.patents.formats.tables import Row, cell, long_text
from patmark.collections.patents.formats.xml_reading import iso_date, tidy
from patmark.collections.patents.publications import publication
from patmark.data import Citation, Document, Paragraph, PatentText
from patmark.errors import InputError

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
        citations=_citations(row),
        ipc=symbols([_ipc(row)]),
        cpc=symbols([cell(row, "cpc_group")]),
        texts=_texts(row),
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


def _texts(row: Row) -> tuple[PatentText, ...]:
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


def _citations(row: Row) -> tuple[Citation, ...]:
    number = cell(row, "citation_patent_id", "citation_application_id")
    if not number:
        return ()
    cited = publication(cell(row, "citation_country") or "US", number, cell(row, "wipo_kind"))
    by = party(tidy(cell(row, "citation_category")))
    phase = {EXAMINER: EXAMINATION, APPLICANT: APPLICANT}.get(by, "")
    return (Citation(str(cited), phase=phase, by=by, date=iso_date(cell(row, "citation_date"))),)
