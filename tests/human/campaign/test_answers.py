from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.human.campaign import (
    Answer,
    Candidate,
    Page,
    answer_problem,
    chart_grade,
    chart_path,
    latest_answers,
    missing,
    next_step,
    parse_ranking,
    read_form,
)
from patmark.human.campaign.plan import label

_CHART = read_form("acceptability").question("acceptability")


def _page(*texts: str) -> Page:
    candidates = tuple(
        Candidate(label(place), (f"s{place}",), text) for place, text in enumerate(texts)
    )
    return Page("p1", "e1", 1, "main", "1", candidates)


def _problem(form: str, answer: Answer, *texts: str) -> str | None:
    return answer_problem(read_form(form), _page(*(texts or ("one", "two", "three"))), answer)


# The chart of NTCIR-9: F at either of the first two questions, then C, B, A and AA.
@pytest.mark.parametrize(
    ("said", "grade"),
    [("n", "F"), ("yn", "F"), ("yyn", "C"), ("yyyn", "B"), ("yyyyn", "A"), ("yyyyy", "AA")],
)
def test_the_grade_follows_from_the_steps(said: str, grade: str) -> None:
    ids = ["important", "understood", "easy", "grammar", "native"]
    words = {"y": "yes", "n": "no"}
    answers = {name: words[one] for name, one in zip(ids, said, strict=False)}
    assert chart_grade(_CHART, answers) == grade
    assert next_step(_CHART, answers) is None
    assert chart_path(_CHART, answers) == tuple(ids[: len(said)])
    answer = Answer("p1", "A", "acceptability", grade, {"steps": answers})
    assert _problem("acceptability", answer) is None


def test_a_chart_asks_step_by_step() -> None:
    first = next_step(_CHART, {})
    assert first is not None and first.id == "important"
    third = next_step(_CHART, {"important": "yes", "understood": "yes"})
    assert third is not None and third.id == "easy"
    assert chart_grade(_CHART, {}) is None and chart_grade(_CHART, {"important": "yes"}) is None


def test_a_grade_may_be_chosen_directly_but_not_against_the_steps() -> None:
    assert _problem("acceptability", Answer("p1", "A", "acceptability", "B")) is None
    for steps, message in (
        ({"important": "no"}, "the steps lead to F, but the value is 'B'"),
        ({"important": "yes"}, "the steps lead to no grade yet"),
        ({"important": "no", "easy": "no"}, "do not lead to the step 'easy'"),
        ({"important": True}, "yes or no"),
    ):
        answer = Answer("p1", "A", "acceptability", "B", {"steps": steps})
        assert message in (_problem("acceptability", answer) or "")


@pytest.mark.parametrize(
    ("form", "answer", "message"),
    [
        ("adequacy", Answer("p1", "A", "fluency", "1"), "no question 'fluency'"),
        ("adequacy", Answer("p1", "D", "adequacy", "1"), "no candidate 'D'"),
        ("adequacy", Answer("p1", "", "adequacy", "1"), "no candidate ''"),
        ("adequacy", Answer("p1", "A", "adequacy", "6"), "expected one of 5, 4, 3, 2, 1"),
        ("adequacy", Answer("p1", "A", "adequacy", "1", revision=0), "revision of 1 or more"),
        ("adequacy", Answer("p1", "A", "adequacy", "1", {"x": 1}), "unknown detail 'x'"),
        ("adequacy", Answer("p1", "A", "adequacy", "1", {"steps": {}}), "only a chart has steps"),
        ("adequacy", Answer("p1", "A", "adequacy", None, {"places": {}}), "only a ranking that"),
        ("ranking", Answer("p1", "", "preference", "A>B>C", {"places": {"A": 1}}), "only a"),
        ("ranking", Answer("p1", "", "preference", None, {"places": {"D": 1}}), "some of A, B, C"),
        ("ranking", Answer("p1", "", "preference", None, {"places": {"A": 4}}), "from 1 to 3"),
        ("adequacy", Answer("p1", "A", "adequacy", "1", {"spans": []}), "only a question for"),
        ("adequacy", Answer("p1", "A", "adequacy", "1", {"reason": "?"}), "has no value"),
        ("adequacy", Answer("p1", "A", "adequacy", "1", {"comment": 1}), "expected a text"),
        ("ranking", Answer("p1", "A", "preference", "A>B>C"), "about the whole page"),
        ("ranking", Answer("p1", "", "preference", "A>B"), "of A, B, C, each once"),
        ("ranking", Answer("p1", "", "preference", "A>B>B"), "each once"),
        ("ranking", Answer("p1", "", "preference", "A>>B=C"), "each once"),
        ("claim-rating", Answer("p1", "A", "clarity", "11"), "from 0 to 10"),
        ("claim-rating", Answer("p1", "A", "clarity", "7.0"), "whole number"),
        ("claim-rating", Answer("p1", "A", "clarity", "07"), "whole number"),
        ("claim-rating", Answer("p1", "A", "clarity", "-"), "whole number"),
        ("pairwise", Answer("p1", "", "preference", "left"), "first, equal, second"),
    ],
)
def test_what_does_not_fit_is_refused(form: str, answer: Answer, message: str) -> None:
    assert message in (_problem(form, answer) or "")


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("adequacy", Answer("p1", "C", "adequacy", "3", {"comment": "好"})),
        ("adequacy", Answer("p1", "C", "adequacy", None)),
        ("adequacy", Answer("p1", "C", "adequacy", None, {"reason": "garbled"})),
        ("ranking", Answer("p1", "", "preference", "B=C>A")),
        ("claim-rating", Answer("p1", "A", "overall", "10")),
        ("claim-rating", Answer("p1", "A", "clarity", "0")),
    ],
)
def test_what_fits_is_taken(form: str, answer: Answer) -> None:
    assert _problem(form, answer) is None


_TEXT = "电池(2)不安装😀"  # the last of nine characters is two in UTF-16


def _span(
    start: int, end: int, category: str = "number", severity: str = "major"
) -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, "category": category}


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], None),
        ([_span(2, 5), _span(0, 2), _span(5, 9)], None),
        ([_span(9, 9, "omission")], None),
        ([_span(0, 5), _span(3, 3, "omission")], None),
        ([_span(0, 3), _span(2, 4)], None),  # a wrong term within a wrong clause
        ([_span(0, 10)], "end <= 9 characters"),
        ([_span(-1, 2)], "0 <= start"),
        ([_span(3, 2)], "start <= end"),
        ([_span(3, 3)], "an empty span at character 3"),
        ([_span(0, 1, severity="bad")], "severity: expected one of critical, major, minor"),
        ([_span(0, 1, "typo")], "category: expected one of"),
        ([_span(0, 1) | {"note": ""}], "expected a span with"),
        (["0-1"], "expected a span with"),
        ("0-1", "expected a list"),
    ],
)
def test_spans_are_exact_to_the_character(spans: Any, message: str | None) -> None:
    assert len(_TEXT) == 9
    answer = Answer("p1", "A", "errors", str(len(spans)), {"spans": spans})
    found = _problem("error-spans", answer, _TEXT)
    assert found is None if message is None else message in (found or "")


_SOURCE = "一种𠀀装置"  # the third of five characters is two in UTF-16


def _mqm(mark: dict[str, Any], **detail: Any) -> str | None:
    page = replace(_page(_TEXT), source=_SOURCE)
    marks = [_span(0, 2, "Accuracy/Mistranslation") | mark]
    given = detail or {"spans": marks}
    value = None if "unfinished" in given else "1"
    given = {"unfinished": marks} if "unfinished" in given else given
    return answer_problem(read_form("mqm"), page, Answer("p1", "A", "errors", value, given))


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ({}, None),
        ({"side": "source", "end": 5, "category": "Accuracy/Omission"}, None),
        ({"side": "source", "end": 6}, "end <= 5 characters"),
        ({"side": "source", "end": 0}, "a mark in the source must have a place"),
        ({"side": "left"}, "side: expected one of source, target, found 'left'"),
        ({"end": 0}, "can only be of the category Accuracy/Omission"),
        ({"end": 0, "category": "Accuracy/Omission"}, None),
        ({"severity": None}, "severity: expected one of critical, major, minor, neutral"),
        ({"category": None}, "category: expected one of"),
        ({"undecided": True}, "expected a span with"),
        ({"proposal": 0}, "expected the number of one of 0 proposed marks"),
    ],
)
def test_marks_of_a_typology_on_both_sides(mark: dict[str, Any], message: str | None) -> None:
    found = _mqm(mark)
    assert found is None if message is None else message in (found or "")


def test_a_mark_without_a_severity_is_kept_and_not_complete() -> None:
    assert _mqm({"severity": None, "category": None}, unfinished=True) is None
    assert _mqm({"undecided": True}, unfinished=True) is None
    assert "severity: expected" in (_mqm({"severity": "bad"}, unfinished=True) or "")
    form, page = read_form("mqm"), _page(_TEXT)
    kept = Answer("p1", "A", "errors", None, {"unfinished": [_span(0, 1) | {"severity": None}]})
    assert missing(form, page, [kept]) == (("A", "errors"),)


def test_esa_asks_for_no_kind_of_error() -> None:
    for category, message in (("Unspecified", None), ("Style", "expected one of Unspecified")):
        answer = Answer("p1", "A", "errors", "1", {"spans": [_span(0, 1, category)]})
        found = _problem("esa", answer, _TEXT)
        assert found is None if message is None else message in (found or "")


def test_the_number_of_marks_must_be_right() -> None:
    answer = Answer("p1", "A", "errors", "2", {"spans": [_span(0, 1)]})
    assert _problem("error-spans", answer, _TEXT) == "the value says 2 marks, but there are 1"
    assert "number of marks" in (_problem("error-spans", Answer("p1", "A", "errors", "x")) or "")


def test_missing_answers_of_a_page() -> None:
    form, page = read_form("claim-rating"), _page("one", "two")
    required = ("completeness", "clarity", "consistency", "linkage")
    assert missing(form, page, []) == tuple(
        (name, question) for name in "AB" for question in required
    )
    given = [Answer("p1", name, question, "5") for name in "AB" for question in required]
    assert missing(form, page, given) == ()
    taken_back = Answer("p1", "B", "clarity", None, revision=2)
    assert missing(form, page, [*given, taken_back]) == (("B", "clarity"),)
    refused = Answer("p1", "B", "clarity", None, {"reason": "cut off"}, revision=3)
    assert missing(form, page, [*given, taken_back, refused]) == ()
    elsewhere = [Answer("p2", "", "preference", "first")]
    assert missing(read_form("pairwise"), page, elsewhere) == (("", "preference"),)


def test_the_highest_revision_counts() -> None:
    old, new = Answer("p1", "A", "q", "1"), Answer("p1", "A", "q", "2", revision=2)
    other = Answer("p1", "B", "q", "1")
    assert latest_answers([new, old, other]) == (new, other)


@given(st.permutations("ABCDEF"), st.lists(st.sampled_from("=>"), min_size=5, max_size=5))
def test_rankings_are_read_back(labels: list[str], marks: list[str]) -> None:
    text = "".join(one + mark for one, mark in zip(labels, [*marks, ""], strict=True))
    parsed = parse_ranking(text)
    assert [one for place in parsed for one in place] == labels
    assert len(parsed) == 1 + marks.count(">")
    assert ">".join("=".join(place) for place in parsed) == text


def test_labels_go_on_after_z() -> None:
    assert [label(place) for place in (0, 1, 25, 26, 27, 701, 702)] == [
        "A", "B", "Z", "AA", "AB", "ZZ", "AAA",
    ]  # fmt: skip


def test_a_ranking_may_be_half_done() -> None:
    answer = Answer("p1", "", "preference", None, {"places": {"A": 2, "C": 2}})
    assert _problem("ranking", answer) is None
    page, form = _page("one", "two", "three"), read_form("ranking")
    assert missing(form, page, [answer]) == (("", "preference"),)
