"""Progress of one evaluator: open pages, training, qualification, minutes left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from patmark.human.campaign.plan import Page
from patmark.human.campaign.records import PageInfo
from patmark.human.campaign.training import Correction
from patmark.wording import Text, tr

PersonState: TypeAlias = Literal[
    "excluded", "revoked", "invited", "training", "unqualified", "working", "finished"
]
_STATES: Mapping[PersonState, Text] = {
    "excluded": tr("excluded"),
    "revoked": tr("no access"),
    "invited": tr("not begun"),
    "training": tr("in training"),
    "unqualified": tr("not qualified"),
    "working": tr("working"),
    "finished": tr("finished"),
}


@dataclass(frozen=True, slots=True)
class ReferenceAgreement:
    """Number of training answers that agree with the reference answers; open ones are wrong."""

    right: int
    total: int

    @classmethod
    def of(cls, found: Iterable[Correction]) -> ReferenceAgreement:
        """Count the expected answers that were given."""
        agrees = [one.agrees for one in found]
        return cls(sum(agrees), len(agrees))

    @property
    def share(self) -> float:
        """Between 0 and 1; 1 where nothing was asked."""
        return self.right / self.total if self.total else 1.0

    @property
    def percent(self) -> int:
        """In percent, rounded down, so that it never overstates the result."""
        return int(100 * self.share)


@dataclass(frozen=True, slots=True)
class EvaluatorStanding:
    """The pages of one evaluator in order, the finished ones, and whether judging may begin.

    ``minutes_left`` is the expected time of the open pages after the training at the mean time of
    finished ones; None before there is one. ``retry`` is a training page with wrong answers that
    can be checked again. ``waiting`` is the number of further pages in a shared pool. ``enrolled``
    is True once consent and background are given.
    """

    pages: tuple[PageInfo, ...]
    done: frozenset[str]
    pass_mark: float | None
    qualified: bool | None
    agreement: ReferenceAgreement | None
    minutes_left: int | None
    retry: str | None = None
    waiting: int = 0
    enrolled: bool = True

    @property
    def training(self) -> tuple[PageInfo, ...]:
        """The pages of the training."""
        return tuple(page for page in self.pages if page.phase == "training")

    @property
    def judging(self) -> tuple[PageInfo, ...]:
        """All other pages. Checks and repeated pages are indistinguishable from the rest."""
        return tuple(page for page in self.pages if page.phase != "training")

    @property
    def total(self) -> int:
        """The number of pages to judge, with those that wait in a shared pool."""
        return len(self.judging) + self.waiting

    @property
    def training_is_done(self) -> bool:
        """True if all training pages are complete; the reference answers may then be seen."""
        return all(page.id in self.done for page in self.training)

    @property
    def passed(self) -> bool | None:
        """True if the pass mark was reached; None while pages of the training are open."""
        if not self.training_is_done:
            return None
        if self.pass_mark is None or self.agreement is None:
            return True
        return self.agreement.share >= self.pass_mark

    @property
    def may_judge(self) -> bool:
        """True if the main phase is open: the organiser's decision overrides the pass mark."""
        passed = self.passed is True if self.qualified is None else self.qualified
        return self.enrolled and passed

    @property
    def open_pages(self) -> tuple[PageInfo, ...]:
        """The pages that can be seen now."""
        training = self.training if self.enrolled else ()
        return training + self.judging if self.may_judge else training

    def is_open(self, page: Page) -> bool:
        """Return True if a page may be answered."""
        return self.may_judge or (self.enrolled and page.phase == "training")

    def first_open(self, after: str | None = None) -> PageInfo | None:
        """Return the first incomplete page, first looking after a given page."""
        pages = self.open_pages
        ids = [page.id for page in pages]
        start = ids.index(after) + 1 if after in ids else 0
        rest = pages[start:] + pages[:start]
        return next((page for page in rest if page.id not in self.done), None)

    def count_done(self, pages: Iterable[PageInfo]) -> int:
        """Return the number of complete pages among these."""
        return sum(page.id in self.done for page in pages)


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Expected answers of an evaluator's training: how many there are, were given, and agree.

    ``passed`` is None as long as pages of the training are open.
    """

    expected: int
    given: int
    agreeing: int
    passed: bool | None

    @property
    def share(self) -> float | None:
        """Share of given answers that agree so far."""
        return self.agreeing / self.given if self.given else None


_NOT_IN_JSON = ("name", "seconds", "fast", "enrolled")


@dataclass(frozen=True, slots=True)
class Person:
    """One evaluator in the organiser's overview.

    ``done`` and ``total`` count all pages except training; ``waiting`` of the total are still in a
    shared pool, where others may take them. ``seconds`` is the median time of a finished page.
    ``fast`` are the segments of finished pages that took less time than the campaign allows.
    ``enrolled`` is False until consent and background are given.
    """

    name: str
    done: int
    total: int
    training_done: int
    training_total: int
    seconds: float | None
    minutes_left: int | None
    last_saved: str | None
    training: TrainingProgress
    may_judge: bool
    qualified: bool | None
    excluded: str | None
    revoked: str | None
    fast: tuple[str, ...]
    flagged: int
    waiting: int = 0
    enrolled: bool = True
    background: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_work(self) -> bool:
        """True if there is anything to do, also while the training is not finished."""
        return bool(self.total + self.training_total)

    @property
    def state(self) -> PersonState:
        """The state of the person; nobody without pages after the training has finished."""
        if self.excluded is not None:
            return "excluded"
        if self.revoked is not None:
            return "revoked"
        if not self.enrolled:
            return "invited"
        if self.training.passed is None and self.qualified is None:
            return "training"
        if not self.may_judge:
            return "unqualified"
        return "finished" if self.total and self.done == self.total else "working"

    @property
    def state_text(self) -> Text:
        """The state in words."""
        return _STATES[self.state]

    def to_json(self) -> dict[str, Any]:
        """Return the evaluator as JSON values."""
        values = {name: value for name, value in asdict(self).items() if name not in _NOT_IN_JSON}
        return values | {"seconds_per_page": self.seconds, "too_fast": list(self.fast)}


def finished_pages(pages: Sequence[PageInfo], done: Collection[str]) -> list[PageInfo]:
    """Return the pages after the training that are done."""
    return [page for page in pages if page.phase != "training" and page.id in done]


def seconds_spent(pages: Iterable[PageInfo], seconds: Mapping[str, float]) -> list[float]:
    """Return the seconds spent on each page for which they are known."""
    return [seconds[page.id] for page in pages if page.id in seconds]


def minutes_left(
    pages: Sequence[PageInfo], done: Collection[str], seconds: Mapping[str, float], waiting: int
) -> int | None:
    """Return the minutes for the open pages at the mean time of the finished ones.

    ``waiting`` counts the pages still to come from a shared pool. None before a page is finished.
    """
    finished = finished_pages(pages, done)
    spent = seconds_spent(finished, seconds)
    still_open = sum(page.phase != "training" for page in pages) - len(finished) + waiting
    if not still_open or not sum(spent):
        return None
    return max(1, round(sum(spent) / len(spent) * still_open / 60))
