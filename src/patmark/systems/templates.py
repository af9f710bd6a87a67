"""Prompts are data: templates with named gaps, ours in ``prompts/`` or a file of the user.

A template is TOML with the texts ``system`` (may be left out) and ``user``. A gap is a name in
braces. The texts under ``blocks`` stand around a gap that may be empty, and vanish with it. A file
with another ending is the ``user`` text as it stands.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from patmark.data import read_lines
from patmark.errors import InputError, Problem
from patmark.llm import Message

GAPS = (
    "source", "source_language", "target_language", "source_code", "target_code",
    "context", "glossary", "description", "instructions",
)  # fmt: skip
_GAP = re.compile(r"\{([a-z_]+)\}")
_TEXTS = ("name", "system", "user")
_FIELDS = (*_TEXTS, "version", "blocks")
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with gaps."""

    name: str
    version: int
    user: str
    system: str = ""
    blocks: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    @property
    def gaps(self) -> frozenset[str]:
        """The names of all gaps."""
        return frozenset(_GAP.findall(self.system + self.user))

    def to_json(self) -> dict[str, Any]:
        """The template, for the description of a system."""
        return {
            "name": self.name, "version": self.version, "system": self.system, "user": self.user,
            "blocks": dict(self.blocks),
        }  # fmt: skip

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The prompt with its gaps filled; braces within values stay as they are."""
        user = Message("user", self._filled(self.user, values))
        if not self.system:
            return (user,)
        return (Message("system", self._filled(self.system, values)), user)

    def _filled(self, text: str, values: Mapping[str, str]) -> str:
        def fill(match: re.Match[str]) -> str:
            name = match[1]
            value = values.get(name, "")
            block = self.blocks.get(name)
            return value if block is None or not value else block.replace(f"{{{name}}}", value)

        return _GAP.sub(fill, text)


def own_template(task: str) -> Template:
    """The template that comes with patmark for a task."""
    text = files(__package__).joinpath("prompts", f"{task}.toml").read_text(encoding="utf-8")
    return Template(**tomllib.loads(text))


def read_template(path: str) -> Template:
    """A template of the user; all its problems are reported at once."""
    text = "\n".join(read_lines(path))
    fields = _parsed(text, path) if path.endswith(".toml") else {"user": text}
    problems = _field_problems(fields)
    if not problems:
        name = Path(path).name.rsplit(".", 1)[0]
        template = Template(**{"name": name, "version": 1} | fields)
        problems = _gap_problems(template)
    if problems:
        raise InputError(Problem(message, path) for message in problems)
    return template


def _parsed(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError.at(f"is not valid TOML: {error}", path) from None


def _field_problems(fields: Mapping[str, Any]) -> list[str]:
    problems = [
        f"unknown field {name!r}; the known ones are {', '.join(_FIELDS)}"
        for name in fields
        if name not in _FIELDS
    ]
    problems += [
        f"field {name!r}: expected a text"
        for name in _TEXTS
        if not isinstance(fields.get(name, ""), str)
    ]
    blocks = fields.get("blocks", {})
    if type(fields.get("version", 1)) is not int:
        problems.append("field 'version': expected a whole number")
    if not isinstance(blocks, dict) or not all(isinstance(one, str) for one in blocks.values()):
        problems.append("field 'blocks': expected a table of texts")
    elif wrong := [name for name, text in blocks.items() if f"{{{name}}}" not in text]:
        problems.append(f"block {wrong[0]!r} lacks its own gap {{{wrong[0]}}}")
    if not fields.get("user"):
        problems.append("field 'user' is missing; expected the text of the question")
    return problems


def _gap_problems(template: Template) -> list[str]:
    unknown = sorted((template.gaps | set(template.blocks)) - set(GAPS))
    problems = [f"unknown gap {{{name}}}; the known ones are {', '.join(GAPS)}" for name in unknown]
    if "source" not in template.gaps:
        problems.append("the gap {source} is missing: the text itself would not be sent")
    return problems
