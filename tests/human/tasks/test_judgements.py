"""Human judgements in a shared task: the same numbers as in a report of judgements alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patmark.data.manifest import Submission, TaskManifest
from patmark.data.model import Run, TestSet
from patmark.errors import InputError, UsageError
from patmark.evaluation.comparison import CompareSettings
from patmark.evaluation.scoring import Sampling
from patmark.human.judgements.files import read_human_files
from patmark.human.judgements.model import parse_scale
from patmark.human.judgements.ranking import rank_humans
from patmark.human.tasks.task import read_task_judgements, run_task

_SETTINGS = CompareSettings(Sampling(resamples=200), trials=2000)
_HEAD = "evaluator,system,segment,criterion,value"
_RUNS = ("A-1", "B-1", "C-1")
_GRADES = ("F", "C", "B", "A", "AA")


@pytest.fixture
def manifest() -> TaskManifest:
    """A task of sixty segments, of which people judge forty."""
    references = [f"The valve {number} closes the outlet." for number in range(60)]
    submissions = tuple(
        Submission(Run(name, tuple(f"valve {n} closes {name}" for n in range(60))), name[0])
        for name in _RUNS
    )
    return TaskManifest("t", TestSet.of(references), submissions, measures=("BLEU",))


def _write(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join([_HEAD, *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Two evaluators who share their segments; both criteria; segments 11 to 50 only."""
    chance = np.random.default_rng(5)
    rows = []
    for evaluator in ("E1", "E2"):
        for segment in range(11, 51):
            for place, run in enumerate(_RUNS):
                grade = int(np.clip(4 - place + chance.integers(-1, 2), 1, 5))
                letter = _GRADES[int(chance.integers(0, 5 - place))]
                rows += [
                    f"{evaluator},{run},{segment},adequacy,{grade}",
                    f"{evaluator},{run},{segment},acceptability,{letter}",
                ]
    return _write(tmp_path / "j.csv", rows)


def test_task_and_report_of_judgements_agree(manifest: TaskManifest, judged: Path) -> None:
    read = read_task_judgements([judged], manifest)
    result = run_task(manifest, _SETTINGS, None, read.scores, read.pairwise)
    data = read_human_files([judged], test_set=manifest.test_set)
    ranked = rank_humans(data.judgements, None, _SETTINGS)
    assert [one.criterion for one in ranked.rankings] == list(read.scores)
    for ranking, standing in zip(ranked.rankings, result.human_standings, strict=True):
        assert standing.units.count == 40
        assert standing.estimates == ranking.measured.estimates
        ours = [(pair.p, pair.p_holm, pair.ci) for pair in standing.pairs]
        assert ours == [(pair.p, pair.p_holm, pair.ci) for pair in ranking.measured.pairs]


def test_a_pairwise_score_stays_what_it_is(manifest: TaskManifest, judged: Path) -> None:
    read = read_task_judgements([judged], manifest)
    result = run_task(manifest, _SETTINGS, None, read.scores, read.pairwise)
    acceptability = next(s for s in result.human_standings if s.measure == "acceptability")
    assert result.pairwise["acceptability"] == acceptability.estimates
    # Adequacy is compared between the grades of one evaluator, not between means of two.
    data = read_human_files([judged], test_set=manifest.test_set)
    assert data.judgements is not None
    grades = data.judgements.grades("adequacy")
    for place, run in enumerate(data.judgements.systems):
        others = np.delete(grades, place, axis=1)
        own = grades[:, place : place + 1]
        known = ~np.isnan(others) & ~np.isnan(own)
        points = (own > others) + 0.5 * (own == others)
        expected = points[known].sum() / known.sum()
        assert result.pairwise["adequacy"][run].value == pytest.approx(expected)


def test_adequacy_plus_fluency_is_compared_by_evaluator(
    manifest: TaskManifest, tmp_path: Path
) -> None:
    grades = {"E1": {"A-1": (5, 1), "B-1": (4, 4)}, "E2": {"A-1": (3, 3), "B-1": (1, 1)}}
    rows = [
        f"{evaluator},{run},1,{criterion},{grade}"
        for evaluator, of_runs in grades.items()
        for run, both in of_runs.items()
        for criterion, grade in zip(("adequacy", "fluency"), both, strict=True)
    ]
    read = read_task_judgements([_write(tmp_path / "j.csv", rows)], manifest)
    # E1 prefers B (8 to 6), E2 prefers A (6 to 2); by means A would win (6 to 5).
    assert read.pairwise["human"].system_scores.tolist() == [0.5, 0.5]
    assert "within:evaluator" in read.pairwise["human"].signature


def test_preferences_are_pairwise_scores_already(manifest: TaskManifest, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("evaluator,segment,first,second,winner\ne,1,A-1,B-1,first\n")
    read = read_task_judgements([path], manifest)
    assert read.pairwise == read.scores
    result = run_task(manifest, _SETTINGS, None, read.scores, read.pairwise)
    [name] = read.scores
    assert result.pairwise[name]["A-1"].value == 1.0


def test_one_judged_run_has_no_pairwise_score(manifest: TaskManifest, tmp_path: Path) -> None:
    read = read_task_judgements([_write(tmp_path / "j.csv", ["e,A-1,1,adequacy,4"])], manifest)
    result = run_task(manifest, _SETTINGS, None, read.scores, read.pairwise)
    assert result.human_standings[0].estimates["A-1"].value == 4
    assert "adequacy" not in result.pairwise


def test_a_file_given_twice_is_named(manifest: TaskManifest, judged: Path) -> None:
    with pytest.raises(UsageError, match=r"j\.csv: the same judgements are given more than once"):
        read_task_judgements([judged, judged], manifest)
    copy = judged.with_name("copy.csv")
    copy.write_bytes(judged.read_bytes())
    with pytest.raises(InputError) as caught:
        read_task_judgements([judged, copy], manifest)
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"{copy}:2: ") and f"{judged}:2" in first


def test_an_unknown_run_does_not_fill_the_screen(manifest: TaskManifest, tmp_path: Path) -> None:
    rows = [f"e,Z-9,{segment},adequacy,4" for segment in range(1, 51)]
    with pytest.raises(InputError) as caught:
        read_task_judgements([_write(tmp_path / "j.csv", rows)], manifest)
    assert len(caught.value.problems) <= 6
    assert "'Z-9'" in str(caught.value) and "more" in str(caught.value)


def test_scales_and_unfinished_segments(manifest: TaskManifest, tmp_path: Path) -> None:
    rows = ["e,A-1,1,style,7", "e,B-1,1,style,2", "e,A-1,2,style,1"]
    path = _write(tmp_path / "j.csv", rows)
    with pytest.raises(InputError, match="style"):
        read_task_judgements([path], manifest)
    scale = [parse_scale("style=1..7")]
    whole = read_task_judgements([path], manifest, scales=scale)
    assert whole.scores["style"].system_scores[:2].tolist() == [7, 2]
    kept = read_task_judgements([path], manifest, scales=scale, whole_segments=False)
    assert kept.scores["style"].system_scores[:2].tolist() == [4, 2]


def test_a_criterion_is_graded_or_chosen(manifest: TaskManifest, tmp_path: Path) -> None:
    graded = _write(tmp_path / "g.csv", ["e,A-1,1,adequacy,4", "e,B-1,1,adequacy,2"])
    chosen = tmp_path / "p.csv"
    head = "evaluator,segment,first,second,winner,criterion"
    chosen.write_text(f"{head}\ne,1,A-1,B-1,first,adequacy\n")
    with pytest.raises(UsageError, match="both graded and chosen"):
        read_task_judgements([graded, chosen], manifest)
