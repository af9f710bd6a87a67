"""A judge held against human labels, and gates that ask for it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import patmark, patmark_json
from patmark import InputError, UsageError
from patmark.app.commands import calibrate
from patmark.data import FloatArray
from patmark.evaluation import CalibrationRecord, Sampling, read_calibration
from patmark.evaluation.judge_calibration import (
    apply_knots,
    best_kappa_threshold,
    check_calibrated,
    fitted_knots,
)

JUDGE = "Judge(model=m,scheme=direct)"
SIGNATURE = "Judge|model:m|scheme:direct|samples:5|temperature:1.0|prompt:abc|reference:shown"
SYSTEMS, SEGMENTS = 4, 40
GRADES = [1.0, 2.0, 3.0, 4.0, 5.0]


def _kappa(first: FloatArray, second: FloatArray, scale: list[float]) -> float:
    """Cohen's kappa with quadratic weights, by its definition."""
    places = [np.searchsorted(scale, one) for one in (first, second)]
    seen = np.zeros((len(scale),) * 2)
    for one, other in zip(*places, strict=True):
        seen[one, other] += 1 / len(first)
    off = np.subtract.outer(np.arange(len(scale)), np.arange(len(scale))) ** 2
    return float(1 - (off * seen).sum() / (off * np.outer(seen.sum(1), seen.sum(0))).sum())


def _pooled(scores: FloatArray, labels: FloatArray) -> dict[float, float]:
    """Isotonic regression by pooling adjacent violators, one score at a time."""
    blocks: list[tuple[float, int, list[float]]] = []
    for score in sorted(set(scores.tolist())):
        own = labels[scores == score]
        blocks.append((float(own.sum()), len(own), [score]))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    return {score: total / size for total, size, found in blocks for score in found}


@pytest.fixture(scope="module")
def grades() -> FloatArray:
    rng = np.random.default_rng(3)
    quality = 3 + rng.normal(size=(SYSTEMS, 1)) + rng.normal(size=(SYSTEMS, SEGMENTS))
    noisy = quality + 0.5 * rng.normal(size=(2, SYSTEMS, SEGMENTS))
    return np.asarray(np.clip(np.round(noisy), 1, 5))


@pytest.fixture(scope="module")
def judged(grades: FloatArray) -> FloatArray:
    rng = np.random.default_rng(4)
    return np.asarray(np.round(20 * grades.mean(axis=0) + 15 * rng.normal(size=grades.shape[1:])))


@pytest.fixture
def files(tmp_path: Path, grades: FloatArray, judged: FloatArray) -> list[str]:
    people = ["evaluator,system,segment,document,criterion,value"]
    scores = ["system,segment,document,measure,value"]
    for system, segment in np.ndindex(SYSTEMS, SEGMENTS):
        where = f"S{system},s{segment:02d},D{segment // 4}"
        scores.append(f"{where},{JUDGE.replace(',', ';')},{judged[system, segment]}")
        people += [f"e{at},{where},adequacy,{grades[at, system, segment]:.0f}" for at in range(2)]
    (tmp_path / "people.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    text = "\n".join(scores).replace(JUDGE.replace(",", ";"), f'"{JUDGE}"')
    (tmp_path / "scores.csv").write_text(text + "\n", encoding="utf-8")
    return [str(tmp_path / "scores.csv"), str(tmp_path / "people.csv")]


def _held_out(judged: FloatArray, labels: FloatArray, scale: list[float]) -> FloatArray:
    """Labels of each tenth document, by the map of the others; documents are D0 to D9."""
    document = np.broadcast_to(np.arange(SEGMENTS) // 4, judged.shape)
    called = np.empty(judged.shape)
    for fold in range(10):
        own = document == fold
        mapped = _pooled(judged[~own], labels[~own])
        known = np.array(sorted(mapped))
        for place in np.argwhere(own):
            at = max(np.searchsorted(known, judged[tuple(place)], side="right") - 1, 0)
            level = mapped[float(known[at])]
            called[tuple(place)] = min(scale, key=lambda one: (abs(one - level), one))
    return called


def test_grades_of_held_out_documents_agree_with_an_independent_computation(
    files: list[str], grades: FloatArray, judged: FloatArray
) -> None:
    done = calibrate(*files, gold="adequacy", sampling=Sampling(200)).record
    labels = np.floor(grades.mean(axis=0))  # the lower one of two grades
    called = _held_out(judged, labels, GRADES)
    assert done.kappa == pytest.approx(_kappa(labels.ravel(), called.ravel(), GRADES))
    assert done.exact == pytest.approx(np.mean(labels == called))
    assert done.people == pytest.approx(_kappa(grades[0].ravel(), grades[1].ravel(), GRADES))
    assert done.kappa_ci is not None and 0 < done.kappa_ci[0] < done.kappa < done.kappa_ci[1] < 1
    assert (done.outputs, done.documents, done.evaluators) == (160, 10, 2)
    assert sum(done.distribution) == 160
    assert done.date == date.today().isoformat()


def test_scikit_learn_gives_the_same_map_and_kappa(judged: FloatArray, grades: FloatArray) -> None:
    sklearn = pytest.importorskip("sklearn")
    from sklearn.isotonic import IsotonicRegression
    from sklearn.metrics import cohen_kappa_score

    assert sklearn
    scores, labels = judged.ravel(), grades[0].ravel()
    knots = fitted_knots(scores, labels, GRADES)
    theirs = IsotonicRegression().fit(scores, labels).predict(scores)
    ours = [next(level for begin, level in reversed(knots) if begin <= score) for score in scores]
    assert ours == pytest.approx(theirs.tolist())
    called = apply_knots(knots, GRADES, scores)
    weighted = cohen_kappa_score(labels, called, weights="quadratic")
    assert _kappa(labels, called, GRADES) == pytest.approx(weighted)
    good = (labels >= 4).astype(float)
    kappas = {one: cohen_kappa_score(good, scores >= one) for one in set(scores.tolist())}
    assert kappas[best_kappa_threshold(scores, good, [0.0, 1.0])] == max(kappas.values())


def test_a_threshold_separates_acceptable_outputs(files: list[str]) -> None:
    done = calibrate(*files, gold="adequacy", accept=4, sampling=Sampling(50)).record
    [(_, low), (threshold, high)] = done.knots
    assert done.labels == (0, 1) == (low, high)
    assert done.label(np.array([threshold - 1, threshold])).tolist() == [0, 1]
    nobody = best_kappa_threshold(np.arange(3.0), np.zeros(3), [0.0, 1.0])
    assert nobody == float("inf")


def test_rows_in_another_order_give_the_same_calibration(files: list[str]) -> None:
    first = calibrate(*files, gold="adequacy", sampling=Sampling(50))
    for name in files:
        head, *rows = Path(name).read_text(encoding="utf-8").splitlines()
        Path(name).write_text("\n".join([head, *rows[::-1]]) + "\n", encoding="utf-8")
    again = calibrate(*files, gold="adequacy", sampling=Sampling(50))
    assert again.record == first.record and again.spearman == pytest.approx(first.spearman)


def test_what_cannot_be_calibrated_is_refused(files: list[str], tmp_path: Path) -> None:
    for options, message in (
        ({"measures": "A,B"}, "name one judge"),
        ({"measures": "BLEU"}, "is no metric here"),
        ({"accept": 9}, "the same label"),
        ({"shots": 3}, "has no option shots"),
    ):
        with pytest.raises(UsageError, match=message):
            calibrate(*files, gold="adequacy", **options)  # type: ignore[arg-type]
    few = Path(files[1]).read_text(encoding="utf-8").splitlines()[:30]
    (tmp_path / "people.csv").write_text("\n".join(few) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="needs at least 20"):
        calibrate(*files, gold="adequacy")


def _record(**changes: Any) -> CalibrationRecord:
    made = CalibrationRecord(
        JUDGE, SIGNATURE, "adequacy", None, (1.0, 2.0), ((0.0, 1.0), (50.0, 2.0)), 0.6, (0.5, 0.7),
        0.8, 0.65, 100, 10, 2, (40, 60), "2026-06-01",
    )  # fmt: skip
    return replace(made, **changes)


def test_a_gate_refuses_other_old_and_useless_judges() -> None:
    today = date(2026, 7, 1)
    same = "Judge|criterion:overall|model:m|prompt:abc|samples:5|temperature:1|reference:shown"
    for signature in (SIGNATURE, SIGNATURE + "|context:0|batch:1|max_tokens:0", same):
        check_calibrated(JUDGE, signature, _record(), today)
    for signature, record, message in (
        (SIGNATURE, None, "needs its calibration"),
        (SIGNATURE.replace("abc", "abd"), _record(), r"prompt abc \(now abd\)"),
        (SIGNATURE.replace("model:m", "model:n"), _record(), r"model m \(now n\)"),
        (SIGNATURE.replace(":5", ":1"), _record(), r"samples 5 \(now 1\)"),
        (SIGNATURE + "|batch:4", _record(), r"batch 1 \(now 4\)"),
        (SIGNATURE, _record(date="2025-12-01"), "212 days ago"),
        (SIGNATURE, _record(kappa_ci=(-0.1, 0.4)), "beyond chance"),
        (SIGNATURE, _record(kappa_ci=None), "beyond chance"),
    ):
        with pytest.raises(UsageError, match=message):
            check_calibrated(JUDGE, signature, record, today)


def test_broken_files_are_refused(tmp_path: Path, files: list[str]) -> None:
    path = tmp_path / "judge.json"
    calibrate(*files, gold="adequacy", out=path, sampling=Sampling(50))
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert read_calibration(path).measure == JUDGE
    for text, message in (
        ("no json", "is no calibration"),
        ("[]", "is no calibration"),
        (json.dumps({"format": whole["format"]}), "lacks measure, signature"),
        (json.dumps(whole | {"kappa": "high"}), "kappa"),
        (json.dumps(whole | {"knots": [[1]]}), "knots"),
        (json.dumps(whole | {"date": "yesterday"}), "date"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            read_calibration(path)


def test_the_command_writes_the_file_under_both_names(files: list[str], tmp_path: Path) -> None:
    options = ("--gold", "adequacy", "--resamples", "50", "--out")
    for command in (["calibrate"], ["judge", "calibrate"]):
        done = patmark_json(tmp_path, *command, *files, *options, f"{len(command)}.json")
        assert done["kappa"] == read_calibration(tmp_path / f"{len(command)}.json").kappa
    refused = patmark(tmp_path, "calibrate", *files, *options, files[0])
    assert refused.returncode == 2
