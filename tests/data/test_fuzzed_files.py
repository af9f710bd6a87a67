"""A small share of ``benchmarks/fuzz.py``: readers of mutated files refuse them or read them."""

from __future__ import annotations

from pathlib import Path

import pytest

import fuzz
from patmark.collections.patents.numbers import NumberKey, number_key
from patmark.errors import InputError


def test_readers_take_their_seeds(tmp_path: Path) -> None:
    for name, reader in fuzz.readers(tmp_path).items():
        for ending, content in reader.seeds:
            path = tmp_path / f"{name}{ending}"
            path.write_bytes(content)
            reader.read(path)


def test_readers_survive_mutated_files(tmp_path: Path) -> None:
    for name, reader in fuzz.readers(tmp_path).items():
        outcome = fuzz.fuzz(name, reader, 40, 0, tmp_path)
        assert outcome.faults == []
        assert outcome.taken + outcome.refused == 40


@pytest.mark.parametrize(
    ("reader", "ending", "content"),
    [
        ("judgements", ".csv", b"evaluator,system\rsegment\n"),
        ("manifest", ".yaml", b"runs: [{file: " + b"a" * 5000 + b"}]"),
        ("campaign", ".yaml", b"systems: {a: " + b"a" * 5000 + b"}"),
        ("pipeline", ".toml", b'inputs = ["' + b"a" * 5000 + b'"]'),
        ("pairs", ".jsonl", b'{"id": 1, "source": "a", "target": "", "score": 1%s}' % (b"0" * 400)),
    ],
)
def test_what_mutated_files_have_shown(
    reader: str, ending: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / f"file{ending}"
    path.write_bytes(content)
    with pytest.raises(InputError):
        fuzz.readers(tmp_path)[reader].read(path)


def test_a_country_code_is_no_pattern() -> None:
    assert number_key("*", "*1234567", "2001-01-01") == NumberKey("*", 2001, "1234567")
