"""What a system under test is, what it is asked to do, and how the command line names it.

A system takes items, gives answers, and describes itself. A task turns segments into items. Each
kind of system is declared in its own module, with the options it takes and a function that builds
it, so that nobody above has to know a kind by name; only the module of the kind that is asked for
is loaded:

    openai:MODEL    command:PROGRAM    http://ADDRESS    hf:MODEL    dictionary    copy    oracle
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from patmark.catalogue import SYSTEMS, load
from patmark.data import Segment, TestSet, known_answers
from patmark.errors import UsageError, near
from patmark.llm import (
    Adapter,
    ChatClient,
    Endpoint,
    Message,
    Template,
    TermBase,
    Usage,
    bundled_prompt,
    json_hash,
    language_gaps,
    read_prompt,
    shown_terms,
)

OnAnswer: TypeAlias = Callable[["SystemInput", "SystemAnswer"], None]
Options: TypeAlias = Mapping[str, Any]
Connect: TypeAlias = Callable[[str, Callable[[Endpoint], Adapter]], ChatClient]

TASKS = ("translate", "claims", "revise")
# What a client is made of, for all kinds that ask a server.
CLIENT_OPTIONS = (
    "cache",
    "no_cache",
    "concurrency",
    "timeout",
    "retries",
    "api_key_env",
    "api_key_keyring",
)
_ROW_GAPS = ("description", "instructions")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SystemInput:
    """One text for a system, with all that may help to answer it.

    ``messages`` are the prompt for systems that take one; ``context`` are the preceding texts of
    the document; ``glossary`` are terms of the text with their translations. Only the oracle is
    given the ``references``.
    """

    id: str
    source: str
    messages: tuple[Message, ...] = ()
    context: tuple[str, ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """The answer of a system to an item: a text, or the reason why there is none.

    ``usage`` was paid now, ``recalled`` by an earlier run; ``tries`` counts requests. ``kept`` is
    when a kept answer was given.
    """

    text: str | None
    failure: str | None = None
    cut_off: bool = False
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    kept: datetime | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """Which system it is: everything that can change its answers, and where it runs.

    ``version`` is the model, program or dictionary. ``location`` is not part of the signature,
    since a model may move.
    """

    kind: str
    version: str
    prompt: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    location: str | None = None

    @property
    def signature(self) -> str:
        """Kind and version, parameters, and the prompt by name and hash."""
        parts = [f"{self.kind}:{self.version}"]
        parts += [f"{name}={_short(value)}" for name, value in self.parameters.items()]
        if self.prompt is not None:
            named = f"{self.prompt['name']}/{self.prompt['version']}"
            parts.append(f"prompt={named}#{json_hash(self.prompt)}")
        return "|".join(parts)

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON values."""
        return {
            "kind": self.kind,
            "version": self.version,
            "prompt": None if self.prompt is None else dict(self.prompt),
            "parameters": dict(self.parameters),
            "place": self.location,
        }


@dataclass(frozen=True, slots=True)
class Traits:
    """What a system reads, and how its answers are treated.

    ``takes`` names the parts of an item it reads besides the source: prompt, context, glossary,
    references. A ``chatty`` system may say more than the translation. One that ``only_translates``
    cannot work on claims. ``run_type`` and ``resources`` go into the manifest of a run.
    """

    takes: frozenset[str] = frozenset()
    chatty: bool = False
    may_copy: bool = False
    only_translates: bool = False
    run_type: str | None = None
    resources: tuple[str, ...] = ()


class System(Protocol):
    """A system under test."""

    @property
    def description(self) -> Description:
        """What it is, for the metadata and the signature of a run."""

    @property
    def traits(self) -> Traits:
        """What it reads, and how its answers are treated."""

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Answer every item, in any order; ``on_answer`` is called for each as soon as it is done.

        A second call for the same item replaces the first. Items without a call have failed.
        """


@dataclass(frozen=True, slots=True)
class Task:
    """What a system is asked to do, with its prompt.

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
        """Refuse options that have no effect with a system."""
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
        """The part that changes answers and does not belong to the system."""
        return {"name": self.name, "context": self.context, "glossary": self.terms.to_json()}

    def items(self, test_set: TestSet, traits: Traits) -> list[SystemInput]:
        """The items of all segments that have a source."""
        if self.context and not any(test_set.documents):
            raise UsageError("--context needs to know which rows belong to one document")
        before = _preceding(test_set, self.context)
        languages = (test_set.source_language, test_set.target_language)
        items = [
            self._item(segment, before[position], languages, traits)
            for position, segment in enumerate(test_set)
            if (segment.source or "").strip()
        ]
        if self.terms and not any(item.glossary for item in items):
            raise UsageError("--glossary has no effect: none of its terms occurs in any text")
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
        known = known_answers(segment, languages[1]) if "references" in traits.takes else ()
        return SystemInput(segment.id, source, messages, context, terms, known)


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What systems are built from besides their options.

    ``connect`` makes the client of an address, with the key, cache, limits and budget of the user.
    """

    source_language: str | None
    target_language: str
    template: Template
    connect: Connect


@dataclass(frozen=True, slots=True)
class SystemKind:
    """A kind of system under test.

    ``argument`` describes what follows the colon, and is empty if nothing may follow. ``options``
    are the names of the options that have an effect. ``build`` gets the argument and the options
    that were given. ``title`` makes a name for tables from the argument.
    """

    name: str
    build: Callable[[str, Options, BuildContext], System]
    argument: str = ""
    options: tuple[str, ...] = ()
    title: Callable[[str], str] | None = None

    @property
    def usage(self) -> str:
        """How the command line names such a system."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    def default_name(self, argument: str) -> str:
        """A short name that can stand in tables and file names."""
        named = self.title(argument) if self.title else self.name
        return re.sub(r"[^\w.-]+", "-", named).strip("-.") or self.name


def system_kind(name: str) -> SystemKind:
    """The kind of a name; its module is loaded."""
    if name not in SYSTEMS:
        usages = ", ".join(system_kind(known).usage for known in SYSTEMS)
        cure = near(name, SYSTEMS) or f"; choose from {usages}"
        raise UsageError(f"the system {name!r} is unknown{cure}")
    kind: SystemKind = load(SYSTEMS[name])
    return kind


def parse_system(text: str) -> tuple[SystemKind, str]:
    """The kind of a system, and its argument: the model, program or address."""
    if text.startswith(("http://", "https://")):
        return system_kind("http"), text
    name, _, argument = text.partition(":")
    kind = system_kind(name)
    if kind.argument and not argument.strip():
        raise UsageError(f"say which one: {name}:NAME")
    if argument and not kind.argument:
        raise UsageError(f"nothing can follow {name}; options say the rest")
    return kind, argument.strip()


def task_of(
    name: str, template: Template | None = None, context: int = 0, terms: TermBase | None = None
) -> Task:
    """A task, with our template if none is given."""
    if name not in TASKS:
        raise UsageError(f"the task {name!r} is unknown; choose from {', '.join(TASKS)}")
    return Task(name, template or own_template(name), context, terms or TermBase())


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


def _row_values(meta: Mapping[str, Any]) -> dict[str, str]:
    given = {name: meta.get(name) for name in _ROW_GAPS}
    return {name: value for name, value in given.items() if isinstance(value, str)}


def _short(value: object) -> str:
    """Plain values as they are, others by their hash."""
    if isinstance(value, str | int | float):
        return str(value)
    return f"#{json_hash(value)}"


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


def own_template(task: str) -> Template:
    """The template that comes with patmark for a task."""
    return bundled_prompt(__package__, task)


def read_template(path: str) -> Template:
    """Read a template of the user for a task."""
    return read_prompt(path, GAPS, {"source": "the text itself would not be sent"})
