"""Run a system over a test set, and resume a stopped run."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from patmark.data import Notice, Segment, TestSet
from patmark.errors import UsageError
from patmark.llm import (
    CacheHits,
    Message,
    Prices,
    Template,
    TermBase,
    Usage,
    bundled_prompt,
    language_gaps,
    read_prompt,
    shown_terms,
)
from patmark.systems.chat import ChatSystem
from patmark.systems.cleaning import VERSION as CLEANING, Cleaned, chatter_in, clean, find_fault
from patmark.systems.journal import Journal, RunRow, rows_left
from patmark.systems.kinds import System, SystemAnswer, SystemInput, Traits
from patmark.wording import Text, setting, tr, tr_n

Progress: TypeAlias = Callable[[int, int, Usage], None]


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A system, its task and its inputs; ``cleaning`` removes lines before answers.

    ``about`` must also be equal when the run is continued: languages and test set.
    """

    system: System
    task: Task
    items: tuple[SystemInput, ...]
    cleaning: bool
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides the content of a row."""
        return {
            "system": self.system.description.to_json(),
            "task": self.task.to_json(),
            "cleaning": CLEANING if self.cleaning else 0,
            **self.about,
        }

    @property
    def signature(self) -> str:
        """One line that distinguishes two runs."""
        parts = [self.system.description.signature, f"task={self.task.name}"]
        parts += [f"context={self.task.context}"] if self.task.context else []
        terms = self.task.terms.to_json()
        parts += (
            [f"glossary={'rows' if terms['rows'] else ''}{terms['table'] or ''}"] if terms else []
        )
        parts += [f"clean={CLEANING}"] if self.cleaning else []
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class RunRows:
    """The rows of all inputs, in their order.

    ``spent`` was paid now; ``taken_over`` counts rows of the journal, ``from_cache`` rows answered
    now from the response cache of other runs.
    """

    rows: tuple[RunRow, ...]
    taken_over: int
    spent: Usage
    tries: int
    from_cache: int
    system_notices: tuple[Notice, ...] = ()

    @property
    def failures(self) -> tuple[RunRow, ...]:
        """The rows without a hypothesis."""
        return tuple(row for row in self.rows if row.failure is not None)

    @property
    def chatter(self) -> Counter[str]:
        """The number of rows with a hypothesis that holds chatter, by kind."""
        return Counter(kind for row in self.rows if row.failure is None for kind in row.chatter)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Messages of the system, and a warning of chatter in scored hypotheses."""
        held = [row.id for row in self.rows if row.failure is None and row.chatter]
        if not held:
            return self.system_notices
        kinds = ", ".join(f"{kind} {number}" for kind, number in self.chatter.items())
        count = f"{len(held)} of {len(self.rows)} rows seem to hold chatter besides the answer"
        warning = f"{count} ({kinds}); the first: {held[0]}. They are kept and scored as they are."
        return (*self.system_notices, Notice("warning", "chatter", warning))

    @property
    def cache_hits(self) -> CacheHits:
        """The rows with an answer from before the run."""
        return CacheHits.of(row.cached_at for row in self.rows if row.failure is None)

    @property
    def used(self) -> Usage:
        """The usage of all rows, in this run and earlier ones."""
        return Usage.total(row.usage for row in self.rows)


def run_plan(
    plan: RunPlan,
    journal_path: str | Path,
    *,
    fresh: bool = False,
    progress: Progress | None = None,
) -> RunRows:
    """Answer all inputs without an answer; rows that failed before are tried again."""
    with Journal(journal_path, plan.settings, fresh=fresh) as journal:
        work = _Progress(plan, journal, progress)
        work.rows, left = rows_left(plan.items, journal.rows)
        if left:
            asyncio.run(plan.system.answer_all(left, work.add))
        for item in left:
            if item.id not in work.rows:
                work.add(item, SystemAnswer(None, "the system gave no answer"))
        rows = tuple(work.rows[item.id] for item in plan.items)
        journal.tidy(rows)
    notices = tuple(getattr(plan.system, "notices", ()))
    taken_over = len(plan.items) - len(left)
    return RunRows(rows, taken_over, work.spent, work.tries, work.from_cache, notices)


class _Progress:
    """The rows so far, and their usage."""

    def __init__(self, plan: RunPlan, journal: Journal, progress: Progress | None) -> None:
        self._plan = plan
        self._journal = journal
        self._progress = progress
        self.rows: dict[str, RunRow] = {}
        self.spent = Usage()
        self.tries = 0
        self.from_cache = 0

    def add(self, item: SystemInput, answer: SystemAnswer) -> None:
        """Check an answer, and write it to the journal at once."""
        at = answer.cached_at
        earlier = at if at and at < self._journal.begun else None
        row = replace(_row(item, answer, self._plan), cached_at=earlier)
        self._journal.add(row)
        self.rows[item.id] = row
        self.spent += answer.usage
        self.tries += answer.tries
        self.from_cache += earlier is not None and row.failure is None
        if self._progress:
            self._progress(len(self.rows), len(self._plan.items), self.spent)


def _row(item: SystemInput, answer: SystemAnswer, plan: RunPlan) -> RunRow:
    usage = answer.usage + answer.recalled
    if answer.text is None or answer.failure is not None:
        return RunRow(item.id, None, answer.failure or "no answer", answer.text, usage=usage)
    translates, chatty = plan.task.name == "translate", plan.system.traits.chatty
    source = item.source if translates else ""
    found = clean(answer.text, source) if plan.cleaning else Cleaned(answer.text)
    text, steps = found.text, found.steps
    chatter = chatter_in(text, source) if chatty or plan.cleaning else ()
    row = RunRow(item.id, text, None, answer.text if steps else None, steps, chatter, usage)
    may_copy = plan.system.traits.may_copy or not translates
    fault = find_fault(
        item.source,
        text,
        cut_off=answer.cut_off,
        may_copy=may_copy,
        chatty=chatty,
    )
    return row if fault is None else replace(row, hypothesis=None, failure=fault, raw=answer.text)


def plan_run(
    system: System, task: Task, test_set: TestSet, *, cleaning: bool | None = None, **about: Any
) -> RunPlan:
    """Plan a run; refuse settings without effect. By default only chatty systems are cleaned."""
    task.check(system.traits, system.description.kind)
    items = tuple(task.items(test_set, system.traits))
    return RunPlan(
        system, task, items, system.traits.chatty if cleaning is None else cleaning, about
    )


TASKS = ("translate", "claims", "revise")
_ROW_GAPS = ("description", "instructions")
GAPS = (
    "source",
    "source_language",
    "target_language",
    "source_code",
    "target_code",
    "context",
    "glossary",
    "description",
    "instructions",
)


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its prompt.

    ``context`` is the number of preceding segments of the same document that are shown with each.
    """

    name: str = "translate"
    template: Template = field(default_factory=lambda: own_template("translate"))
    context: int = 0
    terms: TermBase = field(default_factory=TermBase)

    def __post_init__(self) -> None:
        if self.name not in TASKS:
            raise UsageError(f"the task {self.name!r} is unknown; choose from {', '.join(TASKS)}")
        if self.context < 0:
            raise UsageError(f"the number of preceding texts must not be negative: {self.context}")

    def check(self, traits: Traits, kind: str) -> None:
        """Refuse settings that have no effect with a system."""
        wanted = {"context": self.context, "glossary": self.terms}
        for name in (name for name, given in wanted.items() if given):
            if name not in traits.takes:
                raise UsageError(f"{setting(name)} has no effect with {kind}")
            if "prompt" in traits.takes and name not in self.template.gaps:
                given = setting(name)
                raise UsageError(
                    f"{given} has no effect: the template has no placeholder {{{name}}}"
                )
        if self.name != "translate" and traits.only_translates:
            hint = f"; with {setting('format', 'jsonl')} a program can" if kind == "command" else ""
            raise UsageError(f"{kind} only translates: it cannot do the task {self.name}{hint}")

    def to_json(self) -> dict[str, Any]:
        """Return the part that changes answers and does not belong to the system."""
        return {"name": self.name, "context": self.context, "glossary": self.terms.to_json()}

    def items(self, test_set: TestSet, traits: Traits) -> list[SystemInput]:
        """Return the inputs of all segments that have a source."""
        if self.context and not any(test_set.documents):
            needed = setting("context")
            raise UsageError(f"{needed} needs to know which rows belong to one document")
        before = _preceding(test_set, self.context)
        languages = (test_set.source_language, test_set.target_language)
        items = [
            self._item(segment, before[position], languages, traits)
            for position, segment in enumerate(test_set)
            if (segment.source or "").strip()
        ]
        if self.terms and not any(item.glossary for item in items):
            given = setting("glossary")
            raise UsageError(f"{given} has no effect: none of its terms occurs in any text")
        return items

    def _item(
        self,
        segment: Segment,
        context: tuple[str, ...],
        languages: tuple[str | None, str],
        traits: Traits,
    ) -> SystemInput:
        source = segment.source or ""
        terms = self.terms.of(segment, languages) if self.terms else ()
        messages: tuple[Message, ...] = ()
        if "prompt" in traits.takes:
            of_row = {name: segment.meta.get(name) for name in _ROW_GAPS}
            values = {
                "source": source,
                "context": "\n".join(context),
                "glossary": shown_terms(terms),
                **language_gaps(languages),
                **{name: value for name, value in of_row.items() if isinstance(value, str)},
            }
            messages = self.template.messages(values)
        known = segment.references if "references" in traits.takes else ()
        return SystemInput(segment.id, source, messages, context, terms, known)


def task_of(
    name: str, template: Template | None = None, context: int = 0, terms: TermBase | None = None
) -> Task:
    """Return a task, with the bundled template if none is given."""
    if name not in TASKS:
        raise UsageError(f"the task {name!r} is unknown; choose from {', '.join(TASKS)}")
    return Task(name, template or own_template(name), context, terms or TermBase())


def _preceding(test_set: Sequence[Segment], count: int) -> list[tuple[str, ...]]:
    """Return the sources of up to ``count`` segments before each one in its document."""
    seen: dict[str, list[str]] = defaultdict(list)
    found: list[tuple[str, ...]] = []
    for segment in test_set:
        earlier = seen[segment.document] if segment.document is not None else []
        found.append(tuple(earlier[-count:]) if count else ())
        if segment.source:
            earlier.append(segment.source)
    return found


def own_template(task: str) -> Template:
    """Return the bundled template of a task."""
    return bundled_prompt(__package__, task)


def read_template(path: str) -> Template:
    """Read a template of the user for a task."""
    return read_prompt(path, GAPS, {"source": "the text itself would not be sent"})


@dataclass(frozen=True, slots=True)
class RunPreview:
    """The first prompt, the number of texts, and an estimate of tokens where those are counted."""

    prompt: str
    rows: int
    earlier: int
    from_cache: int
    expected: Usage | None
    prices: Prices | None
    signature: str

    @property
    def summary(self) -> Text:
        """The counts in one line."""
        counts = [tr_n("{n} text", "{n} texts", n=self.rows)]
        if self.earlier:
            counts.append(tr("{n} answered earlier", n=self.earlier))
        if self.expected is not None:
            used = self.expected
            tokens = tr(
                "about {prompt:,} prompt and {answered:,} answered tokens",
                prompt=used.prompt_tokens,
                answered=used.completion_tokens,
            )
            counts += [
                tr("{n} cached answers", n=self.from_cache),
                tr_n("{n} request to send", "{n} requests to send", n=used.answers),
                tokens
                if self.prices is None
                else tr("{tokens}, cost {cost:.4f}", tokens=tokens, cost=self.prices.cost(used)),
            ]
        return tr("{counts}; {signature}", counts=tuple(counts), signature=self.signature)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        guess = None if self.expected is None else self.expected.to_json(self.prices)
        return {
            "prompt": self.prompt,
            "rows": self.rows,
            "earlier": self.earlier,
            "kept": self.from_cache,
            "estimated": guess,
            "signature": self.signature,
        }


def preview_run(
    plan: RunPlan, prices: Prices | None = None, journalled: Mapping[str, RunRow] | None = None
) -> RunPreview:
    """Preview the inputs that are not ``journalled`` yet; show the first text without a prompt."""
    first = plan.items[0]
    prompt = "\n\n".join(one.content for one in first.messages) or first.source
    done, left = rows_left(plan.items, journalled or {})
    from_cache, expected = 0, None
    if isinstance(plan.system, ChatSystem):
        from_cache, expected = plan.system.expected(left)
    return RunPreview(
        prompt, len(plan.items), len(done), from_cache, expected, prices, plan.signature
    )
