"""Numbers and cells as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from patmark.data.scores import Estimate
from patmark.report.formatting import (
    cell_text,
    label_count,
    number_text,
    numeric_columns,
    p_text,
    row_label,
    title_text,
)
from patmark.report.model import Cell, Column, Table


@pytest.mark.parametrize(
    ("cell", "decimals", "text"),
    [
        (Estimate(53.2, (51.0, 55.4)), 1, "53.2 [51.0, 55.4]"),
        (Estimate(53.2), 1, "53.2"),
        (Estimate(math.nan, (math.nan, math.nan)), 1, "– [–, –]"),
        (Estimate(-0.001, (-0.2, 0.1)), 1, "0.0 [-0.2, 0.1]"),
        (0.125, 3, "0.125"),
        (120, 3, "120"),
        ("words", 3, "words"),
        (None, 3, "–"),
    ],
)
def test_a_cell_as_text(cell: Cell, decimals: int, text: str) -> None:
    assert cell_text(cell, decimals) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "<0.0001"), (4.9e-5, "<0.0001"), (5.1e-5, "0.0001"), (0.0001, "0.0001"),
     (0.04996, "0.0500"), (1.0, "1.0000"), (math.nan, "–")],
)  # fmt: skip
def test_a_p_value_is_never_shown_as_zero(p: float, text: str) -> None:
    assert p_text(p, 4) == cell_text(p, 4, p_value=True) == text


def test_what_has_no_bound() -> None:
    assert (number_text(math.inf, 0), number_text(-math.inf, 2)) == ("∞", "-∞")


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_number_reads_back_within_its_decimals(value: float, decimals: int) -> None:
    text = number_text(value, decimals)
    assert abs(float(text) - value) <= 0.5 * 10**-decimals + 1e-9
    assert not (text.startswith("-") and float(text) == 0)


def test_leading_words_name_the_row() -> None:
    columns = tuple(Column(title) for title in ("ipc", "label", "score", "remark"))
    table = Table("t", columns, (("A", "x", 1.0, "few"), ("B", None, None, None)))
    assert numeric_columns(table) == (False, False, True, False)
    assert label_count(table) == 2
    assert [row_label(row, label_count(table)) for row in table.rows] == ["A / x", "B"]


def test_a_table_of_numbers_only_still_names_its_rows() -> None:
    table = Table("t", (Column("n"), Column("score")), ((1, 0.5),))
    assert label_count(table) == 1
    assert row_label(table.rows[0], label_count(table)) == "1"


def test_a_column_where_less_is_better_has_an_arrow() -> None:
    assert title_text(Column("TER", higher_is_better=False)) == "TER ↓"
    assert title_text(Column("BLEU")) == "BLEU"


def test_an_estimate_that_does_not_vary_shows_no_interval() -> None:
    assert cell_text(Estimate(76.12, (76.12, 76.12 + 1e-13), 8), 2) == "76.12 [–]"
    assert cell_text(Estimate(76.12, (76.119, 76.121), 8), 2) == "76.12 [76.12, 76.12]"
