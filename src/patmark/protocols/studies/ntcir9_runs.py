"""All runs of NTCIR-9 (Tables 21–23): best run of each group, and agreement of metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from patmark.evaluation import Sampling
from patmark.protocols.studies.ntcir9_human import ADEQUACY, DIRECTIONS, METRICS, SCORES, Tables
from patmark.protocols.studies.reproduction import Row, Value, correlated, published_rows
from patmark.report import Column, Table
from patmark.wording import tr

RUN_TABLES = {"CE": 21, "JE": 22, "EJ": 23}
ALL_RUNS = tr("all runs")
_COLUMNS = {ADEQUACY: SCORES[ADEQUACY], **{metric: metric.lower() for metric in METRICS}}


def all_runs() -> dict[str, list[Row]]:
    """Return every printed run by subtask, named by group and priority.

    A name that is printed twice gets a number: Table 23 has BJTUX-1 twice.
    """
    tables = {}
    for subtask in DIRECTIONS:
        seen: Counter[str] = Counter()
        rows = []
        for row in published_rows(f"ntcir9/all_runs_{subtask}.csv"):
            name = f"{row['group']}-{row['priority']}"
            seen[name] += 1
            rows.append({**row, "system": name if seen[name] == 1 else f"{name} ({seen[name]})"})
        tables[subtask] = rows
    return tables


def priorities(runs: Tables, adequacy: Tables) -> list[Row]:
    """Return groups with several runs, and their best run by each score.

    The run of priority 1 comes first. A score is None if fewer than two runs have it, or if one
    lacks an illegible metric.
    """
    found = []
    for subtask, rows in runs.items():
        judged = {row["system"]: row[SCORES[ADEQUACY]] for row in adequacy[subtask]}
        groups: dict[str, list[Row]] = {}
        for row in sorted(rows, key=lambda row: row["priority"]):
            scored = {**row, SCORES[ADEQUACY]: judged.get(row["system"])}
            groups.setdefault(row["group"], []).append(scored)
        for group, own in sorted(groups.items()):
            if len(own) > 1:
                best = {score: _best(own, score, column) for score, column in _COLUMNS.items()}
                named = tuple(run["system"] for run in own)
                found.append({"subtask": subtask, "group": group, "runs": named, "best": best})
    return found


def _best(runs: Sequence[Row], score: str, column: str) -> str | None:
    """Return the run with the highest score; of several, the one of higher priority."""
    known = [run for run in runs if run[column] is not None]
    if len(known) < 2 or (score != ADEQUACY and len(known) < len(runs)):
        return None
    best: str = max(known, key=lambda run: run[column])["system"]
    return best


def priorities_table(found: Sequence[Row]) -> Table:
    """Return the number of runs and the best run by each score for each group."""
    columns = (
        Column(tr("subtask")),
        Column(tr("group")),
        Column(tr("runs"), 0),
        *(Column(tr("best {score}", score=score)) for score in _COLUMNS),
    )
    rows = tuple(
        (one["subtask"], one["group"], len(one["runs"]), *one["best"].values()) for one in found
    )
    counts = tuple(
        tr("{score} {good} of {n}", score=score, good=good, n=n)
        for score, (good, n) in first_is_best(found).items()
    )
    return Table(
        tr("Is priority 1 the best run of a group?"),
        columns,
        rows,
        tr(
            "Groups whose run of priority 1 is the best: {counts}. No value: fewer than two runs "
            "were judged, or a NIST is not legible.",
            counts=counts,
        ),
    )


def first_is_best(found: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return the number of groups with their best run at priority 1, and of all, by score."""
    counts = {}
    for score in _COLUMNS:
        known = [one for one in found if one["best"][score] is not None]
        good = sum(one["best"][score] == one["runs"][0] for one in known)
        counts[score] = (good, len(known))
    return counts


def metric_agreement(runs: Tables, sampling: Sampling) -> list[Value]:
    """Return the agreement of each two metrics over all runs that have both."""
    values = []
    for subtask, rows in runs.items():
        for first, second in combinations(METRICS, 2):
            scores: list[Mapping[str, float]] = [
                row for row in rows if None not in (row[first.lower()], row[second.lower()])
            ]
            found, _ = correlated(
                Value(subtask, second, against=first, systems=ALL_RUNS),
                [row[first.lower()] for row in scores],
                [row[second.lower()] for row in scores],
                sampling,
            )
            values += found
    return values
