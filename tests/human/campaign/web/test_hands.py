"""A person's hands: slow keys, a mouse that drags and clicks, a slow line, two devices, a phone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan, is_saved, press
from patmark.human.campaign import Answer, Plan

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect
LATENCY = 0.6
FAILED = "Failed to load resource: "
LONG = " ".join(
    f"The {place}th plate of the stack is welded to the housing, wherein" for place in range(28)
)  # 336 words


def plan_of(form: str, text: str = "", target: str = "en", pages: int = 1) -> Plan:
    """One text on each page, with a source of the same length."""
    plan = invented_plan(form, pages, target=target)
    if not text:
        return plan
    changed = (
        replace(
            page,
            source=text if page.source.isascii() else page.source * (len(text) // 60),
            candidates=(replace(page.candidates[0], text=text),),
        )
        for page in plan.pages
    )
    return replace(plan, pages=tuple(changed))


def marks(site: Site) -> list[tuple[str, int, int]]:
    """The marks that are stored: side, start and end."""
    [answer] = [
        one.answer
        for one in site.store.answers(site.campaign, "rater-1")
        if one.answer.question == "errors"
    ]
    spans = answer.detail.get("spans") or answer.detail["unfinished"]
    return [(one["side"], one["start"], one["end"]) for one in spans]


def word_box(page: Any, text: str, word: str, side: str = "target") -> dict[str, float]:
    """Where a word stands on the screen."""
    found: dict[str, float] = page.evaluate(
        """([side, start, end]) => {
          const box = document.querySelector(`.marking[data-side=${side}]`);
          const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
          const range = document.createRange();
          let at = 0;
          for (let node; (node = walker.nextNode()); at += node.length) {
            if (at <= start && start < at + node.length) range.setStart(node, start - at);
            if (at < end && end <= at + node.length) { range.setEnd(node, end - at); break; }
          }
          const { left, right, top, bottom } = range.getBoundingClientRect();
          return { left, right, y: (top + bottom) / 2 };
        }""",
        [side, text.index(word), text.index(word) + len(word)],
    )
    return found


def drag(page: Any, text: str, word: str) -> None:
    """Select a word with the mouse, as a hand does: press, move, release."""
    box = word_box(page, text, word)
    page.mouse.move(box["left"] + 1, box["y"])
    page.mouse.down()
    page.mouse.move((box["left"] + box["right"]) / 2, box["y"], steps=3)
    page.mouse.move(box["right"] - 1, box["y"], steps=3)
    page.mouse.up()


def click(page: Any, text: str, word: str) -> None:
    box = word_box(page, text, word)
    page.mouse.click((box["left"] + box["right"]) / 2, box["y"])


@pytest.mark.parametrize(
    ("width", "locale"), [(1300, "en"), (1300, "zh"), (390, "en"), (390, "ja")]
)
def test_a_click_above_a_band_stores_a_number_of_the_band(
    new_page: Callable[..., Any], make_site: MakeSite, width: int, locale: str
) -> None:
    site = make_site(plan_of("esa"))
    page = new_page(width=width, locale=locale)
    site.begin(page)
    bands = page.locator(".bands li")
    assert bands.evaluate_all("all => all.map(one => one.dataset.from)") == ["0", "33", "66", "90"]
    slider = page.locator("input[type=range]")
    slider.scroll_into_view_if_needed()
    track = slider.bounding_box()
    for place, low, high in ((0, 0, 32), (3, 90, 100), (1, 33, 65), (2, 66, 89)):
        band = bands.nth(place).bounding_box()
        page.mouse.click(band["x"] + band["width"] / 2, track["y"] + track["height"] / 2)
        is_saved(page)
        assert low <= int(str(site.values()["A|esa"])) <= high
        assert slider.bounding_box() == track  # nothing moves under the next click
    if width == 390:  # the ends of the track are named
        assert page.locator(".ends").inner_text().split() == ["0", "100"]


def test_an_untouched_slider_does_not_look_like_zero(page: Any, make_site: MakeSite) -> None:
    site = make_site(plan_of("esa"))
    site.begin(page)
    slider = page.locator("input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "no score yet"
    untouched = slider.screenshot()
    slider.focus()
    press(page, "Home")
    is_saved(page)
    assert site.values()["A|esa"] == "0"
    assert slider.get_attribute("aria-valuetext") == "0"
    page.locator("h1").click()
    assert slider.screenshot() != untouched


def test_bands_of_claim_rating_run_as_its_scale(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("claim-rating", 1))
    site.begin(page)
    bands = page.locator("#q-A-completeness .bands li")
    starts = bands.evaluate_all("all => all.map(one => Number(one.dataset.from))")
    assert starts == sorted(starts)
    assert len(starts) == 5


@pytest.mark.parametrize(
    ("form", "place", "keys", "value"),
    [("claim-rating", "A|completeness", "10", "10"), ("esa", "A|esa", "85", "85")],
)
def test_slow_digits_are_one_number(
    page: Any, make_site: MakeSite, form: str, place: str, keys: str, value: str
) -> None:
    site = make_site(invented_plan(form, 1))
    site.begin(page)
    page.locator(f"#q-{place.replace('|', '-')}").focus()
    page.keyboard.press(keys[0])
    page.wait_for_timeout(1400)
    page.keyboard.press(keys[1])
    page.keyboard.press("Enter")
    is_saved(page)
    assert site.values()[place] == value


def test_a_digit_for_another_question_begins_a_new_number(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("claim-rating", 1))
    site.begin(page)
    press(page, "1 j 0 k 7 j 1 0")
    is_saved(page)
    assert site.values() == {"A|completeness": "7", "A|clarity": "10"}


def test_an_older_offline_answer_asks_before_it_replaces_a_newer_one(
    new_page: Callable[..., Any], site: Site, problems: list[str]
) -> None:
    """The page is not on screen any more when the stale answer is sent."""
    train, office = new_page(), new_page()
    first, second = site.page_ids()[:2]
    for one in (train, office):
        site.enter(one)
        one.goto(f"{site.root}/page/{first}")
    train.context.set_offline(True)
    press(train, "4")
    expect(train.locator("#saving")).to_contain_text("No connection")
    time.sleep(1.2)
    press(office, "2")
    is_saved(office)
    train.context.set_offline(False)
    train.goto(f"{site.root}/page/{second}")
    notice = train.get_by_role("alert")
    expect(notice).to_contain_text("Page 1 · Text A")
    expect(notice).to_contain_text("you answered 4 without connection. Later 2 was answered")
    assert site.values(page=first) == {"A|adequacy": "2"}
    train.reload()
    train.get_by_role("button", name="Use 4").click()
    is_saved(train)
    expect(notice).to_be_empty()
    assert site.values(page=first) == {"A|adequacy": "4"}
    forgive(problems)


def test_of_two_offline_devices_the_later_answer_counts(
    new_page: Callable[..., Any], site: Site, problems: list[str]
) -> None:
    """The device that answered first is also the first to find the network again."""
    train, plane = new_page(), new_page()
    for one in (train, plane):
        site.begin(one)
        one.context.set_offline(True)
    for one, value in ((train, "4"), (plane, "2")):
        press(one, value)
        expect(one.locator("#saving")).to_contain_text("No connection")
        time.sleep(1.2)
    for one in (train, plane):
        one.context.set_offline(False)
        is_saved(one)
    expect(plane.get_by_role("alert")).to_contain_text("another window (4)")
    assert site.values() == {"A|adequacy": "2"}
    forgive(problems)


def test_a_later_offline_answer_counts_and_the_same_one_asks_nothing(
    page: Any, site: Site, problems: list[str]
) -> None:
    site.begin(page)
    first = site.page_ids()[0]
    page.context.set_offline(True)
    press(page, "4")
    time.sleep(1.2)
    for label, value in (("A", "4"), ("B", "1")):
        site.store.save(site.campaign, "rater-1", Answer(first, label, "adequacy", value))
    press(page, "5")
    page.context.set_offline(False)
    is_saved(page)
    expect(page.get_by_role("alert")).to_contain_text("another window (1)")
    assert site.values() == {"A|adequacy": "4", "B|adequacy": "5"}
    assert page.locator("[data-name^='aside']").count() == 0
    forgive(problems)


def forgive(problems: list[str]) -> None:
    """Take failed requests out of the console."""
    problems[:] = [line for line in problems if not line.startswith(FAILED)]


def slow(route: Any) -> None:
    time.sleep(LATENCY)
    route.continue_()


@pytest.mark.parametrize("by_mouse", [False, True])
def test_keys_after_the_page_is_left_change_nothing(page: Any, site: Site, by_mouse: bool) -> None:
    site.begin(page)
    first, second = site.page_ids()[:2]
    page.route("**/api/answer", slow)
    press(page, "4 3 2")
    if by_mouse:
        page.locator("#next").click()
    else:
        press(page, "Enter")
    press(page, "5 5 5 u x")
    page.wait_for_url(f"**/page/{second}")
    page.unroute("**/api/answer")
    assert site.values(page=first) == {"A|adequacy": "4", "B|adequacy": "3", "C|adequacy": "2"}
    assert site.values(page=second) == {}


def test_who_leaves_without_connection_can_stay(page: Any, site: Site, problems: list[str]) -> None:
    site.begin(page)
    page.context.set_offline(True)
    press(page, "4 3 2 Enter")
    page.get_by_role("button", name="Stay on this page").click()
    press(page, "5")
    page.context.set_offline(False)
    is_saved(page)
    assert page.url.endswith(site.page_ids()[0])
    assert site.values() == {"A|adequacy": "4", "B|adequacy": "3", "C|adequacy": "5"}
    forgive(problems)


def test_overlapping_marks_are_stored_as_drawn_with_one_drag_each(
    page: Any, make_site: MakeSite
) -> None:
    """Nested and crossing marks by mouse; every one needs a single drag."""
    text = "The heat exchanger has a welded copper housing."
    site = make_site(plan_of("esa", text))
    site.begin(page)
    wanted = ("exchanger has a welded", "has a", "welded copper", "exchanger has a welded")
    for word in wanted:
        drag(page, text, word)
        page.locator(".mark-bar").get_by_role("button", name="Major").click()
        is_saved(page)
    places = [("target", text.index(word), text.index(word) + len(word)) for word in wanted]
    assert marks(site) == sorted(places)
    page.reload()
    assert page.locator(".marking[data-side=target] mark mark").count() > 0
    assert page.locator(".marking[data-side=target]").text_content() == text
    click(page, text, "has")
    page.locator(".mark-bar").get_by_role("button", name="Error 3", exact=True).click()
    press(page, "Delete")
    is_saved(page)
    assert ("target", text.index("has a"), text.index("has a") + 5) not in marks(site)
    assert len(marks(site)) == 3


def test_a_drag_over_lines_is_stored_as_drawn(page: Any, make_site: MakeSite) -> None:
    """Tools come up after the drag, not under it; a mouse that leaves the box ends at its edge."""
    text = (
        "The heat exchanger has a welded copper housing with fins of aluminium, which are soldered."
    )
    site = make_site(plan_of("esa", text))
    site.begin(page)
    toolbar = page.locator(".mark-bar")
    wanted = [("heat", "copper"), ("copper", "fins"), ("welded", "soldered.")]
    for first, last in wanted:
        begin, end = word_box(page, text, first), word_box(page, text, last)
        page.mouse.move(begin["left"] + 1, begin["y"])
        page.mouse.down()
        page.mouse.move((begin["left"] + end["right"]) / 2, end["y"], steps=5)
        expect(toolbar).to_be_hidden()
        page.mouse.move(end["right"] - 1, end["y"], steps=5)
        if last == "soldered.":
            box = page.locator(".marking[data-side=target]").bounding_box()
            page.mouse.move(box["x"] + box["width"] + 40, end["y"] + 60, steps=5)
        page.mouse.up()
        toolbar.get_by_role("button", name="Minor").click()
        is_saved(page)
        expect(toolbar).to_be_hidden()
    places = [("target", text.index(one), text.index(two) + len(two)) for one, two in wanted]
    assert marks(site) == sorted(places)


def test_two_clicks_mark_from_word_to_word(page: Any, make_site: MakeSite) -> None:
    text = "The heat exchanger has a welded copper housing."
    site = make_site(plan_of("mqm", text))
    site.begin(page)
    click(page, text, "copper")
    expect(page.locator(".mark-bar")).to_contain_text("Click the last word of the error")
    click(page, text, "exchanger")
    page.locator(".mark-bar").get_by_role("button", name="Minor").click()
    row = page.locator(".marked li")
    row.locator(".category").select_option("Accuracy/Mistranslation")
    is_saved(page)
    assert marks(site) == [("target", text.index("exchanger"), text.index(" housing"))]
    expect(page.locator(".marking[data-side=target]")).to_be_focused()
    click(page, text, "The")
    press(page, "Escape")
    expect(page.locator(".mark-bar")).to_be_hidden()


@pytest.mark.parametrize(("width", "locale"), [(1300, "en"), (390, "zh"), (390, "ja")])
def test_a_long_sentence_is_marked_where_it_is_read(
    new_page: Callable[..., Any], make_site: MakeSite, width: int, locale: str
) -> None:
    """Tools, severity and kind stand at the selection; source and target are in view together."""
    site = make_site(plan_of("mqm", LONG))
    page = new_page(width=width, locale=locale)
    site.begin(page)
    source, target = (page.locator(f".marking[data-side={one}]") for one in ("source", "target"))
    target.evaluate("one => { one.scrollTop = one.scrollHeight; }")
    target.scroll_into_view_if_needed()
    drag(page, LONG, "27th plate")
    selection = page.locator(".selected").first.bounding_box()
    expect(page.locator(".mark-bar")).to_be_visible()
    near(page.locator(".mark-bar").bounding_box(), selection)
    press(page, "2")
    row = page.locator(".marked li")
    near(row.bounding_box(), selection, 300)
    near(row.locator(".category").bounding_box(), selection, 300)
    for one in (source, target):
        box = one.bounding_box()
        assert box["y"] >= -1
        assert box["y"] + box["height"] <= 900
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    press(page, "a m")
    is_saved(page)
    at = LONG.index("27th plate")
    assert marks(site) == [("target", at, at + len("27th plate"))]


def near(box: dict[str, float], selection: dict[str, float], most: float = 100) -> None:
    below = box["y"] - (selection["y"] + selection["height"])
    above = selection["y"] - (box["y"] + box["height"])
    assert max(below, above) < most


def test_words_and_lines_by_keyboard(page: Any, make_site: MakeSite) -> None:
    site = make_site(plan_of("mqm", LONG))
    site.begin(page)
    page.locator(".marking[data-side=target]").focus()
    press(page, "Control+ArrowRight Control+ArrowRight")
    press(page, "Control+Shift+ArrowRight Alt+Shift+ArrowRight 1 a m")
    is_saved(page)
    assert marks(site) == [("target", LONG.index("plate"), LONG.index("the stack"))]
    press(page, "Home ArrowDown")
    assert page.locator(".question.now").count() == 1
    lower = int(
        page.evaluate(
            """() => {
          const caret = document.querySelector(".marking[data-side=target] .caret");
          const range = document.createRange();
          range.setStart(caret.closest(".marking"), 0);
          range.setEndBefore(caret);
          return range.toString().length;
        }"""
        )
    )
    assert 20 < lower < 120
    press(page, "Shift+ArrowDown Shift+ArrowUp Shift+ArrowRight 1 a m")
    is_saved(page)
    assert ("target", lower, lower + 1) in marks(site)


def test_an_answer_after_closing_waits_on_the_device(
    page: Any, site: Site, problems: list[str]
) -> None:
    site.begin(page)
    page.context.set_offline(True)
    press(page, "4")
    expect(page.locator("#saving")).to_contain_text("No connection")
    site.store.close_campaign(site.campaign)
    page.context.set_offline(False)
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("your answer 4 was refused. It is kept on this device")
    page.goto(f"{site.root}/")
    expect(notice).to_contain_text("your answer 4 was refused")
    [late] = [one for one in site.store.events(site.campaign) if "closing" in one.action]
    assert (late.by, late.evaluator) == ("evaluator", "rater-1")
    site.store.reopen(site.campaign)
    page.reload()
    page.get_by_role("button", name="Save it now").click()
    expect(notice).to_be_empty()
    page.goto(f"{site.root}/next")
    expect(page.locator("#q-A-adequacy input[value='4']")).to_be_checked()
    is_saved(page)
    assert site.values() == {"A|adequacy": "4"}
    forgive(problems)


def test_next_tells_of_answers_that_it_leaves_open(page: Any, site: Site) -> None:
    site.begin(page)
    press(page, "4")
    page.locator("#next").click()
    page.wait_for_url(f"**/page/{site.page_ids()[1]}")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("You left answers open on Page 1: 2")


@pytest.mark.parametrize(("locale", "touch"), [("ja", True), ("zh", True), ("en", False)])
def test_the_header_of_a_phone_leaves_room_for_the_texts(
    new_page: Callable[..., Any], site: Site, locale: str, touch: bool
) -> None:
    page = new_page(width=390, locale=locale, has_touch=touch)
    site.begin(page)
    header = page.locator("header").bounding_box()
    assert header["height"] < 0.15 * 844
    expect(page.locator("#show-help")).to_be_hidden()


def test_the_result_of_a_training_page_is_seen_on_a_phone(
    new_page: Callable[..., Any], make_site: MakeSite
) -> None:
    expected = {"A": {"adequacy": "5"}}
    site = make_site(invented_plan("adequacy", 1, training=1, expected=expected))
    page = new_page(width=390)
    site.begin(page)
    press(page, "4 3 2")
    page.locator("#check").click()
    feedback = page.locator("#feedback")
    expect(feedback).to_be_visible()
    expect(feedback).to_be_in_viewport()
    said = page.locator("#q-A-adequacy .feedback")
    expect(said).to_contain_text("The reference answer is 5 (All of the meaning)")


def test_a_cut_table_of_the_organiser_says_so(
    new_page: Callable[..., Any], make_site: MakeSite
) -> None:
    site = make_site(invented_plan("adequacy", 1))
    page = new_page(width=390)
    page.goto(f"{site.address}/o/{site.organiser_secret}")
    page.get_by_role("button", name="Open").click()
    table = page.locator(".scroll:has(#people)")
    expect(table).to_have_class("scroll more-right")
    expect(page.locator(".sideways").first).to_be_visible()
    assert page.locator("header").bounding_box()["height"] < 0.25 * 844
    page.goto(f"{site.root}/organiser/log")
    expect(page.locator("nav [aria-current]")).to_be_in_viewport(ratio=1)


def test_tables_and_formulas_are_shown_as_such(page: Any, make_site: MakeSite) -> None:
    table = "material\tthickness\ncopper\t1.2 mm\naluminium\t0.8 mm"
    text = f"As in Table 1:\n{table}\nwith\n    E = m c   ² / 2\nwhere m is a mass.\nA\tB"
    plan = plan_of("adequacy")
    site = make_site(replace(plan, pages=tuple(replace(one, source=text) for one in plan.pages)))
    site.begin(page)
    shown = page.locator(".source")
    assert shown.locator("tr").count() == 3
    expect(shown.locator("tr").nth(1).locator("td")).to_have_text(
        ["copper", "1.2 mm"], use_inner_text=True
    )
    assert "E = m c   ² / 2" in shown.locator("pre").inner_text()
    assert shown.locator(".text").all_inner_texts()[-2].strip() == "where m is a mass."


def test_columns_stand_below_each_other_where_errors_are_marked(
    page: Any, make_site: MakeSite
) -> None:
    text = "As in Table 1:\nmaterial\tthickness\ncopper\t1.2 mm\n热导率很高的铝合金\t0.8 mm"
    site = make_site(plan_of("mqm", text))
    site.begin(page)
    cells = [word_box(page, text, word)["left"] for word in ("thickness", "1.2 mm", "0.8 mm")]
    assert max(cells) - min(cells) < 1
    drag(page, text, "1.2 mm")
    press(page, "2 a m")
    is_saved(page)
    at = text.index("1.2 mm")
    assert marks(site) == [("target", at, at + 6)]
