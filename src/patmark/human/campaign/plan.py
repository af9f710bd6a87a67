"""A plan: pages with blind labels for each evaluator, or for a pool, made beforehand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from patmark.human.campaign.form import Form
from patmark.human.judgements import Phase

Systems: TypeAlias = tuple[str, ...]
_DIGEST_LENGTH = 32
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text to be judged, under the label that evaluators see.

    ``systems`` gave this text: it is judged once, and the answer counts for each of them. ``edits``
    are the changes of a degraded text in an attention check. ``proposed`` are the proposed marks.
    On a page with a whole document each candidate has its own ``segment`` and ``source``.
    """

    label: str
    systems: tuple[str, ...]
    text: str
    edits: tuple[str, ...] = ()
    proposed: tuple[Mapping[str, Any], ...] = ()
    segment: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One segment with its candidates, as one evaluator sees it at one position.

    A page with a whole document holds the outputs of one system for all its segments, and the id of
    the document as ``segment``. ``id`` is random and says nothing. ``expected`` holds the reference
    answers of a training page: by label of the candidate ("" for the whole page), then by question;
    for marks, a list. ``why`` gives by label the reasons for these answers.
    """

    id: str
    evaluator: str
    position: int
    phase: Phase
    segment: str
    candidates: tuple[Candidate, ...]
    source: str = ""
    reference: str = ""
    document: str | None = None
    context: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    expected: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: _NOTHING)
    why: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def segment_of(self, candidate: Candidate) -> str:
        """Return the segment of a candidate."""
        return candidate.segment or self.segment

    def source_of(self, candidate: Candidate) -> str:
        """Return the source text of a candidate."""
        return candidate.source if candidate.segment else self.source

    @property
    def content(self) -> str:
        """Digest of the judged segment and systems, independent of their order."""
        systems = sorted({one.systems for one in self.candidates})
        parts = json.dumps([self.segment, systems])
        return hashlib.sha256(parts.encode()).hexdigest()[:_DIGEST_LENGTH]

    @property
    def is_document(self) -> bool:
        """True if the candidates are the segments of a document."""
        return any(one.segment for one in self.candidates)

    def candidate(self, label: str) -> Candidate:
        """Return the candidate with this label."""
        return next(candidate for candidate in self.candidates if candidate.label == label)

    def reshuffled(self, rng: np.random.Generator) -> Page:
        """Return the page with candidates in random order; segments of a document keep theirs."""
        return (
            self if self.is_document else replace(self, candidates=shuffled(self.candidates, rng))
        )


@dataclass(frozen=True, slots=True)
class PoolItem:
    """A page in the pool, until ``times`` evaluators have judged it.

    A check or a repeat ``follows`` an item: it goes to the evaluators of that item, at least
    ``distance`` pages later. Training pages go to everybody.
    """

    page: Page
    times: int = 1
    follows: int | None = None
    distance: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """All pages of all evaluators, and their questions.

    ``pass_mark`` is the share of training answers that must agree with the reference answers before
    the main phase opens; None means no limit. ``settings`` is the campaign file as read. Items of
    the ``pool`` become pages when somebody takes them.
    """

    name: str
    form: Form
    source_language: str | None
    target_language: str
    evaluators: tuple[str, ...]
    pages: tuple[Page, ...]
    seed: int
    pass_mark: float | None = None
    settings: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    notes: tuple[str, ...] = ()
    pool: tuple[PoolItem, ...] = ()

    def pages_of(self, evaluator: str) -> tuple[Page, ...]:
        """Return the pages of one evaluator, in order."""
        return tuple(page for page in self.pages if page.evaluator == evaluator)

    def shown(self, phase: Phase | None = None) -> Iterator[tuple[Page, Candidate]]:
        """Yield every candidate with its page, of one phase or of all."""
        pages = (page for page in self.pages if phase in (None, page.phase))
        return ((page, candidate) for page in pages for candidate in page.candidates)

    @property
    def is_pool(self) -> bool:
        """True if pages are taken from a shared pool."""
        return has_pool(self.settings)


def has_pool(settings: Mapping[str, Any]) -> bool:
    """Return True if the settings of a plan are those of a shared pool."""
    return bool((settings.get("assignment") or {}).get("mode") == "pool")


@dataclass(frozen=True, slots=True)
class Answer:
    """One saved answer. Answers are only ever added; the one with the highest revision counts.

    ``candidate`` is the label of the candidate, empty for a question about the whole page.
    ``value`` is the grade, the number, ``first``/``equal``/``second`` of a preference, ``A=B>C``
    of a ranking, the number of marks of spans, a written text as it is, and None if the answer was
    taken back or cannot be given. ``detail`` may hold:

    * ``steps``: the answers of a chart, step to ``yes`` or ``no``; a direct choice has none;
    * ``spans``: marks of errors, as ``marks.py`` describes them;
    * ``unfinished``: with a value of None, a text as far as it was written, or marks of which
      something is not chosen yet;
    * ``reason``: why it cannot be judged, with a value of None;
    * ``comment``: a remark of the evaluator.

    ``client`` is made by the browser, so that a save sent twice is stored once.
    """

    page: str
    candidate: str
    question: str
    value: str | None
    detail: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    revision: int = 1
    client: str = ""
    seconds: float | None = None
    saved: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Page, candidate and question."""
        return self.page, self.candidate, self.question


_LETTERS = 26


def label(place: int) -> str:
    """Return the label of a place from 0: A to Z, then AA, AB and so on."""
    text = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, _LETTERS)
        text = chr(ord("A") + letter) + text
    return text


def labelled(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates under the labels A, B, C … in this order."""
    return tuple(replace(one, label=label(place)) for place, one in enumerate(candidates))


def shuffled(candidates: Sequence[Candidate], rng: np.random.Generator) -> tuple[Candidate, ...]:
    """Return the candidates in random order, labelled anew."""
    return labelled([candidates[place] for place in rng.permutation(len(candidates))])
