"""patmark run and keys: they are sent where they belong, and stand in no file and no message."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from chat_server import Reply, refused, said, serving
from command_line import patmark

KEY = "sk-secret-0123456789abcdef"
SOURCES = ["弁は座を有する。", "ばねは鋼である。", "弁"]
LINES = ("--src", "s.ja", "--lang", "ja-en")


@pytest.fixture(autouse=True)
def _sources(tmp_path: Path) -> None:
    (tmp_path / "s.ja").write_text("\n".join(SOURCES), encoding="utf-8")


def _openai(url: str, *more: str | Path) -> tuple[str | Path, ...]:
    return ("openai:my/model", "--base-url", url, "--no-cache", *more)


def _everything(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8", errors="replace")
                   for path in folder.rglob("*") if path.is_file())  # fmt: skip


@pytest.mark.parametrize("status", [200, 401, 400])
def test_a_key_is_sent_and_never_shown(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(0)

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said(f"A text with {KEY} in it.") if status == 200 else refused(status, f"no {KEY}")

    with serving(reply) as server:
        done = patmark(tmp_path, "run", "openai:m", "--base-url", server.url, *LINES, "--out",
                       "m.jsonl", "--api-key-env", "MY_KEY", "--cache", "cache", "--json"
                       )  # fmt: skip
        assert server.keys[0] == f"Bearer {KEY}"
    assert done.returncode == (0 if status == 200 else 1)
    shown = done.stdout + done.stderr + caplog.text + _everything(tmp_path)
    assert "***" in shown and KEY not in shown


def test_a_key_from_the_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = types.ModuleType("keyring")
    passwords = {("bench", "me"): KEY}
    ring.get_password = lambda service, user: passwords.get((service, user))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    with serving(lambda body, seen: said("a valve")) as server:
        done = patmark(tmp_path, "run", *_openai(server.url), *LINES, "--out", "m.txt",
                       "--api-key-keyring", "bench/me")  # fmt: skip
        assert done.returncode == 0 and set(server.keys) == {f"Bearer {KEY}"}
        none = patmark(tmp_path, "run", *_openai(server.url), *LINES, "--out", "n.txt",
                       "--api-key-keyring", "other")  # fmt: skip
        assert none.returncode == 2 and "holds no password" in none.stderr

    def locked(service: str, user: str) -> str:
        raise RuntimeError("the keyring is locked")

    ring.get_password = locked  # type: ignore[attr-defined]
    shut = patmark(tmp_path, "run", *_openai("http://127.0.0.1:9"), *LINES, "--out", "n.txt",
                   "--api-key-keyring", "bench")  # fmt: skip
    assert shut.returncode == 2 and "cannot be read: the keyring is locked" in shut.stderr
    monkeypatch.setitem(sys.modules, "keyring", None)
    absent = patmark(tmp_path, "run", *_openai("http://127.0.0.1:9"), *LINES, "--out", "n.txt",
                     "--api-key-keyring", "bench")  # fmt: skip
    assert absent.returncode == 2 and "pip install keyring" in absent.stderr


def test_a_service_with_a_body_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    body = {"messages": [{"content": "{source}"}], "to": "{target_code}", "secret_key": "{key}"}
    arguments = ("--body", json.dumps(body), "--answer", "choices.0.message.content",
                 "--api-key-env", "MY_KEY", "--no-cache", *LINES, "--out", "o.txt")  # fmt: skip
    with serving(lambda body, seen: said("a valve")) as server:
        done = patmark(tmp_path, "run", server.url, *arguments)
        assert done.returncode == 0, done.stderr
        assert {(sent["to"], sent["secret_key"]) for sent in server.bodies} == {("en", KEY)}
    assert set(server.prompts) == set(SOURCES)
    assert KEY not in _everything(tmp_path) and "{key}" in _everything(tmp_path)
