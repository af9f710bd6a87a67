"""How the runs of a shared task stand under each measure, and which of them tests tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from patmark.data import Estimate, Scores, Submission, TaskManifest, TestSet, first_of
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import (
    CompareSettings,
    Comparison,
    Evaluation,
    MeasureComparison,
    Pair,
    Progress,
    Settings,
    compare,
    default_measures,
    evaluate,
    parse_given,
)
from patmark.judgements import judged_part
from patmark.measures import Measure, split_names
from patmark.protocols import check_ntcir9, ntcir9_measures, pairwise_scores
from patmark.report import Leaderboard, Report, Table
from patmark.stats import Units, estimate_all, significance_letters
from patmark.tasks.report import results_csv, run_report, task_json, task_leaderboard, task_report

MOST_LETTERS = 10
_ALPHABET = 26


@dataclass(frozen=True, slots=True)
class Standing:
    """How runs stand under one measure; runs without judgements are absent from a human one.

    Runs share a letter exactly when no test tells them apart. There are no letters where no
    difference could be significant, since then they would say nothing about the runs.
    """

    measure: str
    signature: str
    higher_is_better: bool
    estimates: Mapping[str, Estimate]
    units: Units
    title: str
    letters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rank_ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()
    testable: bool = False

    @property
    def shows_ranks(self) -> bool:
        """Whether runs have so many letters that a range of ranks is easier to read."""
        return max(map(len, self.letters.values()), default=0) > MOST_LETTERS

    def letters_text(self, run: str) -> str:
        """The letters of a run; with blanks between them where the alphabet does not suffice."""
        different = {letter for letters in self.letters.values() for letter in letters}
        return (" " if len(different) > _ALPHABET else "").join(self.letters.get(run, ()))

    def mark(self, run: str) -> str:
        """What stands beside the score of a run: its letters, or its best and worst rank."""
        if not self.shows_ranks or run not in self.letters:
            return self.letters_text(run)
        best, worst = self.rank_ranges[run]
        return f"{best}" if best == worst else f"{best}–{worst}"

    @property
    def decimals(self) -> int:
        """How many decimals to show where the scale of a measure is not known."""
        values = [estimate.value for estimate in self.estimates.values()]
        return 4 if all(abs(value) <= 1 for value in values if not np.isnan(value)) else 2


def compared_standings(comparison: Comparison, titles: Mapping[str, str]) -> list[Standing]:
    """The standing under each measure of a comparison."""
    return [
        _standing(one, comparison.units, titles.get(name, name))
        for name, one in comparison.measures.items()
    ]


def _standing(compared: MeasureComparison, units: Units, title: str) -> Standing:
    names = list(compared.estimates)
    position = {name: place for place, name in enumerate(names)}
    letters = significance_letters(
        [compared.estimates[name].value for name in names],
        {(position[pair.first], position[pair.second]): pair.p_holm for pair in compared.pairs},
        compared.higher_is_better,
    )
    return Standing(
        compared.measure, compared.signature, compared.higher_is_better, compared.estimates,
        units, title, dict(zip(names, letters, strict=True)) if compared.testable else {},
        compared.rank_ranges, compared.pairs, compared.testable,
    )  # fmt: skip


def lone_standing(
    scores: Scores, estimates: Mapping[str, Estimate], units: Units, title: str
) -> Standing:
    """The standing of a run that cannot be compared with any other."""
    return Standing(
        scores.measure, scores.signature, scores.higher_is_better, estimates, units, title
    )


def human_standings(
    human: Mapping[str, Scores], documents: Mapping[str, str | None], settings: CompareSettings
) -> tuple[tuple[Standing, ...], tuple[Comparison, ...]]:
    """Each human measure by itself, since it may cover other runs and segments than the next.

    ``documents`` maps a segment to its document.
    """
    standings: list[Standing] = []
    comparisons: list[Comparison] = []
    for name, scores in human.items():
        own = documents_of(scores, documents)
        if len(scores.systems) > 1:
            compared = compare({name: scores}, own, replace(settings, detect=None))
            comparisons.append(compared)
            standings += compared_standings(compared, {})
        else:
            units = Units.choose(own, settings.sampling.by)
            estimates = run_estimates(scores, units, settings.sampling)
            standings.append(lone_standing(scores, estimates, units, name))
    return tuple(standings), tuple(comparisons)


def run_estimates(scores: Scores, units: Units, sampling: Settings) -> dict[str, Estimate]:
    """Scores with intervals, of the runs that have one."""
    quantity = (scores.statistics, scores.score)
    [estimates] = estimate_all([quantity], units, sampling.resamples, sampling.seed)
    return {
        run: estimate
        for run, estimate in zip(scores.systems, estimates, strict=True)
        if not np.isnan(estimate.value)
    }


def documents_of(scores: Scores, documents: Mapping[str, str | None]) -> Sequence[str | None]:
    """The documents of the segments of scores."""
    return [documents[segment] for segment in scores.segments]


TASK_MEASURES = ("BLEU", "chrF", "TER")


@dataclass(frozen=True, eq=False)
class TaskResult:
    """All runs of a task under all measures. ``comparison`` is None for a single run.

    ``human_pairwise`` are the pairwise scores of human measures where they rest on more than the
    scores of segments.
    """

    manifest: TaskManifest
    evaluation: Evaluation
    comparison: Comparison | None
    standings: tuple[Standing, ...]
    settings: CompareSettings
    human: Mapping[str, Scores] = field(default_factory=dict)
    human_standings: tuple[Standing, ...] = ()
    human_comparisons: tuple[Comparison, ...] = ()
    human_pairwise: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def ranking(self) -> tuple[Submission, ...]:
        """The submissions, best first by the first automatic measure."""
        if self.comparison is None:
            return self.manifest.submissions
        order = self.comparison.measures[self.standings[0].measure].ranking
        by_id = {one.id: one for one in self.manifest.submissions}
        return tuple(by_id[run] for run in order)

    @property
    def all_standings(self) -> tuple[Standing, ...]:
        """By automatic measures, then by human ones."""
        return (*self.standings, *self.human_standings)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """By automatic measures, where there are several runs, then by human ones."""
        return (*([self.comparison] if self.comparison else []), *self.human_comparisons)

    @cached_property
    def pairwise(self) -> dict[str, dict[str, Estimate]]:
        """Measure → run → pairwise score: automatic and human scores on one axis, 0 to 1.

        A human measure that is a pairwise score already stays as it is.
        """
        documents = documents_by_segment(self.manifest.test_set)
        found = {name: pairwise_scores(scores) for name, scores in self.evaluation.scores.items()}
        found |= {name: pairwise_scores(scores) for name, scores in self.human.items()}
        found |= self.human_pairwise
        sampling = self.settings.sampling
        return {
            name: run_estimates(
                scores, Units.choose(documents_of(scores, documents), sampling.by), sampling
            )
            for name, scores in found.items()
            if len(scores.systems) > 1
        }

    @cached_property
    def score_tables(self) -> tuple[Table, ...]:
        """The automatic scores of all runs, of which the page of a run shows its own."""
        return self.evaluation.to_report().tables

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
    human_pairwise: Mapping[str, Scores] | None = None,
) -> TaskResult:
    """Score and compare all runs of a task. Human scores may cover a part of runs and segments."""
    settings = settings or CompareSettings()
    _check_human(manifest, human_scores or {})
    documents = documents_by_segment(manifest.test_set)
    human = {name: _judged(one, documents) for name, one in (human_scores or {}).items()}
    pairwise = {
        name: judged_part(one, documents_of(one, documents))[0]
        for name, one in (human_pairwise or {}).items()
    }
    measures = task_measures(manifest)
    evaluation = evaluate(manifest.test_set, manifest.runs, measures, settings.sampling, progress)
    clash = sorted(set(human) & set(evaluation.scores))
    if clash:
        raise UsageError(f"{clash[0]} is the name of an automatic and of a human measure")
    several = len(manifest.submissions) > 1
    comparison = (
        compare(evaluation.scores, manifest.test_set.documents, settings) if several else None
    )
    standings = _standings(evaluation, comparison, _titles(manifest, measures))
    judged, compared = human_standings(human, documents, settings)
    return TaskResult(
        manifest, evaluation, comparison, standings, settings, human, judged, compared, pairwise
    )


def documents_by_segment(test_set: TestSet) -> dict[str, str | None]:
    """The document of each segment."""
    return {segment.id: segment.document for segment in test_set}


def _check_human(manifest: TaskManifest, human: Mapping[str, Scores]) -> None:
    """Refuse judgements of runs or segments that the task does not have."""
    known = {
        "run": {one.id for one in manifest.submissions},
        "segment": {segment.id for segment in manifest.test_set},
    }
    problems: list[Problem] = []
    for name, scores in human.items():
        for what, ids in (("run", scores.systems), ("segment", scores.segments)):
            unknown = [
                Problem(f"{name}: judgements of the {what} {one!r}, which {manifest.name} has not")
                for one in ids
                if one not in known[what]
            ]
            problems += first_of(unknown, f"{what}s that {manifest.name} has not")
    if problems:
        raise InputError(problems)


def _judged(scores: Scores, documents: Mapping[str, str | None]) -> Scores:
    """Scores of the runs and segments that were judged at all."""
    judged, _ = judged_part(scores, documents_of(scores, documents))
    if not judged.systems:
        raise InputError.at(f"{scores.measure}: no run has a judgement")
    return judged


def _titles(manifest: TaskManifest, measures: list[Measure]) -> dict[str, str]:
    """Column heads where they differ from the names: NTCIR-9 fixes the parameters."""
    if manifest.protocol != "ntcir9":
        return {}
    return {measure.name: measure.label for measure in measures}


def _standings(
    evaluation: Evaluation, comparison: Comparison | None, titles: Mapping[str, str]
) -> tuple[Standing, ...]:
    if comparison is not None:
        return tuple(compared_standings(comparison, titles))
    return tuple(
        lone_standing(scores, evaluation.estimates[name], evaluation.units, titles.get(name, name))
        for name, scores in evaluation.scores.items()
    )
