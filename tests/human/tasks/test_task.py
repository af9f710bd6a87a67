"""Shared tasks: submissions scored, compared, ranked and shown."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest

from patmark.data import is_warning
from patmark.data.manifest import Submission, TaskManifest, read_manifest
from patmark.data.model import Run, TestSet
from patmark.data.scores import Estimate, Scores
from patmark.errors import InputError, UsageError
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.comparison_tables import comparison_findings, comparison_notes
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import example_path
from patmark.human.tasks.result import MOST_OUTPUTS, TaskResult
from patmark.human.tasks.standings import MOST_LETTERS, MeasureStanding, compared_standings
from patmark.human.tasks.task import run_task, task_measures
from patmark.report import message_texts, plain
from patmark.report.html import to_html
from patmark.report.latex import to_latex
from patmark.report.leaderboard import leaderboard_html
from patmark.report.markdown import to_markdown
from patmark.stats import Units

_FAST = CompareSettings(Sampling(resamples=50), trials=100)
_JA_EN = example_path("ja_en")


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> TaskManifest:
    content = {
        "name": "Example task", "languages": "ja-en", "references": str(_JA_EN / "reference.en"),
        "source": str(_JA_EN / "source.ja"), "documents": str(_JA_EN / "documents.txt"),
        "protocol": "ntcir9",
        "runs": [
            {"group": "C", "file": str(_JA_EN / "cobalt.en"), "type": "RBMT", "resources": "E"},
            {"group": "A", "file": str(_JA_EN / "atlas.en"), "type": "NMT", "resources": "BM?",
             "description": "free wording"},
            {"group": "B", "priority": 2, "file": str(_JA_EN / "borealis.en"), "type": "SMT"},
        ],
    }  # fmt: skip
    path = tmp_path_factory.mktemp("task") / "task.json"
    path.write_text(json.dumps(content))
    return read_manifest(path)


def _adequacy(**grades: list[float]) -> Scores:
    values = np.array(list(grades.values()))
    known = ~np.isnan(values)
    systems = tuple(name.replace("_", "-") for name in grades)
    statistics = np.stack([np.where(known, values, 0), known], axis=-1).astype(np.float64)
    segments = tuple(str(number + 1) for number in range(values.shape[1]))
    return Scores("adequacy", "adequacy|scale:1-5", systems, segments, statistics)


@pytest.fixture(scope="module")
def human() -> dict[str, Scores]:
    return {"adequacy": _adequacy(A_1=[5.0, 4, 5, 4], C_1=[1.0, 2, 1, np.nan])}


@pytest.fixture(scope="module")
def result(manifest: TaskManifest, human: dict[str, Scores]) -> TaskResult:
    return run_task(manifest, _FAST, human_scores=human)


def test_scores_and_tests_are_those_of_the_protocol(
    manifest: TaskManifest, result: TaskResult
) -> None:
    evaluation = evaluate(manifest.test_set, manifest.runs, task_measures(manifest), _FAST.sampling)
    comparison = compare(evaluation.scores, manifest.test_set.documents, _FAST)
    assert [standing.measure for standing in result.standings] == list(evaluation.scores)
    for standing in result.standings:
        assert standing.estimates == evaluation.estimates[standing.measure]
        assert standing.pairs == comparison.measures[standing.measure].pairs
    assert [one.id for one in result.ranking] == ["A-1", "B-2", "C-1"]
    assert result.standings[0].letters == {"A-1": ("a",), "B-2": ("b",), "C-1": ("c",)}


def test_a_run_without_judgements_shows_a_dash(result: TaskResult) -> None:
    table = result.to_report().tables[0]
    assert [column.title for column in table.columns] == [
        "run", "group", "type", "B", "M", "E", "C", "BLEU", "NIST", "RIBES", "adequacy",
    ]  # fmt: skip
    assert table.rows[0][:7] == ("A-1", "A", "NMT", "yes", "?", "no", "no")
    assert table.rows[1][:7] == ("B-2", "B", "SMT", None, None, None, None)
    adequacy = [row[-1] for row in table.rows]
    assert isinstance(adequacy[0], Estimate) and (adequacy[0].value, adequacy[0].n) == (4.5, 4)
    assert adequacy[1] is None
    assert isinstance(adequacy[2], Estimate) and adequacy[2].value == pytest.approx(4 / 3)


def test_human_and_automatic_pairwise_scores_share_an_axis(result: TaskResult) -> None:
    assert result.pairwise["adequacy"]["A-1"].value == 1.0
    assert "B-2" not in result.pairwise["adequacy"]
    automatic = result.pairwise["BLEU"]
    assert np.mean([one.value for one in automatic.values()]) == pytest.approx(0.5)
    titles = [table.title for table in result.to_report().tables]
    assert titles[:2] == ["Results of all runs", "Pairwise scores"]
    assert "Pairwise significance by BLEU" in titles
    assert not [title for title in titles if title.startswith("Scores")]


def test_the_report_can_be_shown_in_every_form(result: TaskResult) -> None:
    report = result.to_report()
    assert report.charts[0].title == "BLEU and adequacy"
    assert [point.label for point in report.charts[0].points] == ["A-1", "C-1"]
    assert report.charts[0].points[0].group == "NMT"
    assert report.explorer is not None and report.explorer.systems == ("C-1", "A-1", "B-2")
    human = report.explorer.values["adequacy"]
    assert human[1, :4].tolist() == [5, 4, 5, 4] and np.isnan(human[2]).all()
    for render in (to_html, to_latex, to_markdown):
        assert "Example task" in render(report)
    assert any("an empty output for 1 of 120" in note for note in report.notes)


def test_each_run_has_its_own_report(result: TaskResult) -> None:
    report = result.run_report("A-1")
    assert report.title == "A-1 · Example task"
    about = dict(report.tables[0].rows)  # type: ignore[arg-type]
    assert about["resources"] == (
        "bilingual training data of the task, monolingual data of the task (perhaps)"
    )
    assert (about["place by BLEU"], about["description"]) == ("1 of 3", "free wording")
    assert report.explorer is not None and report.explorer.systems == ("A-1",)
    [differences] = [table for table in report.tables if table.title == "Differences by BLEU"]
    assert {row[0] for row in differences.rows} == {"B-2", "C-1"}
    bleu = {run: one.value for run, one in result.standings[0].estimates.items()}
    for other, difference, *_ in differences.rows:
        assert isinstance(difference, Estimate) and isinstance(other, str)
        assert difference.value == pytest.approx(bleu["A-1"] - bleu[other])
        assert difference.ci is not None and difference.ci[0] <= difference.value
    [human] = [table for table in report.tables if table.title == "Human scores"]
    assert human.rows[0][1] == result.human_standings[0].estimates["A-1"]
    assert report.signatures["adequacy"] == "adequacy|scale:1-5"
    unjudged = result.run_report("B-2")
    assert "Human scores" not in [table.title for table in unjudged.tables]
    assert "adequacy" not in unjudged.signatures
    assert report.notes == ()
    assert report.findings == result.to_leaderboard().findings
    assert unjudged.findings == ()
    titles = [column.title for table in report.tables for column in table.columns]
    assert "NIST" in titles and "NIST(case=mixed)" not in titles
    [human_tests] = [t for t in report.tables if t.title == "Differences by adequacy"]
    assert [row[-1] for row in human_tests.rows] == ["not testable"]
    assert "cobalt.en" in result.run_report("C-1").notes[0]
    assert "A-1 · Example task" in to_html(report)


def test_the_leaderboard(result: TaskResult) -> None:
    board = result.to_leaderboard({"A-1": "runs/A-1.html"})
    assert [run.id for run in board.runs] == ["A-1", "B-2", "C-1"]
    first, second, _ = board.runs
    assert (first.kind, first.resources, first.link) == ("NMT", ("B", "M?"), "runs/A-1.html")
    assert first.letters[:3] == ("a", "a", "a") and second.letters[3] == ""
    assert second.cells[3] is None and second.link == ""
    assert second.resources is None and "M?" not in board.resource_names
    assert set(board.signatures) == {*result.evaluation.scores, "adequacy"}
    assert "A-1" in leaderboard_html(board)
    assert board.letters_note.startswith("Runs that share a letter")
    assert board.letters_note.endswith(
        "adequacy: no letters, since no difference could be significant."
    )
    assert first.letters[3] == ""
    assert not [note for note in board.notes if "share a letter" in note]
    assert any(
        text.startswith("Warning:") and "adequacy" in text and "few" in text
        for text in message_texts(board.findings)
    )
    assert [column.title for column in board.columns] == ["BLEU", "NIST", "RIBES", "adequacy"]


def test_json_and_csv_hold_everything(result: TaskResult) -> None:
    found = plain(result.to_json())
    assert [run["id"] for run in found["runs"]] == ["A-1", "B-2", "C-1"]
    assert found["runs"][0]["scores"]["adequacy"]["value"] == 4.5
    assert "adequacy" not in found["runs"][1]["scores"]
    assert found["human_measures"] == ["adequacy"]
    assert len(found["comparison"]["measures"]["BLEU"]["pairs"]) == 3
    [first, second, _] = csv.DictReader(io.StringIO(result.to_csv()))
    assert float(first["BLEU"]) == result.standings[0].estimates["A-1"].value
    assert (first["M"], first["adequacy"], second["adequacy"]) == ("?", "4.5", "")
    assert (first["BLEU letters"], second["priority"]) == ("a", "2")
    assert (second["M"], found["runs"][1]["resources"]) == ("", None)
    assert found["runs"][0]["letters"] == {
        "BLEU": ["a"],
        "NIST(case=mixed)": ["a"],
        "RIBES(case=mixed)": ["a"],
    }
    assert found["runs"][1]["rank_ranges"]["BLEU"] == [2, 2]
    assert found["warnings"] == message_texts(result.to_leaderboard().findings)


def test_a_single_run_is_a_task_too(manifest: TaskManifest) -> None:
    alone = replace(manifest, submissions=manifest.submissions[:1])
    human = {"adequacy": _adequacy(C_1=[1.0, 2])}
    result = run_task(alone, _FAST, human_scores=human)
    assert result.comparison is None and result.to_json()["comparison"] is None
    assert result.to_report().tables[0].rows[0][0] == "C-1"
    assert result.to_leaderboard().runs[0].letters == ("", "", "", "")
    assert len(result.run_report("C-1").tables) >= 2 and "C-1" in result.to_csv()


def test_plain_tasks_choose_their_measures(manifest: TaskManifest) -> None:
    plain = replace(manifest, protocol="plain")
    assert [m.name for m in task_measures(plain)] == ["BLEU", "chrF", "TER"]
    named = replace(plain, measures=("BLEU(n=1),TER", "chrF"))
    assert [m.name for m in task_measures(named)] == ["BLEU(n=1)", "TER", "chrF"]
    sources = TestSet(
        tuple(replace(segment, references=()) for segment in plain.test_set), "en", "ja"
    )
    assert "numbers" in [m.name for m in task_measures(replace(plain, test_set=sources))]


def test_requests_that_cannot_be_carried_out(
    manifest: TaskManifest, human: dict[str, Scores]
) -> None:
    with pytest.raises(UsageError, match="ntcir9 has its own measures"):
        run_task(replace(manifest, measures=("BLEU",)))
    with pytest.raises(UsageError, match="'x' is unknown"):
        run_task(replace(manifest, protocol="x"))
    with pytest.raises(UsageError, match="BLEU is the name of an automatic and of a human"):
        run_task(manifest, _FAST, human_scores={"BLEU": human["adequacy"]})
    with pytest.raises(InputError, match="no run has a judgement"):
        run_task(manifest, human_scores={"adequacy": _adequacy(A_1=[np.nan])})
    strange = replace(_adequacy(A_1=[1.0], Z_9=[2.0]), segments=("999",))
    with pytest.raises(InputError) as caught:
        run_task(manifest, human_scores={"adequacy": strange})
    assert len(caught.value.problems) == 2
    assert "the run 'Z-9'" in str(caught.value) and "the segment '999'" in str(caught.value)


def test_a_judged_run_is_one_with_a_grade(manifest: TaskManifest) -> None:
    scores = _adequacy(A_1=[5.0, 4], B_2=[np.nan, np.nan], C_1=[1.0, 2])
    result = run_task(manifest, _FAST, human_scores={"adequacy": scores})
    assert set(result.human_standings[0].estimates) == {"A-1", "C-1"}


def test_the_same_seed_gives_the_same_result(manifest: TaskManifest, result: TaskResult) -> None:
    again = run_task(manifest, _FAST, human_scores=result.human)
    assert again.to_json() == result.to_json()


def test_progress_is_told(manifest: TaskManifest) -> None:
    seen: list[tuple[str, int, int]] = []
    run_task(manifest, _FAST, lambda *step: seen.append(step))
    assert seen[0] == ("BLEU", 0, 9) and len(seen) == 9


def test_a_task_file_lies_anywhere(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("ref", "runs/a"):
        (tmp_path / f"{name}.txt").write_text("The valve closes.\n")
    text = "name: t\nlanguages: en\nreferences: ref.txt\nruns:\n- {group: G, file: runs/a.txt}\n"
    (tmp_path / "t.yaml").write_text(text)
    result = run_task(read_manifest(tmp_path / "t.yaml"), _FAST)
    assert result.standings[0].estimates["G-1"].n == 1


def _scores(systems: int, segments: int) -> Scores:
    """Every system is better than the next one in each segment."""
    values = np.arange(systems, 0, -1.0)[:, None] + np.random.default_rng(1).random(segments) / 10
    return Scores(
        "m",
        "m",
        tuple(f"s{n}" for n in range(systems)),
        tuple(map(str, range(segments))),
        np.stack([values, np.ones_like(values)], axis=-1),
    )


def test_forty_runs_can_be_told_apart() -> None:
    scores, sampling = _scores(40, 60), Sampling(resamples=5)
    compared = compare({"m": scores}, [None] * 60, CompareSettings(sampling))
    [telling] = compared_standings(compared, {})
    assert telling.testable and len({*telling.letters.values()}) == 40
    assert compared.to_json()["test"]["tail"] == "bound"
    assert [note for note in comparison_notes(compared) if "With 780 tests, Holm cannot" in note]
    assert not any(map(is_warning, comparison_findings(compared)))


def test_trials_that_were_asked_for_are_all_that_p_rests_on() -> None:
    asked = CompareSettings(Sampling(resamples=5), trials=1000)
    compared = compare({"m": _scores(40, 60)}, [None] * 60, asked)
    [silent] = compared_standings(compared, {})
    assert not silent.testable and silent.letters == {} and silent.mark("s3") == ""
    assert compared.to_json()["test"]["tail"] == "trials"
    assert min(pair.p for pair in silent.pairs) == 1 / 1001
    assert "take at least 15600" in str(message_texts(comparison_findings(compared)))


def test_many_runs_on_too_few_segments_are_said_to_be_untestable() -> None:
    compared = compare({"m": _scores(40, 14)}, [None] * 14, CompareSettings(Sampling(resamples=5)))
    [silent] = compared_standings(compared, {})
    assert not silent.testable
    assert "At least 15 are needed" in str(message_texts(comparison_findings(compared)))


def test_three_segments_give_no_letters() -> None:
    compared = compare({"m": _scores(3, 3)}, [None] * 3, CompareSettings(Sampling(resamples=5)))
    [standing] = compared_standings(compared, {"m": "M"})
    assert (standing.letters, standing.title) == ({}, "M")


def _standing(letters: dict[str, tuple[str, ...]]) -> MeasureStanding:
    return MeasureStanding(
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
    report = run_task(task, CompareSettings(Sampling(resamples=1), trials=1)).to_report()
    assert (report.explorer is not None) is kept
    [*said] = [note for note in report.notes if "20,002 outputs are more than 20,000" in note]
    assert len(said) == (not kept)


def test_warnings_stand_on_the_board_and_on_every_page() -> None:
    result = run_task(_task(3, 4), CompareSettings(Sampling(resamples=5), trials=50))
    board = result.to_leaderboard()
    findings = message_texts(board.findings)
    assert [text for text in findings if "take at least" in text or "too few" in text]
    assert all(run.letters == ("",) for run in board.runs)
    assert board.letters_note == "BLEU: no letters, since no difference could be significant."
    assert result.run_report("R-1").findings == board.findings
    assert set(board.findings) <= set(result.to_report().findings)


@pytest.mark.parametrize(("segments", "bounded"), [(2, False), (40, True)])
def test_the_page_of_a_run_says_that_p_may_be_a_bound(
    segments: int, bounded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.evaluation.comparison.DEFAULT_TRIALS", 50)
    task = _task(3, segments)
    worse = replace(task.submissions[0].run, hypotheses=("It.",) * segments)
    task = replace(
        task, submissions=(replace(task.submissions[0], run=worse), *task.submissions[1:])
    )
    result = run_task(task, CompareSettings(Sampling(resamples=2)))
    notes = result.run_report("R-1").notes
    assert bool([note for note in notes if "is a bound (p <)" in note]) == bounded
