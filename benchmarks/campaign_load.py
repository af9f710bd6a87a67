"""Load of a campaign: 60 evaluators save 3,000 answers at once, on loopback.

    python benchmarks/campaign_load.py [SQLite-file-or-postgresql-URL …]

The server is `patmark human serve` in a process of its own. Every evaluator sends the next answer
as soon as the one before is acknowledged, without a pause, so the load is the heaviest that sixty
people can make. Then once more with 75 ms to think before each answer, opening every page first as
a browser does. Without an argument a new SQLite file is used, and a new PostgreSQL server if its
programs are installed. Then the same, with the server killed (kill -9) six times in between.
`--pages` measures only the load with pages, on a new SQLite file. Exits with 1 if an answer is lost
or doubled, or a goal is missed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from campaign_load import begin, judge_all, load_plan, serving, stored_saves
from postgres import new_database, programs, running_server

EVALUATORS, SAVES = 60, 3_000
MOST_SECONDS = 0.2
THINK, MOST_SECONDS_WITH_PAGES = 0.075, 0.4
KILLS = 6


@contextmanager
def _databases(folder: Path) -> Iterator[list[tuple[str, str]]]:
    """Return the databases to measure, with their names."""
    if sys.argv[1:]:
        yield [(place.partition(":")[0], place) for place in sys.argv[1:]]
        return
    kept = [("SQLite", str(folder / "campaign.db"))]
    found = programs()
    if found is None:
        print("PostgreSQL is not installed and is left out")
        yield kept
        return
    with running_server(found) as address:
        yield [*kept, ("PostgreSQL", new_database(address))]


def _kill(name: str, db: str, folder: Path) -> bool:
    """Kill the server six times; True if all that was ever acknowledged is there, and all once."""
    campaign, judges = begin(db, load_plan(EVALUATORS, SAVES // EVALUATORS))
    lost = 0
    for kill in range(KILLS + 1):
        with serving(db, folder / f"{name}-{kill}.log") as server:
            judge_all(server, judges, kill_after=SAVES // (KILLS + 1) if kill < KILLS else None)
        sent = {save for judge in judges for save in judge.acknowledged}
        lost += len(sent - set(stored_saves(db, campaign)))
    stored = stored_saves(db, campaign)
    doubled, open_ = len(stored) - len(set(stored)), sum(len(one.waiting) for one in judges)
    print(
        f"{name}: {len(stored)} saves, kill -9 {KILLS} times; {lost} lost, {doubled} doubled, "
        f"{open_} never acknowledged"
    )
    return not lost and not doubled and not open_ and len(stored) == SAVES


def _measure_with_pages(name: str, db: str, folder: Path) -> bool:
    """Run the load of people who open pages and think."""
    return _measure(name, db, folder, THINK, MOST_SECONDS_WITH_PAGES)


def _measure(
    name: str, db: str, folder: Path, think: float | None = None, most: float = MOST_SECONDS
) -> bool:
    """Run the load once; True if nothing was lost and the goal is met."""
    campaign, judges = begin(db, load_plan(EVALUATORS, SAVES // EVALUATORS))
    with serving(db, folder / f"{name}.log") as server:
        seconds = judge_all(server, judges, think=think)
    sent = {save for judge in judges for save in judge.acknowledged}
    stored = stored_saves(db, campaign)
    lost, doubled = len(sent - set(stored)), len(stored) - len(set(stored))
    times = sorted(second for judge in judges for second in judge.seconds)
    p95 = statistics.quantiles(times, n=100)[94]
    print(
        f"{name}: {len(sent)} saves of {len(judges)} evaluators in {seconds:.1f} s "
        f"({len(sent) / seconds:.0f} per second); median {1000 * statistics.median(times):.0f} ms, "
        f"p95 {1000 * p95:.0f} ms (goal {1000 * most:.0f}), longest {1000 * times[-1]:.0f} ms; "
        f"{lost} lost, {doubled} doubled" + ("" if p95 < most else "  MISSED")
    )
    if opened := sorted(second for judge in judges for second in judge.page_seconds):
        print(
            f"  with {len(opened)} pages opened (median {1000 * statistics.median(opened):.0f} ms) "
            f"and {1000 * THINK:.0f} ms to think before each save"
        )
    for refusal in sorted({text for judge in judges for text in judge.refused}):
        print(f"refused: {refusal}")
    return len(sent) == SAVES and not lost and not doubled and p95 < most


def main() -> int:
    """Measure all databases."""
    if sys.argv[1:] == ["--pages"]:
        with tempfile.TemporaryDirectory() as folder:
            db = str(Path(folder) / "campaign.db")
            return 0 if _measure_with_pages("SQLite, with pages", db, Path(folder)) else 1
    with tempfile.TemporaryDirectory() as folder, _databases(Path(folder)) as databases:
        met = [
            measure(name, db, Path(folder))
            for measure in (_measure, _measure_with_pages, _kill)
            for name, db in databases
        ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
