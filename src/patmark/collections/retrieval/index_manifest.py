"""The manifest of an index: its parameters and contents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from patmark._version import __version__
from patmark.collections.retrieval.index_terms import TermProcedure, term_procedure
from patmark.data import write_atomically
from patmark.errors import InputError, UsageError
from patmark.wording import tr

FORM = 3
MANIFEST_FILE = "manifest.json"
ENGINE_FOLDER = "tantivy"

State: TypeAlias = Literal["building", "complete"]


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """Parameters and counts of an index.

    Counts and ``ids_sha256`` are those of the last finished build: during an addition,
    ``documents`` is the number before it. ``undated`` documents cannot pass a date filter,
    ``unclassified`` ones no IPC filter. ``additions`` is the number of additions; the last one
    holds the index.
    """

    terms: str
    terms_signature: str
    engine: str
    k1: float
    b: float
    exact_tables: bool
    state: State = "building"
    sources: tuple[str, ...] = ()
    documents: int = 0
    tokens: int = 0
    undated: int = 0
    unclassified: int = 0
    unreadable_codes: int = 0
    ids_sha256: str = ""
    additions: int = 0
    patmark: str = __version__
    form: int = FORM

    @property
    def procedure(self) -> TermProcedure:
        """The term procedure of the index; an error if it would give other terms today."""
        procedure = term_procedure(self.terms)
        if procedure.signature != self.terms_signature:
            raise UsageError(
                f"the index was built with the terms {self.terms_signature}, but this installation "
                f"makes {procedure.signature}; build the index again, or install the same versions"
            )
        return procedure

    def check_terms(self, asked: TermProcedure) -> None:
        """Refuse another term procedure than that of the index."""
        if asked.signature != self.terms_signature:
            raise UsageError(
                f"the index was built with the terms {self.terms_signature}, not with "
                f"{asked.signature}; documents and topics need the same"
            )

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the file."""
        return {**asdict(self), "sources": list(self.sources)}

    def lines(self, out: str) -> Iterator[str]:
        """Describe the index in ``out`` for people."""
        counts = {"documents": self.documents, "words": self.tokens}
        yield tr("{file}: {documents} documents, {words} words", file=out, **counts)
        yield tr("terms   {signature}", signature=self.terms_signature)
        engine = f"{self.engine}, BM25(k1={self.k1:g}, b={self.b:g})"
        yield tr("engine  {signature}", signature=engine)
        yield tr("ids     {signature}", signature=self.ids_sha256)
        if n := self.undated:
            yield tr("{n} documents have no date; a search by date leaves them out", n=n)
        if n := self.unclassified:
            yield tr("{n} documents have no IPC code; a search by IPC leaves them out", n=n)
        if n := self.unreadable_codes:
            yield tr("{n} IPC codes could not be read and do not count", n=n)

    def place(self, folder: Path) -> Path:
        """Return the folder of the engine and the tables of an index."""
        return folder / f"addition-{self.additions}" if self.additions else folder

    def begun(self, sources: tuple[str, ...]) -> IndexManifest:
        """Return the manifest while documents of these files are being added."""
        return replace(self, state="building", sources=sources, patmark=__version__)


def read_manifest(folder: Path) -> IndexManifest | None:
    """Return the manifest of a folder; None if it has none."""
    path = folder / MANIFEST_FILE
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError.at(f"cannot be read: {error}", str(path)) from None
    form = fields.get("form") if isinstance(fields, dict) else None
    if form != FORM:
        what = f"of an index of form {form}" if isinstance(form, int) else "no manifest of an index"
        needed = f"this version of patmark needs form {FORM}"
        raise InputError.at(f"is {what}, but {needed}; build the index again", str(path))
    try:
        return IndexManifest(**{**fields, "sources": tuple(fields["sources"])})
    except (KeyError, TypeError) as error:
        raise InputError.at(f"is damaged: {error}", str(path)) from None


def write_manifest(folder: Path, manifest: IndexManifest) -> None:
    """Write the manifest atomically."""
    text = json.dumps(manifest.to_json(), ensure_ascii=False, indent=2)
    write_atomically(folder / MANIFEST_FILE, text + "\n")
