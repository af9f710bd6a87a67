"""patmark score and compare: requests and their execution."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark.app.commands.inputs import Texts, document_inputs, given_inputs, row_files
from patmark.catalogue import load_protocol
from patmark.data import Notice, Run, TestSet
from patmark.errors import PatmarkWarning, UsageError
from patmark.evaluation import (
    PLAIN,
    Inputs,
    Sampling,
    language_warnings,
    protocol_called,
)
from patmark.measures import Measure
from patmark.report import message_text, notebook_progress
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.evaluation import (
        CompareSettings,
        Comparison,
        Evaluation,
        GatePlan,
        GuessedInputs,
        MeasureNames,
        Progress,
        Protocol,
    )

Tell: TypeAlias = Callable[[Notice], None]
GUESSED, DOUBTFUL = "guessed-files", "doubtful-role"
"""Codes of notices on inferred file roles."""


@dataclass(frozen=True, kw_only=True)
class TranslationRequest:
    """Translations to judge, by a protocol with its options.

    ``options`` are those of the protocol, and those that protocols share: tok, force,
    allow_partial, service. ``scores`` are external segment scores, NAME=FILE. ``glossary`` names
    term files, whose terms the segments then prescribe. ``detailed`` is True if the report shows
    single segments.
    """

    inputs: Inputs
    protocol: str = PLAIN
    measures: MeasureNames | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    scores: Sequence[str] = ()
    lower_is_better: Sequence[str] = ()
    glossary: Sequence[str] = ()
    gates: GatePlan | None = None
    detailed: bool = False

    def chosen(self, sampling: Sampling) -> Protocol:
        """Return the protocol; refuse options that it does not have."""
        given: dict[str, Any] = dict(self.options)
        if self.measures is not None:
            given["measures"] = self.measures
        elif self.glossary:
            from patmark.app.commands.prescribed_terms import TERM_MEASURES

            given["measures"] = TERM_MEASURES
        if self.scores:
            from patmark.evaluation import read_imported

            given["scores"] = read_imported(self.scores, self.lower_is_better)
        elif self.lower_is_better:
            raise UsageError(
                f"{setting('lower_is_better')} has no effect without {setting('scores')}"
            )
        if self.inputs.lang is not None and "lang" in load_protocol(self.protocol).shared_options:
            given["lang"] = self.inputs.lang
        called = protocol_called(self.protocol, given, sampling, detailed=self.detailed)
        wrapped = {"documents": self.inputs.documents, "glossary": bool(self.glossary)}
        if self.protocol != PLAIN and any(wrapped.values()):
            named = next(name for name, asked in wrapped.items() if asked)
            raise UsageError(f"{setting(named)} has no effect with {setting('protocol')}")
        if self.inputs.documents:
            from patmark.app.commands.whole_documents import WholeDocuments

            called = WholeDocuments(called)
        if self.glossary:
            from patmark.app.commands.prescribed_terms import PrescribedTerms

            called = PrescribedTerms(called, tuple(self.glossary))
        return called

    @property
    def with_roles(self) -> tuple[TranslationRequest, GuessedInputs | None]:
        """The request with inferred file roles, and the inference."""
        inputs = self.inputs
        named = inputs.hyp or inputs.testset is not None or inputs.documents
        if not inputs.results or self.protocol != PLAIN or named:
            return self, None
        from patmark.evaluation import guess_inputs

        guess = guess_inputs(inputs)
        return replace(self, inputs=guess.inputs, protocol=guess.protocol), guess


@dataclass(frozen=True, kw_only=True)
class ScoreRequest(TranslationRequest):
    """Translations to score."""

    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest(TranslationRequest):
    """Translations to compare, or saved scores.

    ``scores`` without a measure name are files of saved scores, compared instead of texts;
    ``systems`` selects among them. ``everything`` adds the full analysis of differences.
    """

    settings: CompareSettings = field(default_factory=lambda: _usual_tests())
    systems: Sequence[str] | None = None
    everything: bool = False

    @property
    def compares_saved(self) -> bool:
        """True if scores are compared without texts."""
        from patmark.evaluation import names_import

        texts = {*self.inputs.given} - {"lang", "allow_empty_refs"}
        return bool(self.scores) and (
            not texts or any(not names_import(one) for one in self.scores)
        )


def _usual_tests() -> CompareSettings:
    """Return the default settings; only a comparison loads the tests."""
    from patmark.evaluation import CompareSettings

    return CompareSettings()


def score_translations(
    request: ScoreRequest, tell: Tell, progress: Progress | None = None
) -> Evaluation:
    """Score translations; ``tell`` receives notices before any work is done."""
    known, guess = request.with_roles
    roles = _report_roles(guess, tell)
    protocol = known.chosen(request.sampling)
    done = score_with(protocol, known.inputs, request.gates, tell, progress)
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
    from patmark.evaluation import check_comparable

    if request.compares_saved:
        return _compare_saved(request)
    if request.systems is not None:
        raise UsageError(f"{setting('systems')} has no effect without {setting('scores', 'FILE')}")
    known, guess = request.with_roles
    roles = _report_roles(guess, tell)
    settings = request.settings
    protocol = known.chosen(settings.sampling)
    test_set, runs = _read(protocol, known.inputs, tell)
    protocol.check_comparable(test_set)
    systems = [run.system for run in runs]
    check_comparable(systems, protocol.names(test_set), settings)
    check_gates(request.gates, protocol, test_set, systems)
    evaluation = replace(protocol.score(test_set, runs, progress), inferred_roles=roles)
    return evaluation.compare(settings, everything=request.everything)


def _compare_saved(request: ComparisonRequest) -> Comparison:
    from patmark.evaluation import check_comparable, load

    given = [name for name in request.inputs.given if name not in ("lang", "allow_empty_refs")]
    named = ["files of texts"] * bool(given)
    named += [setting(one) for one in ("lang", "allow_empty_refs") if one in request.inputs.given]
    named += [setting("protocol")] * (request.protocol != PLAIN)
    named += [setting("glossary")] * bool(request.glossary)
    named += [setting("base_url" if one == "service" else one) for one in request.options]
    if named:
        raise UsageError(f"{', '.join(named)} has no effect with {setting('scores', 'FILE')}")
    loaded = load(
        *request.scores,
        measures=_names(request.measures),
        systems=request.systems,
        lower_is_better=request.lower_is_better,
    )
    check_comparable(loaded.systems, list(loaded.scores), request.settings)
    if request.gates:
        request.gates.check(list(loaded.scores), loaded.systems)
    return loaded.compare(request.settings)


def _names(measures: MeasureNames | None) -> Sequence[str] | str | None:
    """Return the measure names that select saved scores."""
    if measures is None or isinstance(measures, str):
        return measures
    listed = [measures] if isinstance(measures, Measure) else measures
    return [str(one) for one in listed]


def _read(protocol: Protocol, inputs: Inputs, tell: Tell) -> tuple[TestSet, list[Run]]:
    """Read the texts; warn about files that do not fit the given language."""
    test_set, runs = protocol.read(inputs)
    if inputs.lang and "lang" not in protocol.shared_options and not inputs.documents:
        for notice in language_warnings(test_set, runs, inputs.files_of(test_set, runs)):
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
            **_request(read, runs, measures, lang, protocol, options),
            sampling=sampling or Sampling(),
        )
        with notebook_progress() as progress:
            return score_translations(request, _warn, progress)


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
    tests = settings or _usual_tests()
    if sampling is not None:
        tests = replace(tests, sampling=sampling)
    with row_files(texts) if protocol != PLAIN else _as_given(texts) as read:
        request = ComparisonRequest(
            **_request(read, runs, measures, lang, protocol, options),
            settings=tests,
            systems=systems,
            everything=everything,
        )
        with notebook_progress() as progress:
            return compare_translations(request, _warn, progress)


def _as_given(texts: Texts) -> nullcontext[Texts]:
    return nullcontext(texts)


def _request(
    texts: Texts,
    runs: Any,
    measures: MeasureNames | None,
    lang: str | None,
    protocol: str,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the fields of a request of a Python call."""
    own = dict(options)
    empty = bool(own.pop("allow_empty_refs", False))
    rows = protocol != PLAIN
    if own.pop("documents", False):
        inputs = document_inputs(texts, runs, lang, own.pop("src", None))
    else:
        inputs = given_inputs(texts, runs, lang, rows=rows, allow_empty_refs=empty)
    return {
        "inputs": inputs,
        "protocol": protocol,
        "measures": measures,
        "scores": _listed(own.pop("scores", ())),
        "lower_is_better": _listed(own.pop("lower_is_better", ())),
        "glossary": _listed(own.pop("glossary", ())),
        "options": own,
    }


def _listed(given: Any) -> list[str]:
    """Return one or several names or files; a dict maps measures to files."""
    if isinstance(given, Mapping):
        return [f"{name}={path}" for name, path in given.items()]
    return [str(given)] if isinstance(given, str | os.PathLike) else [str(one) for one in given]


def _warn(notice: Notice) -> None:
    """Turn a file role notice into a Python warning; other notices are in the result."""
    if notice.code in (GUESSED, DOUBTFUL):
        warnings.warn(message_text(notice, marked=False), PatmarkWarning, stacklevel=5)
