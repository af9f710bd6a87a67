"""patmark claims lint and parse on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import invoke
from patmark.errors import InputError, UsageError

_BAD = "1. A pump comprising a lid, such as a cap, wherein the rotor is red.\n"
_GOOD = "1. A pump comprising a lid.\n2. The pump of claim 1, wherein the lid is red.\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    bad, good = tmp_path / "bad.txt", tmp_path / "good.txt"
    bad.write_text(_BAD, encoding="utf-8")
    good.write_text(_GOOD, encoding="utf-8")
    return str(bad), str(good)


def _run(*arguments: str) -> tuple[int, str]:
    done = invoke("claims", *arguments)
    return done.returncode, done.stdout


def test_findings_have_place_excerpt_and_summary(files: tuple[str, str]) -> None:
    code, output = _run("lint", files[0])
    lines = output.splitlines()
    assert code == 1
    assert any(
        line.startswith(f"{files[0]}:1:{_BAD.index('rotor') + 1}: error antecedent-missing: ")
        for line in lines
    )
    marked = next(at for at, line in enumerate(lines) if "antecedent-missing" in line)
    excerpt, mark = lines[marked + 1], lines[marked + 2]
    place = slice(mark.index("^"), mark.rindex("^") + 1)
    assert excerpt[place] == "rotor"
    assert lines[-1].startswith("1 claim, ")
    assert "1 error, 0 warnings, 1 hint" in lines[-1]


def test_exit_codes(files: tuple[str, str]) -> None:
    bad, good = files
    assert _run("lint", good)[0] == 0
    assert _run("lint", bad, "--fail-on", "never")[0] == 0
    assert _run("lint", bad, "--ignore", "antecedents")[0] == 0
    warned = ("--ignore", "antecedents", "--fail-on", "warning")
    assert _run("lint", bad, *warned, "--office", "uspto")[0] == 1
    assert _run("lint", bad, *warned, "--office", "epo")[0] == 0


def test_json_of_one_and_of_several_files(files: tuple[str, str]) -> None:
    code, output = _run("lint", files[0], "--json", "--min-severity", "error")
    found = json.loads(output)["findings"]
    assert code == 1
    assert [(item["claim"], item["rule"], item["severity"]) for item in found] == [
        (1, "antecedent-missing", "error")
    ]
    assert _BAD[found[0]["start"] : found[0]["end"]] == "rotor"
    both = json.loads(_run("lint", *files, "--json")[1])
    assert {item["file"] for item in both["findings"]} == {files[0]}
    assert [one["claims"] for one in both["files"]] == [1, 2]


def test_a_page_shows_the_findings(files: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    code, output = _run("lint", *files, "--html", str(path))
    page = path.read_text(encoding="utf-8")
    assert code == 1
    assert output.splitlines()[-1] in page
    assert "antecedent-missing" in page
    assert files[0] in page


def test_sarif_and_quiet(files: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "out.sarif"
    assert _run("lint", *files, "--sarif", str(path), "--quiet") == (1, "")
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_rules_are_listed() -> None:
    code, output = _run("lint", "--list-rules", "--office", "epo")
    assert code == 0 and "two-part-form" in output
    rules = json.loads(_run("lint", "--list-rules", "--json")[1])["rules"]
    assert {"rule", "family", "title", "severity", "basis", "languages"} == set(rules[0])


@pytest.mark.parametrize(
    "arguments,message",
    [
        (["lint"], "give one or more files"),
        (["lint", "x.txt", "--office", "dpma"], "unknown office"),
        (["lint", "x.txt", "--fail-on", "hint"], "unknown severity 'hint'"),
        (["lint", "x.txt", "--list-rules"], "has no effect"),
    ],
)
def test_bad_usage(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _run(*arguments)


def test_unknown_rules_and_files_are_refused(files: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="unknown rule nothing"):
        _run("lint", files[0], "--select", "nothing")
    with pytest.raises(InputError, match="no such file"):
        _run("lint", files[0] + "x")


def test_parse_draws_a_tree_and_prints_json(files: tuple[str, str]) -> None:
    code, output = _run("parse", files[1])
    assert code == 0
    assert output.splitlines()[1].startswith("└─ 2  The pump of claim 1")
    parsed = json.loads(_run("parse", files[1], "--json")[1])
    assert [claim["number"] for claim in parsed["claims"]] == [1, 2]


def test_parse_draws_the_tree_on_a_page(files: tuple[str, str], tmp_path: Path) -> None:
    page = tmp_path / "claims.html"
    assert _run("parse", files[1], "--html", str(page))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "└─\u00a02" in text and "2 claims, 1 independent" in text
    assert "introduced" in text and "preamble" in text
