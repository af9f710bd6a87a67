"""patmark human serve refuses in plain words, and validate names all missing files at once."""

from __future__ import annotations

import socket
from pathlib import Path

from command_line import patmark
from example_campaigns import begin


def test_serve_refuses_before_it_says_anything(tmp_path: Path) -> None:
    begin(tmp_path / "campaign.db")
    for options, said in (
        (("--host", "0.0.0.0"), "give them with --name"),
        (("--proxy", "*"), "--proxy '*': expected an address"),
        (("--proxy", "10.0.0.1/8"), "a network as 10.0.0.0/8"),
    ):
        done = patmark(tmp_path, "human", "serve", *options)
        assert done.returncode == 2 and said in done.stderr
        assert "serving" not in done.stderr and "Traceback" not in done.stderr


def test_a_port_in_use(tmp_path: Path) -> None:
    begin(tmp_path / "campaign.db")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = patmark(tmp_path, "human", "serve", "--port", port)
    assert done.returncode == 2
    expected = f"cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port"
    assert expected in done.stderr


def test_validate_names_all_missing_files(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "name: x\nform: adequacy\nlanguages: zh-en\ntestset: t.jsonl\nevaluators: [e1]\n"
        "runs: [{system: a, file: a.jsonl}, {system: b, flie: b.jsonl}]\n"
        "training: {file: training.jsonl}\ncontext: {file: context.jsonl}\n"
    )
    done = patmark(tmp_path, "human", "validate", "own.yaml")
    assert done.returncode == 2
    for name in ("t.jsonl", "a.jsonl", "training.jsonl", "context.jsonl"):
        assert f"{name}: no such file" in done.stderr
    assert "own.yaml:6: unknown field 'flie'" in done.stderr


def test_a_missing_language_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("name: x\nform: adequacy\nevaluators: [e1]\n")
    done = patmark(tmp_path, "human", "validate", "own.yaml")
    assert done.stderr.count("language") == 1
