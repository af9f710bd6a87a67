"""patmark task: score all runs of a shared task, and publish the results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import Grades, References, Resampling, Trials
from patmark.cli.output import Tables, deliver, progress_bar
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group, refuse

if TYPE_CHECKING:
    from patmark.data import TaskManifest
    from patmark.tasks import TaskJudgements


@group
class TaskOptions(Options, heading="Task"):
    """How the runs are judged, and where the results go."""

    out: str | None = None
    """Write leaderboard, a page for each run, results and scores to this folder."""
    overwrite: bool = False
    """Allow a folder that is not empty; replace its results."""
    protocol: str | None = None
    """plain (default) or ntcir9, instead of what the manifest says."""
    measures: str | None = None
    """Measures with commas, instead of those of the manifest; see patmark measures."""


@group
class TaskGrades(Grades):
    """Judgements of people."""

    judgements: tuple[str, ...] = ()
    """Human judgements of runs (CSV evaluator,system,segment,criterion,value …)."""


def task(
    manifest: Annotated[
        str,
        Parameter(
            help="The manifest (.yaml, .json, .toml), its folder, or a folder of .jsonl runs."
        ),
    ],
    /,
    *,
    options: TaskOptions = TaskOptions(),
    texts: References = References(),
    grades: TaskGrades = TaskGrades(),
    tests: Trials = Trials(),
    sampling: Resampling = Resampling(),
    output: Tables = Tables(),
) -> None:
    """Score and compare all runs of a shared task, and write a leaderboard with a page per run.

    Examples:

      patmark task task.yaml --out results

      patmark task task.yaml --judgements adequacy.csv --out results

      patmark task submissions/ --testset test.jsonl --lang ja-en --protocol ntcir9 --out results

    A manifest names the test set and the runs:

      name: Patent task 2026
      languages: ja-en
      references: [reference.en]
      protocol: ntcir9
      runs:
        - {group: NTT-UT, priority: 1, file: ntt.txt, type: SMT, resources: BM}

    All problems of all runs are reported at once. Without --out the results are only printed.
    """
    from patmark.data import TaskNote
    from patmark.tasks import publish, run_task

    output.check([manifest, *texts.paths, *grades.judgements])
    if options.out is None:
        refuse("without --out", options.named("overwrite"))
    else:
        _check_folder(Path(options.out), Path(manifest), options.overwrite)
    if not grades.judgements:
        refuse("without --judgements", grades.named("scale", "keep_unfinished", "weights"))
    described = _read(manifest, texts, options)
    human = _judged(grades, described)
    described = replace(described, notes=(*described.notes, *map(TaskNote, human.notes)))
    with progress_bar(output.quiet, "scoring ") as progress:
        result = run_task(
            described, tests.settings(sampling), progress, human.scores, human.pairwise
        )
    written = [] if options.out is None else publish(Path(options.out), result, output.language)
    deliver(result, output)
    output.say(*written)


def _read(manifest: str, texts: References, options: TaskOptions) -> TaskManifest:
    """The task, with what the command line says in place of the manifest."""
    from patmark.data import find_manifest, read_manifest, read_run_folder

    if find_manifest(manifest) is not None:
        named = texts.named("testset", "ref", "src", "docs", "lang")
        refuse("with a manifest, which names the test set", named)
        described = read_manifest(manifest)
    else:
        if texts.testset is None and not texts.ref and texts.src is None:
            raise UsageError(
                f"{manifest} holds no manifest.yaml; write one, or give --testset and --lang"
            )
        test_set, runs = texts.inputs().read_test_set()
        if runs:
            raise UsageError(f"{texts.testset} holds outputs; hand in each run as a file")
        described = read_run_folder(manifest, test_set)
    return described.judged_by(options.protocol, options.measures)


def _judged(grades: TaskGrades, manifest: TaskManifest) -> TaskJudgements:
    from patmark.tasks import TaskJudgements, read_task_judgements

    if not grades.judgements:
        return TaskJudgements()
    return read_task_judgements(
        list(grades.judgements),
        manifest,
        scales=grades.scales,
        whole_segments=not grades.keep_unfinished,
        weights=grades.named_weights,
    )


def _check_folder(out: Path, manifest: Path, overwrite: bool) -> None:
    """Refuse a place that is no folder, holds something, or is where the task itself lies."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out takes a folder")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"{out} cannot be made: its folder does not exist")
    home = manifest if manifest.is_dir() else manifest.parent
    if out.resolve() == home.resolve():
        raise UsageError(f"{out} is the folder of the task; write the results to one of their own")
    if out.is_dir() and any(out.iterdir()) and not overwrite:
        raise UsageError(f"{out} is not empty; choose another folder, or add --overwrite")
