"""The results of a shared task for programs: JSON and CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from patmark.data import Estimate
from patmark.data.submissions import RESOURCES, Submission
from patmark.protocols.evaluation import estimate_json, resampling_json
from patmark.protocols.task_warnings import task_warnings

if TYPE_CHECKING:
    from patmark.protocols.task import TaskResult


def task_json(result: TaskResult) -> dict[str, Any]:
    """Everything about every run, best first, and the tests of all pairs."""
    evaluation, test_set = result.evaluation, result.manifest.test_set
    standings = result.all_standings
    return {
        "name": result.manifest.name,
        "protocol": result.manifest.protocol,
        "languages": {"source": test_set.source_language, "target": test_set.target_language},
        "segments": len(test_set),
        "runs": [_run_json(result, one) for one in result.ranking],
        "human_measures": [standing.measure for standing in result.human_standings],
        "signatures": {standing.measure: standing.signature for standing in standings},
        "higher_is_better": {one.measure: one.higher_is_better for one in standings},
        "comparison": result.comparison.to_json() if result.comparison else None,
        "human_comparisons": [one.to_json() for one in result.human_comparisons],
        "resampling": resampling_json(evaluation.settings, evaluation.units),
        "warnings": list(task_warnings(result)),
        "notes": list(map(str, result.manifest.notes)),
    }


def _run_json(result: TaskResult, one: Submission) -> dict[str, Any]:
    standings = result.all_standings
    return {
        "id": one.id, "group": one.group, "priority": one.run.priority, "type": one.run.kind,
        "resources": None if one.resources is None else list(one.resources),
        "description": one.description, "file": one.file,
        "missing": one.run.missing, "empty": one.run.empty,
        "scores": {
            standing.measure: estimate_json(standing.estimates[one.id])
            for standing in standings
            if one.id in standing.estimates
        },
        "letters": {
            standing.measure: list(standing.letters[one.id])
            for standing in standings
            if one.id in standing.letters
        },
        "rank_ranges": {
            standing.measure: list(standing.rank_ranges[one.id])
            for standing in standings
            if one.id in standing.rank_ranges
        },
        "pairwise": {
            measure: estimate_json(of_runs[one.id])
            for measure, of_runs in result.pairwise.items()
            if one.id in of_runs
        },
    }  # fmt: skip


def results_csv(result: TaskResult) -> str:
    """One line per run: description, then value, interval and letters of each measure."""
    standings = result.all_standings
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    about = ("run", "group", "priority", "type", *RESOURCES, "description")
    parts = ("", " low", " high", " letters")
    writer.writerow([*about, *(f"{one.measure}{part}" for one in standings for part in parts)])
    for one in result.ranking:
        row: list[object] = [one.id, one.group, one.run.priority, one.run.kind or ""]
        row += [one.uses(letter) or "" for letter in RESOURCES]
        row.append(one.description)
        for standing in standings:
            row += _csv_cells(standing.estimates.get(one.id), standing.letters_text(one.id))
        writer.writerow(row)
    return out.getvalue()


def _csv_cells(estimate: Estimate | None, letters: str) -> list[str]:
    if estimate is None:
        return ["", "", "", ""]
    low, high = map(repr, map(float, estimate.ci)) if estimate.ci else ("", "")
    return [repr(float(estimate.value)), low, high, letters]
