"""The Snowball stemmer for English."""

from __future__ import annotations

import pytest

from patmark.examples.vocabulary import coined_word
from patmark.languages.stems import _snowball_stemmer, snowball_stem, snowball_version


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("consignment", "consign"),
        ("consistency", "consist"),
        ("consolingly", "consol"),
        ("knackeries", "knackeri"),
        ("knightly", "knight"),
    ],
)
def test_sample_vocabulary(word: str, stem: str) -> None:
    """Pairs of the sample vocabulary that snowballstem.org prints for English."""
    assert snowball_stem(word) == stem


def test_version_names_the_package() -> None:
    assert snowball_version().startswith("snowballstemmer-2.")


def test_pystemmer_has_the_same_stems() -> None:
    pytest.importorskip("Stemmer", reason="PyStemmer is absent: pip install 'patmark[retrieval]'")
    from snowballstemmer import EnglishStemmer

    quick = _snowball_stemmer()
    assert quick is not EnglishStemmer
    words = [coined_word(number).en for number in range(3000)]
    words += [word + ending for word in words[:300] for ending in ("'s", "edly", "ational", "ies")]
    words += [
        "",
        "y",
        "x12a",
        "größer",
        "ｆｕｌｌ",
        "naïve",
        "skies",
        "dying",
        "3.14",
        "ab'cd",
        "w" * 64,
    ]
    slow = [EnglishStemmer().stemWord(word) for word in words]
    assert [quick().stemWord(word) for word in words] == slow
