"""Speed of a run: 1,000 rows against a local server that takes 50 ms for each, with 32 workers.

    python benchmarks/run_speed.py [--profile]

The server is a process of its own and speaks the chat API. The time on the clock holds everything
from the test set to the files of the run: prompts, requests, cache, journal, results. No client can
need less than rows × latency / workers. Exits with 1 if the goal is missed.
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
from multiprocessing.connection import Connection
from pathlib import Path

from patmark.data.model import Segment, TestSet
from patmark.llm import ChatClient, ClientSettings, DiskCache, Endpoint
from patmark.systems import (
    Bench,
    ChatSettings,
    ChatSystem,
    Ran,
    plan_run,
    run_to_files,
    task_of,
)

ROWS, LATENCY, WORKERS = 1_000, 0.05, 32
MOST_SECONDS = 4.0


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


def serve(port: Connection) -> None:
    """Serve on a free port, which is told to the one who asked."""

    async def main() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def translate(port: int, folder: Path) -> Ran:
    """A run of all rows, from the test set to its files."""
    segments = tuple(
        Segment(str(row), f"第{row}种阀门包括壳体、阀座和弹簧。", ("A valve.",))
        for row in range(ROWS)
    )
    bench = Bench(TestSet(segments, "en", "zh"), "rows")
    client = ChatClient(
        Endpoint(f"http://127.0.0.1:{port}/v1"), DiskCache(folder / "cache"),
        ClientSettings(concurrency=WORKERS),
    )  # fmt: skip
    task = task_of("translate")
    system = ChatSystem(client, ChatSettings("test-model"), task.template)
    plan = plan_run(system, task, bench.test_set, **bench.about)
    return run_to_files(plan, bench, "test-model", str(folder / "out.jsonl"))


def main() -> int:
    """Time a run and compare with the goal."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    profile = cProfile.Profile() if "--profile" in sys.argv else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            begin, busy = time.perf_counter(), time.process_time()
            if profile:
                profile.enable()
            ran = translate(port, Path(folder))
            if profile:
                profile.disable()
            seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    finally:
        server.terminate()
        server.join()
    if profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(20)
    ideal = ROWS * LATENCY / WORKERS
    answered = ran.to_json()["answered"]
    print(
        f"{answered} of {ROWS} rows: {seconds:.2f} s, of which {busy:.2f} s of work (ideal "
        f"{ideal:.2f}, goal {MOST_SECONDS:g})"
    )
    return 0 if answered == ROWS and seconds < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
