"""Errors in answers: placed in the texts, or counted by what is wrong with them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.data import typology
from patmark.llm import ChatAnswer
from patmark.systems.judge.marking import KINDS, PlacedError, SaidErrors, place_errors, read_errors
from patmark.systems.judge.parsing import UnusableAnswer
from patmark.systems.judge.translations import error_examples, example_text

_PATENT = typology("patent")
_SOURCE = "所述可转动的盖(12)包括弹簧。"
_TARGET = "The lid (21) consists of a spring and the lid is closed."


def _error(
    span: Any, category: Any = "Accuracy/Addition", severity: Any = "major", **more: Any
) -> dict[str, Any]:
    return {"span": span, "category": category, "severity": severity, **more}


def _place(*errors: object) -> tuple[list[PlacedError], list[str]]:
    placed, invalid = place_errors(SaidErrors(errors), _SOURCE, _TARGET, _PATENT)
    return placed, [one.kind for one in invalid]


def test_a_span_is_placed_where_it_stands() -> None:
    [placed], invalid = _place(_error("consists of", "Claims/Scope", "critical"))
    assert (placed.side, _TARGET[placed.start : placed.end]) == ("target", "consists of")
    assert (placed.category, placed.severity, invalid) == ("Claims/Scope", "critical", [])


def test_what_is_left_out_is_marked_in_the_source() -> None:
    [placed], _ = _place(_error("可转动的", "accuracy/omission", "Critical"))
    assert (placed.side, _SOURCE[placed.start : placed.end]) == ("source", "可转动的")
    assert (placed.category, placed.severity) == ("Accuracy/Omission", "critical")


def test_a_context_tells_which_of_several_places_is_meant() -> None:
    [placed], invalid = _place(_error("lid", context="the lid is"))
    assert (placed.start, invalid) == (_TARGET.index("lid is"), [])


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("valve.\nIt opens", "valve.\r\nIt  opens"),
        ("valve. It opens", "valve.\r\nIt  opens"),
        ("opens ", "opens"),
        ("\r\nIt", "\r\nIt"),
    ],
)
def test_a_line_break_may_be_said_as_a_blank(said: str, found: str) -> None:
    """The place is that in the text as it is kept; a model does not repeat every line break."""
    text = "A valve.\r\nIt  opens.\r\nIt closes."
    errors = SaidErrors([_error(said, context="valve. It opens")])
    [mark], invalid = place_errors(errors, "", text, _PATENT)
    assert (text[mark.start : mark.end], invalid) == (found, [])


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (_error("consist of"), "not in the text"),
        (_error("consists of", "Accuracy/Omission"), "not in the text"),
        (_error("可转动的"), "not in the text"),
        (_error("Consists of"), "not in the text"),
        (_error("lid"), "ambiguous place"),
        (_error("lid", context="a lid"), "ambiguous place"),
        (_error("lid", context="The lid (21) consists of a spring and the lid"), "ambiguous place"),
        (_error("lid", context="lid"), "ambiguous place"),
        (_error("lid", context=7), "ambiguous place"),
        (_error(""), "no span"),
        (_error(None), "no span"),
        (_error(["lid"]), "no span"),
        (_error(" "), "no span"),
        (_error("spring", "Addition"), "unknown category"),
        (_error("spring", None), "unknown category"),
        (_error("spring", "Claims/Novelty"), "unknown category"),
        (_error("spring", severity="fatal"), "unknown severity"),
        (_error("spring", severity=3), "unknown severity"),
        (_error("spring", severity="neutral"), "unknown severity"),
        ("spring is wrong", "not an error object"),
        (["spring"], "not an error object"),
        (None, "not an error object"),
    ],
)
def test_what_has_no_certain_place_is_counted_by_kind(error: object, kind: str) -> None:
    good = _error("consists of", "Claims/Scope", "critical")
    placed, invalid = _place(error, good)
    assert ([one.category for one in placed], invalid) == (["Claims/Scope"], [kind])
    assert kind in KINDS


def test_of_several_places_the_first_may_be_taken() -> None:
    said = SaidErrors([_error("valve")])
    _, [invalid] = place_errors(said, "", "A valve, a valve.", _PATENT)
    [mark], nothing = place_errors(said, "", "A valve, a valve.", _PATENT, first_place=True)
    assert (invalid.kind, mark.start, nothing) == ("ambiguous place", 2, [])


def test_a_repeated_error_counts_once_and_is_told() -> None:
    again = _error("spring", "Terminology/Wrong term", "minor")
    placed, invalid = _place(again, again, again | {"severity": "major"})
    assert ([one.severity for one in placed], invalid) == (["major"], ["repeated", "repeated"])


def test_of_overlapping_spans_the_most_severe_stays() -> None:
    placed, invalid = _place(
        _error("a spring and", severity="minor"),
        _error("consists of a spring", "Claims/Scope", "critical"),
        _error("is closed", severity="minor"),
    )
    assert [_TARGET[one.start : one.end] for one in placed] == ["consists of a spring", "is closed"]
    assert invalid == ["overlapping"]


def test_spans_that_touch_and_spans_of_two_sides_do_not_overlap() -> None:
    placed, invalid = _place(_error("a "), _error("spring"), _error("12", "Accuracy/Omission"))
    assert (len(placed), invalid) == (3, [])


def test_no_translation_at_all_needs_no_span() -> None:
    [placed], invalid = _place(_error("", "Non-translation", "critical"), _error(None))
    assert (placed.start, placed.end, invalid) == (0, 0, ["no span"])
    twice = _error(None, "Non-translation", "critical")
    assert _place(twice, twice, _error("spring"))[1] == ["repeated"]


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "span": st.sampled_from(["lid", "spring", "a spring", "The lid", "x", "", 7]),
                "category": st.sampled_from(["Claims/Scope", "Accuracy/Omission", "no", None]),
                "severity": st.sampled_from(["critical", "minor", "none"]),
            }
        )
        | st.text()
        | st.none()
    )
)
def test_every_error_is_placed_or_counted(errors: list[object]) -> None:
    placed, invalid = place_errors(SaidErrors(errors), _SOURCE, _TARGET, _PATENT)
    assert len(placed) + len(invalid) == len(errors)
    spans = sorted((one.side, one.start, one.end) for one in placed)
    texts = {"source": _SOURCE, "target": _TARGET}
    for side, start, end in spans:
        assert 0 <= start < end <= len(texts[side])
    for before, after in pairwise(spans):
        assert before[0] != after[0] or before[2] <= after[1]


@pytest.mark.parametrize("language", error_examples())
def test_our_examples_are_answers_that_we_would_accept(language: str) -> None:
    for example in error_examples()[language]:
        text = example_text(example, True).partition("answer: ")[2]
        [said] = read_errors(ChatAnswer(text), 1, scored=True)
        placed, invalid = place_errors(said, example["source"], example["target"], _PATENT)
        assert (len(placed), invalid, said.score) == (len(example["errors"]), [], example["score"])


def _read(text: str, count: int = 1, scored: bool = False) -> list[SaidErrors]:
    return read_errors(ChatAnswer(text), count, scored=scored)


_NONE = '{"segments": [{"segment": 1, "errors": []}]}'


@pytest.mark.parametrize(
    "text",
    [
        _NONE,
        f"```json\n{_NONE}\n```",
        f"Here is the answer.\n{_NONE}\nDone.",
        f"<think>Maybe {{}}</think>{_NONE}",
        '{"errors": []}',
    ],
)
def test_json_that_can_be_read(text: str) -> None:
    assert _read(text) == [SaidErrors([])]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        ("There are no errors.", "invalid JSON"),
        ('{"segments": [{"segment": 1, "errors": [}]}', "invalid JSON"),
        ('{"segments": [{"segment": 1, "errors": []', "invalid JSON"),
        ("{'segments': []}", "invalid JSON"),
        ('{"errors": [], "errors": [1]}', "invalid JSON"),
        ('{"errors": [NaN]}', "invalid JSON"),
        ("[" * 100_000 + "{" * 100_000, "invalid JSON"),
        (_NONE + _NONE, "several values"),
        ("{}", "another form"),
        ('{"segments": {}}', "another form"),
        ('{"segments": [1]}', "another form"),
        ('{"segments": [{"segment": "1", "errors": []}]}', "another form"),
        ('{"segments": [{"segment": 1}]}', "another form"),
        ('{"segments": [{"segment": 1, "errors": "none"}]}', "another form"),
        ('{"segments": []}', "segments missing or doubled"),
        ('{"segments": [{"segment": 2, "errors": []}]}', "segments missing or doubled"),
        ("I'm sorry, I cannot judge this.", "refused"),
        (f"I'm sorry, I cannot judge this. {_NONE}", "refused"),
        (f"抱歉，我无法评价。{_NONE}", "refused"),
    ],
)
def test_what_is_not_the_json_that_was_asked_for_is_refused(text: str, kind: str) -> None:
    with pytest.raises(UnusableAnswer) as caught:
        _read(text)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    "said",
    [
        "I was unable to find any errors.",
        "I cannot see an error here.",
        "I'm not able to spot any.",
    ],
)
def test_finding_nothing_is_no_refusal(said: str) -> None:
    assert _read(f"{said} {_NONE}")[0].errors == []


def test_a_score_above_zero_is_no_refusal() -> None:
    [said] = _read('I cannot fault it. {"errors": [], "score": 100}', scored=True)
    assert said.score == 100


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (ChatAnswer("", refusal="no"), "refused"),
        (ChatAnswer(_NONE, finish_reason="content_filter"), "refused"),
        (ChatAnswer(_NONE[:-3], finish_reason="length"), "cut off"),
    ],
)
def test_the_server_may_know_more(answer: ChatAnswer, kind: str) -> None:
    with pytest.raises(UnusableAnswer) as caught:
        read_errors(answer, 1, scored=False)
    assert caught.value.kind == kind


def _batch(*numbers: int) -> str:
    entries = [{"segment": one, "errors": [_error(str(one))], "score": 10 * one} for one in numbers]
    return json.dumps({"segments": entries})


def test_segments_of_a_batch_come_in_any_order_but_all_of_them_once() -> None:
    assert [one.score for one in _read(_batch(2, 1, 3), 3, scored=True)] == [10, 20, 30]
    for numbers in [(1, 2), (1, 2, 2), (1, 2, 3, 4), (0, 1, 2)]:
        with pytest.raises(UnusableAnswer, match="expected each of 3 segments once"):
            _read(_batch(*numbers), 3)


@pytest.mark.parametrize(
    ("score", "kind"),
    [
        ("null", "no value"),
        ('"80"', "no value"),
        ("true", "no value"),
        ("101", "outside the scale"),
        ("-1", "outside the scale"),
        ("1e999", "outside the scale"),
    ],
)
def test_a_score_is_a_number_from_0_to_100(score: str, kind: str) -> None:
    with pytest.raises(UnusableAnswer) as caught:
        _read(f'{{"errors": [], "score": {score}}}', scored=True)
    assert caught.value.kind == kind


@given(st.text())
def test_any_answer_is_read_or_refused(text: str) -> None:
    for answer in (text, _NONE + text, text + _NONE, f'{{"errors": [{text}]}}'):
        try:
            found = _read(answer)
        except UnusableAnswer:
            continue
        assert len(found) == 1
