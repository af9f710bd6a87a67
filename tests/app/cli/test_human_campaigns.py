"""patmark human list, clone, archive, delete, add-organiser and demo."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from command_line import patmark
from example_campaigns import begin
from patmark.human.campaign.store import Store

_NAME = "Adequacy of three systems, zh to en"


def test_a_campaign_is_cloned_archived_and_deleted(tmp_path: Path) -> None:
    begin(tmp_path / "campaign.db")
    again = patmark(tmp_path, "human", "clone", "Again", "--json")
    assert again.returncode == 0
    made = json.loads(again.stdout)
    assert list(made["links"]["evaluators"]) == ["e1", "e2", "e3"]
    same = patmark(tmp_path, "human", "clone", "Again", "--campaign", "Again")
    assert same.returncode == 2 and "there is a campaign 'Again' already" in same.stderr

    assert patmark(tmp_path, "human", "archive", "--campaign", "Again").returncode == 0
    listed = json.loads(patmark(tmp_path, "human", "list", "--json").stdout)
    assert [one["name"] for one in listed["campaigns"]] == [_NAME] and listed["left_out"] == 1
    full = patmark(tmp_path, "human", "list", "--all").stdout
    assert "Again" in full and "archived" in full and "0/21" in full
    patmark(tmp_path, "human", "archive", "--campaign", "Again", "--undo")
    assert json.loads(patmark(tmp_path, "human", "list", "--json").stdout)["left_out"] == 0

    for wrong in ((), ("--confirm", "again")):
        done = patmark(tmp_path, "human", "delete", "--campaign", "Again", *wrong)
        assert done.returncode == 2 and "nothing was deleted" in done.stderr
    done = patmark(tmp_path, "human", "delete", "--campaign", "Again", "--confirm", "Again")
    assert done.returncode == 0
    with Store.open(str(tmp_path / "campaign.db")) as store:
        assert [one.name for one in store.campaigns()] == [_NAME]


def test_organisers_come_and_go(tmp_path: Path) -> None:
    begun = begin(tmp_path / "campaign.db")
    own = patmark(tmp_path, "human", "add-organiser", "mei", "--base-url", "https://j.example.org")
    every = patmark(tmp_path, "human", "add-organiser", "mei", "--everywhere")
    assert own.stdout.startswith("https://j.example.org/o/")
    with Store.open(begun.db) as store:
        found = [store.organiser_of(one.stdout.strip().rpartition("/")[2]) for one in (own, every)]
        assert [(one.campaign, one.name) for one in found if one] == [
            (begun.campaign, "mei"),
            (None, "mei"),
        ]
    for line, code in (
        (("mei", "--organiser"), 0),
        (("mei", "--organiser", "--everywhere"), 0),
        (("mei", "--organiser", "--everywhere", "--revoke"), 0),
        (("who", "--organiser"), 2),
        (("e1", "--everywhere"), 2),
        (("--organiser", "--revoke"), 2),
        ((), 2),
    ):
        assert patmark(tmp_path, "human", "link", *line).returncode == code, line
    with Store.open(begun.db) as store:
        assert [one.revoked is None for one in store.organisers(None)] == [False]


def test_the_demo_serves_every_role_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "patmark", "human", "demo", "--port", str(port)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        lines = [process.stderr.readline(), process.stderr.readline()]
        assert "Ctrl-C stops and deletes it" in lines[1]
        assert os.listdir(tmp_path)
        with httpx.Client(transport=httpx.HTTPTransport(retries=10), trust_env=False) as client:
            assert client.get(f"http://127.0.0.1:{port}/health").json()["status"] == "ok"
            process.send_signal(signal.SIGINT)
        links = [line.split()[-1] for line in process.stdout.read().splitlines() if "http" in line]
        assert len(links) == 1 + 2 * (1 + 6)
        assert process.wait(60) in (0, 130)
    assert os.listdir(tmp_path) == []
