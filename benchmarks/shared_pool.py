"""Shared pools of 1,000, 4,000 and 16,000 items: the cost of the next page and of an answer.

    python benchmarks/shared_pool.py

Twelve evaluators take pages in turn from a server on loopback: the next page, its HTML and the
answer. Steps are those that SQLite counts; times are medians. Exits with 1 if a page of the largest
pool takes 1.5 times as many steps as one of the smallest, on either database.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import httpx
from sqlalchemy import event

from campaign_site import running
from campaigns import campaign
from patmark.human.campaign import plan_campaign
from patmark.human.campaign.settings import Assignment
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app
from postgres import new_database, programs, running_server

ITEMS, PEOPLE, PAGES = (1_000, 4_000, 16_000), 12, 120
MOST_GROWTH = 1.5
_CSRF = re.compile(r'data-csrf="([0-9a-f]+)"|name="csrf" value="([0-9a-f]+)"')


def measure(db: str, items: int) -> tuple[float, float]:
    """Return the median milliseconds and the steps of SQLite of a page, its HTML and its answer."""
    names = [f"e{number}" for number in range(PEOPLE)]
    pool = Assignment("pool", times=2)
    settings = campaign(segments=items, documents=items // 10, evaluators=names, assignment=pool)
    steps = [0]
    with Store.open(db, create=True) as store:
        made = store.create_campaign(plan_campaign(settings))

        def watch(connection: Any, *_: Any) -> None:
            if hasattr(connection, "set_progress_handler"):
                connection.set_progress_handler(lambda: steps.__setitem__(0, steps[0] + 1), 10)

        event.listen(store._engine, "checkout", watch)
        with running(create_app(store)) as address:
            clients = []
            for name in names:
                base = f"{address}/c/{made.campaign}"
                client = httpx.Client(base_url=base, trust_env=False, timeout=60)
                client.post(f"/e/{made.links[name]}")
                clients.append(client)
            seconds = []
            steps[0] = 0
            for client in islice(cycle(clients), PAGES):
                start = time.perf_counter()
                _judge(client)
                seconds.append(time.perf_counter() - start)
            for client in clients:
                client.close()
    return 1000 * statistics.median(seconds), 10 * steps[0] / PAGES


def _judge(client: httpx.Client) -> None:
    """Take the next page, read it, and answer it."""
    page = client.get("/next").headers["location"].rpartition("/")[2]
    html = client.get(f"/page/{page}").text
    found = _CSRF.search(html)
    assert found is not None
    for label in "ABC":
        answer = {
            "page": page, "candidate": label, "question": "adequacy", "value": "4", "detail": {},
            "known": 0, "client": sha256(f"{page} {label}".encode()).hexdigest(), "seconds": 1.0,
        }  # fmt: skip
        headers = {"X-CSRF-Token": next(filter(None, found.groups()))}
        done = client.post("/api/answer", json=answer, headers=headers)
        done.raise_for_status()


@contextmanager
def _databases(folder: Path) -> Iterator[dict[str, list[str]]]:
    """Create new databases for each size."""
    kept = {"SQLite": [str(folder / f"{items}.db") for items in ITEMS]}
    found = programs()
    if found is None:
        print("PostgreSQL is not installed and is left out")
        yield kept
        return
    with running_server(found) as address:
        yield {**kept, "PostgreSQL": [new_database(address) for _ in ITEMS]}


def main() -> int:
    """Measure all sizes on all databases."""
    met = True
    with tempfile.TemporaryDirectory() as folder, _databases(Path(folder)) as databases:
        for name, places in databases.items():
            found = [measure(db, items) for db, items in zip(places, ITEMS, strict=True)]
            for items, (milliseconds, steps) in zip(ITEMS, found, strict=True):
                counted = f", {steps:,.0f} steps" if steps else ""
                print(f"{name}, {items:,} items: {milliseconds:.0f} ms a page{counted}", flush=True)
            if found[0][1]:
                met &= found[-1][1] <= MOST_GROWTH * found[0][1]
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
