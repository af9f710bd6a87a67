"""How a plain line is read: a command is a function of its arguments and of groups of options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from functools import partial
from typing import Any, TypeAlias

from patmark.errors import UsageError
from patmark.options import Options, defaults_of, fields_of, option_name

Command: TypeAlias = Callable[..., None]
SHORT_NAMES = {"quiet": "-q"}
_LONG_NAMES = {short: option_name(field) for field, short in SHORT_NAMES.items()}
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
        for field in fields_of(group):
            option = option_name(field.name)
            if option in known:
                raise UsageError(f"the protocol declares {option}, which the command has already")
            known[option] = (name, field.name, _KINDS.get(str(field.type)))
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
