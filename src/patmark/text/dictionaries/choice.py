"""Which dictionary a user means: cedict, edict:FILE or tsv:FILE."""

from __future__ import annotations

from patmark.errors import UsageError
from patmark.text.dictionaries.cedict import read_cedict
from patmark.text.dictionaries.edict import read_edict
from patmark.text.dictionaries.glossary import Glossary, read_tsv_glossary

_PAIRS = {"cedict": ("zh", "en"), "edict": ("ja", "en")}


def read_glossary(choice: str, source: str, target: str) -> Glossary:
    """The dictionary for a pair of languages; one for another pair is refused."""
    kind, _, path = choice.partition(":")
    if kind not in ("cedict", "edict", "tsv") or bool(path) == (kind == "cedict"):
        raise UsageError(f"{choice!r} is no dictionary; choose cedict, edict:FILE or tsv:FILE")
    if kind == "tsv":
        return read_tsv_glossary(path, source, target)
    if _PAIRS[kind] != (source, target):
        has = "-".join(_PAIRS[kind])
        raise UsageError(
            f"{kind} translates {has}, not {source}-{target}; use a dictionary of your own: "
            "tsv:FILE"
        )
    return read_edict(path) if kind == "edict" else read_cedict()
