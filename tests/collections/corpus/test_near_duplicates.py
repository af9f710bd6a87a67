"""Duplicates: exact, near, and of one pattern; the same on every machine and in every order."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.collections.corpus.near_duplicates import (
    MinHashSettings,
    band_keys,
    exact_key,
    pattern_of,
    plain_text,
    similarities,
)
from patmark.errors import UsageError

_SETTINGS = MinHashSettings()
_LONG = "The housing of the pump is connected to the drive shaft by means of a coupling sleeve"


def test_exact_keys_ignore_case_width_and_marks() -> None:
    assert exact_key("The Pump（１２）.") == exact_key("the pump (12)")
    assert exact_key("The pump 12.") != exact_key("The pump 13.")
    assert exact_key("ab", "c") != exact_key("a", "bc")


def test_patterns_mask_numbers_signs_and_lists() -> None:
    same = [
        "FIG. 3 shows the valves 12a, 12b and 13.",
        "FIG. 11 shows the valves 7 and 8.",
        "Fig. 4(a) shows the valves S101.",
    ]
    assert len({pattern_of(text.replace("(a)", "")) for text in same}) == 1
    assert pattern_of("图３为实施例１２的示意图") == pattern_of("图10为实施例3的示意图")
    assert pattern_of("FIG. 3 shows a valve.") != pattern_of("FIG. 3 shows a pump.")


def test_band_keys_never_change() -> None:
    """Keys are stored and compared across machines; these were printed by this version."""
    keys = band_keys(["The pump.", "泵具有壳体。", ""], MinHashSettings(bands=2, rows=2))
    assert keys.dtype == np.int64
    assert keys.tolist() == [
        [612055181195818545, 2563457269297457184],
        [2033585704277054547, 5003664077136887817],
        [-3598257290802879833, -549979226777331499],
    ]


def test_keys_do_not_depend_on_neighbours() -> None:
    texts = [f"{_LONG} number {at}" * (1 + at % 50) for at in range(150)]
    together = band_keys(texts, _SETTINGS)
    assert together.shape == (150, _SETTINGS.bands)
    alone = np.concatenate([band_keys([text], _SETTINGS) for text in texts[::37]])
    assert (together[::37] == alone).all()
    other = band_keys(texts[:1], MinHashSettings(seed=1))
    assert not (other == together[:1]).any()


def test_band_keys_find_near_pairs_as_often_as_the_theory_says() -> None:
    """P(one band equal) = J^rows, over 400 pairs with J near 0.7."""
    draw = random.Random(0)
    settings_ = MinHashSettings(bands=16, rows=2, shingle=1)
    letters = [chr(0x100 + at) for at in range(250) if chr(0x100 + at).islower()]
    firsts, seconds = [], []
    for _ in range(400):
        chosen = draw.sample(letters, 51)
        firsts.append("".join(chosen[:42]))
        seconds.append("".join(chosen[9:51]))
    share = similarities(firsts[:1], seconds[:1], settings_)[0]
    assert share == pytest.approx(33 / 51)
    equal = band_keys(firsts, settings_) == band_keys(seconds, settings_)
    assert equal.mean() == pytest.approx(share**2, abs=0.03)


def _candidates(first: str, second: str, wanted: MinHashSettings = _SETTINGS) -> bool:
    keys = band_keys([first, second], wanted)
    return bool((keys[0] == keys[1]).any())


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        (f"{_LONG}.", f"{_LONG} again.", True),
        (_LONG, _LONG.replace("housing", "casing"), True),
        ("A wheel turns.", "A wheel turns!", True),
        (_LONG, "Completely different words stand here.", False),
        (
            "所述壳体通过联轴器与所述驱动轴固定连接",
            "所述壳体通过联轴器与所述驱动轴固定连接。",
            True,
        ),
        ("所述壳体通过联轴器与所述驱动轴固定连接", "本发明涉及一种新的水泵。", False),
    ],
)
def test_near_duplicates_share_a_key_and_many_shingles(first: str, second: str, near: bool) -> None:
    assert _candidates(first, second) is near
    assert (similarities([first], [second], _SETTINGS)[0] >= _SETTINGS.threshold) == near


_TEXTS = st.lists(st.text("abc 泵阀体。", max_size=12), min_size=1, max_size=25)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(_TEXTS, _TEXTS)
def test_similarity_is_the_jaccard_index_of_shingles(ours: list[str], theirs: list[str]) -> None:
    size = min(len(ours), len(theirs))
    found = similarities(ours[:size], theirs[:size], _SETTINGS)
    for value, pair in zip(found, zip(ours, theirs, strict=False), strict=True):
        first, second = map(_shingles, pair)
        assert value == pytest.approx(len(first & second) / len(first | second))


def _shingles(text: str) -> set[str]:
    """The definition, slowly."""
    plain = plain_text(text)
    width = 3 if any("\u4e00" <= mark <= "\u9fff" for mark in plain) else 5
    return {plain[at : at + width] for at in range(max(1, len(plain) - width + 1))}


def test_no_texts_have_no_keys() -> None:
    assert band_keys([], _SETTINGS).shape == (0, 32)
    assert similarities([], [], _SETTINGS).shape == (0,)


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"bands": 0}, {"seed": -1}, {"shingle": 0}])
def test_wrong_settings_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        MinHashSettings(**wrong)


def test_the_short_way_for_ascii_gives_the_same_text() -> None:
    ascii_text = "".join(map(chr, range(128)))
    assert plain_text(ascii_text) + "é" == plain_text(ascii_text + "é")
