"""Shared tasks: all runs scored and compared, with human judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from patmark.data import (
    SHOWN,
    FilePath,
    FloatArray,
    Message,
    RepeatedMarks,
    Scores,
    TaskManifest,
    first_of,
    folded,
    shown,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import (
    CompareSettings,
    Progress,
    Weights,
    compare,
    default_measures,
    evaluate,
    parse_given,
)
from patmark.human.judgements import (
    NTCIR7_CRITERIA,
    Exclusion,
    HumanData,
    Judgements,
    Scale,
    counted_grades,
    human_scores,
    judged_part,
    preference_scores,
    read_human_files,
)
from patmark.human.tasks.result import TaskResult
from patmark.human.tasks.standings import (
    compared_standings,
    documents_by_segment,
    documents_of,
    human_standings,
    lone_standing,
)
from patmark.measures import Measure, split_names
from patmark.protocols import check_ntcir9, ntcir9_measures, pairwise_grade_scores

TASK_MEASURES = ("BLEU", "chrF", "TER")


def task_measures(manifest: TaskManifest) -> list[Measure]:
    """Return the measures of a task: those that are named, or those of its protocol."""
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
    # NTCIR-9 fixes the parameters, so that its columns need none.
    titles = {one.name: one.label for one in measures} if manifest.protocol == "ntcir9" else {}
    comparison = None
    if len(manifest.submissions) > 1:
        comparison = compare(evaluation.scores, manifest.test_set.documents, settings)
        standings = compared_standings(comparison, titles)
    else:
        estimates, units = evaluation.estimates, evaluation.units
        standings = [
            lone_standing(scores, estimates[name], units, titles.get(name, name))
            for name, scores in evaluation.scores.items()
        ]
    judged, compared = human_standings(human, documents, settings)
    shown = tuple(standings)
    return TaskResult(
        manifest, evaluation, comparison, shown, settings, human, judged, compared, pairwise
    )


def _check_human(manifest: TaskManifest, human: Mapping[str, Scores]) -> None:
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
    judged, _ = judged_part(scores, documents_of(scores, documents))
    if not judged.systems:
        raise InputError.at(f"{scores.measure}: no run has a judgement")
    return judged


@dataclass(frozen=True, slots=True, eq=False)
class TaskJudgements:
    """Human scores and pairwise scores by criterion, and notes on excluded judgements."""

    scores: dict[str, Scores] = field(default_factory=dict)
    pairwise: dict[str, Scores] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()


def read_task_judgements(
    paths: Sequence[FilePath],
    manifest: TaskManifest,
    *,
    scales: Iterable[Scale] = (),
    whole_segments: bool = True,
    weights: Weights | None = None,
    repeated_marks: RepeatedMarks = "once",
) -> TaskJudgements:
    """Read judgements and preferences of the runs of a task.

    Files are read together, so that each evaluator may submit one. Only runs and segments of the
    task may occur; all problems of all files are reported.
    """
    given = Counter(map(shown, paths))
    twice = [path for path, times in given.items() if times > 1]
    if twice:
        raise UsageError(f"{', '.join(twice)}: the same judgements are given more than once")
    try:
        data = read_human_files(
            paths,
            scales=scales,
            systems=[one.id for one in manifest.submissions],
            test_set=manifest.test_set,
            weights=weights,
            repeated_marks=repeated_marks,
        )
    except InputError as error:
        raise InputError(folded(error.problems)) from None
    return task_judgements(data, whole_segments=whole_segments)


def task_judgements(data: HumanData, *, whole_segments: bool = True) -> TaskJudgements:
    """Score the judgements and preferences that files hold together."""
    graded = _graded(data.judgements, whole_segments) if data.judgements else TaskJudgements()
    # Shares of wins are pairwise scores already.
    main = data.preferences.in_phase("main") if data.preferences else None
    chosen = {name: preference_scores(main, name) for name in main.criteria} if main else {}
    for criterion in chosen:
        if criterion in graded.scores:
            raise UsageError(f"{criterion} is both graded and chosen between two outputs")
    return TaskJudgements(
        graded.scores | chosen, graded.pairwise | chosen, (*data.notes, *graded.notes)
    )


def _graded(judgements: Judgements, whole_segments: bool) -> TaskJudgements:
    judged = human_scores(judgements, rates=False, whole_segments=whole_segments)
    main = judgements.in_phase("main")

    def grades(criterion: str) -> FloatArray:
        return counted_grades(main, criterion, whole_segments=whole_segments)

    pairwise = {}
    for name, scores in judged.scores.items():
        if name not in main.criteria:  # adequacy and fluency added up
            total = np.sum([grades(one) for one in NTCIR7_CRITERIA], axis=0)
            pairwise[name] = pairwise_grade_scores(scores, total)
        elif main.scale(name).kind == "ordinal":
            pairwise[name] = scores
        else:
            pairwise[name] = pairwise_grade_scores(scores, grades(name))
    return TaskJudgements(
        judged.scores, pairwise, (*_exclusion_notes(judged.exclusions), *judged.notices)
    )


def _exclusion_notes(exclusions: Sequence[Exclusion]) -> list[str]:
    more = len(exclusions) - SHOWN
    rest = [f"… and {more} more segments are left out; patmark human report names all of them."]
    return [*map(str, exclusions[:SHOWN]), *(rest if more > 0 else [])]
