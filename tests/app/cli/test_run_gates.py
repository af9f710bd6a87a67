"""patmark run --then score with gates: what cannot be judged is refused before the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import JA_EN, PATSNAP, patmark, patmark_json

LINES = ("--src", JA_EN / "source.ja", "--ref", JA_EN / "reference.en", "--lang", "ja-en")
SCORED = ("--then", "score", "--measures", "BLEU", "--resamples", "0", "--quiet")


def test_a_run_below_a_threshold_fails_with_its_results_kept(tmp_path: Path) -> None:
    run = ("run", "copy", *LINES, "--out", "c.txt", *SCORED, "--fail-under")
    assert patmark(tmp_path, *run, "BLEU=0").returncode == 0
    done = patmark(tmp_path, *run, "BLEU=90", "--junit", "gates.xml")
    assert done.returncode == 1 and "at least 90.00 is asked for" in done.stderr
    assert 'failures="1"' in (tmp_path / "gates.xml").read_text(encoding="utf-8")
    assert (tmp_path / "c.txt").exists()


def test_a_run_is_compared_with_saved_scores_of_an_earlier_one(tmp_path: Path) -> None:
    saved = patmark(tmp_path, "run", "oracle", *LINES, "--out", "o.txt", "--name", "mine", *SCORED,
                    "--save", "before.json")  # fmt: skip
    assert saved.returncode == 0, saved.stderr
    gate = ("--baseline", "before.json", "--max-drop", "BLEU=1")
    done = patmark(tmp_path, "run", "copy", *LINES, "--out", "c.txt", "--name", "mine", *SCORED,
                   *gate)  # fmt: skip
    assert done.returncode == 1 and "BLEU of mine went from 100.00" in done.stderr
    other = patmark(tmp_path, "run", "copy", *LINES, "--out", "before.json", *SCORED, *gate)
    assert other.returncode == 2 and "would be overwritten" in other.stderr


def test_the_bench_has_gates_on_its_labels(tmp_path: Path) -> None:
    bench = ("--testset", PATSNAP / "atlas.jsonl", "--direction", "cn2en", "--out", "c.jsonl")
    done = patmark(tmp_path, "run", "copy", *bench, "--then", "score", "--resamples", "0",
                   "--fail-under", "overall=50", "--quiet")  # fmt: skip
    assert done.returncode == 1 and "overall of copy is" in done.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--fail-under", "BLEU=1"), "--fail-under has no effect without --then score"),
        (("--then", "score", "--measures", "BLUE"), "did you mean BLEU?"),
        ((*SCORED, "--fail-under", "chrF=1"), "chrF has a threshold, but it is not scored"),
        ((*SCORED, "--fail-under", "BLEU"), "BLEU"),
        ((*SCORED, "--max-drop", "BLEU=1"), "--baseline and --max-drop go together"),
        ((*SCORED, "--baseline", "none.json", "--max-drop", "BLEU=1"), "none.json"),
        ((*SCORED, "--junit", "x.xml"), "--junit has no effect without"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_the_run(
    options: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    done = patmark(tmp_path, "run", "copy", *LINES, "--out", "c.txt", *options)
    assert done.returncode == 2 and reason in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_claims_of_one_text_have_one_reference_and_no_gates(tmp_path: Path) -> None:
    for name in ("draft.txt", "a.txt", "b.txt"):
        (tmp_path / name).write_text("1. A valve with a seat.\n", encoding="utf-8")
    run = ("run", "copy", "--task", "revise", "--src", "draft.txt", "--lang", "en",
           "--out", "c.txt", "--ref", "a.txt", "--then", "score")  # fmt: skip
    for option in (("--ref", "b.txt"), ("--fail-under", "ClaimQuality=1")):
        done = patmark(tmp_path, *run, *option)
        assert done.returncode == 2 and "with the claims of one text" in done.stderr
    assert patmark_json(tmp_path, *run, "--resamples", "0")["systems"]
