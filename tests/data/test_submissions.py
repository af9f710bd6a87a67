"""What groups hand in: descriptions, ids, and what is noted about the runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from patmark.data.manifest import TaskManifest, read_manifest
from patmark.errors import InputError, Problem

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    _write(tmp_path / "ref.en", ["The valve closes.", "The rotor turns.", "The film is thin."])
    _write(tmp_path / "a.txt", ["The valve is closed.", "The rotor turns.", "The film is thin."])
    return tmp_path


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _read(folder: Path, change: Change) -> TaskManifest:
    content: dict[str, Any] = {
        "name": "t", "languages": "en", "references": ["ref.en"],
        "runs": [{"group": "NTT-UT", "file": "a.txt"}],
    }  # fmt: skip
    change(content)
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return read_manifest(path)


def _problems(folder: Path, change: Change) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        _read(folder, change)
    return caught.value.problems


def test_a_fault_of_many_runs_is_one_note(task: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        for number in range(12):
            _write(task / f"x{number}.txt", [f"text {number}", "", "" if number == 3 else "y"])
            content["runs"].append({"group": f"X{number}", "file": f"x{number}.txt"})

    [note] = _read(task, change).notes
    assert note.text.startswith("Segments with an empty output (of 3), scored as empty: X3-1 2, ")
    assert note.text.endswith(" and 2 more runs; their pages say which.")
    assert len(note.by_run) == 12
    assert note.by_run["X3-1"] == (
        "X3-1 (x3.txt): an empty output for 2 of 3 segments, scored as empty; the first is '2'."
    )


def test_an_unknown_language_is_refused(task: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["languages"] = "xx-yy"

    with pytest.raises(InputError, match=r"manifest.yaml:2: field 'languages': 'xx' in 'xx-yy' is"):
        _read(task, change)


def test_resources_that_are_not_stated(task: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["runs"] = [
            {"group": "A", "file": "a.txt"}, {"group": "B", "file": "a.txt", "resources": []},
            {"group": "C", "file": "a.txt", "resources": "BM?"},
        ]  # fmt: skip

    silent, none, some = _read(task, change).submissions
    assert (silent.resources, none.resources, some.resources) == (None, (), ("B", "M?"))
    assert [one.uses("B") for one in (silent, none, some)] == [None, "no", "yes"]
    assert (silent.uses("M"), some.uses("M")) == (None, "?")


def test_two_runs_of_one_id_are_told_although_one_is_broken(task: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["runs"] += [
            {"group": "D", "file": "a.txt"}, {"group": "D", "file": "a.txt", "type": "XYZ"},
            {"group": "E", "file": "gone.jsonl"}, {"group": "E", "file": "a.txt"},
        ]  # fmt: skip

    problems = _problems(task, change)
    [double] = [one for one in problems if "are called" in str(one)]
    assert double.message == "2 runs are called D-1: a.txt, a.txt"
    lines = (task / "manifest.yaml").read_text(encoding="utf-8").splitlines()
    assert double.line is not None and "group: D" in lines[double.line - 1]
    assert "group: D" in "\n".join(lines[: double.line - 1])
    assert any("'XYZ' is unknown" in str(one) for one in problems)


def test_a_run_of_another_length_is_named_first(task: Path) -> None:
    _write(task / "short.txt", ["one line"])
    _write(task / "long.txt", ["a", "b", "c", "d"])

    def change(content: dict[str, Any]) -> None:
        content["runs"] = [
            {"group": "S", "file": "short.txt"}, {"group": "L", "file": "long.txt"},
        ]  # fmt: skip

    short, long = _problems(task, change)
    assert (short.path, long.path) == (str(task / "short.txt"), str(task / "long.txt"))
    lines = (task / "manifest.yaml").read_text(encoding="utf-8").splitlines()
    for problem, group in ((short, "S"), (long, "L")):
        place = problem.message.rpartition("the run is listed in ")[2]
        path, _, line = place.rpartition(":")
        assert path == str(task / "manifest.yaml") and f"group: {group}" in lines[int(line) - 1]
    assert long.line == 4
