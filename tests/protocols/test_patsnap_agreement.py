"""Two result files of the PatSnap bench must hold the same rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench_rows import ROW
from patmark.data.model import TestSet
from patmark.errors import InputError
from patmark.protocols.patsnap.bench_files import Direction, check_same_rows, read_patsnap_bench


def bench(folder: Path, *changes: dict[str, str], direction: Direction = "cn2en") -> TestSet:
    """A bench with one row per change."""
    path = folder / "bench.jsonl"
    lines = [json.dumps(ROW | change, ensure_ascii=False) for change in changes]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_patsnap_bench(path, direction)


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
@pytest.mark.parametrize(
    ("change", "field", "expected", "found"),
    [
        ({"content_cn": "另一种"}, "content_cn", "一种杯子", "另一种"),
        ({"content_en": "Zero"}, "content_en", "A cup", "Zero"),
        ({"pn": "CN2"}, "pn", "CN000000001A", "CN2"),
        ({"label_1": "句"}, "label_1", "character", "sentence"),
        ({"label_2": "normal_sentence"}, "label_2", "normal_character", "normal_sentence"),
        ({"label_3": "short"}, "label_3", "Zero", "short"),
        ({"domain": "medicine"}, "domain", "Zero", "medicine"),
        ({"special_en": "x" * 50}, "special_en", "Zero", "x" * 40 + "…"),
    ],
)
def test_rows_of_two_files_must_agree(
    tmp_path: Path,
    direction: Direction,
    change: dict[str, str],
    field: str,
    expected: str,
    found: str,
) -> None:
    first = bench(tmp_path, {}, {}, {}, direction=direction)
    other = bench(tmp_path, {}, change, {"ipc": "B"}, direction=direction)
    check_same_rows(first, first, ("a", "a"))
    with pytest.raises(InputError) as caught:
        check_same_rows(first, other, ("a.jsonl", "b.jsonl"))
    assert str(caught.value) == (
        f"b.jsonl:2: differs from a.jsonl in {field}: expected {expected!r}, found {found!r}"
    )


def test_two_label_languages_are_the_same_rows(tmp_path: Path) -> None:
    english = bench(tmp_path, {})
    chinese = bench(tmp_path, {"label_1": "字", "label_2": "正常字符"})
    check_same_rows(english, chinese, ("a", "b"))


def test_two_files_must_have_the_same_number_of_rows(tmp_path: Path) -> None:
    short = bench(tmp_path, {})
    long = bench(tmp_path, {}, {})
    with pytest.raises(InputError) as caught:
        check_same_rows(short, long, ("a", "b"))
    assert str(caught.value) == (
        "b:2: a has 1 rows, but b has 2; line 2 of b is the first without a partner"
    )
    with pytest.raises(InputError, match="a:2: a has 2 rows, but b has 1; line 2 of a is"):
        check_same_rows(long, short, ("a", "b"))
