"""The results of a shared task: reports of all runs and of each, leaderboard, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from patmark.data import (
    RESOURCES,
    Estimate,
    FloatArray,
    Message,
    Notice,
    Scores,
    Submission,
    TaskManifest,
    csv_text,
    is_warning,
    write_atomically,
)
from patmark.errors import InputError
from patmark.evaluation import (
    CompareSettings,
    Comparison,
    Evaluation,
    TextEvaluation,
    comparison_findings,
    comparison_json,
    comparison_notes,
    comparison_report,
    interval_note,
    pair_p,
    resampling_json,
    score_column,
    verdict_text,
)
from patmark.human.tasks.standings import (
    MeasureStanding,
    documents_by_segment,
    documents_of,
    run_estimates,
)
from patmark.protocols import pairwise_scores
from patmark.report import (
    Cell,
    Column,
    Explorer,
    Leaderboard,
    Link,
    Point,
    RankedRun,
    Report,
    Result,
    Scatter,
    Table,
    clauses,
    in_language,
    leaderboard_html,
    message_text,
    message_texts,
    sentences,
    to_html,
    to_json_text,
)
from patmark.stats import ALPHA, Units
from patmark.wording import DEFAULT_LANGUAGE, percent, tr

_BOUNDED = tr(
    "p of a difference that no trial reaches is a bound (p <); the page of results says how it is "
    "found."
)
MOST_OUTPUTS = 20_000
_PAIRWISE_NOTE = tr(
    "In each segment a run gets 1 for each run with a lower score and 0.5 for an equal one, "
    "divided by the number of comparisons: 0.5 is an average run of this task."
)
_CHART_NOTE = tr("What such a chart shows depends on which types of systems take part.")


@dataclass(frozen=True, eq=False)
class TaskResult(Result):
    """All runs of a task under all measures. ``comparison`` is None for a single run.

    ``human_pairwise`` are the pairwise scores of human measures that need more than segment scores.
    """

    manifest: TaskManifest
    evaluation: TextEvaluation
    comparison: Comparison | None
    standings: tuple[MeasureStanding, ...]
    settings: CompareSettings
    human: Mapping[str, Scores] = field(default_factory=dict)
    human_standings: tuple[MeasureStanding, ...] = ()
    human_comparisons: tuple[Comparison, ...] = ()
    human_pairwise: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def scored(self) -> Evaluation:
        """Automatic scores of the task."""
        return self.evaluation

    @property
    def ranking(self) -> tuple[Submission, ...]:
        """The submissions, best first by the first automatic measure."""
        if self.comparison is None:
            return self.manifest.submissions
        order = self.comparison.measures[self.standings[0].measure].ranking
        by_id = {one.id: one for one in self.manifest.submissions}
        return tuple(by_id[run] for run in order)

    @property
    def all_standings(self) -> tuple[MeasureStanding, ...]:
        """Standings by automatic measures, then by human ones."""
        return (*self.standings, *self.human_standings)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Comparisons by automatic measures, if there are several runs, then by human ones."""
        return (*([self.comparison] if self.comparison else []), *self.human_comparisons)

    @cached_property
    def pairwise(self) -> dict[str, dict[str, Estimate]]:
        """Measure → run → pairwise score: automatic and human scores on one axis, 0 to 1.

        Human pairwise scores stay unchanged.
        """
        documents = documents_by_segment(self.manifest.test_set)
        found = {name: pairwise_scores(scores) for name, scores in self.evaluation.scores.items()}
        found |= {name: pairwise_scores(scores) for name, scores in self.human.items()}
        found |= self.human_pairwise
        sampling = self.settings.sampling
        return {
            name: run_estimates(
                scores,
                Units.choose(documents_of(scores, documents), sampling.by, scores.segments),
                sampling,
            )
            for name, scores in found.items()
            if len(scores.systems) > 1
        }

    @cached_property
    def score_tables(self) -> tuple[Table, ...]:
        """The automatic scores of all runs; the page of a run shows its own."""
        return self.evaluation.to_report().tables

    def to_json(self) -> dict[str, Any]:
        """Return everything about every run, best first, and the tests of all pairs."""
        evaluation, test_set = self.evaluation, self.manifest.test_set
        standings = self.all_standings
        return {
            "name": self.manifest.name,
            "protocol": self.manifest.protocol,
            "languages": {"source": test_set.source_language, "target": test_set.target_language},
            "segments": len(test_set),
            "runs": [self._run_json(one) for one in self.ranking],
            "human_measures": [standing.measure for standing in self.human_standings],
            "signatures": {standing.measure: standing.signature for standing in standings},
            "higher_is_better": {one.measure: one.higher_is_better for one in standings},
            "comparison": comparison_json(self.comparison) if self.comparison else None,
            "human_comparisons": [comparison_json(one) for one in self.human_comparisons],
            "resampling": resampling_json(evaluation.sampling, evaluation.units),
            "warnings": message_texts(_warnings(self)),
            "notes": message_texts(note.text for note in self.manifest.notes),
        }

    def _run_json(self, one: Submission) -> dict[str, Any]:
        def by_measure(name: str) -> dict[str, Any]:
            found = ((each.measure, getattr(each, name)) for each in self.all_standings)
            return {measure: of_runs[one.id] for measure, of_runs in found if one.id in of_runs}

        return {
            "id": one.id,
            "group": one.group,
            "priority": one.run.priority,
            "type": one.run.kind,
            "resources": one.resources,
            "description": one.description,
            "file": one.file,
            "missing": one.run.missing,
            "empty": one.run.empty,
            "scores": by_measure("estimates"),
            "letters": by_measure("letters"),
            "rank_ranges": by_measure("rank_ranges"),
            "pairwise": {
                measure: of_runs[one.id]
                for measure, of_runs in self.pairwise.items()
                if one.id in of_runs
            },
        }

    def to_report(self) -> Report:
        """Report the results, then the comparisons by automatic and by human measures."""
        title, subtitle = self.manifest.name, self.evaluation.subtitle
        compared = [comparison_report(one, title, subtitle) for one in self.comparisons]
        found = [text for report in compared for text in report.findings if not is_warning(text)]
        outputs = len(self.manifest.submissions) * len(self.manifest.test_set)
        too_many = tr(
            "The segments of all runs side by side are left out: {outputs:,} outputs are "
            "more than {most_outputs:,}. The report of each run holds its segments.",
            outputs=outputs,
            most_outputs=MOST_OUTPUTS,
        )
        return Report(
            title=title,
            subtitle=subtitle,
            headlines=(),
            tables=(
                _results_table(self),
                *([_pairwise_table(self)] if self.pairwise else []),
                # the first table of a comparison repeats the scores
                *(table for report in compared for table in report.tables[1:]),
            ),
            signatures={
                **{
                    f"test of {', '.join(one.measures)}": report.signatures["test"]
                    for one, report in zip(self.comparisons, compared, strict=True)
                },
                **{standing.measure: standing.signature for standing in self.all_standings},
            },
            notes=(*_task_notes(self), *([too_many] if outputs > MOST_OUTPUTS else [])),
            explorer=_task_explorer(self) if outputs <= MOST_OUTPUTS else None,
            charts=(*_charts(self), *(chart for report in compared for chart in report.charts)),
            findings=tuple(dict.fromkeys([*_warnings(self), *found])),
        )

    def run_report(self, run: str) -> Report:
        """Report one run: description, scores, differences from the others, all segments."""
        one = next(one for one in self.manifest.submissions if one.id == run)
        differences = [
            _difference_table(standing, run)
            for standing in self.all_standings
            if any(run in (pair.first, pair.second) for pair in standing.pairs)
        ]
        judged = [one for one in self.human_standings if run in one.estimates]
        return Report(
            title=f"{run} · {self.manifest.name}",
            subtitle=self.evaluation.subtitle,
            headlines=(),
            tables=(
                _about_table(self, one),
                *(_own(table, self, run) for table in self.score_tables),
                *_human_tables(judged, run),
                *differences,
            ),
            signatures={one.measure: one.signature for one in (*self.standings, *judged)},
            notes=_run_notes(self, run),
            explorer=_task_explorer(self, run),
            findings=_warnings(self, run),
        )

    def to_leaderboard(self, links: Mapping[str, str] | None = None) -> Leaderboard:
        """Return all runs, best first, with letters of the tests; ``links`` are reports of runs."""
        standings = self.all_standings
        runs = tuple(
            RankedRun(
                one.id,
                one.group,
                one.run.priority,
                one.run.kind,
                one.resources,
                one.description,
                tuple(standing.estimates.get(one.id) for standing in standings),
                tuple(standing.mark(one.id) for standing in standings),
                (links or {}).get(one.id, ""),
            )
            for one in self.ranking
        )
        return Leaderboard(
            self.manifest.name,
            self.evaluation.subtitle,
            tuple(_score_columns(self)),
            runs,
            {standing.measure: standing.signature for standing in standings},
            RESOURCES,
            (
                tr("Intervals: {how}.", how=_interval_text(self)),
                *_task_notes(self),
            ),
            sentences(*_letters_notes(self)),
            _warnings(self),
        )

    def to_csv(self) -> str:
        """Return a line per run: description, then value, interval and letters of measures."""
        standings = self.all_standings
        about = ("run", "group", "priority", "type", *RESOURCES, "description")
        parts = ("", " low", " high", " letters")
        header = [*about, *(f"{one.measure}{part}" for one in standings for part in parts)]
        rows = []
        for one in self.ranking:
            row: list[object] = [one.id, one.group, one.run.priority, one.run.kind or ""]
            row += [one.uses(letter) or "" for letter in RESOURCES]
            row.append(one.description)
            for standing in standings:
                found, letters = standing.estimates.get(one.id), standing.letters_text(one.id)
                ends = map(repr, map(float, found.ci)) if found and found.ci else ("", "")
                row += [repr(float(found.value)), *ends, letters] if found else [""] * 4
            rows.append(row)
        return csv_text(header, rows)


def _warnings(result: TaskResult, run: str | None = None) -> tuple[Notice, ...]:
    """Return warnings about the task and its tests; with ``run``, those that may concern it."""
    own = [note.text for note in result.manifest.notes if is_warning(note.text)]
    concerned = [one for one in result.comparisons if run is None or run in one.systems]
    found = _named(concerned, comparison_findings)
    return (*own, *filter(is_warning, found))


def _task_notes(result: TaskResult) -> Iterator[Message]:
    """Yield the notes on the comparisons, then those on the task without warnings."""
    yield from _named(result.comparisons, comparison_notes)
    for note in result.manifest.notes:
        if not is_warning(note.text):
            yield note.text


def _run_notes(result: TaskResult, run: str) -> tuple[str, ...]:
    notes = [note.by_run[run] for note in result.manifest.notes if run in note.by_run]
    if any(one.bounds_tail for one in result.comparisons if run in one.systems):
        notes.append(_BOUNDED)
    return tuple(notes)


def _named(
    comparisons: Sequence[Comparison], texts: Callable[[Comparison], list[Message]]
) -> list[Message]:
    """Return messages on comparisons, each once; add measure names if missing."""
    named: dict[Message, list[str]] = {}
    general: set[Message] = set()
    for comparison in comparisons:
        measures = list(comparison.measures)
        for message in texts(comparison):
            named.setdefault(message, []).extend(measures)
            if len(measures) > 1 or measures[0] in message_text(message):
                general.add(message)
    found: list[Message] = []
    for message, names in named.items():
        if message in general:
            found.append(message)
            continue
        text = message.text if isinstance(message, Notice) else message
        text = tr("{name}: {text}", name=tuple(names), text=text)
        found.append(replace(message, text=text) if isinstance(message, Notice) else text)
    return found


def _own(table: Table, result: TaskResult, run: str) -> Table:
    titles = {standing.measure: standing.title for standing in result.standings}
    columns = (replace(one, title=titles.get(one.title, one.title)) for one in table.columns)
    rows = tuple(row for row in table.rows if row[0] == run)
    return replace(table, columns=tuple(columns), rows=rows)


def _human_tables(judged: Sequence[MeasureStanding], run: str) -> list[Table]:
    """Return the human scores of the run in one table; none without judgements."""
    if not judged:
        return []
    columns = (Column(tr("system")), *(Column(one.title, one.decimals) for one in judged))
    note = clauses(
        *(
            tr("{measure}: intervals by {units}", measure=one.measure, units=str(one.units))
            for one in judged
        )
    )
    return [
        Table(tr("Human scores"), columns, ((run, *(one.estimates[run] for one in judged)),), note)
    ]


def _about_table(result: TaskResult, one: Submission) -> Table:
    places = [other.id for other in result.ranking]
    rows: list[tuple[Cell, ...]] = [
        (tr("group"), one.group),
        (tr("priority"), str(one.run.priority)),
        (tr("type"), one.run.kind),
        (tr("resources"), _used(one)),
        (tr("description"), one.description or None),
        (
            tr("place by {measure}", measure=result.standings[0].title),
            tr("{place} of {total}", place=places.index(one.id) + 1, total=len(places)),
        ),
    ]
    return Table(tr("The run"), (Column(tr("run")), Column(one.id)), tuple(rows))


def _used(one: Submission) -> str | None:
    """Return the resources in words; None if not stated."""
    if one.resources is None:
        return None
    named = tuple(
        tr("{resource} (perhaps)", resource=meaning) if one.uses(letter) == "?" else meaning
        for letter, meaning in RESOURCES.items()
        if one.uses(letter) != "no"
    )
    return tr("{parts}", parts=named) if named else tr("none")


def _difference_table(standing: MeasureStanding, run: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for pair in standing.pairs:
        if run not in (pair.first, pair.second):
            continue
        seen = pair if pair.first == run else pair.turned()
        difference = Estimate(seen.delta, seen.ci)
        p = pair_p(seen, seen.p_holm)
        rows.append((seen.second, difference, p, verdict_text(seen, standing.testable)))
    columns = (
        Column(tr("other run")),
        Column(tr("difference"), standing.decimals),
        Column(tr("p corrected"), 4, p_value=True),
        Column(tr("significant")),
    )
    return Table(tr("Differences by {title}", title=standing.title), columns, tuple(rows))


def _only(evaluation: TextEvaluation, position: int) -> TextEvaluation:
    return replace(
        evaluation,
        runs=evaluation.runs[position : position + 1],
        scores={
            name: replace(
                scores,
                systems=scores.systems[position : position + 1],
                statistics=scores.statistics[position : position + 1],
            )
            for name, scores in evaluation.scores.items()
        },
        evidence={
            name: found[position : position + 1] for name, found in evaluation.evidence.items()
        },
    )


def _task_explorer(result: TaskResult, run: str | None = None) -> Explorer:
    """Return the segments of all runs or of one, with human scores beside the automatic ones."""
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
        explorer,
        values={**explorer.values, **human},
        higher_is_better={**explorer.higher_is_better, **better},
    )


def _placed(scores: Scores, systems: Sequence[str], segments: Sequence[str]) -> FloatArray:
    """Return segment scores in the order of the task, NaN for absent judgements."""
    placed = np.full((len(systems), len(segments)), np.nan)
    column = {segment: place for place, segment in enumerate(segments)}
    columns = [column[segment] for segment in scores.segments]
    values = scores.segment_scores
    for row, system in enumerate(systems):
        if system in scores.systems:
            placed[row, columns] = values[scores.systems.index(system)]
    return placed


def _results_table(result: TaskResult) -> Table:
    """Return all runs with resources and scores, as in the appendix of NTCIR-9."""
    columns = (
        Column(tr("run")),
        Column(tr("group")),
        Column(tr("type")),
        *map(Column, RESOURCES),
        *_score_columns(result),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.id,
            one.group,
            one.run.kind,
            *(one.uses(letter) for letter in RESOURCES),
            *(standing.estimates.get(one.id) for standing in result.all_standings),
        )
        for one in result.ranking
    )
    meanings = (
        tr("{letter} {meaning}", letter=letter, meaning=meaning)
        for letter, meaning in RESOURCES.items()
    )
    note = tr(
        "Best first by {measure}; {meanings}; {how}.",
        measure=result.standings[0].title,
        meanings=clauses(*meanings),
        how=_interval_text(result),
    )
    return Table(tr("Results of all runs"), columns, rows, note)


def _interval_text(result: TaskResult) -> str:
    """Describe the intervals; human measures may have other units."""
    done = result.evaluation
    rates = any(scores.rate for scores in done.scores.values())
    note = interval_note(done.sampling, done.units, rates=rates)
    human = (
        tr("{measure} by {units}", measure=one.measure, units=str(one.units))
        for one in result.human_standings
    )
    return clauses(note, *human)


def _score_columns(result: TaskResult) -> Iterator[Column]:
    """Yield a column for each measure, automatic ones first."""
    for scores, standing in zip(result.evaluation.scores.values(), result.standings, strict=True):
        yield replace(score_column(scores), title=standing.title)
    for human in result.human_standings:
        yield Column(human.title, human.decimals, higher_is_better=human.higher_is_better)


def _pairwise_table(result: TaskResult) -> Table:
    titles = {standing.measure: standing.title for standing in result.all_standings}
    columns = (
        Column(tr("run")),
        *(Column(titles[name], 3, (0.0, 1.0)) for name in result.pairwise),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.id, *(of_runs.get(one.id) for of_runs in result.pairwise.values()))
        for one in result.ranking
    )
    return Table(tr("Pairwise scores"), columns, rows, _PAIRWISE_NOTE)


def _charts(result: TaskResult) -> Iterator[Scatter]:
    """Yield each automatic measure against each human one, over the runs that were judged."""
    kinds = {one.id: one.run.kind or "" for one in result.manifest.submissions}
    for human in result.human_standings:
        for automatic in result.standings:
            points = tuple(
                Point(automatic.estimates[run].value, estimate.value, run, kinds[run])
                for run, estimate in human.estimates.items()
                if not np.isnan(estimate.value) and not np.isnan(automatic.estimates[run].value)
            )
            title = tr("{first} and {second}", first=automatic.title, second=human.title)
            yield Scatter(title, automatic.title, human.title, points, _CHART_NOTE)


def _letters_notes(result: TaskResult) -> Iterator[str]:
    """Explain the letters beside the scores, and their absence."""
    compared = [one for one in result.all_standings if one.pairs]
    ranked = [one.title for one in compared if one.shows_ranks]
    if any(one.letters and not one.shows_ranks for one in compared):
        corrected = any(comparison.corrected for comparison in result.comparisons)
        level = percent(ALPHA)
        if corrected:
            level = tr("{level}, after correction by Holm", level=level)
        yield tr(
            "Runs that share a letter in a column do not differ significantly at {level}.",
            level=level,
        )
    if ranked:
        yield (
            tr(
                "{ranked}: the best and the worst rank that the tests allow, since letters "
                "would be too many.",
                ranked=tuple(ranked),
            )
        )
    silent = [one.title for one in compared if not one.testable]
    if silent:
        yield tr(
            "{silent}: no letters, since no difference could be significant.", silent=tuple(silent)
        )


def _rendered(result: TaskResult, language: str) -> dict[str, str | bytes]:
    """Return the files of the folder by name, without writing them."""
    pages = {one.id: f"runs/{one.id}.html" for one in result.manifest.submissions}
    several = result.comparison is not None
    compared = [Link(tr("Tests of all pairs of runs"), "comparison.html")] if several else []
    above = [replace(link, address=f"../{link.address}") for link in compared]
    home = (Link(tr("← All runs"), "../index.html"), *above)
    board = replace(result.to_leaderboard(pages), links=tuple(compared))
    files: dict[str, str | bytes] = {
        "index.html": leaderboard_html(in_language(board, language)),
        **{
            page: to_html(in_language(replace(result.run_report(run), links=home), language))
            for run, page in pages.items()
        },
        "results.csv": result.to_csv(),
        "results.json": to_json_text(result.to_json()) + "\n",
    }
    if several:
        report = replace(result.to_report(), links=(Link(tr("← All runs"), "index.html"),))
        files["comparison.html"] = to_html(in_language(report, language))
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "scores.json.gz"
        result.evaluation.save(saved)
        files[saved.name] = saved.read_bytes()
    return files


def publish(out: Path, result: TaskResult, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Write the folder after everything is rendered; return a message for the user."""
    files = _rendered(result, language)
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(out)) from None
    for name, content in files.items():
        write_atomically(out / name, content)
    pages = {f"runs/{page.name}" for page in (out / "runs").glob("*.html")}
    return [
        f"wrote {len(files)} files to {out}; open {out / 'index.html'}",
        *(
            f"{out / stale} is from an earlier task and not part of these results"
            for stale in sorted(pages - set(files))
        ),
    ]
