"""Many systems and measures: p beyond the trials, and the cause if nothing can be significant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from patmark.data.scores import FloatArray, Scores
from patmark.evaluation.comparison import CompareSettings, Comparison, compare
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.scoring import Sampling
from patmark.report import message_texts
from patmark.report.formatting import p_text
from patmark.report.frames import to_csv
from patmark.report.latex import to_latex
from patmark.report.model import UpperBound
from patmark.report.terminal import to_text
from score_arrays import scores_of

SYSTEMS, MEASURES, SEGMENTS = 12, 9, 600


def _scores(systems: int, measures: int, segments: int) -> dict[str, Scores]:
    """Return measures of systems of which each is clearly worse than the one before."""
    rng = np.random.default_rng(0)
    steps = -0.4 * np.arange(systems)[:, None]
    values: list[FloatArray] = [rng.normal(steps, 1, (systems, segments)) for _ in range(measures)]
    return {f"m{n}": scores_of(one.tolist(), f"m{n}") for n, one in enumerate(values)}


def _compare(trials: int | None, systems: int = SYSTEMS, segments: int = SEGMENTS) -> Comparison:
    settings = CompareSettings(Sampling(resamples=200), trials=trials)
    return compare(_scores(systems, MEASURES, segments), [None] * segments, settings)


def test_twelve_systems_with_clear_differences_are_told_apart_by_nine_measures() -> None:
    found = _compare(None)
    assert len(found.verdict) == 66
    assert not any("too few" in text for text in _findings(found))


def _findings(comparison: Comparison) -> list[str]:
    return message_texts(comparison_report(comparison, "t", "s").findings)


def test_too_few_trials_are_named_and_not_the_segments() -> None:
    first, together, *_ = _findings(_compare(10_000))
    assert first.endswith("10000 draws are too few to tell.")
    assert "none can be significant from 10000 draws, of which at least 11880 are" in together


def test_too_few_segments_are_named_and_not_the_trials() -> None:
    first, together, *_ = _findings(_compare(10_000, 6, 12))
    assert first.endswith("12 units are too few to tell.")
    assert "none can be significant with 12 units" in together


@pytest.mark.parametrize("systems", [2, 5])
def test_a_bound_is_marked_wherever_p_is_printed(systems: int) -> None:
    found = _compare(99, systems)
    report = comparison_report(found, "t", "s")
    shown = f"<{systems * (systems - 1) / 2 / 100:.4f}"
    assert all(pair["p_bound"] for pair in found.to_json()["measures"]["m0"]["pairs"])
    assert shown in to_text(report, 300)
    assert f"$<${shown[1:]}" in to_latex(report)
    lines = [line for line in to_csv(report).splitlines() if ",p," in line]
    assert lines and all(line.endswith(",0.01,0.0,0.01,") for line in lines)


def test_an_upper_bound_is_rounded_up() -> None:
    assert p_text(UpperBound(0.03301), 4) == "<0.0331"
    assert p_text(UpperBound(1e-30), 4) == "<0.0001"
    assert p_text(UpperBound(1.0), 4) == "1.0000"


def test_a_single_long_document_beside_loose_segments_is_no_evidence() -> None:
    """The interval holds zero, since one document has nearly all segments."""
    values = np.stack([np.ones(60), np.zeros(60)])
    scores = {"m": replace(scores_of(values.tolist(), "m"), rate=True, bounds=(0.0, 1.0))}
    [pair] = compare(scores, ["D"] * 55 + [None] * 5).measures["m"].pairs
    assert pair.p == 2 / 64 and pair.ci is not None and pair.ci[0] < 0
    assert not pair.significant and not pair.significant_family


def test_the_same_difference_everywhere_has_neither_an_interval_nor_a_t_test() -> None:
    scores = {"m": scores_of([[0.4, 0.6], [0.1, 0.3]], "m")}
    [pair] = compare(scores, [None, None]).to_json()["measures"]["m"]["pairs"]
    assert (pair["p_t"], pair["ci"]) == (None, [None, None])
