"""Prompt templates: texts with placeholders, which are names in braces.

A template is TOML with the texts ``system`` (optional) and ``user``, or a file with another ending,
which is the ``user`` text. A text under ``blocks`` surrounds a placeholder that may be empty, and
is left out with it. The caller defines the known and the required placeholders.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from patmark.data import read_lines
from patmark.errors import InputError, Problem
from patmark.languages import language
from patmark.llm.chat import Message

_HASH_DIGITS = 8
_GAP = re.compile(r"\{([a-z_]+)\}")
# a misspelt placeholder, which would be sent unchanged or with braces around the text
_ALMOST = re.compile(r"\{+\s*([A-Za-z_]+)\s*\}+")
_TEXTS = ("name", "system", "user")
_FIELDS = (*_TEXTS, "version", "blocks")
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with placeholders."""

    name: str
    version: int
    user: str
    system: str = ""
    blocks: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    @property
    def gaps(self) -> frozenset[str]:
        """The names of all placeholders."""
        return frozenset(_GAP.findall(self.system + self.user))

    def to_json(self) -> dict[str, Any]:
        """Return all fields, for the description of a system."""
        return {
            "name": self.name,
            "version": self.version,
            "system": self.system,
            "user": self.user,
            "blocks": dict(self.blocks),
        }

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Fill the placeholders; braces within values stay unchanged."""
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


def language_gaps(languages: tuple[str | None, str]) -> dict[str, str]:
    """Return the placeholders of source and target language: their names and their codes."""
    source, target = languages
    return {
        "source_language": language(source).name if source else "the source language",
        "target_language": language(target).name,
        "source_code": source or "",
        "target_code": target,
    }


def json_hash(value: object) -> str:
    """Return a short hash of a JSON value."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=dict)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:_HASH_DIGITS]


def bundled_prompt(package: str, name: str) -> Template:
    """Read a template that comes with patmark, in the folder ``prompts`` of a package."""
    text = files(package).joinpath("prompts", f"{name}.toml").read_text(encoding="utf-8")
    return Template(**tomllib.loads(text))


def read_prompt(path: str, known: Sequence[str], needed: Mapping[str, str]) -> Template:
    """Read a template of the user; report all problems at once, unknown placeholders with lines.

    ``known`` placeholders will be filled. ``needed`` maps required ones to the consequence of
    their absence.
    """
    lines = read_lines(path)
    text = "\n".join(lines)
    fields = _parsed(text, path) if path.endswith(".toml") else {"user": text}
    problems = [Problem(message, path) for message in _field_problems(fields)]
    if not problems:
        name = Path(path).name.rsplit(".", 1)[0]
        template = Template(**{"name": name, "version": 1} | fields)
        problems = [
            *_unknown_gaps(template, known, lines, path),
            *(
                Problem(f"the placeholder {{{gap}}} is missing: {loss}", path)
                for gap, loss in needed.items()
                if gap not in template.gaps
            ),
        ]
    if problems:
        raise InputError(problems)
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
        problems.append(f"block {wrong[0]!r} lacks its own placeholder {{{wrong[0]}}}")
    if not fields.get("user"):
        problems.append("field 'user' is missing; expected the text of the question")
    return problems


def _unknown_gaps(
    template: Template, known: Sequence[str], lines: Sequence[str], path: str
) -> Iterator[Problem]:
    right = [f"{{{name}}}" for name in known]
    texts = "\n".join([template.system, template.user, *template.blocks.values()])
    found = {match[0]: match[1] for match in _ALMOST.finditer(texts)}
    for gap, name in found.items():
        if gap not in right and (name.lower() in known or _GAP.fullmatch(gap)):
            line = next((at for at, one in enumerate(lines, 1) if gap in one), None)
            yield Problem(
                f"unknown placeholder {gap}; the known ones are {', '.join(right)}", path, line
            )
