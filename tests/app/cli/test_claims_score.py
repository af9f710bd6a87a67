"""patmark claims score, and the training of ClaimQuality as a command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claim_tricks import BATTERY, PUMP, SEARCH, halved, shuffled, truncated
from command_line import Done, invoke, patmark_json
from patmark.errors import InputError, UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reference, two drafts, and pairs."""
    (tmp_path / "granted.txt").write_text(PUMP, encoding="utf-8")
    (tmp_path / "good.txt").write_text(truncated(PUMP), encoding="utf-8")
    (tmp_path / "bad.txt").write_text(shuffled(PUMP), encoding="utf-8")
    pairs = [
        {"gold_claim": text, "A": halved(text), "B": text, "human_eval": {"Quality": -1}}
        for text in (PUMP, BATTERY, SEARCH)
    ]
    (tmp_path / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*arguments: str) -> Done:
    return invoke("claims", "score", *arguments)


def _json(*arguments: str) -> Any:
    return json.loads(_run(*arguments, "--json").stdout)


@pytest.mark.usefixtures("folder")
def test_drafts_are_scored_with_evidence() -> None:
    result = _json("--ref", "granted.txt", "--hyp", "good.txt", "--hyp", "poor=bad.txt")
    assert list(result["systems"]) == ["good", "poor"]
    for name, one in result["systems"]["good"].items():
        assert (
            one["value"] > result["systems"]["poor"][name]["value"]
            or name == "BLEU-1"  # shuffled words
        )
    messages = [one["message"] for one in result["evidence"] if one["system"] == "good"]
    assert "claim 7 does not end with a full stop" in messages


@pytest.mark.usefixtures("folder")
def test_pairs_are_scored_as_two_systems() -> None:
    result = _json("--pairs", "pairs.json", "--resamples", "20")
    assert result["segments"] == 3
    assert result["systems"]["B"]["ClaimQuality"]["value"] == pytest.approx(1)
    assert result["resampling"]["resamples"] == 20


def test_labels_of_experts_are_not_needed(folder: Path) -> None:
    pairs = json.loads((folder / "pairs.json").read_text("utf-8"))
    (folder / "bare.json").write_text(
        json.dumps([{name: pair[name] for name in ("gold_claim", "A", "B")} for pair in pairs])
    )
    asked = ("--measures", "ClaimQuality", "--resamples", "0")
    bare, labelled = (_json("--pairs", name, *asked) for name in ("bare.json", "pairs.json"))
    assert bare["systems"] == labelled["systems"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("measures", "told"), [("BLEU-1,METEOR", False), ("ClaimQuality,BLEU-1", True)]
)
def test_the_scale_is_told_of_what_was_asked(measures: str, told: bool) -> None:
    shown = _run("--ref", "granted.txt", "--hyp", "good.txt", "--measures", measures, "--full")
    assert ("ClaimQuality goes" in " ".join(shown.stdout.split())) == told


@pytest.mark.usefixtures("folder")
def test_the_terminal_shows_criteria_and_findings() -> None:
    shown = _run("--ref", "granted.txt", "--hyp", "good.txt")
    assert shown.returncode == 0
    for words in ("clarity", "Evidence for the scores", "claim 7 does not end"):
        assert words in shown.stdout


def test_reports_are_written(folder: Path) -> None:
    files = ("--html", "r.html", "--md", "r.md", "--segments", "s.csv", "--save", "saved.json")
    done = _run("--ref", "granted.txt", "--hyp", "bad.txt", *files)
    assert done.returncode == 0
    assert "Dependencies in the reference and in bad" in (folder / "r.html").read_text("utf-8")
    assert "limitation" in (folder / "r.md").read_text("utf-8")
    assert "bad,0,ClaimQuality," in (folder / "s.csv").read_text("utf-8")
    assert (folder / "saved.json").is_file()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ref", "granted.txt"], "give reference claims with --ref and drafts with --hyp"),
        (["--pairs", "pairs.json", "--ref", "granted.txt"], "--ref"),
        (["--ref", "granted.txt", "--hyp", "good.txt", "--measures", "nothing"], "unknown"),
        (["--ref", "granted.txt", "--hyp", "good.txt", "--html", "granted.txt"], "is an input"),
    ],
)
def test_bad_requests_are_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _run(*arguments)


def test_an_empty_draft_does_not_stop_the_others(folder: Path) -> None:
    (folder / "empty.txt").write_text(" \n", encoding="utf-8")
    done = _json("--ref", "granted.txt", "--hyp", "empty.txt", "--hyp", "good.txt")
    empty, good = (done["systems"][name]["ClaimQuality"]["value"] for name in ("empty", "good"))
    assert empty == 0 and good > 0.9
    with pytest.raises(InputError, match="holds no claims"):
        _run("--ref", "empty.txt", "--hyp", "good.txt")


@pytest.mark.usefixtures("folder")
def test_tie_bands_are_an_option_of_meta_and_reproduce() -> None:
    asked = ("--tie-band", "folds", "--resamples", "0", "--json")
    rows = json.loads(invoke("claims", "meta", "pairs.json", *asked).stdout)["rows"]
    assert [row["tie_band"] is None for row in rows] == [True] * 6 + [False] * 6
    again = invoke("reproduce", "patent-ce", "--data", "pairs.json", *asked)
    assert json.loads(again.stdout)["measures"] == rows


@pytest.mark.parametrize(
    "claims",
    [
        "1. 一种泵，包括壳体和转子。\n2. 根据权利要求1所述的泵，还包括电机。\n",
        "1. ハウジングとロータを備えるポンプ。\n2. モータをさらに備える請求項1に記載のポンプ。\n",
    ],
    ids=["zh", "ja"],
)
def test_chinese_and_japanese_claims_are_scored_with_all_that_stands_beside(
    claims: str, tmp_path: Path
) -> None:
    (tmp_path / "granted.txt").write_text(claims, encoding="utf-8")
    done = patmark_json(tmp_path, "claims", "score", "--ref", "granted.txt", "--hyp",
                        "same=granted.txt", "--resamples", "0")  # fmt: skip
    values = {name: of["value"] for name, of in done["systems"]["same"].items()}
    assert values["ClaimQuality"] == pytest.approx(1)
    assert values["BLEU-1"] == pytest.approx(100)
