"""Duplicates: exact, near, and of one pattern; the same on every machine and in every order."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patmark.corpus.near_duplicates import (
    DuplicateSettings,
    band_keys,
    exact_key,
    near_duplicate_groups,
    pattern_key,
    pattern_of,
    similarity,
)
from patmark.errors import UsageError

_SETTINGS = DuplicateSettings()
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
    assert pattern_key("图３为实施例１２的示意图") == pattern_key("图10为实施例3的示意图")
    assert pattern_key("FIG. 3 shows a valve.") != pattern_key("FIG. 3 shows a pump.")
    assert pattern_key("図1", "FIG. 1") == pattern_key("図2", "FIG. 20")


def test_band_keys_never_change() -> None:
    """Keys are stored and compared across machines; these were printed by this version."""
    keys = band_keys(["The pump.", "泵具有壳体。", ""], DuplicateSettings(bands=2, rows=2))
    assert keys.dtype == np.int64
    assert keys.tolist() == [
        [-9001674003587939191, 6284431937997163468],
        [-2881046362362496448, 1068794186025258786],
        [-5413021064854938709, 6158179575041191459],
    ]


def test_keys_do_not_depend_on_neighbours() -> None:
    texts = [f"{_LONG} number {at}" * (1 + at % 50) for at in range(150)]
    together = band_keys(texts, _SETTINGS)
    assert together.shape == (150, _SETTINGS.bands)
    alone = np.concatenate([band_keys([text], _SETTINGS) for text in texts[::37]])
    assert (together[::37] == alone).all()
    other = band_keys(texts[:1], DuplicateSettings(seed=1))
    assert not (other == together[:1]).any()


def test_band_keys_find_near_pairs_as_often_as_the_theory_says() -> None:
    """P(one band equal) = J^rows, over 400 pairs with J near 0.7."""
    draw = random.Random(0)
    settings_ = DuplicateSettings(bands=16, rows=2, shingle=1)
    letters = [chr(0x100 + at) for at in range(250) if chr(0x100 + at).islower()]
    firsts, seconds = [], []
    for _ in range(400):
        chosen = draw.sample(letters, 51)
        firsts.append("".join(chosen[:42]))
        seconds.append("".join(chosen[9:51]))
    share = similarity(firsts[0], seconds[0], settings_)
    assert share == pytest.approx(33 / 51)
    equal = band_keys(firsts, settings_) == band_keys(seconds, settings_)
    assert equal.mean() == pytest.approx(share**2, abs=0.03)


def test_near_duplicates_are_grouped_under_the_lowest_id() -> None:
    texts = {
        "c": f"{_LONG}.",
        "a": f"{_LONG} again.",
        "b": "A wheel turns.",
        "d": "A wheel turns!",
        "e": "Completely different words stand here.",
        "f": _LONG.replace("housing", "casing"),
    }
    groups = dict(
        zip(texts, near_duplicate_groups(list(texts), list(texts.values()), _SETTINGS), strict=True)
    )
    assert groups == {"a": "a", "c": "a", "f": "a", "b": "b", "d": "b", "e": "e"}


def test_chinese_sentences_with_one_other_word_are_near() -> None:
    texts = ["所述壳体通过联轴器与所述驱动轴固定连接并可绕轴线转动", "本发明涉及一种新的水泵。"]
    near = texts[0].replace("固定", "刚性")
    assert near_duplicate_groups(["1", "2", "3"], [*texts, near], DuplicateSettings(0.6)) == [
        "1", "2", "1",
    ]  # fmt: skip


def test_a_crowd_of_duplicates_is_one_group() -> None:
    ids = [f"{at:04d}" for at in range(300)]
    texts = [f"{_LONG} {_LONG[: at % 3]}" for at in range(300)]
    assert set(near_duplicate_groups(ids, texts, _SETTINGS)) == {"0000"}


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    st.lists(st.text("abc 泵阀", max_size=12), min_size=1, max_size=25),
    st.randoms(use_true_random=False),
)
def test_groups_do_not_depend_on_order(texts: list[str], draw: random.Random) -> None:
    ids = [f"id{at:02d}" for at in range(len(texts))]
    kept = dict(zip(ids, near_duplicate_groups(ids, texts, _SETTINGS), strict=True))
    order = list(range(len(ids)))
    draw.shuffle(order)
    shuffled = [ids[at] for at in order]
    again = near_duplicate_groups(shuffled, [texts[at] for at in order], _SETTINGS)
    assert dict(zip(shuffled, again, strict=True)) == kept
    assert all(keeper <= own and kept[keeper] == keeper for own, keeper in kept.items())
    first: dict[str, str] = {}
    for identity, text in zip(ids, texts, strict=True):
        assert kept[first.setdefault(exact_key(text), identity)] == kept[identity]


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"bands": 0}, {"seed": -1}, {"shingle": 0}])
def test_wrong_settings_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        DuplicateSettings(**wrong)


def test_ids_must_be_different() -> None:
    with pytest.raises(UsageError, match="all different"):
        near_duplicate_groups(["a", "a"], ["x", "y"], _SETTINGS)
