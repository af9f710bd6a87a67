"""axe-core over every page, of evaluators and organisers; nothing too wide or small for a thumb.

All campaigns are on one server. Each look is one context of the browser: wide, light and English;
a phone, dark and Chinese; a larger phone, dark and Japanese.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from axe import violations
from campaign_site import SOURCES, Site, invented_plan, running
from campaigns import campaign, post_edit_form
from patmark.examples import example_path
from patmark.human.campaign import (
    Answer,
    Plan,
    begin_demo,
    form_names,
    plan_campaign,
    read_campaign,
)
from patmark.human.campaign.enrolment import BackgroundQuestion
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.settings import Assignment, CompletionCode, Joining
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app

pytestmark = pytest.mark.browser
_LOOKS = {
    "en": {"width": 1280, "color_scheme": "light"},
    "zh": {"width": 360, "color_scheme": "dark"},
    "ja": {"width": 400, "color_scheme": "dark"},
}
_PHONE = 500
_SMALL_TARGETS = """() => [...document.querySelectorAll(
    "main a, button, select, summary, textarea, label.choice, [type=text], [type=number]")]
  .filter((one) => one.checkVisibility() && !one.matches("p a, li > a, td a"))
  .filter((one) => {
    const box = one.getBoundingClientRect();
    return box.height < 43.5 || box.width < 43.5;
  })
  .map((one) => `small: ${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 30)}`)"""
_DESK = ("", "/people", "/person?name=e4", "/checks", "/agreement", "/consensus", "/ranking",
         "/log", "/campaign")  # fmt: skip
_MARK = {"start": 0, "end": 4, "severity": "major", "category": "Accuracy/Mistranslation"}
_QUESTIONS = (
    BackgroundQuestion("years", {"": "Years with patents"}, "number"),
    BackgroundQuestion("first", {"": "First language"}, "choice", ({"": "zh"}, {"": "ja"})),
    BackgroundQuestion("note", {"": "Anything else?"}, required=False),
)


@dataclass(frozen=True)
class Sites:
    """All campaigns of the server by what they show, and the links of whoever comes."""

    address: str
    store: Store
    manager: str
    named: dict[str, Site]
    join: dict[str, str]

    def add(self, name: str, plan: Plan) -> Site:
        """One more campaign."""
        made = self.store.create_campaign(replace(plan, name=name))
        links = made.links, made.organiser_secret
        self.named[name] = Site(self.address, self.store, made.campaign, *links)
        if made.join:
            self.join[name] = made.join
        return self.named[name]


def _save(site: Site, name: str, *answers: Answer) -> None:
    site.store.save_many(site.campaign, name, answers)


def _trained(sites: Sites) -> None:
    """A page after Check, with right and wrong answers, why, and a try left; somebody failed."""
    expected = {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}, "C": {"adequacy": "1"}}
    plan = invented_plan("adequacy", 2, 1, expected, pass_mark=0.3)
    why = {"A": "Everything is there."}
    pages = [replace(one, why=why) if one.phase == "training" else one for one in plan.pages]
    settings = {"tries": 2, "feedback": "each", "contact": "ann@example.org"}
    site = sites.add("adequacy", replace(plan, pages=tuple(pages), settings=settings))
    first, second, _ = site.page_ids()
    for page in (first, second):
        _save(site, "rater-1", *(Answer(page, label, "adequacy", "3") for label in "AB"))
        _save(site, "rater-1", Answer(page, "C", "adequacy", None, {"reason": "cut off"}))
    _save(site, "rater-1", Answer(first, "", "checked", "done"))
    site.store.save_remark(site.campaign, "rater-1", second, "odd", True)
    failed = site.page_ids("rater-2")[0]
    _save(site, "rater-2", *(Answer(failed, label, "adequacy", "2") for label in "ABC"))
    _save(site, "rater-2", *[Answer(failed, "", "checked", "done")] * 2)


def _marked(sites: Sites) -> None:
    """Marks that are complete, not complete, and proposed; a document as one page."""
    proposed = ({**_MARK, "side": "target"},)
    for name in ("mqm", "esa"):
        plan = invented_plan(name, 2, 1)
        pages = tuple(
            replace(page, candidates=(replace(page.candidates[0], proposed=proposed),))
            if name == "mqm" and page.position == 1 else page
            for page in plan.pages
        )  # fmt: skip
        site = sites.add(name, replace(plan, pages=pages))
        category = {} if name == "mqm" else {"category": "Unspecified"}
        marks = [_MARK | category, _MARK | category | {"start": 6, "end": 9, "severity": None}]
        page = site.page_ids()[2]
        _save(site, "rater-1", Answer(page, "A", "errors", None, {"unfinished": marks}))
    texts = [text * 3 for text in SOURCES]
    settings = campaign("mqm", segments=4, documents=2, systems=("A",), evaluators=("rater-1",),
                        texts=lambda _, place: texts[place], pages="document")  # fmt: skip
    sites.add("document", plan_campaign(settings))


def _coming(sites: Sites) -> None:
    """Consent and background; a completion code; a campaign that is full."""
    settings = campaign(
        segments=1,
        systems=("A", "B"),
        evaluators=("rater-1", "rater-2"),
        assignment=Assignment("pool"),
        checks=Extras(0.5, 0, EDITS),
        join=Joining(1),
        completion=CompletionCode("C0DE"),
        deadline=None,
    )
    sites.add("pool", plan_campaign(settings))
    consent = {"": "# Consent\n\n* Your **answers** are kept.\n"}
    sites.add("asking", plan_campaign(replace(settings, consent=consent, background=_QUESTIONS)))


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """A server with the demo and campaigns of every form."""
    path = tmp_path_factory.mktemp("axe") / "axe.db"
    with Store.open(str(path), create=True) as store, running(create_app(store)) as address:
        manager, made = begin_demo(store, address)
        found = Sites(address, store, manager, {}, {})
        for name, one in zip(("graded", "compared"), made.values(), strict=True):
            found.named[name] = Site(address, store, one.campaign, one.links, one.organiser_secret)
        _trained(found)
        _marked(found)
        _coming(found)
        for name in sorted({*form_names()} - {*found.named}):
            found.add(name, invented_plan(name, 1))
        texts = found.add("texts", replace(invented_plan("mqm", 1), form=post_edit_form(1)))
        _save(texts, "rater-1", Answer(texts.page_ids()[0], "A", "mended", "Mended."))
        example = plan_campaign(read_campaign(example_path("campaign_zh_en/mqm.yaml")))
        marked = found.add("proposals", example)
        page = next(one for one in example.pages if one.candidates[0].proposed)
        spans = [dict(one, proposal=place) for place, one in enumerate(page.candidates[0].proposed)]
        given = Answer(page.id, "A", "errors", str(len(spans)), {"spans": spans})
        _save(marked, page.evaluator, given)
        store.archive(found.add("archived", invented_plan("adequacy", 1)).campaign)
        yield found


@dataclass
class Visitor:
    """One context of the browser, which looks at one page after the other."""

    page: Any
    width: int
    found: dict[str, list[str]]

    def look(self, address: str = "", shows: str = "h1") -> None:
        """Go to an address, or stay; there must be what the page is looked at for."""
        if address:
            self.page.goto(address)
        assert self.page.locator(shows).first.is_visible(), (self.page.url, shows)
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        problems = violations(self.page) + (["too wide"] if wide > self.width else [])
        if self.width < _PHONE:
            problems += self.page.evaluate(_SMALL_TARGETS)
        if problems:
            self.found[f"{self.page.url} {self.page.title()}"] = problems

    def enter(self, link: str, **fields: str) -> None:
        """Press the button of an entrance."""
        assert self.page.request.post(link, form=fields).ok, link


@pytest.fixture
def visitor(request: pytest.FixtureRequest, browser: Any) -> Iterator[Visitor]:
    """A visitor in the look that the test asks for, who must find nothing wrong."""
    language: str = request.param
    look = dict(_LOOKS[language])
    width = look.pop("width")
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        locale=language,
        reduced_motion="reduce",
        **look,
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    found: dict[str, list[str]] = {}
    yield Visitor(page, width, found)
    context.close()
    assert found == {}


def _looks(*languages: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("visitor", languages, indirect=True)


@_looks("en", "zh")
def test_pages_of_evaluators(visitor: Visitor, sites: Sites) -> None:
    site = sites.named["adequacy"]
    visitor.look(site.link())
    visitor.enter(site.link())
    for path in ("/", "/guideline", "/training", "/nowhere"):
        visitor.look(f"{site.root}{path}")
    visitor.look(f"{site.root}/review", ".given li")
    for page, shows in zip(
        site.page_ids(), (".feedback.why", "#remark textarea", ".question"), strict=True
    ):
        visitor.look(f"{site.root}/page/{page}", shows)
    visitor.enter(site.link("rater-2"))
    visitor.look(f"{site.root}/training", "ul.steps")
    site = sites.named["document"]
    visitor.enter(site.link())
    visitor.look(f"{site.root}/next", "#candidate-B .marking")
    for name in ("mqm", "esa", "texts"):
        site = sites.named[name]
        visitor.enter(site.link())
        for page in site.page_ids():
            visitor.look(f"{site.root}/page/{page}")
    visitor.page.keyboard.press("?")
    visitor.look(shows="dialog h2")
    visitor.look(f"{site.root}/review", ".given li")
    visitor.page.request.post(f"{site.root}/leave")
    visitor.look(f"{site.root}/left")


@_looks("en", "zh", "ja")
def test_the_page_of_every_form(visitor: Visitor, sites: Sites) -> None:
    for name in sorted({*form_names()} - {"adequacy", "mqm", "esa"}):
        site = sites.named[name]
        visitor.enter(site.link())
        visitor.look(f"{site.root}/next", ".question")


_CODES: dict[str, str] = {}
"""The return code of w1 in a campaign, which both visitors use."""


@_looks("zh", "ja")
def test_coming_and_the_code(visitor: Visitor, sites: Sites) -> None:
    asking, pool = sites.named["asking"], sites.named["pool"]
    visitor.look(f"{sites.address}/j/{sites.join['asking']}?PROLIFIC_PID=w1")
    visitor.enter(asking.link())
    visitor.look(f"{asking.root}/start", "form.enrolment")
    visitor.page.locator("form.enrolment").evaluate("(form) => { form.noValidate = true; }")
    with visitor.page.expect_navigation():
        visitor.page.locator("form.enrolment button").click()
    visitor.look(shows="form.enrolment .problem")
    visitor.enter(pool.link())
    while page := pool.store.next_view(pool.campaign, "rater-1").page:
        grades = (Answer(page, label, "adequacy", "4") for label in "AB")
        _save(pool, "rater-1", *grades)
    visitor.look(f"{pool.root}/done", ".code output")
    code = _CODES.setdefault(pool.campaign, "") or pool.store.join(pool.campaign, "w1")
    _CODES[pool.campaign] = code
    visitor.enter(f"{pool.address}/j/{sites.join['pool']}", id="w1", code=code)
    visitor.look(f"{pool.address}/j/{sites.join['pool']}?id=w2")
    with visitor.page.expect_navigation() as full:
        visitor.page.locator("main form button").click()
    assert full.value.status == 409
    visitor.look()
    visitor.look(f"{pool.address}/j/wrong")


@_looks("en", "zh")
def test_pages_of_organisers(visitor: Visitor, sites: Sites) -> None:
    graded, compared = sites.named["graded"], sites.named["compared"]
    visitor.look(f"{sites.address}/o/{sites.manager}")
    visitor.enter(f"{sites.address}/o/{sites.manager}")
    for address in (
        *(f"{sites.address}/campaigns{more}" for more in ("", "?archived=true")),
        *(f"{graded.root}/organiser{path}" for path in _DESK),
        *(f"{compared.root}/organiser{path}" for path in ("/agreement", "/ranking")),
        *(f"{sites.named['asking'].root}/organiser{path}" for path in ("", "/people")),
        *(f"{sites.named[name].root}/organiser" for name in ("texts", "proposals", "adequacy")),
        f"{sites.named['archived'].root}/organiser/campaign",
        f"{graded.root}/organiser/person?name=e6",
    ):
        visitor.look(address)
    _press(visitor, "form[action$='/organiser/link'] button")
    visitor.page.goto(f"{compared.root}/organiser/campaign")
    clone = visitor.page.locator("form[action$='/organiser/clone']")
    clone.locator("input[name=name]").fill(f"Clone {visitor.width}")
    _press(visitor, "form[action$='/organiser/clone'] button")
    visitor.page.goto(f"{sites.address}/campaigns")
    add: Callable[[str], Any] = visitor.page.locator
    add("form.fields input[name=name]").fill(f"mei {visitor.width}")
    _press(visitor, "form.fields button")


def _press(visitor: Visitor, button: str) -> None:
    """What a form answers, which has no address of its own."""
    with visitor.page.expect_navigation():
        visitor.page.locator(button).click()
    visitor.look(shows="input.link")
