"""Files of the patent offices: read into documents, and put into families.

``read_documents`` turns files of any known format into ``Document`` objects, one at a time;
``number_key`` gives application numbers one form, and ``build_families`` links documents by them.
"""

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
    "Families",
    "Family",
    "FamilyKind",
    "Links",
    "NumberKey",
    "UnknownNumber",
    "Unlinked",
    "build_families",
    "classify_heading",
    "detect_format",
    "links_of",
    "number_key",
    "one_per_office",
    "read_documents",
    "read_record",
]
