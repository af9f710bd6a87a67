"""Two drafts against each other in both orders, asked of a real server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chat_server import ChatServer, Reply, said, serving
from patmark.data import Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.llm import ChatClient, ClientSettings, DiskCache, Endpoint
from patmark.systems.judge.measure import preview_judge
from patmark.systems.judge.pairwise import JudgedPairs, judge_pairs
from patmark.systems.judge.prompt import PAIRWISE, JudgeSettings

_TEST_SET = TestSet.of(["1. A bolt with a head.", "1. A nut with a thread."])
_RUNS = (
    Run("good", ("1. A bolt with a big head.", "1. A nut with an inner thread.")),
    Run("poor", ("1. A thing.", "1. A nut.")),
)
_TITLES = ("Completeness", "Clarity", "Terminology consistency", "Logical linkage")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _form(*verdicts: str) -> str:
    return "\n".join(f"{title}: {one}" for title, one in zip(_TITLES, verdicts, strict=True))


def _shown(body: dict[str, Any]) -> list[str]:
    text = body["messages"][-1]["content"]
    return re.findall(r"<(?:first|second) \w+>\n(.*?)\n</", text, re.DOTALL)


def _longer_wins(body: dict[str, Any], seen: int) -> Reply:
    first, second = map(len, _shown(body))
    word = "first" if first > second else "second" if second > first else "equal"
    return said(_form(word, word, word, word))


def _first_wins(body: dict[str, Any], seen: int) -> Reply:
    return said(_form("first", "first", "equal", "first"))


def _judge(
    server: ChatServer,
    samples: int = 1,
    runs: tuple[Run, ...] = _RUNS,
    cache: Path | None = None,
    reasks: int = 0,
) -> JudgedPairs:
    client = ChatClient(
        Endpoint(server.url),
        DiskCache(cache) if cache else None,
        ClientSettings(concurrency=1, reasks=reasks),
    )
    settings = JudgeSettings("m", samples, name="P", prompt=PAIRWISE)
    return judge_pairs(_TEST_SET, runs, client, settings, sampling=Sampling(resamples=20))


def test_both_orders_are_asked_and_the_better_draft_wins() -> None:
    with serving(_longer_wins) as server:
        judged = _judge(server, samples=2)
    assert len(server.bodies) == 2 * 2 * 2
    shown = [tuple(_shown(body)) for body in server.bodies]
    assert {tuple(reversed(one)) for one in shown} == set(shown)
    assert (judged.verdicts == 1).all()
    assert judged.scores["P"].system_scores.tolist() == [1, 0]
    assert judged.scores["P(criterion=clarity)"].segment_scores.tolist() == [[1, 1], [0, 0]]
    assert "|pairs:both orders" in judged.scores["P"].signature
    assert judged.position_bias["overall"].to_json() == {
        "bias": {"value": 0.0, "ci": [0.0, 0.0], "n": 2}, "first": 0.5, "equal": 0.0,
        "second": 0.5, "compared": 2, "agreed": 2, "first_twice": 0, "second_twice": 0,
    }  # fmt: skip


def test_a_judge_that_prefers_a_place_gets_ties_and_is_found_out() -> None:
    with serving(_first_wins) as server:
        judged = _judge(server, samples=2)
    assert (judged.verdicts == 0).all()
    assert set(judged.scores["P"].segment_scores.ravel()) == {0.5}
    bias = judged.position_bias
    assert (bias["overall"].bias.value, bias["overall"].first_twice) == (1.0, 2)
    assert (bias["consistency"].bias.value, bias["consistency"].agreed) == (0.0, 2)
    tables = {table.title: table for table in judged.to_report().tables}
    [overall, *_] = tables["Position bias"].rows
    assert overall[0] == "overall" and overall[2:] == (100.0, 0.0, 0.0, 2, 0, 2, 0)


def test_one_order_that_finds_them_equal_makes_a_tie() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        first, second = map(len, _shown(body))
        word = "first" if first > second else "equal"
        return said(_form(word, word, word, word))

    with serving(reply) as server:
        judged = _judge(server)
    assert (judged.verdicts == 0).all()
    assert (judged.position_bias["overall"].agreed, judged.position_bias["overall"].first) == (
        0,
        0.5,
    )


def test_an_order_goes_with_the_majority_of_its_samples() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        first, second = map(len, _shown(body))
        better, worse = ("first", "second") if first > second else ("second", "first")
        return said(_form(*[better if seen else worse] * 3, "equal"))

    with serving(reply) as server:
        judged = _judge(server, samples=3)
    assert judged.order_verdicts[..., 0].min() == 1
    [comparison, _] = judged.to_json()["comparisons"]
    assert (comparison["a"], comparison["b"], comparison["segment"]) == ("good", "poor", "1")
    assert comparison["completeness"]["verdict"] == 1.0
    first, _ = comparison["completeness"]["orders"]
    assert sorted(first["samples"]) == [-1, 1, 1]
    assert first["mean"] == pytest.approx(1 / 3)
    assert first["spread"] == pytest.approx(np.std([-1, 1, 1], ddof=1))


def test_overall_follows_the_weights_of_the_criteria() -> None:
    """4 and 3 for the worse draft are less than 4, 2 and 2 for the better one (8 of 11)."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        first, second = map(len, _shown(body))
        better, worse = ("first", "second") if first > second else ("second", "first")
        return said(_form(better, better, better, worse))

    with serving(reply) as server:
        judged = _judge(server)
    assert judged.verdicts[0, 0].tolist() == [1, 1, 1, -1, 1]
    assert PAIRWISE.aspects[-1] == "overall"


def test_three_drafts_meet_two_by_two() -> None:
    runs = (*_RUNS, Run("middle", ("1. A bolt, a head.", None)))
    with serving(_longer_wins) as server:
        judged = _judge(server, runs=runs)
    assert len(server.bodies) == 2 * (3 + 1)
    assert judged.scores["P"].segment_scores[:, 0].tolist() == [1.0, 0.0, 0.5]
    assert np.isnan(judged.scores["P"].segment_scores[2, 1])
    assert judged.missing == {"good": 0, "poor": 0, "middle": 1}
    assert {one.system for one in judged.failures} == {
        "good before middle", "middle before good", "poor before middle", "middle before poor",
    }  # fmt: skip
    assert {one.reason for one in judged.failures} == {"there is no draft"}


def test_equal_drafts_are_a_tie_for_one_price() -> None:
    runs = (_RUNS[0], Run("copy", _RUNS[0].hypotheses))
    with serving(_first_wins) as server:
        judged = _judge(server, runs=runs)
    assert len(server.bodies) == 2
    assert (judged.verdicts == 0).all()


@pytest.mark.parametrize(
    "answer",
    [
        "I think both drafts are fine.",
        "I'm sorry, I can't compare these.",
        _form("first", "third", "equal", "first"),
        _form("70", "80", "90", "100"),
        "Completeness: first",
    ],
)
def test_an_order_without_an_answer_leaves_no_verdict(answer: str, tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said(answer) if _shown(body)[0] == "1. A thing." else _longer_wins(body, seen)

    with serving(reply) as server:
        judged = _judge(server, cache=tmp_path, reasks=1)
    assert [(one.system, one.segment) for one in judged.failures] == [("poor before good", "1")]
    assert judged.failures[0].reason.startswith("no usable answer in 2")
    assert np.isnan(judged.verdicts[0, 0]).all() and (judged.verdicts[0, 1] == 1).all()
    assert judged.missing == {"good": 1, "poor": 1}


def test_samples_and_orders_are_kept_apart(tmp_path: Path) -> None:
    with serving(_longer_wins) as server:
        first = _judge(server, samples=2, cache=tmp_path)
        asked = len(server.bodies)
        again = _judge(server, samples=3, cache=tmp_path)
    assert (asked, len(server.bodies)) == (8, 12)
    assert (first.answers.batch.recalled.answers, again.answers.batch.recalled.answers) == (0, 8)
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1"))
    settings = JudgeSettings("m", 2, prompt=PAIRWISE)
    seen = preview_judge(_TEST_SET, _RUNS, client, settings)
    assert (seen.requests, seen.kept, seen.fingerprint) == (8, 0, PAIRWISE.fingerprint)


def test_one_draft_cannot_be_compared() -> None:
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1"))
    with pytest.raises(UsageError, match="two drafts are needed"):
        judge_pairs(_TEST_SET, _RUNS[:1], client, JudgeSettings("m", prompt=PAIRWISE))
