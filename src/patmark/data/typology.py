"""Typologies of errors: categories and severities of annotations, in three languages.

Three are built in: ``mqm`` (MQM core), ``wmt`` (the typology of WMT) and ``patent`` (ours). The
texts in ``typologies.json`` are our own; an error of several typologies is described once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from patmark.data.annotations import AnnotatedSide, Annotation
from patmark.errors import UsageError, near

_Named = TypeVar("_Named", "Category", "Severity")


@dataclass(frozen=True, slots=True)
class Category:
    """A category of errors, such as ``Accuracy/Omission``; texts by language (en, zh, ja).

    ``side`` is the text to mark: an omission can only be marked in the source. In the example, the
    error is between asterisks.
    """

    name: str
    label: Mapping[str, str] = field(hash=False)
    definition: Mapping[str, str] = field(hash=False)
    example: Mapping[str, str] = field(hash=False)
    side: AnnotatedSide = "target"

    @property
    def group(self) -> str:
        """The part before the slash, or the whole name."""
        return self.name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Severity:
    """Severity of an error; texts by language."""

    name: str
    label: Mapping[str, str] = field(hash=False)
    definition: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Typology:
    """Categories in the order of a form, and severities, worst first.

    ``groups`` has the label of each group; ``aliases`` are other names of categories in files.
    """

    name: str
    title: Mapping[str, str] = field(hash=False)
    severities: tuple[Severity, ...]
    categories: tuple[Category, ...]
    groups: Mapping[str, Mapping[str, str]] = field(hash=False)
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)

    def category(self, name: str) -> Category:
        """Return the category of a name, ignoring case, or of an alias."""
        aliases = {alias.lower(): meant for alias, meant in self.aliases.items()}
        return _found(self, "category", aliases.get(name.lower(), name), self.categories)

    def severity(self, name: str) -> Severity:
        """Return the severity of a name, ignoring case."""
        return _found(self, "severity", name, self.severities)

    def problems(self, mark: Annotation) -> Iterator[str]:
        """List the parts of an annotation that this typology does not know."""
        for lookup, name in ((self.category, mark.category), (self.severity, mark.severity)):
            try:
                lookup(name)
            except UsageError as error:
                yield str(error)


def typology_names() -> tuple[str, ...]:
    """Return the built-in typologies."""
    return tuple(_content()["typologies"])


@cache
def typology(name: str) -> Typology:
    """Return a built-in typology."""
    content = _content()
    if name not in content["typologies"]:
        known = typology_names()
        raise UsageError(
            f"unknown typology {name!r}; the known ones are {', '.join(known)}{near(name, known)}"
        )
    chosen, errors = content["typologies"][name], content["errors"]
    categories = tuple(
        Category(full, **errors[described]) for full, described in chosen["categories"].items()
    )
    severities = tuple(
        Severity(full, **content["severities"][described])
        for full, described in chosen["severities"].items()
    )
    groups = {one.group: content["groups"].get(one.group, one.label) for one in categories}
    aliases = chosen.get("aliases", {})
    return Typology(name, chosen["title"], severities, categories, groups, aliases)


def _found(owner: Typology, what: str, name: str, choices: Iterable[_Named]) -> _Named:
    by_name = {one.name.lower(): one for one in choices}
    if found := by_name.get(name.lower()):
        return found
    by_leaf = {full.rpartition("/")[2]: one.name for full, one in by_name.items()}
    leaf = by_leaf.get(name.lower().rpartition("/")[2])
    names = [one.name for one in by_name.values()]
    hint = f"; did you mean {leaf}?" if leaf else near(name, names)
    raise UsageError(f"the typology {owner.name!r} has no {what} {name!r}{hint or _choices(names)}")


def _choices(names: Sequence[str]) -> str:
    return f"; the known ones are {', '.join(names)}"


@cache
def _content() -> dict[str, Any]:
    text = files("patmark.data").joinpath("typologies.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
