"""patmark corpus parse: patent documents of any office into one form."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.corpus_progress import counting, talk_beside
from patmark.cli.output import Outputs, say


def parse(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, archives or folders.")
    ],
    out: Annotated[str, typer.Option(help="Documents as JSON Lines (.jsonl, .gz, .zst).")],
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Read patent documents of any known format into one form.

    USPTO Green Book, SGML, PAP, Red Book and XML4IP; EPO full text, DOCDB and OPS; JPO gazettes
    and ST.96; CNIPA. Formats are told by content; zip, tar, gz, zst, bz2 and xz are opened.
    Broken records are listed and counted; the rest is written.

    Example:

      patmark corpus parse week.zip epo/ --out docs.jsonl.zst
    """
    from patmark.patents.parse import parse_files

    Outputs(save=out, as_json=as_json).check(paths)
    with counting(quiet, "documents") as advance:
        result = parse_files(paths, out, advance)
    if as_json:
        print(json.dumps({**result.to_json(), "out": out}, ensure_ascii=False, indent=2))
    elif not quiet:
        for line in result.lines():
            talk_beside(out)(line)
        say(f"wrote {out}")
