"""What is special to a kind of question; the whole way of every form is in test_story."""

from __future__ import annotations

from typing import Any

import pytest

from campaign_site import JAPANESE, MakeSite, Site, invented_plan, press

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect

# At once, because 1 and 0 are 10 only if they follow each other fast.
TYPE_TEN = """() => {
  for (const key of "10") {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
}"""


def is_saved(page: Any) -> None:
    expect(page.locator("#saving.waiting")).to_have_count(0)


def test_numbers_and_the_computed_score(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("claim-rating", 1))
    site.begin(page)
    first = page.locator("#candidate-A")
    assert first.locator(".claim").count() == 6
    expect(first.locator(".claim.depth-2").first).to_contain_text("depends on 2")
    assert first.locator("mark.differs").count() == 0
    marked = page.locator("#candidate-B mark.differs").all_inner_texts()
    assert marked[:2] == ["housing", "copper"]
    page.evaluate(TYPE_TEN)
    press(page, "Enter 8 Enter 7 Enter")
    expect(first.locator(".computed output")).to_have_text("–")
    press(page, "1 Enter")
    expect(first.locator(".computed output")).to_have_text("6.64")  # (4·10 + 2·8 + 2·7 + 3·1) / 11
    band = page.locator("#q-A-completeness .bands .now")
    expect(band).to_contain_text("All essential features")
    is_saved(page)
    assert site.values() == {
        "A|completeness": "10",
        "A|clarity": "8",
        "A|consistency": "7",
        "A|linkage": "1",
    }
    expect(page.locator(".question.now")).to_have_id("q-B-completeness")
    page.reload()
    expect(first.locator(".computed output")).to_have_text("6.64")


def test_a_chart_can_be_taken_back_and_be_out_of_reach(page: Any, make_site: MakeSite) -> None:
    """The grade follows from the answers, also from a changed one; a reason may stand for it."""
    site = make_site(invented_plan("acceptability", 1))
    site.begin(page)
    press(page, "y y y n")
    expect(page.locator("#q-A-acceptability output")).to_have_text("Grade: B")
    is_saved(page)
    steps = {"important": "yes", "understood": "yes", "easy": "yes", "grammar": "no"}
    [stored] = site.store.answers(site.campaign, "rater-1")
    assert (stored.answer.value, stored.answer.detail) == ("B", {"steps": steps})
    press(page, "k y")
    expect(page.locator("#q-A-acceptability output")).to_have_text("Grade: B")
    page.locator("#q-A-acceptability [data-step='easy'] input[value='no']").click()
    expect(page.locator("#q-A-acceptability output")).to_have_text("Grade: C")
    press(page, "j x")
    page.keyboard.type("the text is cut off")
    page.keyboard.press("Enter")
    expect(page.locator("#q-B-acceptability .reason")).to_contain_text("cut off")
    press(page, "j n")
    is_saved(page)
    page.reload()
    expect(page.locator("#q-B-acceptability .reason")).to_contain_text("cut off")
    assert site.values() == {
        "A|acceptability": "C", "B|acceptability": None, "C|acceptability": "F",
    }  # fmt: skip
    assert site.store.state_of(site.campaign, "rater-1").done == set(site.page_ids())


def test_ranking_with_ties(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("ranking", 1))
    site.begin(page)
    press(page, "2 1 2")
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A=C")
    is_saved(page)
    assert site.values() == {"|preference": "B>A=C"}
    page.reload()
    group = page.get_by_role("radiogroup", name="Place of text C")
    expect(group.get_by_role("radio", name="2")).to_be_checked()
    group.get_by_role("radio", name="3").check()
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A>C")
    press(page, "u")
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A=C")


def spans_of(site: Site) -> list[tuple[int, int, str, str]]:
    (answer,) = [
        one.answer
        for one in site.store.answers(site.campaign, "rater-1")
        if one.answer.question == "errors"
    ]
    assert answer.value == str(len(answer.detail["spans"]))
    return [
        (one["start"], one["end"], one["severity"], one["category"])
        for one in answer.detail["spans"]
    ]


def test_spans_by_keyboard(page: Any, make_site: MakeSite) -> None:
    """Exact to the character behind one that is two units long in JavaScript; marks may touch."""
    site = make_site(invented_plan("error-spans", 1, target="ja"))
    site.begin(page)
    text = JAPANESE[0]
    at = text.index("𠮷田")
    box = page.locator(".marking")
    assert box.inner_text() == text
    box.focus()
    press(page, "ArrowRight " * at + "Shift+ArrowRight Shift+ArrowRight Enter")
    expect(page.locator(".marked q")).to_have_text("𠮷田")
    expect(page.locator(".marked .lacking")).to_have_text("Choose a severity")
    press(page, "3")
    expect(page.locator(".marked .lacking")).to_have_text("Choose a kind")
    is_saved(page)
    assert site.values()["A|errors"] is None
    press(page, "t")
    expect(box).to_be_focused()
    is_saved(page)
    assert spans_of(site) == [(at, at + 2, "critical", "terminology")]
    press(page, "Shift+ArrowRight Shift+ArrowRight Shift+ArrowLeft Enter m 1")
    expect(page.locator(".marked li")).to_have_count(2)
    is_saved(page)
    assert spans_of(site)[1] == (at + 2, at + 3, "minor", "mistranslation")
    expect(page.locator(".marking mark")).to_have_text(["𠮷田", "式"], use_inner_text=True)
    box.focus()
    press(page, "End")
    page.get_by_role("button", name="Something is missing here").press("Enter")
    press(page, "1")
    is_saved(page)
    assert spans_of(site)[2] == (len(text), len(text), "minor", "omission")
    press(page, "u u")
    expect(page.locator(".marked li")).to_have_count(2)
    box.focus()
    press(page, "Home " + "ArrowRight " * at + "Delete")
    expect(page.locator(".marked li")).to_have_count(1)
    page.locator("input[type=number]").fill("73")
    press(page, "Enter")
    page.wait_for_url("**/done")
    assert spans_of(site) == [(at + 2, at + 3, "minor", "mistranslation")]
    assert site.values()["A|da"] == "73"


def test_spans_by_mouse(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("error-spans", 1, target="ja"))
    site.begin(page)
    select = """([start, end]) => {
      const box = document.querySelector(".marking"), range = document.createRange();
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      let at = 0;
      for (let node; (node = walker.nextNode()); at += node.length) {
        if (at <= start && start <= at + node.length) range.setStart(node, start - at);
        if (at <= end && end <= at + node.length) { range.setEnd(node, end - at); break; }
      }
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }"""
    page.evaluate(select, [0, 4])
    page.get_by_role("button", name="Mark the selection").click()
    expect(page.locator(".marked q")).to_have_text("熱交換器")
    page.evaluate(select, [2, 6])
    page.get_by_role("button", name="Mark the selection").click()
    expect(page.locator(".marked q")).to_have_text(["熱交換器", "換器は、"])
    for place in range(2):
        row = page.locator(".marked li").nth(place)
        row.get_by_role("radio", name="Major").click()
        row.get_by_role("combobox").select_option("number")
    is_saved(page)
    assert [one[:2] for one in spans_of(site)] == [(0, 4), (2, 6)]
    page.get_by_role("button", name="Remove error 1").click()
    page.get_by_role("button", name="Remove error 1").click()
    is_saved(page)
    assert site.values()["A|errors"] is None
    page.get_by_role("button", name="No errors").click()
    is_saved(page)
    assert spans_of(site) == []


def test_half_a_ranking_survives_a_reload_and_is_no_answer(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("ranking", 1))
    site.begin(page)
    page.keyboard.press("3")
    page.keyboard.press("1")
    expect(page.locator("#saving")).to_have_text("Saved")
    assert site.values() == {"|preference": None}
    assert site.store.state_of(site.campaign, "rater-1").done == frozenset()
    page.reload()
    chosen = page.locator("#q-page-preference input:checked")
    expect(chosen).to_have_count(2)
    assert [one.get_attribute("value") for one in chosen.all()] == ["3", "1"]
    page.keyboard.press("3")
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A=C")
    page.get_by_role("button", name="Take back").click()
    expect(chosen).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A=C")
    expect(page.locator("#saving.waiting")).to_have_count(0)
    assert site.values() == {"|preference": "B>A=C"}
