"""kill -9 at random moments: what is finished afterwards equals what was never interrupted.

    python benchmarks/kills.py [KILLS] [--seed N] [--only NAME] [--postgresql]

Each command is run once to its end, and then again, killed at moments drawn over that time and
started anew until it ends, for KILLS (20) kills or more. What is left must be equal. A campaign is
held under load by 50 evaluators, whose acknowledged answers must all be there, once; with
--postgresql its database is a PostgreSQL server of our own, else SQLite. Exits with 1 if something
differs.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import postgres
from campaign_load import Server, begin, judge_all, load_plan, stored_saves
from chat_server import Reply, said, serving
from patmark.collections.corpus.demo_families import DemoFamilies
from patmark.collections.retrieval.demo_collection import DemoCollection

KILLS, EVALUATORS, SAVES = 20, 50, 5_000
_RATING = "Completeness: {0}\nClarity: {0}\nTerminology consistency: {0}\nLogical linkage: {0}"
_ERRORS = {"errors": [{"span": "valve", "category": "Other", "severity": "minor"}, {"span": "no"}]}
_ANSWER_SECONDS = 0.05


@dataclass(frozen=True)
class Job:
    """A command with what has to be there first, and the names of what it leaves."""

    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]
    results: tuple[str, ...]


def _write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def _test_set(folder: Path) -> None:
    rows = [{"id": str(n), "source": f"第{n:03}号的阀门。"} for n in range(300)]
    _write_rows(folder / "set.jsonl", rows)


def _translations(folder: Path) -> None:
    _test_set(folder)
    rows = [{"id": str(n), "hypothesis": f"The valve no. {n:03}."} for n in range(300)]
    _write_rows(folder / "mt.jsonl", rows)


def _claim_pairs(folder: Path) -> None:
    rows = [
        {"gold_claim": f"1. A pump {n}.", "A": f"1. A valve {n}.", "B": f"1. A seal {n}."}
        for n in range(40)
    ]
    _write_rows(folder / "pairs.jsonl", rows)


def _families(folder: Path) -> None:
    DemoFamilies(24).write(folder)


def _indexes(folder: Path) -> None:
    documents = [document.to_row() for document in DemoCollection(12_000, "en").documents()]
    _write_rows(folder / "old.jsonl", documents[:2000])
    _write_rows(folder / "new.jsonl", documents[2000:])
    done = _patmark(folder, "retrieve", "index", "old.jsonl", "--out", "index", "--lang", "en")
    if done.wait():
        raise SystemExit("the index cannot be built")


def _answer(body: dict[str, Any], seen: int) -> Reply:
    """Return an answer that depends on the prompt alone; some are unparsable."""
    prompt = body["messages"][-1]["content"]
    number = sum(prompt.encode()) % 90 + 10
    if '"segments"' in prompt:
        asked = prompt.count("<translation ")
        said_of = [{"segment": at, **_ERRORS} for at in range(1, asked + 1)]
        text = json.dumps({"segments": said_of[: asked - (number % 5 == 0)]})
        return replace(said(text), delay=_ANSWER_SECONDS)
    text = _RATING.format(number) if "linkage" in prompt.lower() else f"Valve {number}."
    return replace(said(text), delay=_ANSWER_SECONDS)


def jobs(url: str) -> dict[str, Job]:
    """All commands that work long, by name."""
    return {
        "run": Job(
            ("run", "openai:m", "--base-url", url, "--no-cache", "--concurrency", "4",
             "--testset", "set.jsonl", "--lang", "zh-en", "--out", "out.jsonl"),
            _test_set, ("out.jsonl",),
        ),
        "judge": Job(
            ("claims", "judge", "--base-url", url, "--model", "m", "--pairs", "pairs.jsonl",
             "--cache", "cache", "--samples", "2", "--resamples", "0", "--save", "judged.json"),
            _claim_pairs, ("judged.json",),
        ),
        "judge mqm": Job(
            ("judge", "--scheme", "mqm", "--base-url", url, "--model", "m", "--cache", "cache",
             "--testset", "set.jsonl", "--hyp", "mt.jsonl", "--lang", "zh-en", "--batch", "5",
             "--samples", "2", "--resamples", "0", "--save", "judged.json",
             "--annotations", "errors.jsonl"),
            _translations, ("judged.json", "errors.jsonl"),
        ),
        "corpus build": Job(
            ("corpus", "build", "pipeline.toml", "--out", "built"), _families, ("built",),
        ),
        "index --add": Job(
            ("retrieve", "index", "new.jsonl", "--out", "index", "--lang", "en", "--add"),
            _indexes, ("index/manifest.json",),
        ),
    }  # fmt: skip


def _patmark(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        command = [sys.executable, "-m", "patmark", *arguments]
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)


def _results(folder: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Every file that was left, without what tells the time or belongs to the work."""
    found = {}
    for name in names:
        place = folder / name
        files = [place] if place.is_file() else sorted(place.glob("*.jsonl*"))
        found |= {str(file.relative_to(folder)): file.read_bytes() for file in files}
    return found


def compare_job(name: str, job: Job, kills: int, chance: random.Random, folder: Path) -> bool:
    """Run a job whole, then again and again killed until it ends; True if all leave the same."""
    whole = _prepared(job, folder / "whole")
    start = time.monotonic()
    if _patmark(whole, *job.arguments).wait():
        raise SystemExit(f"{name} fails: {(whole / 'log').read_text()}")
    seconds = time.monotonic() - start
    expected = _results(whole, job.results)
    done, rounds, equal = 0, 0, True
    while done < kills:
        rounds += 1
        killed = _prepared(job, folder / f"killed-{rounds}")
        done += _kill_until_finished(job, killed, chance, seconds, expected)
        equal &= bool(expected) and _results(killed, job.results) == expected
    said = "equal" if equal else "DIFFERENT"
    print(f"{name}: {seconds:.1f} s whole; {done} kills in {rounds} rounds; {said}", flush=True)
    return equal


def _prepared(job: Job, folder: Path) -> Path:
    folder.mkdir()
    job.prepare(folder)
    return folder


def _kill_until_finished(
    job: Job,
    folder: Path,
    chance: random.Random,
    seconds: float,
    expected: dict[str, bytes],
) -> int:
    """Return the number of kills before the end of the job."""
    for kills in count():
        process = _patmark(folder, *job.arguments)
        try:
            ended = process.wait(chance.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            if _results(folder, job.results) == expected:
                return kills + 1  # only its last words were missing
            continue
        if ended:
            raise SystemExit(f"it does not go on: {(folder / 'log').read_text()}")
        return kills
    raise AssertionError


def campaign(kills: int, chance: random.Random, folder: Path, db: str) -> bool:
    """Kill the server of a campaign under load; True if no acknowledged answer is lost."""
    made, evaluators = begin(db, load_plan(EVALUATORS, SAVES // EVALUATORS))
    for number in range(kills + 1):
        with _server(db, folder / "log") as server:
            left = SAVES - sum(len(one.acknowledged) for one in evaluators)
            most = max(1, 2 * left // (kills - number + 1))
            judge_all(server, evaluators, chance.randint(1, most) if number < kills else None)
    sent = {save for one in evaluators for save in one.acknowledged}
    stored = stored_saves(db, made)
    lost, doubled = len(sent - set(stored)), len(stored) - len(set(stored))
    print(f"campaign: {kills} kills; {len(sent)} acknowledged, {lost} lost, {doubled} doubled")
    return len(sent) == SAVES and not lost and not doubled


@contextmanager
def _database(folder: Path, of_postgresql: bool) -> Iterator[str]:
    """Return the address of a new database."""
    if not of_postgresql:
        yield str(folder / "campaign.db")
        return
    found = postgres.programs()
    if found is None:
        raise SystemExit("there is no PostgreSQL here: initdb and pg_ctl are not found")
    with postgres.running_server(found) as server:
        yield postgres.new_database(server)


@contextmanager
def _server(db: str, log: Path) -> Iterator[Server]:
    server = Server(db, log)
    try:
        server.wait()
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()


def main() -> int:
    """Try all jobs and the campaign, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", nargs="?", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    equal = []
    hung_up = redirect_stderr(StringIO())  # the server tells of every connection that broke
    with serving(_answer) as server, tempfile.TemporaryDirectory() as folder, hung_up:
        for name, job in jobs(server.url).items():
            if asked.only in ("", name):
                place = Path(folder) / name.replace(" ", "_")
                place.mkdir()
                equal.append(compare_job(name, job, asked.kills, chance, place))
        if asked.only in ("", "campaign"):
            with _database(Path(folder), asked.postgresql) as db:
                equal.append(campaign(asked.kills, chance, Path(folder), db))
    return int(not all(equal))


if __name__ == "__main__":
    sys.exit(main())
