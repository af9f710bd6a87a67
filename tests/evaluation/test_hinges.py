"""A verdict that rests on one document is flagged."""

from __future__ import annotations

import numpy as np

from patmark.data.scores import FloatArray
from patmark.evaluation.comparison import CompareSettings, Comparison, compare
from patmark.evaluation.comparison_tables import comparison_findings
from patmark.evaluation.scoring import Sampling
from patmark.report import message_texts
from score_arrays import scores_of


def _compared(differences: FloatArray, documents: list[str | None] | None = None) -> Comparison:
    """Compare two systems with these differences, in a document each."""
    values = np.stack([differences, np.zeros(len(differences))])
    known = documents or [f"D{number}" for number in range(len(differences))]
    settings = CompareSettings(Sampling(resamples=500))
    return compare({"m": scores_of(values.tolist(), "m")}, known, settings)


def _borderline(count: int) -> FloatArray:
    """Differences that are significant, and would not be without the first."""
    rng = np.random.default_rng(3)
    rest = rng.normal(size=count - 1)
    rest = (rest - rest.mean()) / rest.std() + 1.9 / np.sqrt(count - 1)
    return np.array([1.2, *rest])


def test_the_document_that_a_verdict_hinges_on_is_named_in_json_and_findings() -> None:
    for count in (16, 40):
        found = _compared(_borderline(count))
        [pair] = found.measures["m"].pairs
        assert pair.significant, count
        others = [
            _compared(np.delete(_borderline(count), place)).measures["m"].pairs[0].significant
            for place in range(count)
        ]
        assert not all(others)
        assert pair.hinges_on == f"D{others.index(False)}" or others.count(False) > 1
        assert found.to_json()["measures"]["m"]["pairs"][0]["hinges_on"] == pair.hinges_on
        texts = message_texts(comparison_findings(found))
        assert any(f"s0 and s1 ({pair.hinges_on})" in text for text in texts)


def test_clear_and_insignificant_differences_and_single_segments_hinge_on_nothing() -> None:
    rng = np.random.default_rng(4)
    for differences in (rng.normal(2, 1, 30), rng.normal(0, 1, 30)):
        assert _compared(differences).measures["m"].pairs[0].hinges_on is None
    alone: list[str | None] = [None] * 40
    assert _compared(_borderline(40), alone).measures["m"].pairs[0].hinges_on is None


def test_six_documents_cannot_spare_one() -> None:
    [pair] = _compared(np.arange(1.0, 7.0)).measures["m"].pairs
    assert pair.significant and pair.hinges_on is not None
