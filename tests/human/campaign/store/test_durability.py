"""An acknowledged save survives the sudden end of the process."""

from __future__ import annotations

import subprocess
import sys

from patmark.human.campaign.store import Store
from store_plans import graded, small_plan

_WRITER = """
import os, sys, threading
from patmark.human.campaign import Answer
from patmark.human.campaign.store import Store

store, campaign = Store.open(sys.argv[1]), sys.argv[2]
lock = threading.Lock()

def write(name):
    number = 0
    while True:
        number += 1
        client = f"{os.getpid()}:{name}:{number}"
        answer = Answer(f"{name}-1", "A", "adequacy", "3", client=client)
        saved = store.save(campaign, name, answer)
        with lock:
            sys.stdout.write(f"{client} {saved.revision}\\n")
            sys.stdout.flush()

for name in sys.argv[3:]:
    threading.Thread(target=write, args=(name,), daemon=True).start()
threading.Event().wait()
"""


def _acknowledged(url: str, campaign: str, names: tuple[str, ...]) -> dict[str, int]:
    """What a process said that it had saved before it was killed in the middle of its work."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, url, campaign, *names], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(200)]
    process.kill()
    lines += process.stdout.read().splitlines(keepends=True)
    process.stdout.close()
    process.wait()
    assert process.returncode == -9
    pairs = (line.split() for line in lines if line.endswith("\n"))
    return {client: int(revision) for client, revision in pairs}


def test_acknowledged_saves_survive_a_kill(store_url: str) -> None:
    names = ("ann", "bob", "cem", "dan")
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan(names)).campaign
    acknowledged = _acknowledged(store_url, campaign, names)
    assert len(acknowledged) >= 200
    with Store.open(store_url) as store:
        kept = {one.answer.client: one.answer.revision for one in store.history(campaign)}
        assert acknowledged.items() <= kept.items()
        for name in names:
            history = store.history(campaign, f"{name}-1")
            revisions = [one.answer.revision for one in history]
            assert revisions == list(range(1, len(revisions) + 1))
            assert store.save(campaign, name, graded(f"{name}-2")).stored
