"""Documents as JSON Lines (.gz, .zst), one document per line, and as rows of a collection."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, Any, cast

from patmark.corpus.document import Claim, Document, Paragraph, Priority, Text
from patmark.corpus.streams import READ_ERRORS, Part, describe, iter_parts
from patmark.data import atomic_writer
from patmark.errors import InputError, Problem

_NAMES = frozenset(field.name for field in fields(Document))
_NEEDED = ("office", "number", "kind", "publication_date", "source_format")


def document_to_json(document: Document) -> dict[str, Any]:
    """All fields of a document, with its id in front; empty fields are left out."""
    kept = {name: value for name, value in asdict(document).items() if value not in ("", (), None)}
    return {"id": document.id, **kept}


def document_from_json(row: dict[str, Any]) -> Document:
    """The document of a row; ValueError, TypeError or KeyError when the row is not one."""
    values = {name: value for name, value in row.items() if name != "id"}
    unknown = sorted(set(values) - _NAMES)
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(unknown)}")
    for name in _NEEDED:
        values.setdefault(name, "")
    for name in ("priorities", "parents"):
        values[name] = tuple(Priority(**each) for each in values.get(name, ()))
    for name in ("ipc", "cpc", "notes"):
        values[name] = tuple(values.get(name, ()))
    values["texts"] = tuple(_text(each) for each in values.get("texts", ()))
    document = Document(**values)
    if not (document.office and document.number):
        raise ValueError("a document needs office and number")
    return document


def _text(row: dict[str, Any]) -> Text:
    claims = tuple(
        Claim(each["num"], each["text"], tuple(each.get("depends_on", ())))
        for each in row.get("claims", ())
    )
    description = tuple(Paragraph(**each) for each in row.get("description", ()))
    return Text(row["language"], row.get("title", ""), row.get("abstract", ""), claims, description)


def write_documents(path: str | Path, documents: Iterable[Document]) -> int:
    """Write documents as they come; the file appears only when all are written. Gives the count."""
    count = 0
    with atomic_writer(path) as file:
        for document in documents:
            file.write(json.dumps(document_to_json(document), ensure_ascii=False) + "\n")
            count += 1
    return count


def read_document_jsonl(path: str | Path) -> Iterator[Document]:
    """Documents one at a time. Bad lines are listed in one InputError when the file has ended."""
    problems: list[Problem] = []
    for part in iter_parts(Path(path)):
        if part.stream is None:
            problems.append(Problem(part.problem, part.name))
        else:
            yield from _lines(part, problems)
    if problems:
        raise InputError(problems)


def _lines(part: Part, problems: list[Problem]) -> Iterator[Document]:
    number = 0
    lines = io.TextIOWrapper(cast(IO[bytes], part.stream), "utf-8-sig", newline="\n")
    try:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                document = document_from_json(row)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                problems.append(Problem(f"is no document: {error}", part.name, number))
                continue
            yield document
    except UnicodeDecodeError:
        problems.append(Problem("is not UTF-8", part.name, number + 1))
    except READ_ERRORS as error:
        problems.append(Problem(describe(error), part.name, number + 1))
    finally:
        lines.detach()  # the stream belongs to the part


def to_collection_row(document: Document, language: str, family: str = "") -> dict[str, Any]:
    """A row of a retrieval collection: the document in one language.

    ``family`` is the id that ``build_families`` gave; without it, the DOCDB id if there is one.
    """
    text = document.text(language)
    return {
        "id": document.id,
        "date": document.publication_date,
        "ipc": list(document.ipc),
        "title": text.title,
        "abstract": text.abstract,
        "claims": "\n".join(f"{claim.num}. {claim.text}" for claim in text.claims),
        "description": "\n".join(paragraph.text for paragraph in text.description),
        "lang": language,
        "family": family or (f"docdb:{document.family_id}" if document.family_id else ""),
    }
