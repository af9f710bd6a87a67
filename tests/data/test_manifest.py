"""Manifests of shared tasks: what they hold, and every way in which they can be broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from patmark.data.manifest import TaskManifest, find_manifest, read_manifest, read_run_folder
from patmark.data.model import TestSet
from patmark.errors import InputError, Problem

_REFERENCES = ["The valve closes.", "The rotor turns.", "The film is thin."]
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A folder with references, a source and two runs; the manifest is written by each test."""
    _write(tmp_path / "ref.en", _REFERENCES)
    _write(tmp_path / "src.ja", ["弁が閉じる。", "回転子が回る。", "膜は薄い。"])
    _write(tmp_path / "docs.txt", ["P1", "P1", "P2"])
    _write(tmp_path / "a.txt", ["The valve is closed.", "The rotor turns.", "The film is thin."])
    rows = [{"id": str(number), "hypothesis": text} for number, text in
            enumerate(["Valve closes.", "Rotor turns.", "Film thin."], 1)]  # fmt: skip
    _write(tmp_path / "b.jsonl", [json.dumps(row) for row in rows])
    return tmp_path


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _content() -> dict[str, Any]:
    return {
        "name": "Patent task 2026",
        "languages": "ja-en",
        "references": ["ref.en"],
        "source": "src.ja",
        "documents": "docs.txt",
        "protocol": "ntcir9",
        "runs": [
            {"group": "NTT-UT", "priority": 1, "file": "a.txt", "type": "SMT",
             "resources": "BM?", "description": "phrase-based"},
            {"group": "NTT-UT", "priority": 2, "file": "b.jsonl", "type": "NMT",
             "resources": ["B", "E"]},
        ],
    }  # fmt: skip


def _read(folder: Path, change: Change | None = None) -> TaskManifest:
    content = _content()
    if change is not None:
        change(content)
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return read_manifest(path)


def _problems(folder: Path, change: Change | None = None) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        _read(folder, change)
    return caught.value.problems


def test_a_manifest_describes_its_runs(task: Path) -> None:
    manifest = _read(task)
    first, second = manifest.submissions
    assert (manifest.name, manifest.protocol, manifest.measures) == (
        "Patent task 2026", "ntcir9", None,
    )  # fmt: skip
    assert (first.id, second.id) == ("NTT-UT-1", "NTT-UT-2")
    assert (first.group, first.run.kind, first.run.resources) == ("NTT-UT", "SMT", ("B", "M?"))
    assert (first.description, first.file) == ("phrase-based", "a.txt")
    assert (second.run.resources, second.run.priority) == (("B", "E"), 2)
    assert second.run.hypotheses == ("Valve closes.", "Rotor turns.", "Film thin.")
    assert manifest.test_set.documents == ("P1", "P1", "P2")
    assert manifest.test_set.name == "ref.en" and manifest.notes == ()


def test_yaml_json_and_toml_say_the_same(task: Path) -> None:
    read = [_read(task)]
    (task / "manifest.yaml").unlink()
    (task / "manifest.json").write_text(json.dumps(_content(), indent=1), encoding="utf-8")
    read.append(read_manifest(task))
    (task / "manifest.json").unlink()
    runs = [
        "\n".join(["[[runs]]", *(f"{key} = {json.dumps(value)}" for key, value in run.items())])
        for run in _content()["runs"]
    ]
    top = [f"{k} = {json.dumps(v)}" for k, v in _content().items() if k != "runs"]
    (task / "manifest.toml").write_text("\n".join([*top, *runs]), encoding="utf-8")
    read.append(read_manifest(task))
    assert read[0].submissions == read[1].submissions == read[2].submissions
    assert {one.name for one in read} == {"Patent task 2026"}


def test_a_test_set_with_ids(task: Path) -> None:
    rows = [{"id": f"s{n}", "references": [text]} for n, text in enumerate(_REFERENCES, 1)]
    _write(task / "test.jsonl", [json.dumps(row) for row in rows])
    content = {"name": "t", "languages": "en", "testset": "test.jsonl",
               "runs": [{"group": "G", "file": "a.txt"}]}  # fmt: skip
    (task / "m.json").write_text(json.dumps(content))
    manifest = read_manifest(task / "m.json")
    assert [segment.id for segment in manifest.test_set] == ["s1", "s2", "s3"]
    assert manifest.submissions[0].id == "G-1" and manifest.protocol == "plain"


def test_a_run_may_describe_itself_where_the_manifest_is_silent(task: Path) -> None:
    rows = (task / "b.jsonl").read_text().splitlines()
    about = {"system": "x", "kind": "NMT", "resources": ["E"], "priority": 3}
    _write(task / "b.jsonl", [json.dumps(about), *rows])

    def silent(content: dict[str, Any]) -> None:
        content["runs"][1] = {"group": "NTT-UT", "file": "b.jsonl"}

    run = _read(task, silent).runs[1]
    assert (run.system, run.kind, run.resources) == ("NTT-UT-3", "NMT", ("E",))
    [problem] = _problems(task)
    assert "BE here, but E in" in str(problem) and problem.line is not None


def _set(place: str, value: object, run: int | None = None) -> Change:
    def change(content: dict[str, Any]) -> None:
        target = content if run is None else content["runs"][run]
        if value is None:
            del target[place]
        else:
            target[place] = value

    return change


@pytest.mark.parametrize(
    ("change", "message", "field"),
    [
        (_set("name", None), "field 'name' is missing", None),
        (_set("name", " "), "field 'name': is empty", "name"),
        (_set("name", 7), "field 'name': expected a string, found a number", "name"),
        (_set("nmae", "x"), "unknown field 'nmae'", "nmae"),
        (_set("languages", "klingonese"), "'klingonese' is not a language", "languages"),
        (_set("languages", None), "field 'languages' is missing", None),
        (_set("protocol", "ntcir8"), "'ntcir8' is unknown; choose from plain, ntcir9", "protocol"),
        (_set("measures", []), "field 'measures': is empty", "measures"),
        (_set("testset", "x.jsonl"), "name either", "testset"),
        (_set("references", 3), "field 'references': expected a list of strings", "references"),
        (_set("references", ["no.en"]), "no.en: no such file", None),
        (_set("runs", []), "field 'runs': is empty", "runs"),
        (_set("runs", None), "field 'runs' is missing", None),
        (_set("runs", {"a": 1}), "field 'runs': expected a list of objects", "runs"),
        (_set("runs", ["a.txt"]), "run 1: expected an object, found a string", "- a.txt"),
        (_set("group", None, 1), "field 'group' is missing", None),
        (_set("group", "../x", 1), "'../x' is no group id", "group: ../x"),
        (_set("priority", "one", 1), "expected a whole number from 1", "priority: one"),
        (_set("priority", True, 1), "expected a whole number from 1", "priority: true"),
        (_set("priority", 0, 1), "expected 1 or more, found 0", "priority: 0"),
        (_set("priority", 1, 1), "2 runs are called NTT-UT-1: a.txt, b.jsonl", None),
        (_set("type", "PBMT", 1), "choose from SMT, RBMT, EBMT, HYBRID, NMT, LLM", "type: PBMT"),
        (_set("resources", "BX", 1), "'X' is unknown; choose from B (bilingual", "resources: BX"),
        (_set("resources", "BB?", 1), "B is named twice", "resources: BB?"),
        (_set("resources", "?", 1), "'' is unknown", "resources: '?'"),
        (_set("resources", 5, 1), "expected a list of strings", "resources: 5"),
        (_set("file", None, 1), "field 'file' is missing", None),
        (_set("file", "gone.txt", 1), "no such file: ", "file: gone.txt"),
        (_set("colour", "red", 1), "unknown field 'colour'", "colour"),
    ],
)
def test_each_fault_has_its_message_and_line(
    task: Path, change: Change, message: str, field: str | None
) -> None:
    [problem] = [p for p in _problems(task, change) if message in str(p)]
    if field is not None:
        assert problem.path == str(task / "manifest.yaml")
        lines = (task / "manifest.yaml").read_text(encoding="utf-8").splitlines()
        assert problem.line is not None and field in lines[problem.line - 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "manifest.yaml:1: is not valid YAML"),
        ("- a\n- b", "expected fields such as 'name: …', found a list"),
        ("name: !!python/object:os.x {}", "manifest.yaml:1: is not valid YAML"),
        ("name: a\nname: b", "manifest.yaml:2: field 'name' occurs twice"),
        ("a: &a [*a]", "aliases repeat too much"),
        ("name: 2026-99-99", "is not valid YAML: month must be in 1..12"),
        ("name: \a", "is not valid YAML"),
        ("[" * 5000, "nested too deeply"),
        ("", "is empty"),
    ],
)
def test_broken_yaml(task: Path, text: str, message: str) -> None:
    path = task / "manifest.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_manifest(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.json", '{"name":\n ]', "m.json:2: is not valid JSON"),
        ("m.json", '{"name": "a", "name": "b"}', "field 'name' occurs 2 times"),
        ("m.json", "[]", "expected a JSON object, found a list"),
        ("m.json", '{"name"\n: "\x7f", "nme": 1}', "m.json: unknown field 'nme'"),
        ("m.json", '{"runs": [{"type": "X"}]}', "m.json:1: field 'type': 'X' is unknown"),
        ("m.toml", "name = ", "m.toml: is not valid TOML"),
        ("m.toml", "[[runs]]\ntype = 'X'", "m.toml:2: field 'type': 'X' is unknown"),
        ("m.xml", "<a/>", "expected a name that ends in .yaml, .yml, .json, .toml"),
    ],
)
def test_broken_json_toml_and_names(task: Path, name: str, text: str, message: str) -> None:
    (task / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_manifest(task / name)
    assert message in str(caught.value)


def test_all_problems_of_all_runs_are_told_at_once(task: Path) -> None:
    _write(task / "short.txt", ["one line"])
    _write(task / "ids.jsonl", ['{"id": "1", "hypothesis": "a"}', '{"id": "1", "hypothesis": "b"}',
                                '{"id": "9", "hypothesis": "c"}'])  # fmt: skip

    def change(content: dict[str, Any]) -> None:
        content["protocol"] = "x"
        content["runs"] += [
            {"group": "S", "file": "short.txt"}, {"group": "I", "file": "ids.jsonl"},
            {"group": "T", "file": "a.txt", "type": "Y"}, {"group": "M", "file": "gone.txt"},
        ]  # fmt: skip

    text = "\n".join(map(str, _problems(task, change)))
    for part in ("'x' is unknown", "has 3 segments, but", "short.txt has 1 lines",
                 "ids.jsonl:2: id '1' is already on line 1", "ids.jsonl:3: unknown id '9'",
                 "'Y' is unknown", "gone.txt"):  # fmt: skip
        assert part in text


def test_missing_ids_of_one_run_do_not_hide_the_others(tmp_path: Path) -> None:
    _write(tmp_path / "ref.en", [f"Sentence {number}." for number in range(60)])
    for name in ("a", "b"):
        _write(tmp_path / f"{name}.jsonl", ['{"id": "1", "hypothesis": "x"}'])
    content = {"name": "t", "languages": "en", "references": "ref.en",
               "runs": [{"group": name, "file": f"{name}.jsonl"} for name in "ab"]}  # fmt: skip
    (tmp_path / "m.json").write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        read_manifest(tmp_path / "m.json")
    message = str(caught.value)
    assert message.count("and 54 more problems in this file") == 2
    assert "a.jsonl: no hypothesis for segment '2'" in message
    assert "b.jsonl: no hypothesis for segment '2'" in message


def test_a_broken_test_set_does_not_hide_broken_descriptions(task: Path) -> None:
    _write(task / "docs.txt", ["P1", "", "P2", "P3"])

    def change(content: dict[str, Any]) -> None:
        content["runs"][0]["type"] = "X"

    text = "\n".join(map(str, _problems(task, change)))
    assert "docs.txt:2: empty document id" in text and "'X' is unknown" in text


def test_odd_runs_are_noted(task: Path) -> None:
    _write(task / "c.txt", ["The valve is closed.", "The rotor turns.", "The film is thin."])
    _write(task / "d.txt", ["x", "", "  "])
    rows = [{"id": n, "hypothesis": None if n == 2 else "x"} for n in (1, 2, 3)]
    _write(task / "e.jsonl", [json.dumps(row) for row in rows])

    def change(content: dict[str, Any]) -> None:
        content["runs"] += [{"group": name, "file": file} for name, file in
                            (("C", "c.txt"), ("D", "d.txt"), ("E", "e.jsonl"))]  # fmt: skip

    notes = _read(task, change).notes
    assert [str(note.text) for note in notes] == [
        "E-1 (e.jsonl): no output for 1 of 3 segments, scored as empty; the first is '2'.",
        "D-1 (d.txt): an empty output for 2 of 3 segments, scored as empty; the first is '2'.",
        "NTT-UT-1 and C-1 have identical outputs.",
    ]
    assert [set(note.by_run) for note in notes] == [{"E-1"}, {"D-1"}, {"NTT-UT-1", "C-1"}]


def test_a_tsv_test_set_holds_no_runs(task: Path) -> None:
    _write(task / "t.tsv", ["id\treference\tsystem:x", "1\tThe valve.\tA valve."])

    def change(content: dict[str, Any]) -> None:
        for name in ("references", "source", "documents"):
            del content[name]
        content["testset"] = "t.tsv"

    [problem] = _problems(task, change)
    assert "holds outputs (column system:x)" in str(problem) and problem.line == 1


def test_a_folder_names_what_its_manifest_leaves_out(task: Path) -> None:
    _write(task / "readme.txt", ["hello"])
    _read(task)
    assert [str(note.text) for note in read_manifest(task).notes] == [
        "readme.txt is not listed in manifest.yaml and is not scored."
    ]
    assert read_manifest(task / "manifest.yaml").notes == ()
    (task / "manifest.toml").touch()
    with pytest.raises(InputError, match=r"more than one manifest: manifest.yaml, manifest.toml"):
        read_manifest(task)


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    test_set = TestSet.of(_REFERENCES)
    for name, about in (
        ("x.jsonl", {"system": "NTT-UT-2", "priority": 2, "kind": "SMT", "resources": ["B"]}),
        ("y.jsonl", {"system": "GPT-4", "kind": "LLM"}),
    ):
        rows = [{"id": n, "hypothesis": f"{name} {n}"} for n in (1, 2, 3)]
        _write(tmp_path / name, [json.dumps(row) for row in (about, *rows)])
    _write(tmp_path / "y.failed.jsonl", ['{"id": 4, "reason": "empty"}'])
    assert find_manifest(tmp_path) is None
    manifest = read_run_folder(tmp_path, test_set, name="mine")
    assert [(one.id, one.group) for one in manifest.submissions] == [
        ("NTT-UT-2", "NTT-UT"), ("GPT-4-1", "GPT-4"),
    ]  # fmt: skip
    assert manifest.runs[0].kind == "SMT" and manifest.name == "mine"
    with pytest.raises(InputError, match="holds no manifest"):
        read_manifest(tmp_path)


def test_a_folder_without_a_manifest_has_faults_too(tmp_path: Path) -> None:
    test_set = TestSet.of(["The valve closes."])
    with pytest.raises(InputError, match="holds no runs"):
        read_run_folder(tmp_path, test_set)
    _write(tmp_path / "a.txt", ["x"])
    row = '{"id": 1, "hypothesis": "x"}'
    about = {"system": "a b", "kind": "Q", "resources": ["Z"], "priority": 0}
    _write(tmp_path / "b.jsonl", [json.dumps(about), row])
    for name in ("c", "d"):
        _write(tmp_path / f"{name}.jsonl", ['{"system": "C"}', row])
    _write(tmp_path / "e.jsonl", ["{"])
    with pytest.raises(InputError) as caught:
        read_run_folder(tmp_path, test_set)
    text = str(caught.value)
    for part in (
        "a.txt: nothing describes this run",
        "b.jsonl:1: field 'system': 'a b'",
        "'Q' is unknown",
        "'Z' is unknown",
        "expected 1 or more, found 0",
        "2 runs are called C-1: c.jsonl, d.jsonl",
        "e.jsonl:1: is not valid JSON",
    ):
        assert part in text  # fmt: skip
