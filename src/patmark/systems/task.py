"""Tasks of systems: translate, draft claims, revise claims; and their prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from patmark.data import Segment, TestSet
from patmark.errors import UsageError
from patmark.llm import (
    Message,
    Template,
    TermBase,
    bundled_prompt,
    language_gaps,
    read_prompt,
    shown_terms,
)
from patmark.systems.kinds import SystemInput, Traits
from patmark.wording import setting

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
            values = {
                "source": source,
                "context": "\n".join(context),
                "glossary": shown_terms(terms),
                **language_gaps(languages),
                **_row_values(segment.meta),
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


def _row_values(meta: Mapping[str, Any]) -> dict[str, str]:
    given = {name: meta.get(name) for name in _ROW_GAPS}
    return {name: value for name, value in given.items() if isinstance(value, str)}


def own_template(task: str) -> Template:
    """Return the bundled template of a task."""
    return bundled_prompt(__package__, task)


def read_template(path: str) -> Template:
    """Read a template of the user for a task."""
    return read_prompt(path, GAPS, {"source": "the text itself would not be sent"})
