"""patmark corpus parse: patent documents of any office into one form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from patmark.cli import options as given
from patmark.cli.corpus_progress import SHOWN, counting, talk_beside
from patmark.cli.output import Outputs, say
from patmark.errors import InputError, Problem

if TYPE_CHECKING:
    from patmark.corpus import BrokenRecord, Document


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
    from patmark.corpus import write_documents

    Outputs(save=out, as_json=as_json).check(paths)
    counts = _Counts()
    with counting(quiet, "documents") as advance:
        write_documents(out, _wanted(paths, counts, advance))
    if as_json:
        print(json.dumps({**counts.to_json(), "out": out}, ensure_ascii=False, indent=2))
    elif not quiet:
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
        problems = [Problem(f"record {each.record}: {each.message}", each.path)
                    for each in counts.broken]  # fmt: skip
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
    for each in counts.broken[:SHOWN]:
        talk(f"  {each}")
    if len(counts.broken) > SHOWN:
        talk(f"  … and {len(counts.broken) - SHOWN} more; --json lists all")
