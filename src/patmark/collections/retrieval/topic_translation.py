"""Topics in another language, translated word by word, with word senses by IPC on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from patmark.collections.retrieval.collection import CollectionProblems
from patmark.collections.retrieval.topics import Topic
from patmark.collections.retrieval.word_senses import count_senses
from patmark.data import PatentDocument, SenseChoice
from patmark.errors import InputError, Problem
from patmark.wording import percent, tr, tr_n

_SHOWN = 10
_Key = TypeVar("_Key", str, tuple[str, str])


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

    def choosing(self, choose: SenseChoice) -> WordTranslator:
        """Return this translator with a choice among the translations of each word."""


@dataclass(frozen=True, slots=True)
class ChosenSenses:
    """The words of topics that have several translations, and the chosen ones.

    ``chosen`` counts by word and translation, ``replaced`` only where the first translation of the
    dictionary was not taken. ``documents`` were counted; ``without_ipc`` topics have no IPC code.
    """

    chosen: Counter[tuple[str, str]]
    replaced: Counter[tuple[str, str]]
    documents: int
    without_ipc: int

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and how often each word got which translation."""
        return {
            "documents": self.documents,
            "topics_without_ipc": self.without_ipc,
            "words_ambiguous": self.chosen.total(),
            "words_not_first": self.replaced.total(),
            "not_first": [
                {"word": word, "translation": sense, "times": times}
                for (word, sense), times in _by_frequency(self.replaced)
            ],
        }

    def lines(self) -> list[str]:
        """Describe the counts for people."""
        lines: list[str] = [
            tr(
                "{number} words have several translations; by IPC and {documents} documents, "
                "{replaced} are not translated by the first one",
                number=self.chosen.total(),
                documents=self.documents,
                replaced=self.replaced.total(),
            )
        ]
        if self.replaced:
            most = _by_frequency(self.replaced)[:_SHOWN]
            names = tuple(f"{word} → {sense} {times}" for (word, sense), times in most)
            lines.append(tr("most frequent: {names}", names=names))
        if self.without_ipc:
            lines.append(
                tr_n(
                    "{n} topic has no IPC code: all documents count",
                    "{n} topics have no IPC code: all documents count",
                    n=self.without_ipc,
                )
            )
        return lines


@dataclass(frozen=True, slots=True)
class TranslatedTopics:
    """Topics with translated texts, and the limits of the dictionary.

    ``unknown`` counts the words without a gloss, which were kept or dropped; ``left_out`` are
    particles. ``senses`` are there if a collection decided between translations,
    ``problems`` are its documents that could not be counted.
    """

    topics: tuple[Topic, ...]
    signature: str
    translated: int
    unknown: Counter[str]
    left_out: int
    unknown_kept: bool = True
    senses: ChosenSenses | None = None
    problems: CollectionProblems = field(default_factory=CollectionProblems)

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
            **self._of_collection(),
        }

    def _of_collection(self) -> dict[str, Any]:
        if self.senses is None:
            return {}
        return {"senses": {**self.senses.to_json(), "left_out": self.problems.to_json()}}

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
        if self.senses is not None:
            lines += [*self.senses.lines(), *self.problems.lines()]
        return [*lines, self.signature]


def _by_frequency(counts: Counter[_Key]) -> list[tuple[_Key, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def translate_by_ipc(
    topics: Sequence[Topic],
    translator: WordTranslator,
    documents: Iterable[PatentDocument],
    language: str,
) -> TranslatedTopics:
    """Translate topics into the language of a collection, whose documents decide word senses.

    Of the translations of a word, the one is taken that fits the IPC codes of the topic best; see
    ``word_senses``. Words with one translation and words without evidence are translated as
    without a collection.
    """
    counts = count_senses(documents, _all_senses(topics, translator), language)
    chosen, replaced = Counter[tuple[str, str]](), Counter[tuple[str, str]]()

    def translated(topic: Topic) -> WordTranslation:
        def choose(word: str, senses: Sequence[str]) -> str:
            if len(senses) == 1:
                return senses[0]
            sense = counts.choose(senses, topic.ipc)
            chosen[word, sense] += 1
            if sense != senses[0]:
                replaced[word, sense] += 1
            return sense

        return translator.choosing(choose).translate(topic.text)

    done = _joined(topics, [translated(topic) for topic in topics], translator)
    without_ipc = sum(not topic.ipc for topic in topics)
    return replace(
        done,
        signature=f"{done.signature}|{counts.signature}",
        senses=ChosenSenses(chosen, replaced, counts.total, without_ipc),
    )


def _all_senses(topics: Iterable[Topic], translator: WordTranslator) -> set[str]:
    """Return all translations of the words that have several."""
    found: set[str] = set()

    def collect(_: str, senses: Sequence[str]) -> str:
        if len(senses) > 1:
            found.update(senses)
        return senses[0]

    collecting = translator.choosing(collect)
    for topic in topics:
        collecting.translate(topic.text)
    return found


def translate_topics(topics: Sequence[Topic], translator: WordTranslator) -> TranslatedTopics:
    """Translate the texts of topics; id, date, IPC and family stay as they are."""
    return _joined(topics, [translator.translate(topic.text) for topic in topics], translator)


def _joined(
    topics: Sequence[Topic], done: Sequence[WordTranslation], translator: WordTranslator
) -> TranslatedTopics:
    """Join topics and their translations; refuse topics of which nothing is left."""
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
