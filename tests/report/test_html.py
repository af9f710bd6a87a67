"""The HTML file, read as a parser reads it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pages import Page, allowed_scripts, hashes
from patmark.data import Notice
from patmark.data.model import Segment, TestSet
from patmark.data.scores import Estimate
from patmark.errors import UsageError
from patmark.report.html import ROWS_SHOWN, Bar, bar_of, carried, to_html
from patmark.report.model import Column, Explorer, Headline, Heat, Link, Report, Table

ATTACK = "</script><img src=x onerror=alert(1)><!-- & \u2028"


def attacked_report() -> Report:
    test_set = TestSet((Segment(ATTACK, ATTACK, (ATTACK,), ATTACK),), "en", "zh")
    explorer = Explorer(
        test_set, (ATTACK,), ((ATTACK,),), {ATTACK: np.array([[np.nan]])}, {}, {ATTACK: (ATTACK,)}
    )
    headline = Headline(ATTACK, ATTACK, Estimate(float("nan")), ATTACK, ATTACK)
    return Report(ATTACK, ATTACK, (headline,), (), {ATTACK: ATTACK}, (ATTACK,), explorer)


def test_nothing_is_fetched(explored_report: Report) -> None:
    html = to_html(explored_report)
    assert not re.search(r"https?://|url\(|@import", html)
    for tag, attributes in Page(html).elements:
        assert tag not in {"link", "img", "iframe", "object", "embed"}
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


def test_texts_stay_texts() -> None:
    page = Page(to_html(attacked_report()))
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert not [names for _, names in page.elements if any(name.startswith("on") for name in names)]
    assert page.data()["hypotheses"] == [[ATTACK]]
    assert page.data()["measures"][0]["values"] == [[None]]
    assert len(page.scripts) == 3


def test_the_content_policy_names_the_scripts(small_report: Report) -> None:
    html = to_html(small_report)
    assert allowed_scripts(html) == hashes(Page(html).scripts)


def test_a_report_without_segments_has_no_explorer(small_report: Report) -> None:
    page = Page(to_html(small_report))
    assert len(page.scripts) == 2
    assert not [names for _, names in page.elements if names.get("id") == "segments"]
    for words in ("53.2", "[51.0, 55.4]", "a|b [c] *d*", "ready | done", "BLEU|tok:13a|refs:1"):
        assert words in page.text


def test_words_of_a_facet_lead_to_its_segments(explored_report: Report) -> None:
    links = {names.get("href") for tag, names in Page(to_html(explored_report)).elements}
    assert {"#facet.label=normal_sentence", "#system=1"} <= links


def test_half_a_character_does_not_stop_the_writer(small_report: Report) -> None:
    html = to_html(replace(small_report, title="broken \ud800 title"))
    assert "broken ? title" in html.encode("utf-8").decode("utf-8")


@pytest.mark.parametrize(
    ("cell", "scale", "bar"),
    [
        (Estimate(50.0, (40.0, 70.0)), (0.0, 100.0), Bar(0.0, 50.0, (40.0, 30.0))),
        (-0.5, (-1.0, 1.0), Bar(25.0, 25.0, None)),
        (0.5, (-1.0, 1.0), Bar(50.0, 25.0, None)),
        (Estimate(130.0, (90.0, 140.0)), (0.0, 100.0), Bar(0.0, 100.0, (90.0, 10.0))),
        (3, (1, 5), Bar(0.0, 50.0, None)),
        (Estimate(float("nan"), (0.0, 1.0)), (0.0, 1.0), None),
        (Estimate(1.0, (float("nan"), 1.0)), (0.0, 1.0), Bar(0.0, 100.0, None)),
        ("words", (0.0, 1.0), None),
        (None, (0.0, 1.0), None),
        (0.5, (1.0, 1.0), None),
    ],
)
def test_bars(cell: Any, scale: tuple[float, float], bar: Bar | None) -> None:
    assert bar_of(cell, scale) == bar


def test_links_lead_home_and_nowhere_else(small_report: Report) -> None:
    home = replace(small_report, links=(Link("← All runs", "../index.html"),))
    page = Page(to_html(home))
    assert "../index.html" in [names.get("href") for tag, names in page.elements if tag == "a"]
    with pytest.raises(UsageError, match="relative to the page"):
        to_html(replace(small_report, links=(Link("x", "javascript:alert(1)"),)))


def test_a_report_with_nothing_but_warnings_says_so(small_report: Report) -> None:
    few = Notice("warning", "few-units", "few units.")
    warned = Page(to_html(replace(small_report, findings=(few,))))
    assert "Warnings" in warned.text and "\nResult\n" not in warned.text
    assert "few units." in warned.text and "Warning:" not in warned.text
    both = Page(to_html(replace(small_report, findings=(few, "A leads."))))
    assert "Result" in both.text and "Warning: few units." in both.text


def long_table(rows: int) -> Table:
    """A table with every kind of cell."""
    columns = (
        Column("system"),
        Column("BLEU", scale=(0.0, 100.0), higher_is_better=False),
        Column("p", 4, p_value=True),
        Column("errors"),
    )
    return Table(
        "Many",
        columns,
        tuple(
            (
                f"system{number % 3}",
                Estimate(number / 4, (0.0, 100.0), 7),
                1e-9 if number else None,
                Heat(float(number), 0.5, "system1", "check"),
            )
            for number in range(rows)
        ),
    )


def test_of_a_long_table_the_first_rows_stand_in_the_page(small_report: Report) -> None:
    html = to_html(replace(small_report, tables=(long_table(201),)))
    page = Page(html)
    assert html.count("<tr>") == 1 + ROWS_SHOWN
    assert "The first 100 of 201 rows" in page.text
    names, scores, p_values, errors = json.loads(page.scripts[1])
    assert (names["number"], scores["number"]) == (False, True)
    assert names["cells"] == ["system0", "system1", "system2"]
    assert names["places"] == [number % 3 for number in range(201)]
    assert scores["lower"]
    assert scores["cells"][4] == ["1.00", "[0.00, 100.00]", 7, "", None, [0.0, 1.0, 0.0, 100.0]]
    assert p_values["cells"] == ["–", "<0.0001"]
    assert errors["cells"][200] == ["200.00", "", None, "", 50]


def test_a_table_that_is_not_long_stands_in_the_page(small_report: Report) -> None:
    html = to_html(replace(small_report, tables=(long_table(200),)))
    assert html.count("<tr>") == 201
    assert "rows-1" not in html


@settings(max_examples=10, deadline=None)
@given(st.text(alphabet="ab<&\n𠀀\ud800", min_size=1, max_size=3))
def test_large_data_are_packed_and_come_back(text: str) -> None:
    value = {"texts": [text * (1 << 18)]}
    script = carried("data", value)
    assert len(script) < 1 << 17
    [packed] = re.findall(r'<script id="data" type="text/plain">([\w+/=]+)</script>', script)
    found = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert found == {"texts": [text.replace("\ud800", "?") * (1 << 18)]}
