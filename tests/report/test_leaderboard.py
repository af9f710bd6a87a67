"""The leaderboard page, read as a parser reads it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from boards import board_of
from pages import Page, allowed_scripts, hashes
from patmark.data import Notice
from patmark.data.scores import Estimate
from patmark.errors import UsageError
from patmark.report.leaderboard import leaderboard_html
from patmark.report.model import Column, Leaderboard, Link, RankedRun

ATTACK = "\"'></script><img src=x onerror=alert(1)><!-- & \u2028"
NAN = float("nan")


def with_class(page: Page, name: str) -> list[dict[str, str | None]]:
    return [names for _, names in page.elements if name in (names.get("class") or "").split()]


def test_every_run_has_a_row() -> None:
    board = board_of(20)
    page = Page(leaderboard_html(board))
    assert len(with_class(page, "run")) == 20
    assert [run["id"] for run in page.data()["runs"]] == [run.id for run in board.runs]
    assert "20 of 20 runs shown" in page.text
    assert page.text.count(board.letters_note) == 1
    assert "bilingual corpus" in page.text
    sorts = [names for tag, names in page.elements if "aria-sort" in names]
    assert [names["aria-sort"] for names in sorts] == ["ascending"]


def test_nothing_is_fetched_and_only_named_scripts_run() -> None:
    html = leaderboard_html(board_of(5))
    page = Page(html)
    assert not re.search(r"https?://|url\(|@import", html)
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed"}
        assert "src" not in attributes
    theme, _, script = page.scripts
    assert allowed_scripts(html) == hashes([theme, script])


def test_hostile_words_stay_words() -> None:
    run = RankedRun(ATTACK, ATTACK, 1, ATTACK, (ATTACK,), ATTACK, (ATTACK,), (ATTACK,), "a'\"<b")
    board = Leaderboard(
        ATTACK, ATTACK, (Column(ATTACK),), (run,), {ATTACK: ATTACK}, {ATTACK: ATTACK}, (ATTACK,)
    )
    page = Page(leaderboard_html(board))
    assert len(page.scripts) == 3
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert not [names for _, names in page.elements if any(name.startswith("on") for name in names)]
    assert page.data()["runs"][0]["description"] == ATTACK


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", " java\nscript:x", "//host/x", "http://host/", "data:,x"]
)
def test_a_link_may_not_lead_away(link: str) -> None:
    board = board_of(3)
    bad = replace(board.runs[1], link=link)
    with pytest.raises(UsageError, match=re.escape(bad.id)):
        leaderboard_html(replace(board, runs=(board.runs[0], bad)))


def test_links_lead_to_other_pages_of_the_task() -> None:
    board = replace(board_of(2), links=(Link("All tests", "comparison.html"),))
    page = Page(leaderboard_html(board))
    found = [names.get("href") for tag, names in page.elements if tag == "a"]
    assert "comparison.html" in found and "All tests" in page.text
    with pytest.raises(UsageError, match="All tests"):
        leaderboard_html(replace(board, links=(Link("All tests", "https://host/"),)))


def test_warnings_come_first() -> None:
    untested = Notice("warning", "few-units", "nothing could be tested <b>.")
    board = replace(board_of(2), findings=(untested,))
    page = Page(leaderboard_html(board))
    assert len(with_class(page, "warning")) == 1
    assert page.text.index("nothing could be tested <b>") < page.text.index("2 of 2 runs shown")


def test_a_resource_is_used_or_not_or_unknown() -> None:
    board = board_of(4)
    used: list[tuple[str, ...] | None] = [("B", "M?"), ("B?",), None, ()]
    runs = tuple(replace(run, resources=of) for run, of in zip(board.runs, used, strict=True))
    page = Page(leaderboard_html(replace(board, runs=runs)))
    boxes = [
        (names["name"], names["value"])
        for tag, names in page.elements
        if tag == "input" and names.get("type") == "checkbox"
    ]
    for letter in "BME":
        assert [name for name, value in boxes if value == letter] == ["with", "without", "unknown"]
    assert not [value for _, value in boxes if value and value.endswith("?")]
    assert [run["resources"] for run in page.data()["runs"]] == [["B", "M?"], ["B?"], None, []]
    text = " ".join(page.text.split())
    assert "with 1" in text and "without 1" in text and "unknown 2" in text
    [first, *_] = [names for tag, names in page.elements if tag == "abbr" and "title" in names
                   and str(names["title"]).startswith("perhaps ")]  # fmt: skip
    assert first["title"] == "perhaps monolingual corpus"


def test_missing_cells_are_dashes_and_have_no_key() -> None:
    cells = (None, Estimate(NAN, (NAN, NAN)), NAN, Estimate(0.25, (0.2, NAN), 7), "n/a")
    run = RankedRun("A-1", "A", 1, None, (), "", cells, ("",) * 5)
    columns = tuple(Column(name, 2) for name in "abcde")
    page = Page(leaderboard_html(Leaderboard("T", "", columns, (run,), {})))
    (data,) = page.data()["runs"]
    assert [cell["value"] for cell in data["cells"]] == [None, None, None, 0.25, "n/a"]
    assert (data["cells"][3]["low"], data["cells"][3]["high"]) == (0.2, None)
    assert page.text.count("–") >= 4
    assert "cannot be told apart" not in page.text
    assert not with_class(page, "warning") and "Warnings" not in page.text
    assert not with_class(page, "broad")


def test_texts_are_set_in_their_language() -> None:
    board = board_of(3)
    words = ("特許文献に特化した辞書を用いる。", "基于短语的统计机器翻译", "plain words")
    runs = [replace(run, description=text) for run, text in zip(board.runs, words, strict=True)]
    about = with_class(Page(leaderboard_html(replace(board, runs=tuple(runs)))), "about")
    assert [names.get("lang") for names in about] == ["ja", "zh", None]


def test_a_board_without_runs_says_so() -> None:
    page = Page(leaderboard_html(replace(board_of(3), runs=())))
    assert "0 of 0 runs shown" in page.text
    assert "hidden" not in with_class(page, "none")[0]


def test_cells_have_bars_with_whiskers() -> None:
    board = board_of(4)
    drawn = sum(isinstance(cell, Estimate) for run in board.runs for cell in run.cells)
    assert len(with_class(Page(leaderboard_html(board)), "whisker")) == drawn
