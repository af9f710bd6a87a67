"""What pages are made of: differences, claims, words, limits, and the way through the pages."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from campaign_site import CLAIMS, invented_plan
from patmark.claims import parse_claims
from patmark.human.campaign import Answer
from patmark.human.campaign.evaluator_progress import Person, ReferenceAgreement
from patmark.human.campaign.records import CampaignInfo, EvaluatorInfo, PageInfo
from patmark.human.campaign.web.page_view import (
    TextRun,
    claim_views,
    cut,
    differences,
    feedback,
    page_view,
)
from patmark.human.campaign.web.rendering import assets
from patmark.web import Assets, preferred_language
from patmark.web.guards import FailureLimit
from translations import marked_texts

TEXTS = st.text(alphabet="ab 换热器フィン12.,\n", max_size=40)
FOLDER = Path(str(resources.files("patmark.human.campaign.web")))


def marked(runs: tuple[TextRun, ...]) -> list[str]:
    return [run.text for run in runs if run.differs]


def test_words_and_characters() -> None:
    left, right = differences("The fins of 1.2 mm", "The fin of 12 mm")
    assert marked(left) == ["fins", "1.2"]
    assert marked(right) == ["fin", "12"]
    left, right = differences("多个散热片。", "多个散热器。")
    assert (marked(left), marked(right)) == (["片"], ["器"])


@given(TEXTS, TEXTS)
def test_differences_keep_the_texts(a: str, b: str) -> None:
    left, right = differences(a, b)
    assert "".join(run.text for run in left) == a
    assert "".join(run.text for run in right) == b
    assert [run.start for run in left] == [a.index(run.text, run.start) for run in left]
    same = ["".join(run.text for run in runs if not run.differs) for runs in (left, right)]
    assert same[0].replace(" ", "").replace("\n", "") == same[1].replace(" ", "").replace("\n", "")
    assert differences(a, a)[0] == ((TextRun(0, a),) if a else ())


@given(TEXTS, TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_cutting(a: str, b: str, start: int, end: int) -> None:
    runs = differences(a, b)[0]
    assert "".join(run.text for run in cut(runs, start, end)) == (a[start:end])


def test_claims_as_a_tree() -> None:
    text = CLAIMS[0] + "\n4. The heat exchanger of claim 1, with a valve."
    views = claim_views(text, "en", (TextRun(0, text),))
    assert [(view.name, view.depth) for view in views] == [("1", 0), ("2", 1), ("3", 2), ("4", 1)]
    shown = "".join(run.text for view in views for run in view.runs)
    assert shown == "".join(text.split("\n"))


def test_a_long_chain_of_claims() -> None:
    lines = ["1. A pump."] + [f"{n}. The pump of claim {n - 1}." for n in range(2, 400)]
    text = "\n".join(lines)
    views = claim_views(text, "en", (TextRun(0, text),))
    assert len(views) == len(parse_claims(text, "en").claims) == 399
    assert views[-1].depth == 5


def test_one_claim_is_a_plain_text() -> None:
    assert claim_views("A pump.", "en", (TextRun(0, "A pump."),)) == ()


def info(target: str = "en") -> CampaignInfo:
    return CampaignInfo("c", "Bench", "", None, None, "f", 1, "zh", target, 1, None)


def test_a_form_shows_only_what_it_says() -> None:
    plan = invented_plan("fluency", 1)
    view = page_view(plan.form, info(), plan.pages[0])
    assert view.source is None
    assert view.reference is None
    assert [one.label for one in view.candidates] == ["A", "B", "C"]
    assert not any(run.differs for one in view.candidates for run in one.shown.runs)
    assert "Secret" not in repr(view)


def test_feedback_is_for_training_only() -> None:
    expected = {"A": {"adequacy": "5"}, "B": {"adequacy": "1"}}
    plan = invented_plan("adequacy", 1, 1, expected)
    train, main = plan.pages[:2]
    answers = [Answer(train.id, "A", "adequacy", "5"), Answer(train.id, "B", "adequacy", None)]
    found = feedback(plan.form, train, answers, 0)
    assert found is not None
    assert (found["right"], found["total"]) == (1, 2)
    near = feedback(plan.form, train, [Answer(train.id, "A", "adequacy", "4")], 1)
    assert near is not None
    assert near["right"] == 1
    assert feedback(plan.form, main, answers, 0) is None


def standing(done: str, qualified: bool | None, right: int, pass_mark: float | None) -> Person:
    phases = {"t": "training", "u": "training", "m": "main", "n": "check", "o": "repeat"}
    pages = tuple(
        PageInfo(name, at, phase, name) for at, (name, phase) in enumerate(phases.items())
    )  # type: ignore[arg-type]
    who = EvaluatorInfo("", "e1", qualified=qualified)
    return Person(who, pages, frozenset(done), ReferenceAgreement(right, 4), pass_mark)


@pytest.mark.parametrize(
    ("done", "qualified", "right", "pass_mark", "after", "wanted"),
    [
        ("", None, 0, None, None, "t"),
        ("t", None, 4, None, "t", "u"),
        ("tu", None, 0, None, "u", "m"),
        ("tu", None, 3, 0.75, None, "m"),
        ("tu", None, 2, 0.75, None, None),
        ("tu", True, 0, 1.0, None, "m"),
        ("tu", False, 4, 0.5, None, None),
        ("tun", None, 4, None, "m", "o"),
        ("tuno", None, 4, None, "o", "m"),
        ("tumno", None, 4, None, "m", None),
        ("", True, 0, None, "foreign", "t"),
    ],
)
def test_what_comes_next(
    done: str,
    qualified: bool | None,
    right: int,
    pass_mark: float | None,
    after: str | None,
    wanted: str | None,
) -> None:
    page = standing(done, qualified, right, pass_mark).first_open(after)
    assert (page.id if page else None) == wanted


def test_limit_forgets_after_a_while() -> None:
    now = [0.0]
    limit = FailureLimit(2, 3, 10.0, lambda: now[0])
    assert limit.wait("a") == 0
    limit.failed("a")
    now[0] = 4.0
    limit.failed("a")
    assert limit.wait("a") == 7
    assert limit.wait("b") == 0
    limit.failed("b")
    assert limit.wait("b") > 0
    assert limit.wait("c") == 0
    now[0] = 10.5
    assert limit.wait("a") == limit.wait("b") == 0
    now[0] = 100.0
    assert limit.wait("a") == 0


def test_scripts_get_all_their_texts() -> None:
    """The pattern that finds texts in scripts finds what the extractor of Babel finds."""
    texts = {text for file, _, text in marked_texts() if file.parent.name == "static"}
    for language in ("zh", "ja"):
        found = {*assets.words(language), *Assets("patmark.app.page").words(language)}
        assert found == texts
    assert assets.words("en") == {}


def test_languages() -> None:
    assert preferred_language("ja", "en", "zh") == "ja"
    assert preferred_language(None, "ja", "zh") == "ja"
    assert preferred_language("xx", None, "fr-FR, zh-CN;q=0.9, en;q=0.5") == "zh"
    assert preferred_language(None, None, "") == "en"
