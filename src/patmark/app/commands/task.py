"""The task command: score and compare all runs of a shared task, and publish the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.app.commands.human import scales_of
from patmark.app.commands.inputs import as_files
from patmark.data import TaskManifest, TaskNote, find_manifest, read_manifest, read_run_folder
from patmark.errors import UsageError
from patmark.evaluation import CompareSettings, Inputs, weights_called
from patmark.human.judgements import parse_scale
from patmark.human.tasks import TaskJudgements, publish, read_task_judgements, run_task
from patmark.options import refuse
from patmark.report import notebook_progress
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import FilePath, RepeatedMarks
    from patmark.evaluation import Progress
    from patmark.human.tasks import TaskResult

_TEXTS = ("testset", "ref", "src", "docs", "lang")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    """A manifest, or a folder of runs with their ``texts``; judgements; and the output folder.

    ``scale`` declares scales as NAME=1..5, ``weights`` names those of marked errors. The results go
    to ``out``, a new folder unless ``overwrite`` is given.
    """

    manifest: FilePath
    texts: Inputs = field(default_factory=Inputs)
    protocol: str | None = None
    measures: str | None = None
    judgements: Sequence[FilePath] = ()
    scale: Sequence[str] = ()
    keep_unfinished: bool = False
    weights: str | None = None
    repeated_marks: RepeatedMarks = "once"
    out: FilePath | None = None
    overwrite: bool = False
    settings: CompareSettings = field(default_factory=CompareSettings)

    def __post_init__(self) -> None:
        if self.out is None:
            refuse(f"without {setting('out')}", self._named("overwrite"))
        else:
            self._check_folder(Path(self.out))
        if not self.judgements:
            refuse(
                f"without {setting('judgements')}",
                self._named("scale", "keep_unfinished", "weights")
                | {setting("repeated_marks"): self.repeated_marks != "once"},
            )

    def _named(self, *names: str) -> dict[str, Any]:
        return {setting(name): getattr(self, name) for name in names}

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
        texts = self.texts
        if find_manifest(self.manifest) is not None:
            given = {setting(name): getattr(texts, name) for name in _TEXTS}
            refuse("with a manifest, which names the test set", given)
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
            scales=[parse_scale(text) for text in request.scale],
            whole_segments=not request.keep_unfinished,
            weights=None if request.weights is None else weights_called(request.weights),
            repeated_marks=request.repeated_marks,
        )
    described = replace(described, notes=(*described.notes, *map(TaskNote, human.notes)))
    return run_task(described, request.settings, progress, human.scores, human.pairwise)


def publish_task(request: TaskRequest, result: TaskResult, language: str = "en") -> list[str]:
    """Write the folder of results, if requested; return a message for the user."""
    return [] if request.out is None else publish(Path(request.out), result, language)


def task(
    manifest: FilePath,
    *,
    protocol: str | None = None,
    measures: str | None = None,
    judgements: Sequence[Any] = (),
    scales: Mapping[str, str] | None = None,
    keep_unfinished: bool = False,
    weights: str | None = None,
    repeated_marks: RepeatedMarks = "once",
    out: FilePath | None = None,
    overwrite: bool = False,
    settings: CompareSettings | None = None,
    **texts: Any,
) -> TaskResult:
    """Score and compare all runs of a shared task: ``task("task.yaml", out="results")``.

    The manifest names the test set and the runs; for a folder of runs, ``texts`` are testset, ref,
    src, docs and lang. Judgements are files or tables, as for human.report. ``out`` is a new folder
    for the leaderboard and a page for each run.
    """
    if unknown := [name for name in texts if name not in _TEXTS]:
        raise UsageError(f"task takes no {unknown[0]}; texts are {', '.join(_TEXTS)}")
    with as_files(judgements) as paths, notebook_progress() as progress:
        request = TaskRequest(
            manifest=manifest,
            texts=Inputs(**texts),
            protocol=protocol,
            measures=measures,
            judgements=paths,
            scale=scales_of(scales),
            keep_unfinished=keep_unfinished,
            weights=weights,
            repeated_marks=repeated_marks,
            out=out,
            overwrite=overwrite,
            settings=settings or CompareSettings(),
        )
        result = score_task(request, progress)
    publish_task(request, result)
    return result
