"""The server as a process of its own: it serves, hides links in its log, and survives a kill."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from campaign_site import invented_plan
from patmark.human.store import Store

PROGRAM = """
import sys
from patmark.human.store import Store
from patmark.web import serve
with Store.open(sys.argv[1]) as store:
    serve(store, port=int(sys.argv[2]))
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@contextmanager
def served(database: Path, port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server process that answers; ended if it still runs."""
    command = [sys.executable, "-c", PROGRAM, str(database), str(port)]
    with (
        log.open("ab") as output,
        subprocess.Popen(command, stdout=output, stderr=output) as process,
    ):
        try:
            for _ in range(600):
                try:
                    httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
                    break
                except httpx.TransportError:
                    time.sleep(0.05)
            yield process
        finally:
            process.terminate()
            process.wait(20)


def test_a_killed_server_has_lost_nothing(tmp_path: Path) -> None:
    database, log, port = tmp_path / "campaign.db", tmp_path / "log", free_port()
    with Store.open(str(database), create=True) as store:
        created = store.create_campaign(invented_plan("adequacy", 4))
        pages = [page.id for page in store.pages(created.campaign, "rater-1")]
    address = f"http://127.0.0.1:{port}"
    link = f"/e/{created.links['rater-1']}"
    acknowledged = {}
    with httpx.Client(base_url=address, trust_env=False, timeout=20) as client:
        with served(database, port, log) as process:
            client.post(link)
            csrf = client.get("/").text.split('name="csrf" value="')[1].split('"')[0]
            for number, page in enumerate(pages):
                body = {
                    "page": page, "candidate": "A", "question": "adequacy", "known": 0,
                    "value": str(number + 1), "detail": {}, "client": f"client-number-{number:03}",
                    "seconds": 1,
                }  # fmt: skip
                saved = client.post("/api/answer", json=body, headers={"X-CSRF-Token": csrf})
                acknowledged[page] = (saved.json()["revision"], str(number + 1))
            os.kill(process.pid, signal.SIGKILL)
            process.wait(20)
        with served(database, port, log):
            again = client.post("/api/answer", json=body, headers={"X-CSRF-Token": csrf})
            assert again.json()["revision"] == 1
    with Store.open(str(database)) as store:
        kept = [one.answer for one in store.history(created.campaign)]
    assert {one.page: (one.revision, one.value) for one in kept} == acknowledged
    assert len(kept) == len(pages)
    text = log.read_text(encoding="utf-8")
    assert "/e/…" in text
    assert created.links["rater-1"] not in text
