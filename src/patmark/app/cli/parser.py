"""The command-line parser: cyclopts, with our own error messages."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial, wraps
from typing import Annotated, Any, get_args, get_type_hints

from cyclopts import App, ArgumentCollection, CycloptsError, Parameter
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from patmark.errors import UsageError, near
from patmark.options import (
    Command,
    Options,
    declared_groups,
    defaults_of,
    groups_of,
    option_name,
)

_SHORT_NAMES = {"quiet": "-q"}


def run_line(path: str, command: Command, tokens: Sequence[str]) -> None:
    """Run a command with the tokens of a line; an error names the option at fault."""
    try:
        command_app(path, command, tokens)(tokens)
    except CycloptsError as error:
        raise UsageError(_message(path, command, error)) from None


def command_app(path: str, command: Command, tokens: Sequence[str] = ()) -> App:
    """Return a command as cyclopts sees it, without negative forms that were not declared."""
    groups = {name: one for name, one in groups_of(command, tokens).items() if defaults_of(one)}
    counts = Counter(option_name(name) for group in groups.values() for name in defaults_of(group))
    for option, count in counts.items():
        if count > 1:
            raise UsageError(f"the protocol declares {option}, which the command has already")
    app = App(
        name=path,
        help_flags=[],
        version_flags=[],
        default_parameter=Parameter(
            negative=(),
            allow_leading_hyphen=True,
            allow_repeating=True,
            short_alias=lambda field, _: _SHORT_NAMES.get(field.name),
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
    """Return a command whose signature declares the groups of a line."""

    @wraps(command)
    def called(*arguments: Any, **given: Any) -> None:
        command(*arguments, **given)

    for group in groups.values():
        # cyclopts would look up the names of inherited annotations in the module of the subclass
        group.__init__.__annotations__ = get_type_hints(group, include_extras=True)
    declared = inspect.signature(command)
    shown = {
        name: Annotated[group, Parameter(name="*", group=group.heading)]
        for name, group in groups.items()
    }
    called.__annotations__ = {**command.__annotations__, **shown}
    parameters = []
    for one in declared.parameters.values():
        if one.name in groups:
            default = one.empty if one.default is one.empty else groups[one.name]()
            one = one.replace(annotation=shown[one.name], default=default)
        if one.name in groups or one.name not in declared_groups(command):
            parameters.append(one)
    called.__signature__ = declared.replace(parameters=parameters)  # type: ignore[attr-defined]
    return called


def _check_tokens(
    command: Command, app: App, _: Sequence[str], arguments: ArgumentCollection
) -> None:
    """Refuse what cyclopts accepts: an unknown option as an argument, 1.5 as a whole number."""
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
"""Option names of other programs whose most similar name here is another option."""


def _unknown(path: str, command: Command, token: str, arguments: ArgumentCollection) -> str:
    name = token.partition("=")[0]
    own_name = name.replace("--no-", "--", 1)
    owners = [choice for choice, group in other_groups(command) if own_name in option_names(group)]
    if owners:
        return f"{own_name} has no effect without {' or '.join(owners)}"
    names = [known for one in arguments for known in one.names if known.startswith("-")]
    meant = _OTHER_NAMES.get(name)
    hint = f"; did you mean {meant}?" if meant in names else near(name, names)
    return f"{path.partition(' ')[2]} has no option {name}{hint}"


def other_groups(command: Command) -> list[tuple[str, type[Options]]]:
    """Return the groups that other lines have, with the words that select them."""
    return [one for group in declared_groups(command).values() for one in group.others().items()]


def option_names(group: type[Options]) -> set[str]:
    """Return the option names of a group."""
    return set(map(option_name, defaults_of(group)))


def _message(path: str, command: Command, error: CycloptsError) -> str:
    """Word an error in one sentence that names the option."""
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
