"""Topics in another language, translated word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from patmark.errors import InputError, Problem
from patmark.retrieval.topics import Topic
from patmark.wording import percent, tr

_SHOWN = 10


class WordTranslation(Protocol):
    """A text in another language, and the outcome of its words; see ``TranslatedTopics``."""

    @property
    def text(self) -> str: ...
    @property
    def translated(self) -> int: ...
    @property
    def unknown(self) -> Sequence[str]: ...
    @property
    def left_out(self) -> int: ...


class WordTranslator(Protocol):
    """Translator by dictionary, such as that of ``patmark.systems``."""

    @property
    def signature(self) -> str: ...
    @property
    def keep_unknown(self) -> bool: ...

    def translate(self, text: str) -> WordTranslation:
        """Return the translation of one text."""


@dataclass(frozen=True, slots=True)
class TranslatedTopics:
    """Topics with translated texts, and the limits of the dictionary.

    ``unknown`` counts the words without a gloss, which were kept or dropped; ``left_out`` are
    particles.
    """

    topics: tuple[Topic, ...]
    signature: str
    translated: int
    unknown: Counter[str]
    left_out: int
    unknown_kept: bool = True

    @property
    def coverage(self) -> float:
        """The share of words that have a gloss."""
        words = self.translated + self.unknown.total()
        return self.translated / words if words else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return counts, and every unknown word with its frequency, the most frequent first."""
        return {
            "topics": len(self.topics),
            "words_translated": self.translated,
            "words_unknown": self.unknown.total(),
            "particles_left_out": self.left_out,
            "coverage": self.coverage,
            "untranslated": 1 - self.coverage,
            "unknown_kept": self.unknown_kept,
            "unknown": dict(_by_frequency(self.unknown)),
            "signature": self.signature,
        }

    def lines(self) -> list[str]:
        """Describe the counts for people."""
        unknown = self.unknown.total()
        lines = [
            tr("{n} topics, {number} words", n=len(self.topics), number=self.translated + unknown),
            f"{self.translated} translated ({percent(self.coverage, 1)}), "
            f"{unknown} unknown and {'kept' if self.unknown_kept else 'left out'}",
        ]
        if self.unknown:
            most = _by_frequency(self.unknown)[:_SHOWN]
            lines.append(
                tr("most frequent: {names}", names=tuple(f"{word} {n}" for word, n in most))
            )
        if self.left_out:
            lines.append(
                tr(
                    "{left_out} particles, auxiliaries and articles left out",
                    left_out=self.left_out,
                )
            )
        return [*lines, self.signature]


def _by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def translate_topics(topics: Sequence[Topic], translator: WordTranslator) -> TranslatedTopics:
    """Translate the texts of topics; id, date, IPC and family stay as they are."""
    done = [translator.translate(topic.text) for topic in topics]
    problems = [
        Problem(f"topic {topic.id!r}: nothing is left of it in translation")
        for topic, translation in zip(topics, done, strict=True)
        if not translation.text.strip()
    ]
    if problems:
        raise InputError(problems)
    return TranslatedTopics(
        tuple(replace(topic, text=one.text) for topic, one in zip(topics, done, strict=True)),
        translator.signature,
        sum(one.translated for one in done),
        Counter(word for one in done for word in one.unknown),
        sum(one.left_out for one in done),
        translator.keep_unknown,
    )
