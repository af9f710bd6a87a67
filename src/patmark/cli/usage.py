"""Help pages, and the lines that are not plain: what cyclopts is for."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import MISSING
from inspect import cleandoc
from typing import Any, cast, get_args, get_type_hints

from cyclopts import App, Argument, ArgumentCollection, CycloptsError, Parameter
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from patmark.cli.page import EVERYWHERE, near, print_entry
from patmark.cli.parsing import SHORT_NAMES, Command, Options, defaults_of, groups_of
from patmark.errors import UsageError


def run_line(path: str, command: Command, tokens: Sequence[str]) -> None:
    """Read any line of a command: show its help, run it, or say what is wrong with the line."""
    if "--help" in tokens or "-h" in tokens:
        return show_help(path, command)
    try:
        command_app(path, command)(tokens)
    except CycloptsError as error:
        raise UsageError(_message(path, error)) from None


def command_app(path: str, command: Command) -> App:
    """A command as cyclopts sees it, tamed: no negative forms that were not declared."""
    for group in groups_of(command).values():
        if "__cyclopts__" not in vars(group):
            _introduce(group)
    app = App(
        name=path,
        help_flags=[],
        version_flags=[],
        default_parameter=Parameter(
            negative=(),
            allow_leading_hyphen=True,
            allow_repeating=True,
            short_alias=lambda field, _: SHORT_NAMES.get(field.name),
        ),
        config=_check_tokens,
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    app.default(command)
    return app


def _introduce(group: type[Options]) -> None:
    """Let cyclopts see a group: its heading, and the options that it is made of."""
    Parameter(name="*", group=group.heading)(group)
    hints = get_type_hints(group, include_extras=True)

    def make(self: Options, **values: Any) -> None:
        Options.__init__(self, **values)

    kind, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    taken = [
        inspect.Parameter(name, kind, default=empty if value is MISSING else value)
        for name, value in defaults_of(group).items()
    ]
    make.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    make.__annotations__ = hints
    group.__init__ = make  # type: ignore[method-assign]


def _check_tokens(app: App, _: Sequence[str], arguments: ArgumentCollection) -> None:
    """Refuse what cyclopts would take: an unknown option as an argument, 1.5 as a whole number."""
    for argument in arguments:
        whole = int in (argument.hint, *get_args(argument.hint))
        for token in argument.tokens:
            if token.keyword is None and token.value.startswith("-") and token.value != "-":
                raise UsageError(_unknown(app.name[0], token.value, arguments))
            if whole:
                _check_number(argument.name, token.value)


def _check_number(option: str, value: str) -> None:
    try:
        int(value)
    except ValueError:
        raise UsageError(f"{option} {value}: expected a whole number") from None


def _unknown(path: str, token: str, arguments: ArgumentCollection) -> str:
    name = token.partition("=")[0]
    names = [known for one in arguments for known in one.names if known.startswith("-")]
    return f"{path.partition(' ')[2]} has no option {name}{near(name, names)}"


def _message(path: str, error: CycloptsError) -> str:
    """One sentence that names the option."""
    name = "" if error.argument is None else error.argument.name
    if isinstance(error, UnknownOptionError):
        token = error.token.keyword or error.token.value
        return _unknown(path, token, error.argument_collection)
    if isinstance(error, MissingArgumentError):
        begun = error.keyword is not None or (error.argument is not None and error.argument.tokens)
        missing = f"{error.keyword or name} needs a value" if begun else f"{name} is missing"
        return f"{missing}; see {path} --help"
    if isinstance(error, ValidationError) and error.argument is not None:
        return f"{name} {error.argument.tokens[0].value}: {error.exception_message}"
    if isinstance(error, CoercionError) and error.token is not None:
        kinds = {"int": "a whole number", "float": "a number"}
        kind = getattr(error.target_type, "__name__", str(error.target_type))
        return f"{name} {error.token.value}: expected {kinds.get(kind, kind)}"
    if isinstance(error, UnusedCliTokensError):
        return f"unexpected argument {(error.unused_tokens or [''])[0]!r}; see {path} --help"
    return str(error)


def show_help(path: str, command: Command) -> None:
    """The help page of a command: its docstring as it was written, then options by heading."""
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
        entries = [one for one in shown if heading in cast("tuple[object]", one.parameter.group)]
        if entries:
            print(f"\n{heading.name}:")
        for one in entries:
            print_entry(_label(one), f"{one.parameter.help or ''} {_note(one)}")
    print(f"\n{EVERYWHERE}")


def _label(argument: Argument) -> str:
    """An option with its other names and what it takes."""
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
