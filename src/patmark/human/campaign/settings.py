"""What an organiser decides about a campaign, as read from the campaign file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from patmark.data import Run, TestSet
from patmark.human.campaign.form import Form

Mode: TypeAlias = Literal["different", "same", "overlap", "each-r-times"]
Feedback: TypeAlias = Literal["each", "end"]
Balance: TypeAlias = Literal["document", "ipc"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Who judges, under a pseudonym; ``language`` is that of the pages, None leaves it open."""

    name: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who judges which segments.

    ``overlap`` is the share of segments that everyone judges, in mode overlap; ``times`` is how
    many evaluators judge each segment, in mode each-r-times. ``items_per_evaluator`` None deals
    out the whole test set. ``pairs_per_segment`` None asks for all pairs of a segment.
    """

    mode: Mode = "different"
    items_per_evaluator: int | None = None
    overlap: float = 0.0
    times: int = 1
    pairs_per_segment: int | None = None


@dataclass(frozen=True, slots=True)
class TrainingCandidate:
    """A text of a training page with the answers that are held for right, by question."""

    text: str
    system: str
    expected: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """A training page, the same for everyone; ``expected`` are the answers about the whole page."""

    id: str
    candidates: tuple[TrainingCandidate, ...]
    source: str = ""
    reference: str = ""
    document: str | None = None
    expected: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class Training:
    """Training before the main phase.

    Feedback comes after each page, or at the end. An answer within ``tolerance`` steps of the
    expected one agrees with it; ``pass_mark`` is the share that must agree.
    """

    items: tuple[TrainingItem, ...]
    feedback: Feedback = "each"
    pass_mark: float | None = None
    tolerance: int = 0


@dataclass(frozen=True, slots=True)
class Extras:
    """Pages beyond the main ones: a share of them, so many pages after their originals.

    ``edits`` are the ways to spoil a text that attention checks may take.
    """

    share: float
    distance: int
    edits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """A campaign file that has been checked, with the texts that it names.

    ``context`` holds what is known of documents and segments, by id. ``notes`` say what is odd, but
    allowed. ``record`` is the file as it was read.
    """

    name: str
    form: Form
    test_set: TestSet
    runs: tuple[Run, ...]
    evaluators: tuple[Evaluator, ...]
    assignment: Assignment = field(default_factory=Assignment)
    balance: tuple[Balance, ...] = ("document",)
    training: Training | None = None
    checks: Extras | None = None
    repeats: Extras | None = None
    neighbours: int = 0
    context: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: _NOTHING)
    min_seconds: float | None = None
    seed: int = 0
    notes: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
