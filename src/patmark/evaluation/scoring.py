"""Score runs of a test set: measures chosen, the evaluation with its texts, rates of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from patmark.data import (
    NO_RESULT,
    SEVERITY_NAMES,
    Evidence,
    Message,
    Notice,
    Run,
    ScoreFacts,
    Scores,
    TestSet,
    answer_notes,
    is_warning,
)
from patmark.errors import InputError, PatmarkError, Problem, UsageError
from patmark.evaluation.data_quality import (
    REFERENCE,
    JudgedReferences,
    judge_references,
    language_warnings,
    parallel_warnings,
    repeated_warnings,
    shifted_warnings,
)
from patmark.evaluation.evaluation import (
    COMPARISON,
    QUALITY,
    Evaluation,
    score_column,
    unknown_documents,
)
from patmark.languages import workspace
from patmark.measures import (
    Check,
    Judged,
    Measure,
    WordMeasure,
    languages_of,
    measures_by_default,
    parse_measures,
    split_names,
)
from patmark.report import Column, Explorer, Report, Table, notebook_progress, sentences
from patmark.stats import Sampling as Sampling
from patmark.wording import setting, tr, tr_n

if TYPE_CHECKING:
    from patmark.evaluation.comparison import Comparison


def default_measures(test_set: TestSet) -> list[Measure]:
    """Return every default measure that the data and their languages allow.

    References or sources of only some segments are an error, not a reason to score less.
    """
    common = list(_with_data(test_set))
    if not common:
        raise InputError.at(f"{test_set.name} has neither references nor sources to score with")
    return [one for one in common if not _unsupported(one, test_set)]


def default_checks() -> list[Measure]:
    """Return the default measures that need sources and no references."""
    return [one for one in measures_by_default() if one.group == "check"]


def _with_data(test_set: TestSet) -> Iterator[Measure]:
    """Yield the default measures whose data, references or sources, the test set has."""
    references = any(test_set.reference_lists)
    sources = any(segment.source is not None for segment in test_set)
    for one in measures_by_default():
        if sources if one.group == "check" else references:
            yield one


def _unsupported(measure: Measure, test_set: TestSet) -> str:
    """Return the reason why a measure has no rules for the languages; empty if it has."""
    return measure.unsupported(test_set) if isinstance(measure, Check) else ""


def language_notes(test_set: TestSet, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Return a note on default checks that the languages exclude, if nothing else was excluded."""
    scored = {measure.label for measure in measures}
    left_out = []
    for one in _with_data(test_set):
        if one.label not in scored:
            if not _unsupported(one, test_set):
                return ()
            left_out.append(one)
    if not left_out:
        return ()
    source, target = languages_of(test_set)
    if not source:
        why = tr(
            "The language of the sources is unknown; set it with {lang}, e.g. ja-en.",
            lang=setting("lang"),
        )
    else:
        why = tr("Their rules do not hold for {source}-{target}.", source=source, target=target)
    names = tuple(one.label for one in left_out)
    return (sentences(tr("Not scored: {measures}.", measures=names), why),)


MeasureNames: TypeAlias = str | Measure | Sequence[Measure | str]
"""Measures as users give them: one comma-separated text, one measure, or a list of both."""


def choose_measures(
    test_set: TestSet,
    names: MeasureNames | None = None,
    tok: str | None = None,
    force: bool = False,
    imported: Sequence[Measure] = (),
    service: Any = None,
) -> list[Measure]:
    """Return the measures of a request; a common tokenizer is the default.

    ``imported`` ones are placed where they are named, else at the end; ``service`` is for judges.
    """
    chosen = default_measures(test_set) if names is None else parse_given(names, imported)
    chosen += [one for one in imported if one not in chosen]
    refuse_doubles(chosen)
    if tok is not None:
        chosen = [measure.with_tokenizer(tok) for measure in chosen]
    if force:
        chosen = [
            replace(measure, force=True) if isinstance(measure, WordMeasure) else measure
            for measure in chosen
        ]
    if service is not None:
        asking = [measure.with_service(service) for measure in chosen]
        if all(one is other for one, other in zip(asking, chosen, strict=True)):
            raise UsageError(
                f"{setting('base_url')} has no effect without a judge among the measures, as in "
                f"{setting('measures', 'BLEU,Judge(model=NAME,scheme=mqm)')}"
            )
        return asking
    return chosen


def refuse_doubles(measures: Iterable[Measure]) -> None:
    """Refuse two measures of one name."""
    found = Counter(measure.name for measure in measures)
    doubles = sorted(name for name, times in found.items() if times > 1)
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(doubles)}")


def refuse_descriptive(described: Iterable[Measure | Scores]) -> None:
    """Refuse to compare or to gate by descriptive measures."""
    names = [
        one.name if isinstance(one, Measure) else one.measure
        for one in described
        if one.descriptive
    ]
    if names:
        raise UsageError(
            f"{', '.join(names)}: neither more nor less of it is better, so that no system "
            "can be better by it; patmark score shows it"
        )


def check_named(names: Iterable[str], scores: Mapping[str, Scores]) -> None:
    """Refuse names of measures without scores, and descriptive ones."""
    names = list(names)
    unknown = sorted(set(names) - set(scores))
    if unknown:
        raise UsageError(f"no measure here is called {unknown[0]}; there are {', '.join(scores)}")
    refuse_descriptive(scores[name] for name in names)


def parse_given(measures: MeasureNames, imported: Sequence[Measure] = ()) -> list[Measure]:
    """Return measures given by name, as objects, or as one comma-separated text; refuse duplicates.

    The name of an ``imported`` measure refers to it.
    """
    if isinstance(measures, str):
        measures = split_names(measures)
    elif isinstance(measures, Measure):
        measures = [measures]
    if not measures:
        raise UsageError("no measure is named; write e.g. BLEU,chrF")
    for item in measures:
        if not isinstance(item, str | Measure):
            raise UsageError(f"{item!r} is no measure; give a name such as 'BLEU'")
    own = {one.name: one for one in imported}
    given = [own.get(item, item) if isinstance(item, str) else item for item in measures]
    names = [item for item in given if isinstance(item, str)]
    named = iter(parse_measures(names) if names else [])
    chosen = [next(named) if isinstance(item, str) else item for item in given]
    refuse_doubles(chosen)
    return chosen


_SEVERITIES = ("major", "minor", "")
_PER = 100


@dataclass(frozen=True, slots=True)
class FindingRates:
    """Findings for 100 segments: (check, severity) → system → rate."""

    systems: tuple[str, ...]
    rates: Mapping[tuple[str, str], Mapping[str, float]]

    @classmethod
    def of(
        cls,
        evidence: Mapping[str, Mapping[str, Sequence[Sequence[Evidence]]]],
        sizes: Mapping[str, int],
    ) -> FindingRates:
        """Count findings by check and system; ``sizes`` are numbers of texts."""
        rates: dict[tuple[str, str], dict[str, float]] = {}
        for check, by_system in evidence.items():
            counts = {
                system: Counter(one.severity for places in segments for one in _findings(places))
                for system, segments in by_system.items()
            }
            for severity in _SEVERITIES:
                if any(count[severity] for count in counts.values()):
                    rates[check, severity] = {
                        system: _PER * count[severity] / max(1, sizes[system])
                        for system, count in counts.items()
                    }
        return cls(tuple(sizes), rates)

    def to_json(self) -> dict[str, Any]:
        """Return system → check → severity → rate; findings without a severity are "unrated"."""
        found: dict[str, dict[str, dict[str, float]]] = {system: {} for system in self.systems}
        for (check, severity), by_system in self.rates.items():
            for system, rate in by_system.items():
                found[system].setdefault(check, {})[severity or "unrated"] = rate
        return found

    def tables(self) -> list[Table]:
        """Return the rates as a table; none without findings."""
        rows = tuple(
            (check, SEVERITY_NAMES.get(severity), *map(by_system.get, self.systems))
            for (check, severity), by_system in self.rates.items()
        )
        systems = (Column(system, 1, higher_is_better=False) for system in self.systems)
        columns = (Column(tr("check")), Column(tr("severity")), *systems)
        return [Table(tr("Findings per 100 segments"), columns, rows)] if rows else []


def _findings(places: Iterable[Evidence]) -> Iterator[Evidence]:
    """Yield one place of each finding: places in source and output count as one."""
    pending: Evidence | None = None
    for one in places:
        both = None if pending is None else (pending.side, one.side, pending.message)
        if both == ("source", "hypothesis", one.message):
            pending = None
        else:
            yield one
            pending = one


def missing_score(measure: Measure, test_set: TestSet, scores: Scores) -> str:
    """Return the reason why a check has no score for any system; empty if it has one."""
    if not isinstance(measure, Check) or scores.statistics[..., 1].any():
        return ""
    return measure.not_applicable(test_set) or tr("the texts have nothing that it checks")


_SHOWN_IDS = 10
Progress: TypeAlias = Callable[[str, int, int], None]
Runs: TypeAlias = Run | Sequence[Run] | Mapping[str, Iterable[str | None]]


@dataclass(frozen=True, eq=False, kw_only=True)
class TextEvaluation(Evaluation):
    """Evaluation with its texts: test set, runs, measures, and evidence in the texts.

    ``measure_messages`` are the messages of measures on their own work, ``reference_evidence`` the
    findings of checks in the references, by segment.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    measures: tuple[Measure, ...]
    measure_messages: tuple[Message, ...] = ()
    reference_evidence: Mapping[str, tuple[tuple[Evidence, ...], ...]] = field(default_factory=dict)

    @cached_property
    def not_parallel(self) -> tuple[Notice, ...]:
        """Warnings of long segments in which a source and a text have little in common."""
        return parallel_warnings(self.measures, self.scores, self.reference_scores)

    @cached_property
    def text_warnings(self) -> tuple[Notice, ...]:
        """Warnings of texts not parallel or in another language, and of missing judgements."""
        messages = [one for one in self.measure_messages if is_warning(one)]
        shifted = shifted_warnings(self.test_set, self.runs)
        repeated = repeated_warnings(self.test_set, self.runs)
        languages = language_warnings(self.test_set, self.runs)
        return (*languages, *shifted, *repeated, *self.not_parallel, *messages)

    @property
    def incomplete(self) -> str:
        """The reason why outputs have no score of a service; empty if all have one."""
        return next((one.text for one in self.text_warnings if one.code == NO_RESULT), "")

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on the scores."""
        return (*super().notes, *language_notes(self.test_set, self.measures))

    @property
    def compared_notes(self) -> tuple[Message, ...]:
        """Notes on differences between these scores."""
        return (*unknown_documents(self.units), *self.data_notes, *self._check_notes())

    @property
    def data_notes(self) -> tuple[Message, ...]:
        """Notes on references and answers that are missing, empty, or too short for a measure."""
        remarks = (
            remark
            for measure in self.measures
            for remark in measure.remarks(self.test_set, self.scores[measure.name])
        )
        messages = [one for one in self.measure_messages if not is_warning(one)]
        return (*reference_notes(self.test_set), *missing_notes(self.runs), *remarks, *messages)

    @property
    def without_reference(self) -> tuple[str, ...]:
        """Segments that lack a reference although others have one."""
        return unreferenced(self.test_set)

    @property
    def subtitle(self) -> str:
        """Test set, languages and size, in one line."""
        languages = " → ".join(
            language
            for language in (self.test_set.source_language, self.test_set.target_language)
            if language
        )
        return tr(
            "{name} · {languages} · {n} segments",
            name=self.test_set.name,
            languages=languages,
            n=len(self.test_set),
        )

    @cached_property
    def finding_rates(self) -> FindingRates:
        """Findings of checks per 100 segments, in systems and references."""
        checks = {one.name for one in self.measures if one.group == "check"}
        found = {
            name: dict(zip(self.systems, systems, strict=True))
            for name, systems in self.evidence.items()
            if name in checks
        }
        sizes = dict.fromkeys(self.systems, len(self.test_set))
        if self.reference_evidence:
            sizes[REFERENCE] = sum(bool(text.strip()) for text in self.test_set.flat_references)
            for name, evidence in self.reference_evidence.items():
                found.setdefault(name, {})[REFERENCE] = evidence
        return FindingRates.of(found, sizes)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with the rates of findings."""
        found = super().to_json() | {"finding_rates": self.finding_rates.to_json()}
        for measure in self.measures:
            reason = missing_score(measure, self.test_set, self.scores[measure.name])
            for values in (*found["systems"].values(), found["references"]) if reason else ():
                if measure.name in values:
                    values[measure.name]["reason"] = str(reason)
        return found

    def to_report(self, title: str = QUALITY) -> Report:
        """Return warnings, tables, signatures and all segments."""
        report = super().to_report(title)
        tables = (*report.tables, *self.finding_rates.tables())
        return replace(report, tables=tables, explorer=self.explorer())

    def comparison_report(self, comparison: Comparison) -> Report:
        """Return the report of a comparison, with the full analysis if requested."""
        if comparison.everything:
            from patmark.evaluation.analysis import analysed_report

            return analysed_report(self, comparison)
        from patmark.evaluation.comparison_tables import comparison_report

        return comparison_report(
            comparison,
            COMPARISON,
            self.subtitle,
            tables=self.reference_tables(),
            notes=self.compared_notes,
        )

    def reference_tables(self) -> list[Table]:
        """Return the scores of the references themselves, for a report that compares systems."""
        checks = [one for one in self.scores.values() if one.measure in self.references]
        own = tuple(self.references[one.measure] for one in checks)
        columns = (Column(""), *map(score_column, checks))
        title = tr("Checks of the references themselves")
        return [Table(title, columns, ((REFERENCE, *own),))] if checks else []

    def _check_notes(self) -> tuple[Message, ...]:
        """Return notes for a comparison on checks: scores of references, and checks left out."""
        own = (
            f"{name} {one.value:.{self.scores[name].decimals}f}"
            for name, one in self.references.items()
            if one.n
        )
        scored = ", ".join(own)
        sentences = (
            (tr("The references themselves score: {scores}.", scores=scored),) if scored else ()
        )
        return (*self.text_warnings, *sentences, *language_notes(self.test_set, self.measures))

    def explorer(self, facets: Mapping[str, tuple[str | None, ...]] | None = None) -> Explorer:
        """Return all segments with the outputs of each system, to filter by facets."""
        if facets is None:
            known = any(self.test_set.documents)
            facets = {tr("document"): self.test_set.documents} if known else {}
        return Explorer(
            test_set=self.test_set,
            systems=self.systems,
            hypotheses=tuple(run.hypotheses for run in self.runs),
            values={name: scores.segment_scores for name, scores in self.scores.items()},
            higher_is_better={name: one.higher_is_better for name, one in self.scores.items()},
            facets=facets,
            evidence=self.evidence,
        )


@workspace()
def evaluate(
    test_set: TestSet,
    runs: Runs,
    measures: MeasureNames | None = None,
    sampling: Sampling | None = None,
    progress: Progress | None = None,
) -> TextEvaluation:
    """Score every run with every measure; without measures, with the default measures."""
    runs = given_runs(test_set, runs)
    chosen = parse_given(measures) if measures is not None else default_measures(test_set)
    for measure in chosen:
        measure.check_runs(test_set, runs)
    systems = [run.system for run in runs]
    scores, evidence = {}, {}
    references: dict[str, JudgedReferences] = {}
    messages: dict[Message, None] = {}
    with nullcontext(progress) if progress else notebook_progress() as advance:
        counted = _counted_by_run(test_set, runs, chosen, advance)
        for position, measure in enumerate(chosen):
            with _failing_by_name(measure):
                judged = counted.get(measure.name)
                if judged is None:
                    if advance:
                        advance(measure.name, position, len(chosen))
                    judged = measure.judge_all(test_set, runs, advance)
                messages |= dict.fromkeys(note for one in judged for note in one.notes)
                statistics = np.stack([one.statistics for one in judged])
                shown = tuple(one.evidence for one in judged if one.evidence is not None)
                if shown:
                    evidence[measure.name] = shown
                scores[measure.name] = measure.to_scores(test_set, systems, statistics)
                if (own := judge_references(test_set, measure)) is not None:
                    references[measure.name] = own
    return TextEvaluation(
        scores=scores,
        documents=test_set.documents,
        sampling=sampling or Sampling(),
        facts=ScoreFacts.of(test_set, runs),
        test_set=test_set,
        runs=tuple(runs),
        measures=tuple(chosen),
        evidence=evidence,
        reference_scores={name: one.scores for name, one in references.items()},
        reference_evidence={name: one.evidence for name, one in references.items()},
        measure_messages=tuple(messages),
    )


def _counted_by_run(
    test_set: TestSet, runs: Sequence[Run], measures: Sequence[Measure], advance: Progress | None
) -> dict[str, list[Judged]]:
    """Compute the statistics of measures that judge each run separately.

    Runs are processed one after the other, so that each is tokenized once.
    """
    by_run = [measure for measure in measures if measure.judges_runs_alone]
    found: dict[str, list[Judged]] = {measure.name: [] for measure in by_run}
    for place, (run, measure) in enumerate(product(runs, by_run)):
        if advance:
            advance(measure.name, place, len(runs) * len(by_run))
        with _failing_by_name(measure):
            found[measure.name].append(measure.judge(test_set, run))
    return found


@contextmanager
def _failing_by_name(measure: Measure) -> Iterator[None]:
    """Name the failing measure in one line; keep the exception as the cause."""
    try:
        yield
    except PatmarkError:
        raise
    except Exception as error:  # measures of other packages may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"measure {measure.name} failed: {reason}") from error


def given_runs(test_set: TestSet, runs: Runs) -> Sequence[Run]:
    """Return runs from objects, or from texts by system name, after a check."""
    if not isinstance(test_set, TestSet):
        found = type(test_set).__name__
        raise UsageError(f"expected a test set, such as TestSet.of(references), found {found}")
    if isinstance(runs, Mapping):
        texts = cast("Mapping[str, tuple[str | None, ...]]", runs)
        runs = [Run(system, hypotheses) for system, hypotheses in texts.items()]
    elif isinstance(runs, Run):
        runs = [runs]
    if not isinstance(runs, Sequence) or not all(isinstance(run, Run) for run in runs):
        raise UsageError(
            "give the translations of each system by its name, as in {'mine': [...]}, or as a Run"
        )
    _check_runs(test_set, runs)
    return runs


def _check_runs(test_set: TestSet, runs: Sequence[Run]) -> None:
    """Refuse runs of another length, without a name, and two of one name."""
    nameless = [
        run.system for run in runs if not isinstance(run.system, str) or not run.system.strip()
    ]
    if nameless:
        raise InputError(
            Problem(f"the name of a system must be a text, and not empty: {name!r}")
            for name in nameless
        )
    problems = [
        Problem(f"{run.system} has {len(run.hypotheses)} hypotheses for {len(test_set)} segments")
        for run in runs
        if len(run.hypotheses) != len(test_set)
    ]
    names = [run.system for run in runs]
    problems += [
        Problem(f"two systems are called {name!r}; name them with NAME=FILE")
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    if not runs:
        problems.append(
            Problem("there is no system to score; in a table each has a column system:NAME")
        )
    if not len(test_set):
        problems.append(Problem(f"{test_set.name} has no segments"))
    if problems:
        raise InputError(problems)


def unreferenced(test_set: TestSet) -> tuple[str, ...]:
    """Return the segments that lack a reference although others have one."""
    lacking = test_set.without_reference
    return lacking if len(lacking) < len(test_set) else ()


def reference_notes(test_set: TestSet) -> tuple[str, ...]:
    """Return notes on segments with an empty reference, or without one although others have one."""
    lacking = unreferenced(test_set)
    fewer = [one.id for one in test_set if one.id in test_set.emptied and one.references]
    return tuple(
        tr(
            "{segments} {fault}: {ids}",
            segments=tr_n("{n} segment", "{n} segments", n=len(ids)),
            fault=fault,
            ids=f"{', '.join(ids[:_SHOWN_IDS])}{' …' if len(ids) > _SHOWN_IDS else '.'}",
        )
        for ids, fault in (
            (fewer, tr("with an empty reference, which counts as none beside the others")),
            (lacking, tr("without a reference, left out of the measures that need one")),
        )
        if ids
    )


def missing_notes(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return a note for each system with missing or empty answers."""
    return answer_notes(
        {run.system: run.missing for run in runs}, {run.system: run.empty for run in runs}
    )
