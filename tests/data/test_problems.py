"""Lists of problems stay short."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.data.records import first_of, folded
from patmark.data.test_sets import read_jsonl_test_set
from patmark.errors import InputError, Problem


def test_the_same_problem_of_many_lines_is_told_five_times() -> None:
    problems = [Problem("bad", "f", line) for line in range(1, 101)]
    problems.insert(50, Problem("worse", "f", 50))
    shown = folded(problems)
    assert [one.line for one in shown] == [1, 2, 3, 4, 5, 6, 50]
    assert shown[5].message == "… and 95 more lines, from here on: bad"
    assert folded(problems[:6])[5].message == "… and 1 more line, from here on: bad"
    assert folded(problems[:5]) == problems[:5]


def test_other_problems_and_other_files_are_kept_apart() -> None:
    problems = [Problem("bad", name, line) for name in "ab" for line in range(5)]
    assert folded(problems) == problems


def test_the_first_problems_and_how_many_more() -> None:
    problems = [Problem(str(number)) for number in range(7)]
    assert first_of(problems[:5], "things") == problems[:5]
    assert first_of(problems, "things", "f")[5:] == [Problem("… and 2 more things", "f")]


def test_a_misspelt_field_of_a_test_set_does_not_fill_the_screen(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"id": {n}, "refs": ["a"]}}\n' for n in range(60)))
    with pytest.raises(InputError) as caught:
        read_jsonl_test_set(path, "en")
    assert len(caught.value.problems) == 6
    assert "t.jsonl:6: … and 55 more lines" in str(caught.value)
