"""Which runs the tests of a shared task tell apart, and how a leaderboard says so."""

from __future__ import annotations

from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest

from patmark.data.manifest import Submission, TaskManifest
from patmark.data.model import Run, TestSet
from patmark.data.scores import Estimate, Scores
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.comparison_tables import comparison_findings, comparison_notes
from patmark.evaluation.evaluation import Settings
from patmark.stats import Units
from patmark.tasks.report import MOST_OUTPUTS
from patmark.tasks.task import MOST_LETTERS, Standing, compared_standings, run_task


def _scores(systems: int, segments: int) -> Scores:
    """Every system is better than the next one in each segment."""
    values = np.arange(systems, 0, -1.0)[:, None] + np.random.default_rng(1).random(segments) / 10
    return Scores(
        "m", "m", tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(segments))),
        np.stack([values, np.ones_like(values)], axis=-1), lambda t: t[..., 0] / t[..., 1],
    )  # fmt: skip


def test_forty_runs_can_be_told_apart() -> None:
    scores, sampling = _scores(40, 60), Settings(resamples=5)
    compared = compare({"m": scores}, [None] * 60, CompareSettings(sampling))
    [telling] = compared_standings(compared, {})
    assert telling.testable and len({*telling.letters.values()}) == 40
    assert compared.to_json()["test"]["tail"] == "hoeffding"
    assert [note for note in comparison_notes(compared) if "With 780 pairs, Holm cannot" in note]
    assert not [text for text in comparison_findings(compared) if text.startswith("Warning")]


def test_trials_that_were_asked_for_are_all_that_p_rests_on() -> None:
    asked = CompareSettings(Settings(resamples=5), trials=1000)
    compared = compare({"m": _scores(40, 60)}, [None] * 60, asked)
    [silent] = compared_standings(compared, {})
    assert not silent.testable and silent.letters == {} and silent.mark("s3") == ""
    assert compared.to_json()["test"]["tail"] == "trials"
    assert min(pair.p for pair in silent.pairs) == 1 / 1001
    assert [text for text in comparison_findings(compared) if "take at least 15600" in text]


def test_many_runs_on_too_few_segments_are_said_to_be_untestable() -> None:
    compared = compare({"m": _scores(40, 18)}, [None] * 18, CompareSettings(Settings(resamples=5)))
    [silent] = compared_standings(compared, {})
    assert not silent.testable
    assert [text for text in comparison_findings(compared) if "At least 21 are needed" in text]


def test_three_segments_give_no_letters() -> None:
    compared = compare({"m": _scores(3, 3)}, [None] * 3, CompareSettings(Settings(resamples=5)))
    [standing] = compared_standings(compared, {"m": "M"})
    assert (standing.letters, standing.title) == ({}, "M")


def _standing(letters: dict[str, tuple[str, ...]]) -> Standing:
    return Standing(
        "m", "m", True, {run: Estimate(1.0) for run in letters}, Units.choose([None]), "m",
        letters, {run: (place, place + 4) for place, run in enumerate(letters, 1)}, (), True,
    )  # fmt: skip


def test_letters_are_joined_so_that_they_can_be_read() -> None:
    few = _standing({"A": ("a", "b"), "B": ("b",)})
    assert (few.mark("A"), few.mark("B"), few.mark("C")) == ("ab", "b", "")
    many = _standing({letter: (letter, "aa") for letter in ascii_lowercase})
    assert many.mark("c") == many.letters_text("c") == "c aa"


def test_too_many_letters_become_a_range_of_ranks() -> None:
    letters = tuple("abcdefghijk")
    assert len(letters) == MOST_LETTERS + 1
    standing = _standing({"A": letters, "B": ("k",)})
    assert (standing.mark("A"), standing.mark("B"), standing.mark("C")) == ("1–5", "2–6", "")
    assert standing.letters_text("A") == "abcdefghijk"
    alone = replace(standing, rank_ranges={"A": (3, 3)})
    assert alone.mark("A") == "3"


def _task(runs: int, segments: int) -> TaskManifest:
    references = [f"The valve {number} closes the outlet." for number in range(segments)]
    submissions = tuple(
        Submission(Run(f"R-{n}", tuple([f"The valve {n} closes."] * segments)), "R", "", "r")
        for n in range(1, runs + 1)
    )
    return TaskManifest("t", TestSet.of(references), submissions, measures=("BLEU",))


@pytest.mark.parametrize(("segments", "kept"), [(10_000, True), (10_001, False)])
def test_the_explorer_of_a_large_task_is_left_out(segments: int, kept: bool) -> None:
    assert MOST_OUTPUTS == 20_000
    task = _task(2, segments)
    report = run_task(task, CompareSettings(Settings(resamples=1), trials=1)).to_report()
    assert (report.explorer is not None) is kept
    [*said] = [note for note in report.notes if "20,002 outputs are more than 20,000" in note]
    assert len(said) == (not kept)


def test_warnings_stand_on_the_board_and_on_every_page() -> None:
    result = run_task(_task(3, 4), CompareSettings(Settings(resamples=5), trials=50))
    board = result.to_leaderboard()
    assert [text for text in board.findings if "take at least" in text or "too few" in text]
    assert all(run.letters == ("",) for run in board.runs)
    assert board.letters_note == "BLEU: no letters, since no difference could be significant."
    assert result.run_report("R-1").findings == board.findings
    assert set(board.findings) <= set(result.to_report().findings)


@pytest.mark.parametrize(("trials", "bounded"), [(60, False), (50, True)])
def test_the_page_of_a_run_says_that_p_may_be_a_bound(
    trials: int, bounded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.evaluation.comparison.DEFAULT_TRIALS", trials)
    result = run_task(_task(3, 2), CompareSettings(Settings(resamples=2)))
    notes = result.run_report("R-1").notes
    assert bool([note for note in notes if "bound above it" in note]) == bounded
