"""Line-aligned files."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from patmark.data.files import split_name
from patmark.data.model import TestSet
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.errors import InputError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "ref.txt": "one\ntwo\nthree\n",
        "ref2.txt": "uno\ndos\ntres\n",
        "src.txt": "一\n\n三\n",
        "docs.txt": "P1\n P1 \nP2\n",
        "hyp.txt": "1\n\n3",
        "short.txt": "1\n2\n",
        "long.txt": "1\n2\n3\n4\n5\n",
        "gaps.txt": "1\n\n \u3000\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def test_set(folder: Path) -> TestSet:
    return read_line_test_set([folder / "ref.txt"], target_language="en")


def test_a_test_set_of_lines(folder: Path) -> None:
    test_set = read_line_test_set(
        [folder / "ref.txt", str(folder / "ref2.txt")],
        source=folder / "src.txt",
        documents=folder / "docs.txt",
        target_language="en",
        source_language="zh",
    )
    assert [segment.id for segment in test_set] == ["1", "2", "3"]
    assert test_set.reference_lists == (("one", "uno"), ("two", "dos"), ("three", "tres"))
    assert [segment.source for segment in test_set] == ["一", "", "三"]
    assert test_set.documents == ("P1", "P1", "P2")
    assert (test_set.target_language, test_set.source_language) == ("en", "zh")
    assert test_set.name == str(folder / "ref.txt")


def test_columns_that_are_not_given_are_absent(folder: Path) -> None:
    without_source = read_line_test_set(
        [folder / "ref.txt"], documents=folder / "docs.txt", target_language="en"
    )
    assert [segment.source for segment in without_source] == [None] * 3
    assert without_source.documents == ("P1", "P1", "P2")
    only_source = read_line_test_set([], source=folder / "src.txt", target_language="en")
    assert only_source.reference_lists == ((), (), ())
    with pytest.raises(UsageError, match="needs a reference file or a source file"):
        read_line_test_set([], target_language="en")


def test_other_counts_of_lines_name_both_files_and_the_first_line_alone(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_line_test_set(
            [folder / "ref.txt", folder / "long.txt"],
            source=folder / "short.txt",
            target_language="en",
        )
    ref, long, short = (str(folder / name) for name in ("ref.txt", "long.txt", "short.txt"))
    assert str(caught.value) == (
        f"{long}:4: {ref} has 3 lines, but {long} has 5 lines; "
        f"line 4 of {long} is the first without a partner\n"
        f"{ref}:3: {ref} has 3 lines, but {short} has 2 lines; "
        f"line 3 of {ref} is the first without a partner"
    )


def test_empty_references_are_all_reported(folder: Path) -> None:
    gaps = folder / "gaps.txt"
    for references in ([gaps], [gaps, gaps]):
        with pytest.raises(InputError) as caught:
            read_line_test_set(references, target_language="en")
        cure = "allow_empty_refs= leaves such segments out"
        assert str(caught.value) == (
            f"{gaps}:2: empty reference; {cure}\n{gaps}:3: empty reference; {cure}"
        )
    allowed = read_line_test_set([gaps], target_language="en", allow_empty_references=True)
    assert allowed.without_reference == ("2", "3")
    assert allowed.allow_gaps


def test_empty_document_ids_are_reported(folder: Path) -> None:
    with pytest.raises(InputError, match=r"gaps\.txt:2: empty document id"):
        read_line_test_set(
            [folder / "ref.txt"], documents=folder / "gaps.txt", target_language="en"
        )


def test_a_run_of_lines_keeps_empty_answers(folder: Path, test_set: TestSet) -> None:
    run = read_line_run(folder / "hyp.txt", test_set)
    assert (run.system, run.hypotheses, run.missing) == ("hyp", ("1", "", "3"), 0)
    assert read_line_run(folder / "hyp.txt", test_set, "moses").system == "moses"


@pytest.mark.parametrize(("name", "count", "line"), [("short.txt", 2, 3), ("long.txt", 5, 4)])
def test_a_run_of_another_length(
    folder: Path, test_set: TestSet, name: str, count: int, line: int
) -> None:
    with pytest.raises(InputError) as caught:
        read_line_run(folder / name, test_set)
    longer = folder / name if count > 3 else folder / "ref.txt"
    assert str(caught.value) == (
        f"{longer}:{line}: {folder / 'ref.txt'} has 3 segments, but {folder / name} has {count} "
        f"lines; line {line} of {longer} is the first without a partner"
    )


def test_stdin_serves_one_file(
    folder: Path, test_set: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, b"1\n2\n3\n")
    run = read_line_run("-", test_set)
    assert (run.system, run.hypotheses) == ("stdin", ("1", "2", "3"))
    with pytest.raises(InputError, match="standard input: is empty; it can be read only once"):
        read_line_run("-", test_set)
    with pytest.raises(UsageError, match="only once, but it is given 2 times"):
        read_line_test_set(["-"], source="-", target_language="en")
    stdin(monkeypatch, b"1\n2\n")
    with pytest.raises(InputError, match="but standard input has 2 lines"):
        read_line_test_set([folder / "ref.txt"], source="-", target_language="en")


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        ("out/moses.txt.gz", ("moses", "out/moses.txt.gz")),
        ("Moses 2=out/a.txt", ("Moses 2", "out/a.txt")),
        ("a=b=c.txt", ("a", "b=c.txt")),
        ("runs/rate=1/out.txt", ("out", "runs/rate=1/out.txt")),
        ("./a=b.txt", ("a=b", "./a=b.txt")),
        ("mine=-", ("mine", "-")),
        ("-", ("stdin", "-")),
    ],
)
def test_a_name_may_stand_before_a_path(argument: str, parts: tuple[str, str]) -> None:
    assert split_name(argument) == parts


@pytest.mark.parametrize("argument", ["=a.txt", " =a.txt", "name=", "="])
def test_a_name_without_path_or_a_path_without_name(argument: str) -> None:
    with pytest.raises(UsageError, match="expected PATH or NAME=PATH"):
        split_name(argument)
