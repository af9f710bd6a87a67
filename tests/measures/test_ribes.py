"""The word alignment of RIBES: exact on every text, quick on text that repeats itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from patmark.measures.kernels.ngrams import encode_words, unique_context_positions
from patmark.measures.ribes import align as align_pairs, ascending_counts, ascending_pairs

Pair = tuple[list[str], list[str]]


def align(hypothesis: list[str], reference: list[str]) -> list[int]:
    """The reference positions of one pair, which stands between others that must not matter."""
    noise = ["a", "b", "a", "b"]
    texts = encode_words([noise, hypothesis, noise, noise, reference, hypothesis])
    pair, position = align_pairs(texts.part(slice(0, 3)), texts.part(slice(3, 6)))
    places: list[int] = position[pair == 1].tolist()
    return places


@st.composite
def _short_pairs(draw: st.DrawFn) -> Pair:
    """Two texts of two to four different words."""
    words = st.sampled_from("abcd"[: draw(st.integers(2, 4))])
    text = st.lists(words, max_size=40)
    return draw(text), draw(text)


@st.composite
def _looping_pairs(draw: st.DrawFn) -> Pair:
    """Two texts that repeat the same few phrases, up to 200 words long."""
    phrases = draw(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=3))
    run = st.tuples(st.sampled_from(phrases), st.integers(1, 20)).map(lambda r: r[0] * r[1])
    text = st.lists(run, max_size=5).map(lambda runs: list("".join(runs)[:200]))
    return draw(text), draw(text)


def _places(window: Sequence[str], text: Sequence[str]) -> list[int]:
    size = len(window)
    return [start for start in range(len(text) - size + 1) if text[start : start + size] == window]


def _place_of_word(index: int, hypothesis: list[str], reference: list[str]) -> int | None:
    """The rule of RIBES.py 1.03.1, word for word."""
    for size in range(len(hypothesis)):
        for start, offset in ((index - size, size), (index, 0)):
            window = hypothesis[start : start + size + 1] if start >= 0 else []
            if len(window) <= size:
                continue
            places = _places(window, reference)
            if len(places) == 1 and len(_places(window, hypothesis)) == 1:
                return places[0] + offset
    return None


def _assert_aligned_by_the_rule(hypothesis: list[str], reference: list[str]) -> None:
    expected = [_place_of_word(i, hypothesis, reference) for i in range(len(hypothesis))]
    assert align(hypothesis, reference) == [place for place in expected if place is not None]
    assert unique_context_positions(hypothesis, reference) == expected


@given(_short_pairs())
@settings(deadline=None, derandomize=True, max_examples=400)
@example(([], []))
@example(([], ["a"]))
@example((["a"], []))
@example((["a"], ["a"]))
@example((["a"] * 30, ["a"] * 30))
@example((["a"] * 12 + ["b"], ["b"] + ["a"] * 12))
def test_alignment_of_short_text_follows_the_rule(pair: Pair) -> None:
    _assert_aligned_by_the_rule(*pair)


@given(_looping_pairs())
@settings(deadline=None, derandomize=True, max_examples=40)
def test_alignment_of_looping_text_follows_the_rule(pair: Pair) -> None:
    _assert_aligned_by_the_rule(*pair)


def test_left_context_goes_before_right_context() -> None:
    # For "x", both "l x" and "x r" occur once on each side, at different places.
    hypothesis, reference = ["l", "x", "r", ".", "x"], ["x", "r", ".", "l", "x"]
    assert align(hypothesis, reference)[1] == unique_context_positions(hypothesis, reference)[1]
    assert align(hypothesis, reference)[1] == 4


@pytest.mark.parametrize(
    ("hypothesis", "reference", "positions"),
    [
        # Only the whole text is unique: it places its first word and its last.
        (["valve"] * 7000, ["valve"] * 7000, [0, 6999]),
        (["the", "valve"] * 3500, ["the", "valve", "of", "the"] * 3500, []),
        (["the", "valve"] * 3500, ["the", "valve"] * 3500, [0, 1, 6998, 6999]),
    ],
)
def test_endless_loops_are_aligned(
    hypothesis: list[str], reference: list[str], positions: list[int]
) -> None:
    assert align(hypothesis, reference) == positions


@given(st.lists(st.integers(0, 20), max_size=60))
@settings(deadline=None, derandomize=True)
def test_ascending_pairs_are_counted(positions: list[int]) -> None:
    expected = sum(before < after for before, after in combinations(positions, 2))
    assert ascending_pairs(positions) == expected
    assert ascending_pairs(sorted(set(positions))) == len(list(combinations(set(positions), 2)))


@given(st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=150), max_size=6))
def test_ascending_pairs_of_many_runs_are_those_of_each(runs: list[list[int]]) -> None:
    position = np.array([place for run in runs for place in run], dtype=np.int64)
    sizes = np.array([len(run) for run in runs], dtype=np.int64)
    found = ascending_counts(position, np.cumsum(sizes) - sizes, sizes)
    assert found.tolist() == [ascending_pairs(run) for run in runs]
