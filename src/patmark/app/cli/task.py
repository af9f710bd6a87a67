"""patmark task: results of a shared task."""

from __future__ import annotations

from typing import Annotated, Any, cast

from patmark.app.cli.options import GradeOptions, References, Resampling, Trials
from patmark.app.cli.output import Tables, deliver, progress_bar
from patmark.options import Options, Parameter, group


@group
class TaskOptions(Options, heading="Task"):
    """Protocol and measures of a task, and the folder of results."""

    out: str | None = None
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

    All problems of all runs are reported together. Without --out the results are only printed.
    """
    from patmark.app.commands.task import TaskRequest, publish_task, score_task

    output.check([manifest, *texts.paths, *grades.judgements])
    request = TaskRequest(
        manifest=manifest,
        texts=texts.inputs(),
        protocol=options.protocol,
        measures=options.measures,
        judgements=grades.judgements,
        scale=grades.scale,
        keep_unfinished=grades.keep_unfinished,
        weights=grades.weights,
        repeated_marks=cast("Any", grades.repeated_marks),
        out=options.out,
        overwrite=options.overwrite,
        settings=tests.settings(sampling),
    )
    with progress_bar(output.quiet, "scoring ") as progress:
        result = score_task(request, progress)
    written = publish_task(request, result, output.language)
    deliver(result, output)
    output.say(*written)
