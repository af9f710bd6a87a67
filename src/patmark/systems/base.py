"""What every system under test is: texts in, texts out, and a description of how."""

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
    """One text for a system, with what may help and, for the oracle alone, the references.

    ``messages`` are the prompt of systems that take one; ``context`` are the texts before this one
    in its document; ``glossary`` are terms of the text with their translations.
    """

    id: str
    source: str
    messages: tuple[Message, ...] = ()
    context: tuple[str, ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system made of an item: a text, or the reason why there is none.

    ``usage`` was paid now, ``recalled`` by an earlier run; ``tries`` counts requests. An answer
    that is ``kept`` came from the cache.
    """

    text: str | None
    failure: str | None = None
    cut_off: bool = False
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    kept: bool = False


Settled: TypeAlias = Callable[[Item, Answer], None]


@dataclass(frozen=True, slots=True)
class Description:
    """Which system it is: all that can change what it says, and where it runs.

    ``version`` is the model, program or dictionary. ``place`` is kept for readers and no part of
    the signature, since a model may move.
    """

    kind: str
    version: str
    prompt: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    place: str | None = None

    @property
    def signature(self) -> str:
        """Kind and version, parameters, and the prompt by name and hash."""
        parts = [f"{self.kind}:{self.version}"]
        parts += [f"{name}={_plain(value)}" for name, value in self.parameters.items()]
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
            "place": self.place,
        }


@dataclass(frozen=True, slots=True)
class Traits:
    """What a system makes use of, and what it is expected to do.

    ``takes`` names the parts of an item it reads besides the source: prompt, context, glossary. A
    ``chatty`` one may say more than the translation. One that ``only_translates`` cannot work on
    claims. ``run_type`` and ``resources`` are what the manifest of a run says.
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
        """How it is to be treated."""

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Answer every item, in any order; ``settled`` is called for each as soon as it is done.

        An item that is settled again replaces what was said of it before. What is not settled in
        the end counts as failed.
        """


def fingerprint(value: object) -> str:
    """A short hash of a JSON value."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=dict)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:_HASH_DIGITS]


def _plain(value: object) -> str:
    if isinstance(value, str | int | float):
        return str(value)
    return f"#{fingerprint(value)}"
