"""Segments, test sets and runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from types import MappingProxyType
from typing import Any, cast, overload

from patmark.data.records import counted
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import DEFAULT_LANGUAGE, language_code
from patmark.wording import setting

_NO_META: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PrescribedTerm:
    """A source term and its correct renderings."""

    source: str
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """One unit of text to translate: a sentence, a claim, a paragraph.

    ``document`` is the patent of the segment; ``meta`` holds data of a protocol (labels, terms,
    IPC).
    """

    id: str
    source: str | None = None
    references: tuple[str, ...] = ()
    document: str | None = None
    meta: Mapping[str, Any] = field(default_factory=lambda: _NO_META)

    @property
    def terms(self) -> list[PrescribedTerm]:
        """Terms that ``meta["terms"]`` prescribes: ``{"source": …, "target": [renderings]}``."""
        listed = self.meta.get("terms", ())
        try:
            pairs = [(str(item["source"]), item["target"]) for item in listed]
            return [
                PrescribedTerm(source, (target,) if isinstance(target, str) else tuple(target))
                for source, target in pairs
            ]
        except (KeyError, TypeError):
            raise InputError.at(
                f"segment {self.id!r}: meta.terms must be a list of {{source, target}} objects"
            ) from None


@dataclass(frozen=True, eq=False)
class TestSet(Sequence[Segment]):
    """Segments in a fixed order, with unique ids, and their languages.

    A reference without text is dropped, and the id of its segment is kept in ``emptied``.
    ``allow_gaps`` lets measures leave out segments without the required reference or source.
    """

    __test__ = False  # not a pytest class

    segments: tuple[Segment, ...]
    target_language: str
    source_language: str | None = None
    name: str = "test set"
    allow_gaps: bool = False
    emptied: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "target_language", language_code(self.target_language))
        if self.source_language is not None:
            object.__setattr__(self, "source_language", language_code(self.source_language))
        seen: set[str] = set()
        problems: list[Problem] = []
        for segment in self.segments:
            if segment.id in seen:
                problems.append(Problem(f"segment id {segment.id!r} occurs twice", self.name))
            seen.add(segment.id)
        if problems:
            raise InputError(problems)
        self._drop_empty_references()

    def _drop_empty_references(self) -> None:
        emptied = {
            segment.id for segment in self.segments if not all(map(str.strip, segment.references))
        }
        if emptied:
            segments = (
                replace(segment, references=tuple(filter(str.strip, segment.references)))
                if segment.id in emptied
                else segment
                for segment in self.segments
            )
            object.__setattr__(self, "segments", tuple(segments))
            object.__setattr__(self, "emptied", self.emptied | emptied)

    @classmethod
    def of(
        cls,
        references: Sequence[str | Sequence[str] | None],
        *,
        sources: Sequence[str | None] | None = None,
        documents: Sequence[str | None] | None = None,
        target_language: str = DEFAULT_LANGUAGE,
        source_language: str | None = None,
        name: str = "test set",
        allow_gaps: bool = False,
    ) -> TestSet:
        """Make a test set from lists: one reference, or a list of references, per segment.

        None and NaN, which tables use for missing values, are no text.
        """
        if isinstance(references, str):
            raise UsageError("references must be a list, one entry per segment, not one text")
        columns = {"sources": sources, "documents": documents}
        for column, values in columns.items():
            if values is not None and len(values) != len(references):
                raise InputError.at(
                    f"{len(references)} segments have references, but there are "
                    f"{len(values)} {column}"
                )
        nothing = [None] * len(references)
        rows = zip(
            references,
            nothing if sources is None else sources,
            nothing if documents is None else documents,
            strict=True,
        )
        segments = tuple(
            Segment(
                id=str(number),
                source=text_or_none(source, "source", number),
                references=_reference_texts(own, number),
                document=text_or_none(document, "document of segment", number),
            )
            for number, (own, source, document) in enumerate(rows, 1)
        )
        return cls(segments, target_language, source_language, name, allow_gaps)

    def __repr__(self) -> str:
        languages = " → ".join(filter(None, [self.source_language, self.target_language]))
        known = len({document for document in self.documents if document is not None})
        documents = f", {counted(known, 'document')}" if known else ""
        return f"<TestSet {self.name!r}, {languages}, {counted(len(self), 'segment')}{documents}>"

    def __len__(self) -> int:
        return len(self.segments)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | Sequence[Segment]:
        return self.segments[index]

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The source texts; a segment without one counts as empty."""
        return tuple(segment.source or "" for segment in self.segments)

    @cached_property
    def reference_lists(self) -> tuple[tuple[str, ...], ...]:
        """The references of each segment."""
        return tuple(segment.references for segment in self.segments)

    @cached_property
    def flat_references(self) -> tuple[str, ...]:
        """All references in segment order."""
        return tuple(ref for segment in self.segments for ref in segment.references)

    @cached_property
    def without_reference(self) -> tuple[str, ...]:
        """The ids of segments that have no reference."""
        return tuple(segment.id for segment in self.segments if not segment.references)

    @cached_property
    def documents(self) -> tuple[str | None, ...]:
        """The document of each segment, None if unknown."""
        return tuple(segment.document for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Run:
    """Answers of one system to a test set, in the order of its segments.

    A hypothesis of None or NaN means that the system gave no answer for that segment.
    """

    system: str
    hypotheses: tuple[str | None, ...]
    kind: str | None = None
    resources: tuple[str, ...] = ()
    priority: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.hypotheses, str) or not isinstance(self.hypotheses, Iterable):
            raise UsageError(
                f"the hypotheses of {self.system} must be a list of texts, one per segment"
            )
        given, what = enumerate(self.hypotheses, 1), f"{self.system}, segment"
        texts = [text_or_none(text, what, number) for number, text in given]
        object.__setattr__(self, "hypotheses", tuple(texts))

    def __repr__(self) -> str:
        missing = f", {self.missing} without an answer" if self.missing else ""
        return f"<Run {self.system!r}, {counted(len(self.hypotheses), 'segment')}{missing}>"

    @property
    def missing(self) -> int:
        """Number of segments without an answer."""
        return sum(hypothesis is None for hypothesis in self.hypotheses)

    @property
    def empty(self) -> int:
        """Number of answers without text."""
        return sum(text is not None and not text.strip() for text in self.hypotheses)

    @property
    def texts(self) -> tuple[str, ...]:
        """The hypotheses, with an empty text for missing answers."""
        return tuple(["" if text is None else text for text in self.hypotheses])


def text_or_none(value: object, what: str, number: int | None = None) -> str | None:
    """Return a text; None for None and NaN, which tables use for missing values."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and isnan(value):
        return None
    where = what if number is None else f"{what} {number}"
    raise InputError.at(f"expected a text, found {type(value).__name__}: {str(value)[:40]}", where)


def _reference_texts(references: object, number: int) -> tuple[str, ...]:
    """Return the references of a segment, given as a list, as one text, or as nothing."""
    if isinstance(references, str):
        return (references,)
    listed = references if isinstance(references, Iterable) else [references]
    texts = (text_or_none(one, "reference", number) for one in cast("Iterable[object]", listed))
    return tuple(text for text in texts if text is not None)


def no_reference() -> str:
    """Return the message on an empty reference, with its remedy."""
    return f"empty reference; {setting('allow_empty_refs')} leaves such segments out"


PARTS = ("references", "sources")


def fingerprint(test_set: TestSet) -> dict[str, str]:
    """Return SHA-256 hashes of ids and references, and of ids and sources, if there are any.

    They are separate, so that scores with and without sources can be compared. The order of
    segments counts.
    """
    found = {}
    if any(test_set.reference_lists):
        found["references"] = _digest((s.id, s.references) for s in test_set)
    if any(segment.source is not None for segment in test_set):
        found["sources"] = _digest((s.id, s.source) for s in test_set)
    return found


def differing_parts(one: Mapping[str, str], other: Mapping[str, str]) -> list[str] | None:
    """Return the differing parts of two fingerprints; None without a common part."""
    shared = [part for part in PARTS if part in one and part in other]
    return [part for part in shared if one[part] != other[part]] if shared else None


def _digest(rows: Iterable[object]) -> str:
    """Return the hash of one line of JSON per row, which separates texts unambiguously."""
    import hashlib

    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row).encode("ascii") + b"\n")
    return digest.hexdigest()
