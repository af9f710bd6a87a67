"""Kinds of systems under test: inputs, outputs, and names on the command line.

A system takes inputs, gives answers, and describes itself. Each kind is declared in its own module,
with its options and a function that builds it. Only the module of the requested kind is loaded:

    openai:MODEL    command:PROGRAM    http://ADDRESS    hf:MODEL    dictionary    copy    oracle
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from patmark.catalogue import SYSTEMS, load
from patmark.errors import UsageError, near
from patmark.llm import Adapter, ChatClient, Endpoint, Message, Template, Usage, json_hash

OnAnswer: TypeAlias = Callable[["SystemInput", "SystemAnswer"], None]
Options: TypeAlias = Mapping[str, Any]
Connect: TypeAlias = Callable[[str, Callable[[Endpoint], Adapter]], ChatClient]

# Options of all kinds that use a server.
CLIENT_OPTIONS = (
    "cache",
    "no_cache",
    "concurrency",
    "timeout",
    "retries",
    "api_key_env",
    "api_key_keyring",
)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SystemInput:
    """One text for a system, and the parts that may help to answer it.

    ``messages`` are the prompt for systems that take one; ``context`` are the preceding texts of
    the document; ``glossary`` are terms of the text with their translations. Only the oracle gets
    the ``references``.
    """

    id: str
    source: str
    messages: tuple[Message, ...] = ()
    context: tuple[str, ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """The answer of a system to an input: a text, or the reason why there is none.

    ``usage`` was paid now, ``recalled`` by an earlier run; ``tries`` counts requests. ``cached_at``
    is the time of an answer from the cache.
    """

    text: str | None
    failure: str | None = None
    cut_off: bool = False
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    cached_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """The identity of a system: everything that can change its answers, and its location.

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
        """Return all fields, as JSON values."""
        return {
            "kind": self.kind,
            "version": self.version,
            "prompt": None if self.prompt is None else dict(self.prompt),
            "parameters": dict(self.parameters),
            "place": self.location,
        }


@dataclass(frozen=True, slots=True)
class Traits:
    """The parts of an input that a system reads, and the treatment of its answers.

    ``takes`` names the parts besides the source: prompt, context, glossary, references. A
    ``chatty`` system may say more than the translation. One that ``only_translates`` cannot work
    on claims. ``run_type`` and ``resources`` go into the manifest of a run.
    """

    takes: frozenset[str] = frozenset()
    chatty: bool = False
    may_copy: bool = False
    only_translates: bool = False
    run_type: str | None = None
    resources: tuple[str, ...] = ()


class System(Protocol):
    """A system under test; after a run, ``notices`` may report on it."""

    @property
    def description(self) -> Description:
        """The identity of the system, for the metadata and the signature of a run."""

    @property
    def traits(self) -> Traits:
        """The parts of an input that it reads, and the treatment of its answers."""

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Answer every input, in any order; call ``on_answer`` for each as soon as it is done.

        A second call for the same input replaces the first. Inputs without a call have failed.
        """


@dataclass(frozen=True, slots=True)
class BuildContext:
    """The parts of a system besides its options.

    ``connect`` makes the client of an address, with the key, cache, limits and budget of the user.
    """

    source_language: str | None
    target_language: str
    template: Template
    connect: Connect


@dataclass(frozen=True, slots=True)
class SystemKind:
    """A kind of system under test.

    ``argument`` describes the text after the colon, and is empty if nothing may follow. ``options``
    are the names of the options that have an effect. ``build`` gets the argument and the given
    options. ``title`` makes a name for tables from the argument.
    """

    name: str
    build: Callable[[str, Options, BuildContext], System]
    argument: str = ""
    options: tuple[str, ...] = ()
    title: Callable[[str], str] | None = None

    @property
    def usage(self) -> str:
        """The name of such a system on the command line."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    def default_name(self, argument: str) -> str:
        """Return a short name for tables and file names."""
        named = self.title(argument) if self.title else self.name
        return re.sub(r"[^\w.-]+", "-", named).strip("-.") or self.name


def system_kind(name: str) -> SystemKind:
    """Load the kind of a name."""
    if name not in SYSTEMS:
        usages = ", ".join(system_kind(known).usage for known in SYSTEMS)
        cure = near(name, SYSTEMS) or f"; choose from {usages}"
        raise UsageError(f"the system {name!r} is unknown{cure}")
    kind: SystemKind = load(SYSTEMS[name])
    return kind


def parse_system(text: str) -> tuple[SystemKind, str]:
    """Return the kind of a system, and its argument: the model, program or address."""
    if text.startswith(("http://", "https://")):
        return system_kind("http"), text
    name, _, argument = text.partition(":")
    kind = system_kind(name)
    if kind.argument and not argument.strip():
        raise UsageError(f"say which one: {name}:NAME")
    if argument and not kind.argument:
        raise UsageError(f"nothing can follow {name}; options say the rest")
    return kind, argument.strip()


def _short(value: object) -> str:
    """Return plain values as they are, others by their hash."""
    if isinstance(value, str | int | float):
        return str(value)
    return f"#{json_hash(value)}"
