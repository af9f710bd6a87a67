"""Patent documents of several offices: read, put into families, made into collections.

``read_documents`` turns files of any known format into ``Document`` objects, one at a time;
``number_key`` gives application numbers one form, and ``build_families`` links documents by them.
``patmark.corpus.build`` makes whole collections, ``patmark.corpus.alignment`` aligns sentences.
"""

from patmark.data.documents import (
    BrokenRecord,
    Claim,
    Document,
    Paragraph,
    Priority,
    Text,
    document_from_json,
    document_to_json,
    read_document_jsonl,
    to_collection_row,
    without_placeholders,
    write_documents,
)
from patmark.patents.families import (
    FAMILY_KINDS,
    Families,
    Family,
    FamilyKind,
    Links,
    Unlinked,
    build_families,
    links_of,
    one_per_office,
)
from patmark.patents.numbers import NumberKey, UnknownNumber, number_key
from patmark.patents.read import FORMATS, detect_format, read_documents, read_record
from patmark.patents.sections import SECTIONS, classify_heading

__all__ = [
    "FAMILY_KINDS",
    "FORMATS",
    "SECTIONS",
    "BrokenRecord",
    "Claim",
    "Document",
    "Families",
    "Family",
    "FamilyKind",
    "Links",
    "NumberKey",
    "Paragraph",
    "Priority",
    "Text",
    "UnknownNumber",
    "Unlinked",
    "build_families",
    "classify_heading",
    "detect_format",
    "document_from_json",
    "document_to_json",
    "links_of",
    "number_key",
    "one_per_office",
    "read_document_jsonl",
    "read_documents",
    "read_record",
    "to_collection_row",
    "without_placeholders",
    "write_documents",
]
