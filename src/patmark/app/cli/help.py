"""Help pages of commands, with headings in the order of their option groups."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from typing import cast, get_args

from cyclopts import Argument

from patmark.app.cli.app import EVERYWHERE, print_entry
from patmark.app.cli.parser import command_app, option_names, other_groups
from patmark.options import Command


def show_help(path: str, command: Command) -> None:
    """Print the help page of a command: its docstring, then its options by heading."""
    arguments = command_app(path, command).assemble_argument_collection(parse_docstring=True)
    shown = arguments.filter_by(show=True)
    needed = [one for one in shown if one.required]
    usage = [_label(one) for one in needed if one.index is None]
    usage += ["[OPTIONS]"] if len(needed) < len(shown) else []
    usage += [
        f"{one.name}{'...' if one.field_info.kind is one.field_info.VAR_POSITIONAL else ''}"
        if one.required
        else f"[{one.name}]..."
        for one in shown
        if one.index is not None
    ]
    print(f"Usage: {' '.join([path, *usage])}\n\n{cleandoc(command.__doc__ or '')}")
    for heading in arguments.groups:
        _show_options(
            f"{heading.name}:",
            [one for one in shown if heading in cast("tuple[object]", one.parameter.group)],
        )
    for choice, group in other_groups(command):
        line = command_app(path, command, choice.split())
        listed = line.assemble_argument_collection(parse_docstring=True)
        own = [one for one in listed if one.name in option_names(group)]
        _show_options(f"{group.heading}, with {choice}:", own)
    print(f"\n{EVERYWHERE}")


def _show_options(title: str, entries: Sequence[Argument]) -> None:
    if entries:
        print(f"\n{title}")
    for one in entries:
        print_entry(_label(one), f"{one.parameter.help or ''} {_note(one)}")


def _label(argument: Argument) -> str:
    """Return an option with its other names and its metavariable."""
    kinds = {argument.hint, *get_args(argument.hint)}
    if argument.index is not None or bool in kinds:
        return ", ".join(sorted(argument.names, key=len))
    kind = "INTEGER" if int in kinds else "NUMBER" if float in kinds else "TEXT"
    return f"{', '.join(argument.names)} {argument.parameter.metavar or kind}"


def _note(argument: Argument) -> str:
    default = argument.field_info.default
    if argument.required:
        return "[required]"
    known = isinstance(default, str | int | float) and not isinstance(default, bool)
    return f"[default: {default}]" if known else ""
