"""Help pages, with headings in the order of a command's groups; and lines that are not plain, which
cyclopts reads."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from functools import partial, wraps
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

from patmark.cli.app import EVERYWHERE, print_entry
from patmark.errors import UsageError, near
from patmark.options import (
    SHORT_NAMES,
    Command,
    Options,
    declared_groups,
    defaults_of,
    groups_of,
    option_name,
)


def run_line(path: str, command: Command, tokens: Sequence[str]) -> None:
    """Read any line of a command: show its help, run it, or say what is wrong with the line."""
    if "--help" in tokens or "-h" in tokens:
        return show_help(path, command)
    try:
        command_app(path, command, tokens)(tokens)
    except CycloptsError as error:
        raise UsageError(_message(path, command, error)) from None


def command_app(path: str, command: Command, tokens: Sequence[str] = ()) -> App:
    """A command as cyclopts sees it, tamed: no negative forms that were not declared."""
    groups = {name: one for name, one in groups_of(command, tokens).items() if defaults_of(one)}
    for group in groups.values():
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
        config=partial(_check_tokens, command),
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    app.default(_with_groups(command, groups))
    return app


def _with_groups(command: Command, groups: Mapping[str, type[Options]]) -> Command:
    """A command that declares the groups that a line has."""

    @wraps(command)
    def called(*arguments: Any, **given: Any) -> None:
        command(*arguments, **given)

    declared = inspect.signature(command)
    called.__annotations__ = {**command.__annotations__, **groups}
    called.__signature__ = declared.replace(  # type: ignore[attr-defined]
        parameters=[
            one.replace(annotation=groups.get(one.name, one.annotation))
            for one in declared.parameters.values()
            if one.kind is not one.KEYWORD_ONLY or one.name in groups
        ]
    )
    return called


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


def _check_tokens(
    command: Command, app: App, _: Sequence[str], arguments: ArgumentCollection
) -> None:
    """Refuse what cyclopts would take: an unknown option as an argument, 1.5 as a whole number."""
    for argument in arguments:
        whole = int in (argument.hint, *get_args(argument.hint))
        for token in argument.tokens:
            if token.keyword is None and token.value.startswith("-") and token.value != "-":
                raise UsageError(_unknown(app.name[0], command, token.value, arguments))
            if whole:
                _check_number(argument.name, token.value)


def _check_number(option: str, value: str) -> None:
    try:
        int(value)
    except ValueError:
        raise UsageError(f"{option} {value}: expected a whole number") from None


_OTHER_NAMES = {
    "--source": "--src",
    "--reference": "--ref",
    "--references": "--ref",
    "--hypothesis": "--hyp",
    "--system": "--hyp",
    "--metric": "--measures",
    "--metrics": "--measures",
    "--language": "--lang",
    "--output": "--out",
}
"""Names that other programs have, where the nearest name by letters is another option."""


def _unknown(path: str, command: Command, token: str, arguments: ArgumentCollection) -> str:
    name = token.partition("=")[0]
    own_name = name.replace("--no-", "--", 1)
    owners = [choice for choice, group in _others(command) if own_name in _option_names(group)]
    if owners:
        return f"{own_name} has no effect without {' or '.join(owners)}"
    names = [known for one in arguments for known in one.names if known.startswith("-")]
    meant = _OTHER_NAMES.get(name)
    hint = f"; did you mean {meant}?" if meant in names else near(name, names)
    return f"{path.partition(' ')[2]} has no option {name}{hint}"


def _others(command: Command) -> list[tuple[str, type[Options]]]:
    """The groups that other lines have, and what a line says to have them."""
    return [one for group in declared_groups(command).values() for one in group.others().items()]


def _option_names(group: type[Options]) -> set[str]:
    return set(map(option_name, defaults_of(group)))


def _message(path: str, command: Command, error: CycloptsError) -> str:
    """One sentence that names the option."""
    name = "" if error.argument is None else error.argument.name
    if isinstance(error, UnknownOptionError):
        token = error.token.keyword or error.token.value
        return _unknown(path, command, token, error.argument_collection)
    if isinstance(error, MissingArgumentError):
        begun = error.keyword is not None or (error.argument is not None and error.argument.tokens)
        missing = f"{error.keyword or name} needs a value" if begun else f"{name} is missing"
        return f"{missing}; see {path} --help"
    if isinstance(error, ValidationError) and error.argument is not None:
        return f"{name} {error.argument.tokens[0].value}: {error.exception_message}"
    if isinstance(error, CoercionError) and error.token is not None:
        kinds = {"int": "a whole number", "float": "a number"}
        kind = getattr(error.target_type, "__name__", str(error.target_type))
        if kind == "Literal":
            kind = " or ".join(map(str, get_args(error.target_type)))
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
        _show_options(
            f"{heading.name}:",
            [one for one in shown if heading in cast("tuple[object]", one.parameter.group)],
        )
    for choice, group in _others(command):
        line = command_app(path, command, choice.split())
        listed = line.assemble_argument_collection(parse_docstring=True)
        own = [one for one in listed if one.name in _option_names(group)]
        _show_options(f"{group.heading}, with {choice}:", own)
    print(f"\n{EVERYWHERE}")


def _show_options(title: str, entries: Sequence[Argument]) -> None:
    if entries:
        print(f"\n{title}")
    for one in entries:
        print_entry(_label(one), f"{one.parameter.help or ''} {_note(one)}")


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
