"""Dictionaries of two languages: CC-CEDICT, EDICT, and tables of one's own."""

from patmark.text.dictionaries.cedict import read_cedict
from patmark.text.dictionaries.choice import read_dictionary, read_glossary
from patmark.text.dictionaries.edict import read_edict
from patmark.text.dictionaries.entries import Dictionary, Entry
from patmark.text.dictionaries.glossary import (
    Glossary,
    glossary_of,
    joined_glossaries,
    plain_headword,
    read_tsv_glossary,
)

__all__ = [
    "Dictionary",
    "Entry",
    "Glossary",
    "glossary_of",
    "joined_glossaries",
    "plain_headword",
    "read_cedict",
    "read_dictionary",
    "read_edict",
    "read_glossary",
    "read_tsv_glossary",
]
