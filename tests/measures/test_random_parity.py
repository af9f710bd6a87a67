"""2,000 random pairs: equal to sacreBLEU, NLTK, rouge-score and rouge."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import sacrebleu.metrics as peer
import sacrebleu.metrics.ter as peer_ter
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from patmark.data.model import TestSet
from patmark.languages import tokenize_all
from patmark.measures.registry import parse_measure

Pairs = tuple[list[str], list[str]]

_SACREBLEU = {
    "BLEU": peer.BLEU(),
    "BLEU(case=lower)": peer.BLEU(lowercase=True),
    "BLEU(smooth=floor)": peer.BLEU(smooth_method="floor"),
    "BLEU(smooth=add-k)": peer.BLEU(smooth_method="add-k"),
    "BLEU(smooth=none)": peer.BLEU(smooth_method="none"),
    "BLEU(tok=intl)": peer.BLEU(tokenize="intl"),
    "BLEU(tok=char)": peer.BLEU(tokenize="char"),
    "BLEU(tok=none)": peer.BLEU(tokenize="none", force=True),
    "BLEU(n=2)": peer.BLEU(max_ngram_order=2),
    "chrF": peer.CHRF(),
    "chrF(words=2)": peer.CHRF(word_order=2),
    "chrF(case=lower)": peer.CHRF(lowercase=True),
    "chrF(eps=yes)": peer.CHRF(eps_smoothing=True),
    "TER": peer.TER(),
}


@pytest.fixture(scope="module", autouse=True)
def _pairs_are_edited_once() -> Iterator[None]:
    """Let sacreBLEU remember the edits of a pair, which it is asked for by several tests."""
    count = peer_ter.translation_edit_rate

    @cache
    def edits(words: tuple[str, ...], others: tuple[str, ...]) -> tuple[int, int]:
        return count(list(words), list(others))

    def remembered(words: list[str], others: list[str]) -> tuple[int, int]:
        return edits(tuple(words), tuple(others))

    with patch.object(peer_ter, "translation_edit_rate", remembered):
        yield


def _for_ter(pairs: Pairs) -> Pairs:
    """500 whole pairs and the beginnings of the others, on which sacreBLEU is far quicker."""
    hypotheses, references = (
        [*texts[:500], *(text[:200] for text in texts[500:])] for texts in pairs
    )
    return hypotheses, references


@pytest.mark.parametrize("name", _SACREBLEU)
def test_corpus_equals_sacrebleu(name: str, random_pairs: Pairs) -> None:
    hypotheses, references = _for_ter(random_pairs) if name == "TER" else random_pairs
    measure = parse_measure(name)
    statistics = measure.statistics(TestSet.of(references), hypotheses)
    expected = _SACREBLEU[name].corpus_score(hypotheses, [references]).score
    assert float(measure.score(statistics.sum(axis=0))) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["BLEU", "chrF", "chrF(words=2)", "TER"])
def test_two_references_equal_sacrebleu(name: str, random_pairs: Pairs) -> None:
    hypotheses, references = (texts[: 100 if name == "TER" else 300] for texts in random_pairs)
    second = [*references[1:], references[0]]
    measure = parse_measure(name)
    test_set = TestSet.of(list(zip(references, second, strict=True)))
    statistics = measure.statistics(test_set, hypotheses)
    expected = _SACREBLEU[name].corpus_score(hypotheses, [references, second]).score
    assert float(measure.score(statistics.sum(axis=0))) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["chrF", "TER", "BLEU(effective=yes)"])
def test_segments_equal_sacrebleu(name: str, random_pairs: Pairs) -> None:
    hypotheses, references = (texts[:500] for texts in random_pairs)
    measure = parse_measure(name)
    program = _SACREBLEU.get(name, peer.BLEU(effective_order=True))
    own = measure.score(measure.statistics(TestSet.of(references), hypotheses))
    expected = [
        program.sentence_score(hypothesis, [reference]).score
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    np.testing.assert_allclose(own, expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("BLEU", peer.BLEU(tokenize="zh")),
        ("BLEU(tok=char)", peer.BLEU(tokenize="char")),
        ("BLEU(tok=ja-mecab)", peer.BLEU(tokenize="ja-mecab")),
        ("chrF", peer.CHRF()),
    ],
)
def test_chinese_equals_sacrebleu(name: str, program: Any, random_chinese_pairs: Pairs) -> None:
    hypotheses, references = random_chinese_pairs
    measure = parse_measure(name)
    statistics = measure.statistics(TestSet.of(references, target_language="zh"), hypotheses)
    expected = program.corpus_score(hypotheses, [references]).score
    assert float(measure.score(statistics.sum(axis=0))) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_sentence_bleu_equals_nltk(n: int, random_pairs: Pairs) -> None:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu

    hypotheses, references = random_pairs
    own_tokens = tokenize_all(tuple(hypotheses), "13a")
    other_tokens = tokenize_all(tuple(references), "13a")
    test_set = TestSet.of(references)
    for smooth, function in (("none", "method0"), ("method1", "method1"), ("method2", "method2")):
        measure = parse_measure(f"BLEU(variant=nltk,n={n},smooth={smooth})")
        own = measure.score(measure.statistics(test_set, hypotheses))
        smoothing = getattr(SmoothingFunction(), function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NLTK warns of orders without a match
            expected = [
                sentence_bleu([other], words, (1 / n,) * n, smoothing) if words else 0.0
                for words, other in zip(own_tokens, other_tokens, strict=True)
            ]
        np.testing.assert_allclose(own, expected, atol=1e-9, rtol=0)
    measure = parse_measure(f"BLEU(variant=nltk-corpus,n={n})")
    own_corpus = float(measure.score(measure.statistics(test_set, hypotheses).sum(axis=0)))
    expected_corpus = corpus_bleu([[words] for words in other_tokens], own_tokens, (1 / n,) * n)
    assert own_corpus == pytest.approx(expected_corpus, abs=1e-9)


@pytest.mark.parametrize("stem", [False, True])
def test_rouge_equals_rouge_score(stem: bool, random_pairs: Pairs) -> None:
    hypotheses, references = random_pairs
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stem)
    expected = [
        scorer.score(reference, hypothesis)
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    test_set = TestSet.of(references)
    for label, key in (("ROUGE-1", "rouge1"), ("ROUGE-2", "rouge2"), ("ROUGE-L", "rougeL")):
        for part, attribute in (
            ("f", "fmeasure"),
            ("precision", "precision"),
            ("recall", "recall"),
        ):
            measure = parse_measure(f"{label}(part={part},stem={'yes' if stem else 'no'})")
            own = measure.score(measure.statistics(test_set, hypotheses))
            wanted = [getattr(scores[key], attribute) for scores in expected]
            np.testing.assert_allclose(own, wanted, atol=1e-9, rtol=0)


def test_rouge_equals_pltrdy(random_pairs: Pairs) -> None:
    pairs = [
        (hypothesis, reference)
        for hypothesis, reference in zip(*random_pairs, strict=True)
        if hypothesis.strip(". ")  # the package refuses an empty hypothesis
    ]
    assert len(pairs) > 1900
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    expected = Rouge().get_scores(hypotheses, references)
    test_set = TestSet.of(references)
    for label in ("ROUGE-1", "ROUGE-2", "ROUGE-L"):
        measure = parse_measure(f"{label}(variant=pltrdy)")
        own = measure.score(measure.statistics(test_set, hypotheses))
        wanted = [scores[label.lower()]["f"] for scores in expected]
        np.testing.assert_allclose(own, wanted, atol=1e-9, rtol=0)


def test_nist_equals_nltk_with_one_reference(random_pairs: Pairs) -> None:
    """NLTK agrees with mteval for one reference, apart from the word 0."""
    from nltk.translate.nist_score import corpus_nist

    hypotheses, references = random_pairs
    own_tokens = tokenize_all(tuple(map(str.lower, hypotheses)), "13a")
    other_tokens = tokenize_all(tuple(map(str.lower, references)), "13a")
    expected = corpus_nist([[words] for words in other_tokens], own_tokens, 5)
    measure = parse_measure("NIST(history=clean)")
    statistics = measure.statistics(TestSet.of(references), hypotheses)
    assert float(measure.score(statistics.sum(axis=0))) == pytest.approx(expected, abs=1e-9)
