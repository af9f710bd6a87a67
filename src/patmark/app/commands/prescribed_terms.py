"""Terms of a glossary, prescribed for the segments whose sources contain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from patmark.app.commands.whole_documents import InnerProtocol
from patmark.data import FilePath, Run, TestSet
from patmark.documents import read_glossary_terms
from patmark.errors import InputError, UsageError
from patmark.evaluation import Inputs
from patmark.measures import occurrences
from patmark.wording import setting

TERM_MEASURES = (
    "term-accuracy,term-consistency,term-success,term-success(by=presence),term-consistency-wmt"
)
"""Term measures that run if a glossary is given and no measure is named."""


@dataclass(frozen=True)
class PrescribedTerms(InnerProtocol):
    """A protocol on segments with prescribed terms of a glossary."""

    name: ClassVar[str] = "glossary"

    glossary: tuple[str, ...]

    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        test_set, runs = self.inner.read(inputs)
        return with_terms(test_set, self.glossary), runs


def with_terms(test_set: TestSet, glossary: Sequence[FilePath]) -> TestSet:
    """Return a test set whose segments also prescribe the terms of glossaries.

    A term is prescribed for every segment whose source contains it, ignoring case.
    """
    languages = test_set.source_language, test_set.target_language
    if languages[0] is None:
        raise UsageError(f"{setting('glossary')} needs both languages: {setting('lang', 'zh-en')}")
    pair = (languages[0], languages[1])
    terms = [term for path in glossary for term in read_glossary_terms(path, pair) if term.target]
    segments, found = [], 0
    for segment in test_set:
        if segment.source is None:
            raise UsageError(f"{setting('glossary')} needs sources: {setting('src', 'FILE')}")
        own = [
            {"source": term.source, "target": list(term.target)}
            for term in terms
            if occurrences(segment.source, term.source)
        ]
        found += len(own)
        listed = [*segment.meta.get("terms", ()), *own]
        meta = {**segment.meta, "terms": listed} if listed else segment.meta
        segments.append(replace(segment, meta=meta))
    if not found:
        raise InputError.at("no source contains a term of the glossary", str(glossary[0]))
    return replace(test_set, segments=tuple(segments))
