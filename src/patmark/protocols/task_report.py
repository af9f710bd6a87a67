"""The results of a shared task: tables, charts, leaderboard, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from patmark.data import (
    Cell,
    Column,
    Estimate,
    Leaderboard,
    Point,
    RankedRun,
    Report,
    Scatter,
    Table,
)
from patmark.data.submissions import RESOURCES, Submission
from patmark.protocols.comparison import Comparison
from patmark.protocols.comparison_notes import comparison_notes
from patmark.protocols.comparison_report import comparison_report
from patmark.protocols.evaluation import (
    estimate_json,
    interval_note,
    measure_column,
    resampling_json,
)
from patmark.protocols.task_run_report import task_explorer

if TYPE_CHECKING:
    from patmark.protocols.task import TaskResult

_LETTERS_NOTE = (
    "Runs that share a letter of a column cannot be told apart at 5 %, after correction by Holm."
)
_TWO_RUNS_NOTE = "Runs that share a letter of a column cannot be told apart at 5 %."
_PAIRWISE_NOTE = (
    "In each segment a run gets 1 for each run with a lower score and 0.5 for an equal one, "
    "divided by the number of comparisons: 0.5 is an average run of this task."
)
_CHART_NOTE = "What such a chart shows depends on which types of systems take part."


def task_json(result: TaskResult) -> dict[str, Any]:
    """Everything about every run, best first, and the tests of all pairs."""
    evaluation, test_set = result.evaluation, result.manifest.test_set
    standings = (*result.standings, *result.human_standings)
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
        "notes": list(result.manifest.notes),
    }


def _run_json(result: TaskResult, one: Submission) -> dict[str, Any]:
    standings = (*result.standings, *result.human_standings)
    return {
        "id": one.id, "group": one.group, "priority": one.run.priority, "type": one.run.kind,
        "resources": list(one.run.resources), "description": one.description, "file": one.file,
        "missing": one.run.missing, "empty": one.run.empty,
        "scores": {
            standing.measure: estimate_json(standing.estimates[one.id])
            for standing in standings
            if one.id in standing.estimates
        },
        "letters": {
            standing.measure: standing.letters[one.id]
            for standing in standings
            if one.id in standing.letters
        },
        "pairwise": {
            measure: estimate_json(of_runs[one.id])
            for measure, of_runs in result.pairwise.items()
            if one.id in of_runs
        },
    }  # fmt: skip


def results_csv(result: TaskResult) -> str:
    """One line per run: description, then value, interval and letters of each measure."""
    standings = (*result.standings, *result.human_standings)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    about = ("run", "group", "priority", "type", *RESOURCES, "description")
    parts = ("", " low", " high", " letters")
    writer.writerow([*about, *(f"{one.measure}{part}" for one in standings for part in parts)])
    for one in result.ranking:
        row: list[object] = [one.id, one.group, one.run.priority, one.run.kind or ""]
        row += [one.uses(letter) for letter in RESOURCES]
        row.append(one.description)
        for standing in standings:
            row += _csv_cells(standing.estimates.get(one.id), standing.letters.get(one.id, ""))
        writer.writerow(row)
    return out.getvalue()


def _csv_cells(estimate: Estimate | None, letters: str) -> list[str]:
    if estimate is None:
        return ["", "", "", ""]
    low, high = map(repr, map(float, estimate.ci)) if estimate.ci else ("", "")
    return [repr(float(estimate.value)), low, high, letters]


def task_report(result: TaskResult) -> Report:
    """The results table first, then the comparison by automatic and by human measures."""
    title, subtitle = result.manifest.name, result.evaluation.subtitle
    comparisons = _comparisons(result)
    compared = [comparison_report(one, title, subtitle) for one in comparisons]
    both = list(zip(comparisons, compared, strict=True))
    notes = [note for one, report in both for note in _named(one, report.notes)]
    standings = (*result.standings, *result.human_standings)
    return Report(
        title, subtitle, (),
        (
            results_table(result),
            *(table for report in compared for table in _titled(report, result)),
            *([_pairwise_table(result)] if result.pairwise else []),
        ),
        {
            **{f"test of {', '.join(one.measures)}": report.signatures["test"]
               for one, report in both},
            **{standing.measure: standing.signature for standing in standings},
        },
        (*notes, *result.manifest.notes),
        task_explorer(result),
        (*_charts(result), *(chart for report in compared for chart in report.charts)),
        tuple(dict.fromkeys(text for report in compared for text in report.findings)),
    )  # fmt: skip


def _comparisons(result: TaskResult) -> list[Comparison]:
    automatic = [result.comparison] if result.comparison is not None else []
    return [*automatic, *result.human_comparisons]


def _named(comparison: Comparison, notes: Sequence[str]) -> Iterator[str]:
    """Notes of a comparison; one on a single measure that does not name it is given its name."""
    names = list(comparison.measures)
    for note in notes:
        yield note if len(names) > 1 or names[0] in note else f"{names[0]}: {note}"


def _titled(report: Report, result: TaskResult) -> Iterator[Table]:
    """The tables of a comparison; the scores by a human measure say so in their title."""
    human = {standing.measure for standing in result.human_standings}
    for table in report.tables:
        named = [column.title for column in table.columns if column.title in human]
        fits = named and table.title == report.tables[0].title
        yield replace(table, title=f"{table.title} by {named[0]}") if fits else table


def results_table(result: TaskResult) -> Table:
    """All runs with what they used and what they reached, as in the appendix of NTCIR-9."""
    standings = (*result.standings, *result.human_standings)
    columns = (
        Column("run"), Column("group"), Column("type"), *map(Column, RESOURCES),
        *_columns(result),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.id, one.group, one.run.kind, *(one.uses(letter) for letter in RESOURCES),
            *(standing.estimates.get(one.id) for standing in standings),
        )
        for one in result.ranking
    )  # fmt: skip
    meanings = "; ".join(f"{letter} {meaning}" for letter, meaning in RESOURCES.items())
    note = f"Best first by {result.standings[0].measure}; {meanings}; {_intervals(result)}."
    return Table("Results of all runs", columns, rows, note)


def _intervals(result: TaskResult) -> str:
    """How the intervals were made; human measures may rest on other units."""
    note = interval_note(result.evaluation.settings, result.evaluation.units)
    return "; ".join([note, *(f"{one.measure} by {one.units}" for one in result.human_standings)])


def _columns(result: TaskResult) -> Iterator[Column]:
    yield from map(measure_column, result.evaluation.measures)
    for standing in result.human_standings:
        values = [estimate.value for estimate in standing.estimates.values()]
        decimals = 4 if all(abs(value) <= 1 for value in values if not np.isnan(value)) else 2
        yield Column(standing.measure, decimals, higher_is_better=standing.higher_is_better)


def _pairwise_table(result: TaskResult) -> Table:
    columns = (Column("run"), *(Column(name, 3, (0.0, 1.0)) for name in result.pairwise))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.id, *(of_runs.get(one.id) for of_runs in result.pairwise.values()))
        for one in result.ranking
    )
    return Table("Pairwise scores", columns, rows, _PAIRWISE_NOTE)


def _charts(result: TaskResult) -> Iterator[Scatter]:
    """Each automatic measure against each human one, over the runs that were judged."""
    kinds = {one.id: one.run.kind or "" for one in result.manifest.submissions}
    for human in result.human_standings:
        for automatic in result.standings:
            points = tuple(
                Point(automatic.estimates[run].value, estimate.value, run, kinds[run])
                for run, estimate in human.estimates.items()
                if not np.isnan(estimate.value) and not np.isnan(automatic.estimates[run].value)
            )
            title = f"{automatic.measure} and {human.measure}"
            yield Scatter(title, automatic.measure, human.measure, points, _CHART_NOTE)


def task_leaderboard(result: TaskResult, links: Mapping[str, str]) -> Leaderboard:
    """All runs, best first, with the letters of the tests."""
    standings = (*result.standings, *result.human_standings)
    runs = tuple(
        RankedRun(
            one.id, one.group, one.run.priority, one.run.kind, one.run.resources,
            one.description, tuple(standing.estimates.get(one.id) for standing in standings),
            tuple(standing.letters.get(one.id, "") for standing in standings),
            links.get(one.id, ""),
        )
        for one in result.ranking
    )  # fmt: skip
    return Leaderboard(
        result.manifest.name, result.evaluation.subtitle, tuple(_columns(result)), runs,
        {standing.measure: standing.signature for standing in standings}, _resource_names(runs),
        (*_leaderboard_notes(result), *result.manifest.notes),
    )  # fmt: skip


def _resource_names(runs: Sequence[RankedRun]) -> dict[str, str]:
    """What the letters mean, those with a question mark too where they occur."""
    used = {flag for run in runs for flag in run.resources}
    unsure = {f"{letter}?": f"perhaps {meaning}" for letter, meaning in RESOURCES.items()}
    return RESOURCES | {flag: meaning for flag, meaning in unsure.items() if flag in used}


def _leaderboard_notes(result: TaskResult) -> Iterator[str]:
    yield f"Intervals: {_intervals(result)}."
    if result.comparison is not None:
        yield _LETTERS_NOTE if result.comparison.corrected else _TWO_RUNS_NOTE
    for comparison in _comparisons(result):
        yield from _named(comparison, comparison_notes(comparison))
