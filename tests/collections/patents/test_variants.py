"""Variants of the formats that specifications name and samples seldom show; texts are invented."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from patent_records import read_record
from patmark.collections.patents.read import read_documents
from patmark.data import Document

_DATA = Path(__file__).parent / "variants"
_ROWS = [json.loads(line) for line in (_DATA / "expected.jsonl").read_text("utf-8").splitlines()]
_FIELDS: dict[str, Callable[[Document], Any]] = {
    "priority keys": lambda document: [each.key for each in document.priorities],
    "parent keys": lambda document: [each.key for each in document.parents],
    "cited": lambda document: [each.document for each in document.citations],
    "citations": lambda document: [
        (each.document, each.category, each.claims, each.phase, each.by, each.date)
        for each in document.citations
    ],
    "title": lambda document: document.text().title,
    "abstract": lambda document: document.text().abstract,
    "titles": lambda document: {each.language: each.title for each in document.texts if each.title},
    "abstracts": lambda document: {
        each.language: each.abstract for each in document.texts if each.abstract
    },
    "claims": lambda document: [(each.num, each.depends_on) for each in document.text().claims],
    "claim texts": lambda document: [each.text for each in document.text().claims],
    "claims by language": lambda document: {
        text.language: [(each.num, each.depends_on) for each in text.claims]
        for text in document.texts
        if text.claims
    },
    "description": lambda document: [
        (each.section, each.is_heading, each.text) for each in document.text().description
    ],
    "paragraphs": lambda document: [each.text for each in document.text().description],
}


@cache
def _records(name: str) -> list[list[Document]]:
    found: dict[int, list[Document]] = {}
    for each in read_documents(_DATA / name):
        assert isinstance(each, Document), each
        found.setdefault(each.record, []).append(each)
    return list(found.values())


def _plain(value: object) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("name", dict.fromkeys(row["file"] for row in _ROWS))
def test_every_record_of_a_file_is_expected(name: str) -> None:
    assert len(_records(name)) == sum(row["file"] == name for row in _ROWS)


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (row, sum(before["file"] == row["file"] for before in _ROWS[:number]))
        for number, row in enumerate(_ROWS)
    ],
    ids=[f"{row['file']} {row['variant']}" for row in _ROWS],
)
def test_variant(row: dict[str, Any], place: int) -> None:
    for document, expected in zip(_records(row["file"])[place], row["documents"], strict=True):
        for name, value in expected.items():
            read = _FIELDS.get(name, lambda document, name=name: getattr(document, name))
            assert _plain(read(document)) == value, name


def _claims(record: str) -> list[tuple[int, tuple[int, ...], str]]:
    (document,) = read_record(record.encode())
    assert isinstance(document, Document), document
    return [(claim.num, claim.depends_on, claim.text) for claim in document.text().claims]


def _marec(claim: str) -> str:
    return (
        '<patent-document ucid="EP-0000003-A1" lang="EN" date="19790110"><claims lang="EN">'
        f'<claim num="1">{claim}</claim></claims></patent-document>'
    )


def test_one_claim_with_numbered_steps_stays_one() -> None:
    steps = "<claim-text>1. mixing</claim-text><claim-text>2. heating.</claim-text>"
    record = _marec(f"<claim-text>A method with steps:{steps}</claim-text>")
    assert _claims(record) == [(1, (), "A method with steps:\n1. mixing\n2. heating.")]


def test_claims_in_one_element_without_numbers() -> None:
    record = _marec("<claim-text>A lock.</claim-text><claim-text>A lock of claim 1.</claim-text>")
    assert _claims(record) == [(1, (), "A lock."), (2, (1,), "A lock of claim 1.")]


def test_line_ends_of_two_signs() -> None:
    record = (_DATA / "green_book.txt").read_text("utf-8").partition("\nPATN\n")[0]
    assert _claims(record.replace("\n", "\r\n")) == [(1, (), "A cup.")]
