"""How the tests of language models ask: without waiting, of a server on this machine."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from chat_server import ChatServer, FakeTime, Reply, said
from patmark.llm import (
    ChatClient,
    ChatRequest,
    ClientSettings,
    DiskCache,
    Endpoint,
    Message,
    RetryPolicy,
)


def ask(*prompts: str, **settings: Any) -> list[ChatRequest]:
    """One request for each prompt."""
    return [ChatRequest("m", (Message("user", text),), **settings) for text in prompts]


def client_for(
    server: ChatServer, time: FakeTime | None = None, cache: Path | None = None, **settings: Any
) -> ChatClient:
    """A client whose waits take no time; settings are those of ClientSettings, and the key."""
    time = time or FakeTime()
    key = settings.pop("api_key", "")
    return ChatClient(
        Endpoint(server.url, key),
        DiskCache(cache) if cache else None,
        ClientSettings(**{"timeout": 60.0, "policy": RetryPolicy(retries=3)} | settings),
        sleep=time.sleep,
        clock=time.clock,
        rng=random.Random(0),
    )


def echo(body: dict[str, Any], seen: int) -> Reply:
    """A server that says what it was told."""
    return said("re: " + body["messages"][-1]["content"])
