"""Translation systems to compare with: a dictionary, and copies that are worse on purpose."""

from patmark.systems.cedict import read_cedict
from patmark.systems.choice import read_glossary
from patmark.systems.degraded import drop_words
from patmark.systems.dictionary import DictionaryTranslator, Translation
from patmark.systems.edict import read_edict
from patmark.systems.glossary import (
    Glossary,
    glossary_of,
    joined_glossaries,
    read_tsv_glossary,
)

__all__ = [
    "DictionaryTranslator",
    "Glossary",
    "Translation",
    "drop_words",
    "glossary_of",
    "joined_glossaries",
    "read_cedict",
    "read_edict",
    "read_glossary",
    "read_tsv_glossary",
]
