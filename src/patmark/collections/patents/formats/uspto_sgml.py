"""USPTO grants 2001 to 2004: ST.32 (``PATDOC``), as SGML or XML."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    count_note,
    make_application,
    priorities_at,
    us_ipc,
    whole_number,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims
from patmark.collections.patents.formats.citations import EXAMINATION, EXAMINER, OTHER, distinct
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date
from patmark.collections.patents.publications import publication
from patmark.data import Citation, Document, PatentText, Priority

_CITED = {"CITED-BY-EXAMINER": (EXAMINATION, EXAMINER), "CITED-BY-OTHER": ("", OTHER)}


def read_patdoc(root: Element) -> Iterator[Document]:
    """Yield the one grant of a record."""
    office = child_text(root, ".//B100/B190") or "US"
    filed = iso_date(child_text(root, ".//B200/B220"))
    application = make_application(office, child_text(root, ".//B200/B210"), filed)
    claims = read_claims(root.iterfind(".//SDOCL//CLM"), "en")
    stated = whole_number(child_text(root, ".//B570/B577"))
    text = PatentText(
        "en",
        child_text(root, ".//B500/B540"),
        child_text(root, "SDOAB"),
        claims,
        description_paragraphs(root.find("SDODE")),
    )
    yield Document(
        office=office,
        number=child_text(root, ".//B100/B110"),
        kind=child_text(root, ".//B100/B130"),
        publication_date=iso_date(child_text(root, ".//B100/B140")),
        source_format="uspto-sgml",
        language="en",
        **application,
        priorities=priorities_at(root.iterfind(".//B300"), ("B330", "B310", "B320"))
        + _related(root, ".//B600/B680US//DOC", "P"),
        parents=_related(root, ".//B860/B861/DOC") + _related(root, ".//B600//PDOC/DOC"),
        citations=distinct(map(_citation, root.iterfind(".//B560/B561[PCIT]"))),
        ipc=us_ipc(
            "".join(node.itertext())  # blanks count
            for node in root.iterfind(".//B510/*")
            if node.tag in ("B511", "B512", "B513")
        ),
        texts=(text,),
        stated_claims=stated,
        notes=count_note(stated, len(claims)),
    )


def _related(root: Element, path: str, kind: str = "") -> tuple[Priority, ...]:
    return priorities_at(root.iterfind(path), ("CTRY", "DNUM", "DATE"), office="US", kind=kind)


def _citation(node: Element) -> Citation:
    """Return a cited patent document; one without a country is of the US."""
    document = node.find("PCIT/DOC")
    number = child_text(document, "DNUM")
    cited = publication(child_text(document, "CTRY") or "US", number, child_text(document, "KIND"))
    phase, by = next((who for name, who in _CITED.items() if node.find(name) is not None), ("", ""))
    return Citation(str(cited), phase=phase, by=by, date=iso_date(child_text(document, "DATE")))
