"""Necessary and safe gaps on invented runs."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.collections.retrieval.gaps import (
    POOLED,
    GapLimits,
    gap_charts,
    gap_limits,
    gap_pairs,
    level_text,
    metric_gaps,
    pair_table,
)
from patmark.errors import UsageError

_BLEU = {"p": 30.0, "q": 26.0, "r": 21.0, "s": 24.0}
_MAP = {"p": 0.50, "q": 0.45, "r": 0.30, "s": 0.20}
_LEVELS: dict[frozenset[str], float | None] = {
    frozenset("pq"): None, frozenset("pr"): 0.01, frozenset("ps"): 0.01,
    frozenset("qr"): 0.05, frozenset("qs"): 0.01, frozenset("rs"): None,
}  # fmt: skip


def test_pairs_are_ordered_by_the_outcome_and_gaps_keep_their_sign() -> None:
    pairs = {
        f"{pair.better}{pair.worse}": pair for pair in gap_pairs({"BLEU": _BLEU}, _MAP, _LEVELS)
    }
    assert list(pairs) == ["pq", "pr", "ps", "qr", "qs", "rs"]
    assert pairs["rs"].gaps == {"BLEU": -3.0}
    assert pairs["rs"].outcome_gap == pytest.approx(0.1)


def test_limits_of_one_metric() -> None:
    pairs = gap_pairs({"BLEU": _BLEU}, _MAP, _LEVELS)
    # 1 % pairs: 9 (pr), 6 (ps), 2 (qs); others: 4 (pq), 5 (qr), -3 (rs)
    assert gap_limits(pairs) == (GapLimits("BLEU", 2.0, 5.0, 3, 3),)
    # at 5 % qr is significant too, and 4 (pq) is the largest of the rest
    assert gap_limits(pairs, 0.05) == (GapLimits("BLEU", 2.0, 4.0, 4, 2),)


def test_several_metrics_are_also_pooled() -> None:
    pairs = gap_pairs(
        {"BLEU": _BLEU, "RIBES": {run: 10 * x for run, x in _MAP.items()}}, _MAP, _LEVELS
    )
    limits = {each.metric: each for each in gap_limits(pairs)}
    assert list(limits) == ["BLEU", "RIBES", POOLED]
    assert limits[POOLED].necessary == 2.0 and limits[POOLED].safe == 5.0
    assert (limits[POOLED].significant, limits[POOLED].others) == (6, 6)


def test_a_pair_that_the_metric_orders_the_wrong_way_is_not_safe() -> None:
    bleu, outcome = {"a": 10.0, "b": 18.0}, {"a": 0.9, "b": 0.1}
    [limits] = gap_limits(gap_pairs({"BLEU": bleu}, outcome, {frozenset("ab"): 0.01}))
    assert (limits.necessary, limits.safe) == (-8.0, 8.0)


def test_without_deciding_pairs_there_is_no_limit() -> None:
    bleu, outcome = {"a": 18.0, "b": 10.0}, {"a": 0.9, "b": 0.1}
    [none] = gap_limits(gap_pairs({"BLEU": bleu}, outcome, {frozenset("ab"): None}))
    [all_] = gap_limits(gap_pairs({"BLEU": bleu}, outcome, {frozenset("ab"): 0.01}))
    assert (none.necessary, none.safe) == (None, 8.0)
    assert (all_.necessary, all_.safe) == (8.0, None)
    assert gap_limits(()) == ()


def test_all_missing_values_are_named() -> None:
    with pytest.raises(UsageError, match="BLEU of b, the level of a and b"):
        gap_pairs({"BLEU": {"a": 1.0}}, {"a": 0.5, "b": 0.4}, {})


@given(
    st.lists(st.tuples(st.floats(0, 50), st.floats(0, 1), st.booleans()), min_size=2, max_size=7)
)
def test_every_gap_above_the_safe_one_is_significant(runs: list[tuple[float, float, bool]]) -> None:
    names = [f"run{i}" for i in range(len(runs))]
    bleu = {name: run[0] for name, run in zip(names, runs, strict=True)}
    outcome = {name: run[1] for name, run in zip(names, runs, strict=True)}
    sure = {name for name, run in zip(names, runs, strict=True) if run[2]}
    levels = {
        frozenset((a, b)): 0.01 if a in sure and b in sure else None
        for a in names for b in names if a != b
    }  # fmt: skip
    pairs = gap_pairs({"BLEU": bleu}, outcome, levels)
    [limits] = gap_limits(pairs)
    for pair in pairs:
        gap = pair.gaps["BLEU"]
        if limits.safe is not None and abs(gap) > limits.safe:
            assert pair.level == 0.01 and gap > 0
        if limits.necessary is None or gap < limits.necessary:
            assert pair.level is None


def test_table_and_charts_show_every_pair() -> None:
    pairs = gap_pairs({"BLEU": _BLEU}, _MAP, _LEVELS)
    table = pair_table(pairs, "gaps", "MAP")
    assert [row[2] for row in table.rows] == ["1 %", "1 %", "1 %", "5 %", "none", "none"]
    assert [column.title for column in table.columns][-2:] == ["Δ BLEU", "Δ MAP"]
    [chart] = gap_charts(pairs, "gaps", "MAP")
    assert len(chart.points) == 6
    assert {point.group for point in chart.points} == {
        "significant at 1 %", "significant at 5 %", "not significant",
    }  # fmt: skip
    assert level_text(0.01) == "1 %"


def test_charts_draw_the_limits_and_no_regression() -> None:
    [chart] = gap_charts(gap_pairs({"BLEU": _BLEU}, _MAP, _LEVELS), "gaps", "MAP")
    assert not chart.regression
    assert [(limit.x, limit.label) for limit in chart.limits] == [
        (2.0, "necessary gap 2.00"), (5.0, "safe above 5.00"),
    ]  # fmt: skip
    one = {frozenset("ab"): 0.01}
    [chart] = gap_charts(gap_pairs({"BLEU": {"a": 2.0, "b": 1.0}}, {"a": 1.0, "b": 0.0}, one),
                         "gaps", "MAP")  # fmt: skip
    assert [limit.label for limit in chart.limits] == ["necessary gap 1.00"]


_OUTCOME = {"a": 0.5, "b": 0.4, "c": 0.3}
_METRIC = {"BLEU": {"a": 30.0, "b": 27.0, "c": 20.0}}


def _found(level_of_ac: float | None) -> str:
    pairs = {frozenset("ab"): None, frozenset("bc"): 0.05, frozenset("ac"): level_of_ac}
    (finding,) = metric_gaps("AP(rel=2)", _OUTCOME, pairs, _METRIC).findings()
    return finding


def test_the_gaps_are_said_in_words() -> None:
    assert _found(0.01) == (
        "BLEU: pairs that differ at 1 % in AP(rel=2) have a gap of at least 10.00; "
        "every pair with a gap above 7.00 differs."
    )
    assert _found(None) == "BLEU: no pair differs at 1 % in AP(rel=2), whatever its gap."
