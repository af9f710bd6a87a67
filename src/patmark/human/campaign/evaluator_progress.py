"""Progress of one evaluator: open pages, training, qualification, minutes left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any, Literal, TypeAlias

from patmark.human.campaign.plan import Page
from patmark.human.campaign.records import EvaluatorInfo, PageInfo
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
    """Number of answers that agree with the reference answers, and of those given."""

    right: int
    total: int
    given: int = 0

    @classmethod
    def of(cls, found: Iterable[Correction]) -> ReferenceAgreement:
        """Count the expected answers that were given, and those that agree; open ones are wrong."""
        agrees = [(one.agrees, one.given is not None) for one in found]
        return cls(sum(one for one, _ in agrees), len(agrees), sum(given for _, given in agrees))

    @property
    def share(self) -> float:
        """Between 0 and 1; 1 where nothing was asked."""
        return self.right / self.total if self.total else 1.0

    @property
    def share_of_given(self) -> float | None:
        """Share of given answers that agree so far."""
        return self.right / self.given if self.given else None

    @property
    def percent(self) -> int:
        """In percent, rounded down, so that it never overstates the result."""
        return int(100 * self.share)


@dataclass(frozen=True)
class Person:
    """An evaluator with the pages held, in order, and everything that follows from them.

    ``complete`` are the finished pages, ``seconds_on`` the time spent on each page. ``retry`` is a
    training page with wrong answers that can be checked again. ``waiting`` is the number of further
    pages in a shared pool, where others may take them. ``least_seconds`` is the time that a page
    takes at least.
    """

    info: EvaluatorInfo
    pages: tuple[PageInfo, ...]
    complete: frozenset[str]
    agreement: ReferenceAgreement
    pass_mark: float | None = None
    seconds_on: Mapping[str, float] = field(default_factory=dict)
    retry: str | None = None
    waiting: int = 0
    last_saved: str | None = None
    flagged: int = 0
    least_seconds: float = 0.0

    @property
    def name(self) -> str:
        """The name of the evaluator."""
        return self.info.name

    @property
    def enrolled(self) -> bool:
        """True once consent and background are given."""
        return self.info.enrolled is not None

    @cached_property
    def training(self) -> tuple[PageInfo, ...]:
        """The pages of the training."""
        return tuple(page for page in self.pages if page.phase == "training")

    @cached_property
    def judging(self) -> tuple[PageInfo, ...]:
        """All other pages. Checks and repeated pages are indistinguishable from the rest."""
        return tuple(page for page in self.pages if page.phase != "training")

    @cached_property
    def finished(self) -> tuple[PageInfo, ...]:
        """The complete pages after the training."""
        return tuple(page for page in self.judging if page.id in self.complete)

    @property
    def done(self) -> int:
        """The number of complete pages after the training."""
        return len(self.finished)

    @property
    def total(self) -> int:
        """The number of pages to judge, with those that wait in a shared pool."""
        return len(self.judging) + self.waiting

    @property
    def training_done(self) -> int:
        """The number of complete pages of the training."""
        return sum(page.id in self.complete for page in self.training)

    @property
    def training_total(self) -> int:
        """The number of pages of the training."""
        return len(self.training)

    @property
    def training_is_done(self) -> bool:
        """True if all training pages are complete; the reference answers may then be seen."""
        return self.training_done == self.training_total

    @property
    def passed(self) -> bool | None:
        """True if the pass mark was reached; None while pages of the training are open."""
        if not self.training_is_done:
            return None
        return self.pass_mark is None or self.agreement.share >= self.pass_mark

    @property
    def may_judge(self) -> bool:
        """True if the main phase is open: the organiser's decision overrides the pass mark."""
        qualified = self.info.qualified
        return self.enrolled and (self.passed is True if qualified is None else qualified)

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
        return next((page for page in rest if page.id not in self.complete), None)

    @cached_property
    def _spent(self) -> list[float]:
        return [self.seconds_on[page.id] for page in self.finished if page.id in self.seconds_on]

    @property
    def seconds(self) -> float | None:
        """The median time of a finished page."""
        return median(self._spent) if self._spent else None

    @property
    def minutes_left(self) -> int | None:
        """The minutes for the open pages at the mean time of finished ones; None before one."""
        still_open = self.total - self.done
        if not still_open or not sum(self._spent):
            return None
        return max(1, round(sum(self._spent) / len(self._spent) * still_open / 60))

    @property
    def fast(self) -> tuple[str, ...]:
        """The segments of finished pages that took less time than the campaign allows."""
        least, seconds = self.least_seconds, self.seconds_on
        return tuple(page.segment for page in self.finished if seconds.get(page.id, 0.0) < least)

    @property
    def has_work(self) -> bool:
        """True if there is anything to do, also while the training is not finished."""
        return bool(self.total + self.training_total)

    @property
    def state(self) -> PersonState:
        """The state of the person; nobody without pages after the training has finished."""
        if self.info.excluded is not None:
            return "excluded"
        if self.info.revoked is not None:
            return "revoked"
        if not self.enrolled:
            return "invited"
        if self.passed is None and self.info.qualified is None:
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
        names = ("done", "total", "training_done", "training_total", "minutes_left", "last_saved")
        agreement, info = self.agreement, self.info
        return {
            **{name: getattr(self, name) for name in names},
            "training": {
                "expected": agreement.total,
                "given": agreement.given,
                "agreeing": agreement.right,
                "passed": self.passed,
            },
            "may_judge": self.may_judge,
            "qualified": info.qualified,
            "excluded": info.excluded,
            "revoked": info.revoked,
            "flagged": self.flagged,
            "waiting": self.waiting,
            "background": dict(info.background),
            "seconds_per_page": self.seconds,
            "too_fast": list(self.fast),
        }
