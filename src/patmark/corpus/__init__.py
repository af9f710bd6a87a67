"""Patent documents of several offices: read, put into families, made into collections.

``read_documents`` turns files of any known format into ``Document`` objects, one at a time;
``number_key`` gives application numbers one form, and ``build_families`` links documents by them.
``patmark.corpus.build`` makes whole collections, ``patmark.corpus.alignment`` aligns sentences.
"""

from patmark.corpus.detect import FORMATS, detect_format
from patmark.corpus.document import (
    BrokenRecord,
    Claim,
    Document,
    Paragraph,
    Priority,
    Text,
    without_placeholders,
)
from patmark.corpus.document_jsonl import (
    document_from_json,
    document_to_json,
    read_document_jsonl,
    to_collection_row,
    write_documents,
)
from patmark.corpus.families import (
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
from patmark.corpus.numbers import NumberKey, UnknownNumber, number_key
from patmark.corpus.read import read_documents, read_record
from patmark.corpus.sections import SECTIONS, classify_heading

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
