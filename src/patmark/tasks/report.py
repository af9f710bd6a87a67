"""What a reader of the results of a shared task must not miss, and smaller remarks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from patmark.data import RESOURCES, Estimate, FloatArray, Scores, Submission
from patmark.evaluation import (
    Comparison,
    Evaluation,
    Pair,
    comparison_findings,
    comparison_notes,
    comparison_report,
    estimate_json,
    interval_note,
    measure_column,
    resampling_json,
)
from patmark.report import (
    Cell,
    Column,
    Explorer,
    Leaderboard,
    Point,
    RankedRun,
    Report,
    Scatter,
    Table,
)
from patmark.stats import ALPHA

if TYPE_CHECKING:
    from patmark.tasks.task import Standing, TaskResult

_WARNING = "Warning:"
_BOUNDED = (
    "p of a difference that no trial reaches is a bound above it, by Hoeffding's inequality; the "
    "page of results says which."
)


def task_warnings(result: TaskResult, run: str | None = None) -> tuple[str, ...]:
    """Warnings about the task and its tests; with ``run``, only those that may concern it."""
    own = [note.text for note in result.manifest.notes if note.text.startswith(_WARNING)]
    concerned = [one for one in result.comparisons if run is None or run in one.systems]
    found = _named(concerned, comparison_findings)
    return tuple([*own, *(text for text in found if text.startswith(_WARNING))])


def task_notes(result: TaskResult) -> Iterator[str]:
    """Remarks on the comparisons, then those on the task that are no warnings."""
    yield from _named(result.comparisons, comparison_notes)
    for one in result.manifest.notes:
        if not one.text.startswith(_WARNING):
            yield one.text


def run_notes(result: TaskResult, run: str) -> tuple[str, ...]:
    """The notes on the task that concern a run, and how its p may be less than trials show."""
    notes = [note.by_run[run] for note in result.manifest.notes if run in note.by_run]
    if any(one.bounds_tail for one in result.comparisons if run in one.systems):
        notes.append(_BOUNDED)
    return tuple(notes)


def _named(
    comparisons: Sequence[Comparison], texts: Callable[[Comparison], list[str]]
) -> list[str]:
    """What is said of comparisons, once. A text on single measures that names none gets names."""
    named: dict[str, list[str]] = {}
    general: set[str] = set()
    for comparison in comparisons:
        measures = list(comparison.measures)
        for text in texts(comparison):
            named.setdefault(text, []).extend(measures)
            if len(measures) > 1 or measures[0] in text:
                general.add(text)
    return [_with_names(text, [] if text in general else names) for text, names in named.items()]


def _with_names(text: str, names: Sequence[str]) -> str:
    if not names:
        return text
    if text.startswith(_WARNING):
        return f"{_WARNING} {', '.join(names)}: {text.removeprefix(_WARNING).strip()}"
    return f"{', '.join(names)}: {text}"


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


def task_leaderboard(result: TaskResult, links: Mapping[str, str]) -> Leaderboard:
    """All runs, best first, with the letters of the tests."""
    standings = result.all_standings
    runs = tuple(
        RankedRun(
            one.id, one.group, one.run.priority, one.run.kind, one.resources,
            one.description, tuple(standing.estimates.get(one.id) for standing in standings),
            tuple(standing.mark(one.id) for standing in standings), links.get(one.id, ""),
        )
        for one in result.ranking
    )  # fmt: skip
    return Leaderboard(
        result.manifest.name, result.evaluation.subtitle, tuple(score_columns(result)), runs,
        {standing.measure: standing.signature for standing in standings}, RESOURCES,
        (f"Intervals: {interval_text(result)}.", *task_notes(result)),
        " ".join(_letters_notes(result)), task_warnings(result),
    )  # fmt: skip


def _letters_notes(result: TaskResult) -> Iterator[str]:
    """What stands beside the scores, and where nothing does."""
    compared = [one for one in result.all_standings if one.pairs]
    ranked = [one.title for one in compared if one.shows_ranks]
    if any(one.letters and not one.shows_ranks for one in compared):
        corrected = any(comparison.corrected for comparison in result.comparisons)
        yield (
            f"Runs that share a letter of a column cannot be told apart at {ALPHA:.0%}"
            f"{', after correction by Holm' if corrected else ''}."
        )
    if ranked:
        yield (
            f"{', '.join(ranked)}: the best and the worst rank that the tests allow, since "
            "letters would be too many."
        )
    silent = [one.title for one in compared if not one.testable]
    if silent:
        yield f"{', '.join(silent)}: no letters, since no difference could be significant."
