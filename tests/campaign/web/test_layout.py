"""Pages on a phone and on a screen, in three languages, light and dark: sizes, names, contrast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=60_000)
pytestmark = pytest.mark.browser
expect = playwright.expect

FORMS = {
    "en": {"claim-rating": "en"},
    "zh": {"acceptability": "en", "write-reference": "ja", "mqm": "ja"},
    "ja": {"error-spans": "ja", "ranking": "ja", "write-reference": "ja", "esa": "ja"},
}

SMALL_TARGETS = """() => [...document.querySelectorAll(
    "main a, button, select, summary, textarea, label.choice, [type=text], [type=number]")]
  .filter((one) => one.checkVisibility() && !one.matches("p a, li > a, td a"))
  .filter((one) => {
    const box = one.getBoundingClientRect();
    return box.height < 43.5 || box.width < 43.5;
  })
  .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 30)}`)"""

NAMELESS = """() => [...document.querySelectorAll(
    "button, a, input:not([type=hidden]), select, textarea")]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()
    || [...(one.labels ?? [])].some((label) => label.textContent.trim())))
  .map((one) => one.outerHTML.slice(0, 80))"""

# Contrast of text by the formula of WCAG; colours are drawn so that every notation is understood.
FAINT = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, below) => below.map(
    (part, at) => top[at] * top[3] / 255 + part * (1 - top[3] / 255));
  const ground = (one) => {
    const layers = [];
    for (; one; one = one.parentElement) layers.push(rgba(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const hasText = (one) => [...one.childNodes].some(
    (node) => node.nodeType === 3 && node.textContent.trim());
  const faint = [];
  for (const one of document.querySelectorAll("body *")) {
    if (!hasText(one) || !one.checkVisibility()) continue;
    if (one.closest(":disabled, noscript, .unseen, .skip")) continue;
    const style = getComputedStyle(one), below = ground(one);
    const colour = rgba(style.color);
    colour[3] *= Number(style.opacity);
    const [a, b] = [light(over(colour, below)), light(below)].sort((x, y) => y - x);
    const said = `${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 20)}`;
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.push(said);
  }
  return faint;
}"""


def begin(page: Any, site: Site) -> None:
    page.goto(site.link())
    page.locator("main form button").click()
    page.wait_for_url(f"{site.root}/")


def check(page: Any) -> None:
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(FAINT) == []
    if width < 500:
        assert page.evaluate(SMALL_TARGETS) == []


@pytest.mark.parametrize("language", FORMS)
def test_phone(new_page: Callable[..., Any], make_site: MakeSite, language: str) -> None:
    scheme = "dark" if language == "zh" else "light"
    for form, target in FORMS[language].items():
        site = make_site(invented_plan(form, 1, target=target))
        page = new_page(width=360, locale=language, color_scheme=scheme)
        page.goto(site.link())
        check(page)
        begin(page, site)
        assert page.locator("html").get_attribute("lang") == language
        for path in ("/", "/guideline", "/review", "/next"):
            page.goto(site.root + path)
            check(page)
        assert page.locator(".candidate .text, .marking[data-side=target]").first.get_attribute(
            "lang"
        ) in (
            target,
            None,
        )
        page.context.close()


def test_screen_in_the_dark(new_page: Callable[..., Any], make_site: MakeSite) -> None:
    site = make_site(invented_plan("acceptability", 1))
    page = new_page(color_scheme="dark")
    begin(page, site)
    page.goto(f"{site.root}/next")
    check(page)
    page.keyboard.press("n")
    check(page)
    page.keyboard.press("?")
    check(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.locator("html").get_attribute("data-theme") == "light"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "light"
    check(page)


def test_groups_have_legends(page: Any, site: Site) -> None:
    begin(page, site)
    page.goto(f"{site.root}/next")
    group = page.get_by_role("group", name="Text B: How much of the meaning")
    assert group.get_by_role("radio").count() == 5
    expect(group.get_by_role("radio", name="All of the meaning")).to_have_accessible_description(
        "Every piece arrives, and who does what to what is right for the whole sentence."
    )
    assert page.get_by_role("status").count() >= 1
    assert page.locator("main h2").first.inner_text() == "Source text"


def test_markup_in_texts_is_inert(page: Any, site: Site) -> None:
    """The console stays empty: a script in a text would have been refused aloud, or run."""
    begin(page, site)
    page.goto(f"{site.root}/next")
    text = page.locator("#candidate-A .text")
    assert "<script>alert(1)</script> &" in text.inner_text()
    assert text.locator("script").count() == 0
    assert "<b>和</b>" in page.locator(".source .text").inner_text()
    page.keyboard.press("d")
    expect(page.locator("#context dd").first).to_have_text("换热器 <i>")


def test_language_can_be_changed_anywhere(page: Any, site: Site) -> None:
    begin(page, site)
    page.goto(f"{site.root}/next")
    address = page.url
    page.get_by_role("button", name="日本語").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    assert page.url == address
    expect(page.locator("#next")).to_contain_text("次へ")
    expect(page.locator("legend").first).to_contain_text("テキスト A")
