"""MoverScore: exact transport, checked against assignments that are tried one by one."""

from __future__ import annotations

from itertools import permutations
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.model import TestSet
from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.measures.neural.embeddings import MoverScore, ngram_units, transport_cost

HYPOTHESIS = "a seat, wherein said steel housing"
REFERENCE = "the valve of claim (steel) device"
WEIGHTS = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def _word_vectors(folder: str, text: str) -> tuple[list[str], FloatArray]:
    """Words (all are single tokens here) without punctuation, with unit vectors."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    encoded = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(folder).eval()(**encoded).last_hidden_state[0].numpy()
    tokens = tokenizer.convert_ids_to_tokens(encoded["input_ids"][0].tolist())
    kept = [at for at, token in enumerate(tokens) if token.isalpha()]
    vectors = states[kept].astype(np.float64)
    return [tokens[at] for at in kept], vectors / np.linalg.norm(vectors, axis=1)[:, None]


def _best_assignment(own: FloatArray, other: FloatArray) -> float:
    """The least mean distance over all ways of pairing equally many units."""
    distances = [[float(np.linalg.norm(a - b)) for b in other] for a in own]
    return min(
        sum(distances[i][j] for i, j in enumerate(order)) / len(own)
        for order in permutations(range(len(other)))
    )


@pytest.mark.parametrize("n", [1, 2])
def test_equals_the_best_of_all_assignments(bert: str, n: int) -> None:
    units = []
    for text in (HYPOTHESIS, REFERENCE):
        words, vectors = _word_vectors(bert, text)
        assert len(words) == 6
        grams = np.array([vectors[at : at + n].mean(axis=0) for at in range(len(words) - n + 1)])
        units.append(grams / np.linalg.norm(grams, axis=1)[:, None])
    measure = MoverScore(model=bert, idf=False, n=n)
    scores = measure.segment_scores(TestSet.of([REFERENCE]), (HYPOTHESIS,))
    assert scores[0] == pytest.approx(1 - _best_assignment(*units), abs=1e-5)


def test_idf_weighs_words_by_the_references(bert: str) -> None:
    references = ["the valve", "the seat", "the steel housing"]
    test_set = TestSet.of(references)
    weight = {"the": 0.0, "valve": log(2), "seat": log(2), "spring": log(4)}
    words, own = _word_vectors(bert, "the seat spring")
    others, other = _word_vectors(bert, references[0])
    assert (words, others) == (["the", "seat", "spring"], ["the", "valve"])
    total = weight["seat"] + weight["spring"]
    moved = sum(
        weight[word] / total * float(np.linalg.norm(own[at] - other[1]))
        for at, word in enumerate(words)
    )
    hypotheses = ("the seat spring", *references[1:])
    scores = MoverScore(model=bert).segment_scores(test_set, hypotheses)
    assert scores == pytest.approx([1 - moved, 1.0, 1.0], abs=1e-5)


@settings(max_examples=40)
@given(WEIGHTS, WEIGHTS, st.integers(0, 99))
def test_transport_is_the_best_assignment_of_grains(
    supply: list[int], demand: list[int], seed: int
) -> None:
    """Whole weights are heaps of grains, which an assignment solver can pair one by one."""
    from scipy.optimize import linear_sum_assignment

    costs = np.random.default_rng(seed).random((len(supply), len(demand)))
    rows = np.repeat(np.arange(len(supply)), np.array(supply) * sum(demand))
    columns = np.repeat(np.arange(len(demand)), np.array(demand) * sum(supply))
    grains = costs[np.ix_(rows, columns)]
    best = grains[linear_sum_assignment(grains)].sum() / len(rows)
    found = transport_cost(np.array(supply, float), np.array(demand, float), costs)
    assert found == pytest.approx(best, abs=1e-9)


def test_identical_texts_score_one(bert: str, small_set: TestSet) -> None:
    texts = tuple(segment.references[0] for segment in small_set)
    for n in (1, 2):
        scores = MoverScore(model=bert, n=n).segment_scores(small_set, texts)
        assert scores == pytest.approx([1.0] * 3, abs=1e-6)


def test_a_text_without_words_scores_zero(bert: str, small_set: TestSet) -> None:
    scores = MoverScore(model=bert, idf=False).segment_scores(small_set, ("", ". ,", "a"))
    assert scores[:2].tolist() == [0.0, 0.0] and scores[2] != 0


def test_a_text_shorter_than_an_ngram_is_one_unit() -> None:
    vectors, weights = ngram_units(np.eye(3)[:1], np.array([2.0]), 2)
    assert vectors.tolist() == [[1, 0, 0]] and weights.tolist() == [2]
    assert len(ngram_units(np.empty((0, 3)), np.empty(0), 2)[1]) == 0


def test_parameters_are_checked(bert: str) -> None:
    with pytest.raises(UsageError, match="n=3 is unknown; choose from 1, 2"):
        MoverScore(model=bert, n=3)
    with pytest.raises(UsageError, match="give idf=no"):
        MoverScore(model=bert).segment_scores(TestSet.of(["a valve"]), ("a seat",))
    assert "transport:exact-highs-ds" in MoverScore(model=bert).signature(TestSet.of(["a"]))


def test_a_paraphrase_beats_another_claim(minilm: str) -> None:
    reference = "A valve comprising a housing, a seat and a spring that urges a disc to the seat."
    hypotheses = (
        "A valve having a body, a seat and a spring pressing a disc onto the seat.",
        "A method of encoding video by dividing a frame into blocks.",
    )
    scores = MoverScore(model=minilm, idf=False).segment_scores(
        TestSet.of([reference, reference]), hypotheses
    )
    assert scores[0] > scores[1] + 0.1
