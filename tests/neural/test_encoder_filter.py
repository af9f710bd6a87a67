"""Pairs of a build scored by a sentence encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo_builds import built, demo_pipeline
from patmark.collections.corpus.build.encoder_scores import encoder_signature, score_pairs
from patmark.data.model import TestSet
from patmark.engine.datasets import batch_of, iter_rows
from patmark.engine.engine import LocalEngine
from patmark.errors import UsageError
from patmark.measures.neural.embeddings import SimCSE

_SCHEMA = {"place": "int64", "left_out": "string", "source": "string", "target": "string"}


def test_scores_are_cosines_of_pairs_that_are_not_cut(bert: str) -> None:
    rows = [
        {"place": 1, "left_out": "", "source": "a valve", "target": "the housing"},
        {"place": 2, "left_out": "cut", "source": "a", "target": "the"},
        {"place": 3, "left_out": "", "source": "a spring", "target": "a spring"},
    ]
    [found] = score_pairs(bert, ("zh", "en"), batch_of(rows, _SCHEMA))
    measure = SimCSE(model=bert, pooling="mean")
    [expected] = measure.segment_scores(TestSet.of(["the housing"]), ("a valve",))
    assert found.to_pylist() == [
        {"place": 1, "score": pytest.approx(expected, abs=1e-4)},
        {"place": 3, "score": 1.0},
    ]


def test_an_encoder_is_a_filter_of_a_build(bert: str, tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path / "demo", 4, align='method = "gale-church"')
    text = pipeline.read_text(encoding="utf-8")
    pipeline.write_text(f'{text}\n[filters]\nencoder = "{bert}"\nencoder_score = 1.0\n')
    found = built(pipeline, tmp_path / "out", LocalEngine(1))
    assert "encoded" in found.done
    count = found.facts["pairs"]["filters"]["encoder"]
    rows = list(iter_rows(tmp_path / "out/pairs.parquet"))
    assert count == sum("encoder" in row["reasons"].split() for row in rows) > 0


def test_an_encoder_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="no folder"):
        encoder_signature("./nothing")
