"""kill -9 in the middle of a run: the next one asks only for what is missing, to the same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_server import ChatServer, Reply, said, serving
from command_line import patmark

ROWS, WORKERS = 60, 4
NAMES = ("out.jsonl", "out.jsonl.journal", "out.jsonl.run.json")


def _answer(body: dict[str, Any], seen: int) -> Reply:
    return replace(said(f"Translation of {body['messages'][-1]['content'][-3:]}."), delay=0.02)


def _arguments(server: ChatServer) -> list[str]:
    return ["run", "openai:m", "--base-url", server.url, "--no-cache", "--concurrency",
            str(WORKERS), "--testset", "set.jsonl", "--lang", "zh-en", "--out", "out.jsonl"
            ]  # fmt: skip


def _bytes(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in NAMES}


def _kill_after(server: ChatServer, requests: int, folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "patmark", *_arguments(server)], cwd=folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while len(server.bodies) < requests and process.poll() is None:
            time.sleep(0.001)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same test set."""
    rows = [{"id": str(at), "source": f"第{at:03}"} for at in range(ROWS)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "set.jsonl").write_text(text, encoding="utf-8")
    return tmp_path / "whole", tmp_path / "killed"


def test_a_killed_run_goes_on_without_asking_twice(folders: tuple[Path, Path]) -> None:
    whole, killed = folders
    with serving(_answer) as server:
        assert patmark(whole, *_arguments(server)).returncode == 0
        server.bodies.clear()
        for requests in (ROWS // 4, ROWS // 2):
            _kill_after(server, requests, killed)
            assert not (killed / "out.jsonl").exists()
        lines = (killed / "out.jsonl.journal").read_bytes().split(b"\n")
        written = {f"{int(json.loads(line)['id']):03}" for line in lines[1:-1]}
        before = len(server.bodies)
        done = patmark(killed, *_arguments(server))
        asked = Counter(prompt[-3:] for prompt in server.prompts)
        assert written.isdisjoint(prompt[-3:] for prompt in server.prompts[before:])
    assert done.returncode == 0, done.stderr
    assert len(written) >= ROWS // 2 - 2 * WORKERS
    assert len(asked) == ROWS and asked.total() <= ROWS + 2 * WORKERS
    again = patmark(killed, *_arguments(server))
    assert f"{ROWS} of them earlier" in again.stderr
    assert _bytes(killed) == _bytes(whole)


def test_ctrl_c_keeps_what_was_answered_and_says_so(folders: tuple[Path, Path]) -> None:
    folder = folders[0]
    with serving(_answer) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "patmark", *_arguments(server)], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while len(server.bodies) < ROWS // 4 and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
        assert process.returncode == 130
        assert told == (
            "patmark: stopped; what was answered is kept, and the same command goes on from there\n"
        )
        before = len(server.bodies)
        assert patmark(folder, *_arguments(server)).returncode == 0
        assert 0 < len(server.bodies) - before < ROWS
