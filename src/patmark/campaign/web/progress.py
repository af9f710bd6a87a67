"""Where an evaluator stands: what is done, what comes next, and whether the training is passed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from patmark.campaign.common_order import with_agreed
from patmark.campaign.plan import Answer, Page
from patmark.campaign.store.records import PageInfo
from patmark.campaign.store.store import Store
from patmark.campaign.training import Correction, page_corrections


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many training answers agree with the reference answers."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 1 where nothing was asked."""
        return self.right / self.total if self.total else 1.0

    @property
    def percent(self) -> int:
        """In percent, rounded down: what is shown never promises more than was reached."""
        return int(100 * self.share)


@dataclass(frozen=True, slots=True)
class Standing:
    """The pages of one evaluator in order, those that are done, and whether judging may begin."""

    pages: tuple[PageInfo, ...]
    done: frozenset[str]
    pass_mark: float | None
    qualified: bool | None
    agreement: Agreement | None
    minutes_left: int | None

    @property
    def training(self) -> tuple[PageInfo, ...]:
        """The pages of the training."""
        return tuple(page for page in self.pages if page.phase == "training")

    @property
    def judging(self) -> tuple[PageInfo, ...]:
        """All other pages. Nothing tells checks and repeated pages apart from the rest."""
        return tuple(page for page in self.pages if page.phase != "training")

    @property
    def training_is_done(self) -> bool:
        """Whether all training pages are complete; the reference answers may then be seen."""
        return all(page.id in self.done for page in self.training)

    @property
    def may_judge(self) -> bool:
        """Whether the main phase is open: the organiser's word counts before the pass mark."""
        if self.qualified is not None:
            return self.qualified
        if not self.training_is_done:
            return False
        if self.pass_mark is None or self.agreement is None:
            return True
        return self.agreement.share >= self.pass_mark

    @property
    def open_pages(self) -> tuple[PageInfo, ...]:
        """The pages that can be seen now."""
        return self.training + self.judging if self.may_judge else self.training

    def first_open(self, after: str | None = None) -> PageInfo | None:
        """The first page that is not complete, looking behind a page first."""
        pages = self.open_pages
        ids = [page.id for page in pages]
        start = ids.index(after) + 1 if after in ids else 0
        rest = pages[start:] + pages[:start]
        return next((page for page in rest if page.id not in self.done), None)

    def count_done(self, pages: Iterable[PageInfo]) -> int:
        """How many of these pages are complete."""
        return sum(page.id in self.done for page in pages)


def standing_of(store: Store, campaign: str, evaluator: str) -> Standing:
    """Where an evaluator stands."""
    pages = tuple(sorted(store.pages(campaign, evaluator), key=lambda page: page.position))
    done = store.done_pages(campaign, evaluator)
    answers = [one.answer for one in store.answers(campaign, evaluator)]
    training = [page.id for page in pages if page.phase == "training"]
    agreement = None
    if training and done.issuperset(training):
        found = [store.page(campaign, evaluator, page) for page in training]
        form, tolerance = store.form(campaign), tolerance_of(store, campaign)
        agreement = agreement_of(
            correction
            for page in found
            if page is not None
            for correction in page_corrections(
                form, agreed_page(store, campaign, page), answers, tolerance
            )
        )
    return Standing(
        pages=pages,
        done=done,
        pass_mark=store.campaign(campaign).pass_mark,
        qualified=store.qualified(campaign, evaluator),
        agreement=agreement,
        minutes_left=_minutes_left(answers, len(done), len(pages)),
    )


def agreed_page(store: Store, campaign: str, page: Page) -> Page:
    """A training page with what the organisers agreed on as its reference answers."""
    agreed = {one.place: one.value for one in store.consensus(campaign)}
    return with_agreed(store.form(campaign), page, agreed)


def tolerance_of(store: Store, campaign: str) -> int:
    """How many steps of the scale a training answer may be off."""
    return int(store.settings(campaign).get("tolerance", 0))


def references_are_shown(store: Store, campaign: str, evaluator: str, page: Page) -> bool:
    """Whether an evaluator may see the reference answers of a page, which is final from then on.

    That is when the page is complete, or with feedback at the end when all of the training is.
    """
    if page.phase != "training":
        return False
    done = store.done_pages(campaign, evaluator)
    if store.settings(campaign).get("feedback") != "end":
        return page.id in done
    pages = store.pages(campaign, evaluator)
    return all(one.id in done for one in pages if one.phase == "training")


def agreement_of(found: Iterable[Correction]) -> Agreement:
    """How many of the expected answers were given; those that are open count as wrong."""
    agrees = [one.agrees for one in found]
    return Agreement(sum(agrees), len(agrees))


def _minutes_left(answers: Iterable[Answer], done: int, pages: int) -> int | None:
    """The time that the open pages will take at the speed so far; None before there is one."""
    seconds = sum(answer.seconds or 0.0 for answer in answers)
    if not done or not seconds or done == pages:
        return None
    return max(1, round(seconds / done * (pages - done) / 60))
