"""The report of one run of a shared task: what it is, how it stands, its segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from patmark.data import Cell, Column, Estimate, Explorer, FloatArray, Report, Scores, Table
from patmark.data.submissions import RESOURCES, Submission
from patmark.protocols.comparison import Pair
from patmark.protocols.evaluation import Evaluation
from patmark.protocols.task_warnings import run_notes, task_warnings

if TYPE_CHECKING:
    from patmark.protocols.task import TaskResult
    from patmark.protocols.task_standings import Standing


def run_report(result: TaskResult, run: str) -> Report:
    """One run: what it is, its scores, its differences from the others, all its segments."""
    one = next(one for one in result.manifest.submissions if one.id == run)
    differences = [
        _difference_table(standing, run)
        for standing in result.all_standings
        if any(run in (pair.first, pair.second) for pair in standing.pairs)
    ]
    judged = [one for one in result.human_standings if run in one.estimates]
    return Report(
        f"{run} · {result.manifest.name}", result.evaluation.subtitle, (),
        (_about_table(result, one), *(_own(table, result, run) for table in result.score_tables),
         *_human_tables(judged, run), *differences),
        {one.measure: one.signature for one in (*result.standings, *judged)},
        run_notes(result, run), task_explorer(result, run),
        findings=task_warnings(result, run),
    )  # fmt: skip


def _own(table: Table, result: TaskResult, run: str) -> Table:
    """The row of the run in a table of scores, with the column heads of the task."""
    titles = {standing.measure: standing.title for standing in result.standings}
    columns = (replace(one, title=titles.get(one.title, one.title)) for one in table.columns)
    rows = tuple(row for row in table.rows if row[0] == run)
    return replace(table, columns=tuple(columns), rows=rows)


def _human_tables(judged: Sequence[Standing], run: str) -> list[Table]:
    """The human scores of the run in one table; none where nobody judged it."""
    if not judged:
        return []
    columns = (Column("system"), *(Column(one.title, one.decimals) for one in judged))
    note = "; ".join(f"{one.measure}: intervals by {one.units}" for one in judged)
    return [Table("Human scores", columns, ((run, *(one.estimates[run] for one in judged)),), note)]


def _about_table(result: TaskResult, one: Submission) -> Table:
    places = [other.id for other in result.ranking]
    rows: list[tuple[Cell, ...]] = [
        ("group", one.group), ("priority", str(one.run.priority)), ("type", one.run.kind),
        ("resources", _used(one)), ("description", one.description or None),
        (f"place by {result.standings[0].title}", f"{places.index(one.id) + 1} of {len(places)}"),
    ]  # fmt: skip
    return Table("The run", (Column("run"), Column(one.id)), tuple(rows))


def _used(one: Submission) -> str | None:
    """The resources in words; None where nothing is said of them."""
    if one.resources is None:
        return None
    named = (
        f"{meaning} (perhaps)" if one.uses(letter) == "?" else meaning
        for letter, meaning in RESOURCES.items()
        if one.uses(letter) != "no"
    )
    return ", ".join(named) or "none"


def _difference_table(standing: Standing, run: str) -> Table:
    """Every other run, with the difference seen from this one."""
    rows: list[tuple[Cell, ...]] = []
    for pair in standing.pairs:
        if run not in (pair.first, pair.second):
            continue
        sign = 1 if pair.first == run else -1
        low, high = sorted(sign * bound for bound in pair.ci)
        other = pair.second if pair.first == run else pair.first
        difference = Estimate(sign * pair.delta, (low, high))
        rows.append((other, difference, pair.p_holm, _verdict(standing, pair)))
    columns = (
        Column("other run"), Column("difference", standing.decimals),
        Column("p corrected", 4, p_value=True), Column("significant"),
    )  # fmt: skip
    return Table(f"Differences by {standing.title}", columns, tuple(rows))


def _verdict(standing: Standing, pair: Pair) -> str | None:
    if np.isnan(pair.p_holm):
        return None
    if not standing.testable:
        return "not testable"
    return "yes" if pair.significant else "no"


def _only(evaluation: Evaluation, position: int) -> Evaluation:
    """The same evaluation with one run."""
    return replace(
        evaluation,
        runs=evaluation.runs[position : position + 1],
        scores={
            name: replace(
                scores, systems=scores.systems[position : position + 1],
                statistics=scores.statistics[position : position + 1],
            )
            for name, scores in evaluation.scores.items()
        },
        evidence={
            name: found[position : position + 1] for name, found in evaluation.evidence.items()
        },
    )  # fmt: skip


def task_explorer(result: TaskResult, run: str | None = None) -> Explorer:
    """The segments of all runs or of one, with human scores beside the automatic ones."""
    evaluation = result.evaluation
    if run is not None:
        evaluation = _only(evaluation, evaluation.systems.index(run))
    explorer = evaluation.explorer()
    ids = [segment.id for segment in result.manifest.test_set]
    human = {
        name: _placed(scores, evaluation.systems, ids) for name, scores in result.human.items()
    }
    better = {name: scores.higher_is_better for name, scores in result.human.items()}
    return replace(
        explorer, values={**explorer.values, **human},
        higher_is_better={**explorer.higher_is_better, **better},
    )  # fmt: skip


def _placed(scores: Scores, systems: Sequence[str], segments: Sequence[str]) -> FloatArray:
    """Segment scores in the order of the task, NaN where nothing was judged."""
    placed = np.full((len(systems), len(segments)), np.nan)
    column = {segment: place for place, segment in enumerate(segments)}
    columns = [column[segment] for segment in scores.segments]
    values = scores.segment_scores
    for row, system in enumerate(systems):
        if system in scores.systems:
            placed[row, columns] = values[scores.systems.index(system)]
    return placed
