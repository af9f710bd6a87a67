"""BARTScore and UniEval: probabilities of tokens, one step of the decoder after the other."""

from __future__ import annotations

import math
from typing import Any

import pytest

from patmark.data.model import TestSet
from patmark.errors import InputError, UsageError
from patmark.measures.neural.generation import BARTScore, UniEval, question

REFERENCES = ["a valve comprising a housing and a spring", "the spring is steel", "a method"]
HYPOTHESES = ("a device comprising a seat", "the spring is made of steel", "a method of said seat")


def _log_probabilities(network: Any, source: Any, prefix: list[int]) -> Any:
    """What the decoder says after a prefix, computed for that prefix alone."""
    import torch

    with torch.no_grad():
        logits = network(**source, decoder_input_ids=torch.tensor([prefix])).logits[0, -1]
    return torch.log_softmax(logits.double(), dim=-1)


def _likelihood(folder: str, given: str, target: str) -> float:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    network: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    source = tokenizer(given, return_tensors="pt", return_token_type_ids=False)
    prefix, total = [network.config.decoder_start_token_id], 0.0
    ids = tokenizer(target)["input_ids"]
    for token in ids:
        total += float(_log_probabilities(network, source, prefix)[token])
        prefix.append(token)
    return total / len(ids)


def test_bartscore_equals_a_walk_through_the_decoder(bart: str) -> None:
    pairs = list(zip(HYPOTHESES, REFERENCES, strict=True))
    precision = [_likelihood(bart, reference, hypothesis) for hypothesis, reference in pairs]
    recall = [_likelihood(bart, hypothesis, reference) for hypothesis, reference in pairs]
    both = [(p + r) / 2 for p, r in zip(precision, recall, strict=True)]
    test_set = TestSet.of(REFERENCES)
    for part, expected in (("precision", precision), ("recall", recall), ("f", both)):
        scores = BARTScore(model=bart, part=part).segment_scores(test_set, HYPOTHESES)
        assert scores == pytest.approx(expected, abs=1e-5)


def test_bartscore_of_an_empty_text_is_its_likelihood(bart: str) -> None:
    scores = BARTScore(model=bart, part="precision").segment_scores(TestSet.of(["a seat"]), ("",))
    assert scores[0] == pytest.approx(_likelihood(bart, "a seat", ""), abs=1e-5)


@pytest.mark.parametrize("measure_class", [BARTScore, UniEval])
def test_long_texts_are_refused_or_cut(measure_class: type, bart: str) -> None:
    long = " ".join(["the valve"] * 30)
    test_set = TestSet.of([long])
    measure = measure_class(model=bart, limit=40)
    with pytest.raises(InputError, match="give long=cut, or a model for longer texts"):
        measure.statistics(test_set, ["a seat"])
    with pytest.warns(UserWarning, match="1 texts are cut"):
        measure_class(model=bart, limit=40, long="cut").statistics(test_set, ["a seat"])
    with pytest.raises(UsageError, match="long=window is unknown; choose from refuse, cut"):
        measure_class(model=bart, long="window")


def test_unieval_is_the_share_of_yes(t5: str) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(t5)
    network: Any = AutoModelForSeq2SeqLM.from_pretrained(t5).eval()
    yes, no = (tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))
    expected = []
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        source = tokenizer(
            "question: Is this summary relevant to the reference? </s> "
            f"summary: {hypothesis} </s> reference: {reference}",
            return_tensors="pt",
            return_token_type_ids=False,
        )
        said = _log_probabilities(network, source, [network.config.decoder_start_token_id])
        share = math.exp(said[yes]) / (math.exp(said[yes]) + math.exp(said[no]))
        expected.append(share)
    scores = UniEval(model=t5).segment_scores(TestSet.of(REFERENCES), HYPOTHESES)
    assert scores == pytest.approx(expected, abs=1e-5)
    assert len(set(scores)) == 3


def test_unieval_asks_in_the_published_form(t5: str) -> None:
    from transformers import AutoTokenizer

    ids = AutoTokenizer.from_pretrained(t5)(question("a seat", "a valve", "</s>"))["input_ids"]
    assert ids.count(1) == 3 and ids[-1] == 1


def test_unieval_takes_more_than_the_tokenizer_states(t5: str) -> None:
    long = " ".join(["the valve"] * 200)
    test_set = TestSet.of([long])
    assert UniEval(model=t5).statistics(test_set, [long]).shape == (1, 2)
    assert "|limit:1024|" in UniEval(model=t5).signature(test_set)
    with pytest.raises(InputError, match="the question with both texts has 8"):
        UniEval(model=t5, limit=0).statistics(test_set, [long])


def test_an_empty_answer_is_not_relevant(t5: str) -> None:
    assert UniEval(model=t5).segment_scores(TestSet.of(["a seat"]), ("",)).tolist() == [0.0]
