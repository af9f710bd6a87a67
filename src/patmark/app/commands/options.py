"""Groups of options that mean the same in every command, for requests to inherit or hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from patmark import data, evaluation
from patmark.errors import UsageError
from patmark.options import Options, Parameter, defaults_of, group, negative, option_name, refuse
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import Run
    from patmark.evaluation import (
        CompareSettings,
        GatePlan,
        Inputs,
        MeasureNames,
        NamedRun,
        Sampling,
        Weights,
    )
    from patmark.human.judgements import Scale

PLAIN = "plain"


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


@group
class Hypotheses(Options, heading="Inputs"):
    """Translations."""

    hyp: tuple[str | NamedRun | Run, ...] = ()
    """Translations: text lines, or id and hypothesis (.jsonl, .csv, .xlsx); FILE or NAME=FILE."""


@group
class TextOptions(References, Hypotheses):
    """A test set and its translations."""


def inputs_of(given: References, **more: Any) -> Inputs:
    """Return the files that a user named."""
    names = ("hyp", "ref", "src", "docs", "testset", "lang", "allow_empty_refs", "documents")
    values = {name: getattr(given, name) for name in names if hasattr(given, name)}
    return evaluation.Inputs(**values, **more)


def paths_of(inputs: Inputs) -> list[Any]:
    """Return all files of texts to read; standard input occurs at most once."""
    named = [one for one in (*inputs.results, *inputs.hyp) if isinstance(one, str)]
    files = [inputs.src, inputs.docs, inputs.testset]
    paths = [*(data.split_name(one)[1] for one in named), *inputs.ref, *filter(None, files)]
    data.check_stdin_once(paths)
    return paths


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


@group
class MeasureChoice(Options, heading="Measures"):
    """Measures, and the tokenizer of word measures."""

    measures: str | MeasureNames | None = None
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


@group
class ProtocolChoice(Options, heading="Protocol"):
    """Protocol of the evaluation."""

    protocol: str = PLAIN
    """Evaluation protocol, with the options listed below; plain: any measures."""


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
        return {f"{option_name('protocol')} {name}": own for name, own in known if defaults_of(own)}


def _protocol_on(tokens: Sequence[str]) -> str:
    """Return the protocol that a command line names; the last one counts."""
    name = PLAIN
    for token, after in pairwise([*tokens, ""]):
        option, equals, value = token.partition("=")
        if option == option_name("protocol"):
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

    def made(self) -> Sampling:
        """Return the settings of the intervals."""
        return evaluation.Sampling(**self.changed())


@group
class Resampling(Draws):
    """Number of resamples, seed and resampling units."""

    by: str | None = None
    """Resample by segment or document (default: document if 6 are known)."""


@group
class Trials(Options, heading="Tests"):
    """Trials of the randomisation test; a sampling goes with them."""

    trials: int | None = None
    """Trials of the randomisation test (default: 10000; p beyond these is a bound)."""
    sampling: Annotated[Sampling, Draws] = field(default_factory=lambda: evaluation.Sampling())

    def made(self) -> CompareSettings:
        """Return the settings of the comparison."""
        return evaluation.CompareSettings(**self.values())

    def values(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults; refuse trials of other tests."""
        given = self.changed()
        test = given.get("test")
        if test is not None and self.trials is not None:
            raise UsageError(
                f"{setting('trials')} has no effect with {setting('test', test)}, which draws "
                f"{setting('resamples')} times"
            )
        return given


@group
class DocumentTrials(Trials):
    """Trials of a test that may draw documents."""

    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())


@group
class PairTests(DocumentTrials):
    """Tests of many pairs."""

    holm: Annotated[bool | None, negative("no_holm")] = None
    """Correct for the number of pairs (default: for over two systems)."""
    clusters: str = "any"
    """Rule of clusters: any (worse than one system of the cluster above) or wmt (every system above
    beats every one below)."""


@group
class ChosenTest(Trials):
    """The test between two systems."""

    test: str = "randomisation"
    """randomisation, bootstrap or bootstrap-sacrebleu."""


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
        if not self.changed():
            return None
        given = self.changed()
        given.pop("junit", None)
        gates = evaluation.Gates(**given)
        plan = gates.plan(test)
        if not gates.decide:
            unused = self.named("calibration", "allow_uncalibrated", "junit")
            refuse(f"without {setting('fail_under')} or {setting('baseline')}", unused)
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

    scale: tuple[str | Scale, ...] = ()
    """Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."""

    @property
    def scales(self) -> list[Scale]:
        """The given scales."""
        from patmark.human.judgements import parse_scale

        return [parse_scale(one) if isinstance(one, str) else one for one in self.scale]


@group
class GradeOptions(Scales):
    """Options for reading human judgements."""

    keep_unfinished: bool = False
    """Include segments for which an evaluator graded only some of the systems."""
    weights: str | Weights | None = None
    """Weights of marked errors: wmt, mqm or patent (default: wmt; patent if some are critical)."""
    repeated_marks: str = "once"
    """Repeated identical errors: once (count one), or count (count every row)."""

    @property
    def named_weights(self) -> Weights | None:
        """The given weights."""
        named = self.weights
        return evaluation.weights_called(named) if isinstance(named, str) else named
