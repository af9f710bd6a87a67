"""Declaration of options: groups of them as frozen dataclasses.

A command is a function of its arguments, of a few groups of options, and of single options. A group
is a frozen dataclass: each field is an option of the same name, and the text below the field is its
help.
Protocols declare groups too, so this module is below ``cli``; ``app/cli/parser.py`` reads lines.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, TypeAlias, TypeGuard, TypeVar, dataclass_transform

from patmark.errors import UsageError
from patmark.wording import as_option

_Group = TypeVar("_Group", bound="Options")
Command: TypeAlias = Callable[..., None]


class Options:
    """Options under one heading of a help page."""

    heading = "Options"

    def __init_subclass__(cls, heading: str | None = None) -> None:
        if heading is not None:
            cls.heading = heading

    @classmethod
    def on_line(cls, tokens: Sequence[str]) -> type[Options]:
        """Return the group to read a line with; a protocol's depends on the protocol named."""
        return cls

    @classmethod
    def others(cls) -> Mapping[str, type[Options]]:
        """Return all groups that :meth:`on_line` may return, by the words that select them."""
        return {}

    def named(self, *names: str) -> dict[str, object]:
        """Return the values of some fields by option name."""
        return {option_name(name): getattr(self, name) for name in names}

    def changed(self) -> dict[str, Any]:
        """Return the values that differ from their defaults by field name."""
        defaults = defaults_of(type(self))
        values = {name: getattr(self, name) for name in defaults}
        return {name: value for name, value in values.items() if value != defaults[name]}

    def given(self) -> dict[str, object]:
        """Return the values that differ from their defaults by option name."""
        return self.named(*self.changed())


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def group(cls: type[_Group]) -> type[_Group]:
    """Make a class a frozen dataclass whose fields are given by keyword."""
    return dataclass(frozen=True, kw_only=True, repr=False, eq=False)(cls)


def option_name(field: str) -> str:
    """Return the name of an option on the command line."""
    return as_option(field)


def refuse(where: str, options: Mapping[str, object]) -> None:
    """Raise an error if an option without effect was given; 0 counts as given."""
    given = [
        name
        for name, value in options.items()
        if not (value is None or value is False or value in ([], ()))
    ]
    if given:
        raise UsageError(f"{', '.join(given)} has no effect {where}")


def Parameter(**settings: Any) -> Any:
    """Declare properties of an option beyond its type and help."""
    from cyclopts import Parameter as Declared

    return Declared(**settings)


def option(heading: str, help: str, **settings: Any) -> Any:
    """Declare an option that is a parameter of its command, without a group."""
    return Parameter(group=heading, help=help, **settings)


def at_least(least: float) -> Any:
    """Declare the lower limit of a number."""
    from cyclopts.validators import Number

    return Parameter(validator=Number(gte=least))


def defaults_of(group: type[Options]) -> dict[str, Any]:
    """Return the defaults of a group by field name; MISSING where an option is required."""
    if not is_dataclass(group):
        return {}
    return {
        one.name: one.default if one.default_factory is MISSING else one.default_factory()
        for one in fields(group)
    }


def declared_groups(command: Command) -> dict[str, type[Options]]:
    """Return the groups that a command declares by parameter name."""
    parameters = inspect.signature(command).parameters.values()
    found = {one.name: command.__globals__.get(one.annotation) for one in parameters}
    return {name: group for name, group in found.items() if _is_group(group)}


def _is_group(annotation: object) -> TypeGuard[type[Options]]:
    return isinstance(annotation, type) and issubclass(annotation, Options)


def groups_of(command: Command, tokens: Sequence[str] = ()) -> dict[str, type[Options]]:
    """Return the groups that a command takes on a line by parameter name."""
    return {name: group.on_line(tokens) for name, group in declared_groups(command).items()}
