"""A shared task: all runs scored, compared, and set beside what people thought of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from patmark.data import Estimate, Leaderboard, Report, Scores, TestSet
from patmark.data.manifest import TaskManifest
from patmark.data.submissions import Submission
from patmark.errors import InputError, Problem, UsageError
from patmark.measures import Measure, split_names
from patmark.protocols.choice import default_measures, parse_given
from patmark.protocols.comparison import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    Pair,
    compare,
)
from patmark.protocols.evaluation import Evaluation, Progress, Settings, evaluate
from patmark.protocols.ntcir9 import check_ntcir9, ntcir9_measures, pairwise_scores
from patmark.protocols.task_report import results_csv, task_json, task_leaderboard, task_report
from patmark.protocols.task_run_report import run_report
from patmark.stats import Units, estimate_all
from patmark.stats.letters import significance_letters

TASK_MEASURES = ("BLEU", "chrF", "TER")


@dataclass(frozen=True, slots=True)
class Standing:
    """How runs stand under one measure; runs without judgements are absent from a human one.

    Runs share a letter exactly when no test tells them apart.
    """

    measure: str
    signature: str
    higher_is_better: bool
    estimates: Mapping[str, Estimate]
    letters: Mapping[str, str]
    units: Units
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True, eq=False)
class TaskResult:
    """All runs of a task under all measures. ``comparison`` is None for a single run."""

    manifest: TaskManifest
    evaluation: Evaluation
    comparison: Comparison | None
    standings: tuple[Standing, ...]
    settings: CompareSettings
    human: Mapping[str, Scores] = field(default_factory=dict)
    human_standings: tuple[Standing, ...] = ()
    human_comparisons: tuple[Comparison, ...] = ()

    @property
    def ranking(self) -> tuple[Submission, ...]:
        """The submissions, best first by the first automatic measure."""
        if self.comparison is None:
            return self.manifest.submissions
        order = self.comparison.measures[self.standings[0].measure].ranking
        by_id = {one.id: one for one in self.manifest.submissions}
        return tuple(by_id[run] for run in order)

    @cached_property
    def pairwise(self) -> dict[str, dict[str, Estimate]]:
        """Measure → run → pairwise score: automatic and human scores on one axis, 0 to 1."""
        units = {one.measure: one.units for one in (*self.standings, *self.human_standings)}
        return {
            name: _estimates(pairwise_scores(scores), units[name], self.settings.sampling)
            for name, scores in (*self.evaluation.scores.items(), *self.human.items())
            if len(scores.systems) > 1
        }

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return task_json(self)

    def to_report(self) -> Report:
        """Results of all runs, their comparison, and all segments side by side."""
        return task_report(self)

    def run_report(self, run: str) -> Report:
        """The report of one run: its scores, how it compares with the others, its segments."""
        return run_report(self, run)

    def to_leaderboard(self, links: Mapping[str, str] | None = None) -> Leaderboard:
        """The ranking; ``links`` lead from a run to its own report."""
        return task_leaderboard(self, links or {})

    def to_csv(self) -> str:
        """One line per run, at full precision."""
        return results_csv(self)


def task_measures(manifest: TaskManifest) -> list[Measure]:
    """The measures of a task: those that are named, or those of its protocol."""
    test_set = manifest.test_set
    if manifest.protocol == "ntcir9":
        if manifest.measures is not None:
            raise UsageError(
                "the protocol ntcir9 has its own measures; leave measures out, or take plain"
            )
        check_ntcir9(test_set)
        return list(ntcir9_measures(test_set.target_language))
    if manifest.protocol != "plain":
        raise UsageError(f"the protocol {manifest.protocol!r} is unknown; take plain or ntcir9")
    if manifest.measures is not None:
        return parse_given([name for text in manifest.measures for name in split_names(text)])
    if any(test_set.reference_lists):
        return parse_given(TASK_MEASURES)
    return default_measures(test_set)


def run_task(
    manifest: TaskManifest,
    settings: CompareSettings | None = None,
    progress: Progress | None = None,
    human_scores: Mapping[str, Scores] | None = None,
) -> TaskResult:
    """Score and compare all runs of a task. Human scores may cover a part of runs and segments."""
    settings = settings or CompareSettings()
    _check_human(manifest, human_scores or {})
    human = {name: _judged(scores) for name, scores in (human_scores or {}).items()}
    measures = task_measures(manifest)
    evaluation = evaluate(manifest.test_set, manifest.runs, measures, settings.sampling, progress)
    clash = sorted(set(human) & set(evaluation.scores))
    if clash:
        raise UsageError(f"{clash[0]} is the name of an automatic and of a human measure")
    scores, several = evaluation.scores, len(manifest.submissions) > 1
    comparison = compare(scores, manifest.test_set.documents, settings) if several else None
    standings = (
        _standings(comparison)
        if comparison
        else [_alone(scores[name], evaluation.estimates[name], evaluation.units) for name in scores]
    )
    judged, compared = _human_standings(human, manifest.test_set, settings)
    return TaskResult(
        manifest, evaluation, comparison, tuple(standings), settings, human, judged, compared
    )


def _check_human(manifest: TaskManifest, human: Mapping[str, Scores]) -> None:
    """Refuse judgements of runs or segments that the task does not have."""
    known = {
        "run": {one.id for one in manifest.submissions},
        "segment": {segment.id for segment in manifest.test_set},
    }
    problems = [
        Problem(f"{name}: judgements of the {what} {unknown!r}, which {manifest.name} has not")
        for name, scores in human.items()
        for what, ids in (("run", scores.systems), ("segment", scores.segments))
        for unknown in ids
        if unknown not in known[what]
    ]
    if problems:
        raise InputError(problems)


def _judged(scores: Scores) -> Scores:
    """Scores of the runs that were judged at all."""
    judged = np.flatnonzero(~np.isnan(scores.system_scores))
    if not len(judged):
        raise InputError.at(f"{scores.measure}: no run has a judgement")
    return replace(
        scores, systems=tuple(scores.systems[run] for run in judged),
        statistics=scores.statistics[judged],
    )  # fmt: skip


def _standings(comparison: Comparison) -> list[Standing]:
    return [_standing(one, comparison.units) for one in comparison.measures.values()]


def _standing(compared: MeasureComparison, units: Units) -> Standing:
    names = list(compared.estimates)
    position = {name: place for place, name in enumerate(names)}
    letters = significance_letters(
        [compared.estimates[name].value for name in names],
        {(position[pair.first], position[pair.second]): pair.p_holm for pair in compared.pairs},
        compared.higher_is_better,
    )
    return Standing(
        compared.measure, compared.signature, compared.higher_is_better, compared.estimates,
        {name: "".join(of_run) for name, of_run in zip(names, letters, strict=True)},
        units, compared.pairs,
    )  # fmt: skip


def _alone(scores: Scores, estimates: Mapping[str, Estimate], units: Units) -> Standing:
    """The standing of a run that cannot be compared with any other."""
    return Standing(
        scores.measure, scores.signature, scores.higher_is_better, estimates,
        dict.fromkeys(estimates, ""), units,
    )  # fmt: skip


def _human_standings(
    human: Mapping[str, Scores], test_set: TestSet, settings: CompareSettings
) -> tuple[tuple[Standing, ...], tuple[Comparison, ...]]:
    """Each human measure by itself, since it may cover other runs and segments than the next."""
    standings: list[Standing] = []
    comparisons: list[Comparison] = []
    for name, scores in human.items():
        documents = _documents(scores, test_set)
        if len(scores.systems) > 1:
            compared = compare({name: scores}, documents, replace(settings, detect=None))
            comparisons.append(compared)
            standings += _standings(compared)
        else:
            units = Units.choose(documents, settings.sampling.by)
            estimates = _estimates(scores, units, settings.sampling)
            standings.append(_alone(scores, estimates, units))
    return tuple(standings), tuple(comparisons)


def _estimates(scores: Scores, units: Units, sampling: Settings) -> dict[str, Estimate]:
    quantity = (scores.statistics, scores.score)
    [estimates] = estimate_all([quantity], units, sampling.resamples, sampling.seed)
    return {
        run: estimate
        for run, estimate in zip(scores.systems, estimates, strict=True)
        if not np.isnan(estimate.value)
    }


def _documents(scores: Scores, test_set: TestSet) -> Sequence[str | None]:
    of_segment = {segment.id: segment.document for segment in test_set}
    return [of_segment[segment] for segment in scores.segments]
