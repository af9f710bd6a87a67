"""patmark run --dry-run: what a run would ask and take, without asking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chat_server import Reply, refused, said, serving
from command_line import JA_EN, patmark, patmark_json

LINES = ("--src", JA_EN / "source.ja", "--lang", "ja-en")


def test_a_dry_run_asks_nothing_and_writes_nothing(tmp_path: Path) -> None:
    seen = patmark_json(tmp_path, "run", "openai:m", "--base-url",
                        "http://127.0.0.1:9/v1", "--no-cache", *LINES, "--out",
                        "m.jsonl", "--dry-run", "--price-in", "1", "--price-out", "1")  # fmt: skip
    assert "from Japanese into English" in seen["prompt"]
    assert seen["estimated"]["prompt_tokens"] > 100 * seen["rows"] and seen["estimated"]["cost"] > 0
    done = patmark(tmp_path, "run", "copy", *LINES, "--out", "m.jsonl", "--dry-run")
    assert "texts; copy:1|task=translate" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_counts_what_is_left(tmp_path: Path) -> None:
    rows = [{"id": str(at), "source": f"弁{at}"} for at in range(4)]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def reply(body: dict[str, Any], seen: int) -> Reply:
        bad = body["messages"][-1]["content"].endswith("弁2")
        return refused(400) if bad else said("a valve")

    with serving(reply) as server:
        given = ("run", "openai:m", "--base-url", server.url, "--cache", "cache", "--testset",
                 "set.jsonl", "--lang", "ja-en", "--out")  # fmt: skip
        assert patmark(tmp_path, *given, "m.jsonl").returncode == 1
        asked = len(server.bodies)
        journal = (tmp_path / "m.jsonl.journal").read_bytes()
        left = patmark_json(tmp_path, *given, "m.jsonl", "--dry-run")
        assert (left["earlier"], left["kept"], left["estimated"]["answers"]) == (3, 0, 1)
        fresh = patmark_json(tmp_path, *given, "m.jsonl", "--dry-run", "--fresh")
        assert (fresh["earlier"], fresh["kept"], fresh["estimated"]["answers"]) == (0, 3, 1)
        other = patmark(tmp_path, *given, "m.jsonl", "--dry-run", "--temperature", "1")
        assert other.returncode == 2 and "other settings" in other.stderr
        assert len(server.bodies) == asked
        assert (tmp_path / "m.jsonl.journal").read_bytes() == journal
        again = patmark(tmp_path, *given, "n.jsonl")
        assert "3 with kept answers of earlier runs" in again.stderr
