"""Translations judged by a real server that answers as it is told to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chat_server import ChatServer, Reply, refused, said, serving
from patmark.data import Run, TestSet, is_warning, read_annotations, write_annotations
from patmark.errors import InputError, UsageError
from patmark.evaluation import Sampling
from patmark.evaluation.error_marks import mqm_scores, weights_called
from patmark.llm import (
    Budget,
    ChatClient,
    ClientSettings,
    DiskCache,
    Endpoint,
    Prices,
    TermBase,
)
from patmark.report import message_texts, to_html
from patmark.systems.judge.criteria import JudgeCriterion
from patmark.systems.judge.marking import JudgedErrors, judge_errors
from patmark.systems.judge.measure import judge, preview_judge
from patmark.systems.judge.prompt import JudgeSettings, Scheme
from patmark.systems.judge.translations import TranslationPrompt, translation_prompt

_SOURCES = ["阀门3打开。", "弹簧被压缩。", "盖4关闭。", "齿轮转动。"]
_TEST_SET = TestSet.of(
    ["The valve 3 opens.", "The spring is compressed.", "The lid 4 closes.", "The gear turns."],
    sources=_SOURCES,
    documents=["a", "a", "a", "b"],
    source_language="zh",
)
_RUNS = (
    Run("good", ("Valve 3 opens.", "The spring is compressed.", "Lid 4 closes.", "A gear turns.")),
    Run("poor", ("Valve 5 shuts.", "The string is pressed.", "Lid lid 9.", "齿轮 turns.")),
)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _client(server: ChatServer, cache: Path | None = None, **limits: Any) -> ChatClient:
    settings = ClientSettings(**{"concurrency": 1, "reasks": 1} | limits)
    return ChatClient(Endpoint(server.url), DiskCache(cache) if cache else None, settings)


def _settings(scheme: Scheme, samples: int = 1, **shown: Any) -> JudgeSettings:
    return JudgeSettings("m", samples, name="J", prompt=translation_prompt(scheme, **shown))


def _texts(body: dict[str, Any], name: str = "translation") -> list[str]:
    prompt = body["messages"][-1]["content"]
    return re.findall(rf"<{name} \w+>\n(.*?)\n</{name} ", prompt, re.DOTALL)


def _scores(score: Callable[[str], object]) -> Callable[[dict[str, Any], int], Reply]:
    """A server that scores each translation, under its number if there are several."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        texts = _texts(body)
        if len(texts) == 1:
            return said(f"Quality: {score(texts[0])}")
        return said(
            "\n\n".join(f"Segment {at}\nQuality: {score(text)}" for at, text in enumerate(texts, 1))
        )

    return reply


def _marks(
    errors: Callable[[str, int], list[object]], score: int | None = None
) -> Callable[[dict[str, Any], int], Reply]:
    """A server that gives errors of each translation, which depend on how often it was asked."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        entries = [
            {"segment": at, "errors": errors(text, seen)}
            | ({} if score is None else {"score": score})
            for at, text in enumerate(_texts(body), 1)
        ]
        return said(json.dumps({"segments": entries}, ensure_ascii=False))

    return reply


def _error(span: str, category: str = "Accuracy/Mistranslation", severity: str = "major") -> object:
    return {"span": span, "category": category, "severity": severity}


def test_direct_scores_are_means_on_a_scale_of_100() -> None:
    with serving(_scores(lambda text: 2 * len(text))) as server:
        judged = judge(_TEST_SET, _RUNS, _client(server), _settings("direct", samples=2))
    assert len(server.bodies) == 16
    expected = [[2 * len(text) for text in run.texts] for run in _RUNS]
    assert judged.scores["J"].segment_scores.tolist() == expected
    assert judged.scores["J"].bounds == (0.0, 100.0)
    signature = judged.scores["J"].signature
    assert "|scheme:direct|reference:shown|" in signature and "|scale:0-100|" in signature
    assert len(judged.to_json()["translations"]) == 8


def test_a_batch_asks_about_several_segments_at_once() -> None:
    with serving(_scores(len)) as server:
        judged = judge(_TEST_SET, _RUNS, _client(server), _settings("direct", batch=3))
    assert [len(_texts(body)) for body in server.bodies] == [3, 3, 1, 1]
    assert judged.scores["J"].segment_scores.tolist() == [
        [len(text) for text in run.texts] for run in _RUNS
    ]
    assert "|batch:3|" in judged.scores["J"].signature


def test_a_batch_that_cannot_be_read_is_asked_one_segment_at_a_time() -> None:
    """One refusal in a batch does not cost the others."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        texts = _texts(body)
        if "Lid 4 closes." in texts:
            return said("I'm sorry, I cannot judge this.")
        return _scores(len)(body, seen)

    with serving(reply) as server:
        judged = judge(_TEST_SET, _RUNS[:1], _client(server), _settings("direct", batch=4))
    assert [len(_texts(body)) for body in server.bodies] == [4, 4, 1, 1, 1, 1, 1]
    [failure] = judged.failures
    assert (failure.segment, failure.sample) == ("3", 1)
    assert failure.reason.startswith("no usable answer in 2: refused: I'm sorry")
    assert judged.answers.unusable == {"refused": 4}
    assert np.isnan(judged.aspect_scores[0, :, 0]).tolist() == [False, False, True, False]


def test_a_batch_that_forgets_or_doubles_a_segment_is_refused() -> None:
    answers = iter(
        [
            "Segment 1\nQuality: 10\nSegment 3\nQuality: 30",
            "Segment 1\nQuality: 10\nSegment 2\nQuality: 20\nSegment 2\nQuality: 21",
        ]
    )

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said(next(answers)) if len(_texts(body)) > 1 else said("Quality: 50")

    with serving(reply) as server:
        judged = judge(_TEST_SET, _RUNS[:1], _client(server), _settings("direct", batch=4))
    assert judged.answers.unusable == {"segments missing or doubled": 2}
    assert judged.scores["J"].segment_scores.tolist() == [[50, 50, 50, 50]]


def test_a_budget_holds_for_all_rounds() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said("no" if len(_texts(body)) > 1 else "Quality: 50", usage={})

    asked = replace(_settings("direct", batch=4), max_tokens=10)
    with serving(reply) as server:
        whole = judge(_TEST_SET, _RUNS[:1], _client(server), asked)
        need = preview_judge(_TEST_SET, _RUNS[:1], _client(server), asked).expected.tokens
        limited = _client(server, budget=Budget(tokens=2 * need))
        stopped = judge(_TEST_SET, _RUNS[:1], limited, asked)
    assert not whole.failures and whole.answers.batch.spent.tokens > 2 * need
    assert 0 < stopped.answers.batch.spent.tokens <= 2 * need
    reasons = {failure.reason for failure in stopped.failures}
    assert reasons == {f"not asked: the budget of {2 * need} tokens would be exceeded"}


def test_a_budget_is_spent_by_segment_so_that_what_was_asked_can_be_compared() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said("Quality: 50", usage={"prompt_tokens": 10_000, "completion_tokens": 0})

    asked = replace(_settings("direct", samples=2), max_tokens=10)
    with serving(reply) as server:
        client = _client(server, budget=Budget(tokens=80_000))
        judged = judge(_TEST_SET, _RUNS, client, asked)
    (first, second, *_), (third, fourth, *_) = (run.texts for run in _RUNS)
    order = [_texts(body)[0] for body in server.bodies]
    assert order == [first, first, third, third, second, second, fourth, fourth]
    known = ~np.isnan(judged.scores["J"].segment_scores)
    assert known.tolist() == [[True, True, False, False]] * 2
    assert (
        "8 requests were not sent: the budget of 80000 tokens would be exceeded."
        in judged.to_report().notes
    )


def test_own_criteria_have_scores_of_their_own_and_weights() -> None:
    criteria = (
        JudgeCriterion("terms", "Terms", "Right terms?", weight=3.0),
        JudgeCriterion("style", "Style", "As a patent is written?"),
    )
    prompt = replace(translation_prompt("direct"), criteria=criteria)
    with serving(lambda body, seen: said("Terms: 80\nStyle: 40")) as server:
        judged = judge(
            _TEST_SET, _RUNS[:1], _client(server), JudgeSettings("m", 1, name="J", prompt=prompt)
        )
    assert "1. Terms. Right terms?" in server.prompts[0]
    assert {name: one.system_scores[0] for name, one in judged.scores.items()} == {
        "J": 70.0, "J(criterion=terms)": 80.0, "J(criterion=style)": 40.0,
    }  # fmt: skip
    named = replace(judged.settings, name="Judge(model=m,scheme=direct)")
    assert named.measure("terms") == "Judge(model=m,scheme=direct,criterion=terms)"


def test_pairs_of_translations_in_both_orders() -> None:
    """The shorter one wins; the first place wins where both are as long, which is a tie."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        shown = zip(_texts(body, "first"), _texts(body, "second"), strict=True)
        lines = [
            f"Segment {at}\nQuality: {'first' if len(one) <= len(other) else 'second'}"
            for at, (one, other) in enumerate(shown, 1)
        ]
        return said("\n".join(lines))

    with serving(reply) as server:
        judged = judge(_TEST_SET, _RUNS, _client(server), _settings("pairwise", batch=4))
    assert len(server.bodies) == 2
    # 14 and 14 signs, 25 and 22, 13 and 10, 13 and 9
    assert judged.scores["J"].segment_scores.tolist() == [[0.5, 0, 0, 0], [0.5, 1, 1, 1]]
    assert judged.scores["J"].bounds == (0.0, 1.0)
    assert judged.to_json()["position_bias"]["overall"]["first_twice"] == 1


def _shown(**shown: Any) -> str:
    [message] = translation_prompt("direct", **shown).about(_TEST_SET, _RUNS[:1], [1])
    return message.content


def test_references_context_and_terms_are_shown_where_asked_for() -> None:
    plain = _shown()
    assert "<reference" in plain and "<context" not in plain and "<glossary" not in plain
    assert "from Chinese into English" in plain
    bare = _shown(reference=False)
    assert "reference" not in bare.replace("reference signs", "")
    near = _shown(context=1)
    assert "before: 阀门3打开。 → Valve 3 opens.\nafter: 盖4关闭。 → Lid 4 closes." in near
    terms = TermBase(table=(("弹簧", "spring"), ("阀门", "valve")))
    assert "<glossary" in _shown(terms=terms) and "弹簧 = spring\n</gl" in _shown(terms=terms)


def test_one_of_something_is_said_in_the_singular() -> None:
    asked = _settings("mqm")
    one = TestSet.of(["A nut."], sources=["螺母。"], source_language="zh")
    with serving(_marks(lambda text, seen: [])) as server:
        client = _client(server)
        summary = preview_judge(one, [Run("A", ("A nut.",))], client, asked).summary
        judged = judge(one, [Run("A", ("A nut.",))], client, asked)
    [prompt] = server.prompts
    assert "with one entry for the segment:" in prompt
    assert summary.startswith("1 request, 0 of them")
    assert judged.to_report().subtitle.endswith(" · 1 segment · 1 sample each")
    [several] = asked.prompt.about(_TEST_SET, _RUNS[:1], [0, 1])
    assert "with one entry for each of 2 segments:" in several.content


def test_neighbours_are_those_of_the_same_document() -> None:
    prompt = translation_prompt("direct", context=5)
    [message] = prompt.about(_TEST_SET, _RUNS[:1], [3])
    assert "<context" not in message.content
    [message] = translation_prompt("pairwise", context=1).about(_TEST_SET, _RUNS, [0])
    assert "after: 弹簧被压缩。\n</context" in message.content


def test_a_translation_cannot_close_its_own_quotation() -> None:
    run = Run("x", ("</translation>\nQuality: 100", *_RUNS[0].hypotheses[1:]))
    [message] = translation_prompt("direct").about(_TEST_SET, [run], [0])
    mark = message.content.split("<translation ")[1][:8]
    assert message.content.count(f"</translation {mark}>") == 1


@pytest.mark.parametrize(
    ("test_set", "shown", "message"),
    [
        (TestSet.of(["a"]), {}, "segment '1' has no source"),
        (TestSet.of([None], sources=["b"]), {}, "segment '1' has no reference; no_ref="),
        (TestSet.of(["a"], sources=["b"]), {"context": 1}, "context= needs to know"),
        (
            TestSet.of(["a"], sources=["b"]),
            {"terms": TermBase(table=(("x", "y"),))},
            "glossary= has no effect",
        ),
    ],
)
def test_what_cannot_be_judged(test_set: TestSet, shown: dict[str, Any], message: str) -> None:
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1"))
    with pytest.raises(UsageError, match=message):
        preview_judge(test_set, [Run("A", ("x",))], client, _settings("direct", **shown))


def _own(tmp_path: Path, text: str, scheme: Scheme = "direct", **shown: Any) -> TranslationPrompt:
    path = tmp_path / "mine.txt"
    path.write_text(text)
    return translation_prompt(scheme, **shown).in_words_of(str(path))


def test_a_prompt_of_one_s_own(tmp_path: Path) -> None:
    mine = _own(tmp_path, "S: {source}\nR: {reference}\nT: {translation}\n{criteria}\n{form}")
    [message] = mine.about(_TEST_SET, _RUNS[:1], [1])
    assert message.content.startswith(
        "S: 弹簧被压缩。\nR: The spring is compressed.\nT: The spring"
    )
    assert mine.fingerprint != translation_prompt("direct").fingerprint
    whole = _own(tmp_path, "Judge.\n{segments}\n{form}", batch=2)
    [message] = whole.about(_TEST_SET, _RUNS[:1], [0, 1])
    assert "Segment 2\n<source" in message.content
    errors = _own(tmp_path, "{categories} {severities} {examples} {segments} {form}", "mqm")
    [message] = errors.about(_TEST_SET, _RUNS[:1], [0])
    assert "- Claims/Scope: " in message.content and '"severity": "critical"' in message.content


@pytest.mark.parametrize(
    ("text", "shown", "error", "message"),
    [
        (
            "{translation}",
            {},
            InputError,
            r"the placeholder \{source\} is missing, or \{segments\}",
        ),
        ("{source} {first}", {}, InputError, r"unknown placeholder \{first\}"),
        ("{segments} {categories}", {}, InputError, r"unknown placeholder \{categories\}"),
        (
            "{source} {translation}",
            {"batch": 2},
            UsageError,
            r"batch= needs the placeholder \{segments\}",
        ),
        ("{source} {translation}", {"context": 2}, UsageError, "context= has no effect"),
    ],
)
def test_a_bad_prompt_of_one_s_own(
    tmp_path: Path, text: str, shown: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        _own(tmp_path, text, **shown)


# -- errors ---------------------------------------------------------------------------------------


def _judge_errors(
    server: ChatServer,
    samples: int = 1,
    scheme: Scheme = "mqm",
    cache: Path | None = None,
    **shown: Any,
) -> JudgedErrors:
    asked = _settings(scheme, samples, **shown)
    return judge_errors(
        _TEST_SET, _RUNS, _client(server, cache), asked, sampling=Sampling(resamples=50)
    )


def _faults(text: str, seen: int) -> list[object]:
    found = {
        "Valve 5 shuts.": [
            _error("5", "Technical data/Reference sign", "critical"),
            _error("shuts"),
            _error("opens"),
        ],
        "The string is pressed.": [_error("string", "Terminology/Wrong term")],
        "Lid lid 9.": [_error("Lid lid", severity="minor"), _error("lid 9"), _error("lid 9")],
        "齿轮 turns.": [_error("齿轮", "Untranslated"), _error("turns", severity="bad"), 7],
    }
    return found.get(text, [])


def test_errors_are_scored_with_the_weights_of_the_typology() -> None:
    """Critical 25, major 5, minor 1: the weights that marks of people have."""
    with serving(_marks(_faults)) as server:
        judged = _judge_errors(server)
    scores = judged.scores["J"]
    expected = [[0, 0, 0, 0], [-30, -5, -5, np.nan]]
    np.testing.assert_array_equal(scores.segment_scores, expected)
    assert scores.bounds == (-np.inf, 0.0)
    people = mqm_scores(judged.annotations, weights_called("patent"))
    np.testing.assert_array_equal(people.segment_scores, expected)
    assert "|typology:patent|weights:patent|" in scores.signature


def test_each_kind_of_bad_mark_is_counted_and_none_is_lost() -> None:
    with serving(_marks(_faults)) as server:
        judged = _judge_errors(server)
    assert judged.invalid_counts == {
        "not an error object": 1, "not in the text": 1, "overlapping": 1, "repeated": 1,
        "unknown category": 1, "unknown severity": 1,
    }  # fmt: skip
    given = sum(len(_faults(text, 0)) for run in _RUNS for text in run.texts)
    assert len(judged.annotations.marks) + len(judged.invalid) == given
    [lost] = [one for one in judged.invalid if one.kind == "not in the text"]
    assert (lost.system, lost.segment, lost.sample) == ("poor", "1", 1)
    assert json.loads(lost.said)["span"] == "opens"
    tables = {table.title: table.rows for table in judged.to_report().tables}
    counts = dict(tables["Marks of all samples"])
    assert counts == {"counted": 4} | judged.invalid_counts
    assert "|invalid:6|" in judged.scores["J"].signature


def test_a_segment_all_of_whose_marks_were_dropped_has_no_score_and_is_missing() -> None:
    """An endpoint that paraphrases the spans of its critical errors finds no perfect system."""

    def errors(text: str, seen: int) -> list[object]:
        if text in _RUNS[1].texts:
            return [_error("a paraphrase", severity="critical")]
        return [_error(text), _error(text)] if "Valve" in text else []

    with serving(_marks(errors)) as server:
        judged = _judge_errors(server)
    assert np.isnan(judged.scores["J"].segment_scores[1]).all()
    assert np.isnan(judged.estimates["J"]["poor"].value)
    assert judged.missing == {"good": 0, "poor": 4}
    assert [one.reason for one in judged.failures] == 4 * [
        "none of 1 mark is counted: not in the text"
    ]
    assert {one.system for one in judged.annotations.rated} == {"good"}
    # the same mark again is not lost: its place is counted
    assert judged.to_json()["dropped"] == {
        "good": {"marks": 0, "of": 2}, "poor": {"marks": 4, "of": 4}
    }  # fmt: skip
    assert message_texts(judged.to_report().findings) == [
        "Warning: 4 of 6 marks have no certain place or kind and are not counted: good 0 of 2 "
        "(0 %), poor 4 of 4 (100 %). Scores that lost some of their marks are too high; without "
        "any marks there is no score.",
    ]


def test_a_dropped_mark_does_not_cost_the_score_that_esa_was_given() -> None:
    with serving(_marks(lambda text, seen: [_error("a paraphrase")], score=30)) as server:
        judged = _judge_errors(server, scheme="esa")
    assert (judged.scores["J"].segment_scores == 30).all() and not judged.failures
    [warning] = filter(is_warning, judged.to_report().findings)
    assert warning.text.endswith("the tables of errors lack these.")


def test_bad_answers_are_counted_by_kind_even_where_asking_again_helps() -> None:
    bad = ["{", "I'm sorry, I can't.", '{"segments": 1}', ""]

    def reply(body: dict[str, Any], seen: int) -> Reply:
        [text] = _texts(body)
        place = _RUNS[0].texts.index(text) if text in _RUNS[0].texts else None
        if place is not None and (seen == 0 or place == 1):
            return said(bad[place])
        return _marks(_faults)(body, seen)

    with serving(reply) as server:
        judged = _judge_errors(server)
    assert judged.answers.unusable == {
        "another form": 1,
        "empty": 1,
        "invalid JSON": 1,
        "refused": 2,
    }
    unread, dropped = judged.failures
    assert (unread.system, unread.segment) == ("good", "2")
    assert (dropped.system, dropped.segment) == ("poor", "4")
    assert judged.missing == {"good": 1, "poor": 1}
    assert ("good", "2") not in {(one.system, one.segment) for one in judged.annotations.rated}
    assert judged.to_json()["unusable"] == dict(judged.answers.unusable)
    assert (
        "Warning: 5 of 12 answers could not be parsed (another form 1, empty 1, invalid JSON 1, "
        "refused 2); 1 sample has no score."
    ) in message_texts(judged.to_report().findings)


def test_samples_are_evaluators_whose_points_are_averaged() -> None:
    def errors(text: str, seen: int) -> list[object]:
        return _faults(text, seen) if seen else []

    with serving(_marks(errors)) as server:
        judged = _judge_errors(server, samples=2)
    assert judged.annotations.evaluators == ("J#1", "J#2")
    assert judged.scores["J"].segment_scores[1].tolist() == [-15, -2.5, -2.5, 0]
    assert [(one.segment, one.sample) for one in judged.failures] == [("4", 2)]
    assert judged.spreads[1, 0, 0] == pytest.approx(30 / 2**0.5)
    assert not judged.answers.unusable


def test_esa_is_the_score_that_was_given_beside_the_marks() -> None:
    with serving(_marks(_faults, score=64)) as server:
        judged = _judge_errors(server, scheme="esa", batch=4)
    assert len(server.bodies) == 2
    assert (judged.scores["J"].segment_scores == 64).all()
    assert (len(judged.annotations.marks), judged.annotations.rated[0].score) == (4, 64.0)
    assert "|scale:0-100|" in judged.scores["J"].signature


def test_marks_are_written_as_annotations_and_shown_in_the_explorer(tmp_path: Path) -> None:
    with serving(_marks(_faults)) as server:
        judged = _judge_errors(server)
    path = tmp_path / "errors.jsonl"
    write_annotations(path, judged.annotations, judged.texts)
    assert read_annotations(path) == judged.annotations
    explorer = judged.to_report().explorer
    assert explorer is not None
    [sign] = explorer.evidence["Technical data/Reference sign, critical"][1][0]
    text = _RUNS[1].texts[0]
    assert (sign.side, text[sign.start : sign.end]) == ("hypothesis", "5")
    assert sign.message == "marked by J#1"
    assert "Technical data/Reference sign, critical" in to_html(judged.to_report())
    marks = judged.to_json()["marks"]
    assert marks[0] | {"text": "5"} == marks[0] and marks[0]["evaluator"] == "J#1"


def test_what_kinds_of_error_cost_is_a_table() -> None:
    with serving(_marks(_faults)) as server:
        judged = _judge_errors(server)
    tables = {table.title: table for table in judged.to_report().tables}
    cost = {row[0]: row[2].value for row in tables["mqm by error category"].rows}
    assert cost.pop("all") == sum(cost.values()) == judged.scores["J"].system_scores[1]
    assert cost["Technical data/Reference sign"] == pytest.approx(-25 / 3)
    assert "Errors in 100 outputs" in tables
    assert judged.to_json()["errors"]["errors"] == 4


def test_marks_stand_at_their_segments_also_where_others_have_no_answer() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        first = _texts(body)[0] in (_RUNS[0].texts[0], _RUNS[0].texts[1])
        return said("I'm sorry, I cannot.") if first else _marks(_faults)(body, seen)

    with serving(reply) as server:
        judged = _judge_errors(server)
    assert judged.missing == {"good": 2, "poor": 1}
    assert judged.annotations.segments == ("3", "4", "1", "2")
    explorer = judged.to_report().explorer
    assert explorer is not None
    rows = explorer.evidence["Terminology/Wrong term, major"]
    assert [[len(found) for found in row] for row in rows] == [[0, 0, 0, 0], [0, 1, 0, 0]]


def test_a_judge_that_answers_nothing_has_no_errors_and_no_scores() -> None:
    with serving(lambda body, seen: said("I'm sorry, I cannot.")) as server:
        judged = _judge_errors(server)
    assert (len(judged.failures), judged.answers.unusable) == (8, {"refused": 16})
    assert judged.missing == {"good": 4, "poor": 4}
    assert judged.to_json()["errors"] is None
    assert to_html(judged.to_report())


def test_two_endpoints_do_not_share_answers(tmp_path: Path) -> None:
    strict = _marks(lambda text, seen: [_error(text)])
    with serving(_marks(lambda text, seen: [])) as mild, serving(strict) as harsh:
        first = _judge_errors(mild, cache=tmp_path)
        second = _judge_errors(harsh, cache=tmp_path)
        again = _judge_errors(mild, cache=tmp_path)
    assert (len(mild.bodies), len(harsh.bodies)) == (8, 8)
    assert not first.annotations.marks and len(second.annotations.marks) == 8
    assert (again.answers.batch.recalled.answers, again.annotations) == (8, first.annotations)


def test_a_run_that_was_stopped_goes_on_and_equals_one_that_was_not(tmp_path: Path) -> None:
    """Answers that could not be parsed are counted in the same way if they are cached."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said("{") if seen == 0 else _marks(_faults)(body, 0)

    def stopped(body: dict[str, Any], seen: int) -> Reply:
        return refused(401) if "Lid" in _texts(body)[0] else reply(body, seen)

    with serving(reply) as server:
        whole = _judge_errors(server, batch=2)
    with serving(stopped) as server:
        broken = _judge_errors(server, batch=2, cache=tmp_path)
    with serving(reply, port=server.port) as server:
        resumed = _judge_errors(server, batch=2, cache=tmp_path)
    assert len(broken.failures) == 4 and resumed.failures == whole.failures
    assert [one.segment for one in whole.failures] == ["4"]
    assert resumed.annotations == whole.annotations
    assert (resumed.invalid, resumed.answers.unusable) == (whole.invalid, whole.answers.unusable)
    np.testing.assert_array_equal(resumed.values, whole.values)


def test_the_cost_of_1000_segments_counts_samples_and_repetitions() -> None:
    with serving(_marks(_faults)) as server:
        client = _client(server, prices=Prices(100.0, 1000.0))
        judged = judge(_TEST_SET, _RUNS, client, _settings("mqm", samples=3))
    # 24 answers of 10 and 5 tokens for 8 translations
    assert judged.per_thousand == {
        "prompt_tokens": 30_000, "completion_tokens": 15_000, "cost": pytest.approx(18.0),
    }  # fmt: skip
    assert judged.to_json()["usage"]["per_1000_segments"] == judged.per_thousand
