"""patmark run: produce the translations or claims that are to be scored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from patmark.cli import endpoint_options as common, options as given, run_options as own
from patmark.cli.gates import Gates
from patmark.cli.output import Outputs, say
from patmark.cli.run_progress import run_progress, spent_text
from patmark.cli.run_systems import SystemOptions, build_system
from patmark.cli.run_then import RunData, Scoring, score_results
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.systems import Bench, Plan, Ran, SystemKind


def run(
    system: own.System,
    out: own.Out,
    testset: own.TestSetFile = None,
    direction: own.Direction = None,
    lang: own.Lang = None,
    src: own.Src = None,
    ref: own.Ref = None,
    docs: own.Docs = None,
    task: own.TaskName = "translate",
    name: own.Name = None,
    context: own.Context = None,
    glossary: own.GlossaryFile = None,
    template: own.TemplateFile = None,
    base_url: own.BaseUrl = None,
    api_key_env: common.KeyEnv = None,
    api_key_keyring: common.KeyRing = None,
    temperature: own.Temperature = None,
    max_tokens: own.MaxTokens = None,
    model_seed: own.ModelSeed = None,
    extra: own.Extra = None,
    dictionary: own.Dictionary = None,
    format: own.Format = None,
    method: own.Method = None,
    body: own.Body = None,
    header: own.Header = None,
    answer: own.AnswerPath = None,
    revision: own.Revision = None,
    device: own.Device = None,
    beams: own.Beams = None,
    batch: own.BatchSize = None,
    model_lang: own.ModelLang = None,
    concurrency: own.Concurrency = None,
    timeout: own.Timeout = None,
    retries: own.Retries = None,
    reasks: own.Reasks = None,
    cache: common.Cache = None,
    no_cache: common.NoCache = False,
    budget_tokens: common.BudgetTokens = None,
    budget_cost: common.BudgetCost = None,
    price_in: common.PriceIn = None,
    price_out: common.PriceOut = None,
    fresh: own.Fresh = False,
    clean: own.Clean = None,
    dry_run: own.DryRun = False,
    then: own.Then = None,
    measures: given.Measures = None,
    variant: given.Variant = None,
    resamples: own.Resamples = None,
    seed: own.Seed = None,
    by: given.By = None,
    fail_under: given.FailUnder = None,
    baseline: given.Baseline = None,
    max_drop: given.MaxDrop = None,
    junit: given.Junit = None,
    segments: given.Segments = None,
    save: given.Save = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Run a system on a test set: translate it, draft claims, or revise claims.

    Examples:

      patmark run dictionary --testset bench.jsonl --direction cn2en --out dictionary.jsonl
      --then score

      patmark run openai:my-model --base-url http://localhost:8000/v1 --testset bench.jsonl
      --direction cn2en --out results.jsonl --dry-run

      patmark run command:'python translate.py' --src source.ja --lang ja-en --out mine.txt

      patmark run http://localhost:5000/translate --src source.ja --lang ja-en --out libre.txt

      patmark run openai:my-model --base-url http://localhost:8000/v1 --task claims
      --src description.txt --lang en --out claims.txt

    A run that was stopped goes on where it was when the same command is given again; rows that
    failed are tried again. Beside OUT lie OUT.journal (every answer as it came), OUT.run.json (what
    the run was) and OUT.failed.jsonl (rows without a result, and why); then the exit code is 1.
    """
    data = RunData(
        testset, direction, lang, src, tuple(ref or ()), docs, task, context or 0,
        tuple(glossary or ()), template,
    )  # fmt: skip
    options = SystemOptions(
        template, base_url, api_key_env, api_key_keyring, temperature, max_tokens, model_seed,
        extra, dictionary, format, method, body, header, answer, revision, device, beams, batch,
        model_lang, concurrency, timeout, retries, reasks, cache, no_cache, budget_tokens,
        budget_cost, price_in, price_out,
    )  # fmt: skip
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save, junit)
    gates = Gates(fail_under, baseline, max_drop)
    scoring = Scoring(then, measures, variant, resamples, seed, by, gates, outputs)
    from patmark.systems import parse_system

    kind, rest = parse_system(system)
    options.check(kind)
    title = kind.default_name(rest) if name is None else _name(name)
    bench = _read(data, out, title, scoring)
    plan = _plan(kind, rest, options, data, bench, clean)
    if dry_run:
        _preview(plan, out, fresh, options, as_json)
        return
    ran = _run(plan, bench, title, out, fresh, options, quiet)
    _tell(ran, options, as_json and then is None, quiet)
    if then is not None:
        score_results(scoring, bench, title, out, data)
    if ran.finished.failures:
        raise typer.Exit(1)


def _name(given_name: str) -> str:
    if not given_name.strip() or set(given_name) & set("=/\\"):
        raise UsageError("--name must not be empty and have no = or slash")
    return given_name.strip()


def _read(data: RunData, out: str, name: str, scoring: Scoring) -> Bench:
    """The test set; and nothing that is read or reported would be overwritten."""
    from patmark.data import check_stdin_once
    from patmark.systems import RunFiles, read_bench

    check_stdin_once(data.paths)
    written = RunFiles(out).written
    others = (*data.paths, *scoring.paths, *scoring.outputs.paths)
    taken = {os.path.realpath(path): path for path in others}
    for path in written:
        if os.path.realpath(path) in taken:
            raise UsageError(f"{path} would be overwritten; give another --out")
    if not Path(out).absolute().parent.is_dir():
        raise UsageError(f"{out} cannot be written: its folder does not exist")
    bench = read_bench(
        testset=data.testset, direction=data.direction, lang=data.lang, src=data.src,
        ref=data.ref, docs=data.docs, out=out, task=data.task,
    )  # fmt: skip
    scoring.check(data, written, bench, name)
    return bench


def _plan(
    kind: SystemKind,
    rest: str,
    options: SystemOptions,
    data: RunData,
    bench: Bench,
    clean: bool | None,
) -> Plan:
    from patmark.systems import plan_run, read_template, read_term_base, task_of

    own_template = None if data.template is None else read_template(data.template)
    task = task_of(data.task, own_template, data.context, read_term_base(data.glossary))
    system = build_system(kind, rest, options, bench.test_set, task.template)
    return plan_run(system, task, bench.test_set, cleaning=clean, **bench.about)


def _run(
    plan: Plan, bench: Bench, name: str, out: str, fresh: bool, options: SystemOptions, quiet: bool
) -> Ran:
    from patmark.systems import run_to_files

    prices = options.prices
    try:
        with run_progress(quiet, name, prices) as progress:
            return run_to_files(
                plan, bench, name, out, fresh=fresh, prices=prices, progress=progress
            )
    except KeyboardInterrupt:
        say("patmark: stopped; what was answered is kept, and the same command goes on from there")
        raise typer.Exit(130) from None


def _tell(ran: Ran, options: SystemOptions, as_json: bool, quiet: bool) -> None:
    """What became of the run, for people or for programs."""
    done, counts = ran.finished, ran.to_json()
    if as_json:
        more: dict[str, Any] = {
            "out": ran.files.out, "taken_over": done.taken_over, "kept": done.from_cache,
            "requests": done.tries,
            "spent": done.spent.to_json(options.prices),
            "failures": [{"id": row.id, "reason": row.failure} for row in done.failures],
        }  # fmt: skip
        print(json.dumps(counts | more, ensure_ascii=False, indent=2, default=dict))
        return
    if not quiet:
        for line in _lines(ran, counts, options):
            say(line)
    if done.failures:
        first = done.failures[0]
        say(
            f"patmark: {len(done.failures)} of {len(done.rows)} rows failed, listed in "
            f"{ran.files.failed}; the first, {first.id}: {first.failure}"
        )


def _lines(ran: Ran, counts: dict[str, Any], options: SystemOptions) -> list[str]:
    done = ran.finished
    parts = [f"{counts['answered']} of {counts['rows']} rows answered"]
    parts += [f"{done.taken_over} of them earlier"] if done.taken_over else []
    parts += [f"{done.from_cache} with kept answers of earlier runs"] if done.from_cache else []
    parts += [f"{counts['cleaned']} cleaned of chatter"] if counts["cleaned"] else []
    parts += [f"{counts['excluded']} rows have no source"] if counts["excluded"] else []
    spent = spent_text(done.spent, options.prices)
    used = [f"used now: {spent}"] if spent else []
    total = spent_text(done.used, options.prices) if done.taken_over else ""
    used += [f"used in all: {total}"] if total and total != spent else []
    return [", ".join(parts), *used, ran.plan.signature, f"wrote {ran.files.out}"]


def _preview(plan: Plan, out: str, fresh: bool, options: SystemOptions, as_json: bool) -> None:
    """The first prompt, and what the rows that are left would take."""
    from patmark.systems import RunFiles, preview, settled_rows

    settled = {} if fresh else settled_rows(RunFiles(out).journal, plan.settings)
    seen = preview(plan, options.prices, settled)
    if as_json:
        print(json.dumps(seen.to_json(), ensure_ascii=False, indent=2))
    else:
        print(seen.prompt)
        say(seen.summary)
