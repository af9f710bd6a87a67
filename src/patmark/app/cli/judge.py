"""patmark judge: a language model judges translations or claims."""

from __future__ import annotations

from dataclasses import replace

from patmark.app import commands
from patmark.app.cli.output import (
    Output,
    asking,
    deliver,
    print_json,
    progress_bar,
    say,
    teller,
    warn_of_endpoint,
    wrote,
)
from patmark.options import group, refuse


@group
class JudgeOutput(Output):
    """Output: tables, scores and marked errors."""

    annotations: str | None = None
    """mqm, esa: write the marked errors as JSON lines, for patmark human report."""


def judge(request: commands.JudgeRequest, output: JudgeOutput) -> None:
    """Judge translations or drafts of claims with a language model: scores, errors or pairs.

    Examples:

      patmark judge --src s.txt --ref r.txt --hyp A=a.txt --hyp B=b.txt --lang zh-en
      --base-url http://localhost:8000/v1 --model my-model --save judged.json

      patmark judge --src s.txt --hyp A=a.txt --lang ja-en --no-ref --scheme mqm
      --base-url http://localhost:8000/v1 --model my-model --annotations errors.jsonl

      patmark judge --src s.txt --hyp A=a.txt --hyp B=b.txt --lang ja-en --probe
      --base-url http://localhost:8000/v1 --model my-model

      patmark judge --claims --ref granted.txt --hyp A=a.txt --base-url http://localhost:8000/v1
      --model my-model
    """
    request = replace(request, annotations=output.annotations)
    if request.probe:
        refuse("with --probe", output.named("save", "segments"))
    if request.dry_run:
        paths = [*output.paths, *filter(None, [output.annotations])]
        refuse("with --dry-run", dict.fromkeys(paths, True))
    output.check(request.paths, output.annotations)
    test_set, runs, notices = request.read()
    for notice in notices:
        teller(quiet=True)(notice)
    client = request.client_of(request.base_url, reasks=request.reasks)
    if request.dry_run:
        seen = commands.preview_request(request, test_set, runs, client)
        if output.json:
            print_json(seen.to_json())
        else:
            print(seen.prompt)
            say(seen.summary)
        return
    warn_of_endpoint(client, request.subject)
    with asking(client), progress_bar(output.quiet, "judging ") as bar:
        result = commands.judge_runs(
            request, test_set, runs, client, lambda done, total: bar(request.model, done, total)
        )
    if output.annotations and output.talks:
        say(wrote(output.annotations, output.language))
    deliver(result, output)
