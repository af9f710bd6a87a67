"""patmark run and kept answers: whose they are, how many, and how old."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from chat_server import ChatServer, Reply, said, serving
from command_line import patmark, patmark_json

_ROWS = 40


@pytest.fixture(autouse=True)
def _sources(tmp_path: Path) -> None:
    rows = [{"id": str(at), "source": f"弁{at}"} for at in range(_ROWS)]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def _arguments(server: ChatServer, out: str, *more: str) -> tuple[str, ...]:
    return ("run", "openai:m", "--base-url", server.url, "--cache", "cache", "--testset",
            "set.jsonl", "--lang", "ja-en", "--out", out, *more)  # fmt: skip


def _texts(path: Path) -> set[str]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {json.loads(line)["hypothesis"] for line in lines}


def test_two_servers_with_a_model_of_one_name_share_no_answers(tmp_path: Path) -> None:
    with (
        serving(lambda body, seen: said("the first server")) as first,
        serving(lambda body, seen: said("the second server")) as second,
    ):
        for server, out in ((first, "1.jsonl"), (second, "2.jsonl")):
            done = patmark(tmp_path, *_arguments(server, out))
            assert done.returncode == 0 and "kept answers" not in done.stderr
        assert len(second.bodies) == _ROWS
        again = patmark_json(tmp_path, *_arguments(first, "3.jsonl"))
        assert again["kept"] == _ROWS and len(first.bodies) == _ROWS
    assert _texts(tmp_path / "1.jsonl") == _texts(tmp_path / "3.jsonl") == {"the first server"}
    assert _texts(tmp_path / "2.jsonl") == {"the second server"}


def _made_older(cache: Path, age: timedelta) -> str:
    """Let all kept answers be of one earlier time."""
    asked = (datetime.now(UTC) - age).isoformat()
    with closing(sqlite3.connect(cache / "answers.sqlite")) as opened, opened:
        opened.execute("UPDATE answers SET asked = ?", (asked,))
    return asked


def test_a_run_says_how_many_answers_were_kept_and_how_old_they_are(tmp_path: Path) -> None:
    with serving(lambda body, seen: said("a valve")) as server:
        first = patmark_json(tmp_path, *_arguments(server, "m.jsonl"))
        assert first["kept_answers"] == {"count": 0, "oldest": None, "newest": None}
        asked = _made_older(tmp_path / "cache", timedelta(days=9, hours=1))
        done = patmark(tmp_path, *_arguments(server, "n.jsonl"))
        assert "40 with kept answers of earlier runs (9 days old)" in done.stderr
        expected = {"count": 40, "oldest": asked, "newest": asked}
        assert json.loads((tmp_path / "n.jsonl.run.json").read_text())["kept_answers"] == expected
        told = patmark_json(tmp_path, *_arguments(server, "n.jsonl"))
        assert (told["kept"], told["kept_answers"]) == (0, expected)


def test_what_a_stopped_run_kept_itself_is_its_own(tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said("a valve")

    with serving(reply) as server:
        arguments = _arguments(server, "m.jsonl", "--concurrency", "1")
        assert patmark(tmp_path, *arguments).returncode == 0
        whole = {path.name: path.read_bytes() for path in tmp_path.glob("m.jsonl*")}
        header, first, *_ = whole["m.jsonl.journal"].decode().splitlines()
        begun = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()
        stopped = [json.dumps(json.loads(header) | {"begun": begun}), first]
        (tmp_path / "m.jsonl.journal").write_text("\n".join(stopped) + "\n", encoding="utf-8")
        assert patmark_json(tmp_path, *arguments)["kept"] == 0
        assert len(server.bodies) == _ROWS
    assert {path.name: path.read_bytes() for path in tmp_path.glob("m.jsonl*")} == whole
