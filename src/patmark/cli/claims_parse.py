"""patmark claims parse: claims out of a text, as a tree or as JSON."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs
from patmark.errors import InputError

_File: TypeAlias = Annotated[str, typer.Argument(help="A text with claims; - for stdin.")]
_Language: TypeAlias = Annotated[
    str | None, typer.Option("--lang", help="en, zh or ja (default: by script).")
]


def parse(
    file: _File,
    lang: _Language = None,
    html: given.Html = None,
    as_json: given.AsJson = False,
) -> None:
    """Read the claims of a text: numbers, parts, limitations, dependencies, terms.

    Examples:

      patmark claims parse draft.txt

      patmark claims parse draft.txt --json --html claims.html
    """
    from patmark.claims import parse_claims
    from patmark.data import read_lines, shown, write_atomically
    from patmark.report import to_html

    Outputs(as_json, quiet=False, full=True, html=html).check([file])

    claims = parse_claims("\n".join(read_lines(file)), lang)
    if not claims.claims:
        raise InputError.at("has no claims", shown(file))
    if html:
        write_atomically(html, to_html(claims.to_report(shown(file))))
    if as_json:
        from patmark.report import to_json_text

        print(to_json_text(claims.to_json()))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    console.print(Text(claims.tree()))
