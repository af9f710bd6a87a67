"""patmark claims lint: what is wrong with claims, without any reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.claims import LintedFiles, Severity

_Files: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="[FILES]...", help="Texts with claims; - for stdin.")
]
_Office: TypeAlias = Annotated[
    str, typer.Option(help="Whose rules: uspto, epo, cnipa, or any (what is wrong at all of them).")
]
_Select: TypeAlias = Annotated[
    str | None, typer.Option(help="Only these rules or families of rules, with commas.")
]
_Ignore: TypeAlias = Annotated[
    str | None, typer.Option(help="Not these rules or families of rules, with commas.")
]
_Description: TypeAlias = Annotated[
    str | None, typer.Option(help="The description, to check its support for the claims.")
]
_Language: TypeAlias = Annotated[
    str | None, typer.Option("--lang", help="en, zh or ja (default: by script).")
]
_Sarif: TypeAlias = Annotated[str | None, typer.Option(help="Write the findings as SARIF 2.1.0.")]
_MinSeverity: TypeAlias = Annotated[
    str, typer.Option(help="Show only findings from here up: error, warning or information.")
]
_FailOn: TypeAlias = Annotated[
    str, typer.Option(help="Exit with 1 from this severity up: error, warning or never.")
]
_ListRules: TypeAlias = Annotated[
    bool, typer.Option("--list-rules", help="List the rules at the office, and do nothing else.")
]


def lint(
    files: _Files = None,
    office: _Office = "any",
    select: _Select = None,
    ignore: _Ignore = None,
    description: _Description = None,
    lang: _Language = None,
    min_severity: _MinSeverity = "information",
    fail_on: _FailOn = "error",
    sarif: _Sarif = None,
    list_rules: _ListRules = False,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Check claims for faults of form, dependency, antecedents, terms and wording.

    Examples:

      patmark claims lint draft.txt

      patmark claims lint draft.txt --office epo --description description.txt --sarif lint.sarif

      patmark claims lint draft.txt --select antecedents,term-drift --fail-on warning
    """
    from patmark.claims import office_named

    office_named(office)
    if list_rules:
        refuse("with --list-rules", {"FILES": files, "--sarif": sarif, "--select": select,
                                     "--ignore": ignore, "--description": description})  # fmt: skip
        _print_rules(office, as_json)
        return
    shown = _severity("--min-severity", min_severity)
    limit = None if fail_on == "never" else _severity("--fail-on", fail_on)
    _check(files, sarif, description, as_json)
    linted = _lint_all(files or [], office, (select, ignore, description, lang), shown)
    _deliver(linted, sarif, as_json, quiet)
    if limit is not None and linted.any_at_least(limit):
        raise typer.Exit(1)


def _severity(option: str, name: str) -> Severity:
    from patmark.claims import SEVERITIES

    for severity in SEVERITIES:
        if name == severity:
            return severity
    raise UsageError(f"{option}: unknown severity {name!r}; known: {', '.join(SEVERITIES)}")


def _check(
    files: Sequence[str] | None, sarif: str | None, description: str | None, as_json: bool
) -> None:
    from patmark.data import check_stdin_once

    if not files:
        raise UsageError("give one or more files with claims, or - for standard input")
    read = [*files, *([] if description is None else [description])]
    check_stdin_once(read)
    Outputs(as_json=as_json, save=sarif).check(read)


def _lint_all(
    files: Sequence[str],
    office: str,
    choices: tuple[str | None, str | None, str | None, str | None],
    shown: Severity,
) -> LintedFiles:
    from patmark.claims import LintedFiles, lint as lint_claims

    select, ignore, description, language = choices
    described = None if description is None else _text(description)
    results = [
        lint_claims(_text(path), office, _names(select), _names(ignore), described, language)
        for path in files
    ]
    return LintedFiles(tuple(zip(files, results, strict=True)), shown)


def _text(path: str) -> str:
    from patmark.data import read_lines

    return "\n".join(read_lines(path))


def _names(listed: str | None) -> list[str] | None:
    if listed is None:
        return None
    return [name.strip() for name in listed.split(",") if name.strip()]


def _deliver(linted: LintedFiles, sarif: str | None, as_json: bool, quiet: bool) -> None:
    if sarif is not None:
        from patmark.data import write_atomically

        write_atomically(sarif, linted.to_sarif())
    if as_json:
        from patmark.report import to_json_text

        print(to_json_text(linted.to_json()))
    elif not quiet and sarif != "-":
        for line in linted.lines():
            print(line)
    for note in () if quiet else linted.notes():
        say(note)


def _print_rules(office: str, as_json: bool) -> None:
    from patmark.claims import RuleList, office_named

    rules = RuleList(office_named(office))
    if as_json:
        from patmark.report import to_json_text

        print(to_json_text(rules.to_json()))
        return
    for line in rules.lines():
        print(line)
