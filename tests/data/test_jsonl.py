"""Test sets and runs as JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.data.model import Run, Segment, TestSet
from patmark.data.test_sets import (
    read_jsonl_run,
    read_jsonl_test_set,
    write_jsonl_run,
    write_jsonl_test_set,
)
from patmark.errors import InputError

TEST_SET = TestSet((Segment("a"), Segment("b"), Segment("3")), "en", name="bench")


def saved(folder: Path, *rows: Any) -> Path:
    path = folder / "file.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def found(caught: pytest.ExceptionInfo[InputError], path: Path) -> list[str]:
    problems = caught.value.problems
    assert all(problem.path == str(path) and "\n" not in problem.message for problem in problems)
    return [f"{problem.line}: {problem.message}" for problem in problems]


def test_a_test_set_of_records(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        {
            "id": "s1",
            "document": "P1",
            "source": "源",
            "references": ["r", "q"],
            "meta": {"k": [1]},
        },
        {"id": 7, "source": None},
    )
    test_set = read_jsonl_test_set(path, "en", "zh")
    assert test_set.segments == (
        Segment("s1", "源", ("r", "q"), "P1", {"k": (1,)}),
        Segment("7"),
    )
    assert (test_set.target_language, test_set.source_language) == ("en", "zh")
    assert test_set.name == str(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"source": "x"}, "field 'id' is missing; expected a string or a whole number"),
        ({"id": None}, "field 'id': expected a string or a whole number, found null"),
        ({"id": True}, "field 'id': expected a string or a whole number, found true or false"),
        ({"id": 1.5}, "field 'id': expected a string or a whole number, found a number"),
        ({"id": ""}, "field 'id' is empty"),
        ({"id": "first"}, "id 'first' is already on line 1"),
        ({"id": "x", "source": 5}, "field 'source': expected a string, found a number"),
        ({"id": "x", "document": []}, "field 'document': expected a string, found a list"),
        ({"id": "x", "references": "r"}, "expected a list of strings, found a string"),
        ({"id": "x", "references": None}, "expected a list of strings, found null"),
        ({"id": "x", "references": ["r", 1]}, "expected a list of strings, found a list with a n"),
        ({"id": "x", "references": ["", " "]}, "empty reference; allow_empty_refs= leaves"),
        ({"id": "x", "meta": "m"}, "field 'meta': expected an object, found a string"),
        (
            {"id": "x", "reference": "r"},
            "unknown field 'reference'; the known ones are id, document, source, references, meta",
        ),
        ("{", "is not valid JSON"),
        ("", "blank line; expected a JSON object"),
    ],
)
def test_a_broken_row_of_a_test_set(tmp_path: Path, row: Any, message: str) -> None:
    path = saved(tmp_path, {"id": "first"}, row, {"id": "last"})
    with pytest.raises(InputError) as caught:
        read_jsonl_test_set(path, "en")
    [problem] = found(caught, path)
    assert problem.startswith("2: ")
    assert message in problem


def test_an_empty_list_of_references_is_named_as_an_empty_one(tmp_path: Path) -> None:
    """Where no segment has a reference, an empty list says nothing new."""
    nothing = {"id": "x", "references": []}
    path = saved(tmp_path, {"id": "first", "references": ["r"]}, nothing)
    with pytest.raises(InputError) as caught:
        read_jsonl_test_set(path, "en")
    [problem] = found(caught, path)
    assert problem.startswith("2: empty reference; allow_empty_refs= leaves")
    assert read_jsonl_test_set(path, "en", allow_empty_references=True).without_reference == ("x",)
    sources = saved(tmp_path, {"id": "first", "references": []}, nothing)
    assert len(read_jsonl_test_set(sources, "en")) == 2


def test_all_problems_come_in_the_order_of_lines(tmp_path: Path) -> None:
    path = saved(tmp_path, {"id": 1, "source": 1}, "{", {"id": 1}, "", {"meta": 1})
    with pytest.raises(InputError) as caught:
        read_jsonl_test_set(path, "en")
    assert [problem[0] for problem in found(caught, path)] == ["1", "2", "3", "4", "5", "5"]


def test_empty_references_may_be_allowed(tmp_path: Path) -> None:
    path = saved(tmp_path, {"id": "x", "references": [""]})
    test_set = read_jsonl_test_set(path, "en", allow_empty_references=True)
    assert test_set.reference_lists == ((),)
    assert test_set.allow_gaps


def test_a_run_is_matched_by_id(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        {"id": 3, "hypothesis": "drei", "seconds": 0.1},
        {"id": "a", "hypothesis": ""},
        {"id": "b", "hypothesis": None},
    )
    run = read_jsonl_run(path, TEST_SET)
    assert run == Run("file", ("", None, "drei"))
    assert read_jsonl_run(path, TEST_SET, "moses").system == "moses"


def test_the_first_record_may_describe_the_run(tmp_path: Path) -> None:
    manifest = {"system": "Moses", "kind": "SMT", "resources": ["NTCIR"], "priority": 2}
    rows = [{"id": identity, "hypothesis": "h"} for identity in "ab3"]
    run = read_jsonl_run(saved(tmp_path, manifest, *rows), TEST_SET)
    assert run == Run("Moses", ("h", "h", "h"), "SMT", ("NTCIR",), 2)
    run = read_jsonl_run(saved(tmp_path, {"system": "Moses"}, *rows), TEST_SET, "mine")
    assert run == Run("mine", ("h", "h", "h"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "z", "hypothesis": "h"}, "unknown id 'z': bench has no such segment"),
        ({"id": "a", "hypothesis": "h"}, "id 'a' is already on line 1"),
        ({"id": "b"}, "field 'hypothesis' is missing; expected a string or null"),
        ({"id": "b", "hypothesis": 4}, "field 'hypothesis': expected a string, found a number"),
        ({"id": "b", "hypothesis": ["h"]}, "field 'hypothesis': expected a string, found a list"),
        ({"hypothesis": "h"}, "field 'id' is missing"),
        ({"system": "late"}, "the record that names the system must be the first of the file"),
        ("[]", "expected a JSON object, found a list"),
    ],
)
@pytest.mark.parametrize("allow_partial", [False, True])
def test_a_broken_row_of_a_run(tmp_path: Path, row: Any, message: str, allow_partial: bool) -> None:
    path = saved(tmp_path, {"id": "a", "hypothesis": "h"}, row)
    with pytest.raises(InputError) as caught:
        read_jsonl_run(path, TEST_SET, allow_partial=allow_partial)
    [problem] = found(caught, path)
    assert problem.startswith(f"2: {message}")


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"system": 1}, "field 'system': expected a string, found a number"),
        ({"system": " "}, "field 'system' is empty"),
        ({"system": "s", "kind": 1}, "field 'kind': expected a string, found a number"),
        ({"system": "s", "resources": "x"}, "field 'resources': expected a list of strings"),
        ({"system": "s", "priority": "1"}, "field 'priority': expected a whole number, found a s"),
        ({"system": "s", "priority": True}, "field 'priority': expected a whole number, found tr"),
        ({"system": "s", "priorty": 1}, "unknown field 'priorty'; the known ones are system, kind"),
    ],
)
def test_a_broken_manifest(tmp_path: Path, manifest: Any, message: str) -> None:
    path = saved(tmp_path, manifest, *({"id": i, "hypothesis": "h"} for i in "ab3"))
    with pytest.raises(InputError) as caught:
        read_jsonl_run(path, TEST_SET)
    [problem] = found(caught, path)
    assert problem.startswith(f"1: {message}")


def test_missing_ids_are_listed_unless_allowed(tmp_path: Path) -> None:
    path = saved(tmp_path, {"id": "b", "hypothesis": "h"})
    with pytest.raises(InputError) as caught:
        read_jsonl_run(path, TEST_SET)
    assert str(caught.value) == (
        f"{path}: no hypothesis for segment 'a' of bench\n"
        f"{path}: no hypothesis for segment '3' of bench"
    )
    run = read_jsonl_run(path, TEST_SET, allow_partial=True)
    assert run.hypotheses == (None, "h", None)


texts = st.text(max_size=20)
names = st.text(min_size=1, max_size=9).filter(str.strip)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(texts, inner),
    max_leaves=4,
)
segments = st.builds(
    Segment,
    id=names,
    source=st.none() | texts,
    references=st.lists(texts, max_size=3).map(tuple),
    document=st.none() | texts,
    meta=st.dictionaries(texts, json_values, max_size=3),
)
test_sets = st.lists(segments, min_size=1, max_size=5, unique_by=lambda segment: segment.id).map(
    lambda items: TestSet(tuple(items), "en", "zh")
)


@given(test_sets, st.sampled_from(["", ".gz", ".zst"]))
def test_a_test_set_reads_back(
    tmp_path_factory: pytest.TempPathFactory, test_set: TestSet, packing: str
) -> None:
    path = tmp_path_factory.mktemp("sets") / f"set.jsonl{packing}"
    write_jsonl_test_set(path, test_set)
    again = read_jsonl_test_set(path, "en", "zh", allow_empty_references=True)
    assert again.segments == test_set.segments


@given(test_sets, st.data())
def test_a_run_reads_back(
    tmp_path_factory: pytest.TempPathFactory, test_set: TestSet, data: st.DataObject
) -> None:
    size = len(test_set)
    hypotheses = st.lists(st.none() | texts, min_size=size, max_size=size).map(tuple)
    resources = st.lists(texts, max_size=3).map(tuple)
    run = data.draw(
        st.builds(Run, names, hypotheses, st.none() | texts, resources, st.integers(1, 9))
    )
    path = tmp_path_factory.mktemp("runs") / "run.jsonl"
    write_jsonl_run(path, run, test_set)
    assert read_jsonl_run(path, test_set) == run


def test_what_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    for value in (float("nan"), {1, 2}):
        bad = TestSet((Segment("a"), Segment("b", meta={"x": value})), "en")
        with pytest.raises(InputError, match=r"set\.jsonl:2: cannot be written as JSON: "):
            write_jsonl_test_set(path, bad)
    with pytest.raises(InputError, match="bench has 3 segments, but the run of s has 1 hypo"):
        write_jsonl_run(path, Run("s", ("h",)), TEST_SET)
    assert list(tmp_path.iterdir()) == []
