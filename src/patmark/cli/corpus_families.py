"""patmark corpus families: documents of one invention."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from patmark.cli import options as given
from patmark.cli.corpus_progress import SHOWN, counting, talk_beside
from patmark.cli.output import Outputs, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.corpus import Families, Family, FamilyKind, Links


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
    from patmark.corpus import build_families, one_per_office as thin_out

    wanted = _family_kind(kind)
    if prefer and not one_per_office:
        raise UsageError("--prefer needs --one-per-office")
    Outputs(save=out, as_json=as_json).check(docs)
    result = build_families(_read_links(docs, quiet), wanted)
    kinds = [each.strip() for each in (prefer or "").split(",") if each.strip()]
    _write_families(
        out, [thin_out(each, kinds) if one_per_office else each for each in result.families]
    )
    facts = _family_facts(result)
    if as_json:
        print(json.dumps({**facts, "out": out}, ensure_ascii=False, indent=2))
    elif not quiet:
        _tell_families(facts, talk_beside(out))
        say(f"wrote {out}")


def _family_kind(name: str) -> FamilyKind:
    from patmark.corpus import FAMILY_KINDS

    for kind in FAMILY_KINDS:
        if kind == name:
            return kind
    raise UsageError(f"--kind {name!r}: expected {' or '.join(FAMILY_KINDS)}")


def _read_links(paths: Iterable[str], quiet: bool) -> list[Links]:
    from patmark.corpus import links_of, read_document_jsonl

    links: list[Links] = []
    with counting(quiet, "documents") as advance:
        for path in paths:
            for document in read_document_jsonl(path):
                links.append(links_of(document))
                advance(len(links))
    return links


def _write_families(out: str, families: Iterable[Family]) -> None:
    from patmark.data import atomic_writer

    with atomic_writer(out) as file:
        for family in families:
            file.write(json.dumps(family.to_json(), ensure_ascii=False) + "\n")


def _family_facts(result: Families) -> dict[str, Any]:
    return {
        "kind": result.kind,
        "families": len(result.families),
        "documents": sum(len(each.members) for each in result.families),
        "families_of_several_offices": sum(
            len({member.office for member in each.members}) > 1 for each in result.families
        ),
        "partly_shared": list(result.partly),
        "conflicts": list(result.conflicts),
        "unlinked": [{"id": each.id, "reason": each.reason} for each in result.unlinked],
    }


def _tell_families(facts: dict[str, Any], talk: Callable[[str], None]) -> None:
    talk(
        f"{facts['families']} {facts['kind']} families of {facts['documents']} documents, "
        f"{facts['families_of_several_offices']} with several offices"
    )
    if facts["partly_shared"]:
        talk(f"{len(facts['partly_shared'])} documents share a priority with another family")
    for conflict in facts["conflicts"]:
        talk(conflict)
    if facts["unlinked"]:
        talk(f"{len(facts['unlinked'])} documents not linked")
    for each in facts["unlinked"][:SHOWN]:
        talk(f"  {each['id']}: {each['reason']}")
    if len(facts["unlinked"]) > SHOWN:
        talk(f"  … and {len(facts['unlinked']) - SHOWN} more; --json lists all")
