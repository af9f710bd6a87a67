"""What a system is asked to do: translate, draft claims, revise claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from patmark.data import Segment, TestSet
from patmark.errors import InputError, Problem, UsageError
from patmark.llm import Message
from patmark.systems.base import Item, Traits
from patmark.systems.templates import Template, own_template
from patmark.systems.terms import TermBase, shown_terms

TASKS = ("translate", "claims", "revise")
_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "en": "English"}
_ROW_GAPS = ("description", "instructions")


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of work with its prompt.

    ``context`` is how many preceding segments of the same document are shown with each.
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
        """Refuse what would have no effect with a system."""
        wanted = {"context": self.context, "glossary": self.terms}
        for name in (name for name, given in wanted.items() if given):
            if name not in traits.takes:
                raise UsageError(f"--{name} has no effect with {kind}")
            if "prompt" in traits.takes and name not in self.template.gaps:
                raise UsageError(f"--{name} has no effect: the template has no gap {{{name}}}")
        if self.name != "translate" and traits.only_translates:
            hint = "; with --format jsonl a program can" if kind == "command" else ""
            raise UsageError(f"{kind} only translates: it cannot do the task {self.name}{hint}")

    def to_json(self) -> dict[str, Any]:
        """What changes answers and is no part of the system."""
        return {"name": self.name, "context": self.context, "glossary": self.terms.to_json()}

    def items(self, test_set: TestSet, traits: Traits) -> list[Item]:
        """The items of all segments that have a source."""
        if self.context and not any(test_set.documents):
            raise UsageError("--context needs to know which rows belong to one document")
        before = _preceding(test_set, self.context)
        languages = (test_set.source_language, test_set.target_language)
        items = [
            self._item(segment, before[place], languages, traits)
            for place, segment in enumerate(test_set)
            if (segment.source or "").strip()
        ]
        if self.terms and not any(item.glossary for item in items):
            raise UsageError("--glossary has no effect: none of its terms occurs in any text")
        return items

    def _item(
        self, segment: Segment, context: tuple[str, ...], languages: tuple[str | None, str],
        traits: Traits,
    ) -> Item:  # fmt: skip
        source = segment.source or ""
        terms = self.terms.of(segment, languages) if self.terms else ()
        messages: tuple[Message, ...] = ()
        if "prompt" in traits.takes:
            values = {
                "source": source, "context": "\n".join(context), "glossary": shown_terms(terms),
                **_language_values(languages), **_row_values(segment.meta),
            }  # fmt: skip
            messages = self.template.messages(values)
        return Item(segment.id, source, messages, context, terms, segment.references)


def task_of(
    name: str, template: Template | None = None, context: int = 0, terms: TermBase | None = None
) -> Task:
    """A task, with our template if none is given."""
    if name not in TASKS:
        raise UsageError(f"the task {name!r} is unknown; choose from {', '.join(TASKS)}")
    return Task(name, template or own_template(name), context, terms or TermBase())


def check_sources(test_set: TestSet) -> None:
    """Refuse segments without a source, all of them at once."""
    problems = [
        Problem(f"segment {segment.id!r} has no source text", test_set.name)
        for segment in test_set
        if not (segment.source or "").strip()
    ]
    if problems:
        raise InputError(problems)


def _preceding(test_set: Sequence[Segment], count: int) -> list[tuple[str, ...]]:
    """The sources of up to ``count`` segments before each one in its document."""
    seen: dict[str, list[str]] = defaultdict(list)
    found: list[tuple[str, ...]] = []
    for segment in test_set:
        earlier = seen[segment.document] if segment.document is not None else []
        found.append(tuple(earlier[-count:]) if count else ())
        if segment.source:
            earlier.append(segment.source)
    return found


def _language_values(languages: tuple[str | None, str]) -> dict[str, str]:
    source, target = languages
    return {
        "source_language": _LANGUAGES.get(source or "", source or "the source language"),
        "target_language": _LANGUAGES.get(target, target),
        "source_code": source or "",
        "target_code": target,
    }


def _row_values(meta: Mapping[str, Any]) -> dict[str, str]:
    given = {name: meta.get(name) for name in _ROW_GAPS}
    return {name: value for name, value in given.items() if isinstance(value, str)}
