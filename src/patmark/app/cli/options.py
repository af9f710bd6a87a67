"""Groups of options that mean the same in every command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from patmark.app.cli.output import report_when_stopped, say
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, defaults_of, group, refuse

if TYPE_CHECKING:
    from patmark.app.commands import EndpointRequest
    from patmark.data import Notice, Run, TestSet
    from patmark.evaluation import (
        CompareSettings,
        GatePlan,
        Inputs,
        Sampling,
        Weights,
    )
    from patmark.human.judgements import Scale
    from patmark.llm import ChatClient, Endpoint

    Read: TypeAlias = tuple[TestSet, list[Run]]

PLAIN = "plain"
LISTED_FILES = (
    "Results as a protocol reads them, one file per system; or any files, whose roles are "
    "inferred from name and content, and reported."
)


# -- inputs and measures ---------------------------------------------------------------------------


@group
class References(Options, heading="Inputs"):
    """A test set: lines of several files, or one file."""

    ref: tuple[str, ...] = ()
    """References, one line per segment; may be repeated."""
    src: str | None = None
    """Source texts, one line per segment: enables the checks."""
    docs: str | None = None
    """Document ids, one per line: intervals by document."""
    testset: str | None = None
    """A test set with ids instead of --ref: JSONL, TSV, CSV, XLSX, or a folder of sacreBLEU; or the
    rows of a protocol."""
    lang: str | None = None
    """Languages as SOURCE-TARGET, e.g. ja-en; or the target."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        others = [path for path in (self.src, self.docs, self.testset) if path is not None]
        return [*self.ref, *others]

    def inputs(self, results: Sequence[str] = ()) -> Inputs:
        """Return the files that the user named."""
        from patmark.evaluation import Inputs

        given = {name: value for name, value in self.changed().items() if name != "allow_partial"}
        return Inputs(results=results, **given)


@group
class Hypotheses(Options, heading="Inputs"):
    """Translations."""

    hyp: tuple[str, ...] = ()
    """Translations: text lines, or id and hypothesis (.jsonl, .csv, .xlsx); FILE or NAME=FILE."""


@group
class TextOptions(References, Hypotheses):
    """A test set and its translations."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        from patmark.data import split_name

        return [*(split_name(one)[1] for one in self.hyp), *super().paths]

    def check(self, results: Sequence[str] = (), more: Sequence[str] = ()) -> list[str]:
        """Return all files to read; refuse standard input twice."""
        from patmark.data import check_stdin_once, split_name

        paths = [*(split_name(one)[1] for one in results), *self.paths, *more]
        check_stdin_once(paths)
        return paths

    def read(self) -> Read:
        """Return the test set and its translations."""
        inputs = self.inputs()
        test_set, runs = inputs.read_test_set()
        runs += inputs.read_runs(test_set, allow_partial=False)
        from patmark.evaluation import language_warnings

        for notice in language_warnings(test_set, runs, inputs.files_of(test_set, runs)):
            teller(quiet=True)(notice)
        return test_set, runs


@group
class Data(TextOptions):
    """Inputs of score and compare besides result files."""

    allow_partial: bool = False
    """Accept missing outputs; they count as empty, or the protocol leaves them out."""
    allow_empty_refs: bool = False
    """Leave segments without a reference out of the measures that need one."""
    documents: bool = False
    """--ref, --src and --hyp are whole documents, files or folders matched by name: outputs are
    aligned with the lines or paragraphs of the first reference."""


def teller(quiet: bool) -> Callable[[Notice], None]:
    """Return a function that prints notices; inferred roles only for interactive users."""

    def tell(notice: Notice) -> None:
        from patmark.app.commands import GUESSED
        from patmark.report import message_text

        if notice.code != GUESSED:
            say(message_text(notice))
        elif not quiet:
            say(f"patmark: {notice.text}")

    return tell


@group
class MeasureChoice(Options, heading="Measures"):
    """Measures, and the tokenizer of word measures."""

    measures: str | None = None
    """Comma-separated measures, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."""
    glossary: tuple[str, ...] = ()
    """Terms to prescribe: TBX, TMX, CSV, TSV or JSON; term measures run by default; may be
    repeated."""
    tok: str | None = None
    """Tokenizer of all word measures, e.g. zh-jieba."""
    force: bool = False
    """Allow a tokenizer that does not fit the target language."""


@group
class Imported(Options, heading="External scores"):
    """External scores as measures."""

    scores: tuple[str, ...] = ()
    """Segment scores of another program as a measure: NAME=FILE (CSV, TSV, JSONL, MT-metrics-eval,
    COMET JSON, one number per line), or NAME=command:PROGRAM; may be repeated."""
    lower_is_better: str | None = None
    """Comma-separated names of scores for which lower is better."""

    @property
    def files(self) -> list[str]:
        """All files to read."""
        from patmark.evaluation import imported_paths

        return imported_paths(self.scores) if self.scores else []


@group
class ProtocolChoice(Options, heading="Protocol"):
    """Protocol of the evaluation."""

    protocol: str = PLAIN
    """Evaluation protocol, with the options listed below; plain: any measures."""

    def request(
        self,
        results: Sequence[str],
        own: Options,
        data: Data,
        choice: MeasureChoice,
        imported: Imported,
        service: Mapping[str, ChatClient],
    ) -> dict[str, Any]:
        """Return the fields of a request for texts and measures."""
        given = choice.changed()
        measures, glossary = given.pop("measures", None), given.pop("glossary", ())
        partial = {"allow_partial": True} if data.allow_partial else {}
        return {
            "inputs": data.inputs(results),
            "protocol": self.protocol,
            "measures": measures,
            "glossary": glossary,
            "options": {**given, **own.changed(), **service, **partial},
            "scores": imported.scores,
            "lower_is_better": split_list(imported.lower_is_better),
        }


@group
class OwnOptions(Options):
    """The options that a protocol declares itself."""

    @classmethod
    def on_line(cls, tokens: Sequence[str]) -> type[Options]:
        """Return the options of the protocol that the command line names."""
        from patmark.catalogue import load_protocol_options

        return load_protocol_options(_protocol_on(tokens))

    @classmethod
    def others(cls) -> Mapping[str, type[Options]]:
        """Return the options of all protocols."""
        from patmark.catalogue import protocol_options

        known = protocol_options().items()
        return {f"--protocol {name}": own for name, own in known if defaults_of(own)}


def _protocol_on(tokens: Sequence[str]) -> str:
    """Return the protocol that a command line names; the last one counts."""
    name = PLAIN
    for token, after in pairwise([*tokens, ""]):
        option, equals, value = token.partition("=")
        if option == "--protocol":
            name = value if equals else after or name
    return name


# -- intervals, tests and gates -------------------------------------------------------------------


@group
class Draws(Options, heading="Sampling"):
    """Number of resamples and seed."""

    resamples: int | None = None
    """Bootstrap resamples for intervals (default: 10000; 0 for no intervals)."""
    seed: int | None = None
    """Seed of the resampling (default: 0)."""

    @property
    def settings(self) -> Sampling:
        """Settings of the intervals."""
        from patmark.evaluation import Sampling

        given = {name: getattr(self, name, None) for name in ("resamples", "seed", "by")}
        return Sampling(**{name: value for name, value in given.items() if value is not None})


@group
class Resampling(Draws):
    """Number of resamples, seed and resampling units."""

    by: str | None = None
    """Resample by segment or document (default: document if 6 are known)."""


@group
class Trials(Options, heading="Tests"):
    """Trials of the randomisation test."""

    trials: int | None = None
    """Trials of the randomisation test (default: 10000; p beyond these is a bound)."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """Return the settings of the comparison."""
        return self._settings(sampling)

    def _settings(self, sampling: Draws, **more: Any) -> CompareSettings:
        from patmark.evaluation import CompareSettings

        return CompareSettings(sampling.settings, trials=self.trials, **more)


@group
class PairTests(Trials):
    """Tests of many pairs."""

    holm: Annotated[bool | None, Parameter(negative="--no-holm")] = None
    """Correct for the number of pairs (default: for over two systems)."""
    clusters: str = "any"
    """Rule of clusters: any (worse than one system of the cluster above) or wmt (every system above
    beats every one below)."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """Return the settings of the comparison."""
        return self._settings(sampling, holm=self.holm, clusters=self.clusters)


@group
class ChosenTest(Trials):
    """The test between two systems."""

    test: str = "randomisation"
    """randomisation, bootstrap or bootstrap-sacrebleu."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """Return the settings of the comparison."""
        self._check()
        return self._settings(sampling, test=self.test)

    def _check(self) -> None:
        if self.trials is not None and self.test != "randomisation":
            raise UsageError(
                f"--trials has no effect with --test {self.test}, which draws --resamples times"
            )


@group
class GateOptions(Options, heading="Gates"):
    """Conditions on scores."""

    fail_under: str | None = None
    """Exit with 1 if a system scores worse than this, e.g. 'BLEU=30,TER=60'."""
    baseline: str | None = None
    """Saved scores of an earlier version, for --max-drop and --margin."""
    max_drop: str | None = None
    """Exit with 1 if a score fell significantly by more, e.g. 'BLEU=0.5'."""
    margin: str | None = None
    """Exit with 1 unless a drop of this size is ruled out, e.g. 'BLEU=0.5'."""
    calibration: Annotated[str | None, Parameter(metavar="FILE")] = None
    """The calibration of a judge (patmark calibrate), which gates on Judge(…) need."""
    allow_uncalibrated: bool = False
    """Allow gates on a judge without a calibration on human labels, or with an old one."""
    junit: str | None = None
    """Write the outcome of the gates as JUnit XML."""

    def read(self, test: Sampling | CompareSettings) -> GatePlan | None:
        """Parse thresholds and read the baseline before any work; None without gates.

        A drop is tested like a comparison of systems, or by the default test.
        """
        if not self.given():
            return None
        from patmark.evaluation import Gates

        gates = Gates(
            fail_under=self.fail_under,
            baseline=self.baseline,
            max_drop=self.max_drop,
            margin=self.margin,
            calibration=self.calibration,
            allow_uncalibrated=self.allow_uncalibrated,
        )
        plan = gates.plan(test)
        if not gates.decide:
            unused = self.named("calibration", "allow_uncalibrated", "junit")
            refuse("without --fail-under or --baseline", unused)
        return plan if gates.decide else None


@group
class CompareGates(GateOptions, heading="Gates"):
    """Conditions on scores of compared systems."""

    margin: str | None = None
    """Test which systems differ by less, e.g. 'BLEU=0.5'; with --baseline: exit with 1 unless a
    drop of this size is ruled out."""


# -- human judgements ------------------------------------------------------------------------------


@group
class Scales(Options, heading="Judgements"):
    """Scales of the judgements."""

    scale: tuple[str, ...] = ()
    """Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."""

    @property
    def scales(self) -> list[Scale]:
        """The given scales."""
        from patmark.human.judgements import parse_scale

        return [parse_scale(text) for text in self.scale]


@group
class GradeOptions(Scales):
    """Options for reading human judgements."""

    keep_unfinished: bool = False
    """Include segments for which an evaluator graded only some of the systems."""
    weights: str | None = None
    """Weights of marked errors: wmt, mqm or patent (default: wmt; patent if some are critical)."""
    repeated_marks: str = "once"
    """Repeated identical errors: once (count one), or count (count every row)."""

    @property
    def named_weights(self) -> Weights | None:
        """The given weights."""
        from patmark.evaluation import weights_called

        return None if self.weights is None else weights_called(self.weights)


# -- services: key, limits and budget --------------------------------------------------------------


@group
class Model(Options, heading="Model"):
    """Parameters of a language model."""

    temperature: float | None = None
    """openai: sampling temperature, 0–2 (default: 0)."""
    max_tokens: int | None = None
    """openai, hf: maximum length of an answer in tokens (default: the model's)."""
    model_seed: int | None = None
    """openai: a seed for the model."""
    extra: Annotated[str | None, Parameter(metavar="JSON")] = None
    """openai: additional request fields, as a JSON object."""
    reasks: int | None = None
    """openai: number of repeated requests after a refusal or an empty answer (default: 1)."""

    @property
    def extra_fields(self) -> dict[str, Any]:
        """Further fields of a request, from JSON."""
        from patmark.llm import extra_fields

        return extra_fields(self.extra)


@group
class Spending(Options, heading="Budget"):
    """Budget and prices."""

    budget_tokens: int | None = None
    """Maximum number of tokens; needs max_tokens, the limit of each answer."""
    budget_cost: float | None = None
    """Maximum cost; needs prices."""
    price_in: float | None = None
    """Price of a million prompt tokens."""
    price_out: float | None = None
    """Price of a million completion tokens."""


@group
class Service(Options, heading="Service"):
    """Connection to a service."""

    api_key_env: Annotated[str | None, Parameter(metavar="NAME")] = None
    """Environment variable with the API key (api.openai.com: OPENAI_API_KEY; others: none)."""
    api_key_keyring: Annotated[str | None, Parameter(metavar="SERVICE[/USER]")] = None
    """The API key is in the keyring, under this name."""
    concurrency: Annotated[int | None, at_least(1)] = None
    """Maximum number of concurrent requests (default: 8); for command:, of processes (1)."""
    timeout: float | None = None
    """Seconds to wait for an answer (default: 120)."""
    retries: int | None = None
    """Retries after failed requests, with growing waits (default: 6)."""
    cache: str | None = None
    """Response cache directory (default: patmark/llm in the user's cache)."""
    no_cache: bool = False
    """Disable the response cache."""

    def request(self, spending: Spending, reasks: int | None = None) -> EndpointRequest:
        """Return the endpoint request of the options."""
        from patmark.app.commands import EndpointRequest

        given = {name: getattr(self, name) for name in defaults_of(Service)}
        return EndpointRequest(**given, **spending.changed(), reasks=reasks)


@group
class JudgeService(Service):
    """Endpoint of a judge among the measures."""

    base_url: str | None = None
    """Endpoint of a Judge(…) among the measures, OpenAI-compatible; the options under Service and
    Budget apply to it, as in patmark judge."""

    def asking(self) -> AbstractContextManager[None]:
        """Return the message on interruption while a judge is running."""
        return report_when_stopped(kept=not self.no_cache) if self.base_url else nullcontext()

    def connected(self, spending: Spending) -> dict[str, ChatClient]:
        """Return the client as an option of a protocol; empty without an endpoint."""
        if self.base_url is None:
            refuse("without --base-url", self.given() | spending.given())
            return {}
        client = self.request(spending).client(self.base_url)
        warn_of_endpoint(client.endpoint, "translations")
        return {"service": client}


def warn_of_endpoint(endpoint: Endpoint, texts: str) -> None:
    """Warn about API keys and unencrypted connections."""
    from patmark.app.commands import endpoint_notices

    for notice in endpoint_notices(endpoint, texts):
        say(f"patmark: {notice.text}")


def split_list(text: str | None) -> list[str]:
    """Split comma-separated names."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]
