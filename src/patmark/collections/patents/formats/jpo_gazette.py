"""JPO gazettes from 2004 to 2021: ``jp-official-gazette``, ST.36-like, UTF-8 or EUC-JP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    count_note,
    st36_gazette,
    whole_number,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims
from patmark.collections.patents.formats.xml_reading import Element, child_text
from patmark.data import Document, PatentText


def read_jpo(root: Element) -> Iterator[Document]:
    """Yield the one gazette of a record."""
    head = root.find("bibliographic-data")
    claims = read_claims(root.iterfind("claims/claim"), "ja")
    stated = whole_number(child_text(head, ".//number-of-claims"))
    text = PatentText(
        "ja",
        child_text(head, "invention-title") or child_text(root, "description/invention-title"),
        child_text(root, "abstract"),
        claims,
        description_paragraphs(root.find("description")),
    )
    yield replace(
        st36_gazette(root, head, "JP", "ja", "jpo-gazette"),
        kind=root.get("kind-of-st16") or root.get("kind-of-jp") or "",
        texts=(text,),
        stated_claims=stated,
        notes=count_note(stated, len(claims)),
    )
