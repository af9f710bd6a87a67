"""Atomic writing: the whole file or nothing."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
from pathlib import Path

import pytest

from patmark.data.files import atomic_writer, read_lines, write_atomically
from patmark.errors import InputError


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz", "out.txt.zst"])
def test_text_reads_back(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, "译文 é\u2028\r\nnext\n")
    assert read_lines(tmp_path / name) == ["译文 é\u2028", "next"]
    assert listed(tmp_path) == [name]


def test_text_and_bytes_are_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_atomically(path, "a\r\nb\nc")
    assert path.read_bytes() == b"a\r\nb\nc"
    write_atomically(str(path), b"\xff\x00")
    assert path.read_bytes() == b"\xff\x00"
    write_atomically(tmp_path / "packed.gz", gzip.compress(b"once"))
    assert gzip.decompress((tmp_path / "packed.gz").read_bytes()) == b"once"


def test_a_packed_file_does_not_depend_on_the_clock_or_the_name(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.gz", "text")
    write_atomically(tmp_path / "b.gz", "text")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert (tmp_path / "a.gz").read_bytes()[4:8] == bytes(4)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, RuntimeError, GeneratorExit])
@pytest.mark.parametrize("name", ["out.txt", "out.gz", "out.zst"])
def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, name: str, stop: type[BaseException]
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(stop), atomic_writer(path) as file:
        file.write("new" * 100_000)
        assert len(listed(tmp_path)) == 2
        raise stop
    assert path.read_bytes() == b"old"
    assert listed(tmp_path) == [name]


def test_an_interrupted_write_leaves_no_new_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic_writer(tmp_path / "out.txt") as file:
        file.write("half")
        raise KeyboardInterrupt
    assert listed(tmp_path) == []


def test_an_interrupt_while_the_disk_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "out.txt", "text")
    assert listed(tmp_path) == []


def test_the_old_file_is_there_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with atomic_writer(path) as file:
        file.write("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_atomically(tmp_path / "absent" / "out.txt", "text")
    assert str(caught.value) == (
        f"{tmp_path / 'absent' / 'out.txt'}: cannot be written: "
        f"the folder {tmp_path / 'absent'} does not exist"
    )
    with pytest.raises(InputError, match=r"cannot be written: it is a folder$"):
        write_atomically(tmp_path, b"text")
    with pytest.raises(InputError, match=r"cannot be written: File name too long$"):
        write_atomically(tmp_path / ("x" * 300), "text")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be written: Not a directory$"):
        write_atomically(tmp_path / "file" / "out.txt", "text")
    assert listed(tmp_path) == ["file"]


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"cannot be written: permission denied$"):
        write_atomically(tmp_path / "out.txt", "text")


def test_a_full_disk(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"cannot be written: the disk is full$"),
        atomic_writer(tmp_path / "out.txt"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert listed(tmp_path) == []


def test_other_errors_inside_the_block_are_not_blamed_on_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_writer(tmp_path / "out.txt"):
        (tmp_path / "absent").read_bytes()


def test_permissions_are_those_of_a_normal_file(tmp_path: Path) -> None:
    (tmp_path / "normal").touch()
    write_atomically(tmp_path / "new", "text")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "normal").stat().st_mode
    (tmp_path / "new").chmod(0o640)
    write_atomically(tmp_path / "new", "text")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "target").write_text("old")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_dash_is_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="ascii"))
    print("before")
    write_atomically("-", "译文\n")
    write_atomically(Path("-"), b"\xff\n")
    with pytest.raises(KeyboardInterrupt), atomic_writer("-") as file:
        file.write("half")
        raise KeyboardInterrupt
    assert out.getvalue() == "before\n译文\n".encode() + b"\xff\n"
