"""The order of rows changes no number of a comparison, an evaluation or a meta-evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from patmark.data.scores import FloatArray, Scores
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.meta.agreement import MetaSettings
from patmark.evaluation.meta.panel import build_panel, scores_source
from patmark.evaluation.meta.report import evaluate_metrics
from patmark.evaluation.scoring import Sampling
from patmark.measures.registry import parse_measure
from patmark.report import plain
from score_arrays import scores_of

SYSTEMS, SEGMENTS = 3, 60
_SAMPLING = Sampling(resamples=100)


def _data() -> dict[str, Scores]:
    """A mean, and BLEU of segments of 12 to 40 words."""
    rng = np.random.default_rng(4)
    length = rng.integers(12, 40, SEGMENTS)
    possible = np.stack([length - order for order in range(4)], axis=-1)
    rows = [
        np.column_stack([length, length, rng.binomial(possible, share), possible])
        for share in (0.7, 0.65, 0.6)
    ]
    mean = scores_of(rng.random((SYSTEMS, SEGMENTS)).tolist(), "mean")
    bleu = parse_measure("BLEU").described()
    return {
        "mean": mean,
        "BLEU": replace(
            bleu, systems=mean.systems, segments=mean.segments,
            statistics=np.array(rows, dtype=np.float64),
        ),
    }  # fmt: skip


def _shuffled(scores: Scores, order: FloatArray) -> Scores:
    return replace(
        scores,
        segments=tuple(scores.segments[place] for place in order),
        statistics=scores.statistics[:, order],
    )


@pytest.mark.parametrize("known", [54, 0])
def test_a_comparison_and_its_scores_do_not_depend_on_the_order_of_rows(known: int) -> None:
    documents = [f"D{row // 3}" if row < known else None for row in range(SEGMENTS)]
    rng, found = np.random.default_rng(0), []
    for number in range(4):
        order = rng.permutation(SEGMENTS) if number else np.arange(SEGMENTS)
        scores = {name: _shuffled(one, order) for name, one in _data().items()}
        own = tuple(documents[place] for place in order)
        result = compare(scores, own, CompareSettings(_SAMPLING)).to_json()
        estimates = Evaluation(scores=scores, documents=own, sampling=_SAMPLING).estimates
        found.append((result, estimates))
    assert all(one == found[0] for one in found[1:])


@pytest.mark.parametrize("level", ["system", "segment"])
def test_a_meta_evaluation_does_not_depend_on_the_order_of_rows(level: Any) -> None:
    rng = np.random.default_rng(1)
    gold = rng.integers(1, 6, (6, 40)).astype(np.float64)
    scores = {
        "gold": scores_of(gold.tolist(), "gold"),
        "good": scores_of((gold + rng.normal(size=gold.shape)).tolist(), "good"),
        "poor": scores_of((gold + 4 * rng.normal(size=gold.shape)).tolist(), "poor"),
    }
    settings = MetaSettings(level=level, sampling=_SAMPLING, permutations=100)
    found = []
    for number in range(3):
        order = rng.permutation(40) if number else np.arange(40)
        shuffled = {name: _shuffled(one, order) for name, one in scores.items()}
        source = scores_source("test", shuffled, [None] * 40, {})
        result = evaluate_metrics(build_panel([source], "gold"), settings)
        text = json.dumps(plain(result.to_json()))
        found.append(json.loads(text, parse_float=lambda number: round(float(number), 12)))
    assert all(one == found[0] for one in found[1:])
