"""The commands put together."""

from __future__ import annotations

import typer

from patmark._version import __version__
from patmark.cli.claims import claims
from patmark.cli.compare import compare
from patmark.cli.corpus import corpus
from patmark.cli.demo import demo
from patmark.cli.examples import examples
from patmark.cli.human import human
from patmark.cli.measures import measures
from patmark.cli.meta import meta
from patmark.cli.reproduce import reproduce
from patmark.cli.retrieve import retrieve
from patmark.cli.run import run
from patmark.cli.score import score
from patmark.cli.task import task

app = typer.Typer(
    help="Measure patent translations (zh, ja, en) and generated claims: numbers to be trusted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Measure patent translations (zh, ja, en) and generated claims: numbers to be trusted.

    patmark demo shows what it does on bundled examples; patmark examples writes them into a folder.
    Every command takes --json and --help, and exits with 0 (done), 1 (a gate such as --fail-under
    failed) or 2 (bad usage or data).
    """


app.command()(run)
app.command()(score)
app.command()(compare)
app.command()(task)
app.command()(meta)
app.command()(measures)
app.command()(reproduce)
app.add_typer(human, name="human")
app.add_typer(claims, name="claims")
app.add_typer(corpus, name="corpus")
app.add_typer(retrieve, name="retrieve")
app.command()(demo)
app.command()(examples)
