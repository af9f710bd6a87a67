"""Language models that functions ask: a client that keeps answers, and loops in notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from patmark.judge import judge
from patmark.llm import ChatClient, DiskCache, Endpoint, default_cache_folder
from patmark.report import notebook_progress

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.evaluation import Sampling
    from patmark.judge import JudgeResult, JudgeSettings

_Answer = TypeVar("_Answer")


def keeping_client(base_url: str, api_key_env: str | None, adapter: Any = None) -> ChatClient:
    """A client that keeps answers where the commands keep them."""
    endpoint = Endpoint.with_key_from(base_url, api_key_env)
    speaking = {} if adapter is None else {"adapter": adapter(endpoint)}
    return ChatClient(endpoint, DiskCache(default_cache_folder()), **speaking)


def ask_judge(
    test_set: TestSet,
    runs: Sequence[Run],
    settings: JudgeSettings,
    client: ChatClient,
    sampling: Sampling | None,
) -> JudgeResult:
    """What a language model says, with a bar of progress in notebooks."""
    with notebook_progress() as bar:
        advance = None if bar is None else lambda done, total: bar(settings.model, done, total)
        return outside_loops(lambda: judge(test_set, runs, client, settings, advance, sampling))


def outside_loops(work: Callable[[], _Answer]) -> _Answer:
    """Do work that runs a loop of its own; in a notebook, where one is running, in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
