"""patmark claims lint and parse: findings and claim trees."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.options import split_list
from patmark.app.cli.output import Html, Json, Talk, print_json, say, spoken
from patmark.options import Options, Parameter, group, refuse
from patmark.wording import translated

if TYPE_CHECKING:
    from patmark.claims import LintedFiles


@group
class ClaimLanguage(Options, heading="Inputs"):
    """The language of claims."""

    lang: str | None = None
    """en, zh or ja (default: by script)."""


@group
class LintInputs(ClaimLanguage):
    """Inputs of the linter."""

    description: str | None = None
    """The description, to check its support for the claims."""


@group
class Rules(Options, heading="Rules"):
    """Rules of the linter."""

    office: str = "any"
    """Office whose rules apply: uspto, epo, jpo, cnipa, or any (faults at uspto and epo)."""
    select: str | None = None
    """Comma-separated rules or rule families to apply."""
    ignore: str | None = None
    """Comma-separated rules or rule families to skip."""
    min_severity: str = "information"
    """Lowest severity to show: error, warning or information."""
    fail_on: str = "error"
    """Lowest severity that gives exit code 1: error, warning or never."""
    allow_ignore: bool = False
    """Let comments in the text suppress rules (# patmark: ignore=RULE)."""
    list_rules: bool = False
    """List the rules of the office and exit."""


@group
class LintOutput(Html, Talk):
    """Outputs of the linter."""

    sarif: str | None = None
    """Write the findings as SARIF 2.1.0."""


def lint(
    *files: Annotated[str, Parameter(help="Texts with claims; - for stdin.")],
    inputs: LintInputs = LintInputs(),
    rules: Rules = Rules(),
    output: LintOutput = LintOutput(),
) -> None:
    """Check claims for faults of form, dependency, antecedents, terms and wording.

    Examples:

      patmark claims lint draft.txt

      patmark claims lint draft.txt --office epo --description description.txt --sarif lint.sarif

      patmark claims lint draft.txt --select antecedents,term-drift --fail-on warning
    """
    from patmark.app.commands.claims import LintRequest, lint_files

    if rules.list_rules:
        refuse(
            "with --list-rules",
            {
                "FILES": files,
                **output.named("sarif", "html"),
                **rules.named("select", "ignore"),
                **inputs.named("description"),
            },
        )
        _print_rules(rules.office, output)
        return
    request = LintRequest(
        texts=[(path, Path(path)) for path in files],
        office=rules.office,
        select=None if rules.select is None else split_list(rules.select),
        ignore=None if rules.ignore is None else split_list(rules.ignore),
        description=None if inputs.description is None else Path(inputs.description),
        language=inputs.lang,
        min_severity=rules.min_severity,
        fail_on=rules.fail_on,
        allow_ignore=rules.allow_ignore,
    )
    output.check([*files, inputs.description], output.sarif)
    linted = lint_files(request)
    _deliver(linted, output)
    if linted.failed:
        sys.exit(1)


def _deliver(linted: LintedFiles, output: LintOutput) -> None:
    from patmark.data import write_atomically

    if output.sarif is not None:
        write_atomically(output.sarif, linted.to_sarif())
    if output.html:
        from patmark.report import to_html

        write_atomically(output.html, to_html(spoken(linted, output.language)))
    if output.json:
        print_json(linted.to_json())
    elif not output.quiet and "-" not in (output.sarif, output.html):
        for line in linted.lines(output.language):
            print(line)
    for note in () if output.quiet else linted.notes():
        say(translated(note, output.language))


def _print_rules(office: str, output: LintOutput) -> None:
    from patmark.app.commands.claims import list_rules

    rules = list_rules(office)
    if output.json:
        print_json(rules.to_json())
        return
    for line in rules.lines(output.language):
        print(line)


@group
class ParseOutput(Html, Json):
    """Output: a tree, JSON or a page."""


def parse(
    file: Annotated[str, Parameter(help="A text with claims; - for stdin.")],
    /,
    *,
    language: ClaimLanguage = ClaimLanguage(),
    output: ParseOutput = ParseOutput(),
) -> None:
    """Read the claims of a text: numbers, parts, limitations, dependencies, terms.

    Examples:

      patmark claims parse draft.txt

      patmark claims parse draft.txt --json --html claims.html
    """
    from patmark.app.commands.claims import parse as parse_text
    from patmark.data import shown

    output.check([file])
    claims = parse_text(Path(file), language.lang)
    if output.html:
        from patmark.data import write_atomically
        from patmark.report import in_language, to_html

        report = in_language(claims.to_report(shown(file)), output.language)
        write_atomically(output.html, to_html(report))
    if output.json:
        print_json(claims.to_json())
        return
    from rich.console import Console
    from rich.text import Text

    Console(soft_wrap=True).print(Text(claims.tree()))
