"""Baselines that check a measure: copied sources, copied references, dropped words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.errors import UsageError
from patmark.languages import language as pack_of
from patmark.systems.kinds import (
    Description,
    OnAnswer,
    SystemAnswer,
    SystemInput,
    SystemKind,
    Traits,
)


@dataclass(frozen=True, slots=True)
class CopySystem:
    """The source, copied: every measure must distinguish it from a translation."""

    description: ClassVar[Description] = Description("copy", "1")
    traits: ClassVar[Traits] = Traits(may_copy=True)

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Return every source."""
        for item in items:
            on_answer(item, SystemAnswer(item.source))


@dataclass(frozen=True, slots=True)
class OracleSystem:
    """The first reference, which gets the best value of a measure."""

    description: ClassVar[Description] = Description("oracle", "1")
    traits: ClassVar[Traits] = Traits(frozenset({"references"}), may_copy=True)

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Return every first reference; an input without one fails."""
        for item in items:
            if item.references:
                on_answer(item, SystemAnswer(item.references[0]))
            else:
                on_answer(item, SystemAnswer(None, "there is no reference to return"))


COPY = SystemKind("copy", lambda *_: CopySystem())
ORACLE = SystemKind("oracle", lambda *_: OracleSystem())


def drop_words(text: str, share: float, language: str, seed: object = 0) -> str:
    """Drop a share of the words of a text, but keep at least one.

    Words dropped at a small share are also dropped at every larger one with the same seed.
    """
    from patmark.systems.dictionary import TOKENIZERS, check_language, tokenize

    if not 0 <= share <= 1:
        raise UsageError(f"the share of dropped words must lie between 0 and 1, not {share:g}")
    check_language(language)
    words = text.split()
    if not pack_of(language).is_spaced:
        words = [token.surface for token in tokenize(text, language)]
    order = list(range(len(words)))
    random.Random(f"drop {seed}").shuffle(order)
    dropped = set(order[: min(round(share * len(words)), len(words) - 1)]) if words else set()
    return TOKENIZERS[language].blank.join(
        word for position, word in enumerate(words) if position not in dropped
    )
