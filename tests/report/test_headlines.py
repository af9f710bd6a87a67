"""The sentence and the cards at the head of a page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from patmark.data import Notice
from patmark.data.scores import Estimate
from patmark.report.formatting import in_language
from patmark.report.html import MOST_CARDS, to_html
from patmark.report.model import Column, Headline, Report, Table


def _report(*values: float, higher_is_better: bool = True) -> Report:
    columns = (Column("system"), Column("m", 1, higher_is_better=higher_is_better), Column("k"))
    rows = tuple(
        (f"s{place}", Estimate(value, (value - 1, value + 1), 9), Estimate(0.0))
        for place, value in enumerate(values)
    )
    return Report("t", "", (), (Table("Scores", columns, rows),), {})


def _sentence(page: str) -> list[str]:
    return re.findall('<p class="headline">(.*?)</p>', page)


def _cards(page: str) -> list[str]:
    return re.findall(r'<article class="card">\s*<h3>(.*?)</h3>', page)


@pytest.mark.parametrize(
    ("values", "higher", "said", "cards"),
    [
        ((1.0, 3.0, 2.0), True, "Best by m: s1, 3.0 [2.0, 4.0].", ["s1", "s2", "s0"]),
        ((1.0, 3.0, 2.0), False, "Best by m: s0, 1.0 [0.0, 2.0].", ["s0", "s2", "s1"]),
        ((3.0, 3.0, float("nan")), True, "Best by m: s0, s1, 3.0.", ["s0", "s1"]),
        ((5.0,), True, "s0: m 5.0 [4.0, 6.0].", ["s0"]),
        ((1.0,) * 4 + (0.0,), True, "Best by m: 4 of 5 have 1.0.", [f"s{n}" for n in range(5)]),
    ],
)
def test_the_first_measure_leads(
    values: tuple[float, ...], higher: bool, said: str, cards: list[str]
) -> None:
    page = to_html(_report(*values, higher_is_better=higher))
    assert _sentence(page) == [said]
    assert _cards(page) == cards


def test_many_systems_have_few_cards() -> None:
    page = to_html(_report(*range(20)))
    assert len(_cards(page)) == MOST_CARDS
    assert f">{20 - MOST_CARDS} more in the table “" in page
    assert "more in the table" not in to_html(_report(*range(MOST_CARDS)))


def test_findings_are_the_sentence_unless_they_only_warn() -> None:
    report = _report(1.0, 2.0)
    assert not _sentence(to_html(replace(report, findings=("s1 beats s0.",))))
    assert _sentence(
        to_html(replace(report, findings=(Notice("warning", "few-units", "few units."),)))
    )


def test_headlines_of_a_report_stand_for_those_of_its_table() -> None:
    card = Headline("own", "mean", Estimate(9.0))
    page = to_html(replace(_report(1.0, 2.0), headlines=(card,), findings=("A row is missing.",)))
    assert (_sentence(page), _cards(page)) == (["own: mean 9.0."], ["own"])


def test_a_report_without_estimates_has_neither() -> None:
    table = Table("n", (Column("x"), Column("n", 0)), (("a", 1),))
    page = to_html(Report("t", "", (), (table,), {}))
    assert not _sentence(page) and not _cards(page)


def test_the_sentence_speaks_the_language_of_the_page() -> None:
    page = to_html(in_language(_report(1.0, 2.0), "zh"))
    assert _sentence(page) == ["m：最佳为 s1，2.0 [1.0, 3.0]。"]
