"""Score runs of a test set with the measures that were named, or that the data allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias, cast

import numpy as np

from patmark.data import (
    Estimate,
    Evidence,
    Message,
    Notice,
    Run,
    Scores,
    TestSet,
    answer_notes,
    is_warning,
)
from patmark.errors import InputError, PatmarkError, Problem, UsageError
from patmark.evaluation.data_quality import (
    REFERENCE,
    language_warnings,
    needs_no_reference,
    parallel_warnings,
    reference_scores,
    shifted_warnings,
)
from patmark.measures import (
    Check,
    Judged,
    Measure,
    WordMeasure,
    languages_of,
    parse_measures,
    split_names,
)
from patmark.report import (
    Cell,
    Column,
    Explorer,
    PaperTable,
    Report,
    Result,
    Table,
    message_texts,
    notebook_progress,
    plain,
    sentences,
)
from patmark.stats import Sampling as Sampling, Units, estimate_scores
from patmark.text import workspace
from patmark.wording import tr, tr_n

WITH_REFERENCES = ("BLEU", "chrF", "TER", "NIST", "RIBES", "METEOR", "ROUGE-L", "length-ratio",
                   "omission", "length-hallucination", "leakage")  # fmt: skip
WITH_SOURCE = ("numbers", "reference-signs", "claim-structure", "untranslated", "doubled",
               "term-drift")  # fmt: skip


def default_measures(test_set: TestSet) -> list[Measure]:
    """Every common measure that the data and their languages allow.

    References or sources that only some segments have are a reason to fail, not to measure less.
    """
    names = _common_names(test_set)
    if not names:
        raise InputError.at(f"{test_set.name} has neither references nor sources to score with")
    return [one for one in parse_measures(names) if not _unsupported(one, test_set)]


def _unsupported(measure: Measure, test_set: TestSet) -> str:
    """Why a measure has nothing to say about the languages of a test set; empty if it has."""
    return measure.unsupported(test_set) if isinstance(measure, Check) else ""


def language_notes(test_set: TestSet, measures: Sequence[Measure]) -> tuple[str, ...]:
    """The common checks that were left out because of the languages, where all were asked for."""
    scored = {measure.label for measure in measures}
    left_out = [name for name in _common_names(test_set) if name not in scored]
    if not left_out or not {*WITH_SOURCE, "leakage"}.issuperset(left_out):
        return ()
    if not all(_unsupported(measure, test_set) for measure in parse_measures(left_out)):
        return ()
    source, target = languages_of(test_set)
    if not source:
        why = tr("Which language the sources are in is not known; say it with --lang, as in ja-en.")
    else:
        why = tr("Their rules do not hold for {source}-{target}.", source=source, target=target)
    return (sentences(tr("Not scored: {measures}.", measures=tuple(left_out)), why),)


def _common_names(test_set: TestSet) -> list[str]:
    names: list[str] = []
    if any(test_set.reference_lists):
        names += WITH_REFERENCES
    if any(segment.source is not None for segment in test_set):
        names += WITH_SOURCE
    return names


def choose_measures(
    test_set: TestSet,
    names: str | None = None,
    tok: str | None = None,
    force: bool = False,
    imported: Sequence[Measure] = (),
    service: Any = None,
) -> list[Measure]:
    """The measures that were asked for, with one segmenter for all that do not name their own.

    ``imported`` ones stand where they are named, else at the end; ``service`` is for judges.
    """
    chosen = default_measures(test_set) if names is None else _parse_with(names, imported)
    chosen += [one for one in imported if one not in chosen]
    refuse_doubles(chosen)
    if tok is not None:
        chosen = [measure.with_segmenter(tok) for measure in chosen]
    if force:
        chosen = [
            replace(measure, force=True) if isinstance(measure, WordMeasure) else measure
            for measure in chosen
        ]
    if service is not None:
        asking = [measure.with_service(service) for measure in chosen]
        if all(one is other for one, other in zip(asking, chosen, strict=True)):
            raise UsageError(
                "--base-url has no effect without a judge among the measures, as in "
                "--measures 'BLEU,Judge(model=NAME,scheme=mqm)'"
            )
        return asking
    return chosen


def _parse_with(names: str, imported: Sequence[Measure]) -> list[Measure]:
    """The measures of names, among which those of imported ones stand for these."""
    own = {one.name: one for one in imported}
    listed = split_names(names)
    others = [name for name in listed if name not in own]
    parsed = iter(parse_measures(others) if others or not listed else [])
    return [own[name] if name in own else next(parsed) for name in listed]


def refuse_doubles(measures: Iterable[Measure]) -> None:
    """Refuse two measures of one name."""
    found = Counter(measure.name for measure in measures)
    doubles = sorted(name for name, times in found.items() if times > 1)
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(doubles)}")


def refuse_descriptive(described: Iterable[Measure | Scores]) -> None:
    """Refuse to compare or to judge by measures that only describe."""
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
    """Refuse names of measures that there are no scores of, or that only describe."""
    names = list(names)
    unknown = sorted(set(names) - set(scores))
    if unknown:
        raise UsageError(f"no measure here is called {unknown[0]}; there are {', '.join(scores)}")
    refuse_descriptive(scores[name] for name in names)


def parse_given(measures: str | Measure | Sequence[Measure | str]) -> list[Measure]:
    """Measures given by name, as objects, or as one text with commas; none twice."""
    if isinstance(measures, str):
        measures = split_names(measures)
    elif isinstance(measures, Measure):
        measures = [measures]
    if not measures:
        raise UsageError("no measure is named; write e.g. BLEU,chrF")
    for item in measures:
        if not isinstance(item, str | Measure):
            raise UsageError(f"{item!r} is no measure; give a name such as 'BLEU'")
    names = [name for name in measures if isinstance(name, str)]
    named = iter(parse_measures(names) if names else [])
    chosen = [next(named) if isinstance(item, str) else item for item in measures]
    refuse_doubles(chosen)
    return chosen


def dependent_segments(units: Units, effect: str) -> tuple[Notice, ...]:
    """Segments that are drawn one by one although it is known that they belong together."""
    if units.kind != "segment" or not 0 < units.documents < units.count:
        return ()
    return (
        Notice(
            "warning",
            "dependent-segments",
            tr(
                "segments are drawn although they come from {documents}. Segments of one "
                "document are alike, so {effect}; {cure}.",
                documents=tr_n("{n} document", "{n} documents", n=units.documents),
                effect=effect,
                cure=tr("more documents are needed")
                if units.too_few
                else tr("--by document draws documents"),
            ),
        ),
    )


def unit_name(units: Units) -> str:
    """What is drawn, in a word."""
    return tr("document") if units.kind == "document" else tr("segment")


def unknown_documents(units: Units) -> tuple[str, ...]:
    """Segments that count as independent because nothing is known of their documents."""
    if units.documents or units.count < 2:
        return ()
    return (
        tr(
            "Documents are unknown, so every segment counts as independent. Where several come "
            "from one document, intervals are too narrow and p-values too small: name the "
            "documents."
        ),
    )


def interval_notes(units: Units) -> tuple[str, ...]:
    """Documents that are drawn, but few."""
    if units.kind != "document" or not units.too_few:
        return ()
    return (tr("Only {n} documents are drawn from; intervals may be too narrow.", n=units.count),)


INTERVAL_METHOD = "expanded percentile bootstrap"
RATE_METHOD, RATE_DIFFERENCE_METHOD = "Wilson", "Tango"
_SHOWN_IDS = 10
Progress = Callable[[str, int, int], None]
Runs: TypeAlias = Run | Sequence[Run] | Mapping[str, Iterable[str | None]]


def _is_fault(measure: Measure) -> bool:
    return measure.label in ("length-ratio", "omission", "length-hallucination", "leakage")


_TABLES: dict[str, Callable[[Measure], bool]] = {
    tr("Scores"): lambda measure: not needs_no_reference(measure) and not _is_fault(measure),
    tr("Length and leakage"): _is_fault,
    tr("Checks without reference"): needs_no_reference,
}


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """Scores of several runs under several measures, with intervals.

    ``told`` is what measures said of their own work.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    measures: tuple[Measure, ...]
    scores: Mapping[str, Scores]
    units: Units
    settings: Sampling
    evidence: Mapping[str, tuple[tuple[tuple[Evidence, ...], ...], ...]] = field(
        default_factory=dict
    )
    reference_scores: Mapping[str, Scores] = field(default_factory=dict)
    told: tuple[Message, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(run.system for run in self.runs)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → system → value with interval."""
        return self._estimated(self.scores)

    @cached_property
    def references(self) -> dict[str, Estimate]:
        """Check → what the references themselves score by it; empty where there are none."""
        estimated = self._estimated(self.reference_scores)
        return {name: values[REFERENCE] for name, values in estimated.items()}

    def _estimated(self, scores: Mapping[str, Scores]) -> dict[str, dict[str, Estimate]]:
        estimated = estimate_scores(
            scores.values(), self.units, self.settings.resamples, self.settings.seed
        )
        return {
            name: dict(zip(one.systems, values, strict=True))
            for (name, one), values in zip(scores.items(), estimated, strict=True)
        }

    @cached_property
    def not_parallel(self) -> tuple[Notice, ...]:
        """Warnings of long segments in which a source and a text have little in common."""
        return parallel_warnings(self.measures, self.scores, self.reference_scores)

    @cached_property
    def text_warnings(self) -> tuple[Notice, ...]:
        """Warnings of texts not parallel or in another language, and of what judges did not say."""
        told = [one for one in self.told if is_warning(one)]
        shifted = shifted_warnings(self.test_set, self.runs)
        languages = language_warnings(self.test_set, self.runs)
        return (*languages, *shifted, *self.not_parallel, *told)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What a reader must know before the scores."""
        if not self.settings.resamples:
            return self.text_warnings
        narrow = dependent_segments(self.units, tr("intervals are too narrow"))
        return (*narrow, *self.text_warnings)

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a reader should know of the scores."""
        drawn = interval_notes(self.units) if self.settings.resamples else ()
        return (*drawn, *self.data_notes, *language_notes(self.test_set, self.measures))

    @property
    def compared_notes(self) -> tuple[Message, ...]:
        """What a reader should know of differences between these scores."""
        return (*unknown_documents(self.units), *self.data_notes, *self.about_checks())

    @property
    def data_notes(self) -> tuple[Message, ...]:
        """References and answers that are missing, empty, or too short for a measure."""
        remarks = (
            remark
            for measure in self.measures
            for remark in measure.remarks(self.test_set, self.scores[measure.name])
        )
        said = (*reference_notes(self.test_set), *missing_notes(self.runs))
        told = [one for one in self.told if not is_warning(one)]
        return (*said, *remarks, *told)

    def reference_tables(self) -> list[Table]:
        """What the references themselves score by checks, for a report that compares systems."""
        checks = [measure for measure in self.measures if measure.name in self.references]
        own = tuple(self.references[check.name] for check in checks)
        columns = (Column(""), *map(measure_column, checks))
        title = tr("Checks of the references themselves")
        return [Table(title, columns, ((REFERENCE, *own),))] if checks else []

    def about_checks(self) -> tuple[Message, ...]:
        """What a comparison should say of the checks: their references, and what was left out."""
        own = (
            f"{measure.name} {one.value:.{measure_column(measure).decimals}f}"
            for measure in self.measures
            if (one := self.references.get(measure.name)) is not None and one.n
        )
        scored = ", ".join(own)
        said = (tr("The references themselves score: {scores}.", scores=scored),) if scored else ()
        return (*self.text_warnings, *said, *language_notes(self.test_set, self.measures))

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {
            "segments": len(self.test_set),
            "languages": {
                "source": self.test_set.source_language,
                "target": self.test_set.target_language,
            },
            "systems": {
                system: {
                    measure: estimate_json(values[system])
                    for measure, values in self.estimates.items()
                }
                for system in self.systems
            },
            "references": {name: estimate_json(one) for name, one in self.references.items()},
            "missing": {run.system: run.missing for run in self.runs},
            "without_reference": list(unreferenced(self.test_set)),
            "signatures": {name: scores.signature for name, scores in self.scores.items()},
            "higher_is_better": {m.name: m.higher_is_better for m in self.measures},
            "resampling": resampling_json(self.settings, self.units),
            "notes": message_texts((*self.warnings, *self.notes)),
        }

    def to_report(self, title: str = tr("Translation quality")) -> Report:
        """Warnings, tables, signatures and all segments."""
        tables = tuple(self._tables())
        return Report(
            title=title,
            subtitle=self.subtitle,
            headlines=(),
            tables=tables,
            signatures={name: scores.signature for name, scores in self.scores.items()},
            notes=self.notes,
            explorer=self.explorer(),
            findings=self.warnings,
            paper=tuple(
                PaperTable(table.title, table.columns, table.rows, table.note, self.systems)
                for table in tables
            ),
            brief=len(tables),
        )

    def _tables(self) -> Iterator[Table]:
        """Reference measures, shares of faulty segments, and checks, each in a table of its own."""
        for title, belongs in _TABLES.items():
            measures = [measure for measure in self.measures if belongs(measure)]
            rows: list[tuple[Cell, ...]] = [
                (system, *(self.estimates[measure.name][system] for measure in measures))
                for system in self.systems
            ]
            own = [self.references.get(measure.name) for measure in measures]
            if any(own):
                rows.append((REFERENCE, *own))
            if measures:
                columns = (Column(tr("system")), *map(self.column, measures))
                rates = any(measure.rate for measure in measures)
                note = interval_note(self.settings, self.units, rates=rates)
                yield Table(title, columns, tuple(rows), note)
                note = ""

    def column(self, measure: Measure) -> Column:
        """The column of a measure; its values decide on decimals where its scale is not known."""
        return replace(measure_column(measure), decimals=self.scores[measure.name].decimals)

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

    def explorer(self, facets: Mapping[str, tuple[str | None, ...]] | None = None) -> Explorer:
        """All segments with what each system made of them, to filter by facets."""
        if facets is None:
            known = any(self.test_set.documents)
            facets = {tr("document"): self.test_set.documents} if known else {}
        return Explorer(
            test_set=self.test_set,
            systems=self.systems,
            hypotheses=tuple(run.hypotheses for run in self.runs),
            values={name: scores.segment_scores for name, scores in self.scores.items()},
            higher_is_better={m.name: m.higher_is_better for m in self.measures},
            facets=facets,
            evidence=self.evidence,
        )


@workspace()
def evaluate(
    test_set: TestSet,
    runs: Runs,
    measures: str | Measure | Sequence[Measure | str] | None = None,
    settings: Sampling | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Score every run with every measure. Without measures, those that the data allow are taken."""
    runs = given_runs(test_set, runs)
    settings = settings or Sampling()
    units = Units.choose(test_set.documents, settings.by)
    chosen = parse_given(measures) if measures is not None else default_measures(test_set)
    for measure in chosen:
        measure.check_runs(test_set, runs)
    systems = [run.system for run in runs]
    scores, evidence = {}, {}
    references: dict[str, Scores] = {}
    told: dict[Message, None] = {}
    with nullcontext(progress) if progress else notebook_progress() as advance:
        counted = _counted_by_run(test_set, runs, chosen, advance)
        for position, measure in enumerate(chosen):
            with _failing_by_name(measure):
                judged = counted.get(measure.name)
                if judged is None:
                    if advance:
                        advance(measure.name, position, len(chosen))
                    judged = measure.judge_all(test_set, runs, advance)
                told |= dict.fromkeys(note for one in judged for note in one.notes)
                statistics = np.stack([one.statistics for one in judged])
                shown = tuple(one.evidence for one in judged if one.evidence is not None)
                if shown:
                    evidence[measure.name] = shown
                scores[measure.name] = measure.to_scores(test_set, systems, statistics)
                references |= reference_scores(test_set, [measure])
    return Evaluation(
        test_set,
        tuple(runs),
        tuple(chosen),
        scores,
        units,
        settings,
        evidence,
        references,
        tuple(told),
    )


def _counted_by_run(
    test_set: TestSet, runs: Sequence[Run], measures: Sequence[Measure], advance: Progress | None
) -> dict[str, list[Judged]]:
    """What measures count that only look at the words of each run by itself.

    One run is done after the other by all of them, so that its words are found once.
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
    """Say which measure failed, in one line; what it raised is kept as the cause."""
    try:
        yield
    except PatmarkError:
        raise
    except Exception as error:  # whatever a measure of another package does
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"measure {measure.name} failed: {said}") from error


def given_runs(test_set: TestSet, runs: Runs) -> Sequence[Run]:
    """Runs given as such, or as texts by the names of their systems, after a check."""
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


def estimate_json(value: Estimate) -> dict[str, Any]:
    """An estimate for JSON, with null for what has no value."""
    encoded: dict[str, Any] = plain(value)
    return encoded


def interval_note(settings: Sampling, units: Units | str, *, rates: bool = False) -> str:
    """How the intervals were made, in words; ``rates`` are among them or not."""
    if not settings.resamples:
        return tr("no intervals")
    made = tr(
        "95 % expanded percentile bootstrap by {units}, {resamples} resamples, seed {seed}",
        units=str(units),
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return tr("{made}; rates: {method}", made=made, method=RATE_METHOD) if rates else made


def difference_method(settings: Sampling, *, rates: bool) -> str:
    """How the intervals of scores and of differences were made, for a signature."""
    of_rates = f"; rates: {RATE_METHOD}, differences of rates: {RATE_DIFFERENCE_METHOD}" * rates
    return f"{INTERVAL_METHOD}, {settings.resamples} resamples{of_rates}"


def resampling_json(settings: Sampling, units: Units) -> dict[str, Any]:
    """How intervals were made, for JSON."""
    return {
        "method": INTERVAL_METHOD, "rates": RATE_METHOD, "by": units.kind, "units": units.count,
        "documents": units.documents,
        "resamples": settings.resamples, "seed": settings.seed, "confidence": 0.95,
    }  # fmt: skip


def measure_column(measure: Measure) -> Column:
    """The column of a measure, with a bar where its scale is bounded."""
    low, high = measure.bounds
    scale = (low, high) if np.isfinite([low, high]).all() else None
    return Column(measure.name, 2 if high > 1 or low < -1 else 4, scale, measure.higher_is_better)


def unreferenced(test_set: TestSet) -> tuple[str, ...]:
    """The segments that lack a reference although others have one."""
    lacking = test_set.without_reference
    return lacking if len(lacking) < len(test_set) else ()


def reference_notes(test_set: TestSet) -> tuple[str, ...]:
    """Which segments have an empty reference, or none at all where others have one."""
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
    """A note for each system that left segments without an answer, or gave an empty one."""
    return answer_notes(
        {run.system: run.missing for run in runs}, {run.system: run.empty for run in runs}
    )


def scores_of(evaluation: Evaluation, measure: str | None) -> Scores:
    """The scores of a measure, or of the first measure where none is named."""
    name = next(iter(evaluation.scores)) if measure is None else measure
    if name not in evaluation.scores:
        raise UsageError(f"{name} was not measured; there are {', '.join(evaluation.scores)}")
    return evaluation.scores[name]


def pair_of(evaluation: Evaluation, a: str, b: str) -> tuple[int, int]:
    """The positions of two different systems."""
    for name in (a, b):
        if name not in evaluation.systems:
            raise UsageError(
                f"no system is called {name!r}; there are {', '.join(evaluation.systems)}"
            )
    if a == b:
        raise UsageError(f"{a!r} cannot be compared with itself")
    return evaluation.systems.index(a), evaluation.systems.index(b)


def system_columns(
    evaluation: Evaluation, measure: str, systems: tuple[str, ...]
) -> tuple[Column, ...]:
    """A column per system that shows values of one measure as the measure's own column would."""
    column = next(evaluation.column(m) for m in evaluation.measures if m.name == measure)
    return tuple(replace(column, title=system) for system in systems)
