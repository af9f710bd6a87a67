"""Packed files: what they are told by, and that a damaged one is noticed."""

from __future__ import annotations

import gzip
import io

import pytest
import zstandard

from patmark.data.files import BadZstd, ending, unpacked_stream

_TEXT = "Die Pumpe läuft. 泵运转。\n".encode() * 20_000


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("run.jsonl", ".jsonl"),
        ("runs/RUN.JSONL.GZ", ".jsonl"),
        ("run.tsv.zst", ".tsv"),
        ("run.gz", ""),
        ("v1.2/run", ""),
        ("a.b.csv", ".csv"),
    ],
)
def test_the_ending_is_that_of_the_content(name: str, expected: str) -> None:
    assert ending(name) == expected


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
def test_what_is_packed_is_told_by_its_first_bytes(pack: object) -> None:
    data = pack(_TEXT) + pack(_TEXT)  # type: ignore[operator]
    assert unpacked_stream(io.BytesIO(data), data[:8]).read() == _TEXT * 2


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_cut_is_not_taken_for_the_end(pack: object) -> None:
    data = pack(_TEXT)[:-9]  # type: ignore[operator]
    with pytest.raises(EOFError):
        unpacked_stream(io.BytesIO(data), data[:8]).read()


def test_the_name_counts_where_the_content_says_nothing() -> None:
    with pytest.raises(gzip.BadGzipFile):
        unpacked_stream(io.BytesIO(b"plain"), b"plain", ".gz").read()
    with pytest.raises(BadZstd, match="bad zstd data"):
        unpacked_stream(io.BytesIO(b"plain"), b"plain", ".zst").read()
    assert unpacked_stream(io.BytesIO(b""), b"", ".gz").read() == b""
