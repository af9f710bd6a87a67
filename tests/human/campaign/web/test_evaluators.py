"""Stories of evaluators in a real browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from sqlalchemy import text

from campaign_site import MakeSite, Site, invented_plan, is_saved, press
from campaigns import campaign
from patmark.human.campaign import Plan, plan_campaign
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.settings import Assignment, CompletionCode

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect

_RATED = {"completeness": "10", "clarity": "8", "consistency": "8", "linkage": "8"}
_SIX = ("e1", "e2", "e3", "e4", "e5", "e6")


def test_training_is_final_by_check_alone(page: Any, make_site: MakeSite) -> None:
    """10 does not lock 1, arrows do not lock the first radio; a retry, and a failed pass mark."""
    plan = invented_plan("claim-rating", 1, 1, {"A": _RATED}, pass_mark=1.0)
    pages = tuple(
        replace(one, why={"A": "All features are there."}) if one.phase == "training" else one
        for one in plan.pages
    )
    settings = {"feedback": "each", "tries": 2, "contact": "ann@example.org"}
    site = make_site(replace(plan, pages=pages, settings=settings))
    site.begin(page)
    train = page.url
    press(page, "1 0")
    expect(page.locator("#q-A-completeness input:checked")).to_have_value("10")
    page.locator("#q-A-clarity input").first.focus()
    press(page, "ArrowRight ArrowRight ArrowRight")
    expect(page.locator("#q-A-clarity input:checked")).to_have_value("3")
    expect(page.locator("#check")).to_be_disabled()
    page.locator("#q-A-consistency").focus()
    press(page, "8 Enter 8")
    for label, name in product("BC", _RATED):
        page.locator(f"#q-{label}-{name}").focus()
        press(page, "2")
    is_saved(page)
    expect(page.locator("#feedback")).to_be_hidden()
    page.locator("#check").click()
    expect(page.locator("#feedback")).to_contain_text("3 of 4 answers")
    expect(page.locator("#feedback")).to_contain_text("times left: 1")
    expect(page.locator("#q-A-clarity .feedback.other")).to_have_text("✗ The reference answer is 8")
    expect(page.locator(".feedback.why")).to_have_text("All features are there.")
    page.locator("#q-A-clarity").focus()
    press(page, "7")
    is_saved(page)
    page.locator("#next").click()  # changed, and not checked again: the page is still open
    page.wait_for_url("**/page/*")
    page.goto(f"{site.root}/training")
    page.wait_for_url(train)
    expect(page.locator("#feedback")).to_be_hidden()
    page.locator("#check").click()
    expect(page.locator("#feedback")).to_contain_text("3 of 4 answers")
    expect(page.locator("#q-A-clarity")).to_have_attribute("disabled", "")
    page.locator("#next").click()
    page.wait_for_url("**/training")
    expect(page.locator("h1")).to_have_text("The training was not passed")
    expect(page.locator("main")).to_contain_text("What now?")
    expect(page.locator("main")).to_contain_text("ann@example.org")
    site.store.set_qualified(site.campaign, "rater-1", True)
    page.reload()
    page.get_by_role("link", name="Go on").click()
    page.wait_for_url("**/page/*")


def test_keys_go_from_question_to_question_also_on_an_answered_page(
    page: Any, make_site: MakeSite
) -> None:
    site = make_site(invented_plan("adequacy", 1))
    site.begin(page)
    for keys in ("3 5 4", "5 2 1"):
        press(page, keys)
        for label, value in zip("ABC", keys.split(), strict=True):
            expect(page.locator(f"#q-{label}-adequacy input:checked")).to_have_value(value)
        is_saved(page)
        page.reload()


def _pool() -> Plan:
    settings = campaign(
        segments=3,
        systems=("A", "B"),
        evaluators=_SIX,
        assignment=Assignment("pool", times=2, lease_minutes=5),
        checks=Extras(0.3, 1, EDITS),
        completion=CompletionCode("C0DE-7", 0.5),
    )
    return plan_campaign(replace(settings, form=replace(settings.form, candidates=1)))


def _judge(page: Any, site: Site, most: int = 100) -> None:
    """Judge what comes until nothing is left; texts that are spoilt get the lowest grade."""
    page.goto(f"{site.root}/next")
    for _ in range(most):
        if page.url.endswith("/done"):
            return
        before = page.url
        shown = site.store.state(site.campaign).texts[before.rpartition("/")[2]]
        page.keyboard.press("1" if shown.phase == "check" else "4")
        is_saved(page)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=before: url != before and "/next" not in url)


def test_a_pool_of_six_of_whom_two_drop_out(
    new_page: Callable[..., Any], make_site: MakeSite
) -> None:
    site = make_site(_pool())
    windows = {name: new_page() for name in _SIX}
    for name, window in windows.items():
        site.enter(window, name)
    _judge(windows["e1"], site, 1)  # and is on a second page that nobody will answer
    windows["e2"].goto(f"{site.root}/next")
    for name in _SIX[2:]:
        _judge(windows[name], site, 2)
    for name in _SIX[2:]:
        _judge(windows[name], site)
    with site.store._writing() as connection:
        connection.execute(text("UPDATE pages SET claimed = '2001' || substr(claimed, 5)"))
    site.store._states.clear()
    windows["e3"].goto(f"{site.root}/done")
    for name in _SIX[2:]:
        _judge(windows[name], site)
    state = site.store.state(site.campaign)
    judged = Counter(
        page.item for page in state.pages if page.phase == "main" and page.id in state.done
    )
    assert len(judged) == 6 and set(judged.values()) == {2}
    assert not [page for page in state.standing("e2").pages if page.phase == "main"]
    for name in _SIX[2:]:
        windows[name].goto(f"{site.root}/done")
        if any(page.phase == "main" for page in state.standing(name).pages):
            expect(windows[name].locator(".code")).to_have_text("C0DE-7")
    left = windows["e2"]
    left.goto(f"{site.root}/next")
    left.wait_for_url("**/done")  # whose page has gone to somebody else
    expect(left.locator("main")).to_contain_text("look again later")


def test_ten_answers_without_a_connection(
    page: Any, make_site: MakeSite, problems: list[str]
) -> None:
    site = make_site(invented_plan("claim-rating", 2))
    site.begin(page)
    first = page.url
    page.context.set_offline(True)
    for label in "AB":
        for name in ("completeness", "clarity", "consistency", "linkage", "overall"):
            page.locator(f"#q-{label}-{name}").focus()
            page.keyboard.press("7")
    saving = page.locator("#saving")
    expect(saving).to_have_text("No connection: 10 kept here")
    assert saving.bounding_box()["y"] == pytest.approx(
        page.locator("#next").bounding_box()["y"], abs=60
    )
    page.locator("#next").click()
    expect(saving).to_contain_text("the page changes when they are saved")
    assert page.url == first and site.values() == {}
    problems.clear()  # the browser tells of each request that failed
    page.context.set_offline(False)
    page.wait_for_url(lambda url: url != first and "/page/" in url)
    assert set(site.values().values()) == {"7"} and len(site.values()) == 10
    problems.clear()


def test_a_score_is_typed_cleared_and_kept_in_its_limits(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("esa", 1))
    site.begin(page)
    asked = page.locator(".kind-number")
    field, problem = asked.locator("input[type=number]"), asked.locator(".problem")
    field.fill("150")
    expect(problem).to_have_text("A whole number from 0 to 100")
    page.keyboard.press("Tab")
    expect(field).to_have_value("150")
    assert site.values() == {}
    field.fill("85")
    expect(problem).to_be_empty()
    page.keyboard.press("Tab")
    is_saved(page)
    assert site.values() == {"A|esa": "85"}
    field.fill("8.5")
    page.keyboard.press("Tab")
    is_saved(page)
    assert site.values() == {"A|esa": None}
    expect(field).to_have_value("8.5")
    field.fill("")
    page.keyboard.press("Tab")
    expect(problem).to_be_empty()
    asked.locator("input[type=range]").focus()
    page.keyboard.press("ArrowLeft")  # the slider stands at 0, which nobody has given yet
    is_saved(page)
    assert site.values() == {"A|esa": "0"}
    asked.focus()
    press(page, "1 0 0")
    expect(field).to_have_value("100")
    press(page, "c")
    expect(page.locator("#remark-text")).to_be_focused()
    press(page, "Escape ?")
    expect(page.locator("#help")).to_contain_text("mark what is selected")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_long_texts_say_so_and_the_reference_is_within_reach(
    new_page: Callable[..., Any], make_site: MakeSite
) -> None:
    plan = invented_plan("adequacy", 1)
    form = replace(plan.form, shows_reference=True)
    pages = tuple(
        replace(one, source="一种换热器，包括壳体。" * 60, reference="A shell. " * 90)
        for one in plan.pages
    )
    site = make_site(replace(plan, form=form, pages=pages))
    page = new_page(width=360)
    site.begin(page)
    texts = page.locator(".given-texts .panel")
    expect(page.locator(".given-texts .more")).to_have_count(2)
    texts.first.evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
    expect(page.locator(".given-texts .more")).to_have_count(1)
    page.locator("#q-C-adequacy").scroll_into_view_if_needed()
    for one in (texts.first, texts.last):
        box = one.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] < 0.5 * 900
