"""The client against a real server that misbehaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chat_asking import ask, client_for, echo
from chat_server import FakeTime, Reply, refused, said, serving
from patmark.errors import InputError
from patmark.llm import (
    ChatAnswer,
    ChatClient,
    ChatRequest,
    DiskCache,
    Endpoint,
    Message,
    Outcome,
    RetryPolicy,
    Usage,
)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _once(fault: Reply) -> Callable[[dict[str, Any], int], Reply]:
    """A server that makes a mistake with each prompt, and then answers."""
    return lambda body, seen: fault if seen == 0 else echo(body, seen)


def test_answers_come_in_the_order_of_the_requests() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        prompt = body["messages"][-1]["content"]
        answer = said(f"re: {prompt}")
        return Reply(body=answer.body, delay=0.002 * (20 - int(prompt)))

    with serving(reply) as server:
        asked = ask(*map(str, range(20)))
        batch = client_for(server, concurrency=4).ask_all(asked)
    assert [one.answer.text for one in batch.outcomes if one.answer] == [
        f"re: {number}" for number in range(20)
    ]
    assert (batch.spent, batch.tries, batch.failures) == (Usage(20, 200, 100), 20, ())
    assert server.at_once <= 4
    assert set(server.paths) == {"/v1/chat/completions"}


def test_no_requests_at_all() -> None:
    assert ChatClient(Endpoint("http://localhost:1")).ask_all([]).outcomes == ()


@pytest.mark.parametrize(
    "fault",
    [
        refused(429), refused(500), refused(503), refused(529), refused(408),
        Reply(drop=True),
        Reply(body=said("x").body, cut=True),
        Reply(body=b"<html>oops</html>"),
        Reply(body=b"\xff\xfe\x00"),
        Reply(body=b'{"choices": []}'),
        Reply(body=b"[" * 100_000),
        Reply(body=b'{"error": {"message": "overloaded"}}'),
        Reply(body=b"not gzip", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["429", "500", "503", "529", "408", "drop", "cut", "html", "bytes", "empty", "deep",
         "error-200", "gzip"],
)  # fmt: skip
def test_passing_faults_are_asked_again(fault: Reply) -> None:
    time = FakeTime()
    with serving(_once(fault)) as server:
        batch = client_for(server, time).ask_all(ask("a", "b"))
    assert [one.answer and one.answer.text for one in batch.outcomes] == ["re: a", "re: b"]
    assert sorted(server.prompts) == ["a", "a", "b", "b"]
    assert (batch.tries, batch.spent.answers) == (4, 2)
    assert len(time.slept) == 2 and all(0.5 <= seconds <= 1.0 for seconds in time.slept)


def test_a_slow_server_is_left_and_asked_again() -> None:
    with serving(_once(Reply(body=said("late").body, delay=30.0))) as server:
        batch = client_for(server, timeout=2.0).ask_all(ask("a"))
    [outcome] = batch.outcomes
    assert outcome.answer is not None and outcome.answer.text == "re: a"


def test_waits_grow_and_the_reason_of_the_last_failure_is_told() -> None:
    time = FakeTime()
    with serving(lambda body, seen: refused(500, f"mistake {seen}")) as server:
        [outcome] = client_for(server, time).ask_all(ask("a")).outcomes
    assert outcome.failure == "status 500: mistake 3 (after 4 tries)"
    first, second, third = time.slept
    assert 0.5 <= first <= 1.0 <= second <= 2.0 <= third <= 4.0


def test_retry_after_holds_for_everybody() -> None:
    time = FakeTime()
    with serving(_once(refused(429, retry_after="40"))) as server:
        batch = client_for(server, time, concurrency=2).ask_all(ask("a", "b", "c"))
    assert not batch.failures
    assert time.now >= 1040.0
    assert all(seconds >= 40.0 for seconds in time.slept[:2])


def test_a_limit_used_up_by_a_good_answer_makes_others_wait() -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "30s"}
    time = FakeTime()
    with serving(lambda body, seen: Reply(body=said("ok").body, headers=headers)) as server:
        batch = client_for(server, time, concurrency=1).ask_all(ask("a", "b", "c"))
    assert not batch.failures
    assert len(time.slept) == 2 and time.now >= 1060.0


def test_a_server_that_asks_for_too_much_patience_ends_the_run() -> None:
    time = FakeTime()
    with serving(lambda body, seen: refused(429, "quota", retry_after="86400")) as server:
        batch = client_for(server, time, concurrency=1).ask_all(ask("a", "b"))
    first, second = (one.failure for one in batch.outcomes)
    assert first == "status 429: quota; the server asks to wait 86400 seconds"
    assert second is not None and second.startswith("not asked: status 429")
    assert (len(server.bodies), time.slept) == (1, [])


@pytest.mark.parametrize("status", [301, 401, 403, 404])
def test_a_useless_endpoint_is_asked_once(status: int) -> None:
    with serving(lambda body, seen: refused(status, "go away")) as server:
        batch = client_for(server, concurrency=1).ask_all(ask("a", "b", "c"))
    assert len(server.bodies) == 1
    first, *others = (one.failure or "" for one in batch.outcomes)
    assert first == f"{server.url}: status {status}: go away"
    assert others == [f"not asked: {first}"] * 2


def test_no_credit_is_not_a_rate_limit() -> None:
    body = b'{"error": {"message": "pay", "code": "insufficient_quota"}}'
    with serving(lambda _, seen: Reply(429, body)) as server:
        batch = client_for(server, concurrency=1).ask_all(ask("a", "b"))
    assert (len(server.bodies), len(batch.failures)) == (1, 2)


def test_a_bad_request_spoils_only_itself() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        bad = body["messages"][-1]["content"] == "b"
        return refused(400, "context too long") if bad else echo(body, seen)

    with serving(reply) as server:
        batch = client_for(server).ask_all(ask("a", "b", "c"))
    assert [one.failure for one in batch.outcomes] == [None, "status 400: context too long", None]
    assert len(server.bodies) == 3


def test_a_server_that_is_down_is_given_up() -> None:
    with serving(echo) as server:
        pass
    settings = {"policy": RetryPolicy(retries=1), "concurrency": 1}
    batch = client_for(server, **settings).ask_all(ask(*map(str, range(30))))
    assert len(batch.failures) == 30
    assert batch.tries == 20
    assert (batch.outcomes[0].failure or "").startswith(f"no answer from {server.url}: ")
    assert (batch.outcomes[-1].failure or "").startswith("not asked: 10 requests in a row failed")


def test_equal_requests_are_asked_once() -> None:
    with serving(echo) as server:
        batch = client_for(server).ask_all(ask("a", "b", "a", "a"))
    assert sorted(server.prompts) == ["a", "b"]
    assert batch.outcomes[0] is batch.outcomes[2]
    assert batch.spent.answers == 2


def test_samples_differ(tmp_path: Path) -> None:
    asked = [ChatRequest("m", (Message("user", "a"),), sample=number) for number in range(3)]
    with serving(lambda body, seen: said(f"answer {seen}")) as server:
        client = client_for(server, cache=tmp_path, concurrency=1)
        once = [one.answer for one in client.ask_all(asked).outcomes]
        again = client.ask_all(asked)
    assert [answer and answer.text for answer in once] == ["answer 0", "answer 1", "answer 2"]
    assert [one.answer for one in again.outcomes] == once
    assert (again.tries, again.spent, again.recalled) == (0, Usage(), Usage(3, 30, 15))
    assert len(server.bodies) == 3


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    asked = ask(*map(str, range(10)))

    def half(body: dict[str, Any], seen: int) -> Reply:
        bad = int(body["messages"][-1]["content"]) % 2
        return refused(400) if bad else echo(body, seen)

    with serving(half) as server:
        first = client_for(server, cache=tmp_path).ask_all(asked)
    assert len(first.failures) == 5
    with serving(echo, port=server.port) as other:
        second = client_for(other, cache=tmp_path).ask_all(asked)
    assert not second.failures
    assert sorted(other.prompts) == ["1", "3", "5", "7", "9"]
    # Nobody listens there any more.
    third = client_for(other, cache=tmp_path).ask_all(asked)
    assert [one.answer for one in third.outcomes] == [one.answer for one in second.outcomes]


def test_unusable_answers_are_asked_for_again_and_paid(tmp_path: Path) -> None:
    def accept(_: ChatRequest, answer: ChatAnswer) -> str | None:
        return None if answer.text.startswith("good") else f"bad words {answer.text!r}"

    with serving(lambda body, seen: said("good" if seen == 1 else "no")) as server:
        client = client_for(server, cache=tmp_path, reasks=1)
        [outcome] = client.ask_all(ask("a", seed=5), accept).outcomes
    assert outcome.answer is not None and outcome.answer.text == "good"
    assert (outcome.usage.answers, outcome.tries) == (2, 2)
    assert [body["seed"] for body in server.bodies] == [5, 1_000_008]
    with serving(lambda body, seen: said("no")) as server:
        client = client_for(server, cache=tmp_path / "other", reasks=2)
        [failed] = client.ask_all(ask("a"), accept).outcomes
        again = client.ask_all(ask("a"), accept)
    assert failed.failure == "no usable answer in 3: bad words 'no'"
    assert again.failures[0].failure == failed.failure
    assert (again.tries, len(server.bodies)) == (0, 3)


def test_without_a_rule_an_answer_must_say_something() -> None:
    answers = {"a": said(""), "b": said(None), "c": said(" \n"), "d": said("words")}
    refusal = {"choices": [{"message": {"content": "x"}, "finish_reason": "content_filter"}]}
    answers["e"] = said("x", **refusal)
    with serving(lambda body, seen: answers[body["messages"][-1]["content"]]) as server:
        batch = client_for(server, reasks=0).ask_all(ask(*answers))
    empty = "no usable answer in 1: the answer is empty"
    refused_reason = "no usable answer in 1: refused: content filter"
    assert [one.failure for one in batch.outcomes] == [empty, empty, empty, None, refused_reason]


def test_progress_and_outcomes_as_they_come() -> None:
    steps: list[tuple[int, int]] = []
    outcomes: list[Outcome] = []
    with serving(echo) as server:
        batch = client_for(server, concurrency=3).ask_all(
            ask("a", "b", "a", "c"), None, lambda *step: steps.append(step), outcomes.append
        )
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert sorted(one.request.key() for one in outcomes) == sorted(
        {one.request.key() for one in batch.outcomes}
    )


def test_errors_of_the_disk_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with serving(echo) as server, pytest.raises(InputError, match="cannot be made"):
        client = client_for(server)
        client.cache = DiskCache(tmp_path / "file" / "answers")
        client.ask_all(ask("a", "b"))
