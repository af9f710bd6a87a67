"""Scores from elsewhere on the command line: --scores NAME=FILE."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from command_line import DATA, FEW_TRIALS, JA_EN, SYSTEMS, patmark

NAMES = ("atlas", "borealis", "cobalt")
SEGMENTS = len((JA_EN / "reference.en").read_text(encoding="utf-8").splitlines())


@pytest.fixture
def comet(tmp_path: Path) -> Path:
    path = tmp_path / "comet.csv"
    rows = [
        f"{system},{at},COMET,{0.9 - 0.2 * place + (at * 7 % 11) / 100}"
        for place, system in enumerate(NAMES)
        for at in range(1, SEGMENTS + 1)
    ]
    path.write_text("\n".join(["system,segment,measure,value", *rows]), encoding="utf-8")
    return path


def test_score_gives_imported_scores_an_interval(tmp_path: Path, comet: Path) -> None:
    given = [*SYSTEMS, *DATA, "--scores", "COMET=comet.csv", "--scores", "MetricX=comet.csv"]
    done = patmark(tmp_path, "score", *given, "--json", "--fail-under", "COMET=0.8")
    result = json.loads(done.stdout)
    assert list(result["systems"]["atlas"]) == ["BLEU", "TER", "COMET", "MetricX"]
    low, high = result["systems"]["atlas"]["COMET"]["ci"]
    assert low < result["systems"]["atlas"]["COMET"]["value"] < high
    assert result["signatures"]["COMET"].startswith("COMET|from:comet.csv|column:COMET|scores:")
    assert done.returncode == 1
    assert "cobalt" in done.stderr


def test_compare_tests_imported_scores_beside_others(tmp_path: Path, comet: Path) -> None:
    given = [*SYSTEMS, *DATA, *FEW_TRIALS, "--scores", "COMET=comet.csv", "--html", "r.html"]
    done = patmark(tmp_path, "compare", *given, "--json")
    assert done.returncode == 0, done.stderr
    clusters = json.loads(done.stdout)["measures"]["COMET"]["clusters"]
    assert clusters == [["atlas"], ["borealis"], ["cobalt"]]
    assert "COMET" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_compare_takes_imported_scores_without_texts(tmp_path: Path, comet: Path) -> None:
    given = ["--scores", "COMET=comet.csv", "--scores", "wrong=comet.csv", *FEW_TRIALS]
    done = patmark(
        tmp_path, "compare", *given, "--lower-is-better", "wrong", "--systems", "atlas,cobalt",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    measures = json.loads(done.stdout)["measures"]
    assert measures["COMET"]["ranking"] == ["atlas", "cobalt"]
    assert measures["wrong"]["ranking"] == ["cobalt", "atlas"]


def test_segments_that_do_not_match_are_one_error(tmp_path: Path, comet: Path) -> None:
    text = comet.read_text(encoding="utf-8").replace("cobalt,3,", "cobalt,x3,")
    comet.write_text(text, encoding="utf-8")
    done = patmark(tmp_path, "score", *SYSTEMS, *DATA, "--scores", "COMET=comet.csv")
    assert done.returncode == 2
    line = text.splitlines().index(next(one for one in text.splitlines() if ",x3," in one)) + 1
    assert f"comet.csv:{line}: COMET of cobalt: segment 'x3' is not in" in done.stderr
    assert "comet.csv: COMET of cobalt: there is no score of segment '3'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", *SYSTEMS, *DATA, "--scores", "comet.csv"], "write NAME=FILE or NAME=command:"),
        (["score", *SYSTEMS, *DATA, "--lower-is-better", "X"], "no effect without --scores"),
        (["score", *SYSTEMS, *DATA, "--scores", "X=none.csv"], "none.csv: no such file"),
        (
            ["score", "r.jsonl", "--protocol", "patsnap", "--scores", "COMET=comet.csv"],
            "--scores has no effect with --protocol patsnap",
        ),
        (["compare", "--scores", "COMET=comet.csv", "--lang", "ja-en"], "--lang has no effect"),
        (["score", *SYSTEMS, *DATA[:-4], "--measures", "BLEURT"], "--scores BLEURT=FILE"),
    ],
)
def test_what_cannot_be_imported_is_said(
    tmp_path: Path, comet: Path, arguments: list[str], message: str
) -> None:
    done = patmark(tmp_path, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
@pytest.mark.parametrize(
    "name", ["BERTScore", "COMET", "CometKiwi", "XCOMET", "XCOMET-QE", "MetricX", "MetricX-QE"]
)
def test_a_measure_without_its_extra_says_how_its_scores_come_in(tmp_path: Path, name: str) -> None:
    done = patmark(tmp_path, "score", *SYSTEMS, *DATA[:-4], "--measures", name)
    assert done.returncode == 2
    assert f"{name} needs the extra neural (pip install 'patmark[neural]'), or import its " in (
        done.stderr
    )
    assert f"--scores {name}=FILE" in done.stderr
