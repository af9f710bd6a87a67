"""What was agreed on, in the order in which each evaluator sees the candidates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from patmark.human.campaign import Candidate, Page, read_form
from patmark.human.campaign.common_order import (
    asked_groups,
    from_common_order,
    systems_of,
    to_common_order,
    with_agreed,
)
from patmark.human.campaign.plan import labelled

_SYSTEMS = ("cobalt", "atlas", "borealis")


def _page(order: tuple[str, ...], phase: str = "training") -> Page:
    shown = labelled([Candidate("", (name,), f"text of {name}") for name in order])
    return Page("p", "e1", 1, phase, "s1", shown)  # type: ignore[arg-type]


@settings(deadline=None, derandomize=True)
@given(st.permutations(_SYSTEMS), st.sampled_from(["A>B>C", "A=B>C", "C>A=B", "B>A>C", "A=B=C"]))
def test_rankings_come_back_as_they_were(order: list[str], value: str) -> None:
    [question] = read_form("ranking").questions
    page = _page(tuple(order))
    [shown] = asked_groups(question, page)
    common = to_common_order(question, page, shown, value)
    assert from_common_order(question, page, shown, common) == value
    # The label of each system in the common order is that of its name.
    names = {one.systems[0]: one.label for one in labelled(shown)}
    assert names == {"atlas": "A", "borealis": "B", "cobalt": "C"}


@pytest.mark.parametrize(("order", "own"), [(("a", "b"), "first"), (("b", "a"), "second")])
def test_an_agreed_preference_is_turned_for_each_page(order: tuple[str, ...], own: str) -> None:
    form = read_form("pairwise")
    [question] = form.questions
    agreed = {("s1", ("a", "b"), question.id): "first"}
    page = with_agreed(form, _page(order), agreed)
    assert page.expected == {"": {question.id: own}}


def test_agreed_grades_go_before_those_of_the_file() -> None:
    form = read_form("adequacy")
    planned = {"A": {"adequacy": "5"}, "B": {"adequacy": "2"}}
    page = replace(_page(("b", "a")), expected=planned)
    agreed = {
        ("s1", ("a",), "adequacy"): "3", ("other", ("b",), "adequacy"): "1",
        ("s1", ("a", "b"), "adequacy"): "1",
    }  # fmt: skip
    found = with_agreed(form, page, agreed)
    assert found.expected == {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}}
    assert planned["B"] == {"adequacy": "2"}
    main = replace(page, phase="main")
    assert with_agreed(form, main, agreed) is main
    assert systems_of(page.candidates) == ("a", "b")
