"""Runs that are killed, interrupted, or lack a library."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chat_server import ChatServer, Reply, said, serving
from patmark.errors import MissingExtra
from patmark.llm import ChatClient, ChatRequest, ClientSettings, DiskCache, Endpoint, Message

_SCRIPT = """
import sys
from patmark.llm import ChatClient, ChatRequest, ClientSettings, DiskCache, Endpoint, Message

client = ChatClient(Endpoint(sys.argv[1]), DiskCache(sys.argv[2]), ClientSettings(concurrency=2))
client.ask_all([ChatRequest("m", (Message("user", str(n)),)) for n in range(20)])
"""


def _slow_from_ten(body: dict[str, Any], seen: int) -> Reply:
    number = body["messages"][-1]["content"]
    return Reply(body=said(number).body, delay=60.0 if int(number) >= 10 else 0.0)


def _wait_for(server: ChatServer, requests: int, process: subprocess.Popen[str]) -> None:
    while len(server.bodies) < requests and process.poll() is None:
        time.sleep(0.01)


def _repeat(body: dict[str, Any], seen: int) -> Reply:
    return said(body["messages"][-1]["content"])


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_loses_only_what_was_under_way(
    stop: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(_slow_from_ten) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, server.url, str(tmp_path)],
            stderr=subprocess.PIPE,
            text=True,
        )
        _wait_for(server, 12, process)
        process.send_signal(stop)
        _, complaint = process.communicate(timeout=120)
    assert process.returncode == -stop, complaint
    assert sorted(map(int, server.prompts)) == list(range(12))
    with serving(_repeat, port=server.port) as server:
        client = ChatClient(Endpoint(server.url), DiskCache(tmp_path), ClientSettings())
        asked = [ChatRequest("m", (Message("user", str(n)),)) for n in range(20)]
        batch = client.ask_all(asked)
    assert [one.answer and one.answer.text for one in batch.outcomes] == list(map(str, range(20)))
    assert sorted(map(int, server.prompts)) == list(range(10, 20))


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "https://127.0.0.1:9"])
def test_a_missing_library_is_named_with_its_extra(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "patmark.llm.transport", raising=False)
    client = ChatClient(Endpoint(url))
    with pytest.raises(MissingExtra, match=r"httpx is not installed.*patmark\[llm\]"):
        client.ask_all([ChatRequest("m", (Message("user", "a"),))])


def test_kept_answers_need_no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    asked = ChatRequest("m", (Message("user", "a"),))
    with serving(lambda body, seen: said("yes")) as server:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        ChatClient(Endpoint(server.url), cache).ask_all([asked])
    for library in ("h11", "httpcore", "httpx"):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "patmark.llm.transport")
    [outcome] = ChatClient(Endpoint(server.url), cache).ask_all([asked]).outcomes
    assert outcome.answer is not None and outcome.answer.text == "yes"
