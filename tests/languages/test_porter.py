"""The Porter stemmer against NLTK 3.10.4 and the examples of the paper."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, strategies as st
from nltk.stem import PorterStemmer

from patmark.languages.stems import porter_stem
from patmark.languages.wordnet import lemma_names

_ENDINGS = [
    "", "s", "es", "ed", "ing", "y", "ies", "ied", "eed", "ational", "alli", "logi", "fulli",
    "ement", "ion", "ous", "ize", "e", "ll",
]  # fmt: skip


def test_equals_nltk_on_the_words_of_wordnet() -> None:
    peer = PorterStemmer()
    words = {name for synset in range(0, 117_659, 5) for name in lemma_names(synset)}
    assert len(words) > 15_000
    assert {word: porter_stem(word) for word in words} == {word: peer.stem(word) for word in words}


def test_equals_nltk_on_patents(patsnap_rows: list[dict[str, Any]]) -> None:
    peer = PorterStemmer()
    words = {word for row in patsnap_rows for word in re.findall(r"\S+", row["content_en"])}
    assert {word: porter_stem(word) for word in words} == {word: peer.stem(word) for word in words}


@given(st.text("aeiouyslndgtbzwx'*-1é阀", max_size=7), st.sampled_from(_ENDINGS))
def test_equals_nltk_on_invented_words(start: str, ending: str) -> None:
    assert porter_stem(start + ending) == PorterStemmer().stem(start + ending)


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("relational", "relat"),
        ("triplicate", "triplic"),
        ("adjustable", "adjust"),
        ("controll", "control"),
        ("Dying", "die"),
    ],
)
def test_examples(word: str, stem: str) -> None:
    """Examples of Porter 1980, taken through all steps; the last is of NLTK's table."""
    assert porter_stem(word) == stem == PorterStemmer().stem(word)


def test_a_long_run_of_y_is_no_problem() -> None:
    assert porter_stem("y" * 50_000 + "ing").startswith("yyy")
