"""patmark run: translations or claims from a system under test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from patmark.app import commands
from patmark.app.cli.output import (
    Output,
    exit_if,
    print_json,
    progress_bar,
    report_when_stopped,
    say,
)
from patmark.options import refuse
from patmark.wording import translated

if TYPE_CHECKING:
    from patmark.app.commands import RunRequest, ThenRequest
    from patmark.llm import Usage
    from patmark.systems import RunDataset, RunPlan, RunResult

_TALK = ("--json", "--quiet", "--ui")


def run(request: commands.RunRequest, then: commands.ThenRequest, output: Output) -> None:
    """Run a system on a test set: translate it, draft claims, or revise claims.

    Examples:

      patmark run dictionary --testset bench.jsonl --lang zh-en --out dictionary.jsonl
      --then score

      patmark run openai:my-model --base-url http://localhost:8000/v1 --testset bench.jsonl
      --lang zh-en --out results.jsonl --dry-run

      patmark run command:'python translate.py' --src source.ja --lang ja-en --out mine.txt

      patmark run http://localhost:5000/translate --src source.ja --lang ja-en --out libre.txt

      patmark run openai:my-model --base-url http://localhost:8000/v1 --documents
      --src originals --lang zh-en --out translations

      patmark run openai:my-model --base-url http://localhost:8000/v1 --task claims
      --src description.txt --lang en --out claims.txt

    With --src, references (--ref) are for oracle and --then score, documents (--docs) for
    --context; for claims, --src is one text in the whole file.

    The same command resumes a stopped run and retries failed rows. It also writes OUT.journal
    (every answer), OUT.run.json (description of the run) and OUT.failed.jsonl (rows without a
    result, with the reason); then the exit code is 1.
    """
    from patmark.systems import RunFiles

    gates, out = then.gates, str(request.out)
    read = [*request.paths, gates.baseline, gates.calibration]
    output.check(read, *RunFiles(out).written, gates.junit)
    bench = request.dataset
    score = _scoring(bench, request, replace(then, detailed=bool(output.html)), output)
    plan = request.plan(bench.test_set, bench.about, lambda notice: say(f"patmark: {notice.text}"))
    if request.dry_run:
        _preview(plan, request, output)
        return
    ran = _run(plan, bench, request, output.quiet)
    _tell(ran, output.json and score is None, output.quiet, output.language)
    if score is not None:
        score()
    exit_if(bool(ran.finished.failures))


def _scoring(
    bench: RunDataset, request: RunRequest, then: ThenRequest, output: Output
) -> Callable[[], None] | None:
    """Return the scoring of the results, checked before the run; None without it."""
    if then.then is None:
        given = [name for one in (then, output) for name in one.given() if name not in _TALK]
        refuse("without --then score", dict.fromkeys(given, True))
        return None
    gates, named = then.gates, f"{request.title}={request.out}"
    protocol = then.protocol(bench, request.task)
    if bench.format == "text":
        second = {"a second --ref": len(request.ref) > 1}
        refuse("with the claims of one text", {**gates.given(), **second})
        from patmark.app.cli.claims import score as score_claims

        asked = commands.claims.ClaimScoreRequest(
            ref=Path(request.ref[0]),
            hyp=(named,),
            measures=then.measures,
            sampling=then.sampling.settings,
        )
        return partial(score_claims, asked, output)
    from patmark.app.cli.score import score_files
    from patmark.evaluation import Inputs

    plan = then.plan
    commands.check_gates(plan, protocol, bench.test_set, [request.title])
    inputs = Inputs(results=[named])
    if not bench.direction:
        names = ("ref", "src", "docs", "testset", "lang")
        files = {name: getattr(request, name) for name in names}
        inputs = Inputs(hyp=[named], documents=bench.is_of_documents, **files)
    return partial(score_files, inputs, protocol, plan, gates.junit, output)


def _run(plan: RunPlan, bench: RunDataset, request: RunRequest, quiet: bool) -> RunResult:
    from patmark.systems import run_to_files

    name, prices = request.title, request.prices
    with report_when_stopped(), progress_bar(quiet) as bar:

        def advance(done: int, total: int, used: Usage) -> None:
            bar(f"{name} {done}/{total} {used.words(prices)}", done, total)

        return run_to_files(
            plan, bench, name, str(request.out), fresh=request.fresh, prices=prices,
            progress=advance,
        )  # fmt: skip


def _tell(ran: RunResult, as_json: bool, quiet: bool, language: str) -> None:
    """Print the outcome, for people or for programs."""
    if as_json:
        print_json(ran.outcome())
        return
    if not quiet:
        for line in ran.lines():
            say(translated(line, language))
    for notice in ran.finished.notices:
        say(f"patmark: {translated(notice.text, language)}")
    if ran.failure_line:
        say(f"patmark: {translated(ran.failure_line, language)}")


def _preview(plan: RunPlan, request: RunRequest, output: Output) -> None:
    """Print the first prompt, and an estimate for the remaining rows."""
    from patmark.systems import RunFiles, journalled_rows, preview_run

    journal = RunFiles(str(request.out)).journal
    journalled = {} if request.fresh else journalled_rows(journal, plan.settings)
    seen = preview_run(plan, request.prices, journalled)
    if output.json:
        print_json(seen.to_json())
    else:
        print(seen.prompt)
        say(translated(seen.summary, output.language))
