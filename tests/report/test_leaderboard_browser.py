"""The leaderboard in a real browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from boards import board_of
from patmark.data.scores import Estimate
from patmark.report.leaderboard import leaderboard_html
from patmark.report.model import Leaderboard

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SIZE = 130


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    return board_of(SIZE)


@pytest.fixture(scope="module")
def address(board: Leaderboard, tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("board") / "index.html"
    file.write_text(leaderboard_html(board), encoding="utf-8")
    return file.as_uri()


def status(page: Any, shown: int) -> None:
    """Wait until the page says how many runs it shows."""
    playwright.expect(page.get_by_role("status")).to_have_text(f"{shown} of {SIZE} runs shown")


def ids(page: Any) -> list[str]:
    names: list[str] = page.locator("tbody .run").all_inner_texts()
    return names


def shows(page: Any, names: list[str]) -> None:
    """Wait until these runs are shown in this order, and no others."""
    playwright.expect(page.locator("tbody .run")).to_have_text(names, use_inner_text=True)


def bleu_of(board: Leaderboard) -> dict[str, float]:
    """BLEU of the runs that have it, by id."""
    return {run.id: c.value for run in board.runs if isinstance(c := run.cells[1], Estimate)}


def test_sorting_by_mouse_and_keyboard(page: Any, address: str, board: Leaderboard) -> None:
    bleu = bleu_of(board)
    without = [run.id for run in board.runs if run.id not in bleu]
    page.goto(address)
    shows(page, [run.id for run in board.runs])
    heading = page.get_by_role("columnheader", name="BLEU")
    page.get_by_role("button", name="BLEU").click()
    playwright.expect(heading).to_have_attribute("aria-sort", "descending")
    shows(page, sorted(bleu, key=lambda name: -bleu[name]) + without)
    page.get_by_role("button", name="BLEU").press("Enter")
    playwright.expect(heading).to_have_attribute("aria-sort", "ascending")
    shows(page, sorted(bleu, key=lambda name: bleu[name]) + without)
    page.get_by_role("button", name="Errors").press("Space")
    assert page.locator("[aria-sort]").count() == 1
    errors = page.locator("tbody tr td:last-child").all_inner_texts()
    assert errors == [f"{value:.1f}" for value in sorted(float(text) for text in errors)]
    page.get_by_role("button", name="Run", exact=True).click()
    assert ids(page)[:3] == ["TEAM1-1", "TEAM1-2", "TEAM2-1"]
    page.get_by_role("button", name="#", exact=True).click()
    shows(page, [run.id for run in board.runs])


def test_filters(page: Any, address: str, board: Leaderboard) -> None:
    page.goto(address)
    page.get_by_role("checkbox", name="RBMT").check()
    page.get_by_role("checkbox", name="NMT").check()
    wanted = [run for run in board.runs if run.kind in ("RBMT", "NMT")]
    status(page, len(wanted))
    corpus = page.get_by_role("group", name="bilingual corpus", exact=True)
    corpus.get_by_role("checkbox", name="without").check()
    stated = [run.resources for run in wanted if run.resources is not None]
    status(page, sum("B" not in used for used in stated))
    corpus.get_by_role("checkbox", name="with", exact=False).first.check()
    status(page, len(stated))
    corpus.get_by_role("checkbox", name="unknown").check()
    status(page, len(wanted))
    corpus.get_by_role("checkbox", name="unknown").uncheck()
    corpus.get_by_role("checkbox", name="without").uncheck()
    status(page, sum("B" in used for used in stated))
    page.get_by_role("checkbox", name="first only").check()
    first = [run for run in wanted if run.priority == 1]
    status(page, sum("B" in (run.resources or ()) for run in first))
    page.get_by_role("button", name="Clear").click()
    status(page, SIZE)
    playwright.expect(page).to_have_url(f"{address}#")


def test_what_is_in_doubt_is_unknown(page: Any, address: str, board: Leaderboard) -> None:
    page.goto(f"{address}#unknown=M")
    doubtful = [run.id for run in board.runs if run.resources is None or "M?" in run.resources]
    status(page, len(doubtful))
    shows(page, doubtful)
    page.goto(f"{address}#without=M")
    status(page, SIZE - len(doubtful))
    page.goto(f"{address}#with=M")
    status(page, 0)


def test_search(page: Any, address: str, board: Leaderboard) -> None:
    page.goto(address)
    search = page.get_by_role("searchbox")
    search.fill("team１２-")
    status(page, 2)
    shows(page, ["TEAM12-1", "TEAM12-2"])
    search.fill("統計 no such words")
    status(page, 0)
    playwright.expect(page.get_by_text("No run matches these filters.")).to_be_visible()
    search.fill("请求")
    status(page, 0)
    search.fill("請求項")
    status(page, sum("請求項" in run.description for run in board.runs))


def test_an_address_brings_the_view_back(page: Any, address: str) -> None:
    page.goto(address)
    page.get_by_role("searchbox").fill("team1")
    page.get_by_role("checkbox", name="SMT").check()
    page.get_by_role("checkbox", name="first only").check()
    page.get_by_role("button", name="BLEU").click()
    page.get_by_role("button", name="BLEU").click()
    view, shown = page.evaluate("location.href"), ids(page)
    assert shown
    page.goto("about:blank")
    page.goto(view)
    shows(page, shown)
    assert page.get_by_role("searchbox").input_value() == "team1"
    assert page.get_by_role("checkbox", name="SMT").is_checked()
    heading = page.get_by_role("columnheader", name="BLEU")
    playwright.expect(heading).to_have_attribute("aria-sort", "ascending")
    page.evaluate("location.hash = 'kind=nonsense&sort=nonsense&with=B'")
    playwright.expect(page.locator("[aria-sort]")).to_have_text("#")
    page.evaluate("location.hash = '#notes'")
    assert len(ids(page)) > 0


def test_csv_of_the_visible_table(page: Any, address: str, board: Leaderboard) -> None:
    page.goto(f"{address}#kind=RBMT&sort=0&order=reverse")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    assert started.value.suggested_filename == "leaderboard.csv"
    text = Path(started.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    wanted = [run for run in reversed(board.runs) if run.kind == "RBMT"]
    assert [row["run"] for row in rows] == [run.id for run in wanted]
    assert [row["description"] for row in rows] == [run.description for run in wanted]
    bleu = bleu_of(board)
    for row, run in zip(rows, wanted, strict=True):
        assert row["BLEU"] == (f"{bleu[run.id]:g}" if run.id in bleu else "")
        assert row["Adequacy letters"] == run.letters[0]
        assert isinstance(run.cells[0], Estimate)
        assert run.cells[0].ci is not None
        assert (float(row["Adequacy low"]), float(row["Adequacy high"])) == run.cells[0].ci
    page.evaluate("setTimeout = () => 0")  # the button would be itself again after a moment
    page.get_by_role("button", name="Copy CSV").click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()


def test_a_description_unfolds_and_a_run_leads_to_its_report(page: Any, address: str) -> None:
    page.goto(address)
    row = page.locator("tbody tr").first
    assert row.get_by_role("link").get_attribute("href") == "runs/TEAM1-1.html"
    before = row.bounding_box()["height"]
    row.locator("summary").press("Enter")
    playwright.expect(row.locator("details")).to_have_attribute("open", "")
    assert row.bounding_box()["height"] > before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_only_the_table(page: Any, address: str, scheme: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    status(page, SIZE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.evaluate("document.querySelector('.scroll').scrollLeft = 200")
    left = page.evaluate(
        "document.querySelector('tbody th').getBoundingClientRect().left"
        " - document.querySelector('.scroll').getBoundingClientRect().left"
    )
    assert 0 <= left < 3
