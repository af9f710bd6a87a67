"""Which dictionary a user means: cedict, edict:FILE or tsv:FILE."""

from __future__ import annotations

from patmark.errors import UsageError
from patmark.text.dictionaries.cedict import cedict_entries, read_cedict
from patmark.text.dictionaries.edict import edict_entries, read_edict
from patmark.text.dictionaries.entries import Dictionary
from patmark.text.dictionaries.glossary import Glossary, read_tsv_glossary, tsv_entries

_PAIRS = {"cedict": ("zh", "en"), "edict": ("ja", "en")}


def read_glossary(choice: str, source: str, target: str) -> Glossary:
    """The dictionary for a pair of languages, one gloss a word; one for another pair is refused."""
    kind, path = _checked(choice, source, target)
    if kind == "tsv":
        return read_tsv_glossary(path, source, target)
    return read_edict(path) if kind == "edict" else read_cedict()


def read_dictionary(choice: str, source: str, target: str) -> Dictionary:
    """The same dictionary with all senses."""
    kind, path = _checked(choice, source, target)
    if kind == "tsv":
        return tsv_entries(path, source, target)
    return edict_entries(path) if kind == "edict" else cedict_entries()


def _checked(choice: str, source: str, target: str) -> tuple[str, str]:
    """Kind and file of a choice that fits the languages."""
    kind, _, path = choice.partition(":")
    if kind not in ("cedict", "edict", "tsv") or bool(path) == (kind == "cedict"):
        raise UsageError(f"{choice!r} is no dictionary; choose cedict, edict:FILE or tsv:FILE")
    if _PAIRS.get(kind, (source, target)) != (source, target):
        has = "-".join(_PAIRS[kind])
        raise UsageError(
            f"{kind} translates {has}, not {source}-{target}; use a dictionary of your own: "
            "tsv:FILE"
        )
    return kind, path
