"""A dictionary as a system: real, offline, and bad; the whole tool can be tried with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.errors import UsageError
from patmark.systems.base import Answer, Description, Item, Settled, Traits
from patmark.systems.dictionary import DictionaryTranslator
from patmark.text.dictionaries import joined_glossaries, read_glossary

_DEFAULTS = {("zh", "en"): "cedict"}


@dataclass(frozen=True, slots=True)
class DictionarySystem:
    """Translates word by word."""

    translator: DictionaryTranslator
    traits: ClassVar[Traits] = Traits(
        may_copy=True, only_translates=True, run_type="RBMT", resources=("E",)
    )

    @property
    def description(self) -> Description:
        """Method, dictionary and segmenter with their versions."""
        return Description("dictionary", self.translator.signature)

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Every translation, line by line, so that breaks stay where they are."""
        for item in items:
            lines = item.source.split("\n")
            texts = [self.translator.translate(one).text if one.strip() else "" for one in lines]
            settled(item, Answer("\n".join(texts)))
            await asyncio.sleep(0)


def dictionary_system(choices: Sequence[str], source: str | None, target: str) -> DictionarySystem:
    """The system for a pair of languages; CC-CEDICT is the default for Chinese to English."""
    if source is None:
        raise UsageError("a dictionary needs both languages: --lang zh-en")
    if source == target:
        raise UsageError(f"a dictionary translates; {source} is the only language given")
    default = _DEFAULTS.get((source, target))
    if not choices and default is None:
        raise UsageError(
            f"no dictionary is at hand for {source}-{target}: name one with --dictionary "
            "edict:FILE or --dictionary tsv:FILE"
        )
    named = choices or [str(default)]
    glossaries = [read_glossary(choice, source, target) for choice in named]
    return DictionarySystem(DictionaryTranslator(joined_glossaries(glossaries)))
