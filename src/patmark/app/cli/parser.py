"""The command-line parser: cyclopts, with our own error messages."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from functools import cache, partial, wraps
from typing import Annotated, Any, get_args, get_origin

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
    Declared,
    Options,
    declared_groups,
    defaults_of,
    every_group,
    made_of,
    option_name,
    options_of,
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
    options = options_of(command, tokens)
    counts = Counter(option_name(one.name) for listed in options.values() for one in listed)
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
    app.default(_flat_command(command, options, tokens))
    return app


def _flat_command(
    command: Command, options: Mapping[str, Sequence[Declared]], tokens: Sequence[str]
) -> Command:
    """Return a command whose parameters are its own and the fields of its groups."""
    signature = inspect.signature(command)
    groups = declared_groups(command)
    hints = {name: kind for name, kind in command.__annotations__.items() if name not in groups}
    parameters = []
    for one in signature.parameters.values():
        if one.name not in groups:
            parameters.append(one)
            continue
        for field in options[one.name]:
            parameters.append(_parameter(field))
            hints[field.name] = parameters[-1].annotation
    parameters.sort(key=lambda one: (one.kind, one.kind == 0 and one.default is not one.empty))
    flat = inspect.Signature(parameters)

    @wraps(command)
    def called(*arguments: Any, **named: Any) -> None:
        values = flat.bind(*arguments, **named).arguments
        given = {name: made_of(group, values, tokens) for name, group in groups.items()}
        own = [one for one in signature.parameters.values() if one.name in values.keys() - groups]
        listed = [values[one.name] for one in own if one.kind is one.POSITIONAL_ONLY]
        for one in own:
            if one.kind is one.VAR_POSITIONAL:
                listed += values[one.name]
            elif one.kind is one.KEYWORD_ONLY:
                given[one.name] = values[one.name]
        command(*listed, **given)

    called.__annotations__ = hints
    called.__signature__ = flat  # type: ignore[attr-defined]
    return called


def _parameter(field: Declared) -> inspect.Parameter:
    """Return a field of a group as the parameter of a function."""
    place: Any = inspect.Parameter.KEYWORD_ONLY
    kind, default = field.kind, field.default
    more: dict[str, Any] = {}
    if (argument := field.argument) is not None:
        place = inspect.Parameter.POSITIONAL_ONLY
        more = {} if argument.name is None else {"name": argument.name}
        bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        if get_origin(bare) is tuple:
            place, kind = inspect.Parameter.VAR_POSITIONAL, get_args(bare)[0]
            more["required"] = default is MISSING
            default = MISSING
    else:
        more["group"] = field.owner.heading
    if default is MISSING:
        default = inspect.Parameter.empty
    elif callable(default):
        default = default()
    if text := _help(field.owner).get(field.name):  # type: ignore[arg-type]
        more["help"] = text
    shown: Any = Annotated[kind, Parameter(**more)]
    return inspect.Parameter(field.name, place, annotation=shown, default=default)


@cache
def _help(owner: Any) -> Mapping[str, str]:
    """Return the texts below the fields of a class."""
    from docstring_parser import parse_from_object

    return {one.arg_name: one.description or "" for one in parse_from_object(owner).params}


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
    groups = (one for group in declared_groups(command).values() for one in every_group(group))
    return [one for group in groups for one in group.others().items()]


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
