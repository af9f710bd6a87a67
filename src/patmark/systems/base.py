"""What every system under test is: it takes items, gives answers, and describes itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from patmark.llm import Message, Usage

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_HASH_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Item:
    """One text for a system, with all that may help to answer it.

    ``messages`` are the prompt for systems that take one; ``context`` are the preceding texts of
    the document; ``glossary`` are terms of the text with their translations. Only the oracle reads
    the ``references``.
    """

    id: str
    source: str
    messages: tuple[Message, ...] = ()
    context: tuple[str, ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a system to an item: a text, or the reason why there is none.

    ``usage`` was paid now, ``recalled`` by an earlier run; ``tries`` counts requests.
    """

    text: str | None
    failure: str | None = None
    cut_off: bool = False
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    from_cache: bool = False


Settled: TypeAlias = Callable[[Item, Answer], None]


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
            parts.append(f"prompt={named}#{fingerprint(self.prompt)}")
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

    ``takes`` names the parts of an item it reads besides the source: prompt, context, glossary. A
    ``chatty`` system may say more than the translation. One that ``only_translates`` cannot work on
    claims. ``run_type`` and ``resources`` go into the manifest of a run.
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

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Answer every item, in any order; ``settled`` is called for each as soon as it is done.

        A second call for the same item replaces the first. Items without a call have failed.
        """


def fingerprint(value: object) -> str:
    """A short hash of a JSON value."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=dict)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:_HASH_DIGITS]


def _short(value: object) -> str:
    """Plain values as they are, others by their hash."""
    if isinstance(value, str | int | float):
        return str(value)
    return f"#{fingerprint(value)}"
