"""The compact WordNet table: published counts, base forms, equality with NLTK 3.10.4."""

from __future__ import annotations

import random
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, strategies as st
from nltk.stem import PorterStemmer

from build_wordnet import build, only_verbs
from patmark.languages.wordnet import (
    base_forms,
    is_only_verb,
    lemma_names,
    synonyms,
    synsets,
    synsets_of_lemmas,
)

_ENDINGS = ("s", "es", "ed", "ing", "er", "est", "men", "ies")
_SYNSETS = 117_659
"""Synsets in WordNet 3.0; the manual page wnstats(7WN) of Princeton gives this number."""


def test_number_of_synsets() -> None:
    assert lemma_names(_SYNSETS - 1)
    with pytest.raises(IndexError):
        lemma_names(_SYNSETS)


@pytest.mark.parametrize(
    ("word", "senses"),
    [("dog", 8), ("break", 75), ("valve", 5), ("automobile", 2), ("automobil", 0), ("阀门", 0)],
)
def test_number_of_senses(word: str, senses: int) -> None:
    """The sums of the counts in the index files of WordNet 3.0."""
    assert len(synsets(word)) == senses


@pytest.mark.parametrize(
    ("word", "bases"),
    [
        ("leaves", {"leaf", "leave"}),
        ("went", {"go"}),
        ("women", {"woman"}),
        ("bigger", {"big", "bigger"}),
        ("boxes", {"box"}),
        ("housing", {"housing", "house"}),
        ("Valves", {"valve"}),
        ("xyzzy", set()),
        ("passed", {"passe"}),
        ("maker", {"maker", "mak"}),
        ("offer", {"offer", "off"}),
        ("behalves", set()),
        ("masss", set()),
        ("as", {"as"}),
    ],
)
def test_base_forms(word: str, bases: set[str]) -> None:
    """Forms by which the synonym module of the METEOR 1.5 jar matches a word, and no others."""
    assert set(base_forms(word)) == bases


def test_synonyms_are_single_words_in_lower_case() -> None:
    assert {"car", "auto", "automobile", "machine", "motorcar"} <= synonyms("car")
    assert not any("_" in word or word != word.lower() for word in synonyms("car"))
    assert synonyms("xyzzy") == {"xyzzy"}


def test_forms_are_looked_up_in_every_part_of_speech() -> None:
    near = set(synsets("close")) & set(synsets("near"))
    assert near <= synsets_of_lemmas("closed")
    assert not near & set(synsets("closed"))


@given(st.integers(0, _SYNSETS - 1))
def test_words_and_synsets_agree(synset: int) -> None:
    for name in lemma_names(synset):
        assert synset in synsets(name)
        assert synset in synsets_of_lemmas(name)


@given(st.text(max_size=12))
def test_any_text_can_be_looked_up(word: str) -> None:
    assert word in synonyms(word)
    assert bool(synsets_of_lemmas(word)) == bool(base_forms(word))


def test_the_licence_goes_with_the_data() -> None:
    notice = (
        files("patmark.languages").joinpath("wordnet_data", "LICENSE").read_text(encoding="ascii")
    )
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice


@pytest.fixture(scope="module")
def words(nltk_wordnet: Any, patsnap_rows: list[dict[str, Any]]) -> list[str]:
    """Words of WordNet, of patents, inflected forms of both, irregular forms, and stems."""
    rng = random.Random(0)
    known = rng.sample(sorted(nltk_wordnet.all_lemma_names()), 2000)
    patents = sorted({w for row in patsnap_rows for w in re.findall(r"\w+", row["content_en"])})
    inflected = [word + rng.choice(_ENDINGS) for word in [*known, *patents]]
    irregular = sorted(form for part in "nva" for form in nltk_wordnet._exception_map[part])
    stems = [PorterStemmer().stem(word) for word in patents]
    return [*known, *patents, *inflected, *irregular[::3], *stems]


@pytest.fixture(scope="module")
def numbers(wordnet_folder: Path) -> dict[tuple[str, int], int]:
    """The number that the table gives to a part of speech and an offset of the database."""
    found: dict[tuple[str, int], int] = {}
    for part, letter in (("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r")):
        for line in (wordnet_folder / f"data.{part}").read_text(encoding="ascii").splitlines():
            if not line.startswith(" "):
                found[letter, int(line[:8])] = len(found)
    return found


def test_synsets_equal_nltk(
    words: list[str], nltk_wordnet: Any, numbers: dict[tuple[str, int], int]
) -> None:
    for word in words:
        expected = [
            numbers[synset.pos().replace("s", "a"), synset.offset()]
            for synset in nltk_wordnet.synsets(word)
        ]
        assert list(synsets(word)) == expected, word


def test_lemma_names_equal_nltk(
    words: list[str], nltk_wordnet: Any, numbers: dict[tuple[str, int], int]
) -> None:
    for word in words[::3]:
        for synset in nltk_wordnet.synsets(word):
            number = numbers[synset.pos().replace("s", "a"), synset.offset()]
            plain = {name for name in synset.lemma_names() if name == name.lower()}
            assert set(lemma_names(number)) == plain, synset


def test_synonyms_equal_nltk(words: list[str], nltk_wordnet: Any) -> None:
    for word in words[::3]:
        names = {n for synset in nltk_wordnet.synsets(word) for n in synset.lemma_names()}
        plain = {name for name in names if "_" not in name and name == name.lower()}
        assert synonyms(word) == plain | {word}


def test_the_table_is_what_the_tool_builds(wordnet_folder: Path) -> None:
    bundled = files("patmark.languages").joinpath("wordnet_data", "wordnet-3.0.zst").read_bytes()
    assert zstandard.decompress(bundled) == build(wordnet_folder)


def test_the_list_of_verbs_is_what_the_tool_builds(wordnet_folder: Path) -> None:
    verbs = files("patmark.languages").joinpath("wordnet_data", "verbs-3.0.txt").read_text("ascii")
    assert verbs.split() == only_verbs(wordnet_folder)


@pytest.mark.parametrize(("word", "only"), [("deflect", True), ("turn", False), ("lid", False)])
def test_words_that_are_only_verbs(word: str, only: bool) -> None:
    assert is_only_verb(word) is only
