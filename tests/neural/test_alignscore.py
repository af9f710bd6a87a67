"""AlignScore: best part of the reference for each sentence, mean over sentences."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.data.model import TestSet
from patmark.errors import InputError, UsageError
from patmark.measures.neural.alignscore import AlignScore, packed

REFERENCE = "a valve comprising a housing. the spring is steel. a method of said seat"
HYPOTHESIS = "a device; the spring is made of steel"


def _aligned(folder: str, context: str, sentence: str) -> float:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    encoded: Any = AutoTokenizer.from_pretrained(folder)(context, sentence, return_tensors="pt")
    with torch.no_grad():
        network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
        return float(network(**encoded).logits[0].double().softmax(-1)[0])


@pytest.mark.parametrize("kind", ["roberta_classifier", "bert_classifier"])
def test_equals_maximum_over_parts_and_mean_over_sentences(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(kind)
    parts = ["a valve comprising a housing.", "the spring is steel.", "a method of said seat"]
    sentences = ["a device;", "the spring is made of steel"]
    expected = sum(
        max(_aligned(folder, part, sentence) for part in parts) for sentence in sentences
    ) / len(sentences)
    measure = AlignScore(model=folder, chunk=7, aligned=0)
    scores = measure.segment_scores(TestSet.of([REFERENCE]), (HYPOTHESIS,))
    assert scores[0] == pytest.approx(expected, abs=1e-5)


def test_sentences_share_a_part_as_long_as_they_fit(roberta_classifier: str) -> None:
    first = "a valve comprising a housing. the spring is steel."
    sentence = "a device"
    expected = max(
        _aligned(roberta_classifier, part, sentence) for part in (first, "a method of said seat")
    )
    scores = AlignScore(model=roberta_classifier, chunk=12).segment_scores(
        TestSet.of([REFERENCE]), (sentence,)
    )
    assert scores[0] == pytest.approx(expected, abs=1e-5)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 20))
def test_parts_hold_every_token_once(lengths: list[int], most: int) -> None:
    ends = [sum(lengths[: at + 1]) for at in range(len(lengths))]
    spans = packed(ends, most)
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == ends[-1]
    assert all(0 < end - start <= most for start, end in spans)


def test_long_sentences(roberta_classifier: str) -> None:
    long = " ".join(["the valve"] * 20)
    test_set = TestSet.of(["a valve and a seat"])
    with pytest.raises(InputError, match=r"longest sentence has 40 tokens, .* takes 16"):
        AlignScore(model=roberta_classifier, chunk=20).statistics(test_set, [long])
    whole = AlignScore(model=roberta_classifier, chunk=20, long="window")
    assert 0 < whole.segment_scores(test_set, (long,))[0] < 1
    with pytest.warns(UserWarning, match="1 texts are cut to 16 tokens"):
        AlignScore(model=roberta_classifier, chunk=20, long="cut").statistics(test_set, [long])


def test_the_class_is_found_by_its_name_or_given(
    roberta_classifier: str, bert_classifier: str
) -> None:
    test_set = TestSet.of(["a valve"])
    named = AlignScore(model=roberta_classifier, chunk=20)
    assert "|aligned:0|" in named.signature(test_set)
    with pytest.raises(UsageError, match=r"LABEL_2.*give its number, e.g. aligned=0"):
        AlignScore(model=bert_classifier, chunk=20).statistics(test_set, ["a valve"])
    total = sum(
        AlignScore(model=bert_classifier, chunk=20, aligned=at).segment_scores(
            test_set, ("a seat",)
        )[0]
        for at in range(3)
    )
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"chunk": 0}, "at least 1"), ({"aligned": 3}, "between -1 and 2")],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        AlignScore(model="x", **parameters)


def test_a_part_must_leave_room_for_a_sentence(roberta_classifier: str) -> None:
    with pytest.raises(UsageError, match="chunk=350 leaves no room"):
        AlignScore(model=roberta_classifier).statistics(TestSet.of(["a valve"]), ["a seat"])


def test_nothing_said_is_nothing_aligned(roberta_classifier: str) -> None:
    scores = AlignScore(model=roberta_classifier, chunk=20).segment_scores(
        TestSet.of(["a valve"]), ("",)
    )
    assert scores.tolist() == [0.0]
