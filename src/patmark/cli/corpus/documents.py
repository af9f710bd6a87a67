"""patmark corpus parse and families: documents of any office in one form, and of one invention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.options import split_list
from patmark.cli.output import Talk, counting, print_json, say, talk_beside
from patmark.cli.parsing import Options, Parameter, group
from patmark.errors import InputError, Problem, UsageError

if TYPE_CHECKING:
    from patmark.corpus import BrokenRecord, Document, Families, Family, FamilyKind, Links

_SHOWN = 20


@dataclass(slots=True)
class _Counts:
    """What has been read so far."""

    documents: int = 0
    claims: int = 0
    offices: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    without_key: int = 0
    noted: int = 0
    broken: list[BrokenRecord] = field(default_factory=list)

    def add(self, document: Document) -> None:
        self.documents += 1
        self.offices[document.office] += 1
        self.formats[document.source_format] += 1
        self.languages.update(text.language for text in document.texts)
        self.claims += sum(len(text.claims) for text in document.texts)
        self.without_key += any(not each.key for each in document.priorities)
        self.noted += bool(document.notes)

    def to_json(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "claims": self.claims,
            "offices": dict(sorted(self.offices.items())),
            "formats": dict(sorted(self.formats.items())),
            "languages": dict(sorted(self.languages.items())),
            "priorities_without_key": self.without_key,
            "documents_with_notes": self.noted,
            "skipped_files": dict(sorted(self.skipped.items())),
            "broken": len(self.broken),
            "broken_records": [
                {"path": each.path, "record": each.record, "message": each.message}
                for each in self.broken
            ],
        }


@group
class Documents(Options, heading="Documents"):
    """Where documents go."""

    out: str
    """Documents as JSON Lines (.jsonl, .gz, .zst)."""


def parse(
    *paths: Annotated[str, Parameter(required=True, help="Files, archives or folders.")],
    documents: Documents,
    output: Talk = Talk(),
) -> None:
    """Read patent documents of any known format into one form.

    USPTO Green Book, SGML, PAP, Red Book and XML4IP; EPO full text, DOCDB and OPS; JPO gazettes
    and ST.96; CNIPA. Formats are told by content; zip, tar, gz, zst, bz2 and xz are opened.
    Broken records are listed and counted; the rest is written.

    Example:

      patmark corpus parse week.zip epo/ --out docs.jsonl.zst
    """
    from patmark.corpus import write_documents

    out = documents.out
    output.check(paths, out)
    counts = _Counts()
    with counting(output.quiet, "documents") as advance:
        write_documents(out, _wanted(paths, counts, advance))
    if output.json:
        print_json({**counts.to_json(), "out": out})
    elif not output.quiet:
        _tell(counts, talk_beside(out))
        say(f"wrote {out}")


def _wanted(
    paths: Iterable[str], counts: _Counts, advance: Callable[[int], None]
) -> Iterator[Document]:
    """The documents; an error when there are none, so that no empty file is left."""
    from patmark.corpus import BrokenRecord, read_documents

    def skip(name: str) -> None:
        counts.skipped[Path(name).suffix.lower() or "no ending"] += 1

    for path in paths:
        for found in read_documents(path, on_skip=skip):
            if isinstance(found, BrokenRecord):
                counts.broken.append(found)
                continue
            counts.add(found)
            advance(counts.documents)
            yield found
    if not counts.documents:
        problems = [
            Problem(f"record {each.record}: {each.message}", each.path) for each in counts.broken
        ]
        raise InputError(problems or [Problem("no patent document found", ", ".join(paths))])


def _tell(counts: _Counts, talk: Callable[[str], None]) -> None:
    offices = ", ".join(f"{office} {n}" for office, n in sorted(counts.offices.items()))
    talk(f"{counts.documents} documents ({offices}), {counts.claims} claims")
    if counts.without_key:
        talk(f"{counts.without_key} documents have a priority number that is not understood")
    if counts.noted:
        talk(f"{counts.noted} documents have notes on what was repaired or is doubtful")
    for ending, n in sorted(counts.skipped.items()):
        talk(f"{n} files not opened: {ending}")
    if counts.broken:
        talk(f"{len(counts.broken)} broken records")
    for each in counts.broken[:_SHOWN]:
        talk(f"  {each}")
    if len(counts.broken) > _SHOWN:
        talk(f"  … and {len(counts.broken) - _SHOWN} more; --json lists all")


@group
class FamilyOptions(Options, heading="Families"):
    """What a family is, and where families go."""

    out: str
    """Families as JSON Lines."""
    kind: str = "simple"
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
    """Put documents into families by their priorities, and say what could not be linked.

    Example:

      patmark corpus families docs.jsonl.zst --out families.jsonl --kind extended
    """
    from patmark.corpus import build_families, one_per_office

    wanted, out = _family_kind(options.kind), options.out
    if options.prefer and not options.one_per_office:
        raise UsageError("--prefer needs --one-per-office")
    output.check(docs, out)
    result = build_families(_read_links(docs, output.quiet), wanted)
    kept = list(result.families)
    if options.one_per_office:
        kept = [one_per_office(each, split_list(options.prefer)) for each in kept]
    _write_families(out, kept)
    facts = _family_facts(result)
    if output.json:
        print_json({**facts, "out": out})
    elif not output.quiet:
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
    import json

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
    for each in facts["unlinked"][:_SHOWN]:
        talk(f"  {each['id']}: {each['reason']}")
    if len(facts["unlinked"]) > _SHOWN:
        talk(f"  … and {len(facts['unlinked']) - _SHOWN} more; --json lists all")
