"""The Snowball stemmer for English."""

from __future__ import annotations

import pytest

from patmark.text.stems import snowball_stem, snowball_version


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
