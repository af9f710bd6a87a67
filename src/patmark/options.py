"""How commands and protocols declare options, and how a plain line is read.

A command is a function of its arguments and of a few groups of options. A group is a frozen
dataclass: each field is an option of the same name, and the text below the field is its help.
Annotations stay text, so that declaring options costs nothing and ``Parameter`` of cyclopts is
looked up only when cyclopts reads them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, is_dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar, dataclass_transform

from patmark.errors import UsageError
from patmark.wording import as_option

_Group = TypeVar("_Group", bound="Options")
Command: TypeAlias = Callable[..., None]
SHORT_NAMES = {"quiet": "-q"}
_KINDS: Mapping[str, type] = {
    "str": str,
    "str | None": str,
    "int": int,
    "int | None": int,
    "float": float,
    "float | None": float,
    "bool": bool,
    "tuple[str, ...]": tuple,
}


class Options:
    """A group of options that stands under one heading of a help page."""

    heading = "Options"

    def __init_subclass__(cls, heading: str | None = None) -> None:
        if heading is not None:
            cls.heading = heading

    def __init__(self, **values: Any) -> None:
        """The same for all groups, because to compile one for each takes time at every start."""
        known = defaults_of(type(self))
        missing = [name for name, value in (known | values).items() if value is MISSING]
        if missing or not values.keys() <= known.keys():
            raise TypeError(f"{type(self).__name__} takes {', '.join(known)}")
        vars(self).update(known | values)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to {name!r}")

    @classmethod
    def on_line(cls, tokens: Sequence[str]) -> type[Options]:
        """The group to read a line with; that of a protocol depends on the one that is named."""
        return cls

    @classmethod
    def others(cls) -> Mapping[str, type[Options]]:
        """All groups that :meth:`on_line` may give, by what a line says to get them."""
        return {}

    def named(self, *names: str) -> dict[str, object]:
        """The values of some options, by the names that users know."""
        return {option_name(name): getattr(self, name) for name in names}

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, by the names of their fields."""
        usual = defaults_of(type(self))
        values = {name: getattr(self, name) for name in usual}
        return {name: value for name, value in values.items() if value != usual[name]}

    def given(self) -> dict[str, object]:
        """The same by the names that users know."""
        return self.named(*self.changed())


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def group(cls: type[_Group]) -> type[_Group]:
    """Make a class a group: a frozen dataclass whose methods are those of :class:`Options`."""
    return dataclass(init=False, repr=False, eq=False)(cls)


def option_name(field: str) -> str:
    """Return the name of an option on the command line."""
    return as_option(field)


def _is_absent(value: object) -> bool:
    """Whether an option was not given; 0 is a value, though it equals False."""
    return value is None or value is False or value in ([], ())


def refuse(where: str, options: Mapping[str, object]) -> None:
    """An option without effect is an error."""
    given = [name for name, value in options.items() if not _is_absent(value)]
    if given:
        raise UsageError(f"{', '.join(given)} has no effect {where}")


def Parameter(**settings: Any) -> Any:
    """What cyclopts is to know about an option beyond its type and help."""
    from cyclopts import Parameter as Declared

    return Declared(**settings)


def at_least(least: float) -> Any:
    """A number that has a lower limit."""
    from cyclopts.validators import Number

    return Parameter(validator=Number(gte=least))


def defaults_of(group: type[Options]) -> dict[str, Any]:
    """The options of a group by field, with their defaults; MISSING where one must be given."""
    return {
        one.name: one.default if one.default_factory is MISSING else one.default_factory()
        for one in fields_of(group)
    }


def fields_of(group: type[Options]) -> tuple[Field[Any], ...]:
    """The fields of a group; the empty group of :class:`Options` itself has none."""
    return fields(group) if is_dataclass(group) else ()


_LONG_NAMES = {short: option_name(field) for field, short in SHORT_NAMES.items()}


def declared_groups(command: Command) -> dict[str, type[Options]]:
    """The groups of options that a command declares, by the names of its parameters."""
    parameters = inspect.signature(command).parameters.values()
    given = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
    return {one.name: command.__globals__[one.annotation] for one in given}


def groups_of(command: Command, tokens: Sequence[str] = ()) -> dict[str, type[Options]]:
    """The groups of options that a command takes on a line."""
    return {name: group.on_line(tokens) for name, group in declared_groups(command).items()}


def read_plain_line(command: Command, tokens: Sequence[str]) -> partial[None] | None:
    """The call that a line asks for; None if the line is not that plain.

    Plain are arguments, flags, ``--name VALUE`` and ``--name=VALUE``. Everything else (help, other
    forms of options, mistakes) is read by cyclopts, whose import takes longer than a small score.
    """
    if "--help" in tokens or "-h" in tokens:
        return None
    groups = groups_of(command, tokens)
    known: dict[str, tuple[str, str, type | None]] = {}
    for name, group in groups.items():
        for one in fields_of(group):
            option = option_name(one.name)
            if option in known:
                raise UsageError(f"the protocol declares {option}, which the command has already")
            known[option] = (name, one.name, _KINDS.get(str(one.type)))
    values: dict[str, dict[str, Any]] = {name: {} for name in groups}
    arguments: list[str] = []
    rest = iter(tokens)
    for token in rest:
        if token == "-" or not token.startswith("-"):
            arguments.append(token)
            continue
        option, equals, value = token.partition("=")
        name, key, kind = known.get(_LONG_NAMES.get(option, option), ("", "", None))
        if kind is None or (kind is bool and equals):
            return None
        taken: str | None = value if equals or kind is bool else next(rest, None)
        try:
            if taken is None:
                return None
            if kind is tuple:
                values[name][key] = (*values[name].get(key, ()), taken)
            else:
                values[name][key] = True if kind is bool else kind(taken)
        except ValueError:
            return None
    if not (_all_there(groups, values) and _fit(command, arguments)):
        return None
    built = {name: group(**values[name]) for name, group in groups.items()}
    return partial(command, *arguments, **built)


def _all_there(
    groups: Mapping[str, type[Options]], values: Mapping[str, Mapping[str, Any]]
) -> bool:
    return all(
        MISSING not in {**defaults_of(group), **values[name]}.values()
        for name, group in groups.items()
    )


def _fit(command: Command, arguments: Sequence[str]) -> bool:
    """Whether the arguments are as many as the command takes."""
    least, most = 0, 0.0
    for one in inspect.signature(command).parameters.values():
        if one.kind is one.POSITIONAL_ONLY:
            least += one.default is one.empty
            most += 1
        elif one.kind is one.VAR_POSITIONAL:
            least += "required=True" in one.annotation
            most = float("inf")
    return least <= len(arguments) <= most
