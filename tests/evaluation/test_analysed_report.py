"""The long report of a comparison: where differences come from, measure by measure."""

from __future__ import annotations

from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.evaluation.analysis import analysed_report
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import SYSTEMS, example_path

_SETTINGS = CompareSettings(Sampling(resamples=20), trials=100)


def test_every_compared_measure_is_broken_down() -> None:
    folder = example_path("ja_en")
    test_set = read_line_test_set([folder / "reference.en"], target_language="en")
    runs = [read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS[:2]]
    measures = ["BLEU", "TER", "length-ratio"]
    evaluation = evaluate(test_set, runs, measures, _SETTINGS.sampling)
    report = analysed_report(evaluation, compare(evaluation.scores, test_set.documents, _SETTINGS))
    sections = [table.section for table in report.tables if " by kind of segment" in table.section]
    assert list(dict.fromkeys(sections)) == [
        "BLEU by kind of segment", "TER by kind of segment",
    ]  # fmt: skip
    titles = [table.title for table in report.tables]
    for facet in ("reference length", "numbers", "term frequency"):
        assert f"BLEU by {facet}" in titles and f"TER by {facet}" in titles
