"""Changes of a running campaign: more segments, systems or people; pages that change hands.

Judged pages stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from patmark.data import Segment, counted
from patmark.errors import UsageError
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import (
    Candidate,
    Page,
    Plan,
    PoolItem,
    labelled,
    shuffled,
)
from patmark.human.campaign.planning import (
    PageMaker,
    hands_of,
    plain_values,
    plan_settings,
    pool_of,
    random_id,
)
from patmark.human.campaign.records import PageInfo
from patmark.human.campaign.settings import Assignment, CampaignSettings, name_problem, same_name
from patmark.human.campaign.state import CampaignState
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import tr, tr_n

_FEW = 5
"""Number of names listed in a refusal."""
_CHANGING = ("systems", "segments", "file", "meta")
"""Settings of a plan that an extension replaces."""


@dataclass(frozen=True, slots=True)
class Extension(Result):
    """New pages and pool items of a campaign, and changed ones.

    ``pages`` follow the pages of their evaluators. ``replaced`` are pages with all outputs, by the
    id of a page that nobody has begun. ``merged`` are known pages with a text that a new system
    also gave. ``items`` follow the pool, and ``changed_items`` are by their position in it.
    """

    name: str
    segments: tuple[str, ...]
    systems: tuple[str, ...]
    pages: tuple[Page, ...]
    replaced: Mapping[str, Page]
    merged: tuple[Page, ...]
    items: tuple[PoolItem, ...]
    changed_items: Mapping[int, Page]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    """Notes on the results, which are stored with the campaign."""
    newcomers: tuple[str, ...] = ()
    """Names of the file that are no evaluators of the campaign; they are stored nowhere."""

    @property
    def added(self) -> str:
        """The number of new segments and systems, in words."""
        counts = ((len(self.segments), "segment"), (len(self.systems), "system"))
        return ", ".join(counted(n, word) for n, word in counts if n)

    def to_json(self) -> dict[str, Any]:
        """Return the extension as JSON values."""
        return {
            "name": self.name,
            "segments": list(self.segments),
            "systems": list(self.systems),
            "pages": {name: self._count(name) for name in self._evaluators},
            "replaced_pages": len(self.replaced),
            "pool_items": len(self.items),
            "newcomers": list(self.newcomers),
            "notes": list(self.notes),
        }

    def to_report(self) -> Report:
        """Return the new pages of everybody as a table."""
        columns: dict[Column, Any] = {
            Column(tr("evaluator")): str,
            Column(tr("new pages"), 0): self._count,
        }
        rows: list[Cell] = list(self._evaluators)
        table = Table.of_records(tr("New pages"), rows, columns)
        shared = tr_n(
            "{n} page more in the shared pool", "{n} pages more in the shared pool",
            n=len(self.items),
        )  # fmt: skip
        again = tr_n(
            "{n} page that nobody has begun now shows the new outputs too",
            "{n} pages that nobody has begun now show the new outputs too",
            n=len(self.replaced) + len(self.changed_items),
        )
        notes = [
            tr("{name} is new in the file and gets no pages; add them as evaluator", name=name)
            for name in self.newcomers
        ]
        notes += [shared] if self.items else []
        notes += [again] if self.replaced or self.changed_items else []
        tables = (table,) if rows else ()
        return Report(self.name, self.added, (), tables, {}, (*notes, *self.notes))

    @property
    def _evaluators(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.evaluator for one in self.pages))

    def _count(self, evaluator: str) -> int:
        return sum(one.evaluator == evaluator for one in self.pages)


def extend_plan(
    settings: CampaignSettings,
    state: CampaignState,
    pool: Sequence[PoolItem] = (),
    untouched: Collection[int] = (),
) -> Extension:
    """Plan pages for the new segments and systems of a campaign file.

    New segments are distributed among active evaluators according to the assignment. Outputs of a
    new system go to the evaluators of the segment. ``untouched`` are positions of items of the
    ``pool`` that nobody has taken yet.
    """
    settings = replace(settings, assignment=Assignment(**state.settings["assignment"]))
    known_segments = set(state.settings["segments"])
    known_systems = set(state.settings["systems"])
    segments = tuple(one.id for one in settings.test_set if one.id not in known_segments)
    systems = tuple(one.system for one in settings.runs if one.system not in known_systems)
    judged = [*_judged(state.plan.pages), *_judged(one.page for one in pool)]
    _refuse_changes(settings, state, judged)
    if not segments and not systems:
        raise UsageError("the campaign has all segments and systems of the file; nothing is new")
    _refuse_unusable(settings, state.form, segments, systems)
    seeds = [state.info.seed, len(known_segments), len(known_systems)]
    maker = PageMaker.of(settings, np.random.default_rng(seeds))
    old = [one for one in settings.units if _is_known(one, settings, known_segments)]
    new = [one for one in settings.units if one not in old]
    found = _NewOutputs(maker, frozenset(systems), state)
    pages, items = found.pages(old) if systems else [], list[PoolItem]()
    if state.is_pool:
        items = found.items(old, pool, untouched) if systems else []
        items += pool_of(new, maker, len(pool) + len(items)) if new else []
    elif new:
        names = [
            one.name for one in state.evaluators if one.excluded is None and one.revoked is None
        ]
        pages += _dealt(settings, new, names, maker)
    return Extension(
        state.info.name,
        segments,
        systems,
        tuple(pages),
        found.replaced,
        tuple(found.merged(one for one in state.plan.pages if one.id not in found.replaced)),
        tuple(items),
        found.changed_items(pool),
        _changed_settings(settings, state),
        tuple(maker.notes),
        tuple(sorted({one.name for one in settings.evaluators} - set(state.plan.evaluators))),
    )


def _changed_settings(settings: CampaignSettings, state: CampaignState) -> dict[str, Any]:
    """Return the settings of a plan that an extension replaces; people stay as they are stored."""
    found = {name: one for name, one in plan_settings(settings).items() if name in _CHANGING}
    people = {name: one for name, one in state.settings["file"].items() if name == "evaluators"}
    found["file"] = {**found["file"], **people}
    return found


def _dealt(
    settings: CampaignSettings,
    units: Sequence[Segment],
    names: Sequence[str],
    maker: PageMaker,
) -> list[Page]:
    """Return the pages of new units for everybody, with checks and repeats if there is room."""
    if not names:
        raise UsageError("nobody has access to the campaign; add an evaluator before")
    every = replace(settings.assignment, items_per_evaluator=None)
    times = min(every.times, len(names))
    least = len(units) * times // len(names)
    extras = {
        name: one if one and one.distance_among(max(least, 1)) < least else None
        for name, one in settings.extras.items()
    }
    if extras != settings.extras:
        maker.notes.append(tr("too few new pages for repeats or attention checks among them"))
    changed = replace(settings, assignment=replace(every, times=times), **extras)  # type: ignore[arg-type]
    hands = hands_of(changed, units, names, maker)
    return [page for own in hands.values() for page in own]


def _judged(pages: Iterable[Page]) -> Iterator[tuple[str, str, Candidate]]:
    """Yield segment, source and candidate of everything that is judged, without degraded texts."""
    for page in pages:
        if page.phase == "main":
            for one in page.candidates:
                yield page.segment_of(one), page.source_of(one), one


def _refuse_changes(
    settings: CampaignSettings, state: CampaignState, judged: Sequence[tuple[str, str, Candidate]]
) -> None:
    if settings.form != state.form:
        raise UsageError(
            "the form of a campaign that has begun cannot be changed; begin another campaign"
        )
    languages = state.info.source_language, state.info.target_language
    if (settings.test_set.source_language, settings.test_set.target_language) != languages:
        raise UsageError(f"the campaign is {'-'.join(filter(None, languages))}; the file is not")
    for name in ("assignment", "pages"):
        before = state.settings["file"].get(name)
        if plain_values(settings.record.get(name)) != before:
            raise UsageError(f"field {name!r} of a campaign that has begun cannot be changed")
    here = {one.id for one in settings.test_set}
    _refuse_any(
        "segment", "is missing", [one for one in state.settings["segments"] if one not in here]
    )
    there = {one.system for one in settings.runs}
    _refuse_any(
        "system", "is missing", [one for one in state.settings["systems"] if one not in there]
    )
    sources = {one.id: one.source or "" for one in settings.test_set}
    ids = [one.id for one in settings.test_set]
    texts = {
        (id, run.system): text
        for run in settings.runs
        for id, text in zip(ids, run.texts, strict=True)
    }
    changed = [segment for segment, source, _ in judged if sources[segment] != source]
    _refuse_any("segment", "has another source text", changed)
    other = [
        f"{system} {segment}"
        for segment, _, one in judged
        for system in one.systems
        if texts[segment, system] != one.text
    ]
    _refuse_any("output", "is another text", other)


def _refuse_any(what: str, fault: str, names: Sequence[str]) -> None:
    found = list(dict.fromkeys(names))
    if found:
        more = f" and {len(found) - _FEW} more" if len(found) > _FEW else ""
        raise UsageError(
            f"{what} {', '.join(found[:_FEW])}{more} of the campaign {fault} in the file; "
            "an extension only adds"
        )


def _refuse_unusable(
    settings: CampaignSettings, form: Form, segments: Sequence[str], systems: Sequence[str]
) -> None:
    """Refuse additions that would invalidate answers."""
    if systems and form.candidates == 0 and any(one.compares for one in form.questions):
        raise UsageError(
            f"form {form.id!r} compares all systems of a page; with another system every page "
            "would have to be judged again: begin another campaign"
        )
    if settings.pages == "document":
        grown = {one.document for one in settings.test_set if one.id in segments} & {
            one.document for one in settings.test_set if one.id not in segments
        }
        _refuse_any("document", "has more segments", sorted(filter(None, grown)))


def _is_known(unit: Segment, settings: CampaignSettings, segments: Collection[str]) -> bool:
    """Return True if the campaign has a segment, or the segments of a document."""
    if settings.pages == "segment":
        return unit.id in segments
    return any(one.id in segments for one in settings.test_set if one.document == unit.id)


class _NewOutputs:
    """Outputs of new systems for segments that are judged already."""

    def __init__(self, maker: PageMaker, systems: frozenset[str], state: CampaignState) -> None:
        self.settings, self.maker, self.systems, self.state = maker.settings, maker, systems, state
        self.replaced: dict[str, Page] = {}
        self.changed: dict[int, Page] = {}
        self.is_whole = state.form.candidates == 0 and self.settings.pages == "segment"
        # All systems that gave the text of a system, by unit and system.
        self.groups = {
            (unit.id, name): one.systems
            for unit in (self.settings.units if systems else ())
            for one in self._candidates(unit)
            for name in one.systems
        }

    def _candidates(self, unit: Segment) -> tuple[Candidate, ...]:
        """Return the different outputs of a unit; of a document one candidate of each."""
        if self.settings.pages == "segment":
            return self.maker.outputs[unit.id]
        return tuple(page.candidates[0] for page in self.maker.pages(unit, ""))

    def _is_new(self, candidate: Candidate) -> bool:
        return self.systems.issuperset(candidate.systems)

    def merged(self, pages: Iterable[Page]) -> Iterator[Page]:
        """Yield the pages on which a text is now also that of a new system."""
        for page in pages:
            candidates = tuple(
                replace(one, systems=self.groups.get((page.segment, one.systems[0]), one.systems))
                for one in page.candidates
            )
            if page.phase != "training" and candidates != page.candidates:
                yield replace(page, candidates=candidates)

    def changed_items(self, pool: Sequence[PoolItem]) -> dict[int, Page]:
        """Return the items that change, by their place in the pool."""
        found = {
            place: changed
            for place, item in enumerate(pool)
            for changed in self.merged([item.page])
        }
        return found | self.changed

    def pages(self, units: Sequence[Segment]) -> list[Page]:
        """Return new pages for those who judge the units; pages not begun are replaced."""
        if self.state.is_pool:
            return []
        coming_back = {
            (one.evaluator, one.segment)
            for one in self.state.pages
            if one.phase in ("check", "repeat")
        }
        holders: dict[str, dict[str, list[str]]] = {}
        for info in self.state.pages:
            if info.phase == "main":
                holders.setdefault(info.segment, {}).setdefault(info.evaluator, []).append(info.id)
        found: list[Page] = []
        alone = 0
        for unit in units:
            groups = self._groups(unit)
            for name, held in holders.get(unit.id, {}).items():
                is_free = held[0] not in self.state.begun and (name, unit.id) not in coming_back
                if groups and self.is_whole and is_free:
                    outputs = shuffled(self.maker.outputs[unit.id], self.maker.rng)
                    self.replaced[held[0]] = self.maker.page(unit, name, outputs)
                    continue
                alone += self.is_whole and bool(groups)
                found += self._made(unit, name, groups)
        self._note_alone(alone)
        order = self.maker.rng.permutation(len(found))
        return [found[place] for place in order]

    def items(
        self, units: Sequence[Segment], pool: Sequence[PoolItem], untouched: Collection[int]
    ) -> list[PoolItem]:
        """Return new items of a shared pool; items that nobody has taken get the new outputs."""
        places: dict[str, list[int]] = {}
        for place, item in enumerate(pool):
            if item.page.phase == "main":
                places.setdefault(item.page.segment, []).append(place)
        followed = {item.follows for item in pool}
        found: list[PoolItem] = []
        alone = 0
        for unit in units:
            groups, own = self._groups(unit), places.get(unit.id, [])
            if not groups or not own:
                continue
            if self.is_whole and own[0] in untouched and own[0] not in followed:
                outputs = shuffled(self.maker.outputs[unit.id], self.maker.rng)
                self.changed[own[0]] = self.maker.page(unit, "", outputs)
                continue
            alone += self.is_whole
            found += [PoolItem(one, pool[own[0]].times) for one in self._made(unit, "", groups)]
        self._note_alone(alone)
        return [found[place] for place in self.maker.rng.permutation(len(found))]

    def _note_alone(self, count: int) -> None:
        if count:
            self.maker.notes.append(
                tr_n(
                    "{n} page was begun already: the new output is judged on a page of its own",
                    "{n} pages were begun already: new outputs are judged on pages of their own",
                    n=count,
                )
            )

    def _groups(self, unit: Segment) -> list[tuple[Candidate, ...]]:
        """Return the candidates of new pages: each new output, or its pairs with all others."""
        outputs = self._candidates(unit)
        new = [one for one in outputs if self._is_new(one)]
        if self.settings.pages == "document" or self.state.form.candidates == 1:
            return [(one,) for one in new]
        if self.state.form.candidates == 0:
            return [tuple(new)] if new else []
        pairs = [pair for pair in combinations(outputs, 2) if any(map(self._is_new, pair))]
        return list(self.maker.rarest_pairs(pairs))

    def _made(
        self, unit: Segment, evaluator: str, groups: Sequence[tuple[Candidate, ...]]
    ) -> list[Page]:
        if self.settings.pages == "document":
            made = self.maker.pages(unit, evaluator)
            return [page for page in made if self._is_new(page.candidates[0])]
        if self.state.form.candidates == 2:
            groups = [self.maker.sides.place(pair, evaluator, self.maker.rng) for pair in groups]
        else:
            groups = [shuffled(group, self.maker.rng) for group in groups]
        return [self.maker.page(unit, evaluator, labelled(group)) for group in groups]


def pages_for_newcomer(
    plan: Plan, name: str, like: str | None = None, *, new_id: Callable[[], str] = random_id
) -> tuple[Page, ...]:
    """Return the training, and the pages of another evaluator in a new random order.

    Without ``like`` there is only the training: pages of others can be reassigned afterwards. A
    page with a later repeat or attention check keeps its position, so that the planned distance is
    kept. The order depends on the seed of the campaign and the name.
    """
    problem = name_problem(name)
    if problem:
        raise UsageError(f"the name {name!r} {problem}")
    if same := same_name(name, plan.evaluators):
        raise UsageError(f"the campaign has an evaluator {same!r} already")
    if like is not None and like not in plan.evaluators:
        known = ", ".join(plan.evaluators)
        raise UsageError(f"the campaign has no evaluator {like!r}; there are: {known}")
    if like is not None and plan.is_pool:
        raise UsageError("pages come from a shared pool; a newcomer takes them from there")
    rng = np.random.default_rng([plan.seed, *name.encode()])
    training = [item.page for item in plan.pool if item.page.phase == "training"]
    if not plan.is_pool:
        if not plan.evaluators:
            raise UsageError(
                "the campaign has no evaluators left whose training could be taken over"
            )
        first = plan.pages_of(like or plan.evaluators[0])
        training = [one for one in first if one.phase == "training"]
    judged = [] if like is None else [one for one in plan.pages_of(like) if one.phase != "training"]
    own = [*training, *(page.reshuffled(rng) for page in _reordered(judged, rng))]
    return tuple(
        replace(page, id=new_id(), evaluator=name, position=place)
        for place, page in enumerate(own, 1)
    )


def pages_of_leaver(
    plan: Plan,
    done: Collection[str],
    leaver: str,
    name: str,
    *,
    new_id: Callable[[], str] = random_id,
) -> tuple[Page, ...]:
    """Return the training and the unfinished pages of a leaving evaluator, for a new one.

    Checks and repeats stay with their originals, because they are compared with the same
    evaluator's answers. Pages of a shared pool return to it.
    """
    if leaver not in plan.evaluators:
        raise UsageError(f"the campaign has no evaluator {leaver!r}")
    unfinished = [
        page for page in plan.pages_of(leaver) if page.id not in done and page.phase == "main"
    ]
    kept = {(page.segment, _systems(page)) for page in unfinished}
    own = [
        page
        for page in plan.pages_of(leaver)
        if page in unfinished
        or (page.phase == "repeat" and (page.segment, _systems(page)) in kept)
        or (page.phase == "check" and page.segment in {segment for segment, _ in kept})
    ]
    rest = replace(plan, pages=(*_training_of(plan, leaver), *(() if plan.is_pool else own)))
    return pages_for_newcomer(rest, name, None if plan.is_pool else leaver, new_id=new_id)


def _training_of(plan: Plan, evaluator: str) -> list[Page]:
    return [page for page in plan.pages_of(evaluator) if page.phase == "training"]


def open_pages(own: Sequence[PageInfo], begun: Collection[str]) -> tuple[PageInfo, ...]:
    """Return the reassignable pages of an evaluator, which were not begun, last ones first.

    Training, attention checks, repeats and their originals stay with their evaluator, because they
    are compared with the same evaluator's answers.
    """
    coming_back = {page.segment for page in own if page.phase in ("check", "repeat")}
    return tuple(
        page
        for page in reversed(own)
        if page.phase == "main" and page.id not in begun and page.segment not in coming_back
    )


def pages_to_move(
    own: Sequence[PageInfo],
    begun: Collection[str],
    of_taker: Iterable[PageInfo],
    most: int | None = None,
) -> tuple[PageInfo, ...]:
    """Return open pages of one evaluator with outputs that another does not judge already."""
    known = {page.content for page in of_taker}
    free = [
        page
        for page in open_pages(own, begun)
        if page.content is not None and page.content not in known
    ]
    return tuple(reversed(free[:most]))


def _systems(page: Page) -> frozenset[tuple[str, ...]]:
    return frozenset(candidate.systems for candidate in page.candidates)


def _reordered(pages: Sequence[Page], rng: np.random.Generator) -> list[Page]:
    """Shuffle the main pages that do not come back."""
    again = {page.segment for page in pages if page.phase != "main"}
    free = [place for place, page in enumerate(pages) if page.segment not in again]
    ordered = list(pages)
    for place, other in zip(free, rng.permutation(free).tolist(), strict=True):
        ordered[place] = pages[other]
    return ordered
