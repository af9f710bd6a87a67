"""SimCSE: cosines of text vectors, straight from the outputs of the network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from patmark.data.model import TestSet
from patmark.errors import UsageError
from patmark.measures.neural.embeddings import SimCSE

HYPOTHESES = ("a device and a seat", "the valve wherein said spring is steel", "a method")


def _vector(folder: str, text: str, pooling: str) -> Any:
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoded = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        outputs = AutoModel.from_pretrained(folder).eval()(**encoded)
    states = outputs.last_hidden_state[0].double().numpy()
    pooler = outputs.pooler_output[0].double().numpy()
    return {"cls": states[0], "mean": states.mean(axis=0), "pooler": pooler}[pooling]


@pytest.mark.parametrize("pooling", ["cls", "mean", "pooler"])
def test_equals_the_cosine_of_raw_outputs(bert: str, small_set: TestSet, pooling: str) -> None:
    expected = []
    for segment, hypothesis in zip(small_set, HYPOTHESES, strict=True):
        own = _vector(bert, hypothesis, pooling)
        other = _vector(bert, segment.references[0], pooling)
        expected.append(own @ other / np.linalg.norm(own) / np.linalg.norm(other))
    scores = SimCSE(model=bert, pooling=pooling).segment_scores(small_set, HYPOTHESES)
    assert scores == pytest.approx(expected, abs=1e-5)


def test_identical_texts_score_one_and_empty_ones_zero(bert: str, small_set: TestSet) -> None:
    texts = (small_set[0].references[0], "", small_set[2].references[0])
    scores = SimCSE(model=bert).segment_scores(small_set, texts)
    assert scores == pytest.approx([1.0, 0.0, 1.0], abs=1e-9)


def test_windows_read_all_of_a_long_text(bert: str) -> None:
    long = " ".join(["the valve comprising a housing and"] * 15)
    changed = long.rsplit(" ", 3)[0] + " method of steel"
    scores = SimCSE(model=bert, long="window", pooling="mean").segment_scores(
        TestSet.of([long, long]), (long, changed)
    )
    assert scores[0] == pytest.approx(1.0) and scores[1] < 1 - 1e-6


def test_a_pooler_that_was_never_trained_is_refused(bert_without_pooler: str) -> None:
    test_set = TestSet.of(["a valve"])
    with pytest.raises(UsageError, match="no pooler; give pooling=cls or mean"):
        SimCSE(model=bert_without_pooler).statistics(test_set, ["a valve"])
    scores = SimCSE(model=bert_without_pooler, pooling="cls").segment_scores(test_set, ("a valve",))
    assert scores == pytest.approx([1.0])


def test_a_paraphrase_beats_another_claim_on_real_weights(minilm: str) -> None:
    reference = "A valve comprising a housing, a seat and a spring that urges a disc to the seat."
    hypotheses = (
        "A valve having a body, a seat and a spring pressing a disc onto the seat.",
        "A method of encoding video by dividing a frame into blocks.",
    )
    scores = SimCSE(model=minilm, pooling="mean").segment_scores(
        TestSet.of([reference, reference]), hypotheses
    )
    assert scores[0] > 0.7 and scores[1] < 0.2
