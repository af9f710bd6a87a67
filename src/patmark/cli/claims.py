"""patmark claims: generated claims, and the measures that judge them. A command is a line here."""

from __future__ import annotations

import typer

from patmark.cli.claims_judge import judge
from patmark.cli.claims_lint import lint
from patmark.cli.claims_meta import meta
from patmark.cli.claims_pairs import pairs
from patmark.cli.claims_parse import parse
from patmark.cli.claims_score import score
from patmark.cli.claims_train import train

claims = typer.Typer(
    help="Judge generated claims, and the measures that judge them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

claims.command()(judge)
claims.command()(lint)
claims.command()(meta)
claims.command()(pairs)
claims.command()(parse)
claims.command()(score)
claims.command()(train)
