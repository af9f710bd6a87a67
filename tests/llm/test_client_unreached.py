"""Servers that cannot be reached: those that never were, and those that were there before."""

from __future__ import annotations

import httpx
import pytest

from chat_asking import ask, client_for, echo
from chat_server import ChatServer, FakeTime, said
from patmark.llm import Batch, RetryPolicy
from patmark.llm.chat import HttpRequest
from patmark.llm.transport import HttpResponse, Trace, Unreachable

TEXTS = tuple(map(str, range(30)))


def _asked(
    monkeypatch: pytest.MonkeyPatch,
    *,
    answers: int = 0,
    is_open: bool = False,
    concurrency: int = 1,
) -> tuple[Batch, float]:
    """Ask a server that gives the first ``answers``, and then refuses connections."""
    left = answers

    async def send(
        client: httpx.AsyncClient, request: HttpRequest, trace: Trace | None
    ) -> HttpResponse:
        nonlocal left
        if trace and is_open:
            await trace("http11.send_request_headers.started", {})
        if left == 0:
            raise Unreachable("Connection refused")
        if trace:
            await trace("http11.send_request_headers.started", {})
        left -= 1
        return 200, {}, said("yes").body

    monkeypatch.setattr("patmark.llm.transport.send", send)
    time = FakeTime()
    server = ChatServer(echo, url="http://127.0.0.1:9/v1")
    client = client_for(server, time, concurrency=concurrency, policy=RetryPolicy())
    return client.ask_all(ask(*TEXTS)), sum(time.slept)


def test_an_endpoint_that_never_was_there_is_soon_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, waited = _asked(monkeypatch)
    reason = (
        "no answer from http://127.0.0.1:9/v1: Connection refused (after 3 tries); is the address "
        "right, and the server running?"
    )
    assert [one.failure for one in batch.outcomes] == [reason, *[f"not asked: {reason}"] * 29]
    assert batch.tries == 3 and waited <= 3.0


def test_requests_at_once_make_it_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, _ = _asked(monkeypatch, concurrency=8)
    assert len(batch.failures) == 30 and batch.tries <= 24


@pytest.mark.parametrize("seen", [{"answers": 1}, {"is_open": True}], ids=["answer", "under way"])
def test_one_that_was_there_is_waited_for(
    seen: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, _ = _asked(monkeypatch, **seen)
    assert "(after 7 tries)" in (batch.failures[0].failure or "")
    assert "10 requests in a row failed" in (batch.failures[-1].failure or "")
