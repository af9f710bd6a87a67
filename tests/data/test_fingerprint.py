"""Fingerprints tell test sets apart whose ids are alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.model import Segment, TestSet, differing_parts, fingerprint

_TEXTS = st.lists(st.text(max_size=5).filter(str.strip), min_size=1, max_size=4)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(_TEXTS, _TEXTS)
def test_only_equal_texts_have_equal_fingerprints(one: list[str], other: list[str]) -> None:
    same = fingerprint(TestSet.of(one)) == fingerprint(TestSet.of(other))
    assert same == (one == other)


@pytest.mark.parametrize(
    ("references", "sources"),
    [
        (["a", "c"], ["x", "y"]),
        (["b", "a"], ["x", "y"]),
        (["ab", ""], ["x", "y"]),
        ([["a", "b"], "b"], ["x", "y"]),
    ],
)
def test_another_text_order_or_border_is_noticed(
    references: list[str | list[str]], sources: list[str]
) -> None:
    known = fingerprint(TestSet.of(["a", "b"], sources=["x", "y"]))
    other = fingerprint(TestSet.of(references, sources=sources))
    assert differing_parts(known, other) == ["references"]


def test_sources_are_held_against_each_other_only_where_both_are_known() -> None:
    with_sources = fingerprint(TestSet.of(["a"], sources=["x"]))
    without = fingerprint(TestSet.of(["a"]))
    assert set(with_sources) == {"references", "sources"} and set(without) == {"references"}
    assert differing_parts(with_sources, without) == []
    assert differing_parts(with_sources, fingerprint(TestSet.of(["a"], sources=["y"]))) == [
        "sources"
    ]
    only_sources = fingerprint(TestSet((Segment("1", source="x"),), "en"))
    assert differing_parts(without, only_sources) is None
    assert differing_parts({}, with_sources) is None


def test_ids_and_empty_sources_count() -> None:
    sets = [
        TestSet((Segment(name, source, ("a",)),), "en")
        for name, source in (("1", None), ("1", ""), ("2", None))
    ]
    assert len({tuple(fingerprint(one).items()) for one in sets}) == 3
