"""Judgements: TREC lines, NTCIR letters, PatSnap rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.collections.retrieval import Qrels, missing_documents, read_qrels
from patmark.errors import InputError, UsageError


def _read(tmp_path: Path, text: str) -> Qrels:
    path = tmp_path / "qrels"
    path.write_text(text, encoding="utf-8")
    return read_qrels(path)


def _rows(qrels: Qrels) -> list[tuple[str, str, int]]:
    return list(qrels.rows())


def test_trec_lines_with_numbers_and_letters(tmp_path: Path) -> None:
    qrels = _read(tmp_path, "9 0 d2 A\n9 0 d1 1\n1 0 d1 B\n1\t0\td3  0\n1 0 d4 -1\n")
    assert qrels.topics == ("9", "1")
    assert _rows(qrels) == [
        ("9", "d1", 1), ("9", "d2", 2), ("1", "d1", 1), ("1", "d3", 0), ("1", "d4", -1),
    ]  # fmt: skip
    assert qrels.relevant().tolist() == [2, 1]
    assert qrels.relevant(2).tolist() == [1, 0]


def test_blank_lines_are_no_judgements(tmp_path: Path) -> None:
    assert _rows(_read(tmp_path, "\n1 0 d1 1\n \t\n1 0 d2 0\n\n")) == [
        ("1", "d1", 1), ("1", "d2", 0),
    ]  # fmt: skip
    with pytest.raises(InputError, match=":4: document 'd1' of topic '1' is already on line 2"):
        _read(tmp_path, "\n1 0 d1 1\n\n1 0 d1 0\n")


def test_patsnap_rows_with_integer_ids(tmp_path: Path) -> None:
    text = '{"id": 12, "target_pns": ["CN1A", 34], "text": "…"}\n{"id": "13", "target_pns": []}'
    qrels = _read(tmp_path, text)
    assert qrels.topics == ("12", "13")
    assert _rows(qrels) == [("12", "34", 1), ("12", "CN1A", 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 d1 1\n1 0 d1\n", ":2: expected 4 fields (topic 0 document grade), found 3"),
        ("1 0 d1 C\n", ":1: grade: expected a whole number, A or B, found 'C'"),
        ("1 0 d1 1.5\n", "found '1.5'"),
        ("1 0 d1 1\n1 0 d1 1\n", ":2: document 'd1' of topic '1' is already on line 1"),
        ('{"target_pns": []}', ":1: field 'id' is missing"),
        ('{"id": 1}', ":1: field 'target_pns' is missing; expected a list"),
        ('{"id": 1, "target_pns": [1.5]}', "1.5 is no document number"),
        ('{"id": 1, "target_pns": ["a", "a"]}', "'a' occurs twice"),
        ('{"id": 1, "target_pns": []}\n{"id": "1", "target_pns": []}', ":2: id '1' occurs twice"),
        ("", "is empty"), ("\n \n", "holds no judgements"),
    ],
)  # fmt: skip
def test_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        _read(tmp_path, text)
    assert message in str(error.value)


def test_some_topics() -> None:
    qrels = Qrels("q", {"1": {"a": 1}, "2": {"b": 2}, "3": {"a": 2}})
    assert _rows(qrels.only(["3", "1"])) == [("1", "a", 1), ("3", "a", 2)]
    with pytest.raises(UsageError, match="q has no judgements for topics: 4"):
        qrels.only(["1", "4"])


def test_relevant_documents_that_the_collection_does_not_hold() -> None:
    qrels = Qrels("q", {"1": {"a": 1, "b": 2, "c": 0}, "2": {"b": 1}})
    assert missing_documents(qrels, {"a"}) == ("b",)
    assert missing_documents(qrels, {"a", "b"}) == ()


def test_fingerprints_are_of_the_judgements() -> None:
    one = Qrels("here", {"1": {"a": 1, "b": 0}, "2": {"b": 2}})
    same = Qrels("there", {"2": {"b": 2}, "1": {"b": 0, "a": 1}})
    other = Qrels("here", {"1": {"a": 2, "b": 0}, "2": {"b": 2}})
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert len(one.fingerprint) == 12
