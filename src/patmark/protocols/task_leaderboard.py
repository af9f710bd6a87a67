"""The leaderboard of a shared task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from patmark.data import Leaderboard, RankedRun
from patmark.data.submissions import RESOURCES
from patmark.protocols.task_report import interval_text, score_columns
from patmark.protocols.task_warnings import task_notes, task_warnings
from patmark.stats import ALPHA

if TYPE_CHECKING:
    from patmark.protocols.task import TaskResult


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
