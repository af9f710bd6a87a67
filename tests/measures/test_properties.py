"""What must always hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.model import TestSet
from patmark.measures.base import Measure
from patmark.measures.registry import parse_measure

_WORDS = st.sampled_from(
    ["the", "valve", "(12)", "is", "closed", ",", "of", "a", "rotor", "3.5", "mm", "0", "shaft"]
)
_SENTENCE = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_CORPUS = st.lists(st.tuples(_SENTENCE, _SENTENCE), min_size=2, max_size=8)
_NAMES = ["BLEU", "BLEU(variant=nltk,n=1)", "chrF", "chrF++", "TER", "NIST", "RIBES", "METEOR",
          "METEOR(variant=nltk)", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-L(variant=pltrdy)",
          "length-ratio", "omission", "length-hallucination", "leakage"]  # fmt: skip
_PERFECT = {"BLEU": 100, "chrF": 100, "chrF++": 100, "TER": 0, "RIBES": 1, "METEOR": 1,
            "ROUGE-1": 1, "ROUGE-2": 1, "ROUGE-L": 1, "length-ratio": 1, "omission": 0}  # fmt: skip


def _corpus_score(measure: Measure, hypotheses: list[str], references: list[str]) -> float:
    statistics = measure.statistics(TestSet.of(references), hypotheses)
    return float(measure.score(statistics.sum(axis=0)))


@pytest.mark.parametrize("name", _PERFECT)
@given(st.lists(st.permutations(["the", "valve", "(12)", "is", "a", "rotor"]), min_size=1))
@settings(max_examples=20)
def test_identical_text_scores_the_maximum(name: str, word_lists: list[list[str]]) -> None:
    texts = [" ".join(words) for words in word_lists]
    assert _corpus_score(parse_measure(name), texts, texts) == pytest.approx(_PERFECT[name])


_SENTENCES = {
    "ko": "본 발명은 펌프에 관한 것이다.", "ru": "Насос содержит корпус и вал.",
    "el": "Η εφεύρεση αφορά μια αντλία.", "ar": "يتعلق الاختراع بمضخة جديدة.",
    "hi": "आविष्कार एक पंप से संबंधित है।", "th": "การประดิษฐ์นี้เกี่ยวข้องกับปั๊ม",
    "km": "ការច្នៃប្រឌិតនេះទាក់ទងនឹងស្នប់", "de": "Öl für die Pumpe über dem Ventil.",
    "zh": "本发明涉及一种泵。", "ja": "本発明は一種のポンプに関する。",
}  # fmt: skip


@pytest.mark.parametrize("name", _PERFECT)
@pytest.mark.parametrize(("language", "text"), _SENTENCES.items())
def test_identical_text_scores_the_maximum_in_every_script(
    name: str, language: str, text: str
) -> None:
    measure, test_set = parse_measure(name), TestSet.of([text], target_language=language)
    totals = measure.statistics(test_set, [text]).sum(axis=0)
    assert measure.score(totals) == pytest.approx(_PERFECT[name])


@pytest.mark.parametrize("text", ["펌프", "±", "(…)"])
def test_rouge_of_identical_words_and_marks_is_one_outside_english(text: str) -> None:
    for name in ("ROUGE-1", "ROUGE-L"):
        measure, test_set = parse_measure(name), TestSet.of([text], target_language="ko")
        assert measure.score(measure.statistics(test_set, [text]).sum(axis=0)) == 1


@pytest.mark.parametrize("name", _NAMES)
@given(_CORPUS, st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_order_of_segments_does_not_matter(
    name: str, corpus: list[tuple[str, str]], rng: object
) -> None:
    measure = parse_measure(name)
    mixed = list(corpus)
    rng.shuffle(mixed)  # type: ignore[attr-defined]
    scores = [
        _corpus_score(measure, [h for h, _ in pairs], [r for _, r in pairs])
        for pairs in (corpus, mixed)
    ]
    assert scores[0] == pytest.approx(scores[1], nan_ok=True)


@pytest.mark.parametrize("name", ["BLEU(smooth=none)", *sorted(set(_NAMES) - {"BLEU", "NIST"})])
@given(_CORPUS)
@settings(max_examples=15)
def test_doubling_the_corpus_changes_nothing(name: str, corpus: list[tuple[str, str]]) -> None:
    measure = parse_measure(name)
    hypotheses, references = [h for h, _ in corpus], [r for _, r in corpus]
    once = _corpus_score(measure, hypotheses, references)
    assert _corpus_score(measure, hypotheses * 2, references * 2) == pytest.approx(
        once, nan_ok=True
    )


@pytest.mark.parametrize("name", ["BLEU", "chrF", "NIST", "RIBES", "METEOR", "ROUGE-L", "ROUGE-1",
                                  "ROUGE-1(variant=pltrdy)", "METEOR(variant=nltk)"])  # fmt: skip
def test_empty_hypothesis_scores_zero(name: str) -> None:
    assert _corpus_score(parse_measure(name), ["", ""], ["a valve", "a rotor"]) == 0.0


def test_empty_hypothesis_has_ter_100() -> None:
    assert _corpus_score(parse_measure("TER"), ["", ""], ["a valve", "a rotor"]) == 100.0


@pytest.mark.parametrize("name", _NAMES)
def test_scores_of_many_totals_at_once_equal_single_ones(name: str) -> None:
    measure = parse_measure(name)
    references = ["the valve (12) is closed", "a rotor of 3.5 mm", "the shaft", "0 mm"]
    hypotheses = ["the valve 12 closed is", "rotor of 3.5 mm", "", "0 mm of shaft 阀"]
    statistics = measure.statistics(TestSet.of(references), hypotheses)
    together = measure.score(statistics)
    single = [float(measure.score(row)) for row in statistics]
    np.testing.assert_allclose(together, single)


@pytest.mark.parametrize("name", ["RIBES", "METEOR", "METEOR(variant=nltk)", "ROUGE-L",
                                  "ROUGE-L(variant=pltrdy)", "chrF", "BLEU"])  # fmt: skip
def test_long_repetitive_text_ends(name: str) -> None:
    """Peers die of recursion or quadratic search on such texts."""
    hypothesis, reference = "the valve " * 600, "the valve of the " * 350
    assert 0 <= _corpus_score(parse_measure(name), [hypothesis], [reference]) <= 100
