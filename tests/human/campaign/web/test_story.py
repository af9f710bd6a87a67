"""The whole way of a campaign for every built-in form, in a real browser, by keyboard only.

Create, train, judge, reload in the middle, review and change, export, report. The way from page to
page is the same for all forms, and gone by keyboard in one of the stories.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from campaign_site import Site, is_saved, running
from campaign_stories import CONTROLS, STORIES, Story, Typed, write_campaign
from command_line import patmark, patmark_json
from patmark.human.campaign import Page, form_names
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect
_MOST_TABS = 60
_WALKED = "adequacy"
_WORDS = {
    "first": "The first is better", "equal": "Equally good", "second": "The second is better",
}  # fmt: skip


@pytest.fixture(params=STORIES)
def story(request: pytest.FixtureRequest) -> Story:
    return STORIES[request.param]


@pytest.fixture
def begun(story: Story, tmp_path: Path) -> Iterator[Site]:
    """A campaign that was begun by command, and its server."""
    file = write_campaign(tmp_path, story)
    made = patmark_json(tmp_path, "human", "new", file)
    links = {name: link.rpartition("/")[2] for name, link in made["links"]["evaluators"].items()}
    with (
        Store.open(str(tmp_path / "campaign.db")) as store,
        running(create_app(store)) as address,
    ):
        secret = made["links"]["organiser"].rpartition("/")[2]
        yield Site(address, store, made["campaign"], links, secret)


def tab_to(page: Any, control: Any) -> None:
    """Press Tab until a control has the focus."""
    control.wait_for()
    for _ in range(_MOST_TABS):
        if control.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{control} cannot be reached with Tab")


def follow(page: Any, name: str, role: str = "link") -> None:
    """Skip the head of the page, as its first link offers, and press a link or button."""
    wanted = page.locator("main").get_by_role(role, name=name, exact=True)
    wanted.wait_for()
    if "#content" not in page.url:
        press(page, "Tab Enter")
    tab_to(page, wanted)
    page.keyboard.press("Enter")


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        if not key.startswith("@"):
            page.keyboard.press(key)
        elif key.startswith("@place-"):
            place = page.locator(f".place[data-label={key[-1]}]")
            tab_to(page, place.locator("input:checked"))
        else:
            tab_to(page, page.locator(CONTROLS[key[1:]]).first)


def is_shown(page: Any, answers: Mapping[str, str]) -> None:
    """The page shows these answers."""
    for place, value in answers.items():
        label, _, question = place.partition("|")
        asked = page.locator(f"#q-{label or 'page'}-{question}")
        kind = asked.get_attribute("data-kind")
        if kind in ("chart", "ranking"):
            said = f"{'Grade' if kind == 'chart' else 'Order'}: {value}"
            expect(asked.locator("output")).to_have_text(said)
        elif kind == "spans":
            expect(asked.locator(".marked li")).to_have_count(int(value))
        elif question == "da":
            expect(asked.locator("input[type=number]")).to_have_value(value)
        else:
            expect(asked.locator("input:checked")).to_have_value(value)


def test_every_form_has_a_story() -> None:
    elsewhere = ["cesa", "esa", "mqm", "write-reference"]  # in test_marking and test_writing
    assert sorted([*STORIES, *elsewhere]) == sorted(form_names())


def test_from_link_to_report(page: Any, story: Story, begun: Site, tmp_path: Path) -> None:
    train, first, second = begun.page_ids("e1")
    _train(page, story, begun, first)
    _judge_first(page, story, begun, first)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/page/{second}")
    press(page, story.second.keys)
    if not story.second.keys.endswith("Enter"):  # which goes on by itself behind the last number
        is_saved(page)
        press(page, "Enter")
    page.wait_for_url("**/done")
    assert begun.values("e1", second) == story.second.answers
    _review(page, story, begun, first)
    _check_export(story, begun, tmp_path)
    assert set(begun.store.state_of(begun.campaign, "e1").done) == {train, first, second}


def _train(page: Any, story: Story, site: Site, first: str) -> None:
    """From the private link over guideline and training to the first page."""
    if story.form == _WALKED:
        page.goto(site.link("e1"))
        follow(page, "Start", "button")
        page.wait_for_url(f"{site.root}/")
        assert site.links["e1"] not in page.url
        follow(page, "Read the guidelines and begin")
        page.wait_for_url("**/guideline")
        follow(page, "Go to the first open page")
        page.wait_for_url("**/page/*")
    else:
        site.enter(page, "e1")
        page.goto(f"{site.root}/next")
    press(page, story.train)
    is_saved(page)
    expect(page.locator("#feedback")).to_be_hidden()
    press(page, "Enter")
    expect(page.locator("#feedback")).to_contain_text(story.feedback)
    agrees, total = (int(word) for word in story.feedback.split()[:3:2])
    expect(page.locator(".feedback.same")).to_have_count(agrees)
    expect(page.locator(".feedback.other")).to_have_count(total - agrees)
    page.keyboard.press("Enter")
    page.wait_for_url("**/training")
    expect(page.locator("main")).to_contain_text(story.feedback)
    if story.form == _WALKED:
        follow(page, "Go on")
        page.wait_for_url(f"**/page/{first}")
    else:
        page.goto(f"{site.root}/page/{first}")
    if story.form in ("pairwise", "claim-pairwise"):
        expect(page.locator("#candidate-B mark.differs").first).to_be_visible()


def _judge_first(page: Any, story: Story, site: Site, first: str) -> None:
    """Half of a page, the page loaded again, the other half."""
    press(page, story.half.keys)
    is_saved(page)
    assert site.values("e1", first) == story.half.answers
    assert _spans(site, first) == list(story.half.spans)
    page.reload()
    is_shown(page, story.half.answers)
    press(page, story.rest.keys)
    is_saved(page)
    given = {**story.half.answers, **story.rest.answers}
    assert site.values("e1", first) == given
    is_shown(page, given)


def _spans(site: Site, page: str) -> list[tuple[int, int, str, str]]:
    return [
        (one["start"], one["end"], one["severity"], one["category"])
        for stored in site.store.answers(site.campaign, "e1", page)
        for one in stored.answer.detail.get("spans", ())
    ]


def _review(page: Any, story: Story, site: Site, first: str) -> None:
    """Go back to the first page over the list of all answers, and change one of them."""
    if story.form == _WALKED:
        follow(page, "My answers")
        page.wait_for_url("**/review")
        follow(page, "Page 1")
        page.wait_for_url(f"**/page/{first}")
    else:
        page.goto(f"{site.root}/page/{first}")
    press(page, story.change.keys)
    is_shown(page, story.change.answers)
    is_saved(page)
    assert site.values("e1", first) == _changed(story)
    page.goto(f"{site.root}/review")
    shown = page.locator(".review li.panel").nth(1).locator("strong").all_inner_texts()
    assert sorted(shown) == sorted(_WORDS.get(value, value) for value in _changed(story).values())


def _changed(story: Story) -> dict[str, str]:
    """The answers of the first page in the end."""
    return {**story.half.answers, **story.rest.answers, **story.change.answers}


def _check_export(story: Story, site: Site, folder: Path) -> None:
    """The export holds what was typed, under the names of the systems, and can be reported."""
    done = patmark(folder, "human", "export", "--out", "j.csv")
    assert done.returncode == 0, done.stderr
    with (folder / "j.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    plan = site.store.plan(site.campaign)
    pages = {page.id: page for page in plan.pages}
    _, first, second = (pages[one] for one in site.page_ids("e1"))
    if story.change.chosen:
        columns = ("segment", "criterion", "first", "second", "winner")
        wanted = [*_choices(first, story.change), *_choices(second, story.second)]
    else:
        columns = ("segment", "system", "criterion", "value")
        wanted = [*_grades(first, _changed(story)), *_grades(second, story.second.answers)]
        wanted += _computed(story, first, second)
    found = [tuple({"criterion": "preference", **row}[name] for name in columns) for row in rows]
    assert sorted(found) == sorted(wanted)
    assert {row["evaluator"] for row in rows} == {"e1"}
    if story.form == "error-spans":
        _check_spans(site, first, folder)
    _check_report(story, folder, {row[columns.index("criterion")] for row in wanted})


def _check_report(story: Story, folder: Path, criteria: set[str]) -> None:
    if story.form == "pair-correctness":  # a corpus is no system to be ranked
        found = patmark_json(folder, "corpus", "judged", "sample.jsonl", "--judgements", "j.csv")
        assert found["correct"]["value"] == 0.5
        return
    report = patmark_json(
        folder, "human", "report", "j.csv", "--resamples", "20", "--trials", "100"
    )
    together = {"human"} if criteria == {"adequacy", "fluency"} else set()
    assert set(report["criteria"]) == criteria | together


def _systems(page: Page) -> dict[str, str]:
    """The system behind each label; no two give the same text in these campaigns."""
    return {one.label: one.systems[0] for one in page.candidates}


def _grades(page: Page, answers: Mapping[str, str]) -> list[tuple[str, ...]]:
    names = _systems(page)
    split = ((*place.split("|"), value) for place, value in answers.items())
    return [
        (page.segment, names[label], question, value)
        for label, question, value in split
        if question != "errors"
    ]


def _computed(story: Story, first: Page, second: Page) -> list[tuple[str, ...]]:
    if story.extra is None:
        return []
    at_second = {"A": "6", "B": "1"}  # (4·0 + 2·1 + 2·0 + 3·3) / 11
    return [
        (page.segment, _systems(page)[label], "quality", value)
        for page, scores in ((first, story.extra), (second, at_second))
        for label, value in scores.items()
    ]


def _choices(page: Page, typed: Typed) -> list[tuple[str, ...]]:
    names = _systems(page) | {"equal": "equal"}
    return [
        (page.segment, question, names[one], names[other], names[better])
        for question, one, other, better in typed.chosen
    ]


def _check_spans(site: Site, page: Page, folder: Path) -> None:
    """Marks are exported with the places that were typed, and the kinds that were chosen."""
    assert patmark(folder, "human", "export", "--out", "j.jsonl").returncode == 0
    lines = (folder / "j.jsonl").read_text(encoding="utf-8").splitlines()
    shown = page.candidates[0]
    [record] = [one for one in map(json.loads, lines) if one.get("system") == shown.systems[0]]
    end = len(shown.text)
    stored = [
        (one["start"], one["end"], one["severity"], one["category"]) for one in record["spans"]
    ]
    assert stored == _spans(site, page.id)
    assert _spans(site, page.id) == [
        (1, 3, "critical", "terminology"), (end, end, "major", "omission"),
    ]  # fmt: skip
