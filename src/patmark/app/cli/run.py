"""patmark run: translations or claims from a system under test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.options import (
    Data,
    GateOptions,
    Model,
    References,
    Resampling,
    Service,
    Spending,
)
from patmark.app.cli.output import Output, print_json, progress_bar, report_when_stopped, say
from patmark.options import (
    Options,
    Parameter,
    at_least,
    defaults_of,
    group,
    refuse,
)
from patmark.wording import translated

if TYPE_CHECKING:
    from patmark.app.commands import RunRequest
    from patmark.llm import Prices, Usage
    from patmark.systems import RunDataset, RunPlan, RunResult

_TALK = ("--json", "--quiet", "--ui")


@group
class RunInputs(References):
    """The texts to translate, or to draft claims from."""

    direction: str | None = None
    """PatSnap rows: cn2en or en2cn, the bench's names for --lang zh-en and en-zh."""
    documents: bool = False
    """--src and --ref are whole documents (Word, PDF, text, …) or folders of them; each is
    translated as a whole, to the file or folder --out."""


@group
class RunOptions(Options, heading="Run"):
    """The task and the results."""

    out: str
    """Results: .jsonl for rows, another extension for text lines; a folder for a folder of
    documents."""
    name: str | None = None
    """The name of the system in results (default: from SYSTEM)."""
    task: str = "translate"
    """translate; claims: draft them from a description; revise: improve claims."""
    dry_run: bool = False
    """Send nothing; show the first prompt and an estimate of the cost."""
    fresh: Annotated[bool, Parameter(negative="--resume")] = False
    """Start again instead of resuming an interrupted run (default: resume)."""
    context: Annotated[int | None, at_least(0)] = None
    """Number of preceding texts of the document to show."""
    glossary: Annotated[tuple[str, ...], Parameter(metavar="FILE|rows")] = ()
    """Required terms: a file (term, tab, translation), or rows for those of the test set."""
    template: str | None = None
    """Custom prompt: .toml, or text with the placeholder {source}."""
    clean: Annotated[bool | None, Parameter(negative="--no-clean")] = None
    """Remove a line such as 'Here is the translation:' before an answer (default: for models)."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        tables = [path for path in self.glossary if path != "rows"]
        return tables if self.template is None else [self.template, *tables]


@group
class ChatModel(Model):
    """A model at a chat endpoint."""

    base_url: str | None = None
    """openai: the endpoint, e.g. http://localhost:8000/v1."""


@group
class Http(Options, heading="http"):
    """A translation service."""

    method: str | None = None
    """http: POST (default), GET or PUT."""
    body: Annotated[str | None, Parameter(metavar="JSON")] = None
    """http: request body, with placeholders {source} {source_code} {target_code} {key} (default:
    that of LibreTranslate)."""
    header: Annotated[tuple[str, ...], Parameter(metavar="'NAME: VALUE'")] = ()
    """http: a header; {key} stands for the API key."""
    answer: str | None = None
    """http: path of the translation in the response, e.g. data.0.text (default: translatedText)."""


@group
class HuggingFace(Options, heading="hf"):
    """A model on this machine."""

    revision: str | None = None
    """hf: the revision of a model id."""
    device: str | None = None
    """hf: auto (default), cpu or cuda."""
    beams: Annotated[int | None, at_least(1)] = None
    """hf: beam size (default: 1)."""
    batch: Annotated[int | None, at_least(1)] = None
    """hf: batch size (default: 8)."""
    model_lang: Annotated[str | None, Parameter(metavar="SOURCE:TARGET")] = None
    """hf: the model's own codes, e.g. zho_Hans:eng_Latn."""


@group
class Local(Options, heading="command, dictionary"):
    """A program, or a dictionary."""

    format: str | None = None
    """command: lines (default), or jsonl: one object on each line."""
    dictionary: tuple[str, ...] = ()
    """dictionary: cedict (default for zh-en, en-zh), jmdict, edict:FILE, jmdict+cedict, tsv:FILE
    or inverted-tsv:FILE; repeat."""


@group
class Then(Options, heading="Scoring"):
    """Scoring after the run."""

    then: str | None = None
    """score: score the results after the run, with the options below."""
    measures: str | None = None
    """Comma-separated measures, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."""
    variant: str | None = None
    """With PatSnap rows: strict (default), or published to reproduce the published scorer."""


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
    gates: GateOptions = GateOptions(),
    output: Output = Output(),
) -> None:
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
    from patmark.app.commands import RunRequest, run_dataset
    from patmark.systems import RunFiles

    read = [*inputs.paths, *options.paths, gates.baseline, gates.calibration]
    output.check(read, *RunFiles(options.out).written, gates.junit)
    groups: tuple[Options, ...] = (model, service, spending, http, hf, local)
    names = ("task", "name", "context", "glossary", "template", "clean")
    request = RunRequest(
        system=system,
        **{name: value for name, value in options.changed().items() if name in names},
        options={name: value for one in groups for name, value in one.changed().items()},
    )
    given = {name: getattr(inputs, name) for name in defaults_of(RunInputs)}
    bench = run_dataset(**given, out=options.out, task=options.task)
    score = _scoring(bench, request.title, inputs, options, then, sampling, gates, output)
    plan = request.plan(bench.test_set, bench.about, lambda notice: say(f"patmark: {notice.text}"))
    if options.dry_run:
        _preview(plan, options, request.prices, output)
        return
    ran = _run(plan, bench, request, options, output.quiet)
    _tell(ran, output.json and score is None, output.quiet, output.language)
    if score is not None:
        score()
    if ran.finished.failures:
        sys.exit(1)


def _scoring(
    bench: RunDataset,
    title: str,
    inputs: RunInputs,
    options: RunOptions,
    then: Then,
    sampling: Resampling,
    gates: GateOptions,
    output: Output,
) -> Callable[[], None] | None:
    """Return the scoring of the results, checked before the run; None without it."""
    if then.then is None:
        groups: list[Options] = [then, sampling, gates, output]
        given = [name for one in groups for name in one.given() if name not in _TALK]
        refuse("without --then score", dict.fromkeys(given, True))
        return None
    from patmark.app.cli.claims.score import ClaimMeasures, Drafts, score as score_claims
    from patmark.app.cli.score import score_files
    from patmark.app.commands import ThenRequest, check_gates

    settings = sampling.settings
    asked = ThenRequest(**then.changed(), sampling=settings, detailed=bool(output.html))
    protocol = asked.protocol(bench, options.task)
    named = f"{title}={options.out}"
    if bench.format == "text":
        refuse(
            "with the claims of one text",
            {**gates.given(), "a second --ref": len(inputs.ref) > 1},
        )
        return partial(
            score_claims,
            drafts=Drafts(ref=inputs.ref[0], hyp=(named,)),
            measures=ClaimMeasures(measures=then.measures),
            sampling=sampling,
            output=output,
        )
    plan = gates.read(settings)
    check_gates(plan, protocol, bench.test_set, [title])
    files = {name: one for name, one in inputs.changed().items() if name in defaults_of(References)}
    documents = bench.is_of_documents
    lines = Data(hyp=(named,), documents=documents, **files)
    data, results = (Data(), [named]) if bench.direction else (lines, [])
    return partial(score_files, results, data, protocol, plan, gates.junit, output)


def _run(
    plan: RunPlan, bench: RunDataset, request: RunRequest, options: RunOptions, quiet: bool
) -> RunResult:
    from patmark.systems import run_to_files

    name, prices = request.title, request.prices
    with report_when_stopped(), progress_bar(quiet) as bar:

        def advance(done: int, total: int, used: Usage) -> None:
            bar(f"{name} {done}/{total} {used.words(prices)}", done, total)

        return run_to_files(
            plan, bench, name, options.out, fresh=options.fresh, prices=prices, progress=advance
        )


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


def _preview(plan: RunPlan, options: RunOptions, prices: Prices | None, output: Output) -> None:
    """Print the first prompt, and an estimate for the remaining rows."""
    from patmark.systems import RunFiles, journalled_rows, preview_run

    journalled = (
        {} if options.fresh else journalled_rows(RunFiles(options.out).journal, plan.settings)
    )
    seen = preview_run(plan, prices, journalled)
    if output.json:
        print_json(seen.to_json())
    else:
        print(seen.prompt)
        say(translated(seen.summary, output.language))
