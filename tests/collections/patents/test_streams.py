"""Bulk files to records: archives, cut files, memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from patent_records import split_records
from patmark.collections.patents.read import _documents_of, read_documents
from patmark.data.archives import ArchiveMember
from patmark.data.documents import BrokenRecord, Document
from patmark.data.files import CHUNK

_RECORD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE us-patent-application SYSTEM "x.dtd" [ ]>\n'
    "<us-patent-application><us-bibliographic-data-application><publication-reference>"
    "<document-id><country>US</country><doc-number>2020{n:07d}</doc-number><kind>A1</kind>"
    "<date>20200102</date></document-id></publication-reference>"
    "</us-bibliographic-data-application><description><p>{text}</p></description>"
    "<claims><claim num='1'><claim-text>1. A cup.</claim-text></claim></claims>"
    "</us-patent-application>\n"
)


def _week(count: int, size: int = 10) -> bytes:
    return "".join(_RECORD.format(n=n, text="w " * size) for n in range(count)).encode()


def _ids(path: Path) -> list[str]:
    return [found.id for found in read_documents(path) if isinstance(found, Document)]


_THREE = ["US20200000000A1", "US20200000001A1", "US20200000002A1"]


def _zipped(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def _tarred(name: str, data: bytes, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("week.xml", _week(3)),
        ("week.xml.gz", gzip.compress(_week(3), mtime=0)),
        ("week.xml.zst", zstandard.compress(_week(3))),
        ("week.zip", _zipped("a/week.xml", _week(3))),
        ("week.tar", _tarred("week.xml", _week(3))),
        ("week.tar.gz", _tarred("week.xml", _week(3), "w:gz")),
        ("week.tar.xz", _tarred("week.xml", _week(3), "w:xz")),
        ("nested.zip", _zipped("inner.zip", _zipped("week.xml", _week(3)))),
        ("nested.tar", _tarred("inner.zip", _zipped("week.xml", _week(3)))),
    ],
)
def test_containers(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert _ids(tmp_path / name) == _THREE
    assert _ids(tmp_path) == _THREE


def test_other_files_in_archives_are_reported_as_skipped(tmp_path: Path) -> None:
    path = tmp_path / "week.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("week.xml", _week(1))
        archive.writestr("drawing.TIF", b"II*\x00")
    skipped: list[str] = []
    assert len(list(read_documents(path, on_skip=skipped.append))) == 1
    assert skipped == [f"{path}/drawing.TIF"]


def test_a_truncated_record_in_the_middle_costs_only_itself(tmp_path: Path) -> None:
    records = _week(3).split(b"<?xml ")[1:]
    whole = [b"<?xml " + record for record in records]
    (tmp_path / "week.xml").write_bytes(whole[0] + whole[1][:300] + whole[2])
    found = list(read_documents(tmp_path / "week.xml"))
    kinds = [type(each).__name__ for each in found]
    assert kinds == ["Document", "BrokenRecord", "Document"]
    assert isinstance(found[1], BrokenRecord)
    assert (found[1].record, found[2].record) == (2, 3)
    assert "not well-formed" in found[1].message


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cut.gz", gzip.compress(_week(200, 2000), mtime=0)[:-3000]),
        ("cut.zst", zstandard.compress(_week(200, 2000))[:-40]),
        ("cut.zip", _zipped("week.xml", _week(3))[:-30]),
        ("cut.tar", _tarred("week.xml", _week(3))[:700]),
        ("empty.xml", b""),
        ("blank.xml", b" \n "),
    ],
)
def test_damaged_files_are_reported(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    found = list(read_documents(tmp_path / name))
    assert isinstance(found[-1], BrokenRecord)
    assert name in found[-1].path


def _noisy(count: int) -> list[bytes]:
    """Records whose texts cannot be packed much, so that any cut falls into one."""
    rng = random.Random(1)
    noise = ("".join(rng.choices("abcdefghijklmnop ", k=3000)) for _ in range(count))
    return [_RECORD.format(n=n, text=text).encode() for n, text in enumerate(noise)]


def _packed(kind: str) -> bytes:
    """A packed file or archive of 24 records."""
    records = _noisy(24)
    files = {f"{number}.xml": record for number, record in enumerate(records)}
    zips = {
        f"{number}.zip": _zip_of(dict(list(files.items())[number * 8 : number * 8 + 8]))
        for number in range(3)
    }
    inner, _, outer = kind.rpartition(".")
    packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
               "zst": zstandard.ZstdCompressor(write_checksum=True).compress}  # fmt: skip
    if outer in packers:
        return packers[outer](b"".join(records) if inner == "xml" else _tar_of(files))
    made = zips if inner == "nested" else files
    return _tar_of(made) if outer == "tar" else _zip_of(made)


def _tar_of(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def _zip_of(files: dict[str, bytes]) -> bytes:
    """A zip that packs files, but not zips."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            packing = zipfile.ZIP_STORED if name.endswith("zip") else zipfile.ZIP_DEFLATED
            archive.writestr(name, data, packing)
    return buffer.getvalue()


_KINDS = ("xml.gz", "xml.bz2", "xml.xz", "xml.zst", "tar.gz", "tar.bz2", "tar.xz", "tar.zst",
          "flat.tar", "flat.zip", "nested.zip", "nested.tar")  # fmt: skip
_IN_BLOCKS = ("xml.bz2", "tar.bz2", "xml.zst", "tar.zst")  # of which none is complete here


@pytest.mark.parametrize("kind", _KINDS)
def test_what_precedes_the_damage_is_kept_and_the_rest_is_told(tmp_path: Path, kind: str) -> None:
    data = _packed(kind)
    path = tmp_path / f"week.{kind}"
    path.write_bytes(data)
    whole = [str(each) for each in _ids(path)]
    assert len(whole) == 24
    size = len(data.rstrip(b"\0"))  # a tar ends in empty blocks
    middle = size // 2
    for share, damaged in (
        (0.9, data[: size * 9 // 10]),
        (0.5, data[:middle]),
        (0.2, data[: size // 5]),
        (0, data[:20]),
        (0.4, data[:middle] + b"<\xff" * 300 + data[middle + 600 :]),
    ):
        path.write_bytes(damaged)
        found = list(read_documents(path))
        kept = [each.id for each in found if isinstance(each, Document)]
        least = max(int(24 * share) - 3, 0)
        assert kept[:least] == whole[:least] or kind in _IN_BLOCKS
        assert any(isinstance(each, BrokenRecord) for each in found)
        if len(damaged) < len(data) and share:
            assert kept == whole[: len(kept)]
            assert any(isinstance(each, BrokenRecord) and each.rest_lost for each in found)


def test_archives_too_deep_are_reported(tmp_path: Path) -> None:
    data = _week(1)
    for depth in range(8):
        data = _zipped(f"level{depth}.zip" if depth else "week.xml", data)
    (tmp_path / "deep.zip").write_bytes(data)
    found = list(read_documents(tmp_path / "deep.zip"))
    assert [type(each) for each in found] == [BrokenRecord]
    assert "deep" in str(found[0])


class _Generated(io.RawIOBase):
    """A weekly file that is made while it is read, and knows how far it was read."""

    def __init__(self, count: int, size: int) -> None:
        self.left, self.size, self.made, self.pending = count, size, 0, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        while not self.pending and self.left:
            self.left -= 1
            self.pending = _RECORD.format(n=self.left, text="w" * self.size).encode()
        size = min(len(buffer), len(self.pending))
        buffer[:size], self.pending = self.pending[:size], self.pending[size:]
        self.made += size
        return size


def test_only_one_record_is_held() -> None:
    source = _Generated(count=600, size=20_000)
    stream = io.BufferedReader(source, CHUNK)
    records = split_records(stream)
    first = next(records)
    assert source.made <= len(first) + 3 * CHUNK
    tracemalloc.start()
    assert sum(1 for _ in records) == 599
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert source.made > 12_000_000
    assert peak < 2_500_000


def test_boundaries_across_chunks() -> None:
    for shift in range(12):
        data = _RECORD.format(n=1, text="w" * (CHUNK - 520 + shift)).encode() + _week(1)
        assert len(list(split_records(io.BytesIO(data)))) == 2


def test_green_book_week_with_header(tmp_path: Path) -> None:
    one = "PATN\nWKU  0{n}0\nAPT  1\nISD  19760210\nTTL  Cup\nCLMS\nNUM  1.\nPAR  1. A cup.\n"
    text = "HHHHHT  02/10/76\n" + "".join(one.format(n=3930000 + n) for n in range(3))
    (tmp_path / "pftaps.txt").write_text(text, encoding="ascii")
    assert _ids(tmp_path) == ["US3930000A", "US3930001A", "US3930002A"]


def test_docdb_file_with_a_broken_record(tmp_path: Path) -> None:
    record = (
        '<exch:exchange-document country="JP" doc-number="{n}" kind="A"><exch:bibliographic-data/>'
    )
    end = "</exch:exchange-document>"
    text = (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE exch:exchange-documents SYSTEM "d.dtd">'
        '<exch:exchange-documents xmlns:exch="http://www.epo.org/exchange">'
        f"{record.format(n=1)}{end}{record.format(n=2)}{record.format(n=3)}{end}"
        "</exch:exchange-documents>"
    )
    (tmp_path / "docdb.xml").write_text(text, encoding="utf-8")
    found = list(read_documents(tmp_path))
    assert [each.id if isinstance(each, Document) else each.record for each in found] == [
        "JP1A", 2, "JP3A",
    ]  # fmt: skip


@pytest.mark.parametrize("stored", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("cut", [30, 300])
def test_a_cut_zip_keeps_what_came_before_the_damage(tmp_path: Path, stored: int, cut: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", stored) as archive:
        for number in range(3):
            archive.writestr(f"{number}.xml", _RECORD.format(n=number, text="w " * 2000))
    (tmp_path / "cut.zip").write_bytes(buffer.getvalue()[:-cut])
    found = list(read_documents(tmp_path / "cut.zip"))
    assert [each.id for each in found if isinstance(each, Document)] == (
        _THREE if cut == 30 else _THREE[:2]
    )
    assert isinstance(found[-1], BrokenRecord)
    assert "truncated" in found[-1].message


def test_a_cut_zip_that_was_written_to_a_pipe(tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def tell(self) -> int:
            raise OSError("a pipe has no place")

    buffer = Pipe()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.xml", _RECORD.format(n=number, text="w " * 2000))
    (tmp_path / "cut.zip").write_bytes(buffer.getvalue()[:-150])
    assert _ids(tmp_path / "cut.zip") == _THREE


def test_a_cut_gzip_keeps_all_records_before_the_damage(tmp_path: Path) -> None:
    week = _week(40, 3000)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(week, mtime=0)[:-9])
    assert len(_ids(tmp_path / "cut.gz")) >= 39


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_byte_order_marks_and_utf_16(tmp_path: Path, encoding: str) -> None:
    week = _week(3).decode().replace('"UTF-8"', f'"{encoding[:6].upper()}"')
    (tmp_path / "week.xml").write_bytes(week.encode(encoding))
    assert _ids(tmp_path / "week.xml") == _THREE


def test_a_byte_order_mark_before_each_record(tmp_path: Path) -> None:
    records = [_RECORD.format(n=n, text="w").encode("utf-8-sig") for n in range(3)]
    (tmp_path / "week.xml").write_bytes(b"".join(records))
    assert _ids(tmp_path / "week.xml") == _THREE
    green = b"PATN\nWKU  039300000\nISD  19760106\n"
    (tmp_path / "week.txt").write_bytes(b"\xef\xbb\xbf" + green)
    assert _ids(tmp_path / "week.txt") == ["US3930000A"]


def test_control_characters_are_left_out_and_noted(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(_RECORD.format(n=0, text="a\x02b&#x1F;c&#11;d\x00e"))
    (found,) = read_documents(tmp_path / "a.xml")
    assert isinstance(found, Document)
    assert found.text("en").description[0].text == "abcde"
    assert found.notes == ("4 × control character left out",)


def test_sequence_listings_between_patents_are_no_broken_records(tmp_path: Path) -> None:
    listing = (
        b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE sequence-cwu SYSTEM "us-seq.dtd" [ ]>\n'
        b'<sequence-cwu id="SEQLST-0"><number>1</number><table-cwu id="T1"/></sequence-cwu>\n'
    )
    (tmp_path / "week.xml").write_bytes(_week(2) + listing + _week(3)[len(_week(2)) :])
    skipped: list[str] = []
    found = list(read_documents(tmp_path / "week.xml", on_skip=skipped.append))
    assert [getattr(each, "id", each) for each in found] == _THREE
    assert [name.rpartition(".")[2] for name in skipped] == ["sequence-cwu"]


def test_a_large_table_of_something_else_is_not_read_to_its_end() -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.read_so_far += len(buffer)
            assert self.read_so_far < 100 * CHUNK
            buffer[:] = (b"1,2\n" * len(buffer))[: len(buffer)]
            return len(buffer)

    part = ArchiveMember("a.csv", io.BufferedReader(Endless(), CHUNK))
    (found,) = _documents_of(part, None, lambda name: None)
    assert isinstance(found, BrokenRecord)
    assert "no known patent format" in found.message


def test_sequence_listings_and_amendments_of_japan_are_no_broken_records(tmp_path: Path) -> None:
    for root in ("ST26SequenceListing", "jppat:UnexaminedPatentPublicationAmendment"):
        record = f"<?xml version='1.0'?><{root} xmlns:jppat='http://example.org'/>"
        (tmp_path / f"{root[-9:]}.xml").write_text(record)
    skipped: list[str] = []
    assert list(read_documents(tmp_path, on_skip=skipped.append)) == []
    assert len(skipped) == 2
