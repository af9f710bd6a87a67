"""The extrinsic evaluation on invented patents, small enough for a demo: seconds, no files left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from patmark.collections.retrieval import (
    DemoCollection,
    OpenIndex,
    Topic,
    build_index,
    default_procedure,
    translate_topics,
)
from patmark.data import read_cedict
from patmark.errors import MissingExtra
from patmark.evaluation import CompareSettings, Sampling
from patmark.protocols.ntcir7.extrinsic import ExtrinsicSettings, evaluate_extrinsically
from patmark.report import Report, Result, message_texts
from patmark.systems import DictionaryTranslator, drop_words
from patmark.wording import tr

DICTIONARY = "cedict"
INVENTED = (
    "Patents, citations and systems are invented: without-30 has the original topics without 30 % "
    "of their words, cedict translates Chinese topics word by word with a dictionary."
)
SECTION = tr("Does the translation find the prior art?")
WORDS = 80
_DROPPED = (10, 30, 50)
_TABLES = 2


@dataclass(frozen=True, slots=True)
class DemoSystems:
    """Topics of each invented system, and the Chinese ones that were translated.

    ``missing`` is the reason if the dictionary is not among the systems, else empty.
    """

    topics: Mapping[str, tuple[Topic, ...]]
    chinese: tuple[Topic, ...]
    missing: str = ""


def demo_systems(made: DemoCollection, count: int) -> DemoSystems:
    """Return copies of the original topics without some of their words, and a dictionary."""
    original, chinese = made.topics(count), made.topics(count, "zh")
    topics = {
        f"without-{share}": degrade_topics(original, share / 100, made.language, made.seed)
        for share in _DROPPED
    }
    try:
        translator = DictionaryTranslator(read_cedict())
    except MissingExtra as missing:
        return DemoSystems(topics, chinese, str(missing))
    translated = translate_topics(chinese, translator).topics
    return DemoSystems({**topics, DICTIONARY: translated}, chinese)


def degrade_topics(
    topics: Sequence[Topic], share: float, language: str, seed: int = 0
) -> tuple[Topic, ...]:
    """Return topics without a share of their words: a system that is worse by a known amount."""
    return tuple(
        replace(topic, text=drop_words(topic.text, share, language, f"{seed} {topic.id}"))
        for topic in topics
    )


def retrieval_section(documents: int = 1000, topics: int = 60, seed: int = 0) -> Report:
    """Return a report section on the loss of retrieval quality by translation."""
    made = DemoCollection(documents, "en", seed, WORDS)
    systems = demo_systems(made, topics)
    sampling = CompareSettings(Sampling(resamples=500, seed=seed), trials=500)
    settings = ExtrinsicSettings(measures="AP(rel=2)", comparison=sampling)
    with TemporaryDirectory() as place:
        folder = Path(place) / "index"
        build_index(folder, made.documents(), default_procedure(made.language))
        done = evaluate_extrinsically(
            OpenIndex.at(folder), made.topics(topics), systems.topics, made.qrels(topics), settings
        )
    report = done.to_report()
    return replace(
        report,
        tables=tuple(replace(table, section=SECTION) for table in report.tables[:_TABLES]),
        charts=tuple(replace(chart, section=SECTION) for chart in report.charts[:1]),
        notes=(INVENTED, *filter(None, [systems.missing]), *report.notes),
    )


def with_retrieval(report: Report, section: Report) -> Report:
    """Return a report with the section at its end, without its findings."""
    return replace(
        report,
        tables=(*report.tables, *section.tables),
        charts=(*report.charts, *section.charts),
        notes=(
            *report.notes,
            *(tr("Retrieval: {text}", text=text) for text in message_texts(section.notes)),
        ),
        signatures={
            **report.signatures,
            **{f"retrieval: {name}": signature for name, signature in section.signatures.items()},
        },
    )


@dataclass(frozen=True, eq=False)
class DemoResult(Result):
    """A result whose report ends in the section on retrieval."""

    scored: Result
    section: Report

    def to_json(self) -> Mapping[str, Any]:
        """Return the machine-readable result, without the section."""
        return self.scored.to_json()

    def to_report(self) -> Report:
        """Return the report with the section at its end."""
        return with_retrieval(self.scored.to_report(), self.section)
