"""Whatever is done to a record, it gives documents or a broken record, in linear time."""

from __future__ import annotations

import io
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from patent_records import read_record, split_records
from patmark.collections.patents.read import UNREADABLE, read_documents
from patmark.data.documents import BrokenRecord
from patmark.errors import InputError

_DATA = Path(__file__).parent / "data"
_RECORDS = [
    path.read_bytes()
    for folder in (_DATA, _DATA.parent / "markup")
    for path in sorted(folder.glob("synthetic_*"))
]
_COLLECTIONS = sorted((_DATA.parent / "collections").glob("synthetic_*"))


def _damaged(record: bytes, rng: random.Random) -> bytes:
    data = bytearray(record)
    for _ in range(rng.randint(1, 6)):
        at, size = rng.randrange(len(data)), rng.randint(1, 40)
        kind = rng.randrange(4)
        if kind == 0:
            del data[at : at + size]
        elif kind == 1:
            data[at:at] = data[at : at + size]
        elif kind == 2:
            data[at] = rng.randrange(256)
        else:
            data[at:at] = rng.choice([b"<", b"&", b">", b"9" * 5000, b"<!--", b"]]>", b"\x00"])
        data = data or bytearray(b"x")
    return bytes(data)


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(_RECORDS))
def test_damaged_records(seed: int, record: bytes) -> None:
    for found in read_record(_damaged(record, random.Random(seed))):
        assert not (isinstance(found, BrokenRecord) and UNREADABLE in found.message), found


@settings(max_examples=100)
@given(st.integers(0, 10**9), st.sampled_from(_COLLECTIONS))
def test_damaged_collections(seed: int, path: Path) -> None:
    data = _damaged(path.read_bytes(), random.Random(seed))
    with tempfile.TemporaryDirectory() as folder:
        damaged = Path(folder, path.name)
        damaged.write_bytes(data)
        for found in read_documents(damaged):
            assert not (isinstance(found, BrokenRecord) and UNREADABLE in found.message), found


@pytest.mark.parametrize(
    "filling", [b"<!--", b"<![CDATA[", b"<!DOCTYPE x[", b"<?x ", b"<a b=", b"&a", b" \n", b"]>"]
)
def test_hostile_repetition_takes_linear_time(filling: bytes) -> None:
    body = filling * 100_000
    record = b"<ep-patent-document country='EP' doc-number='1'>" + body
    assert read_record(record)
    assert read_record(body + record)


def test_a_record_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patmark.collections.patents.read.LARGEST_RECORD", 1 << 20)
    stream = io.BytesIO(b"<?xml version='1.0'?><PATDOC>" + b"x" * (3 << 20))
    with pytest.raises(InputError, match="more than 1 MB"):
        list(split_records(stream))
