"""The task command: score and compare all runs of a shared task, and publish the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark.app.commands.human import scales_of
from patmark.app.commands.inputs import as_files
from patmark.app.commands.options import (
    DocumentTrials,
    GradeOptions,
    References,
    inputs_of,
    paths_of,
)
from patmark.data import TaskManifest, TaskNote, find_manifest, read_manifest, read_run_folder
from patmark.errors import UsageError
from patmark.evaluation import CompareSettings
from patmark.human.tasks import TaskJudgements, publish, read_task_judgements, run_task
from patmark.options import Argument, Options, group, refuse
from patmark.report import notebook_progress
from patmark.wording import DEFAULT_LANGUAGE, setting

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.evaluation import Progress
    from patmark.human.tasks import TaskResult

_TEXTS = ("testset", "ref", "src", "docs", "lang")


@group
class TaskOptions(Options, heading="Task"):
    """Protocol and measures of a task, and the folder of results."""

    out: str | FilePath | None = None
    """Write leaderboard, a page for each run, results and scores to this folder."""
    overwrite: bool = False
    """Allow a folder that is not empty; replace its results."""
    protocol: str | None = None
    """plain (default) or ntcir9, instead of the protocol of the manifest."""
    measures: str | None = None
    """Comma-separated measures, instead of those of the manifest; see patmark measures."""


@group
class TaskGrades(GradeOptions):
    """Human judgements."""

    judgements: tuple[str, ...] = ()
    """Human judgements of runs (CSV evaluator,system,segment,criterion,value …)."""


@group
class TaskRequest(TaskOptions, References, TaskGrades):
    """A manifest, or a folder of runs with their texts; judgements; and the output folder."""

    manifest: Annotated[str, Argument()]
    """The manifest (.yaml, .json, .toml), its folder, or a folder of .jsonl runs."""
    settings: Annotated[CompareSettings, DocumentTrials] = field(default_factory=CompareSettings)

    @property
    def paths(self) -> list[Any]:
        """All files to read."""
        return [self.manifest, *paths_of(inputs_of(self)), *self.judgements]

    def __post_init__(self) -> None:
        if self.out is None:
            refuse(f"without {setting('out')}", self.named("overwrite"))
        else:
            self._check_folder(Path(self.out))
        if not self.judgements:
            refuse(
                f"without {setting('judgements')}",
                self.named("scale", "keep_unfinished", "weights")
                | {setting("repeated_marks"): self.repeated_marks != "once"},
            )

    def _check_folder(self, out: Path) -> None:
        """Refuse a place that is not a folder, is not empty, or contains the task."""
        if out.exists() and not out.is_dir():
            raise UsageError(f"{out} is a file; {setting('out')} takes a folder")
        if not out.absolute().parent.is_dir():
            raise UsageError(f"{out} cannot be made: its folder does not exist")
        manifest = Path(self.manifest)
        home = manifest if manifest.is_dir() else manifest.parent
        if out.resolve() == home.resolve():
            raise UsageError(
                f"{out} is the folder of the task; write the results to one of their own"
            )
        if out.is_dir() and any(out.iterdir()) and not self.overwrite:
            raise UsageError(
                f"{out} is not empty; choose another folder, or add {setting('overwrite')}"
            )

    def read(self) -> TaskManifest:
        """Read the task; protocol and measures of the request replace those of the manifest."""
        texts = inputs_of(self)
        if find_manifest(self.manifest) is not None:
            refuse("with a manifest, which names the test set", self.named(*_TEXTS))
            described = read_manifest(self.manifest)
        else:
            if texts.testset is None and not texts.ref and texts.src is None:
                raise UsageError(
                    f"{self.manifest} holds no manifest.yaml; write one, or give "
                    f"{setting('testset')} and {setting('lang')}"
                )
            test_set, runs = texts.read_test_set()
            if runs:
                raise UsageError(f"{texts.testset} holds outputs; hand in each run as a file")
            described = read_run_folder(self.manifest, test_set)
        return described.judged_by(self.protocol, self.measures)


def score_task(request: TaskRequest, progress: Progress | None = None) -> TaskResult:
    """Score and compare all runs of a shared task, by measures and by judgements."""
    described = request.read()
    human = TaskJudgements()
    if request.judgements:
        human = read_task_judgements(
            request.judgements,
            described,
            scales=request.scales,
            whole_segments=not request.keep_unfinished,
            weights=request.named_weights,
            repeated_marks=request.repeated_marks,  # type: ignore[arg-type]
        )
    described = replace(described, notes=(*described.notes, *map(TaskNote, human.notes)))
    return run_task(described, request.settings, progress, human.scores, human.pairwise)


def publish_task(
    request: TaskRequest, result: TaskResult, language: str = DEFAULT_LANGUAGE
) -> list[str]:
    """Write the folder of results, if requested; return a message for the user."""
    return [] if request.out is None else publish(Path(request.out), result, language)


def task(
    manifest: FilePath,
    *,
    judgements: Sequence[Any] = (),
    scales: Mapping[str, str] | None = None,
    settings: CompareSettings | None = None,
    **options: Any,
) -> TaskResult:
    """Score and compare all runs of a shared task: ``task("task.yaml", out="results")``.

    The manifest names the test set and the runs; for a folder of runs, give testset, ref, src, docs
    and lang. Judgements are files or tables, as for human.report. ``out`` is a new folder for the
    leaderboard and a page for each run. ``options`` are those of :class:`TaskRequest`.
    """
    if unknown := [name for name in options if name not in TaskRequest.__dataclass_fields__]:
        raise UsageError(f"task takes no {unknown[0]}; texts are {', '.join(_TEXTS)}")
    with as_files(judgements) as paths, notebook_progress() as progress:
        request = TaskRequest(
            manifest=str(manifest),
            judgements=tuple(paths),
            scale=tuple(scales_of(scales)),
            settings=settings or CompareSettings(),
            **options,
        )
        result = score_task(request, progress)
    publish_task(request, result)
    return result
