"""The kinds of systems that the command line can name: each module declares its own.

    openai:MODEL    command:PROGRAM    http://ADDRESS    hf:MODEL    dictionary    copy    oracle

A kind says which options it takes and builds the system from them, so that nobody above has to
know a kind by name. Only the module of the kind that is asked for is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

from patmark.errors import UsageError
from patmark.llm import ChatClient, Endpoint
from patmark.llm.connection import Adapter
from patmark.systems.base import System
from patmark.systems.tasks import Template

Options: TypeAlias = Mapping[str, Any]
Connect: TypeAlias = Callable[[str, Callable[[Endpoint], Adapter]], ChatClient]

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
KINDS: Mapping[str, str] = {
    "openai": "patmark.systems.chat:OPENAI",
    "command": "patmark.systems.command:COMMAND",
    "http": "patmark.systems.service:HTTP",
    "hf": "patmark.systems.huggingface:HF",
    "dictionary": "patmark.systems.dictionary:DICTIONARY",
    "copy": "patmark.systems.simple:COPY",
    "oracle": "patmark.systems.simple:ORACLE",
}


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
    if name not in KINDS:
        usages = ", ".join(system_kind(known).usage for known in KINDS)
        raise UsageError(f"the system {name!r} is unknown; choose from {usages}")
    module, _, constant = KINDS[name].partition(":")
    kind: SystemKind = getattr(import_module(module), constant)
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
