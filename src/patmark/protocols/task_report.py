"""The results of a shared task to read: tables and charts of all runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from patmark.data import Cell, Column, Explorer, Point, Report, Scatter, Table
from patmark.data.submissions import RESOURCES
from patmark.protocols.comparison_report import comparison_report
from patmark.protocols.evaluation import interval_note, measure_column
from patmark.protocols.task_run_report import task_explorer
from patmark.protocols.task_warnings import task_notes, task_warnings

if TYPE_CHECKING:
    from patmark.protocols.task import TaskResult

MOST_OUTPUTS = 20_000
_PAIRWISE_NOTE = (
    "In each segment a run gets 1 for each run with a lower score and 0.5 for an equal one, "
    "divided by the number of comparisons: 0.5 is an average run of this task."
)
_CHART_NOTE = "What such a chart shows depends on which types of systems take part."


def task_report(result: TaskResult) -> Report:
    """The results table first, then the comparison by automatic and by human measures."""
    title, subtitle = result.manifest.name, result.evaluation.subtitle
    compared = [comparison_report(one, title, subtitle) for one in result.comparisons]
    findings = (text for report in compared for text in report.findings)
    return Report(
        title, subtitle, (),
        (
            results_table(result),
            *([_pairwise_table(result)] if result.pairwise else []),
            # the first table of a comparison holds the scores, which the results hold already
            *(table for report in compared for table in report.tables[1:]),
        ),
        {
            **{f"test of {', '.join(one.measures)}": report.signatures["test"]
               for one, report in zip(result.comparisons, compared, strict=True)},
            **{standing.measure: standing.signature for standing in result.all_standings},
        },
        (*task_notes(result), *_explorer_notes(result)),
        _explorer(result),
        (*_charts(result), *(chart for report in compared for chart in report.charts)),
        tuple(dict.fromkeys([
            *task_warnings(result), *(one for one in findings if not one.startswith("Warning:")),
        ])),
    )  # fmt: skip


def results_table(result: TaskResult) -> Table:
    """All runs with what they used and what they reached, as in the appendix of NTCIR-9."""
    columns = (
        Column("run"), Column("group"), Column("type"), *map(Column, RESOURCES),
        *score_columns(result),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.id, one.group, one.run.kind, *(one.uses(letter) for letter in RESOURCES),
            *(standing.estimates.get(one.id) for standing in result.all_standings),
        )
        for one in result.ranking
    )  # fmt: skip
    meanings = "; ".join(f"{letter} {meaning}" for letter, meaning in RESOURCES.items())
    note = f"Best first by {result.standings[0].title}; {meanings}; {interval_text(result)}."
    return Table("Results of all runs", columns, rows, note)


def interval_text(result: TaskResult) -> str:
    """How the intervals were made; human measures may rest on other units."""
    note = interval_note(result.evaluation.settings, result.evaluation.units)
    return "; ".join([note, *(f"{one.measure} by {one.units}" for one in result.human_standings)])


def score_columns(result: TaskResult) -> Iterator[Column]:
    """A column for each measure, automatic ones first."""
    for measure, standing in zip(result.evaluation.measures, result.standings, strict=True):
        yield replace(measure_column(measure), title=standing.title)
    for human in result.human_standings:
        yield Column(human.title, human.decimals, higher_is_better=human.higher_is_better)


def _pairwise_table(result: TaskResult) -> Table:
    titles = {standing.measure: standing.title for standing in result.all_standings}
    columns = (Column("run"), *(Column(titles[name], 3, (0.0, 1.0)) for name in result.pairwise))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.id, *(of_runs.get(one.id) for of_runs in result.pairwise.values()))
        for one in result.ranking
    )
    return Table("Pairwise scores", columns, rows, _PAIRWISE_NOTE)


def _outputs(result: TaskResult) -> int:
    return len(result.manifest.submissions) * len(result.manifest.test_set)


def _explorer(result: TaskResult) -> Explorer | None:
    """All segments of all runs, unless they would make a page that no browser likes."""
    return task_explorer(result) if _outputs(result) <= MOST_OUTPUTS else None


def _explorer_notes(result: TaskResult) -> list[str]:
    if _outputs(result) <= MOST_OUTPUTS:
        return []
    return [
        f"The segments of all runs side by side are left out: {_outputs(result):,} outputs are "
        f"more than {MOST_OUTPUTS:,}. The report of each run holds its segments."
    ]


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
            title = f"{automatic.title} and {human.title}"
            yield Scatter(title, automatic.title, human.title, points, _CHART_NOTE)
