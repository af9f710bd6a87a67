"""The state of a campaign: what was planned, answered and decided, and how far everybody is.

Web pages, status and export all read this one state; what a page needs to be done, who may judge
and how long it will take is decided here alone. The store reads it in one snapshot.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any, Literal, TypeAlias

from patmark.campaign.common_order import with_agreed
from patmark.campaign.form import CHECKED, Form
from patmark.campaign.page_completion import page_is_done
from patmark.campaign.plan import Answer, Page, Plan, has_pool
from patmark.campaign.records import (
    CampaignInfo,
    Consensus,
    EvaluatorInfo,
    PageCounts,
    PageInfo,
    Progress,
    Remark,
    StoredAnswer,
)
from patmark.campaign.results import AnswerBook, CampaignResults, campaign_results
from patmark.campaign.training import Correction, page_corrections
from patmark.wording import Text, tr, tr_n

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
class Agreement:
    """How many training answers agree with the reference answers; open ones count as wrong."""

    right: int
    total: int

    @classmethod
    def of(cls, found: Iterable[Correction]) -> Agreement:
        """How many of the expected answers were given."""
        agrees = [one.agrees for one in found]
        return cls(sum(agrees), len(agrees))

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
    """The pages of one evaluator in order, those that are done, and whether judging may begin.

    ``minutes_left`` is what the open pages after the training take at the mean time of those that
    are done; None before there is one. ``retry`` is a training page with wrong answers that can be
    checked again. ``waiting`` is how many more pages a shared pool has for the evaluator.
    ``enrolled`` once what comes before the start is answered.
    """

    pages: tuple[PageInfo, ...]
    done: frozenset[str]
    pass_mark: float | None
    qualified: bool | None
    agreement: Agreement | None
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
        """All other pages. Nothing tells checks and repeated pages apart from the rest."""
        return tuple(page for page in self.pages if page.phase != "training")

    @property
    def total(self) -> int:
        """How many pages there are to judge, with those that wait in a shared pool."""
        return len(self.judging) + self.waiting

    @property
    def training_is_done(self) -> bool:
        """Whether all training pages are complete; the reference answers may then be seen."""
        return all(page.id in self.done for page in self.training)

    @property
    def passed(self) -> bool | None:
        """Whether the pass mark was reached; None as long as pages of the training are open."""
        if not self.training_is_done:
            return None
        if self.pass_mark is None or self.agreement is None:
            return True
        return self.agreement.share >= self.pass_mark

    @property
    def may_judge(self) -> bool:
        """Whether the main phase is open: the organiser's word counts before the pass mark."""
        passed = self.passed is True if self.qualified is None else self.qualified
        return self.enrolled and passed

    @property
    def open_pages(self) -> tuple[PageInfo, ...]:
        """The pages that can be seen now."""
        training = self.training if self.enrolled else ()
        return training + self.judging if self.may_judge else training

    def is_open(self, page: Page) -> bool:
        """Whether a page may be answered."""
        return self.may_judge or (self.enrolled and page.phase == "training")

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


@dataclass(frozen=True, slots=True)
class NextView:
    """What a person sees next: what is asked before the start, the result of the training, a page
    to judge, one that is still to be taken from the shared pool, or the end.
    """

    kind: Literal["start", "training", "page", "pool", "done"]
    page: str | None = None


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
        """The share that agrees so far, of those that were given."""
        return self.agreeing / self.given if self.given else None


_NOT_TOLD = ("name", "seconds", "fast", "enrolled")


@dataclass(frozen=True, slots=True)
class Person:
    """One evaluator at a glance, as the organiser sees them.

    ``done`` and ``total`` count all pages but those of the training; of the total, so many as
    ``waiting`` says are still in a shared pool, where others may take them. ``seconds`` is the
    median time of a finished page. ``fast`` are the segments of finished pages that took less time
    than the campaign allows. Not ``enrolled`` is who has still to answer what comes before the
    start.
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
        """Whether there is anything to do, also while the training is not finished."""
        return bool(self.total + self.training_total)

    @property
    def state(self) -> PersonState:
        """Where the person stands; who has no pages after the training is not finished."""
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
    def said_state(self) -> Text:
        """The same in words."""
        return _STATES[self.state]

    def to_json(self) -> dict[str, Any]:
        """An evaluator for machines."""
        told = {name: value for name, value in asdict(self).items() if name not in _NOT_TOLD}
        return told | {"seconds_per_page": self.seconds, "too_fast": list(self.fast)}


@dataclass(frozen=True, slots=True, eq=False)
class Saves:
    """What was saved: of each page the answers that count, in the order of their last save.

    ``seconds`` is the time spent on each page over all saves that told it, ``last`` when each
    evaluator saved last.
    """

    by_page: Mapping[str, Mapping[tuple[str, str], StoredAnswer]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)

    def and_then(self, saves: Iterable[StoredAnswer]) -> Saves:
        """These and later ones, by time on each page; these stay as they are."""
        by_page = dict(self.by_page)
        seconds, last = dict(self.seconds), dict(self.last)
        own: defaultdict[str, dict[tuple[str, str], StoredAnswer]] = defaultdict(dict)
        for one in saves:
            answer, place = one.answer, one.place
            page = answer.page
            if page not in own:
                own[page] |= by_page.get(page, {})
            known = own[page].pop(place, None)
            is_newer = known is None or answer.revision > known.answer.revision
            own[page][place] = one if is_newer or known is None else known
            if answer.seconds is not None:
                seconds[page] = seconds.get(page, 0.0) + answer.seconds
            if answer.saved > last.get(one.evaluator, ""):
                last[one.evaluator] = answer.saved
        return Saves(by_page | own, seconds, last)

    def on(self, pages: Iterable[str]) -> tuple[StoredAnswer, ...]:
        """The answers on some pages that count."""
        return tuple(one for page in pages for one in self.by_page.get(page, {}).values())


@dataclass(frozen=True, eq=False)
class CampaignState:
    """A campaign, or the part of it that one evaluator sees, as it stands.

    ``texts`` holds the pages that were read whole.
    """

    info: CampaignInfo
    form: Form
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    evaluators: tuple[EvaluatorInfo, ...]
    pages: tuple[PageInfo, ...]
    texts: Mapping[str, Page]
    saves: Saves
    remarks: tuple[Remark, ...]
    consensus: tuple[Consensus, ...]

    @cached_property
    def plan(self) -> Plan:
        """The plan, with all pages as they are assigned now."""
        return Plan(
            name=self.info.name,
            form=self.form,
            source_language=self.info.source_language,
            target_language=self.info.target_language,
            evaluators=tuple(one.name for one in self.evaluators),
            pages=tuple(self.texts[info.id] for info in self.pages),
            seed=self.info.seed,
            pass_mark=self.info.pass_mark,
            settings=self.settings,
            notes=self.notes,
        )

    @cached_property
    def trained(self) -> Plan:
        """The plan with what was agreed on as the reference answers of the training."""
        return replace(self.plan, pages=tuple(map(self.with_references, self.plan.pages)))

    @cached_property
    def book(self) -> AnswerBook:
        """The answers of everybody, without those on pages that were assigned twice."""
        doubled = {page.id for page in self.doubled}
        plan = self.plan
        if doubled:
            plan = replace(plan, pages=tuple(one for one in plan.pages if one.id not in doubled))
        given = (one for one in self.given if one.page not in doubled)
        return AnswerBook(plan, {(one.page, one.candidate, one.question): one for one in given})

    @cached_property
    def doubled(self) -> tuple[Page, ...]:
        """Main pages with outputs that their evaluator also has on an earlier page.

        The database refuses them; an older patmark could assign them.
        """
        seen: set[tuple[str, str]] = set()
        found = []
        for info in self.pages:
            if info.phase == "main":
                page = self.texts[info.id]
                key = info.evaluator, info.content or page.content
                if key in seen:
                    found.append(page)
                seen.add(key)
        return tuple(found)

    @cached_property
    def counted(self) -> AnswerBook:
        """The book without the answers of excluded evaluators."""
        return self.book.without(self.excluded)

    @cached_property
    def results(self) -> CampaignResults:
        """Judgements and preferences without those of excluded evaluators."""
        return self.results_of(self.counted)

    def results_of(self, book: AnswerBook) -> CampaignResults:
        """Compute the results of a book of this campaign, with notes on doubled pages."""
        found = campaign_results(book.plan, book)
        doubled: defaultdict[str, list[str]] = defaultdict(list)
        for page in self.doubled:
            doubled[page.evaluator].append(page.segment)
        notes = (
            tr_n(
                "{evaluator} has {n} page twice, of which only the first counts: {segments}",
                "{evaluator} has {n} pages twice, of which only the first count: {segments}",
                n=len(segments),
                evaluator=evaluator,
                segments=", ".join(segments),
            )
            for evaluator, segments in doubled.items()
        )
        return replace(found, notes=(*found.notes, *notes))

    @cached_property
    def given(self) -> tuple[Answer, ...]:
        """The answers that count, of everybody."""
        return tuple(one.answer for one in self.saves.on(page.id for page in self.pages))

    @cached_property
    def done(self) -> frozenset[str]:
        """The pages that have all the answers that they need, or reasons why there are none."""
        given, checked = self.saves.by_page, "tries" in self.settings
        return frozenset(
            page.id
            for page in self.pages
            if page.id in given
            and page_is_done(
                page,
                [(one.answer.question, one.counts) for one in given[page.id].values()],
                checked=checked,
            )
        )

    @cached_property
    def begun(self) -> frozenset[str]:
        """The pages that were answered or remarked on."""
        return frozenset(self.saves.by_page) | {one.page for one in self.remarks}

    @property
    def excluded(self) -> dict[str, str]:
        """The evaluators whose answers do not count, each with the reason."""
        return {one.name: one.excluded for one in self.evaluators if one.excluded is not None}

    @property
    def tolerance(self) -> int:
        """How many steps of the scale a training answer may be off."""
        return int(self.settings.get("tolerance", 0))

    def language_of(self, evaluator: str) -> str | None:
        """The language of the pages that the campaign file gives an evaluator, if it does."""
        return planned_language(self.settings, evaluator)

    def answers_on(self, page: str) -> tuple[Answer, ...]:
        """The answers to one page that count."""
        return tuple(one.answer for one in self.saves.on((page,)))

    def with_references(self, page: Page) -> Page:
        """A training page with what the organisers agreed on as its reference answers."""
        return with_agreed(self.form, page, self._agreed)

    def references_are_shown(self, page: Page) -> bool:
        """Whether the evaluator may see the reference answers of a page.

        That is when the page is complete and was checked, or with feedback at the end when all
        pages of the training are.
        """
        if page.phase != "training":
            return False
        if self.settings.get("feedback") != "end":
            return page.id in self.done
        return self.standing(page.evaluator).training_is_done

    def tries_left(self, page: Page) -> int:
        """How often a training page can still be checked; then its answers are final.

        Pages of campaigns that know no tries are final when their reference answers are shown.
        """
        if "tries" not in self.settings:
            return int(not self.references_are_shown(page))
        checked = self.saves.by_page.get(page.id, {}).get(("", CHECKED))
        return max(0, int(self.settings["tries"]) - (checked.answer.revision if checked else 0))

    def is_final(self, page: Page) -> bool:
        """Whether the answers of a training page can no longer be changed."""
        return self.references_are_shown(page) and not self.tries_left(page)

    def standing(self, evaluator: str) -> Standing:
        """Where an evaluator stands."""
        return self._standings[evaluator]

    def next_view(self, evaluator: str, after: str | None = None) -> NextView:
        """What an evaluator sees next who has just left a page, or comes in.

        After the last page of the training comes its result; then the first page that is not
        complete, then the pool, to which only those come who may judge.
        """
        standing = self.standing(evaluator)
        if standing.training_is_done and any(page.id == after for page in standing.training):
            return NextView("training")
        if not standing.enrolled:
            return NextView("start")
        if first := standing.first_open(after):
            return NextView("page", first.id)
        if not standing.may_judge:
            return NextView("training")
        return NextView("pool" if self.is_pool and self.info.is_open else "done")

    def deadline_of(self, evaluator: str) -> str | None:
        """The day until which an evaluator should have finished: their own, or the campaign's."""
        named = self.settings.get("evaluators", ())
        own = next((one.get("deadline") for one in named if one["name"] == evaluator), None)
        return own or self.settings.get("deadline")

    @property
    def is_pool(self) -> bool:
        """Whether pages are taken from a shared pool."""
        return has_pool(self.settings)

    @property
    def whole_segments(self) -> bool:
        """Whether a segment counts for an evaluator only once all systems are graded in it.

        Who takes single outputs from a pool is not meant to see those of other systems.
        """
        return not (self.is_pool and self.form.candidates == 1)

    @property
    def lease_minutes(self) -> int:
        """How long a page of the pool is kept for an evaluator who saves nothing on it."""
        return int(self._assignment["lease_minutes"])

    def room(self, evaluator: str) -> float:
        """How many more items of the pool an evaluator may take."""
        most = self._assignment.get("items_per_evaluator") if self.is_pool else None
        taken = sum(page.phase == "main" for page in self.pages_of(evaluator))
        return math.inf if most is None else max(0, int(most) - taken)

    @property
    def _assignment(self) -> Mapping[str, Any]:
        return self.settings.get("assignment") or {}

    @cached_property
    def progress(self) -> Progress:
        """How far the campaign is, as every list and page says it."""
        excluded = self.excluded
        counts: PageCounts = Counter(
            (page.phase, page.item is not None, page.id in self.done)
            for page in self.pages
            if page.evaluator not in excluded
        )
        return Progress.of(self.info, counts)

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """How far everybody is, and what is odd about them."""
        return tuple(map(self._person, self.evaluators))

    @cached_property
    def _agreed(self) -> dict[tuple[str, tuple[str, ...], str], str]:
        return {one.place: one.value for one in self.consensus}

    def pages_of(self, evaluator: str) -> tuple[PageInfo, ...]:
        """Return the pages of one evaluator, in order."""
        return self._held.get(evaluator, ())

    @cached_property
    def _held(self) -> dict[str, tuple[PageInfo, ...]]:
        found: defaultdict[str, list[PageInfo]] = defaultdict(list)
        for page in self.pages:
            found[page.evaluator].append(page)
        return {name: tuple(own) for name, own in found.items()}

    @cached_property
    def _standings(self) -> dict[str, Standing]:
        found = {}
        for one in self.evaluators:
            own = self.pages_of(one.name)
            training = any(page.phase == "training" for page in own)
            found[one.name] = Standing(
                pages=own,
                done=frozenset(page.id for page in own if page.id in self.done),
                pass_mark=self.info.pass_mark,
                qualified=one.qualified,
                agreement=Agreement.of(self._corrections(one.name)) if training else None,
                minutes_left=self._minutes_left(own, waiting := self._waiting(one)),
                retry=self._retry(own),
                waiting=waiting,
                enrolled=one.enrolled is not None,
            )
        return found

    def _retry(self, pages: Sequence[PageInfo]) -> str | None:
        """The first training page with wrong answers that can be checked again."""
        for page in pages:
            if page.phase != "training" or "tries" not in self.settings:
                continue
            text = self.texts[page.id]
            if self.tries_left(text) and not all(one.agrees for one in self._corrected(text)):
                return page.id
        return None

    def _waiting(self, info: EvaluatorInfo) -> int:
        """What the pool has for an evaluator: items as far as one may take so many, and extras."""
        return int(min(info.waiting, self.room(info.name))) + info.extras

    def _corrections(self, evaluator: str) -> list[Correction]:
        """The answers of an evaluator's training beside the reference answers."""
        return [
            correction
            for page in self.pages_of(evaluator)
            if page.phase == "training"
            for correction in self._corrected(self.texts[page.id])
        ]

    def _corrected(self, page: Page) -> tuple[Correction, ...]:
        answers = self.answers_on(page.id)
        return page_corrections(self.form, self.with_references(page), answers, self.tolerance)

    def _finished(self, pages: Sequence[PageInfo]) -> list[PageInfo]:
        """The pages after the training that are done."""
        return [page for page in pages if page.phase != "training" and page.id in self.done]

    def _spent(self, pages: Iterable[PageInfo]) -> list[float]:
        """The seconds spent on each page of which they are known."""
        seconds = self.saves.seconds
        return [seconds[page.id] for page in pages if page.id in seconds]

    def _minutes_left(self, pages: Sequence[PageInfo], waiting: int) -> int | None:
        finished = self._finished(pages)
        spent = self._spent(finished)
        still_open = sum(page.phase != "training" for page in pages) - len(finished) + waiting
        if not still_open or not sum(spent):
            return None
        return max(1, round(sum(spent) / len(spent) * still_open / 60))

    def _person(self, info: EvaluatorInfo) -> Person:
        standing, name = self.standing(info.name), info.name
        finished = self._finished(standing.pages)
        spent, seconds = self._spent(finished), self.saves.seconds
        found = self._corrections(name)
        least = float(self.settings.get("min_seconds") or 0)
        return Person(
            name=name,
            done=len(finished),
            total=standing.total,
            training_done=standing.count_done(standing.training),
            training_total=len(standing.training),
            seconds=median(spent) if spent else None,
            minutes_left=standing.minutes_left,
            last_saved=self.saves.last.get(name),
            training=TrainingProgress(
                expected=len(found),
                given=sum(one.given is not None for one in found),
                agreeing=sum(one.agrees for one in found),
                passed=standing.passed,
            ),
            may_judge=standing.may_judge,
            qualified=info.qualified,
            excluded=info.excluded,
            revoked=info.revoked,
            fast=tuple(page.segment for page in finished if seconds.get(page.id, 0.0) < least),
            flagged=sum(one.evaluator == name and one.flagged for one in self.remarks),
            waiting=standing.waiting,
            enrolled=standing.enrolled,
            background=info.background,
        )


def planned_language(settings: Mapping[str, Any], evaluator: str) -> str | None:
    """The language that a campaign file plans for the pages of an evaluator, if it does."""
    named = settings.get("evaluators", ())
    return next((one.get("language") for one in named if one["name"] == evaluator), None)
