"""patmark corpus families: documents of one invention."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.corpus_progress import counting, talk_beside
from patmark.cli.output import Outputs, say
from patmark.errors import UsageError


def families(
    docs: Annotated[
        list[str], typer.Argument(metavar="DOCS...", help="Documents from patmark corpus parse.")
    ],
    out: Annotated[str, typer.Option(help="Families as JSON Lines.")],
    kind: Annotated[
        str, typer.Option(help="simple (same priorities) or extended (connected).")
    ] = "simple",
    one_per_office: Annotated[
        bool, typer.Option("--one-per-office", help="Keep one publication per office.")
    ] = False,
    prefer: Annotated[
        str | None,
        typer.Option(help="Kinds to keep with --one-per-office, best first: B,A (default: first)."),
    ] = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Put documents into families by their priorities, and say what could not be linked.

    Example:

      patmark corpus families docs.jsonl.zst --out families.jsonl --kind extended
    """
    from patmark.patents.families import build_families, family_kind, read_links

    wanted = family_kind(kind)
    if prefer and not one_per_office:
        raise UsageError("--prefer needs --one-per-office")
    Outputs(save=out, as_json=as_json).check(docs)
    with counting(quiet, "documents") as advance:
        links = read_links(docs, advance)
    result = build_families(links, wanted)
    kinds = [each.strip() for each in (prefer or "").split(",") if each.strip()]
    result.write(out, one_of_each=one_per_office, prefer=kinds)
    if as_json:
        print(json.dumps({**result.to_json(), "out": out}, ensure_ascii=False, indent=2))
    elif not quiet:
        for line in result.lines():
            talk_beside(out)(line)
        say(f"wrote {out}")
