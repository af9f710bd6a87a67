"""The files on the desk and their inferred roles."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal, cast

from patmark.claims import parse_claims
from patmark.data import (
    JSON_FORMATS,
    TABLE_FORMATS,
    decoded,
    ending,
    file_format,
    iter_byte_lines,
    read_table,
)
from patmark.documents import DOCUMENT_ENDINGS, read_document
from patmark.errors import PatmarkError
from patmark.evaluation import role_by_name
from patmark.languages import language_of, packs
from patmark.wording import tr

Kind = Literal[
    "hypothesis", "reference", "source", "documents", "testset", "rows", "claims", "description"
]
KINDS: dict[Kind, str] = {
    "hypothesis": tr("translation by a system"),
    "reference": tr("reference translation"),
    "source": tr("source text"),
    "documents": tr("document of each line"),
    "testset": tr("test set with ids"),
    "rows": tr("PatSnap rows with translations"),
    "claims": tr("claims"),
    "description": tr("description of the invention"),
}
"""Names of the kinds on the page."""

WHOLE_DOCUMENT_ENDINGS = tuple(one for one in DOCUMENT_ENDINGS if one not in (".txt", ".text"))
"""Extensions of whole documents; plain text may also be lines."""
_LINES = 200
_LONGEST = 20_000
_LONGEST_STEM = 150
_BY_ROLE: dict[str, Kind] = {"ref": "reference", "src": "source", "docs": "documents"}
_ROW_FIELDS = {"content_cn", "content_en", "label_2"}
_TO_CHINESE = "content_en_translate"
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f/\\:=]|\s+")


@dataclass(frozen=True, slots=True)
class GuessedKind:
    """Inferred kind of a file, and its detected languages."""

    kind: Kind
    source: str = ""
    target: str = ""


@dataclass(slots=True)
class Given:
    """A file on the desk; a person may change its kind."""

    id: str
    path: Path
    kind: Kind
    source: str
    target: str

    @property
    def name(self) -> str:
        """Its name, as commands and messages write it."""
        return self.path.name

    def to_json(self) -> dict[str, str | int]:
        """Return the fields that the page shows."""
        return {
            "id": self.id,
            "name": self.name,
            "size": self.path.stat().st_size,
            "kind": self.kind,
            "source": self.source,
            "target": self.target,
        }


def safe_name(name: str, taken: Sequence[str]) -> str:
    """Return a safe name for a new file.

    The name has no path, and no command takes it for an option or a list.
    """
    plain = _shortened(_NOT_IN_NAMES.sub("_", name.strip()).lstrip("-.")) or "file"
    stem, dot, suffix = plain.partition(".")
    copies = (f"{stem}-{number}{dot}{suffix}" for number in range(2, len(taken) + 3))
    return next(one for one in (plain, *copies) if one not in taken)


def _shortened(name: str) -> str:
    """Return a name shortened to the limit of file systems, with its extension."""
    ending = "".join(Path(name).suffixes[-2:])[-20:]
    return name.removesuffix(ending).encode()[:_LONGEST_STEM].decode(errors="ignore") + ending


def guess(path: Path) -> GuessedKind:
    """Guess the kind and the languages of a file by its name and its beginning."""
    if file_format(path) in TABLE_FORMATS:
        return _guess_table(path)
    if ending(path) in WHOLE_DOCUMENT_ENDINGS:
        return _guess_document(path)
    try:
        lines = [decoded(line)[:_LONGEST] for _, line in islice(iter_byte_lines(path), _LINES)]
    except (PatmarkError, ValueError):
        return GuessedKind("hypothesis")  # the command that reads it reports the fault
    text = "\n".join(lines)
    if file_format(path) in JSON_FORMATS:
        return _guess_record(lines)
    kind = _kind_by_name(path.name) or _kind_by_text(text, lines)
    if kind == "documents":
        return GuessedKind(kind)
    language = language_of(None, text)
    return (
        GuessedKind(kind, source=language)
        if kind == "source"
        else GuessedKind(kind, target=language)
    )


def pair_documents(files: Sequence[Given]) -> None:
    """Take the first of two whole documents in different languages for the source.

    Names that say which is the source, and kinds that a person chose, are left.
    """
    if len(files) != 2 or any(ending(one.path) not in WHOLE_DOCUMENT_ENDINGS for one in files):
        return
    first, second = files
    same = first.target == second.target
    if first.kind == second.kind == "hypothesis" and first.target and second.target and not same:
        first.kind, first.source, first.target = "source", first.target, ""


def _guess_document(path: Path) -> GuessedKind:
    """Guess the side of a whole document by its name, and read its language."""
    try:
        language = read_document(path).lang or ""
    except PatmarkError:
        language = ""  # the command that reads it reports the fault
    if _kind_by_name(path.stem) == "source":
        return GuessedKind("source", source=language)
    return GuessedKind("hypothesis", target=language)


def _guess_record(lines: Sequence[str]) -> GuessedKind:
    try:
        first = json.loads(next((line for line in lines if line.strip()), ""))
    except json.JSONDecodeError:
        first = {}
    fields = first if isinstance(first, dict) else {}
    if fields.keys() >= _ROW_FIELDS:
        languages = "en-zh" if _TO_CHINESE in fields else "zh-en"
        return GuessedKind("rows", *languages.split("-"))
    if "hypothesis" in fields or "system" in fields:
        return GuessedKind("hypothesis", target=_language(fields.get("hypothesis")))
    references = fields.get("references") or [None]
    return GuessedKind("testset", _language(fields.get("source")), _language(references[0]))


def _guess_table(path: Path) -> GuessedKind:
    """Return a test set, unless it has translations and no reference."""
    try:
        table = read_table(path)
    except PatmarkError:
        return GuessedKind("testset")
    cells = dict(zip(table.columns, table.rows[0][1] if table.rows else (), strict=False))
    texts = [*table.references, *table.systems]
    target = _language(cells.get(texts[0])) if texts else ""
    if table.systems and not table.references:
        return GuessedKind("hypothesis", target=target)
    return GuessedKind("testset", _language(cells.get("source")), target)


def _language(text: object) -> str:
    return language_of(None, text) if isinstance(text, str) and text else ""


@cache
def _document_words() -> dict[str, str]:
    """Return the words of all languages for claims and a description in the name of a file."""
    tables = [pack.table("files") for pack in packs()]
    return {
        kind: "|".join(filter(None, (table.pattern(kind) for table in tables)))
        for kind in ("claims", "description")
    }


def _kind_by_name(name: str) -> Kind | None:
    """Guess the kind by the end of the name: ``ref.txt``, ``newstest-src.zh``, ``a_claims.txt``."""
    named = role_by_name(name) or role_by_name(name, _document_words())
    if named is None or named == ("docs", False):
        return None
    return _BY_ROLE.get(named.role, cast("Kind", named.role))


def _kind_by_text(text: str, lines: Sequence[str]) -> Kind:
    """Return numbered claims, ids of documents that repeat, or else translations."""
    numbers = [claim.number for claim in parse_claims(text[:_LONGEST]).claims]
    if len(numbers) > 1 and numbers[:2] == [1, 2]:
        return "claims"
    words = [line.strip() for line in lines if line.strip()]
    if words and len(set(words)) < len(words) and not any(" " in one for one in words):
        return "documents" if max(map(len, words)) <= 40 else "hypothesis"
    return "hypothesis"
