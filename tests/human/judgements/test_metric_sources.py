"""Scores of an MT-metrics-eval folder in a meta-evaluation."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from command_line import patmark_json
from patmark.data.model import Run, Segment, TestSet
from patmark.data.scores import FloatArray, Scores
from patmark.errors import InputError, UsageError
from patmark.evaluation.meta.agreement import MetaSettings
from patmark.evaluation.meta.panel import build_panel
from patmark.evaluation.meta.report import evaluate_metrics
from patmark.evaluation.scoring import Sampling
from patmark.human.judgements.formats.mt_metrics_eval import MetricsEvalSet, write_metrics_eval
from patmark.human.judgements.metric_sources import files_by_pair, read_sources

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


_RATED = ("A", "B", "C", "D", "E", "F", "refA", "human")


def _folder_with_rated_references() -> MetricsEvalSet:
    """References refA and refB were judged too, the second under the name of a system."""
    rng = np.random.default_rng(5)
    tests = TestSet(
        tuple(Segment(name, f"s{name}", (f"a{name}", f"b{name}")) for name in _SEGMENTS), "en", "ja"
    )
    outputs = {"refA": 0, "human": 1}
    runs = tuple(
        Run(name, tuple(one.references[outputs[name]] for one in tests))
        if name in outputs
        else Run(name, tuple(f"{name}{one.id}" for one in tests))
        for name in _RATED
    )
    values = {name: rng.normal(size=(8, 5)) for name in ("mqm", "X-refA", "Y-refA.refB", "Z-src")}
    values["X-refA"][6] = 100.0  # a reference against itself
    values["Y-refA.refB"][6:] = np.nan
    scores = {
        name: Scores.of_values(name, name, _RATED, _SEGMENTS, found)
        for name, found in values.items()
    }
    human = {"mqm": scores.pop("mqm")}
    return MetricsEvalSet("ja-en", tests, runs, ("refA", "refB"), human, scores)


def test_metrics_are_judged_on_the_systems_that_they_score_and_are_tested(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, _folder_with_rated_references())
    panel = build_panel(read_sources([str(tmp_path)], pair="ja-en"), "mqm")
    for level in ("system", "segment"):
        settings = MetaSettings(cast("Any", level), permutations=50, sampling=Sampling(resamples=0))
        found = evaluate_metrics(panel, settings)
        size = 1 if level == "system" else 5
        assert {row.metric: row.n // size for row in found.rows} == {
            "X-refA": 7, "Y-refA.refB": 6, "Z-src": 8,
        }  # fmt: skip
        assert found.comparison is not None and not found.comparison.notes
        for test in found.comparison.tests:
            assert {name for one in test.pairs for name in (one.first, one.second)} == {
                "X-refA", "Y-refA.refB", "Z-src",
            }  # fmt: skip
        if level == "system":
            assert all("SPA" in row.agreement for row in found.rows)
            fewer = evaluate_metrics(panel, settings, "refA, human").comparison
            assert fewer is not None
            assert [test.to_json() for test in fewer.tests] == [
                test.to_json() for test in found.comparison.tests
            ]
    [note] = [note for note in panel.notes if "judged too" in note]
    assert "score: human, refA. Each metric is judged on the systems that it scores" in note


def test_a_system_that_is_no_reference_must_be_scored(tmp_path: Path) -> None:
    folder = _folder_with_rated_references()
    values = folder.metrics["X-refA"].segment_scores.copy()
    values[1] = np.nan
    lacking = Scores.of_values("X-refA", "x", _RATED, _SEGMENTS, values)
    write_metrics_eval(tmp_path, replace(folder, metrics={**folder.metrics, "X-refA": lacking}))
    with pytest.raises(InputError, match=r"X-refA has no score for B; allow_partial= judges"):
        build_panel(read_sources([str(tmp_path)], pair="ja-en"), "mqm")


@pytest.mark.parametrize(
    ("name", "left"), [("refA", 7), ("refA,human", 6), ("MT", 2), ("MT, human", 1), ("A", 7)]
)
def test_systems_and_types_can_be_left_out(tmp_path: Path, name: str, left: int) -> None:
    write_metrics_eval(tmp_path, _folder_with_rated_references())
    kinds = {system: "MT" if len(system) == 1 else "person" for system in _RATED}
    panel = build_panel(read_sources([str(tmp_path)], pair="ja-en"), "mqm", kinds=kinds)
    assert len(panel.without(name).systems) == left
    with pytest.raises(
        UsageError, match=r"no system is of the type 'B2'; .* and none is called so"
    ):
        panel.without(f"{name},B2")


def _mqm_file(path: Path, first: int, texts: str = "{system}{number}") -> None:
    """Write annotations of the outputs of the folder, numbered from ``first``."""
    rows = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for system in _RATED[:6]:
        for number in range(1, 6):
            text = texts.format(system=system, number=number)
            error = "Major" if (ord(system) + number) % 3 else "Minor"
            place = f"{system}\td\t{number}\t{first + number - 1}\tr1"
            rows.append(f"{place}\ts{number}\t{text}\tAccuracy/Omission\t{error}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.parametrize("allow_partial", [False, True])
@pytest.mark.parametrize("first", [2, 0])
def test_other_texts_under_the_same_numbers_are_refused(
    tmp_path: Path, first: int, allow_partial: bool
) -> None:
    """The overlap is partial; the texts say that the numbers mean other segments."""
    write_metrics_eval(tmp_path / "f", replace(_folder_with_rated_references(), human={}))
    _mqm_file(tmp_path / "mqm.tsv", first)
    sources = read_sources([str(tmp_path / "f"), str(tmp_path / "mqm.tsv")], pair="ja-en")
    with pytest.raises(InputError) as caught:
        build_panel(sources, "mqm", allow_partial=allow_partial)
    said = str(caught.value)
    assert "have other texts for 28 of 28 that both name" in said
    assert ("may number segments differently; allow_partial=" in said) is not allow_partial


def test_the_same_texts_are_joined(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path / "f", replace(_folder_with_rated_references(), human={}))
    _mqm_file(tmp_path / "mqm.tsv", 1, " {system} {number}")
    sources = read_sources([str(tmp_path / "f"), str(tmp_path / "mqm.tsv")], pair="ja-en")
    panel = build_panel(sources, "mqm")
    assert len(panel.systems) == 6 and not panel.warnings


def test_a_few_other_texts_are_warned_of_if_that_is_allowed(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path / "f", replace(_folder_with_rated_references(), human={}))
    _mqm_file(tmp_path / "mqm.tsv", 1)
    text = (tmp_path / "mqm.tsv").read_text(encoding="utf-8").replace("\tA1\t", "\tAl\t")
    (tmp_path / "mqm.tsv").write_text(text, encoding="utf-8")
    sources = read_sources([str(tmp_path / "f"), str(tmp_path / "mqm.tsv")], pair="ja-en")
    with pytest.raises(InputError, match="other texts for 1 of 35 that both name, such as A 1;"):
        build_panel(sources, "mqm")
    [warning] = build_panel(sources, "mqm", allow_partial=True).warnings
    assert (warning.level, warning.code) == ("warning", "other-texts")


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


def _wmt23_style(folder: Path, uneven: bool) -> tuple[FloatArray, dict[str, FloatArray]]:
    """A folder as WMT23 published zh-en: people skipped segments; ``uneven``: also single outputs.

    Files are written by hand, a line for each output, ``None`` where nobody rated; references were
    rated as well, and a metric scores everything, the reference that it uses excepted.
    """
    rng = np.random.default_rng(23)
    systems, segments = ("A", "B", "C", "D", "refA", "synthetic_ref"), 30
    gold = -np.round(5 * rng.random((6, segments))) * (rng.random((6, segments)) < 0.7)
    gold[:, 4:16] = np.nan
    gold[5] = np.nan
    if uneven:
        gold[1, 20] = gold[2, 21] = gold[0, 22] = np.nan
    metrics = {
        "XCOMET-refA": np.nan_to_num(gold) + 2 * rng.normal(size=gold.shape),
        "chrF-refA": np.round(np.nan_to_num(gold) + 4 * rng.normal(size=gold.shape)),
    }
    for values in metrics.values():
        values[4] = np.nan
    for name in ("sources", "references", "human-scores", "documents", "metric-scores/zh-en",
                 "system-outputs/zh-en"):  # fmt: skip
        (folder / name).mkdir(parents=True)
    lines = "\n".join(f"line {at}" for at in range(segments)) + "\n"
    (folder / "sources/zh-en.txt").write_text(lines)
    for name in ("refA", "synthetic_ref"):
        (folder / f"references/zh-en.{name}.txt").write_text(lines.replace("line", name))
    for name in systems:
        text = lines.replace("line", name)
        (folder / f"system-outputs/zh-en/{name}.txt").write_text(text)
    documents = "".join(f"news\td{at // 3}\n" for at in range(segments))
    (folder / "documents/zh-en.docs").write_text(documents)

    def rows(values: FloatArray) -> str:
        shown = (
            (name, "None" if np.isnan(value) else repr(float(value)))
            for name, row in zip(systems, values, strict=True)
            for value in row
        )
        return "".join(f"{name}\t{value}\n" for name, value in shown)

    files = {"human-scores/zh-en.mqm": gold}
    files |= {f"metric-scores/zh-en/{name}": values for name, values in metrics.items()}
    for name, values in files.items():
        (folder / f"{name}.seg.score").write_text(rows(values))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nobody rated synthetic_ref
            means = np.nanmean(values, axis=1, keepdims=True)
        (folder / f"{name}.sys.score").write_text(rows(means))
        (folder / f"{name}.domain.score").write_text(rows(means).replace("\t", "\tnews\t"))
    return gold, metrics


def _best_accuracy(
    gold: FloatArray, metric: FloatArray, thresholds: list[float] | None = None
) -> float:
    """Accuracy with ties by item, the best over all thresholds (Deutsch et al. 2023), brute force.

    A pair counts where people rated both outputs; an item without a pair leaves the mean.
    """
    items = []
    for item in range(gold.shape[1]):
        rated = np.flatnonzero(~np.isnan(gold[:, item]) & ~np.isnan(metric[:, item]))
        pairs = [(i, j) for i in rated for j in rated if i < j]
        if pairs:
            off = [(gold[i, item] - gold[j, item], metric[i, item] - metric[j, item])
                   for i, j in pairs]  # fmt: skip
            items.append(off)
    thresholds = thresholds or sorted({0.0, *(abs(other) for off in items for _, other in off)})
    found = []
    for least in thresholds:
        right = [
            np.mean([np.sign(own) == (0 if abs(other) <= least else np.sign(other))
                     for own, other in off])
            for off in items
        ]  # fmt: skip
        found.append(float(np.mean(right)))
    return max(found)


def test_a_folder_of_wmt23_by_command(tmp_path: Path) -> None:
    """Calibrated and plain acc_eq of the layout of WMT23, and pairwise accuracy of systems."""
    gold, metrics = _wmt23_style(tmp_path, False)
    options = ("--lang", "zh-en", "--gold", "mqm", "--resamples", "0", "--permutations", "1")
    found = patmark_json(tmp_path, "meta", tmp_path, *options, "--level", "segment")
    rows = {row["metric"]: row for row in found["rows"]}
    assert list(rows) == ["XCOMET-refA", "chrF-refA"]
    whole = patmark_json(tmp_path, "meta", tmp_path, *options, "--without", "refA")
    systems = {row["metric"]: row for row in whole["rows"]}
    for name, values in metrics.items():
        assert rows[name]["acc_eq_calibrated"] == pytest.approx(
            _best_accuracy(gold[:4], values[:4])
        )
        plain = _best_accuracy(gold[:4], values[:4], thresholds=[0.0])
        assert rows[name]["acc_eq"] == pytest.approx(plain)
        at_best = _best_accuracy(gold[:4], values[:4], thresholds=[rows[name]["epsilon"] + 1e-9])
        assert at_best == pytest.approx(rows[name]["acc_eq_calibrated"])
        means = np.nanmean(gold[:4], axis=1), values[:4].mean(axis=1)
        right = [
            np.sign(means[0][i] - means[0][j]) == np.sign(means[1][i] - means[1][j])
            for i in range(4)
            for j in range(i)
        ]
        assert systems[name]["pairwise_accuracy"] == pytest.approx(np.mean(right))
    assert any("synthetic_ref" in note for note in found["notes"])
    assert sum("mqm.domain.score and 2 other files" in note for note in found["notes"]) == 1


@pytest.mark.parametrize("uneven", [False, True])
def test_skipped_segments_and_outputs_are_read_as_published(tmp_path: Path, uneven: bool) -> None:
    gold, metrics = _wmt23_style(tmp_path, uneven)
    sources = read_sources([str(tmp_path)], pair="zh-en")
    if uneven:
        with pytest.raises(InputError, match="mqm covers 3 segments for some systems only"):
            build_panel(sources, "mqm")
    panel = build_panel(sources, "mqm", allow_partial=uneven)
    assert panel.systems == ("A", "B", "C", "D", "refA")
    assert panel.gold.of_segments is not None
    np.testing.assert_array_equal(panel.gold.of_segments, gold[:5])
    np.testing.assert_allclose(panel.gold.of_systems, np.nanmean(gold[:5], axis=1))
    settings = MetaSettings("segment", permutations=1, sampling=Sampling(resamples=0))
    found = {row.metric: row for row in evaluate_metrics(panel, settings).rows}
    for name, values in metrics.items():
        agreement = found[name].agreement
        best = _best_accuracy(gold[:4], values[:4])
        assert agreement["acc_eq calibrated"].value == pytest.approx(best)
        assert found[name].n == np.count_nonzero(~np.isnan(gold[:4]))
