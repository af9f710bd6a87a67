"""patmark corpus parse and families: read office documents and group them into families."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.options import split_list
from patmark.app.cli.output import Talk, Ui, counting, tell_beside
from patmark.app.commands.corpus import FamiliesRequest
from patmark.options import Options, Parameter, group
from patmark.wording import speaker

if TYPE_CHECKING:
    from patmark.collections.patents import Families, ParseResult


@group
class Documents(Options, heading="Documents"):
    """Options of the output of documents."""

    out: str
    """Documents as JSON Lines (.jsonl, .gz, .zst)."""
    map: str | None = None
    """Mapping of fields in XML, JSON or CSV of other formats (.toml, .yaml, .json)."""


def parse(
    *paths: Annotated[str, Parameter(required=True, help="Files, archives or folders.")],
    documents: Documents,
    output: Talk = Talk(),
) -> None:
    """Convert patent documents of any known format to JSON Lines.

    USPTO Green Book, SGML, PAP, Red Book and XML4IP; EPO full text, DOCDB and OPS; JPO gazettes and
    ST.96; CNIPA; KIPRIS; TIPO; MAREC, LexisNexis, Google Patents, Lens and PatentsView. Other
    formats need --map. Formats are detected by content; zip, tar, gz, zst, bz2 and xz are opened.
    Broken records are listed and counted; the rest is written.

    Example:

      patmark corpus parse week.zip epo/ --out docs.jsonl.zst
    """
    from patmark.app.commands.corpus import ParseRequest, parse

    out = documents.out
    output.check(paths, out)
    with counting(output.quiet, "documents") as advance:
        result = parse(ParseRequest(paths, out, documents.map), progress=advance)
    _tell(result, out, output)
    if result.damaged:
        sys.exit(1)


@group
class FamilyOptions(Options, heading="Families"):
    """Options of families and their output."""

    out: str
    """Families as JSON Lines."""
    kind: str = FamiliesRequest.kind
    """simple (same priorities) or extended (connected)."""
    one_per_office: bool = False
    """Keep one publication per office."""
    prefer: str | None = None
    """Kinds to keep with --one-per-office, best first: B,A (default: first)."""


def families(
    *docs: Annotated[str, Parameter(required=True, help="Documents from patmark corpus parse.")],
    options: FamilyOptions,
    output: Talk = Talk(),
) -> None:
    """Group documents into families by their priorities, and list those that could not be linked.

    Example:

      patmark corpus families docs.jsonl.zst --out families.jsonl --kind extended
    """
    from patmark.app.commands.corpus import families

    prefer, out = split_list(options.prefer), options.out
    request = FamiliesRequest(docs, out, options.kind, options.one_per_office, prefer)
    output.check(docs, out)
    with counting(output.quiet, "documents") as advance:
        result = families(request, progress=advance)
    _tell(result, out, output)


def _tell(result: ParseResult | Families, out: str, output: Talk) -> None:
    """Print the result for people or for programs."""
    tell_beside(map(speaker(Ui().language), result.lines()), result.to_json(), out, output)
