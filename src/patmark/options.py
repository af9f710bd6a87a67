"""How options of the command line are declared, by commands and by protocols.

A group is a frozen dataclass: each field is an option of the same name, and the text below the
field is its help. Annotations stay text, so that declaring options costs nothing and ``Parameter``
of cyclopts is looked up only when cyclopts reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, dataclass_transform

from patmark.errors import UsageError

_Group = TypeVar("_Group", bound="Options")


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
    """The name of an option on the command line."""
    return f"--{field.rstrip('_').replace('_', '-')}"


def refuse(where: str, options: Mapping[str, object]) -> None:
    """An option without effect is an error."""
    given = [name for name, value in options.items() if value not in (None, False, [], ())]
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
