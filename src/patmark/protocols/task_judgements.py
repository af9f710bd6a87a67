"""What people thought of the runs of a shared task, from files of judgements."""

from __future__ import annotations

from collections.abc import Sequence

from patmark.data import Scores
from patmark.data.files import FilePath, check_stdin_once
from patmark.data.manifest import TaskManifest
from patmark.errors import InputError, Problem, UsageError
from patmark.human import (
    Judgement,
    Preference,
    Reading,
    check_judgements,
    check_preferences,
    human_scores,
    preference_scores,
    read_judgements,
)


def read_task_judgements(
    paths: Sequence[FilePath], manifest: TaskManifest
) -> tuple[dict[str, Scores], tuple[str, ...]]:
    """Human scores by criterion, and notes on what did not count.

    Files are read together, so that each evaluator may hand in one. Only runs and segments of the
    task may occur; every problem of every file is reported.
    """
    check_stdin_once(paths)
    systems, test_set = [one.id for one in manifest.submissions], manifest.test_set
    readings: list[Reading] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            readings.append(read_judgements(path, systems=systems, test_set=test_set))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    judgements, preferences = _rows(readings)
    scores: dict[str, Scores] = {}
    notes = [note for reading in readings for note in reading.notes]
    if judgements:
        judged = human_scores(check_judgements(judgements, test_set=test_set), rates=False)
        scores |= judged.scores
        notes += [*map(str, judged.exclusions), *judged.notices]
    if preferences:
        preferred = check_preferences(preferences, test_set=test_set)
        for criterion in preferred.criteria:
            if criterion in scores:
                raise UsageError(f"{criterion} is both graded and chosen between two outputs")
            scores[criterion] = preference_scores(preferred, criterion)
    return scores, tuple(notes)


def _rows(readings: Sequence[Reading]) -> tuple[list[Judgement], list[Preference]]:
    judgements = [row for one in readings if one.judgements for row in one.judgements.rows]
    preferences = [row for one in readings if one.preferences for row in one.preferences.rows]
    return judgements, preferences
