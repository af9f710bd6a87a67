"""patmark task and reproduce in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.commands.inputs import as_files
from patmark.data import TaskNote, read_manifest
from patmark.errors import UsageError
from patmark.report import notebook_progress
from patmark.tasks import TaskJudgements, publish, read_task_judgements, run_task

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.evaluation import CompareSettings, Sampling
    from patmark.report import Result
    from patmark.tasks import TaskResult


def task(
    manifest: FilePath,
    *,
    protocol: str | None = None,
    measures: str | None = None,
    judgements: Sequence[Any] = (),
    out: FilePath | None = None,
    settings: CompareSettings | None = None,
) -> TaskResult:
    """Score and compare all runs of a shared task: ``task("task.yaml", out="results")``.

    The manifest names the test set and the runs. Judgements are files or tables, as human.report
    takes them. ``out`` is a new folder for the leaderboard and a page for each run.
    """
    if out is not None and Path(out).exists() and any(Path(out).iterdir()):
        raise UsageError(f"{out} is not empty; choose another folder")
    described = read_manifest(manifest).judged_by(protocol, measures)
    human = TaskJudgements()
    if judgements:
        with as_files(judgements) as paths:
            human = read_task_judgements(paths, described)
    described = replace(described, notes=(*described.notes, *map(TaskNote, human.notes)))
    with notebook_progress() as progress:
        result = run_task(described, settings, progress, human.scores, human.pairwise)
    if out is not None:
        publish(Path(out), result)
    return result


def reproduce(study: str, *, sampling: Sampling | None = None, **material: Any) -> Result:
    """Compute published tables again: ``reproduce("ntcir9")``, ``reproduce("patent-ce", data=…)``.

    ``material`` is what a study takes of data, measures, scores and tie_band.
    """
    from patmark.catalogue import STUDIES, load
    from patmark.evaluation import Sampling

    if study not in STUDIES:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(STUDIES)}")
    chosen = load(STUDIES[study])
    if unknown := [name for name in material if name not in chosen.takes]:
        raise UsageError(f"{study} takes no {unknown[0]}")
    found: Result = chosen.reproduce(sampling or Sampling(), **material)
    return found
