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


class _Gate:
    """Answers so many requests, and holds all others until the server ends."""

    def __init__(self) -> None:
        self.open()

    def open(self, answers: int = 1_000_000) -> None:
        self._left = iter(range(answers))

    def __call__(self, body: dict[str, Any], seen: int) -> Reply:
        answer = said(f"Translation of {body['messages'][-1]['content'][-3:]}.")
        held = next(self._left, None) is None
        return replace(answer, delay=600.0 if held else 0.0)


def _arguments(server: ChatServer) -> list[str]:
    return ["run", "openai:m", "--base-url", server.url, "--no-cache", "--concurrency",
            str(WORKERS), "--testset", "set.jsonl", "--lang", "zh-en", "--out", "out.jsonl"
            ]  # fmt: skip


def _bytes(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in NAMES}


def _kill_when_held(server: ChatServer, requests: int, folder: Path) -> None:
    """Kill a run when each of its workers waits, so that all other answers are written."""
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
    gate = _Gate()
    with serving(gate) as server:
        assert patmark(whole, *_arguments(server)).returncode == 0
        server.bodies.clear()
        for times in (1, 2):
            gate.open(ROWS // 4)
            _kill_when_held(server, times * (ROWS // 4 + WORKERS), killed)
            assert not (killed / "out.jsonl").exists()
        lines = (killed / "out.jsonl.journal").read_bytes().split(b"\n")
        written = {f"{int(json.loads(line)['id']):03}" for line in lines[1:-1]}
        before = len(server.bodies)
        gate.open()
        done = patmark(killed, *_arguments(server))
        asked = Counter(prompt[-3:] for prompt in server.prompts)
        assert written.isdisjoint(prompt[-3:] for prompt in server.prompts[before:])
    assert done.returncode == 0, done.stderr
    assert len(written) == 2 * (ROWS // 4)
    assert len(asked) == ROWS and asked.total() <= ROWS + 2 * WORKERS
    again = patmark(killed, *_arguments(server))
    assert f"{ROWS} of them earlier" in again.stderr
    assert _bytes(killed) == _bytes(whole)


def test_ctrl_c_keeps_what_was_answered_and_says_so(folders: tuple[Path, Path]) -> None:
    folder, gate = folders[0], _Gate()
    gate.open(ROWS // 4)
    with serving(gate) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "patmark", *_arguments(server)], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while len(server.bodies) < ROWS // 4 + WORKERS and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
        assert process.returncode == 130
        assert told == (
            "patmark: stopped; what was answered is kept, and the same command goes on from there\n"
        )
        before = len(server.bodies)
        gate.open()
        assert patmark(folder, *_arguments(server)).returncode == 0
        assert len(server.bodies) - before == ROWS - ROWS // 4
