"""Texts with words dropped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from patmark.errors import UsageError
from patmark.systems import drop_words


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 40), st.floats(0, 1), st.floats(0, 1), st.integers(0, 9))
def test_more_dropped_is_dropped_from_less_dropped(n: int, one: float, two: float, s: int) -> None:
    text = " ".join(f"w{place}" for place in range(n))
    few, many = (drop_words(text, share, "en", s).split() for share in sorted((one, two)))
    assert set(many) <= set(few)
    assert len(few) == max(1, n - round(min(one, two) * n))
    assert few == sorted(few, key=lambda word: int(word[1:]))


def test_chinese_words_are_dropped_whole() -> None:
    assert drop_words("行星齿轮", 0.0, "zh") == "行星齿轮"
    assert drop_words("行星齿轮", 0.5, "zh") in ("行星", "齿轮")
    assert drop_words("", 0.5, "en") == ""


@pytest.mark.parametrize(("share", "language"), [(1.1, "en"), (-0.1, "en"), (0.1, "de")])
def test_what_cannot_be_done_is_refused(share: float, language: str) -> None:
    with pytest.raises(UsageError):
        drop_words("a b", share, language)
