"""patmark score and compare: requests and their execution."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from patmark import evaluation
from patmark.app.commands.endpoint import JudgeService
from patmark.app.commands.inputs import (
    Texts,
    document_inputs,
    given_inputs,
    row_files,
    split_list,
)
from patmark.app.commands.options import (
    PLAIN,
    ChosenTest,
    CompareGates,
    Data,
    GateOptions,
    Imported,
    MeasureChoice,
    OwnOptions,
    PairTests,
    ProtocolChoice,
    Resampling,
    inputs_of,
    paths_of,
)
from patmark.catalogue import load_protocol, load_protocol_options
from patmark.data import Notice
from patmark.errors import PatmarkWarning, UsageError
from patmark.options import PYTHON, Argument, Options, defaults_of, group
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.evaluation import (
        CompareSettings,
        Comparison,
        Evaluation,
        GatePlan,
        GuessedInputs,
        Inputs,
        MeasureNames,
        Progress,
        Protocol,
        Sampling,
    )
    from patmark.llm import ChatClient

_Result = TypeVar("_Result")
Tell: TypeAlias = Callable[[Notice], None]
GUESSED, DOUBTFUL = "guessed-files", "doubtful-role"
"""Codes of notices on inferred file roles."""


@group
class TranslationRequest(Data, ProtocolChoice, MeasureChoice, Imported):
    """Translations to judge, by a protocol with its own ``options``.

    ``detailed`` is True if the report shows single segments.
    """

    results: Annotated[tuple[str, ...], Argument()] = ()
    """Results as a protocol reads them, one file per system; or any files, whose roles are inferred
    from name and content, and reported."""
    options: Annotated[Options | None, OwnOptions] = None
    service: Annotated[ChatClient | None, JudgeService] = None
    detailed: Annotated[bool, PYTHON] = False

    @property
    def inputs(self) -> Inputs:
        """The texts."""
        return inputs_of(self, results=self.results)

    @property
    def paths(self) -> list[Any]:
        """All files of texts and terms to read."""
        return [*paths_of(self.inputs), *self.imported_files, *self.glossary]

    @property
    def imported_files(self) -> list[str]:
        """Files of external scores."""
        return evaluation.imported_paths(self.scores) if self.scores else []

    @property
    def inverted(self) -> list[str]:
        """Names of external scores for which lower is better."""
        return split_list(self.lower_is_better)

    def chosen(self, sampling: Sampling) -> Protocol:
        """Return the protocol; refuse options that it does not have."""
        measures, scores = self.measures, tuple[Any, ...]()
        if measures is None and self.glossary:
            from patmark.app.commands.prescribed_terms import TERM_MEASURES

            measures = TERM_MEASURES
        if self.scores:
            scores = tuple(evaluation.read_imported(self.scores, self.inverted))
        elif self.inverted:
            raise UsageError(
                f"{setting('lower_is_better')} has no effect without {setting('scores')}"
            )
        takes_lang = "lang" in load_protocol(self.protocol).shared_options
        shared = evaluation.SharedOptions(
            measures=measures,
            tok=self.tok,
            force=self.force,
            allow_partial=self.allow_partial,
            scores=scores,
            service=self.service,
            lang=self.lang if takes_lang else None,
        )
        called = evaluation.protocol_called(
            self.protocol, sampling, shared, self.options, detailed=self.detailed
        )
        wrapped = {"documents": self.documents, "glossary": bool(self.glossary)}
        if self.protocol != PLAIN and any(wrapped.values()):
            named = next(name for name, asked in wrapped.items() if asked)
            raise UsageError(f"{setting(named)} has no effect with {setting('protocol')}")
        if self.documents:
            from patmark.app.commands.whole_documents import WholeDocuments

            called = WholeDocuments(called)
        if self.glossary:
            from patmark.app.commands.prescribed_terms import PrescribedTerms

            called = PrescribedTerms(called, tuple(self.glossary))
        return called

    @property
    def with_roles(self) -> tuple[TranslationRequest, GuessedInputs | None]:
        """The request with inferred file roles, and the inference."""
        named = self.hyp or self.testset is not None or self.documents
        if not self.results or self.protocol != PLAIN or named:
            return self, None
        guess = evaluation.guess_inputs(self.inputs)
        found = {one.name: getattr(guess.inputs, one.name) for one in fields(guess.inputs)}
        own = self.options if guess.protocol == PLAIN else None
        return replace(self, **found, protocol=guess.protocol, options=own), guess


@group
class ScoreRequest(TranslationRequest):
    """Translations to score."""

    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())
    gates: GateOptions = field(default_factory=GateOptions)

    @cached_property
    def plan(self) -> GatePlan | None:
        """The conditions on scores."""
        return self.gates.read(self.sampling)


@group
class SavedScores(Imported):
    """Saved or external scores."""

    scores: tuple[str, ...] = ()
    """FILE: compare saved scores (see --save) instead of texts; several are joined. NAME=FILE:
    segment scores of another program as a measure (CSV, TSV, JSONL, MT-metrics-eval, COMET JSON,
    one number per line); NAME=command:PROGRAM."""
    systems: str | Sequence[str] | None = None
    """With --scores and no texts: comma-separated systems to compare, e.g. 'A,B'."""


@group
class Tests(ChosenTest, PairTests):
    """Tests of differences."""

    detect: str | None = None
    """Report the number of units needed to detect this difference, e.g. 'BLEU=0.5'."""
    primary: str | None = None
    """The primary measure; only it gives a verdict."""

    def values(self) -> dict[str, Any]:
        """Return the settings of the comparison that differ from their defaults."""
        given = super().values()
        if self.detect:
            limits = evaluation.parse_thresholds(self.detect)
            given["detect"] = {limit.measure: limit.value for limit in limits}
        if self.primary:
            given["primary"] = evaluation.measure_name(self.primary)
        return given


@group
class ComparisonRequest(TranslationRequest, SavedScores):
    """Translations to compare, or saved scores.

    ``everything`` adds the full analysis of differences.
    """

    settings: Annotated[CompareSettings, Tests] = field(
        default_factory=lambda: evaluation.CompareSettings()
    )
    gates: CompareGates = field(default_factory=CompareGates)
    everything: Annotated[bool, PYTHON] = False

    @cached_property
    def tests(self) -> CompareSettings:
        """The settings, with the margin within which systems are equivalent."""
        if not self.gates.margin:
            return self.settings
        margins = evaluation.parse_margins(self.gates.margin)
        return replace(self.settings, margin={one.measure: one.value for one in margins})

    @cached_property
    def plan(self) -> GatePlan | None:
        """The conditions on scores."""
        return self.gates.read(self.tests)

    @property
    def imported_files(self) -> list[str]:
        """Files of external or saved scores."""
        return [*self.scores] if self.compares_saved else super().imported_files

    @property
    def compares_saved(self) -> bool:
        """True if scores are compared without texts."""
        texts = {*self.inputs.given} - {"lang", "allow_empty_refs"}
        return bool(self.scores) and (
            not texts or any(not evaluation.names_import(one) for one in self.scores)
        )


def score_translations(
    request: ScoreRequest, tell: Tell, progress: Progress | None = None
) -> Evaluation:
    """Score translations; ``tell`` receives notices before any work is done."""
    known, guess = request.with_roles
    roles = _report_roles(guess, tell)
    protocol = known.chosen(request.sampling)
    done = score_with(protocol, known.inputs, request.plan, tell, progress)
    return replace(done, inferred_roles=roles)


def _report_roles(guess: GuessedInputs | None, tell: Tell) -> dict[str, Any]:
    """Report the inferred file roles and ambiguous names; return the roles."""
    if guess is None:
        return {}
    tell(Notice("note", GUESSED, guess.message))
    for file, role in guess.doubtful.items():
        text = f"{file} was taken for {setting(role, file)} by the last part of its name."
        remedy = f"If it holds translations of a system, name it: {setting('hyp', file)}."
        tell(Notice("warning", DOUBTFUL, text, remedy))
    return guess.to_json()


def score_with(
    protocol: Protocol,
    inputs: Inputs,
    gates: GatePlan | None,
    tell: Tell,
    progress: Progress | None = None,
) -> Evaluation:
    """Read texts as a protocol does, check gates beforehand, and score."""
    test_set, runs = _read(protocol, inputs, tell)
    check_gates(gates, protocol, test_set, [run.system for run in runs])
    return protocol.score(test_set, runs, progress)


def compare_translations(
    request: ComparisonRequest, tell: Tell, progress: Progress | None = None
) -> Comparison:
    """Compare systems by their translations, or by saved scores."""
    if request.compares_saved:
        return _compare_saved(request)
    if request.systems is not None:
        raise UsageError(f"{setting('systems')} has no effect without {setting('scores', 'FILE')}")
    known, guess = request.with_roles
    roles = _report_roles(guess, tell)
    settings = request.tests
    protocol = known.chosen(settings.sampling)
    test_set, runs = _read(protocol, known.inputs, tell)
    protocol.check_comparable(test_set)
    systems = [run.system for run in runs]
    evaluation.check_comparable(systems, protocol.names(test_set), settings)
    check_gates(request.plan, protocol, test_set, systems)
    scored = replace(protocol.score(test_set, runs, progress), inferred_roles=roles)
    return scored.compare(settings, everything=request.everything)


def _compare_saved(request: ComparisonRequest) -> Comparison:
    texts = [name for name in request.inputs.given if name not in ("lang", "allow_empty_refs")]
    named = ["files of texts"] * bool(texts)
    names: list[str] = [one for one in ("lang", "allow_empty_refs") if one in request.inputs.given]
    names += ["protocol"] * (request.protocol != PLAIN) + ["glossary"] * bool(request.glossary)
    names += [one for one in ("tok", "force") if getattr(request, one)]
    names += [] if request.options is None else request.options.changed()
    names += ["base_url"] * (request.service is not None)
    names += ["allow_partial"] * request.allow_partial
    named += map(setting, names)
    if named:
        raise UsageError(f"{', '.join(named)} has no effect with {setting('scores', 'FILE')}")
    systems = request.systems
    loaded = evaluation.load(
        *request.scores,
        measures=_names(request.measures),
        systems=(split_list(systems) or None) if isinstance(systems, str) else systems,
        lower_is_better=request.inverted,
    )
    evaluation.check_comparable(loaded.systems, list(loaded.scores), request.tests)
    if request.plan:
        request.plan.check(list(loaded.scores), loaded.systems)
    return loaded.compare(request.tests)


def _names(measures: MeasureNames | None) -> Sequence[str] | str | None:
    """Return the measure names that select saved scores."""
    if measures is None or isinstance(measures, str):
        return measures
    listed = measures if isinstance(measures, Sequence) else [measures]
    return [str(one) for one in listed]


def _read(protocol: Protocol, inputs: Inputs, tell: Tell) -> tuple[TestSet, list[Run]]:
    """Read the texts; warn about files that do not fit the given language."""
    test_set, runs = protocol.read(inputs)
    if inputs.lang and "lang" not in protocol.shared_options and not inputs.documents:
        files = inputs.files_of(test_set, runs)
        for notice in evaluation.language_warnings(test_set, runs, files):
            tell(notice)
    return test_set, runs


def check_gates(
    plan: GatePlan | None, protocol: Protocol, test_set: TestSet, systems: Sequence[str]
) -> None:
    """Refuse invalid gates before anything is scored."""
    if plan:
        plan.check(protocol.names(test_set), systems)
        signatures = protocol.signatures(test_set)
        plan.check_judges(signatures)
        plan.check_baseline(test_set, signatures)


def score(
    texts: Texts,
    runs: Any = None,
    measures: MeasureNames | None = None,
    *,
    lang: str | None = None,
    protocol: str = PLAIN,
    sampling: Sampling | None = None,
    **options: Any,
) -> Evaluation:
    """Score translations: ``score(frame, lang="zh-en")``, ``score(test_set, {"mine": texts})``.

    ``texts`` is a TestSet, a table with the columns id, document, source, reference and
    system:NAME, or a file of one; two lists are the translations of one system and their
    references. With a ``protocol``, it is one result file, several, or rows. ``options`` are those
    of the command: tok, force, scores, lower_is_better, allow_partial, allow_empty_refs, and the
    options of the protocol. With ``documents=True``, ``texts``, ``runs`` and ``src`` are files or
    folders of whole documents: references, outputs by system and sources.
    """
    with row_files(texts) if protocol != PLAIN else _as_given(texts) as read:
        request = ScoreRequest(
            **_fields(ScoreRequest, read, runs, measures, lang, protocol, options),
            sampling=sampling or evaluation.Sampling(),
        )
        return _in_notebook(lambda progress: score_translations(request, _warn, progress))


def compare(
    texts: Texts = None,
    runs: Any = None,
    measures: MeasureNames | None = None,
    *,
    lang: str | None = None,
    protocol: str = PLAIN,
    sampling: Sampling | None = None,
    settings: CompareSettings | None = None,
    systems: Sequence[str] | None = None,
    everything: bool = False,
    **options: Any,
) -> Comparison:
    """Compare two or more systems, with significance tests. Inputs are those of score.

    ``scores`` may name files of saved scores instead of texts, and ``systems`` selects some of
    theirs. ``settings`` choose the test; ``sampling`` is a part of them. ``everything`` adds the
    full analysis of differences: buckets, phrases, extreme segments.
    """
    tests = settings or evaluation.CompareSettings()
    if sampling is not None:
        tests = replace(tests, sampling=sampling)
    with row_files(texts) if protocol != PLAIN else _as_given(texts) as read:
        request = ComparisonRequest(
            **_fields(ComparisonRequest, read, runs, measures, lang, protocol, options),
            settings=tests,
            systems=systems,
            everything=everything,
        )
        return _in_notebook(lambda progress: compare_translations(request, _warn, progress))


def _in_notebook(work: Callable[[Any], _Result]) -> _Result:
    from patmark.report import notebook_progress

    with notebook_progress() as progress:
        return work(progress)


def _as_given(texts: Texts) -> nullcontext[Texts]:
    return nullcontext(texts)


def _fields(
    request: type[TranslationRequest],
    texts: Texts,
    runs: Any,
    measures: MeasureNames | None,
    lang: str | None,
    protocol: str,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the fields of a request of a Python call; refuse what the protocol does not have."""
    given = dict(options)
    own_options = load_protocol_options(protocol)
    own = {name: given.pop(name) for name in defaults_of(own_options) if name in given}
    empty, src = bool(given.pop("allow_empty_refs", False)), given.pop("src", None)
    known = {one.name for one in fields(request)}
    evaluation.refuse_foreign(protocol, [name for name in given if name not in known])
    if given.pop("documents", False):
        inputs = document_inputs(texts, runs, lang, src)
    else:
        inputs = given_inputs(texts, runs, lang, rows=protocol != PLAIN, allow_empty_refs=empty)
    listed = {name: tuple(_listed(given.pop(name, ()))) for name in ("scores", "glossary")}
    inverted = ",".join(_listed(given.pop("lower_is_better", ())))
    return {
        **{one.name: getattr(inputs, one.name) for one in fields(inputs)},
        **listed,
        **given,
        "lower_is_better": inverted,
        "protocol": protocol,
        "measures": measures,
        "options": own_options(**own),
    }


def _listed(given: Any) -> list[str]:
    """Return one or several names or files; a dict maps measures to files."""
    if isinstance(given, Mapping):
        return [f"{name}={path}" for name, path in given.items()]
    return [str(given)] if isinstance(given, str | os.PathLike) else [str(one) for one in given]


def _warn(notice: Notice) -> None:
    """Turn a file role notice into a Python warning; other notices are in the result."""
    if notice.code in (GUESSED, DOUBTFUL):
        from patmark.report import message_text

        warnings.warn(message_text(notice, marked=False), PatmarkWarning, stacklevel=7)
