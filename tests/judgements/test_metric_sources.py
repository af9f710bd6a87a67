"""Scores of an MT-metrics-eval folder in a meta-evaluation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.data.scores import Scores
from patmark.evaluation.meta.agreement import MetaSettings
from patmark.evaluation.meta.evaluation import evaluate_metrics
from patmark.evaluation.meta.panel import build_panel
from patmark.evaluation.scoring import Sampling
from patmark.judgements.formats.mt_metrics_eval import MetricsEvalSet, write_metrics_eval
from patmark.judgements.metric_sources import files_by_pair, read_sources

_SYSTEMS = ("A", "B", "C", "D")
_SEGMENTS = tuple(str(number + 1) for number in range(5))
_CORPUS = np.array([40.0, 30.0, 35.0, 10.0])


def _scores(name: str, seed: int) -> Scores:
    values = np.random.default_rng(seed).normal(size=(4, 5))
    return Scores.of_values(name, name, _SYSTEMS, _SEGMENTS, values)


def _folder() -> MetricsEvalSet:
    tests = TestSet(tuple(Segment(name, name, ("r",)) for name in _SEGMENTS), "en", "ja")
    comet = _scores("COMET-src", 2)
    return MetricsEvalSet(
        "ja-en",
        tests,
        tuple(Run(name, ("x",) * 5) for name in _SYSTEMS),
        ("refA",),
        {"mqm": _scores("mqm", 0)},
        {"BLEU-refA": _scores("BLEU-refA", 1), "COMET-src": comet, "plain-src": _scores("p", 3)},
        metric_systems={
            "BLEU-refA": _CORPUS,
            "COMET-src": np.round(comet.system_scores, 6),
            "TER-refA": -_CORPUS,
        },
    )


def test_scores_of_systems_go_before_means_of_segments(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, _folder())
    panel = build_panel(read_sources([str(tmp_path)], pair="ja-en"), "mqm")
    bleu, comet, plain, ter = panel.metrics
    assert (bleu.name, comet.name, plain.name, ter.name) == (
        "BLEU-refA",
        "COMET-src",
        "plain-src",
        "TER-refA",
    )
    np.testing.assert_array_equal(bleu.of_systems, _CORPUS)
    assert bleu.of_segments is not None and bleu.scores is None  # no means to resample
    assert comet.scores is not None and plain.scores is not None
    np.testing.assert_array_equal(plain.of_systems, plain.scores.system_scores)
    assert ter.of_segments is None
    assert panel.notes == (
        "Scores of systems from .sys.score: BLEU-refA, COMET-src, TER-refA; means of .seg.score: "
        "mqm, plain-src.",
    )
    found = evaluate_metrics(panel, MetaSettings(sampling=Sampling(resamples=0)))
    gold = panel.gold.of_systems
    pearson = {row.metric: row.agreement["pearson"].value for row in found.rows}
    assert pearson["BLEU-refA"] == pytest.approx(np.corrcoef(gold, _CORPUS)[0, 1])


def test_lower_is_better_holds_for_folders_too(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, _folder())
    [_, metrics] = read_sources([str(tmp_path)], ["TER-refA"], "ja-en")
    np.testing.assert_array_equal(metrics.series["TER-refA"].of_systems, _CORPUS)
    assert metrics.series["TER-refA"].turned and not metrics.series["BLEU-refA"].turned


def test_notes_are_kept_where_nobody_judged(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, replace(_folder(), human={}, metric_systems={}))
    (tmp_path / "metric-scores" / "ja-en" / "x-src.doc.score").write_text("A 1\n")
    [metrics] = read_sources([str(tmp_path)], pair="ja-en")
    assert not metrics.human
    [note] = metrics.notes
    assert note.endswith("x-src.doc.score")


@pytest.mark.parametrize(
    ("arguments", "lang", "expected"),
    [
        (["a.csv", "b.csv"], None, {"": ["a.csv", "b.csv"]}),
        (["runs/x=1/a.csv"], None, {"": ["runs/x=1/a.csv"]}),
        (["folder"], "ja-en", {"ja-en": ["folder"]}),
        (["folder"], "ja-en, zh-en", {"ja-en": ["folder"], "zh-en": ["folder"]}),
        (
            ["ja-en=a.csv", "zh-en=b.csv", "zh-en=c.csv", "all.csv"],
            None,
            {"ja-en": ["a.csv", "all.csv"], "zh-en": ["b.csv", "c.csv", "all.csv"]},
        ),
    ],
)
def test_files_belong_to_language_pairs(
    arguments: list[str], lang: str | None, expected: dict[str, list[str]]
) -> None:
    assert files_by_pair(arguments, lang) == expected


def test_files_whose_names_have_an_equals_sign_are_of_no_pair(tmp_path: Path) -> None:
    folder = tmp_path / "run=3"
    folder.mkdir()
    (folder / "s.csv").touch()
    assert files_by_pair([str(folder / "s.csv")]) == {"": [str(folder / "s.csv")]}
    assert files_by_pair(["ja-en=ja.csv", "ja.csv"]) == {"ja-en": ["ja.csv", "ja.csv"]}
