"""The state of a campaign: plan, answers and decisions, and everybody's progress.

Web pages, status and export all read this one state; completion of pages, permission to judge and
remaining time are decided only here. The store reads it in one snapshot.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from patmark.human.campaign.common_order import with_agreed
from patmark.human.campaign.evaluator_progress import Person, ReferenceAgreement
from patmark.human.campaign.form import CHECKED, Form
from patmark.human.campaign.page_completion import page_is_done
from patmark.human.campaign.plan import Answer, Page, Plan, has_pool
from patmark.human.campaign.records import (
    CampaignInfo,
    Consensus,
    EvaluatorInfo,
    PageCounts,
    PageInfo,
    Progress,
    Remark,
    SavedAnswers,
)
from patmark.human.campaign.results import AnswerBook, CampaignResults, campaign_results
from patmark.human.campaign.training import Correction, page_corrections
from patmark.wording import tr_n

_T = TypeVar("_T")
_P = ParamSpec("_P")


def once_per_state(
    compute: Callable[Concatenate[CampaignState, _P], _T],
) -> Callable[Concatenate[CampaignState, _P], _T]:
    """Cache the result of a function in each state."""

    @wraps(compute)
    def remembered(state: CampaignState, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        key = compute, args, tuple(kwargs.items())
        if key not in state.computed:
            state.computed[key] = compute(state, *args, **kwargs)
        found: _T = state.computed[key]
        return found

    return remembered


@dataclass(frozen=True, slots=True)
class NextView:
    """The next view of an evaluator.

    It shows the questions before the start, the training result, a page to judge, a page still to
    be taken from the shared pool, or the end.
    """

    kind: Literal["start", "training", "page", "pool", "done"]
    page: str | None = None


@dataclass(frozen=True, eq=False)
class CampaignState:
    """A campaign, or the part that one evaluator sees.

    ``texts`` holds the pages read with their texts, ``computed`` the results of functions that run
    once for each state.
    """

    info: CampaignInfo
    form: Form
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    evaluators: tuple[EvaluatorInfo, ...]
    pages: tuple[PageInfo, ...]
    texts: Mapping[str, Page]
    saves: SavedAnswers
    remarks: tuple[Remark, ...]
    consensus: tuple[Consensus, ...]
    computed: dict[Any, Any] = field(init=False, default_factory=dict, repr=False)

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
        """The plan with agreed values as the reference answers of the training."""
        return replace(self.plan, pages=tuple(map(self.with_references, self.plan.pages)))

    @cached_property
    def book(self) -> AnswerBook:
        """The answers of everybody, without those on pages that were assigned twice."""
        doubled = {page.id for page in self.doubled}
        plan = self.plan
        if doubled:
            plan = replace(plan, pages=tuple(one for one in plan.pages if one.id not in doubled))
        given = (one for one in self.given if one.page not in doubled)
        return AnswerBook(plan, {one.key: one for one in given})

    @cached_property
    def doubled(self) -> tuple[Page, ...]:
        """Main pages with outputs that their evaluator also has on an earlier page.

        The database refuses them; older versions of patmark could assign them.
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
        return tuple(one.answer for one in self.saves.latest_on(page.id for page in self.pages))

    @cached_property
    def done(self) -> frozenset[str]:
        """The pages with all required answers, or reasons for missing ones."""
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
        """The number of steps of the scale that a training answer may be off."""
        return int(self.settings.get("tolerance", 0))

    def language_of(self, evaluator: str) -> str | None:
        """Return the language that the campaign file gives an evaluator, if it does."""
        return planned_field(self.settings, evaluator, "language")

    def answers_on(self, page: str) -> tuple[Answer, ...]:
        """Return the latest answers to one page."""
        return tuple(one.answer for one in self.saves.latest_on((page,)))

    def with_references(self, page: Page) -> Page:
        """Return a training page with the common results as its reference answers."""
        return with_agreed(self.form, page, self._agreed)

    def references_are_shown(self, page: Page) -> bool:
        """Return True if the evaluator may see the reference answers of a page.

        The page must be complete and checked or, with feedback at the end, all training pages must
        be.
        """
        if page.phase != "training":
            return False
        if self.settings.get("feedback") != "end":
            return page.id in self.done
        return self.standing(page.evaluator).training_is_done

    def tries_left(self, page: Page) -> int:
        """Return the remaining checks of a training page; then its answers are final.

        Pages of campaigns without tries are final when their reference answers are shown.
        """
        if "tries" not in self.settings:
            return int(not self.references_are_shown(page))
        checked = self.saves.by_page.get(page.id, {}).get(("", CHECKED))
        return max(0, int(self.settings["tries"]) - (checked.answer.revision if checked else 0))

    def is_final(self, page: Page) -> bool:
        """Return True if the answers of a training page can no longer be changed."""
        return self.references_are_shown(page) and not self.tries_left(page)

    def standing(self, evaluator: str) -> Person:
        """Return the progress of an evaluator."""
        return self._people[evaluator]

    def next_view(self, evaluator: str, after: str | None = None) -> NextView:
        """Return the next view of an evaluator who has just left a page, or enters.

        The result of the training follows its last page; then the first incomplete page, then the
        pool, if they may judge.
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
        """Return the deadline of an evaluator: their own, or the campaign's."""
        own: str | None = planned_field(self.settings, evaluator, "deadline")
        return own or self.settings.get("deadline")

    def address_of(self, evaluator: str) -> str | None:
        """Return the mail address that the campaign file gives an evaluator, if it does."""
        return planned_field(self.settings, evaluator, "address")

    @property
    def is_pool(self) -> bool:
        """True if pages are taken from a shared pool."""
        return has_pool(self.settings)

    @property
    def whole_segments(self) -> bool:
        """True if a segment counts for an evaluator only once all systems are graded in it.

        Evaluators who take single outputs from a pool do not see those of other systems.
        """
        return not (self.is_pool and self.form.candidates == 1)

    @property
    def lease_minutes(self) -> int:
        """The minutes for which an idle evaluator keeps a page of the pool."""
        return int(self._assignment["lease_minutes"])

    def room(self, evaluator: str) -> float:
        """Return the number of items of the pool that an evaluator may still take."""
        most = self._assignment.get("items_per_evaluator") if self.is_pool else None
        taken = sum(page.phase == "main" for page in self.pages_of(evaluator))
        return math.inf if most is None else max(0, int(most) - taken)

    @property
    def _assignment(self) -> Mapping[str, Any]:
        return self.settings.get("assignment") or {}

    @cached_property
    def progress(self) -> Progress:
        """The progress of the campaign."""
        excluded = self.excluded
        counts: PageCounts = Counter(
            (page.phase, page.item is not None, page.id in self.done)
            for page in self.pages
            if page.evaluator not in excluded
        )
        return Progress.of(self.info, counts)

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """The progress of everybody."""
        return tuple(self._people.values())

    @cached_property
    def _people(self) -> dict[str, Person]:
        return {one.name: self._person(one) for one in self.evaluators}

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

    def _corrected(self, page: Page) -> tuple[Correction, ...]:
        answers = self.answers_on(page.id)
        return page_corrections(self.form, self.with_references(page), answers, self.tolerance)

    def _person(self, info: EvaluatorInfo) -> Person:
        own = self.pages_of(info.name)
        texts = [self.texts[page.id] for page in own if page.phase == "training"]
        corrected = [(page, self._corrected(page)) for page in texts]
        can_retry = corrected if "tries" in self.settings else []
        return Person(
            info,
            own,
            frozenset(page.id for page in own if page.id in self.done),
            ReferenceAgreement.of(one for _, found in corrected for one in found),
            self.info.pass_mark,
            self.saves.seconds,
            retry=next(
                (
                    page.id
                    for page, found in can_retry
                    if self.tries_left(page) and not all(one.agrees for one in found)
                ),
                None,
            ),
            waiting=int(min(info.waiting, self.room(info.name))) + info.extras,
            last_saved=self.saves.last.get(info.name),
            flagged=sum(one.evaluator == info.name and one.flagged for one in self.remarks),
            least_seconds=float(self.settings.get("min_seconds") or 0),
        )


def planned_field(settings: Mapping[str, Any], evaluator: str, name: str) -> str | None:
    """Return a field of an evaluator in a campaign file, if it is there."""
    named = (one for one in settings.get("evaluators", ()) if isinstance(one, Mapping))
    return next((one.get(name) for one in named if one["name"] == evaluator), None)
