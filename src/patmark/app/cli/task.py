"""patmark task: results of a shared task."""

from __future__ import annotations

from patmark.app import commands
from patmark.app.cli.output import Tables, deliver, progress_bar


def task(request: commands.TaskRequest, output: Tables) -> None:
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
    output.check(request.paths)
    with progress_bar(output.quiet, "scoring ") as progress:
        result = commands.score_task(request, progress)
    written = commands.publish_task(request, result, output.language)
    deliver(result, output)
    output.say(*written)
