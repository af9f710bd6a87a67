"""Drive a system through a test set: none lost, none twice, every failure with its reason."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from patmark.data import TestSet
from patmark.llm import Usage
from patmark.systems.base import Answer, Item, System
from patmark.systems.cleaning import VERSION as CLEANING, clean
from patmark.systems.faults import find_fault
from patmark.systems.journal import Journal, Row
from patmark.systems.tasks import Task

Progress: TypeAlias = Callable[[int, int, Usage], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """A system, its task and its items; and whether chatter is cleaned up.

    ``about`` is what else must stay the same for a run to go on: languages and test set.
    """

    system: System
    task: Task
    items: tuple[Item, ...]
    cleaning: bool
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides what a row will be."""
        return {
            "system": self.system.description.to_json(), "task": self.task.to_json(),
            "cleaning": CLEANING if self.cleaning else 0, **self.about,
        }  # fmt: skip

    @property
    def signature(self) -> str:
        """One line that tells two runs apart."""
        parts = [self.system.description.signature, f"task={self.task.name}"]
        parts += [f"context={self.task.context}"] if self.task.context else []
        terms = self.task.terms.to_json()
        parts += (
            [f"glossary={'rows' if terms['rows'] else ''}{terms['table'] or ''}"] if terms else []
        )
        parts += [f"clean={CLEANING}"] if self.cleaning else []
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of all items, in their order.

    ``spent`` was paid now; ``taken_over`` rows were there from an earlier run, and ``kept`` ones
    have answers from the cache.
    """

    rows: tuple[Row, ...]
    taken_over: int
    spent: Usage
    tries: int
    kept: int

    @property
    def failures(self) -> tuple[Row, ...]:
        """The rows without a hypothesis."""
        return tuple(row for row in self.rows if row.failure is not None)

    @property
    def used(self) -> Usage:
        """What all rows took, in this run and earlier ones."""
        return Usage.total(row.usage for row in self.rows)


def run_plan(
    plan: Plan, journal_path: str | Path, *, fresh: bool = False, progress: Progress | None = None
) -> Finished:
    """Answer what has no answer yet. Rows that failed before are tried again."""
    with Journal(journal_path, plan.settings, fresh=fresh) as journal:
        work = _Work(plan, journal, progress)
        left = work.left
        if left:
            asyncio.run(plan.system.answer_all(left, work.settle))
        for item in left:
            if item.id not in work.rows:
                work.settle(item, Answer(None, "the system gave no answer"))
        rows = tuple(work.rows[item.id] for item in plan.items)
        journal.tidy(rows)
    return Finished(rows, len(plan.items) - len(left), work.spent, work.tries, work.kept)


class _Work:
    """Rows as they come in."""

    def __init__(self, plan: Plan, journal: Journal, progress: Progress | None) -> None:
        self._plan = plan
        self._journal = journal
        self._progress = progress
        known = {item.id for item in plan.items}
        earlier = journal.rows.items()
        self.rows = {one: row for one, row in earlier if one in known and row.failure is None}
        self.left = [item for item in plan.items if item.id not in self.rows]
        self.spent = Usage()
        self.tries = 0
        self.kept = 0

    def settle(self, item: Item, answer: Answer) -> None:
        """Judge an answer, and write it down before anything else happens."""
        row = judged(item, answer, self._plan)
        self._journal.add(row)
        self.rows[item.id] = row
        self.spent += answer.usage
        self.tries += answer.tries
        self.kept += answer.kept
        if self._progress:
            self._progress(len(self.rows), len(self._plan.items), self.spent)


def judged(item: Item, answer: Answer, plan: Plan) -> Row:
    """The row of an answer: cleaned up, or failed."""
    usage = answer.usage + answer.recalled
    if answer.text is None or answer.failure is not None:
        return Row(item.id, None, answer.failure or "no answer", answer.text, usage=usage)
    found = clean(answer.text, item.source) if plan.cleaning else None
    text, steps = (found.text, found.steps) if found else (answer.text, ())
    row = Row(item.id, text, None, answer.text if steps else None, steps, usage)
    may_copy = plan.system.traits.may_copy or plan.task.name != "translate"
    fault = find_fault(
        item.source, text, cut_off=answer.cut_off, may_copy=may_copy,
        chatty=plan.system.traits.chatty,
    )  # fmt: skip
    return row if fault is None else replace(row, hypothesis=None, failure=fault, raw=answer.text)


def plan_run(
    system: System, task: Task, test_set: TestSet, *, cleaning: bool | None = None, **about: Any
) -> Plan:
    """A plan whose options have an effect; chatty systems are cleaned up unless told otherwise."""
    task.check(system.traits, system.description.kind)
    items = tuple(task.items(test_set, system.traits))
    return Plan(system, task, items, system.traits.chatty if cleaning is None else cleaning, about)
