"""Answers of all sorts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.llm import ChatAnswer
from patmark.systems.judge import parsing
from patmark.systems.judge.criteria import CLAIM_CRITERIA, TRANSLATION_CRITERIA
from patmark.systems.judge.parsing import AnswerParser, UnusableAnswer, score_parser, verdict_parser

SCORES, VERDICTS = score_parser(CLAIM_CRITERIA), verdict_parser(CLAIM_CRITERIA)
_FORM = "Completeness: 80\nClarity: 70\nTerminology consistency: 60\nLogical linkage: 50"
_EXPECTED = (80.0, 70.0, 60.0, 50.0)

_READABLE = {
    "form": _FORM,
    "space": f"\n\n{_FORM}\n ",
    "windows": _FORM.replace("\n", "\r\n"),
    "blank lines": _FORM.replace("\n", "\n\n"),
    "chatter": f"Sure! Here are the scores.\n\n{_FORM}\n\nLet me know if 3 more drafts come.",
    "fence": f"```\n{_FORM}\n```",
    "of hundred": "Completeness: 80/100\nClarity: 70 / 100\nConsistency: 60 out of 100\n"
    "Linkage: 50%",
    "of ten": "Completeness: 8/10\nClarity: 7/10\nConsistency: 6/10\nLinkage: 5/10",
    "bold": "**Completeness:** 80\n**Clarity**: 70\n- **Terminology Consistency** — 60\n"
    "* Logical linkage = **50**",
    "remarks": "Completeness: 80 (12 of 15 features)\nClarity: 70, good\nConsistency: 60.\n"
    "Linkage: 50 - claim 3 refers to claim 9",
    "scale in title": "Completeness (0-100): 80\nClarity (0-100): 70\nConsistency (0-100): 60\n"
    "Logical linkage (0-100): 50",
    "headings": "### Completeness\nScore: 80/100\n### Clarity\nScore: 70/100\n"
    "### Terminology consistency\nScore: 60/100\n### Logical linkage\nScore: 50/100\n",
    "one line": "Completeness: 80 Clarity: 70 Terminology consistency: 60 Logical linkage: 50",
    "titles of Patent-CE": "Feature Completeness: 80\nConceptual Clarity: 70\n"
    "Consistency in Terminology: 60\nCorrectness of Feature Linkages: 50",
    "json with titles of Patent-CE": '{"Feature completeness": 80, "Conceptual clarity": 70, '
    '"Terminology consistency": 60, "Logical linkage": 50, "Overall quality": 70}',
    "commas": "completeness: 80, clarity: 70, consistency: 60, linkage: 50",
    "table": "| criterion | score |\n|---|---|\n| Completeness | 80 |\n| Clarity | 70 |\n"
    "| Terminology consistency | 60 |\n| Logical linkage | 50 |",
    "full width": "Completeness：８０\nClarity：７０／１００\nConsistency：６０\nLinkage：５０",
    "overall too": f"{_FORM}\nOverall: 66",
    "twice the same": f"{_FORM}\n\nFinal:\n{_FORM}",
    "thoughts": f"<think>Completeness: 20? No.</think>\n{_FORM}",
    "closing mark only": f"Completeness: 20? No.\n</think>\n\n{_FORM}",
    "thoughts within thoughts": f"<think>a <think>b</think> Clarity: 9 </think>{_FORM}",
    "list of objects": '[{"criterion": "Completeness", "score": 80}, {"name": "Clarity", "rating": '
    '"70/100"}, {"criterion": "Terminology consistency", "score": 60, "reason": "x"}, '
    '{"aspect": "Logical linkage", "value": 50}]',
    "json": '{"completeness": 80, "clarity": 70, "consistency": 60, "linkage": 50}',
    "json in a fence": 'Here:\n```json\n{"Completeness": 80, "Clarity": 70.0, '
    '"Terminology consistency": "60", "Logical linkage": "50/100"}\n```\nDone {really}.',
    "json within": '{"scores": {"completeness": {"score": 80, "reason": "x"}, '
    '"clarity_score": 70, "terminology_consistency": 60, "logical_linkage": 50}, "overall": 9}',
    "json in camel case": '{"completeness": 80, "clarity": 70, "terminologyConsistency": 60, '
    '"logicalLinkage": 50}',
    "almost json": "{'completeness': 80, 'clarity': 70, 'consistency': 60, 'linkage': 50,}",
}

_UNREADABLE = {
    "": "the answer is empty",
    " \n": "the answer is empty",
    "<think>Completeness: 80": "the answer is empty",
    "I like it.": "no score for completeness: I like it.",
    _FORM.replace("Clarity: 70\n", ""): "no score for clarity",
    _FORM.replace("80", "101"): "completeness is 101, outside 0 to 100",
    _FORM.replace("80", "-5"): "completeness is -5, outside 0 to 100",
    _FORM.replace("80", "12/10"): "completeness is 120, outside 0 to 100",
    _FORM.replace("80", "8/20"): "no score for completeness",
    _FORM.replace("80", "70-80"): "no score for completeness",
    _FORM.replace("80", "70 to 80"): "no score for completeness",
    _FORM.replace("80", "80,5"): "no score for completeness",
    _FORM.replace("80", "3 of 5 features"): "no score for completeness",
    _FORM.replace("80", "___"): "no score for completeness",
    _FORM.replace("80", "high"): "no score for completeness",
    f"{_FORM}\n{_FORM.replace('80', '90')}": "several scores for completeness: 80 and 90",
    _FORM.replace("Completeness", "Incompleteness"): "no score for completeness",
    "1. Completeness:\n2. Clarity:\n3. Consistency:\n4. Linkage:": "no score for completeness",
    '{"incompleteness": 20, "clarity": 7, "consistency": 6, "linkage": 5}': "no score",
    '{"completeness": true, "clarity": 7, "consistency": 6, "linkage": 5}': "no score",
    '{"completeness": NaN, "clarity": 7, "consistency": 6, "linkage": 5}': "no score",
    '{"completeness": 1e999, "clarity": 7, "consistency": 6, "linkage": 5}': "no score",
}


def _read(parser: AnswerParser, answer: ChatAnswer) -> tuple[float, ...]:
    [values] = parser.read_all(answer, 1)
    return values


def _fault(parser: AnswerParser, answer: ChatAnswer) -> str | None:
    try:
        _read(parser, answer)
    except UnusableAnswer as error:
        return str(error)
    return None


@pytest.mark.parametrize("text", _READABLE.values(), ids=_READABLE.keys())
def test_what_can_be_read(text: str) -> None:
    assert SCORES.parse(text) == _EXPECTED


@pytest.mark.parametrize(("text", "reason"), _UNREADABLE.items())
def test_what_is_doubtful_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnusableAnswer, match=reason):
        SCORES.parse(text)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ChatAnswer("I'm sorry, but I can't help with that."), "refused: I'm sorry, but I"),
        (ChatAnswer("As an AI I do not rate patents."), "refused: As an AI"),
        (ChatAnswer("", refusal="Not this."), "refused: Not this."),
        (ChatAnswer(_FORM, finish_reason="content_filter"), "refused: content filter"),
        (ChatAnswer("Completeness: 80\nCla", finish_reason="length"), "cut off at the limit"),
        (ChatAnswer("hm"), "no score for completeness: hm"),
    ],
)
def test_reasons(answer: ChatAnswer, reason: str) -> None:
    assert (_fault(SCORES, answer) or "").startswith(reason)


_ZEROS = "Completeness: 0\nClarity: 0\nTerminology consistency: 0\nLogical linkage: 0"


def test_a_refusal_with_zeros_is_a_refusal() -> None:
    refused = ChatAnswer(f"I'm sorry, I cannot evaluate this draft.\n{_ZEROS}")
    assert (_fault(SCORES, refused) or "").startswith("refused, with zeros: I'm sorry, I cannot")
    assert _read(SCORES, ChatAnswer(_ZEROS)) == (0, 0, 0, 0)
    assert _read(SCORES, ChatAnswer(f"The draft is empty of content.\n{_ZEROS}")) == (0, 0, 0, 0)


def test_an_apology_with_scores_above_zero_is_no_refusal() -> None:
    answer = ChatAnswer(f"I'm sorry for the delay.\n{_FORM}", finish_reason="length")
    assert _fault(SCORES, answer) is None
    assert _read(SCORES, answer) == _EXPECTED


@pytest.mark.parametrize(
    "filler", ["\n", " ", "9", "1.", "*", "{", "<think>", "</think", "Completeness: "]
)
def test_long_garbage_takes_no_time(filler: str) -> None:
    with pytest.raises(UnusableAnswer):
        SCORES.parse("Completeness: 80" + filler * 20_000 + "Completeness" + filler * 20_000 + "x")


def test_of_one_criterion_the_value_may_stand_alone() -> None:
    single = score_parser(TRANSLATION_CRITERIA)
    for text in ("85", " 85/100\n", "Quality: 85", "８５", '{"quality": 85}'):
        assert single.parse(text) == (85,)
    assert verdict_parser(TRANSLATION_CRITERIA).parse("The second translation") == (-1,)
    for text in ("About 85", "80-90", "85 or 90", "good", "12 of 15 features"):
        with pytest.raises(UnusableAnswer, match="no score for quality"):
            single.parse(text)
    with pytest.raises(UnusableAnswer, match="quality is 850, outside"):
        single.parse("850")
    with pytest.raises(UnusableAnswer, match="no score for completeness"):
        SCORES.parse("85")


_scores = st.tuples(*[st.integers(0, 100)] * 4)


@given(_scores, st.sampled_from(["{}", "{}/100", "**{}**", "{} points", "{}.0"]))
def test_any_scores_are_read_back(scores: tuple[int, ...], form: str) -> None:
    titles = ("Completeness", "Clarity", "Terminology consistency", "Logical linkage")
    lines = [f"{name}: {form.format(score)}" for name, score in zip(titles, scores, strict=True)]
    assert SCORES.parse("Scores\n" + "\n".join(lines)) == scores
    assert SCORES.parse(json.dumps(dict(zip(titles, scores, strict=True)))) == scores


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for answer in (text, _FORM + text, f'{{"completeness": {text}}}'):
        try:
            scores = SCORES.parse(answer)
        except UnusableAnswer:
            continue
        assert len(scores) == 4 and all(0 <= score <= 100 for score in scores)


_VERDICTS = (
    "Completeness: first\nClarity: second\nTerminology consistency: equal\nLogical linkage: first"
)
_SAID = (1.0, -1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        _VERDICTS,
        f"Here is my answer.\n\n{_VERDICTS}\n\nThe second is shorter.",
        "**Completeness:** First\n**Clarity**: the second draft\nConsistency = tie\nLinkage: 1.",
        "Completeness: draft 1\nClarity: 2\nConsistency: equal (both)\nLinkage: first, by far",
        '{"completeness": "first", "clarity": 2, "consistency": "Equal", "linkage": "draft 1"}',
        '[{"criterion": "Completeness", "winner": "first"}, {"criterion": "Clarity", "verdict": '
        '"second"}, {"name": "Consistency", "better": "tie"}, {"name": "Linkage", "value": 1}]',
        f"<think>Clarity: first</think>{_VERDICTS}",
    ],
)
def test_verdicts_that_can_be_read(text: str) -> None:
    assert VERDICTS.parse(text) == _SAID


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the answer is empty"),
        ("Both are fine.", "no verdict for completeness: Both are fine."),
        (_VERDICTS.replace("Clarity: second\n", ""), "no verdict for clarity"),
        (
            _VERDICTS.replace("Clarity: second", "Clarity: first or second"),
            "no verdict for clarity",
        ),
        (_VERDICTS.replace("Clarity: second", "Clarity: first/second"), "no verdict for clarity"),
        (_VERDICTS.replace("Clarity: second", "Clarity: 70"), "no verdict for clarity"),
        (_VERDICTS.replace("Clarity: second", "Clarity: 1.5"), "no verdict for clarity"),
        (_VERDICTS.replace("Clarity: second", "Clarity: third"), "no verdict for clarity"),
        (_VERDICTS.replace("Clarity: second", "Clarity: first claim is odd"), "no verdict for cl"),
        (f"{_VERDICTS}\nClarity: first", "several verdicts for clarity"),
    ],
)
def test_a_doubtful_verdict_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnusableAnswer, match=reason):
        VERDICTS.parse(text)


def test_a_refusal_with_ties_is_a_refusal() -> None:
    ties = _VERDICTS.replace("first", "equal").replace("second", "equal")
    refused = ChatAnswer(f"I'm sorry, I can't compare these.\n{ties}")
    assert (_fault(VERDICTS, refused) or "").startswith("refused, with ties: I'm sorry")
    assert _read(VERDICTS, ChatAnswer(ties)) == (0, 0, 0, 0)


@pytest.mark.parametrize("looped", ['{"a": ', '{"Clarity": [', '{"', '{"a": {}, ', "{ "])
def test_a_looping_answer_is_parsed_in_linear_time(
    looped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every broken object may cost a pass over the text, so their number is limited."""

    class Counting(json.JSONDecoder):
        failed = 0

        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            try:
                return super().raw_decode(s, idx)
            except ValueError:
                Counting.failed += 1
                raise

    monkeypatch.setattr(parsing, "_DECODER", Counting())
    for size in (1_000, 120_000):
        Counting.failed = 0
        with pytest.raises(UnusableAnswer):
            SCORES.parse((looped * size)[:size])
        assert Counting.failed <= 100


def test_patterns_see_no_long_runs_of_blanks() -> None:
    blanks, lines = " " * 50_000, " \n" * 10_000
    text = f"Clarity:{blanks}80{blanks}x\n{lines}Linkage: 7"
    plain = parsing._normalised(text)
    assert plain == "Clarity: 80 x\nLinkage: 7"


def test_json_counts_before_lines_and_among_braces_of_formulas() -> None:
    given = {"Completeness": 70, "Clarity": 80, "Consistency": 90, "Linkage": 60}
    prose = "Clarity: 10, since \\frac{1}{2} < \\sqrt{x} in {a, b}. " * 150
    assert SCORES.parse(f"{prose}```json\n{json.dumps(given)}\n```")[1] == 80
