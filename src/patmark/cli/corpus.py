"""patmark corpus: patent documents to a test collection. A command is a line here."""

from __future__ import annotations

import typer

from patmark.cli.corpus_align import align
from patmark.cli.corpus_build import build, demo
from patmark.cli.corpus_families import families
from patmark.cli.corpus_parse import parse
from patmark.cli.corpus_sample import judged, sample
from patmark.cli.corpus_split import split, stats

corpus = typer.Typer(
    help="Build a test collection from patent documents.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

corpus.command()(demo)
corpus.command()(build)
corpus.command()(parse)
corpus.command()(families)
corpus.command()(align)
corpus.command()(split)
corpus.command()(stats)
corpus.command()(sample)
corpus.command()(judged)
