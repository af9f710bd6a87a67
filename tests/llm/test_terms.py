"""Terms that a prompt names."""

from __future__ import annotations

from patmark.data import Segment
from patmark.llm.terms import TermBase, occurring


def test_bench_rows_bring_their_terms_in_the_direction() -> None:
    meta = {"label": "terminology_accuracy", "special_cn": "阀门", "special_en": "valve"}
    base = TermBase(from_rows=True)
    segment = Segment("1", "x", meta=meta)
    assert base.of(segment, ("zh", "en")) == (("阀门", "valve"),)
    assert base.of(segment, ("en", "zh")) == (("valve", "阀门"),)
    other = Segment("1", "x", meta=meta | {"label": "special_character"})
    assert base.of(other, ("zh", "en")) == ()


def test_latin_terms_are_whole_words() -> None:
    table = [("valve seat", "阀座"), ("valve", "阀门"), ("ion", "离子")]
    assert occurring(table, "The Valve seat holds a lotion.") == [("valve seat", "阀座")]
    assert occurring(table, "Ion of a valve, valve seat") == table
