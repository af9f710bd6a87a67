"""Texts as numbers: the same words as those of the segmenter, however many are encoded at once."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from patmark.data import TestSet
from patmark.languages import tokenize_all, workspace
from patmark.measures.kernels.edits import lcs_length, lcs_lengths
from patmark.measures.kernels.ngrams import (
    Vocabulary,
    encode_words,
    joined,
    vocabulary_of,
)
from patmark.measures.registry import parse_measure

_PIECES = st.sampled_from(
    [*"ab.,-1& <>\t\n\0\u3000\x1cΣσİKé図。", "Valve", "&amp;", "&QUOT;", "<skipped>", "3.5", "-\n"]
)
_TEXTS = st.lists(st.lists(_PIECES).map("".join), max_size=6).map(tuple)


@pytest.mark.parametrize("tokenizer", ["13a", "none", "rouge", "char", "zh"])
@pytest.mark.parametrize("lower", [False, True])
@given(first=_TEXTS, second=_TEXTS)
@example(first=(), second=("",))
@example(first=("&AMP; Σ", "ΑΣ."), second=("&amp; σ", "ας.", "a\0b"))
def test_numbers_stand_for_the_words_of_the_segmenter(
    tokenizer: str, lower: bool, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    vocabulary = Vocabulary(tokenizer)
    parts = [vocabulary.encode(texts, lower) for texts in (first, second)]
    together = joined(*parts)
    texts = tuple(text.lower() if lower else text for text in (*first, *second))
    tokens = tokenize_all(texts, tokenizer)
    assert together.lengths.tolist() == [len(words) for words in tokens]
    flat = [word for words in tokens for word in words]
    for numbers in (np.concatenate([part.ids for part in parts]), together.ids):
        pairs = set(zip(flat, numbers.tolist(), strict=True))
        assert len(pairs) == len(set(flat)) == len(set(numbers.tolist()))
    assert set(together.ids.tolist()) == set(range(1, together.largest + 1))
    if flat and flat[-1] != "\0":
        assert vocabulary.words.number_of[flat[-1]] == [*parts[0].ids, *parts[1].ids][-1]


def test_texts_are_picked_and_cut() -> None:
    texts = encode_words([["a", "b"], [], ["c"], ["a", "c", "a"]])
    assert texts.part(slice(1, 4)).ids.tolist() == [3, 1, 3, 1]
    assert texts.part(slice(1, 4)).lengths.tolist() == [0, 1, 3]
    picked = texts.picked(np.array([3, 1, 0, 0]))
    assert picked.ids.tolist() == [1, 3, 1, 1, 2, 1, 2]
    assert picked.lengths.tolist() == [3, 0, 2, 2]


_LINES = st.lists(
    st.tuples(*[st.lists(st.sampled_from("abcd"), max_size=70) for _ in range(2)]), max_size=5
)


@given(_LINES)
@example([(["a"] * 63, ["a"] * 63), (["a"] * 64, ["a"] * 64), ([], ["b"]), (["b"], [])])
def test_common_subsequences_of_many_pairs(pairs: Sequence[tuple[list[str], list[str]]]) -> None:
    texts = encode_words([own for own, _ in pairs] + [other for _, other in pairs])
    first, second = texts.part(slice(0, len(pairs))), texts.part(slice(len(pairs), 2 * len(pairs)))
    assert lcs_lengths(first, second).tolist() == [lcs_length(*pair) for pair in pairs]


def _decoded(vocabulary: Vocabulary, texts: tuple[str, ...]) -> list[str]:
    numbers = vocabulary.encode(texts).ids.tolist()
    return [vocabulary.words.listed()[number] for number in numbers]


def test_threads_may_share_a_vocabulary() -> None:
    vocabulary, before = Vocabulary("13a"), sys.getswitchinterval()
    texts = [tuple(f"w{word}.{turn} (a{word})" for word in range(400)) for turn in range(8)]
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda one: vocabulary.encode(one), texts))
    finally:
        sys.setswitchinterval(before)
    words = vocabulary.words.listed()
    for one, encoded in zip(texts, found, strict=True):
        tokens = [token for text in tokenize_all(one, "13a") for token in text]
        assert [words[number] for number in encoded.ids.tolist()] == tokens


@pytest.mark.parametrize("words_known", [0, 1, 2])
def test_an_interrupt_leaves_the_numbers_right(words_known: int) -> None:
    vocabulary = Vocabulary("13a")
    vocabulary.encode(("a valve.",))
    number_of, seen = vocabulary.words.number_of, count()

    def interrupted() -> int:
        if next(seen) == words_known:
            raise KeyboardInterrupt
        return len(number_of)

    number_of.default_factory = interrupted
    with pytest.raises(KeyboardInterrupt):
        vocabulary.encode(("a pump, (b)",))
    words = ["the", "seat", ",", "a", "pump", ",", "(", "b", ")"]
    assert _decoded(vocabulary, ("the seat, a pump, (b)",)) == words


@pytest.mark.parametrize("tokenizer", ["13a", "none", "rouge"])
def test_segmenters_share_what_stands_between_blanks(tokenizer: str) -> None:
    vocabulary = Vocabulary("13a")
    other = Vocabulary(tokenizer, vocabulary.words)
    texts = ("The valve, THE Valve.", "", "(the) pump")
    for lower in (False, True):
        vocabulary.encode(texts, lower)
        expected = tokenize_all(tuple(map(str.lower, texts)) if lower else texts, tokenizer)
        listed = [other.words.listed()[number] for number in other.encode(texts, lower).ids]
        assert listed == [word for words in expected for word in words]


def test_numbers_in_the_order_of_their_occurrence() -> None:
    texts = encode_words([["b", "a", "b"], ["c", "a"]])
    order = texts.renumbered(np.array([3, 1])).in_order_of_occurrence()
    assert order.tolist() == [2, 4, 1]
    assert texts.renumbered(np.array([9, 1])).ids.tolist() == [2, 4, 2, 5, 4]


def test_nist_adds_up_alike_whatever_was_read_before() -> None:
    rng = random.Random(2)
    words = [f"w{number}" for number in range(400)]
    references = [" ".join(rng.choices(words, k=40)) for _ in range(80)]
    outputs = [" ".join(text.split()[:30] + rng.choices(words, k=5)) for text in references]
    measure, test_set = parse_measure("NIST"), TestSet.of(references)
    first = measure.statistics(test_set, outputs)
    with workspace():
        vocabulary_of("13a").encode((" ".join(rng.sample(words, 400)),))
        assert np.array_equal(measure.statistics(test_set, outputs), first)
