"""Marking errors for MQM and ESA in a real browser, by keyboard alone; proposals; training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan, is_saved, press
from patmark.data import read_annotations
from patmark.human.campaign import Candidate, Plan
from patmark.human.campaign.annotations import campaign_annotations
from patmark.human.campaign.export import campaign_export, write_export
from patmark.human.campaign.form import with_typologies

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect

_CHINESE = "𠀀号部件与基板通过焊接层电连接。"
_JAPANESE = "𠮷田式部品は基板に𩸽接続される。"


def _plan(form: str, source: str, text: str, target: str, **others: Any) -> Plan:
    """One page for each evaluator."""
    plan = invented_plan(form, 1, target=target)
    pages = tuple(
        replace(
            page,
            source=source,
            candidates=(replace(page.candidates[0], text=text, **others),),
        )
        for page in plan.pages
    )
    return replace(plan, pages=pages, source_language="zh" if target == "ja" else "ja")


def _select(at: int, length: int) -> str:
    """Keys that go from the beginning of a text to a place and select so many characters."""
    return f"Home {'ArrowRight ' * at}{'Shift+ArrowRight ' * length}"


def _focus(page: Any, side: str) -> None:
    """Press Tab until the text of one side has the focus."""
    for _ in range(30):
        if page.evaluate("document.activeElement.dataset.side") == side:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the {side} cannot be reached with Tab")


def _spans(site: Site) -> list[tuple[Any, ...]]:
    [answer] = [
        one.answer
        for one in site.store.answers(site.campaign, "rater-1")
        if one.answer.question == "errors"
    ]
    names = ("side", "start", "end", "severity", "category")
    return [tuple(one[name] for name in names) for one in answer.detail["spans"]]


def test_mqm_by_keyboard(page: Any, make_site: MakeSite, tmp_path: Path) -> None:
    """Marks in a Chinese source and a Japanese translation, behind signs of two UTF-16 units."""
    site = make_site(_plan("mqm", _CHINESE, _JAPANESE, "ja"))
    site.begin(page)
    expect(page.locator(".marking")).to_have_text([_CHINESE, _JAPANESE], use_inner_text=True)
    assert page.locator(".source").count() == 0  # the source stands once, where it is marked
    at = _JAPANESE.index("𩸽")
    _focus(page, "target")
    press(page, _select(at, 3) + " Enter")
    row = page.locator(".marked li").first
    expect(row.locator("q")).to_have_text("𩸽接続")
    expect(row.locator(".lacking")).to_have_text("Choose a severity")
    expect(page.locator(".marking-tools output")).to_have_text("Marked errors: 1, not complete: 1")
    press(page, "2")
    expect(row.locator(".lacking")).to_have_text("Choose a kind")
    expect(page.locator(".kind-keys")).to_contain_text("Accuracy")
    press(page, "a")
    expect(page.locator(".kind-keys")).to_contain_text("Mistranslation")
    expect(page.locator(".kind-keys")).not_to_contain_text("Terminology")
    is_saved(page)
    assert site.values()["A|errors"] is None
    press(page, "Enter")  # what is open keeps the page
    expect(row.locator("input:checked")).to_be_focused()
    page.reload()
    expect(row.locator(".lacking")).to_have_text("Choose a kind")
    press(page, "Enter a m")
    expect(row.locator(".kind-hint")).to_contain_text("Says something else than the source.")
    expect(page.locator(".marking[data-side=target]")).to_be_focused()
    is_saved(page)
    wrong = ("target", at, at + 3, "major", "Accuracy/Mistranslation")
    assert _spans(site) == [wrong]
    page.keyboard.press("Shift+Tab")
    press(page, _select(0, 2) + " Enter 3")  # of the kinds, only an omission stands in the source
    expect(page.locator(".marking[data-side=source] mark")).to_have_text("𠀀号")
    is_saved(page)
    lost = ("source", 0, 2, "critical", "Accuracy/Omission")
    assert _spans(site) == [lost, wrong]
    _focus(page, "target")
    press(page, "End")
    page.get_by_role("button", name="Something is missing here").focus()
    press(page, "Enter 1 Escape")
    is_saved(page)
    end = len(_JAPANESE)
    gap = ("target", end, end, "minor", "Accuracy/Omission")
    assert _spans(site) == [lost, wrong, gap]
    page.reload()
    expect(page.locator(".marking mark")).to_have_text(["𠀀号", "𩸽接続", ""], use_inner_text=True)
    _focus(page, "target")
    press(page, f"Home {'ArrowRight ' * (at + 1)}Enter")  # to the row of the mark, and change it
    press(page, "0 t w")
    is_saved(page)
    assert _spans(site)[1] == ("target", at, at + 3, "neutral", "Terminology/Wrong term")
    press(page, "Escape")
    page.locator(".marked li").nth(2).locator("input").first.focus()
    press(page, "Delete")
    expect(page.locator(".marked li")).to_have_count(2)
    is_saved(page)
    page.locator("fieldset.question").focus()
    press(page, "Enter")
    page.wait_for_url("**/done")
    target = tmp_path / "marks.jsonl"
    write_export(campaign_export(site.store.state(site.campaign)), "annotations", target)
    found = read_annotations(target)
    assert [(one.side, one.start, one.end, one.severity) for one in found.marks] == [
        ("source", 0, 2, "critical"), ("target", at, at + 3, "neutral"),
    ]  # fmt: skip


def test_line_breaks_do_not_shift_marks(page: Any, make_site: MakeSite, tmp_path: Path) -> None:
    """A CR LF is two characters of the text as it is kept; HTML would take it for one."""
    source, text = "第一。\r\n第二。", "\nFirst.\r\n𠮷 second.\rThird\u2028end."
    site = make_site(_plan("mqm", source, text, "en"))
    site.begin(page)
    assert page.locator(".marking").evaluate_all("all => all.map(one => one.textContent)") == [
        source, text,
    ]  # fmt: skip
    for word, keys in (("second", "2 a m"), ("end", "1 a m")):
        _focus(page, "target")
        press(page, f"{_select(text.index(word), len(word))} Enter {keys}")
    page.keyboard.press("Shift+Tab")
    press(page, f"{_select(source.index('第二'), 2)} Enter 3")
    is_saved(page)
    page.reload()
    expect(page.locator(".marking mark")).to_have_text(
        ["第二", "second", "end"], use_inner_text=True
    )
    page.locator("fieldset.question").focus()
    press(page, "Enter")
    page.wait_for_url("**/done")
    target = tmp_path / "marks.jsonl"
    write_export(campaign_export(site.store.state(site.campaign)), "annotations", target)
    found = read_annotations(target)
    assert [found.texts.of_mark(one)[one.start : one.end] for one in found.marks] == [  # type: ignore[index]
        "第二", "second", "end",
    ]  # fmt: skip


def test_esa_by_keyboard(page: Any, make_site: MakeSite, tmp_path: Path) -> None:
    """Severities alone, then a score; a Japanese source and a Chinese translation."""
    site = make_site(_plan("esa", _JAPANESE, _CHINESE, "zh"))
    site.begin(page)
    assert page.locator(".marked .category").count() == 0
    _focus(page, "target")
    press(page, _select(0, 1) + " Enter 2")
    _focus(page, "source")
    press(page, _select(_JAPANESE.index("𩸽"), 1) + " Enter 1")
    is_saved(page)
    at = _JAPANESE.index("𩸽")
    assert _spans(site) == [
        ("source", at, at + 1, "minor", "Unspecified"), ("target", 0, 1, "major", "Unspecified"),
    ]  # fmt: skip
    page.locator("fieldset.question").first.focus()
    press(page, "Enter")
    page.locator("input[type=number]").focus()
    press(page, "7 3 Enter")
    page.wait_for_url("**/done")
    export = campaign_export(site.store.state(site.campaign))
    write_export(export, "annotations", tmp_path / "marks.jsonl")
    [rating] = read_annotations(tmp_path / "marks.jsonl").rated
    assert rating.score == 73
    write_export(export, "csv", tmp_path / "scores.csv")
    assert "esa,73" in (tmp_path / "scores.csv").read_text()


def test_cesa_side_by_side(page: Any, make_site: MakeSite, tmp_path: Path) -> None:
    """Spans and a score for each of three outputs; something missing; the source stands once."""
    site = make_site(invented_plan("cesa", 1))
    site.begin(page)
    expect(page.locator("section.source")).to_have_count(1)
    boxes = [page.locator(f"#candidate-{label}").bounding_box() for label in "AB"]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
    for label, score in (("A", "9 5"), ("B", "7 0"), ("C", "3 0")):
        candidate = page.locator(f"#candidate-{label}")
        if label == "A":
            candidate.locator(".mark-none").click()
        else:
            candidate.locator(".marking").focus()
            press(page, _select(0, 2) + " Enter 2")
            expect(candidate.locator(".marked li")).to_have_count(1)
        if label == "C":
            candidate.locator(".marking").focus()
            press(page, "End")
            candidate.get_by_role("button", name="Something is missing here").focus()
            press(page, "Enter 1")
            expect(candidate.locator(".marked li")).to_have_count(2)
        candidate.locator("input[type=number]").focus()
        press(page, score + (" Escape" if label != "C" else " Enter"))
    page.wait_for_url("**/done")
    values = site.values()
    assert [values[f"{label}|errors"] for label in "ABC"] == ["0", "1", "2"]
    export = campaign_export(site.store.state(site.campaign))
    write_export(export, "annotations", tmp_path / "marks.jsonl")
    found = read_annotations(tmp_path / "marks.jsonl")
    assert sorted(one.score for one in found.rated if one.score is not None) == [30, 70, 95]
    assert sorted(one.severity for one in found.marks) == ["major", "major", "minor"]


@pytest.mark.parametrize("form", ["mqm", "esa"])
def test_the_help_lists_the_keys_of_marks(page: Any, make_site: MakeSite, form: str) -> None:
    plan = _plan(form, _CHINESE, _JAPANESE, "ja")
    site = make_site(plan)
    site.begin(page)
    page.keyboard.press("?")
    shown = page.locator("#help")
    expect(shown).to_be_visible()
    for words in ("In a text: move, select", "Remove the mark", "No error in this text"):
        expect(shown).to_contain_text(words)
    expect(shown).not_to_contain_text("Yes / no of the decision chart")
    question = plan.form.questions[0]
    listed = shown.locator("dl").nth(1).locator("dt kbd").all_inner_texts()
    assert listed == [one.key for one in (*question.choices, *question.groups)]
    page.set_viewport_size({"width": 390, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.keyboard.press("Escape")
    expect(shown).to_be_hidden()


def _proposal(start: int, end: int, severity: str = "major", side: str = "target") -> Any:
    category = "Accuracy/Omission" if side == "source" else "Accuracy/Mistranslation"
    return {"start": start, "end": end, "side": side, "severity": severity, "category": category}


def test_proposals_are_accepted_changed_or_deleted_by_keyboard(
    page: Any, make_site: MakeSite
) -> None:
    proposed = (_proposal(0, 3), _proposal(4, 6), _proposal(7, 9), _proposal(0, 1, side="source"))
    site = make_site(_plan("mqm", _CHINESE, _JAPANESE, "ja", proposed=proposed))
    site.begin(page)
    rows = page.locator(".marked li")
    expect(rows).to_have_count(4)
    assert site.values() == {}
    expect(page.locator(".is-proposed:visible")).to_have_count(4)
    expect(rows.first.locator(".lacking")).to_have_text("Accept, change or remove")
    press(page, "Enter")
    expect(rows.nth(0).locator("input:checked")).to_be_focused()
    press(page, "Enter Enter")  # the first is accepted; then to what is open
    expect(page.locator(".is-proposed:visible")).to_have_count(3)
    is_saved(page)
    page.reload()
    expect(page.locator(".is-proposed:visible")).to_have_count(3)
    press(page, "Enter 1")  # the second gets another severity
    expect(page.locator(".is-proposed:visible")).to_have_count(2)
    rows.nth(2).locator("input").first.focus()
    press(page, "Delete")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Accept all proposals").focus()
    press(page, "Enter")
    is_saved(page)
    assert _spans(site) == [
        ("target", 0, 3, "major", "Accuracy/Mistranslation"),
        ("target", 4, 6, "minor", "Accuracy/Mistranslation"),
        ("source", 0, 1, "major", "Accuracy/Omission"),
    ]
    _focus(page, "target")
    press(page, _select(0, 2))
    rows.first.get_by_role("button", name="Set error 1 to the selection").focus()
    press(page, "Enter")
    is_saved(page)
    assert _spans(site)[0][:3] == ("target", 0, 2)
    [answer] = site.store.answers(site.campaign, "rater-1")
    assert [one["proposal"] for one in answer.answer.detail["spans"]] == [0, 1, 3]


def test_when_all_proposals_are_deleted_the_page_is_still_open(
    page: Any, make_site: MakeSite
) -> None:
    site = make_site(_plan("mqm", _CHINESE, _JAPANESE, "ja", proposed=(_proposal(0, 3),)))
    site.begin(page)
    press(page, "Enter Delete")
    expect(page.locator(".marked li")).to_have_count(0)
    is_saved(page)
    assert site.values() == {"A|errors": None}
    page.reload()
    expect(page.locator(".marked li")).to_have_count(0)
    press(page, "0")
    is_saved(page)
    assert _spans(site) == []
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".is-proposed:visible")).to_have_count(1)


def _trained(expected: Mapping[str, Any], tries: int, pass_mark: float = 1.0) -> Plan:
    plan = invented_plan("mqm", 1, 1, {"A": {"errors": [expected]}}, pass_mark, target="ja")
    pages = tuple(
        replace(page, why={"A": "𠮷田 is a name."}) if page.phase == "training" else page
        for page in plan.pages
    )
    return replace(plan, pages=pages, settings={"feedback": "each", "tries": tries})


def test_training_with_check_a_retry_and_a_pass_mark(page: Any, make_site: MakeSite) -> None:
    """Nothing is final before *Check*; feedback says what was expected and why."""
    site = make_site(_trained(_proposal(0, 4), 2))
    site.begin(page)
    train = page.url
    expect(page.locator("#check")).to_be_disabled()
    _focus(page, "target")
    press(page, _select(5, 2) + " Enter 2 a m")
    is_saved(page)
    expect(page.locator("#feedback")).to_be_hidden()
    page.locator("fieldset.question").focus()
    press(page, "Enter")
    expect(page.locator("#feedback")).to_contain_text("0 of 2 answers")
    expect(page.locator("#feedback")).to_contain_text("times left: 1")
    expect(page.locator(".feedback.other").first).to_contain_text("” (Major, Mistranslation")
    expect(page.locator(".feedback.why")).to_have_text("𠮷田 is a name.")
    press(page, "Enter")
    page.wait_for_url("**/training")
    expect(page.locator("main")).to_contain_text("not enough for the judgements yet")
    page.goto(train)
    expect(page.locator("#feedback")).to_contain_text("0 of 2 answers")
    page.locator(".marked li input").first.focus()
    press(page, "Delete")
    expect(page.locator(".feedback.other")).to_have_count(0)
    _focus(page, "target")
    press(page, _select(0, 4) + " Enter 2 a m")
    is_saved(page)
    page.locator("fieldset.question").focus()
    press(page, "Enter")
    expect(page.locator("#feedback")).to_contain_text("2 of 2 answers")
    expect(page.locator(".feedback.same")).to_have_count(2)
    expect(page.locator("#check")).to_have_count(0)
    expect(page.locator("fieldset.question")).to_have_attribute("disabled", "")
    press(page, "Enter")
    page.wait_for_url("**/training")
    expect(page.locator("main")).to_contain_text("You can begin")


def test_training_ends_when_no_tries_are_left(page: Any, make_site: MakeSite) -> None:
    site = make_site(_trained(_proposal(0, 4), 1))
    site.begin(page)
    press(page, "0")
    is_saved(page)
    press(page, "Enter")
    expect(page.locator("#feedback")).to_contain_text("1 of 2 answers")
    expect(page.locator("fieldset.question")).to_have_attribute("disabled", "")
    press(page, "Enter")
    page.wait_for_url("**/training")
    expect(page.locator("main")).to_contain_text("What now?")


@pytest.mark.parametrize("typology", ["wmt", "patent"])
def test_kinds_of_other_typologies_have_keys(page: Any, make_site: MakeSite, typology: str) -> None:
    plan = _plan("mqm", _CHINESE, _JAPANESE, "ja")
    form = with_typologies(plan.form, typology)
    site = make_site(replace(plan, form=form))
    site.begin(page)
    _focus(page, "target")
    [question] = form.questions
    for group in question.groups[:3]:
        kind = group.categories[-1]
        only = len(group.categories) == 1
        press(page, f"{_select(0, 1)} Enter 1 {group.key} {'' if only else kind.key}")
        is_saved(page)
        assert [one[4] for one in _spans(site)] == [kind.value]
        press(page, "Home Delete")


def test_a_whole_document_with_both_sides(page: Any, make_site: MakeSite) -> None:
    """Each segment stands beside its source and is marked for itself; j and k go between them."""
    plan = _plan("mqm", "", "", "ja")
    pairs = ((_CHINESE, _JAPANESE), ("壳体。", "筐体。"), ("基板。", "基板。"))
    shown = tuple(
        Candidate("ABC"[place], ("SecretAlpha",), text, (), (), f"s{place}", source)
        for place, (source, text) in enumerate(pairs)
    )
    pages = tuple(replace(one, candidates=shown, segment="D1") for one in plan.pages)
    site = make_site(replace(plan, pages=pages))
    site.begin(page)
    expect(page.locator(".marking")).to_have_text(
        [text for pair in pairs for text in pair], use_inner_text=True
    )
    assert page.locator(".candidate h2").all_inner_texts() == [
        "Segment 1",
        "Segment 2",
        "Segment 3",
    ]
    press(page, "0 j")
    expect(page.locator(".question.now")).to_have_id("q-B-errors")
    press(page, "Tab")
    assert page.evaluate("document.activeElement.dataset.side") == "source"
    press(page, _select(0, 2) + " Enter 2")
    expect(page.locator("#q-B-errors .marking[data-side=source] mark")).to_have_text("壳体")
    press(page, "Escape")
    page.locator("#q-C-errors").focus()
    press(page, "0")
    is_saved(page)
    assert site.values() == {"A|errors": "0", "B|errors": "1", "C|errors": "0"}
    press(page, "Enter")
    page.wait_for_url("**/done")
    found, _ = campaign_annotations(site.store.state(site.campaign).book)
    assert [one.segment for one in found.rated] == ["s0", "s1", "s2"]
    assert [(one.segment, one.side, one.end) for one in found.marks] == [("s1", "source", 2)]


@pytest.mark.parametrize(
    ("language", "word"), [("zh", "请选择严重程度"), ("ja", "重大度を選んでください")]
)
def test_marks_on_a_phone(
    new_page: Callable[..., Any], make_site: MakeSite, language: str, word: str
) -> None:
    """With 400 pixels: both texts below each other, everything is reached, nothing sticks out."""
    site = make_site(_plan("mqm", _CHINESE, _JAPANESE, "ja"))
    page = new_page(width=400, locale=language, has_touch=True)
    site.begin(page)
    source, target = (page.locator(f".marking[data-side={one}]") for one in ("source", "target"))
    assert source.bounding_box()["y"] < target.bounding_box()["y"]
    page.evaluate("""() => {
      const text = document.querySelector(".marking[data-side=target]").firstChild.firstChild;
      getSelection().setBaseAndExtent(text, 0, text, 3);
    }""")
    page.locator(".mark-selection").tap()
    expect(page.locator(".marked q")).to_have_text("𠮷田")
    expect(page.locator(".marked .lacking")).to_have_text(word)
    page.locator(".marked label.choice").nth(1).tap()
    page.locator(".marked .category").select_option("Terminology/Wrong term")
    is_saved(page)
    assert _spans(site) == [("target", 0, 2, "major", "Terminology/Wrong term")]
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
