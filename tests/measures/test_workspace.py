"""Texts are kept as long as an evaluation runs, and no longer."""

from __future__ import annotations

import gc
import random
import sys
import weakref
from itertools import product

from patmark import Run, Sampling, TestSet, evaluate
from patmark.languages import kept_in_workspace, tokenize_all, workspace
from patmark.measures.kernels.ngrams import Vocabulary, WordNumbers, vocabulary_of


def test_a_workspace_keeps_results_until_it_ends() -> None:
    calls = []

    @kept_in_workspace(2)
    def double(number: int) -> int:
        calls.append(number)
        return 2 * number

    assert [double(1), double(1)] == [2, 2]
    assert calls == [1, 1]
    with workspace():
        assert [double(1), double(1)] == [2, 2]
        with workspace():
            assert double(1) == 2
        assert double(1) == 2
        assert calls == [1, 1, 1]
        assert [double(2), double(3), double(1)] == [4, 6, 2]
        assert calls == [1, 1, 1, 2, 3, 1]
    assert double(1) == 2
    assert calls == [1, 1, 1, 2, 3, 1, 1]


def test_measures_of_one_evaluation_share_words_and_vocabularies() -> None:
    with workspace():
        assert tokenize_all(("a b",), "13a") is tokenize_all(("a b",), "13a")
        vocabulary = vocabulary_of("13a")
        assert vocabulary_of("13a") is vocabulary
        assert vocabulary.encode(("a b",)) is vocabulary.encode(("a b",))
        assert vocabulary_of("none").words is vocabulary.words


def _test_set(segments: int, seed: int) -> tuple[TestSet, list[Run]]:
    rng = random.Random(seed)
    words = ["".join(letters) for letters in product("bcdf", "aeiou", "lmnrst", "e")]

    def text() -> str:
        return " ".join(rng.choices(words, k=12)) + f" ({seed})."

    test_set = TestSet.of(
        [text() for _ in range(segments)],
        sources=[text() for _ in range(segments)],
        source_language="en",
    )
    return test_set, [Run("system", tuple(text() for _ in range(segments)))]


def _living() -> list[int]:
    gc.collect()
    kinds = (TestSet, Run, Vocabulary, WordNumbers)
    return [sum(isinstance(one, kind) for one in gc.get_objects()) for kind in kinds]


def test_nothing_of_an_evaluation_outlives_it() -> None:
    before = _living()  # fixtures of other tests may hold test sets
    test_set, runs = _test_set(50, 1)
    result = evaluate(test_set, runs, sampling=Sampling(resamples=0))
    assert result.to_json()["segments"] == 50
    living = weakref.ref(test_set)
    texts = {runs[0].hypotheses[0], test_set.sources[0], test_set.flat_references[0]}
    del test_set, runs, result
    assert _living() == before
    assert living() is None
    holders = [one for one in gc.get_objects() if type(one) in (list, tuple)]
    assert not [one for one in holders if any(item in texts for item in one if type(item) is str)]


def test_eight_evaluations_leave_no_texts_behind() -> None:
    def evaluated(seed: int) -> None:
        test_set, runs = _test_set(2000, seed)
        evaluate(test_set, runs, "BLEU,chrF,NIST,RIBES,ROUGE-L", Sampling(resamples=0))

    evaluated(0)  # loads modules and regular expressions
    gc.collect()
    before = sys.getallocatedblocks()
    for seed in range(1, 9):
        evaluated(seed)
    gc.collect()
    assert sys.getallocatedblocks() - before < 2000
