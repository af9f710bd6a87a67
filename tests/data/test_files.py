"""Reading lines and JSON lines: every way in which a file can be packed, marked or broken."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, strategies as st

from patmark.data.files import check_stdin_once, iter_json_lines, read_lines, system_name
from patmark.errors import InputError, UsageError

TEXT = "第一行\nsecond line\n"
LINES = ["第一行", "second line"]
PLAIN = TEXT.encode()
GZIPPED = gzip.compress(PLAIN, mtime=0)
BREAKS = "a\u2028b\u2029c\x0bd\x0ce\x85f\x1cg"


def saved(folder: Path, content: bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def problems(path: Path) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as caught:
        list(iter_json_lines(path))
    assert all(problem.path == str(path) for problem in caught.value.problems)
    return [(problem.message, problem.line) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(PLAIN, LINES, id="plain"),
        pytest.param(PLAIN.rstrip(), LINES, id="no LF at the end"),
        pytest.param(b"\xef\xbb\xbf" + PLAIN, LINES, id="BOM"),
        pytest.param(PLAIN.replace(b"\n", b"\r\n"), LINES, id="CRLF"),
        pytest.param(b"a\rb\r\n", ["a\rb"], id="CR inside a line"),
        pytest.param(
            "a\u2028b\x0bc\x0cd\x85e\u2029f\n".encode(), ["a\u2028b\x0bc\x0cd\x85e\u2029f"]
        ),
        pytest.param(b"\n", [""], id="one empty line"),
        pytest.param(b"a\n\n\nb\n\n", ["a", "", "", "b", ""], id="empty lines count"),
        pytest.param("a\n\ufeffb".encode(), ["a", "\ufeffb"], id="BOM only at the start"),
    ],
)
def test_lines_end_at_lf_only(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    assert read_lines(saved(tmp_path, content)) == lines
    assert read_lines(str(saved(tmp_path, content))) == lines


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")), min_size=1))
def test_any_text_without_lf_is_one_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "file.txt"
    lines[0] = "_" + lines[0]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    assert read_lines(path) == lines


@pytest.mark.parametrize("name", ["file.txt", "file.gz", "file.txt.GZ"])
def test_gzip_is_known_by_name_and_by_content(tmp_path: Path, name: str) -> None:
    two_members = gzip.compress(PLAIN[:5], mtime=0) + gzip.compress(PLAIN[5:])
    assert read_lines(saved(tmp_path, two_members, name)) == LINES


@pytest.mark.parametrize("name", ["file.txt", "file.zst"])
def test_zstd_is_known_by_name_and_by_content(tmp_path: Path, name: str) -> None:
    two_frames = zstandard.compress(PLAIN[:5]) + zstandard.compress(PLAIN[5:])
    assert read_lines(saved(tmp_path, two_frames, name)) == LINES


def test_zstd_may_start_with_a_skippable_frame(tmp_path: Path) -> None:
    skippable = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    assert read_lines(saved(tmp_path, skippable + zstandard.compress(PLAIN), "f.zst")) == LINES


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("file.gz", GZIPPED[:-6], "is cut off: the packed data end too early"),
        ("file.gz", GZIPPED[:4], "is cut off: the packed data end too early"),
        ("file.zst", zstandard.compress(PLAIN * 9)[:-3], "is cut off"),
        ("file.zst", zstandard.compress(PLAIN) + zstandard.compress(PLAIN)[:6], "is cut off"),
        ("file.gz", PLAIN, "is not valid gzip data"),
        ("file.zst", PLAIN, "is not valid zstd data"),
        ("file.gz", GZIPPED[:-8] + bytes(8), "is not valid gzip data"),
        ("file.txt", b"", "is empty"),
        ("file.txt", b"\xef\xbb\xbf", "is empty"),
        ("file.gz", b"", "is empty"),
        ("file.gz", gzip.compress(b"", mtime=0), "is empty"),
        ("file.zst", zstandard.compress(b""), "is empty"),
        ("file.txt", "text\n".encode("utf-16")[:-1], "begins as UTF-16, but is none at byte 11"),
        ("file.txt", "一种泵，包括转子。\n".encode("gbk"), "is not UTF-8; it looks like GBK: save"),
        ("claims.docx", b"PK\x03\x04\xad\n\xba", "is an office file or a ZIP archive, not text"),
        ("claims.txt", b"%PDF-1.7\n\xe2\xe3\n", "is a PDF file, not text"),
        (
            "file.txt",
            "ポンプは軸を有する。\n".encode("cp932"),
            "is not UTF-8; it looks like Shift_JIS",
        ),
        (
            "file.txt",
            "ポンプは軸を有する。\n".encode("euc_jp"),
            "is not UTF-8; it looks like EUC-JP",
        ),
    ],
)
def test_a_file_that_cannot_be_used(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = saved(tmp_path, content, name)
    with pytest.raises(InputError) as caught:
        read_lines(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_unicode_text_of_spreadsheets_is_read(tmp_path: Path, encoding: str) -> None:
    path = saved(tmp_path, "\ufeffid\t原文\r\n1\t阀\r\n".encode(encoding))
    assert read_lines(path) == ["id\t原文", "1\t阀"]


def test_bad_utf8_is_reported_with_line_and_byte(tmp_path: Path) -> None:
    path = saved(tmp_path, "好\nab\n".encode() + b"caf\xe9\r\nd\n\xe5\xa5")
    with pytest.raises(InputError) as caught:
        read_lines(path)
    assert str(caught.value) == (
        f"{path}:3: is not UTF-8: byte 4 of the line (0xE9)\n"
        f"{path}:5: is not UTF-8: byte 1 of the line (0xE5)"
    )


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.txt: no such file$"):
        read_lines(tmp_path / "absent.txt")
    with pytest.raises(InputError, match=r"is a folder; expected a file$"):
        read_lines(tmp_path)
    with pytest.raises(InputError, match=r"cannot be read: Not a directory$"):
        read_lines(saved(tmp_path, PLAIN) / "file.txt")
    with pytest.raises(InputError, match=r"cannot be read: embedded null byte$"):
        read_lines("a\0b")


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match=r"cannot be read: permission denied$"):
        read_lines(tmp_path / "file.txt")


def test_a_very_long_line(tmp_path: Path) -> None:
    length = 20_000_000
    path = saved(tmp_path, b"x" * length + b"\nshort\n")
    first, second = read_lines(path)
    assert (len(first), second) == (length, "short")
    assert sum(map(len, read_lines(saved(tmp_path, zstandard.compress(b"x" * length))))) == length


def test_stdin_is_read_as_bytes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO(gzip.compress("é\u2028è\r\n".encode(), mtime=0))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(packed, encoding="ascii"))
    assert read_lines("-") == ["é\u2028è"]
    with pytest.raises(InputError, match="standard input: is empty; it can be read only once"):
        read_lines(Path("-"))


def test_stdin_may_be_asked_for_once() -> None:
    check_stdin_once(["-", "a.txt", None])
    with pytest.raises(UsageError, match="only once, but it is given 2 times"):
        check_stdin_once(["-", Path("-")])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/moses.txt", "moses"),
        ("moses.TXT.gz", "moses"),
        ("moses.jsonl.zst", "moses"),
        ("moses.v1.2", "moses.v1.2"),
        ("moses.txt.txt", "moses.txt"),
        (".txt", ".txt"),
        ("-", "stdin"),
    ],
)
def test_a_file_names_its_system(path: str, name: str) -> None:
    assert system_name(path) == system_name(Path(path)) == name


def test_json_lines_come_with_their_numbers(tmp_path: Path) -> None:
    path = saved(tmp_path, '{"a": "x\u2028y"}\r\n{"b": [1, 2.5, null]}'.encode())
    assert list(iter_json_lines(path)) == [(1, {"a": "x\u2028y"}), (2, {"b": [1, 2.5, None]})]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "blank line; expected a JSON object"),
        ("  \t", "blank line; expected a JSON object"),
        ('{"a": 1', "is not valid JSON: Expecting ',' delimiter (column 8)"),
        ('{"a": 1} {', "is not valid JSON: Extra data (column 10)"),
        ("{'a': 1}", "is not valid JSON: Expecting property name enclosed in double quotes"),
        ("[1]", "expected a JSON object, found a list"),
        ('"a"', "expected a JSON object, found a string"),
        ("null", "expected a JSON object, found null"),
        ("7", "expected a JSON object, found a number"),
        ("true", "expected a JSON object, found true or false"),
        ('{"a": NaN}', "is not valid JSON: NaN is not a JSON value"),
        ('{"a": -Infinity}', "is not valid JSON: -Infinity is not a JSON value"),
        ('{"a": 1e999}', "is not usable JSON: the number 1e999 is too large"),
        ('{"a": 1, "b": 2, "a": 3}', "field 'a' occurs 2 times in one object"),
        ('{"x": {"a": 1, "a": 1}}', "field 'a' occurs 2 times in one object"),
        (r'{"a": "\uD83D"}', "is not usable JSON: holds half of a surrogate pair"),
        ('{"a": ' * 100_000, "is not usable JSON: nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "Exceeds the limit"),
    ],
)
def test_a_bad_json_line(tmp_path: Path, line: str, message: str) -> None:
    [(found, number)] = problems(saved(tmp_path, f'{{"a": 1}}\n{line}\n{{"b": 1}}\n'.encode()))
    assert number == 2
    assert found.startswith(message)
    assert "\n" not in found


def test_a_whole_surrogate_pair_is_text(tmp_path: Path) -> None:
    assert list(iter_json_lines(saved(tmp_path, rb'{"a": "\ud83d\ude00"}'))) == [(1, {"a": "😀"})]


def test_all_bad_json_lines_are_reported_at_once(tmp_path: Path) -> None:
    path = saved(tmp_path, b'{"a": 1}\n[]\n{"a": 2}\n\n{\n')
    assert [line for _, line in problems(path)] == [2, 4, 5]
