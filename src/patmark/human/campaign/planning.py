"""From settings to a plan: assignment of segments, and every page of every evaluator."""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from patmark.data import Segment
from patmark.human.campaign.extra_pages import Spoiler, extra_pages, with_extras
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import (
    Candidate,
    Page,
    Plan,
    PoolItem,
    Systems,
    labelled,
    shuffled,
)
from patmark.human.campaign.settings import (
    Assignment,
    Balance,
    CampaignSettings,
    Joining,
)
from patmark.human.campaign.training import TrainingCandidate, TrainingItem
from patmark.human.campaign.written_texts import NO_DRAFT, translation_question
from patmark.wording import tr, tr_n

ID_BYTES = 16


def random_id() -> str:
    """Return an id that cannot be guessed: 128 random bits."""
    return secrets.token_urlsafe(ID_BYTES)


def plan_campaign(settings: CampaignSettings, *, new_id: Callable[[], str] = random_id) -> Plan:
    """Plan all pages of a campaign. Equal settings and seeds give equal plans, apart from ids.

    ``new_id`` makes the ids of pages; they say nothing, so that nobody can find another's page.
    """
    names = tuple(one.name for one in settings.evaluators)
    maker = PageMaker.of(settings, np.random.default_rng(settings.seed))
    maker.notes += [*settings.notes, *_notes(settings)]
    hands: dict[str, list[Page]] = {name: [] for name in names}
    pool: tuple[PoolItem, ...] = ()
    if settings.assignment.mode == "pool":
        first = [PoolItem(page) for page in _training_pages(settings, "")]
        pool = (*first, *pool_of(settings.units, maker, len(first)))
    else:
        hands = hands_of(settings, settings.units, names, maker)
    pages = [
        replace(page, id=new_id(), position=place)
        for name in names
        for place, page in enumerate([*_training_pages(settings, name), *hands[name]], 1)
    ]
    training = settings.training
    pass_mark = None if training is None else training.pass_mark
    languages = settings.test_set.source_language, settings.test_set.target_language
    return Plan(
        settings.name, settings.form, *languages, names, tuple(pages), settings.seed, pass_mark,
        plan_settings(settings), tuple(maker.notes), pool,
    )  # fmt: skip


def hands_of(
    settings: CampaignSettings,
    units: Sequence[Segment],
    names: Sequence[str],
    maker: PageMaker,
) -> dict[str, list[Page]]:
    """Return the pages of each evaluator for some units, after the training, in order."""
    rng = maker.rng
    dealt = assign(units, names, settings.assignment, settings.balance, rng)
    hands = {}
    for name in names:
        main = [page for segment in dealt[name] for page in maker.pages(segment, name)]
        main = [main[place] for place in rng.permutation(len(main))]
        if main:
            main = with_extras(main, settings.extras, maker.spoiler, rng, maker.notes)
        else:
            maker.notes.append(tr("{name} has nothing to judge", name=name))
        hands[name] = main
    return hands


def pool_of(units: Sequence[Segment], maker: PageMaker, start: int = 0) -> tuple[PoolItem, ...]:
    """Return the items of a shared pool for some units in the order of taking: main, extras.

    Every stretch of the main items has a proportional share of every document and system, and pages
    of one segment are far apart. The first item has the position ``start`` of the pool.
    """
    settings = maker.settings
    order = spread(units, [_group(name) for name in settings.balance], maker.rng)
    made = [maker.pages(segment, "") for segment in order]
    rounds = range(max(map(len, made), default=0))
    main = [
        pages[(place + turn) % len(pages)]
        for turn in rounds
        for place, pages in enumerate(made)
        if turn < len(pages)
    ]
    pool = [PoolItem(page, settings.assignment.times) for page in main]
    taken: set[int] = set()
    for name, extras in settings.extras.items():
        if extras is None or not extras.share:
            continue
        wanted = max(1, round(extras.share * len(main)))
        distance = extras.distance_among(settings.assignment.items_per_evaluator or len(main))
        left = [place for place in range(len(main)) if place not in taken]
        for place, extra in extra_pages(main, left, wanted, name, maker.spoiler, maker.rng):
            taken.add(place)
            pool.append(PoolItem(extra, 1, start + place, distance))
            wanted -= 1
        if wanted:
            less = tr_n("{n} check", "{n} checks", n=wanted)
            if name == "repeats":
                less = tr_n("{n} repeat", "{n} repeats", n=wanted)
            maker.notes.append(tr("{pages} less than asked for could be made", pages=less))
    return tuple(pool)


def plan_settings(settings: CampaignSettings) -> dict[str, Any]:
    """Return the settings that pages and statistics need beyond the plan, as JSON values."""
    training = settings.training
    meta = {one.id: plain_values(one.meta) for one in settings.test_set if one.meta}
    return {
        "evaluators": [plain_values(asdict(one)) for one in settings.evaluators],
        "systems": [run.system for run in settings.runs],
        "segments": [segment.id for segment in settings.test_set],
        "feedback": None if training is None else training.feedback,
        "tolerance": 0 if training is None else training.tolerance,
        "tries": 1 if training is None else training.tries,
        "min_seconds": settings.min_seconds,
        **_kept_entrance(settings),
        "assignment": asdict(settings.assignment),
        "balance": list(settings.balance),
        "file": plain_values(settings.record),
        **({"meta": meta} if meta and translation_question(settings.form) is not None else {}),
    }


def _kept_entrance(settings: CampaignSettings) -> dict[str, Any]:
    completion, join = settings.completion, settings.join
    found = {
        "join": asdict(join) if isinstance(join, Joining) else join,
        "consent": dict(settings.consent),
        "background": [plain_values(asdict(one)) for one in settings.background],
        "completion": completion and {**asdict(completion), "secret": random_id()},
        "deadline": settings.deadline and settings.deadline.isoformat(),
        "contact": settings.contact,
    }
    return {name: value for name, value in found.items() if value}


def merged(outputs: Sequence[tuple[str, str]]) -> tuple[Candidate, ...]:
    """Return one candidate for each different text; equal texts are judged once."""
    texts: dict[str, list[str]] = {}
    for system, text in outputs:
        texts.setdefault(text, []).append(system)
    return labelled([Candidate("", tuple(systems), text) for text, systems in texts.items()])


@dataclass
class SideBalance:
    """Balances the sides of the two candidates of a pair, for everyone and in total."""

    own: Counter[tuple[str, Systems, Systems]] = field(default_factory=Counter)
    all: Counter[tuple[Systems, Systems]] = field(default_factory=Counter)

    def place(
        self, pair: Sequence[Candidate], evaluator: str, rng: np.random.Generator
    ) -> tuple[Candidate, ...]:
        """Return the pair in the order that has been rarer so far."""
        one, other = pair
        if rng.random() < 0.5:
            one, other = other, one
        forth, back = (one.systems, other.systems), (other.systems, one.systems)
        mine = self.own[evaluator, *forth] - self.own[evaluator, *back]
        mine = mine or self.all[forth] - self.all[back]
        left, right = (other, one) if mine > 0 else (one, other)
        self.own[evaluator, left.systems, right.systems] += 1
        self.all[left.systems, right.systems] += 1
        return labelled((left, right))


def _key(pair: tuple[Candidate, Candidate]) -> tuple[Systems, Systems]:
    first, second = sorted(one.systems for one in pair)
    return first, second


@dataclass
class PageMaker:
    """Maker of the main pages of segments: the same candidates for everyone, in separate orders."""

    settings: CampaignSettings
    rng: np.random.Generator
    spoiler: Spoiler
    outputs: dict[str, tuple[Candidate, ...]]
    context: dict[str, dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    sides: SideBalance = field(default_factory=SideBalance)
    used: Counter[tuple[Systems, Systems]] = field(default_factory=Counter)
    pairs: dict[str, list[tuple[Candidate, Candidate]]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: CampaignSettings, rng: np.random.Generator) -> PageMaker:
        texts = {run.system: run.texts for run in settings.runs}
        outputs = {
            segment.id: tuple(
                replace(one, proposed=_proposed(settings, segment, one))
                for one in merged([(name, own[place]) for name, own in texts.items()])
            )
            for place, segment in enumerate(settings.test_set)
        }
        ids = [segment.id for segment in settings.test_set]
        spoiler = Spoiler(
            settings.checks.edits if settings.checks else (),
            settings.test_set.target_language,
            any(question.compares for question in settings.form.questions),
            {name: list(zip(ids, own, strict=True)) for name, own in texts.items()},
        )
        return cls(settings, rng, spoiler, outputs, _contexts(settings))

    def pages(self, segment: Segment, evaluator: str) -> list[Page]:
        """Return the main pages of a segment for one evaluator, as the form groups candidates."""
        if self.settings.pages == "document":
            return self._document_pages(segment.id, evaluator)
        return [
            self.page(segment, evaluator, candidates)
            for candidates in self._groups(segment, evaluator)
        ]

    def page(self, segment: Segment, evaluator: str, candidates: Sequence[Candidate]) -> Page:
        """Return a main page of a segment with these candidates."""
        return Page(
            "", evaluator, 0, "main", segment.id, tuple(candidates), segment.source or "",
            next(iter(segment.references), ""), segment.document, self.context[segment.id],
        )  # fmt: skip

    def _document_pages(self, document: str, evaluator: str) -> list[Page]:
        """Return the outputs for all segments of a document, a page for each system.

        Systems with identical documents are judged once.
        """
        own = [
            (place, one)
            for place, one in enumerate(self.settings.test_set)
            if one.document == document
        ]
        by_texts: dict[tuple[str, ...], list[str]] = {}
        for run in self.settings.runs:
            outputs = run.texts
            by_texts.setdefault(tuple(outputs[place] for place, _ in own), []).append(run.system)
        found = []
        for texts, systems in by_texts.items():
            shown = []
            for (_, one), text in zip(own, texts, strict=True):
                made = Candidate("", tuple(systems), text, segment=one.id, source=one.source or "")
                shown.append(replace(made, proposed=_proposed(self.settings, one, made)))
            page = Page("", evaluator, 0, "main", document, labelled(shown), document=document)
            found.append(replace(page, context=self.settings.context.get(document, {})))
        return found

    def _groups(self, segment: Segment, evaluator: str) -> list[tuple[Candidate, ...]]:
        outputs, form = self.outputs[segment.id], self.settings.form
        if form.candidates == 1:
            return [labelled([one]) for one in outputs]
        if form.candidates == 0:
            alone = len(outputs) == 1 and _only_compares(form)
            return [] if alone else [shuffled(outputs, self.rng)]
        if segment.id not in self.pairs:
            self.pairs[segment.id] = self.rarest_pairs(combinations(outputs, 2))
        return [self.sides.place(pair, evaluator, self.rng) for pair in self.pairs[segment.id]]

    def rarest_pairs(
        self, given: Iterable[tuple[Candidate, Candidate]]
    ) -> list[tuple[Candidate, Candidate]]:
        """Return all pairs, or as many as are wanted of the rarest so far; count them as used."""
        pairs, most = list(given), self.settings.assignment.pairs_per_segment
        if most is not None and len(pairs) > most:
            lots = self.rng.random(len(pairs))
            order = sorted(
                range(len(pairs)), key=lambda place: (self.used[_key(pairs[place])], lots[place])
            )
            pairs = [pairs[place] for place in sorted(order[:most])]
        self.used.update(map(_key, pairs))
        return pairs


def _proposed(
    settings: CampaignSettings, segment: Segment, candidate: Candidate
) -> tuple[Mapping[str, Any], ...]:
    """Return the proposed marks of a text, of all its systems, each once."""
    found: list[Mapping[str, Any]] = []
    for system in candidate.systems:
        own = settings.proposals.get((system, segment.id), ())
        found += [mark for mark in own if mark not in found]
    return tuple(found)


def _only_compares(form: Form) -> bool:
    asked = form.questions
    return all(one.about_page for one in asked) and any(one.compares for one in asked)


def _contexts(settings: CampaignSettings) -> dict[str, dict[str, Any]]:
    """Return the context of each segment: its neighbours, and facts about its document.

    Neighbours are the preceding and following segments of the same document in the test set.
    """
    by_document: dict[str, list[Segment]] = {}
    for segment in settings.test_set:
        by_document.setdefault(segment.document or "", []).append(segment)
    found: dict[str, dict[str, Any]] = {}
    for document, own in by_document.items():
        texts = [segment.source or "" for segment in own]
        for place, segment in enumerate(own):
            known: dict[str, Any] = dict(settings.context.get(document, {}))
            known |= settings.context.get(segment.id, {})
            if settings.neighbours and document:
                known["before"] = texts[max(0, place - settings.neighbours) : place]
                known["after"] = texts[place + 1 : place + 1 + settings.neighbours]
            found[segment.id] = known
    return found


def _training_pages(settings: CampaignSettings, evaluator: str) -> list[Page]:
    if settings.training is None:
        return []
    return [_training_page(item, evaluator) for item in settings.training.items]


def _training_page(item: TrainingItem, evaluator: str) -> Page:
    """Return a training page; candidates keep the order of the file for discussions."""
    candidates = labelled([Candidate("", (one.system,), one.text) for one in item.candidates])
    named: list[tuple[str, TrainingCandidate | TrainingItem]] = [("", item)]
    named[:0] = zip((one.label for one in candidates), item.candidates, strict=True)
    return Page(
        "", evaluator, 0, "training", item.id, candidates, item.source, item.reference,
        item.document,
        expected={label: one.expected for label, one in named if one.expected},
        why={label: one.why for label, one in named if one.why},
    )  # fmt: skip


def _notes(settings: CampaignSettings) -> list[str]:
    found: list[str] = []
    is_draft = settings.form.material == "draft"
    for run in settings.runs:
        if is_draft and run.system != NO_DRAFT and (run.missing or run.empty):
            found.append(
                tr(
                    "{system}: {drafts} without text",
                    system=run.system,
                    drafts=tr_n("{n} draft", "{n} drafts", n=run.missing + run.empty),
                )
            )
        elif not is_draft and (run.missing or run.empty):
            found.append(
                tr_n(
                    "{system}: {n} output is missing or empty, and judged so",
                    "{system}: {n} outputs are missing or empty, and judged so",
                    n=run.missing + run.empty,
                    system=run.system,
                )
            )
    texts = list(zip(*(run.texts for run in settings.runs), strict=True))
    equal = sum(len(row) - len(set(row)) for row in texts)
    if equal:
        found.append(
            tr_n(
                "{n} output equals that of another system; each is judged once for both",
                "{n} outputs equal that of another system; each is judged once for both",
                n=equal,
            )
        )
    same = sum(len(set(row)) == 1 for row in texts)
    if same and len(settings.runs) > 1 and _only_compares(settings.form):
        found.append(
            tr_n(
                "{n} segment is left out: all systems gave the same output",
                "{n} segments are left out: all systems gave the same output",
                n=same,
            )
        )
    return found


def plain_values(value: Any) -> Any:
    """Return plain JSON values; a date, which YAML knows, becomes a text."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_values(item) for item in value]
    return value if isinstance(value, str | int | float | type(None)) else str(value)


def assign(
    segments: Sequence[Segment],
    evaluators: Sequence[str],
    assignment: Assignment,
    balance: Sequence[Balance],
    rng: np.random.Generator,
) -> dict[str, list[Segment]]:
    """Return the segments of each evaluator.

    Segments are ordered so that every stretch has a proportional share of every document (or
    section), taken from the front, and distributed evenly.
    """
    order = spread(segments, [_group(name) for name in balance], rng)
    count = len(evaluators)
    items = assignment.items_per_evaluator
    common = 0
    if assignment.mode == "same":
        common, rest, times = (len(order) if items is None else items), 0, 1
    elif assignment.mode == "overlap":
        common = _common(len(order), count, assignment.overlap, items)
        rest, times = (len(order) - common if items is None else (items - common) * count), 1
    else:
        times = assignment.times
        rest = len(order) if items is None else items * count // times
    hands = {name: list(order[:common]) for name in evaluators}
    groups = _group(balance[0]) if balance else _group("document")
    deal(order[common : common + rest], hands, times, groups, rng)
    return hands


def spread(
    segments: Sequence[Segment],
    groups: Sequence[Callable[[Segment], str]],
    rng: np.random.Generator,
) -> list[Segment]:
    """Shuffle segments so that every stretch has the mixture of the whole.

    Each group takes its places at even distances from a random start. Segments without groups, and
    those inside a group, are shuffled, or spread by the next kind of group.
    """
    if not groups:
        return [segments[place] for place in rng.permutation(len(segments))]
    members: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        members[groups[0](segment)].append(segment)
    placed = []
    for name in sorted(members):
        inside = spread(members[name], groups[1:], rng)
        places = (np.arange(len(inside)) + rng.random()) / len(inside)
        placed += list(zip(places, inside, strict=True))
    return [segment for _, segment in sorted(placed, key=lambda pair: float(pair[0]))]


def deal(
    segments: Sequence[Segment],
    hands: dict[str, list[Segment]],
    times: int,
    group: Callable[[Segment], str],
    rng: np.random.Generator,
) -> None:
    """Assign each segment to that many evaluators.

    Evaluators with the fewest segments come first; then those with the fewest of its group; then
    those with the fewest common segments with the chosen ones, so that all evaluators can be
    compared.
    """
    held = {name: Counter(map(group, own)) for name, own in hands.items()}
    together: Counter[frozenset[str]] = Counter()
    for segment in segments:
        lot = dict(zip(hands, rng.random(len(hands)), strict=True))
        chosen: list[str] = []
        for _ in range(times):
            name = min(
                (name for name in hands if name not in chosen),
                key=lambda name: (
                    len(hands[name]),
                    held[name][group(segment)],
                    sum(together[frozenset((name, other))] for other in chosen),
                    lot[name],
                ),
            )
            together.update(frozenset((name, other)) for other in chosen)
            chosen.append(name)
        for name in chosen:
            hands[name].append(segment)
            held[name][group(segment)] += 1


def _common(segments: int, evaluators: int, overlap: float, items: int | None) -> int:
    """Return the number of common segments, by default the maximum of the test set."""
    if items is None:
        items_each = segments / (overlap + (1 - overlap) * evaluators)
        return round(overlap * items_each)
    return round(overlap * items)


def _group(balance: Balance) -> Callable[[Segment], str]:
    return _section if balance == "ipc" else _document


def _document(segment: Segment) -> str:
    return segment.document or ""


def _section(segment: Segment) -> str:
    """Return the letter of the IPC section, empty if unknown."""
    value = segment.meta.get("ipc") or ""
    first = value if isinstance(value, str) else (value[0] if value else "")
    return str(first)[:1].upper()
