"""Organiser's pages of a large campaign: 26,000 answers of 13 evaluators.

    python benchmarks/organiser_pages.py

Every page is asked for twice: after an answer has come in, when all is read and computed anew, and
once more unchanged. Exits with 1 if a page takes longer than a second after a change.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from campaign_site import Site, running
from patmark.human.campaign import Answer, Candidate, Page, Plan, random_id, read_form
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app
from patmark.human.campaign.web.app import tune_garbage_collector

EVALUATORS, SEGMENTS, SYSTEMS = 13, 667, ("a", "b", "c")
MOST_SECONDS = 1.0
PAGES = (
    "",
    "/agreement",
    "/people",
    "/checks",
    "/ranking",
    "/consensus",
    "/log",
    "/campaign",
    "/person?name=e01",
)
EXPORTS = ("/export/judgements.csv", "/export/answers.jsonl")


def _plan() -> Plan:
    names = tuple(f"e{number:02}" for number in range(EVALUATORS))
    segments = [f"s{number}" for number in range(SEGMENTS)]
    pages = tuple(
        Page(
            random_id(),
            name,
            position,
            "main",
            segment,
            tuple(
                Candidate(label, (system,), f"{system} of {segment}")
                for label, system in zip("ABC", SYSTEMS, strict=True)
            ),
            f"source of {segment}",
            document=f"d{position // 5}",
        )
        for name in names
        for position, segment in enumerate(segments)
    )
    settings = {"systems": list(SYSTEMS), "segments": segments}
    return Plan("Large", read_form("adequacy"), "zh", "en", names, pages, 0, settings=settings)


def _fill(store: Store, campaign: str, plan: Plan) -> None:
    draw = random.Random(0)
    quality = dict(zip(SYSTEMS, (4, 3, 2), strict=True))
    for name in plan.evaluators:
        store.save_many(
            campaign,
            name,
            [
                Answer(
                    page.id,
                    one.label,
                    "adequacy",
                    str(min(5, max(1, quality[one.systems[0]] + draw.choice((-1, 0, 0, 1))))),
                    seconds=3.0,
                )
                for page in plan.pages_of(name)
                for one in page.candidates
            ],
        )


def _measure(site: Site, page: Page, path: str) -> float:
    """Measure the seconds that a page takes after an answer was saved."""
    changed = Answer(page.id, "A", "adequacy", "3", seconds=1.0)
    site.store.save(site.campaign, page.evaluator, changed)
    times = []
    with site.client() as client:
        client.post(f"/o/{site.organiser_secret}")
        for _ in range(2):
            start, cpu = time.perf_counter(), time.process_time()
            assert client.get(f"/organiser{path}").status_code == 200
            times.append((time.perf_counter() - start, time.process_time() - cpu))
    (first, work), (again, _) = times
    print(f"/organiser{path}: {first:.2f} s ({work:.2f} s of work), unchanged {again:.2f} s")
    return first


def main() -> int:
    """Measure all pages."""
    plan = _plan()
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(f"{folder}/campaign.db", create=True) as store,
        running(create_app(store)) as address,
    ):
        made = store.create_campaign(plan)
        _fill(store, made.campaign, plan)
        print(f"{len(store.answers(made.campaign))} answers")
        tune_garbage_collector()
        site = Site(address, store, made.campaign, made.links, made.organiser_secret)
        seconds = [_measure(site, plan.pages[0], path) for path in (*PAGES, *EXPORTS)]
    return 0 if max(seconds) <= MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
