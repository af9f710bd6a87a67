"""patmark reproduce."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Done, program

_KEYS = {
    "table", "figure", "subtask", "metric", "against", "systems", "n", "statistic", "recomputed",
    "ci", "published", "difference", "tolerance", "solved", "status", "missing",
}  # fmt: skip


def _patmark(folder: Path, *arguments: str) -> Done:
    return program(folder, "reproduce", *arguments)


@pytest.mark.parametrize(
    ("study", "rows", "keys"),
    [
        (
            "ntcir9",
            30,
            {"tolerance", "pairwise", "validation", "sign_tests", "pairs_in_order"}
            | {"priorities", "first_is_best", "metric_agreement"},
        ),
        ("ntcir7", 2, {"limits", "pairs"}),
    ],
)
def test_json_has_a_stable_shape(tmp_path: Path, study: str, rows: int, keys: set[str]) -> None:
    done = _patmark(tmp_path, study, "--json", "--resamples", "50", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    common = {"study", "listing", "rows", "more", "findings", "consistency", "notes", "resampling"}
    assert set(result) == common | keys
    assert len(result["rows"]) == rows
    for row in result["rows"] + result["consistency"]:
        assert set(row) == _KEYS
        assert row["status"] in ("ok", "differs", "solved")
    for row in result["more"]:
        assert set(row) == _KEYS - {"published", "difference", "tolerance", "solved", "status"}
        assert len(row["ci"]) == 2
    assert result["resampling"] == {"unit": "system", "resamples": 50, "seed": 3, "undefined": 0}


def test_without_resamples_there_are_no_intervals(tmp_path: Path) -> None:
    done = _patmark(tmp_path, "ntcir9", "--json", "--resamples", "0")
    assert {row["ci"] for row in json.loads(done.stdout)["rows"]} == {None}


def test_reports_are_written(tmp_path: Path) -> None:
    done = _patmark(tmp_path, "ntcir9", "--resamples", "50", "--html", "r.html", "--csv", "r.csv",
                    "--md", "r.md", "--latex", "r.tex")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (
        "26 of 30 published values agree within the rounding of the printed inputs; 4 are solved"
        in done.stdout
    )
    assert (
        "also with --full, and in every file that is written: all columns and intervals, 11 tables"
        in done.stderr
    )
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Table 20" in page and "Japanese to English: BLEU and average adequacy" in page
    for name in ("r.csv", "r.md", "r.tex"):
        assert "solved" in (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("study", ["ntcir7", "ntcir9", "patent-ce"])
def test_the_answer_fits_about_a_screen_and_lists_everything(tmp_path: Path, study: str) -> None:
    done = _patmark(tmp_path, study, "--resamples", "0")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "Every table and figure of the paper" in lines
    assert len(lines) <= 36 and max(map(len, lines)) <= 120


def test_full_prints_all_tables_and_quiet_none(tmp_path: Path) -> None:
    full = _patmark(tmp_path, "ntcir7", "--resamples", "50", "--full")
    assert "Tables 2 and 3: human = adequacy + fluency" in full.stdout
    quiet = _patmark(tmp_path, "ntcir7", "--resamples", "50", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ntcir1"], "choose from ntcir7, ntcir9"),
        (["ntcir9", "--resamples", "-1"], "must not be negative"),
        (["ntcir9", "--html", "no/such/r.html"], "its folder does not exist"),
        (["ntcir9", "--json", "--csv", "-"], "--json takes standard output"),
    ],
)
def test_bad_requests_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = _patmark(tmp_path, *arguments)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""
