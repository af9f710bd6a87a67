"""patmark run: produce the translations or claims that are to be scored."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.data import CheckedProtocol, Data, References
from patmark.cli.endpoint import Service, Spending
from patmark.cli.gates import Gates
from patmark.cli.options import Choice, Resampling
from patmark.cli.output import Output, print_json, progress_bar, say
from patmark.cli.parsing import Options, Parameter, at_least, group, refuse
from patmark.cli.run_systems import (
    ChatModel,
    Http,
    HuggingFace,
    Local,
    SystemOptions,
    build_system,
)
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.llm import Prices, Usage
    from patmark.systems import Bench, Plan, Ran, SystemKind


@group
class RunInputs(References):
    """The texts to translate, or to draft claims from."""

    direction: str | None = None
    """The test set has PatSnap rows: cn2en or en2cn."""


@group
class RunOptions(Options, heading="Run"):
    """What to do, and where the results go."""

    out: str
    """Results: .jsonl for rows, another ending for text lines."""
    name: str | None = None
    """The name of the system in results (default: from SYSTEM)."""
    task: str = "translate"
    """translate; claims: draft them from a description; revise: improve claims."""
    dry_run: bool = False
    """Ask nothing: show the first prompt and what it would take."""
    fresh: Annotated[bool, Parameter(negative="--resume")] = False
    """Begin anew, or go on with a run that was stopped (default)."""
    context: Annotated[int | None, at_least(0)] = None
    """Show this many preceding texts of the document."""
    glossary: Annotated[tuple[str, ...], Parameter(metavar="FILE|rows")] = ()
    """Terms to use: a file (term, tab, translation), or rows: those of the test set."""
    template: str | None = None
    """A prompt of your own: .toml, or text with the gap {source}."""
    clean: Annotated[bool | None, Parameter(negative="--no-clean")] = None
    """Take away chatter such as 'Here is the translation:' (default: for models)."""

    def title(self, kind: SystemKind, rest: str) -> str:
        """The name of the system in results."""
        if self.name is None:
            return kind.default_name(rest)
        if not self.name.strip() or set(self.name) & set("=/\\"):
            raise UsageError("--name must not be empty and have no = or slash")
        return self.name.strip()


@group
class Then(Options, heading="Scoring"):
    """What follows the run."""

    then: str | None = None
    """score: score the results at once, with the options below."""
    measures: str | None = None
    """Measures with commas, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."""
    variant: str | None = None
    """patsnap: strict (default), or published for the published scorer's numbers."""


def run(
    system: Annotated[
        str,
        Parameter(
            help="openai:MODEL, command:PROGRAM, http://ADDRESS, hf:MODEL, dictionary, copy or "
            "oracle."
        ),
    ],
    /,
    *,
    options: RunOptions,
    inputs: RunInputs = RunInputs(),
    model: ChatModel = ChatModel(),
    service: Service = Service(),
    spending: Spending = Spending(),
    http: Http = Http(),
    hf: HuggingFace = HuggingFace(),
    local: Local = Local(),
    then: Then = Then(),
    sampling: Resampling = Resampling(),
    gates: Gates = Gates(),
    output: Output = Output(),
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

    With --src, references (--ref) are for oracle and --then score, documents (--docs) for
    --context; of claims, --src is one text in the whole file.

    A run that was stopped goes on where it was when the same command is given again; rows that
    failed are tried again. Beside OUT lie OUT.journal (every answer as it came), OUT.run.json (what
    the run was) and OUT.failed.jsonl (rows without a result, and why); then the exit code is 1.
    """
    from patmark.systems import parse_system

    given = SystemOptions(options.template, model, service, spending, http, hf, local)
    scoring = Scoring(then, inputs, options, sampling, gates, output)
    kind, rest = parse_system(system)
    given.check(kind)
    title = options.title(kind, rest)
    bench = _read(scoring, title)
    plan = _plan(kind, rest, given, options, bench)
    if options.dry_run:
        _preview(plan, options, spending.prices, output.json)
        return
    ran = _run(plan, bench, title, options, spending.prices, output.quiet)
    _tell(ran, spending.prices, output.json and then.then is None, output.quiet)
    if then.then is not None:
        scoring.score(bench, title)
    if ran.finished.failures:
        sys.exit(1)


@dataclass(frozen=True, slots=True)
class Scoring:
    """What follows a run: its results are scored as patmark score and patmark claims score do it.

    It knows all files that are read and written, and so refuses what could not be done."""

    then: Then
    inputs: RunInputs
    options: RunOptions
    sampling: Resampling
    gates: Gates
    output: Output

    @property
    def read(self) -> list[str]:
        """All files to read for the run."""
        tables = [path for path in self.options.glossary if path != "rows"]
        return [*self.inputs.paths, *filter(None, [self.options.template]), *tables]

    @property
    def others(self) -> list[str]:
        """All other files that are named."""
        named = [*self.output.paths, self.gates.junit, self.gates.baseline]
        return [path for path in named if path is not None]

    @property
    def measures(self) -> str | None:
        """The measures that are asked for; those of claims unless the task is to translate."""
        if self.options.task == "translate" or self.then.measures is not None:
            return self.then.measures
        from patmark.claims import DEFAULT_MEASURES

        return ",".join(one.name for one in DEFAULT_MEASURES)

    def check(self, written: Sequence[str], bench: Bench, name: str) -> None:
        """Refuse, before the run, what scoring could not do."""
        if self.then.then is None:
            shown = {"a report": [*self.output.paths, *filter(None, [self.gates.junit])]}
            refuse(
                "without --then score",
                {
                    **self.then.named("measures", "variant"),
                    **dict.fromkeys(self.sampling.given(), True),
                    **shown,
                    **self.output.named("full"),
                    **self._gate_options,
                },
            )
        elif self.then.then != "score":
            raise UsageError(f"--then {self.then.then}: only score can follow")
        elif bench.format != "bench" and not any(bench.test_set.reference_lists):
            missing = "--ref" if self.inputs.src is not None else "references in the test set"
            raise UsageError(f"--then score needs references: {missing}")
        if bench.direction is None:
            refuse("without --direction", self.then.named("variant"))
        else:
            refuse("with --direction", self.then.named("measures"))
        self.output.check([*self.read, self.gates.baseline, *written], self.gates.junit)
        if self.then.then is not None:
            self._check_gates(bench, name)

    @property
    def _gate_options(self) -> dict[str, object]:
        return self.gates.named("fail_under", "baseline", "max_drop")

    def _check_gates(self, bench: Bench, name: str) -> None:
        """Refuse measures, thresholds and a baseline that will be of no use."""
        from patmark.evaluation import protocol_called

        if bench.format == "text":
            several = len(bench.test_set[0].references) > 1
            refuse("with the claims of one text", self._gate_options | {"a second --ref": several})
        settings = self.sampling.settings
        options = {"measures": self.measures} if self.measures is not None else {}
        protocol = protocol_called(bench.protocol, options, settings)
        names = protocol.names(bench.test_set)
        plan = self.gates.read(settings)
        if plan:
            plan.check(names, [name])
            plan.check_baseline(bench.test_set, protocol.signatures(bench.test_set))

    def score(self, bench: Bench, name: str) -> None:
        """Score the file that the run has left, with the same options as the other command."""
        from patmark.cli.claims.score import ClaimMeasures, Drafts, score as score_claims
        from patmark.cli.score import score

        named, inputs = f"{name}={self.options.out}", self.inputs
        after: dict[str, Any] = {
            "sampling": self.sampling,
            "gates": self.gates,
            "output": self.output,
        }
        if bench.direction is not None:
            protocol = CheckedProtocol(
                protocol=bench.protocol, direction=bench.direction, variant=self.then.variant
            )
            score(named, protocol=protocol, **after)
        elif bench.format == "text":
            score_claims(
                drafts=Drafts(ref=inputs.ref[0], hyp=(named,)),
                measures=ClaimMeasures(measures=self.then.measures),
                sampling=self.sampling,
                output=self.output,
            )
        else:
            data = Data(hyp=(named,), lang=inputs.lang, testset=inputs.testset)
            if not inputs.testset:
                data = replace(data, ref=inputs.ref, src=inputs.src, docs=inputs.docs)
            score(data=data, choice=Choice(measures=self.measures), **after)


def _read(scoring: Scoring, name: str) -> Bench:
    """The test set; and nothing that is read or reported would be overwritten."""
    from patmark.data import check_stdin_once
    from patmark.systems import RunFiles, read_bench

    out, inputs = scoring.options.out, scoring.inputs
    check_stdin_once(scoring.read)
    written = RunFiles(out).written
    taken = {os.path.realpath(path) for path in (*scoring.read, *scoring.others)}
    for path in written:
        if os.path.realpath(path) in taken:
            raise UsageError(f"{path} would be overwritten; give another --out")
    if not Path(out).absolute().parent.is_dir():
        raise UsageError(f"{out} cannot be written: its folder does not exist")
    bench = read_bench(
        testset=inputs.testset,
        direction=inputs.direction,
        lang=inputs.lang,
        src=inputs.src,
        ref=inputs.ref,
        docs=inputs.docs,
        out=out,
        task=scoring.options.task,
    )
    scoring.check(written, bench, name)
    return bench


def _plan(
    kind: SystemKind, rest: str, given: SystemOptions, options: RunOptions, bench: Bench
) -> Plan:
    from patmark.systems import plan_run, read_template, read_term_base, task_of

    own_template = None if options.template is None else read_template(options.template)
    terms = read_term_base(options.glossary)
    task = task_of(options.task, own_template, options.context or 0, terms)
    system = build_system(kind, rest, given, bench.test_set, task.template)
    return plan_run(system, task, bench.test_set, cleaning=options.clean, **bench.about)


def _run(
    plan: Plan, bench: Bench, name: str, options: RunOptions, prices: Prices | None, quiet: bool
) -> Ran:
    from patmark.systems import run_to_files

    try:
        with progress_bar(quiet) as bar:

            def advance(done: int, total: int, used: Usage) -> None:
                if bar is not None:
                    bar(f"{name} {done}/{total} {_spent(used, prices)}", done, total)

            return run_to_files(
                plan,
                bench,
                name,
                options.out,
                fresh=options.fresh,
                prices=prices,
                progress=None if bar is None else advance,
            )
    except KeyboardInterrupt:
        say("patmark: stopped; what was answered is kept, and the same command goes on from there")
        sys.exit(130)


def _spent(used: Usage, prices: Prices | None) -> str:
    """Tokens, and money where prices are known; nothing where nothing was used."""
    if not used.tokens:
        return ""
    cost = "" if prices is None else f", cost {prices.cost(used):.4f}"
    about = "about " if used.estimated else ""
    return (
        f"{about}{used.prompt_tokens:,} prompt and {used.completion_tokens:,} answered tokens{cost}"
    )


def _tell(ran: Ran, prices: Prices | None, as_json: bool, quiet: bool) -> None:
    """What became of the run, for people or for programs."""
    done, counts = ran.finished, ran.to_json()
    if as_json:
        print_json(
            {
                **counts,
                "out": ran.files.out,
                "taken_over": done.taken_over,
                "kept": done.from_cache,
                "requests": done.tries,
                "spent": done.spent.to_json(prices),
                "failures": [{"id": row.id, "reason": row.failure} for row in done.failures],
            }
        )
        return
    if not quiet:
        for line in _lines(ran, counts, prices):
            say(line)
    if done.failures:
        first = done.failures[0]
        say(
            f"patmark: {len(done.failures)} of {len(done.rows)} rows failed, listed in "
            f"{ran.files.failed}; the first, {first.id}: {first.failure}"
        )


def _lines(ran: Ran, counts: dict[str, Any], prices: Prices | None) -> list[str]:
    done = ran.finished
    parts = [f"{counts['answered']} of {counts['rows']} rows answered"]
    parts += [f"{done.taken_over} of them earlier"] if done.taken_over else []
    parts += [f"{done.from_cache} with kept answers of earlier runs"] if done.from_cache else []
    parts += [f"{counts['cleaned']} cleaned of chatter"] if counts["cleaned"] else []
    parts += [f"{counts['excluded']} rows have no source"] if counts["excluded"] else []
    spent = _spent(done.spent, prices)
    used = [f"used now: {spent}"] if spent else []
    total = _spent(done.used, prices) if done.taken_over else ""
    used += [f"used in all: {total}"] if total and total != spent else []
    return [", ".join(parts), *used, ran.plan.signature, f"wrote {ran.files.out}"]


def _preview(plan: Plan, options: RunOptions, prices: Prices | None, as_json: bool) -> None:
    """The first prompt, and what the rows that are left would take."""
    from patmark.systems import RunFiles, preview, settled_rows

    settled = {} if options.fresh else settled_rows(RunFiles(options.out).journal, plan.settings)
    seen = preview(plan, prices, settled)
    if as_json:
        print_json(seen.to_json())
    else:
        print(seen.prompt)
        say(seen.summary)
