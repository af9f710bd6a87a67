"""Help pages, and the lines that are not plain: what cyclopts is for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from inspect import cleandoc
from typing import Any, get_args, get_type_hints

from cyclopts import App, ArgumentCollection, CycloptsError, Group, Parameter
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from patmark.cli.page import near, print_entry
from patmark.cli.parsing import SHORT_NAMES, Command, groups_of
from patmark.errors import UsageError

_LAST_HEADINGS = (
    "Inputs", "PatSnap bench", "Measures", "Selection", "Tests", "Model", "Service", "Budget",
    "Sampling", "Gates", "Output",
)  # fmt: skip


def run_line(path: str, command: Command, tokens: Sequence[str]) -> None:
    """Read any line of a command: show its help, run it, or say what is wrong with the line."""
    app = _app(path, command)
    try:
        app(tokens)
    except CycloptsError as error:
        raise UsageError(_message(path, error)) from None


def options_of(path: str, command: Command) -> ArgumentCollection:
    """All that a command takes, as cyclopts sees it."""
    return _app(path, command).assemble_argument_collection()


def _app(path: str, command: Command) -> App:
    for group in groups_of(command).values():
        if "__cyclopts__" not in vars(group):
            last = group.heading in _LAST_HEADINGS
            place = 1 + _LAST_HEADINGS.index(group.heading) if last else 0
            Parameter(name="*", group=Group(group.heading, sort_key=place))(group)
            # cyclopts would look for the names of inherited annotations in the wrong module
            group.__init__.__annotations__ = get_type_hints(group, include_extras=True)
    app = App(
        name=path,
        help_format="plaintext",
        help_formatter=_Page(command.__doc__ or ""),
        help_flags=["--help", "-h"],
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
    for flag in app.help_flags:
        app[flag].show = False
    return app


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
    return f"{path} has no option {name}{near(name, names)}"


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


class _Page:
    """The layout of a help page: the docstring as it was written, then options by heading."""

    def __init__(self, text: str) -> None:
        self.text = cleandoc(text)

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        print(f"Usage: {str(usage).strip()}\n")

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        print(self.text)

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        if not panel.entries:
            return
        print(f"\n{panel.title}:")
        for entry in panel.entries:
            names = ", ".join((*entry.shorts, *entry.names)) or entry.positional_label or ""
            value = (entry.metavar or "") if entry.names else ""
            value = value.removesuffix("...").replace("STR", "TEXT")
            notes = [entry.description.primary_renderable.plain.strip()]
            if entry.default not in (None, "False", "True", "()", "None"):
                notes.append(f"[default: {entry.default}]")
            if entry.required:
                notes.append("[required]")
            print_entry(f"{names} {value}".rstrip(), " ".join(filter(None, notes)))
        sys.stdout.flush()
