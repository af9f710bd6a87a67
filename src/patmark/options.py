"""Declaration of options: groups of them as frozen dataclasses.

A command is a function of its request, of a group of output options, and of single options. A group
is a frozen dataclass: each field is an option of the same name, and the text below the field is its
help. A request is the group of a command: it inherits from shared groups, or holds one as a field.
Protocols declare groups too, so this module is below ``app``; ``app/cli/parser.py`` reads lines.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeGuard,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

from patmark.errors import UsageError
from patmark.wording import as_option, setting

_Group = TypeVar("_Group", bound="Options")
Command: TypeAlias = Callable[..., None]
PYTHON = "python"
"""Mark of a field that is no option: ``Annotated[bool, PYTHON]``."""


@dataclass(frozen=True, slots=True)
class Argument:
    """Mark of a field that is given by its place in a line, with the name on the help page."""

    name: str | None = None


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

    def made(self) -> Any:
        """Return the value of a field that these options stand for in a request."""
        return self

    def named(self, *names: str) -> dict[str, object]:
        """Return the values of some fields by their names in the front end."""
        return {setting(name): getattr(self, name) for name in names}

    def changed(self) -> dict[str, Any]:
        """Return the values that differ from their defaults by field name."""
        defaults = defaults_of(type(self))
        values = {name: getattr(self, name) for name in defaults}
        return {name: value for name, value in values.items() if value != defaults[name]}

    def given(self) -> dict[str, object]:
        """Return the values that differ from their defaults by their names in the front end."""
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


def negative(name: str) -> Any:
    """Declare the option that stands for False."""
    return Parameter(negative=as_option(name))


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


@dataclass(frozen=True, slots=True)
class Declared:
    """A field of a group: an option, an argument, or a group of them.

    ``owner`` is the class that declares it, whose heading it has. ``kind`` is the type that a text
    becomes, with the properties of the option; ``nested`` is the group that the field stands for.
    """

    name: str
    owner: type[Options]
    kind: Any
    default: Any
    argument: Argument | None = None
    nested: type[Options] | None = None


def declared(group: type[Options]) -> list[Declared]:
    """Return the fields of a group that a line can give, by heading; groups in it come last."""
    if not is_dataclass(group):
        return []
    found = []
    for one in fields(group):
        owner = next(
            cls for cls in group.__mro__ if one.name in vars(cls).get("__annotations__", ())
        )
        default = one.default if one.default_factory is MISSING else one.default_factory
        made = _declared(one.name, owner, _hint(owner, one.name), default)
        if made is not None:
            found.append(made)
    places = group.__mro__.index
    first = {one.owner.heading: places(one.owner) for one in found}
    for one in found:
        first[one.owner.heading] = min(first[one.owner.heading], places(one.owner))
    return sorted(found, key=lambda one: (one.nested is not None, first[one.owner.heading]))


def _declared(name: str, owner: type[Options], hint: Any, default: Any) -> Declared | None:
    """Return a field as a line gives it; None for a field of Python alone."""
    hint, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    nested = next((one for one in (*marks, hint) if _is_group(one)), None)
    if PYTHON in marks:
        return None
    if nested is not None:
        return Declared(name, owner, nested, default, nested=nested)
    if (kind := line_type(hint)) is None:
        return None
    argument = next((one for one in marks if isinstance(one, Argument)), None)
    if properties := [one for one in marks if one is not argument]:
        kind = Annotated[(kind, *properties)]
    return Declared(name, owner, kind, default, argument)


class _Unknown:
    """Any type that only type checkers import."""

    def __class_getitem__(cls, _: Any) -> type:
        return cls


class _Names(ChainMap[str, Any]):
    """Names of a module, with a placeholder for those that only type checkers import."""

    def __missing__(self, name: str) -> Any:
        return _Unknown


def _hint(owner: type, name: str) -> Any:
    """Return the type of a field as its class declares it."""
    names = _Names(vars(sys.modules[owner.__module__]), vars(builtins))
    hint = vars(owner)["__annotations__"][name]
    return eval(hint, {}, names) if isinstance(hint, str) else hint


def line_type(hint: Any) -> Any:
    """Return the type that a text of a line becomes; None if a text cannot give the value.

    Of several types, one of many texts counts, or those of texts and numbers; and the first of
    ``str`` and ``Path``.
    """
    if hint in (str, Path, int, float, bool, NoneType) or get_origin(hint) is Literal:
        return hint
    if get_origin(hint) is tuple:
        parts = tuple(one if one is ... else line_type(one) for one in get_args(hint))
        return None if None in parts else tuple[parts]  # type: ignore[valid-type]
    if get_origin(hint) in (Union, UnionType):
        kinds = [one for one in map(line_type, get_args(hint)) if one is not None]
        if any(get_origin(one) is tuple for one in kinds):
            kinds = [one for one in kinds if one is NoneType or get_origin(one) is tuple]
        if {str, Path} <= {*kinds}:
            kinds.remove(max(str, Path, key=kinds.index))
        return None if set(kinds) <= {NoneType} else reduce(or_, kinds)
    return None


def made_of(group: type[Options], values: Mapping[str, Any], tokens: Sequence[str] = ()) -> Options:
    """Return the group of a line with the values of its fields, and of the groups in it."""
    chosen, given = group.on_line(tokens), {}
    for one in declared(chosen):
        if one.nested is not None:
            inner = made_of(one.nested, values, tokens)
            if one.default is MISSING or inner.changed():
                given[one.name] = inner.made()
        elif one.name in values:
            given[one.name] = values[one.name]
    return chosen(**given)


def every_group(group: type[Options]) -> Iterator[type[Options]]:
    """Yield a group and all groups in it."""
    yield group
    for one in declared(group):
        if one.nested is not None:
            yield from every_group(one.nested)


def declared_groups(command: Command) -> dict[str, type[Options]]:
    """Return the groups that a command declares by parameter name."""
    names = _Names(command.__globals__, vars(builtins))
    parameters = inspect.signature(command).parameters.values()
    found = {one.name: eval(str(one.annotation), {}, names) for one in parameters}
    return {name: group for name, group in found.items() if _is_group(group)}


def _is_group(annotation: object) -> TypeGuard[type[Options]]:
    return isinstance(annotation, type) and issubclass(annotation, Options)


def options_of(command: Command, tokens: Sequence[str] = ()) -> dict[str, list[Declared]]:
    """Return the options and arguments that the groups of a command give on a line."""
    return {name: _flat(group, tokens) for name, group in declared_groups(command).items()}


def _flat(group: type[Options], tokens: Sequence[str]) -> list[Declared]:
    found: list[Declared] = []
    for one in declared(group.on_line(tokens)):
        found += [one] if one.nested is None else _flat(one.nested, tokens)
    return found
