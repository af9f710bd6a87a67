"""PatSnap systems are compared on the rows that all of them answered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from patmark.data.model import Run, TestSet
from patmark.errors import InputError
from patmark.evaluation.comparison import CompareSettings, compare, pair_rows
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling
from patmark.examples import example_path
from patmark.protocols.patsnap.bench_files import read_patsnap
from patmark.protocols.patsnap.report import patsnap_comparison_report
from patmark.protocols.patsnap.scoring import (
    PatsnapEvaluation,
    PatsnapOptions,
    score_patsnap,
    without_rows,
)
from patmark.report import message_texts

_SAMPLING = Sampling(resamples=100)
_FAST = CompareSettings(_SAMPLING, trials=500)
_PARTIAL = PatsnapOptions(allow_partial=True, sampling=_SAMPLING)
_WORST = 30


@pytest.fixture(scope="module")
def bench() -> tuple[TestSet, Run]:
    return read_patsnap(example_path("patsnap_cn2en") / "borealis.jsonl", "cn2en")


@pytest.fixture(scope="module")
def picked(bench: tuple[TestSet, Run]) -> PatsnapEvaluation:
    """A system beside itself without its worst rows, which it did not answer."""
    test_set, run = bench
    whole = score_patsnap(test_set, [run], _PARTIAL)
    order = np.argsort(np.nan_to_num(whole.values("accuracy")[0], nan=2.0), kind="stable")
    worst = {whole.test_set[row].id for row in order[:_WORST]}
    texts = [
        None if segment.id in worst else text
        for segment, text in zip(test_set, run.hypotheses, strict=True)
    ]
    return score_patsnap(test_set, [run, Run("cherry", tuple(texts))], _PARTIAL)


def test_identical_answers_are_never_different(picked: PatsnapEvaluation) -> None:
    assert picked.overall("cherry").value > picked.overall("borealis").value + 2
    result = compare(picked.scores, picked.test_set.documents, _FAST)
    for measure in result.measures.values():
        [pair] = measure.pairs
        assert np.isnan(pair.delta) or (pair.delta, pair.p) == (0, 1)
        assert len(measure.clusters or ()) <= 1
    assert len(result.left_out.rows) == _WORST
    assert result.left_out.unanswered == {"cherry": _WORST}
    assert result.segments == len(picked.test_set) - _WORST
    read = result.to_json()["left_out"]
    assert (read["segments"], read["unanswered"]) == (_WORST, {"cherry": _WORST})
    assert read["ids"] == list(result.left_out.rows)


def test_the_report_says_so_first_and_shows_the_rows_compared(picked: PatsnapEvaluation) -> None:
    result = compare(picked.scores, picked.test_set.documents, _FAST)
    report = patsnap_comparison_report(picked, result)
    total = len(picked.test_set)
    first = message_texts(report.findings)[0]
    assert first.startswith(f"Warning: 30 of {total} rows are left out for all systems")
    assert "cherry 30" in first
    overall = {headline.system: headline.estimate.value for headline in report.headlines}
    assert overall["cherry"] == overall["borealis"]
    assert report.explorer is not None and len(report.explorer.test_set) == total - _WORST


def test_saved_scores_are_paired_too(picked: PatsnapEvaluation, tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    save_scores(path, picked.scores, picked.test_set.documents)
    saved = read_scores(path)
    again = compare(saved.scores, saved.documents, _FAST)
    assert again.left_out == compare(picked.scores, picked.test_set.documents, _FAST).left_out
    assert again.measures["overall"].pairs[0].p == 1


def test_rows_counted_as_wrong_stay(picked: PatsnapEvaluation) -> None:
    strict = score_patsnap(picked.test_set, picked.runs, replace(_PARTIAL, allow_partial=False))
    result = compare(strict.scores, strict.test_set.documents, _FAST)
    assert result.left_out.rows == () and result.segments == len(strict.test_set)
    assert result.measures["overall"].ranking[0] == "borealis"


def test_no_row_in_common_is_refused(bench: tuple[TestSet, Run]) -> None:
    test_set, run = bench
    halves = [
        Run(name, tuple(t if row % 2 == rest else None for row, t in enumerate(run.hypotheses)))
        for rest, name in enumerate(("even", "odd"))
    ]
    result = score_patsnap(test_set, halves, _PARTIAL)
    with pytest.raises(InputError, match="no row is answered by all of even, odd"):
        pair_rows(result.scores, result.test_set.documents)


def test_a_result_without_some_rows_is_that_of_the_others(bench: tuple[TestSet, Run]) -> None:
    test_set, run = bench
    whole = score_patsnap(test_set, [run], _PARTIAL)
    ids = [segment.id for segment in whole.test_set][10:]
    less = without_rows(whole, ids)
    direct = score_patsnap(
        replace(whole.test_set, segments=whole.test_set.segments[:10]),
        [replace(run, hypotheses=whole.runs[0].hypotheses[:10])],
        _PARTIAL,
    )
    assert less.estimates == direct.estimates
    assert less.units.count == direct.units.count
