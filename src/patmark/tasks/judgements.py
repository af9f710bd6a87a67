"""What people thought of the runs of a shared task, from files of judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from patmark.data import SHOWN, FilePath, FloatArray, Scores, TaskManifest, folded, shown
from patmark.errors import InputError, UsageError
from patmark.judgements import (
    NTCIR7_CRITERIA,
    Exclusion,
    HumanData,
    Judgements,
    Preferences,
    Scale,
    finished_grades,
    human_scores,
    preference_scores,
    read_human_files,
)
from patmark.protocols import pairwise_grade_scores


@dataclass(frozen=True, slots=True, eq=False)
class TaskJudgements:
    """Human scores and pairwise scores by criterion, and notes on what did not count."""

    scores: dict[str, Scores] = field(default_factory=dict)
    pairwise: dict[str, Scores] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_task_judgements(
    paths: Sequence[FilePath],
    manifest: TaskManifest,
    *,
    scales: Iterable[Scale] = (),
    whole_segments: bool = True,
) -> TaskJudgements:
    """Judgements and preferences of the runs of a task.

    Files are read together, so that each evaluator may hand in one. Only runs and segments of the
    task may occur; every problem of every file is reported.
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
        )
    except InputError as error:
        raise InputError(folded(error.problems)) from None
    return task_judgements(data, whole_segments=whole_segments)


def task_judgements(data: HumanData, *, whole_segments: bool = True) -> TaskJudgements:
    """Scores from what files hold together."""
    graded = _graded(data.judgements, whole_segments) if data.judgements else TaskJudgements()
    chosen = _chosen(data.preferences) if data.preferences else TaskJudgements()
    for criterion in chosen.scores:
        if criterion in graded.scores:
            raise UsageError(f"{criterion} is both graded and chosen between two outputs")
    return TaskJudgements(
        graded.scores | chosen.scores,
        graded.pairwise | chosen.pairwise,
        (*data.notes, *graded.notes, *chosen.notes),
    )


def _graded(judgements: Judgements, whole_segments: bool) -> TaskJudgements:
    judged = human_scores(judgements, rates=False, whole_segments=whole_segments)
    main = judgements.in_phase("main")

    def grades(criterion: str) -> FloatArray:
        return finished_grades(main, criterion)[0] if whole_segments else main.grades(criterion)

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


def _chosen(preferences: Preferences) -> TaskJudgements:
    """Shares of wins, which are pairwise scores already."""
    criteria = preferences.in_phase("main").criteria
    scores = {criterion: preference_scores(preferences, criterion) for criterion in criteria}
    return TaskJudgements(scores, dict(scores))


def _exclusion_notes(exclusions: Sequence[Exclusion]) -> list[str]:
    more = len(exclusions) - SHOWN
    rest = [f"… and {more} more segments are left out; patmark human report names all of them."]
    return [*map(str, exclusions[:SHOWN]), *(rest if more > 0 else [])]
