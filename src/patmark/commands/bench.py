"""patmark bench: build, overview and accept, for the command line and for Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from patmark.corpus import read_held_out
from patmark.protocols import BenchOverview, BenchSettings, accepted_rows, build_bench, write_bench

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.report import Result

overview = BenchOverview.of_file
accept = accepted_rows


def build(
    collection: FilePath,
    out: str,
    *,
    settings: BenchSettings | None = None,
    dictionary: str | None = None,
    terms: str | None = None,
    review: str | None = None,
) -> Result:
    """Make a bench of all nine labels from the held-out patents of a collection, and write it.

    ``terms`` and ``review`` are CSV files to write besides: the terms with their evidence, and the
    rows for people to check, which accept then reads.
    """
    made = build_bench(read_held_out(Path(collection), dictionary), settings)
    write_bench(made, out, terms=terms, review=review)
    return made
