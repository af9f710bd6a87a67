"""Speed of a run: rows against a local server that takes 50 ms for each, with 8, 32 and 64 workers.

    python benchmarks/run_speed.py [--profile]

The server is a process of its own and speaks the chat API. The time on the clock holds everything
from the test set to the files of the run: prompts, requests, cache, journal, results. No client can
need less than rows × latency / workers; the share is that time divided by the time it took. Of
three runs the best counts, since others use the machine too. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import multiprocessing
import pstats
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from patmark.data import Segment, TestSet
from patmark.llm import ChatClient, ClientSettings, DiskCache, Endpoint
from patmark.systems import (
    ChatSettings,
    ChatSystem,
    RunDataset,
    RunResult,
    plan_run,
    run_to_files,
    task_of,
)

LATENCY, TRIES = 0.05, 3


@dataclass(frozen=True)
class Load:
    """So many requests at once, and the share of the ideal that is to be reached."""

    workers: int
    rows: int
    goal: float

    @property
    def ideal(self) -> float:
        """The seconds that no client can go below."""
        return self.rows * LATENCY / self.workers


LOADS = (Load(8, 1_000, 0.95), Load(32, 3_000, 0.85), Load(64, 5_000, 0.85))


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection: answer request after request until it is closed."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            asked = json.loads(await reader.readexactly(length))
            await asyncio.sleep(LATENCY)
            said = {"content": f"Translated: {asked['messages'][-1]['content'][-20:]}"}
            usage = {"prompt_tokens": 100, "completion_tokens": 20}
            choices = [{"message": said, "finish_reason": "stop"}]
            body = json.dumps({"choices": choices, "usage": usage}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionResetError):
        writer.close()


def _serve(port: Connection) -> None:
    """Serve on a free port, which is told to the one who asked."""

    async def main() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


@contextmanager
def serving() -> Iterator[int]:
    """Return the port of a server in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    try:
        yield ours.recv()
    finally:
        server.terminate()
        server.join()


def translate(port: int, load: Load, folder: Path) -> RunResult:
    """Run all rows, from the test set to the output files."""
    segments = tuple(
        Segment(str(row), f"第{row}种阀门包括壳体、阀座和弹簧。", ("A valve.",))
        for row in range(load.rows)
    )
    bench = RunDataset(TestSet(segments, "en", "zh"), "rows")
    client = ChatClient(
        Endpoint(f"http://127.0.0.1:{port}/v1"),
        DiskCache(folder / "cache"),
        ClientSettings(concurrency=load.workers),
    )
    task = task_of("translate")
    system = ChatSystem(client, ChatSettings("test-model"), task.template)
    plan = plan_run(system, task, bench.test_set, **bench.about)
    return run_to_files(plan, bench, "test-model", str(folder / "out.jsonl"))


def timed(port: int, load: Load) -> tuple[float, float]:
    """Measure the wall time of a run, and its CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        begin, busy = time.perf_counter(), time.process_time()
        ran = translate(port, load, Path(folder))
        seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    if ran.finished.failures:
        raise SystemExit(f"{len(ran.finished.failures)} rows failed")
    return seconds, busy


def main() -> int:
    """Time runs and compare them with the goals."""
    reached = True
    with serving() as port:
        timed(port, Load(8, 64, 0.0))  # what is imported once is no part of a run
        for load in LOADS:
            seconds, busy = min(timed(port, load) for _ in range(TRIES))
            share = load.ideal / seconds
            reached &= share >= load.goal
            print(
                f"{load.workers} workers, {load.rows} rows: {seconds:.2f} s, {share:.2f} of the "
                f"ideal (goal {load.goal:g}), {1000 * busy / load.rows:.2f} ms of work per row"
                + ("" if share >= load.goal else "  MISSED"),
                flush=True,
            )
        if "--profile" in sys.argv:
            profile = cProfile.Profile()
            profile.runcall(timed, port, LOADS[-1])
            pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
