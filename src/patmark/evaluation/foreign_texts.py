"""Texts that cannot be in the language that they should be in: exchanged files, a wrong pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patmark.data import Run, TestSet, country_warnings
from patmark.text import foreign_language, foreign_script, written_in

_EXCHANGED = "So are the sources: are the files exchanged, or is nothing translated?"


@dataclass(frozen=True, slots=True)
class ForeignTexts:
    """Texts in another script than their language has, or in another language of that script.

    The ``side`` is sources, references, or translations of a system.
    """

    side: str
    language: str
    written: str
    as_sources: bool = False

    def __str__(self) -> str:
        return f"Warning: the {self.side} should be in {self.language}, {self._seen()}"

    def in_file(self, file: str) -> str:
        """The same for whoever named the file and ``--lang``."""
        return f"Warning: {file}: --lang says {self.language} for the {self.side}, {self._seen()}"

    def _seen(self) -> str:
        seen = f"but they seem to be {self.written}."
        return f"{seen} {_EXCHANGED}" if self.as_sources else seen


def foreign_texts(test_set: TestSet, runs: Sequence[Run]) -> Iterator[ForeignTexts]:
    """Sources, references and translations whose script or words are not of their language."""
    spoken, target = test_set.source_language, test_set.target_language
    sources = [segment.source for segment in test_set if segment.source]
    if spoken is not None and (written := _written(sources, spoken)):
        yield ForeignTexts("sources", spoken, written)
    if written := _written(test_set.flat_references, target):
        yield ForeignTexts("references", target, written)
    for run in runs:
        texts = [text for text in run.hypotheses if text]
        if written := _written(texts, target):
            same = written_in(texts) == written_in(sources) and written == _written(sources, target)
            yield ForeignTexts(f"translations of {run.system}", target, written, same)


def language_warnings(test_set: TestSet, runs: Sequence[Run]) -> tuple[str, ...]:
    """Warnings of texts that cannot be in their language, and of languages like countries."""
    countries = country_warnings(test_set.source_language, test_set.target_language)
    return (*countries, *map(str, foreign_texts(test_set, runs)))


def _written(texts: Sequence[str], language: str) -> str:
    """What texts are written in, if it is another script or language; else empty."""
    return foreign_script(texts, language) or foreign_language(texts, language)
