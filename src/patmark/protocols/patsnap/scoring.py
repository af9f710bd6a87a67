"""Evaluation by the PatSnap bench: options, and all results derived from row scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.data import (
    COUNTED_AS_WRONG,
    LEFT_OUT,
    Estimate,
    FloatArray,
    Mean,
    Notice,
    Run,
    ScoreFacts,
    Scores,
    ScoreScale,
    TestSet,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation import (
    Comparison,
    Evaluation,
    MeasureNames,
    Progress,
    Runs,
    Sampling,
    TextEvaluation,
    default_checks,
    evaluate,
    given_runs,
    language_warnings,
    parse_given,
    repeated_warnings,
)
from patmark.languages import Lemmatizer, lemmatizer_version, tokenizer_signature
from patmark.protocols.patsnap.bench_files import Direction
from patmark.protocols.patsnap.grades import GradeContradiction, contradictions, recommends
from patmark.protocols.patsnap.rows import (
    COMPONENTS,
    GENERAL,
    LABELS,
    RowScores,
    Variant,
    flagged_rows,
    has_rule,
    score_rows,
    title_without_article,
)
from patmark.report import Report
from patmark.stats import estimate_all
from patmark.wording import tr

FACETS = ("label", "granularity", "ipc", "domain", "origin")
FAULTS = ("omission", "length_hallucination", "leakage", "hallucination")
RATES = ("omission", "hallucination")
SMALL_CELL = 20
ALL_GENERAL = tr("all general rows")
_PERCENT = Mean(100.0)
_PERCENTAGES: dict[str, Any] = {
    "aggregation": _PERCENT,
    "bounds": (0.0, 100.0),
    "percentage": True,
    "needs_all": True,
}


@dataclass(frozen=True, slots=True)
class PatsnapOptions:
    """Options of the scorer."""

    direction: Direction = "cn2en"
    variant: Variant = "strict"
    allow_partial: bool = False
    lemmatizer: Lemmatizer = "auto"
    checks: bool = False
    components: bool = False
    measures: MeasureNames | None = None
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        for name, allowed in (
            ("direction", ("cn2en", "en2cn")),
            ("variant", ("strict", "published")),
            ("lemmatizer", ("auto", "simplemma", "spacy")),
        ):
            if getattr(self, name) not in allowed:
                raise UsageError(
                    f"the {name} {getattr(self, name)!r} is unknown; choose from "
                    f"{', '.join(allowed)}"
                )

    @property
    def skips_missing(self) -> bool:
        """True if rows without an answer are left out instead of counted as wrong."""
        return self.allow_partial or self.variant == "published"


@dataclass(frozen=True, eq=False, kw_only=True)
class PatsnapEvaluation(Evaluation):
    """Scores of the counted rows, for all systems: the mean of labels, and each label.

    ``excluded`` rows of the file have no rule or no source text in this direction; ``translated``
    is the number of rows with a translation, by system.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    options: PatsnapOptions
    rows: tuple[RowScores, ...]
    excluded: int
    translated: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with the published keys."""
        from patmark.protocols.patsnap.report import patsnap_json

        return patsnap_json(self)

    def to_report(self, title: str = "") -> Report:
        """Return grades, labels, rates and all rows."""
        from patmark.protocols.patsnap.report import patsnap_report

        report = patsnap_report(self)
        return replace(report, title=title) if title else report

    def comparison_report(self, comparison: Comparison) -> Report:
        """Return the comparison by label, always in full, because rows are few."""
        from patmark.protocols.patsnap.report import patsnap_comparison_report

        return patsnap_comparison_report(self, comparison)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels that occur, in the order of the bench's description."""
        present = {segment.meta["label"] for segment in self.test_set}
        return tuple(label for label in LABELS if label in present)

    @property
    def incomplete(self) -> str:
        """The reason why rows have no score of a service; empty if all have one."""
        return next(filter(None, (one.incomplete for one in self.by_measures.values())), "")

    def values(self, name: str) -> FloatArray:
        """Return a column of the row scores, of shape (systems, rows)."""
        return np.stack([row.values(name) for row in self.rows])

    def groups(self, facet: str) -> dict[str, FloatArray]:
        """Return, for each value of a facet, an indicator of the rows that have it."""
        return _groups(self.test_set, facet)

    @cached_property
    def by_facet(self) -> dict[tuple[str, str, str], list[Estimate]]:
        """(quantity, facet, value) → an estimate in percent per system, from shared resamples."""
        wanted = [("accuracy", facet) for facet in FACETS]
        wanted += [(name, "label") for name in (*FAULTS, *self.components)]
        quantities = {
            (name, facet, value): (_mean_statistics(self.values(name), member), _PERCENT.score)
            for name, facet in wanted
            for value, member in self.groups(facet).items()
            if name == "accuracy" or value in GENERAL
        }
        everything = np.ones(len(self.test_set))
        for name in ("accuracy", *FAULTS, *self.components):
            statistics = _mean_statistics(self.values(name), everything)
            quantities[name, "all", "micro"] = (statistics, _PERCENT.score)
        by_label = [
            _mean_statistics(self.values("accuracy"), member)
            for member in self.groups("label").values()
        ]
        quantities["accuracy", "all", "macro"] = (
            np.concatenate(by_label, axis=-1),
            _PERCENT.score,
        )
        sound = 1.0 - np.array(self.flagged, dtype=np.float64)
        unflagged = [
            _mean_statistics(self.values("accuracy"), member * sound)
            for member in self.groups("label").values()
        ]
        quantities["accuracy", "all", "without flagged rows"] = (
            np.concatenate(unflagged, axis=-1),
            _PERCENT.score,
        )
        settings = self.options.sampling
        found = estimate_all(
            list(quantities.values()), self.units, settings.resamples, settings.seed,
            [ScoreScale((0.0, 100.0), rate=name in FAULTS) for name, _, _ in quantities],
        )  # fmt: skip
        return dict(zip(quantities, found, strict=True))

    @property
    def components(self) -> tuple[str, ...]:
        """The requested metrics of general rows besides accuracy."""
        return tuple(COMPONENTS) if self.options.components else ()

    @cached_property
    def flagged(self) -> list[bool]:
        """Rows with doubtful data."""
        return flagged_rows(self.test_set, self.options.direction)

    def overall(self, system: str) -> Estimate:
        """Return the mean over labels of a system, in percent."""
        return self.by_facet["accuracy", "all", "macro"][self.systems.index(system)]

    def rates(self, system: str) -> dict[str, float]:
        """Return omission and hallucination of a system, in percent of the general rows."""
        place = self.systems.index(system)
        found = {name: self.by_facet[name, "all", "micro"][place] for name in RATES}
        return {name: one.value for name, one in found.items() if one.n}

    def contradictions(self, system: str) -> tuple[GradeContradiction, ...]:
        """Return the fault rates and checks that contradict the meaning of a system's grade."""
        if not recommends(self.overall(system).value):
            return ()
        return tuple(contradictions(self.rates(system), self._kept(self.systems.index(system))))

    def _kept(self, place: int) -> dict[str, tuple[float, float]]:
        checked = self._checked
        if checked is None:
            return {}
        texts = checked.runs[place].hypotheses
        rows = [
            row
            for row, segment in enumerate(checked.test_set)
            if segment.references and not (texts[row] is None and self.options.skips_missing)
        ]
        return {
            name: (_of_sum(checked.scores[name], place, rows), _of_sum(own, 0, rows))
            for name, own in checked.reference_scores.items()
        }

    @cached_property
    def _checked(self) -> TextEvaluation | None:
        """The requested checks, else that of numbers in rows with a reference."""
        rows = [row for row, one in enumerate(self.test_set) if one.source and one.references]
        if self.checks or not rows:
            return self.checks
        texts = _of_rows(self.test_set, self.runs, rows)
        return evaluate(*texts, ["numbers"], Sampling(resamples=0))

    def lowest_label(self, system: str) -> tuple[str, float] | None:
        """Return the lowest label of a system, with its accuracy in percent."""
        place = self.systems.index(system)
        found = [(self.by_facet["accuracy", "label", one][place], one) for one in self.labels]
        known = [(estimate.value, label) for estimate, label in found if estimate.n]
        return None if not known else min(known)[::-1]

    def missing_ids(self, run: Run) -> list[str]:
        """Return the rows without an answer of a system."""
        return [
            segment.id
            for segment, text in zip(self.test_set, run.hypotheses, strict=True)
            if text is None
        ]

    def empty_ids(self, run: Run) -> list[str]:
        """Return the rows with an empty answer of a system."""
        return [
            segment.id
            for segment, text in zip(self.test_set, run.hypotheses, strict=True)
            if text is not None and not text.strip()
        ]

    def title_articles(self, run: Run) -> float | None:
        """Return the percentage of English titles without an article, as the rule requires."""
        if self.options.direction != "cn2en":
            return None
        kept = [
            title_without_article(segment, text)
            for segment, text in zip(self.test_set, run.hypotheses, strict=True)
            if text is not None
        ]
        titles = [keeps for keeps in kept if keeps is not None]
        return round(100 * sum(titles) / len(titles), 2) if titles else None

    @cached_property
    def text_warnings(self) -> tuple[Notice, ...]:
        """Warnings of texts that do not fit their language, or are not parallel."""
        not_parallel = self.checks.not_parallel if self.checks else ()
        repeated = repeated_warnings(self.test_set, self.runs)
        return (*language_warnings(self.test_set, self.runs), *repeated, *not_parallel)

    @cached_property
    def signatures(self) -> dict[str, str]:
        """Signatures of rows, labels, faults, components and further measures."""
        signatures = _signatures(self.options)
        for evaluation in self.by_measures.values():
            signatures |= {name: one.signature for name, one in evaluation.scores.items()}
        return signatures

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Overall accuracy and that of each label: name → system → estimate."""
        named = {"overall": self.by_facet["accuracy", "all", "macro"]}
        named |= {label: self.by_facet["accuracy", "label", label] for label in self.labels}
        return {name: dict(zip(self.systems, of, strict=True)) for name, of in named.items()}

    @property
    def segment_measures(self) -> dict[str, Scores]:
        """Accuracy and faults of single rows, in the one shape of all scores."""
        everything = np.ones(len(self.test_set))
        return {
            name: Scores(
                name,
                _signatures(self.options)["accuracy" if name == "accuracy" else "faults"],
                self.systems,
                tuple(segment.id for segment in self.test_set),
                _mean_statistics(self.values(name), everything),
                higher_is_better=name == "accuracy",
                rate=name in FAULTS,
                **_PERCENTAGES,
            )
            for name in ("accuracy", *FAULTS)
        }

    @cached_property
    def checks(self) -> TextEvaluation | None:
        """The requested reference-free checks of rows with a source text."""
        if not self.options.checks or not any(self.test_set.sources):
            return None
        rows = replace(self.test_set, allow_gaps=True)
        return evaluate(rows, self.runs, default_checks(), self.options.sampling)

    @cached_property
    def by_measures(self) -> dict[str, TextEvaluation]:
        """The requested measures, of each general label and of all of them."""
        if self.options.measures is None:
            return {}
        rows = {
            label: [row for row in range(len(self.test_set)) if self._is_measured(row, {label})]
            for label in GENERAL
        }
        rows[ALL_GENERAL] = sorted(row for of in rows.values() for row in of)
        settings, measures = self.options.sampling, parse_given(self.options.measures)
        return {
            name: evaluate(*_of_rows(self.test_set, self.runs, of), measures, settings)
            for name, of in rows.items()
            if of
        }

    def _is_measured(self, row: int, labels: set[str]) -> bool:
        """Return True if a row is scored.

        If unanswered rows are left out, they are left out for all systems.
        """
        answered = all(run.hypotheses[row] is not None for run in self.runs)
        counts = answered or not self.options.skips_missing
        return counts and self.test_set[row].meta["label"] in labels


def _groups(test_set: TestSet, facet: str) -> dict[str, FloatArray]:
    found: dict[str, FloatArray] = {}
    for index, segment in enumerate(test_set):
        value = segment.meta[facet]
        if value is not None:
            found.setdefault(value, np.zeros(len(test_set)))[index] = 1.0
    order = LABELS if facet == "label" else sorted(found)
    return {value: found[value] for value in order if value in found}


def _label_scores(
    test_set: TestSet, runs: Sequence[Run], options: PatsnapOptions, rows: Sequence[RowScores]
) -> dict[str, Scores]:
    """Return overall accuracy and that of each label, as measures to compare systems by."""
    accuracy = np.stack([one.accuracy for one in rows])
    by_label = {
        label: _mean_statistics(accuracy, member)
        for label, member in _groups(test_set, "label").items()
    }
    overall = np.concatenate(list(by_label.values()), axis=-1)
    signatures = _signatures(options)
    return {
        name: Scores(
            name,
            signatures["overall" if name == "overall" else "accuracy"],
            tuple(run.system for run in runs),
            tuple(segment.id for segment in test_set),
            statistics,
            **_PERCENTAGES,
        )
        for name, statistics in {"overall": overall, **by_label}.items()
    }


def _evaluation(
    test_set: TestSet,
    runs: tuple[Run, ...],
    options: PatsnapOptions,
    rows: tuple[RowScores, ...],
    excluded: int,
    translated: tuple[int, ...],
) -> PatsnapEvaluation:
    return PatsnapEvaluation(
        scores=_label_scores(test_set, runs, options, rows),
        documents=test_set.documents,
        sampling=options.sampling,
        facts=ScoreFacts.of(
            test_set, runs, LEFT_OUT if options.skips_missing else COUNTED_AS_WRONG
        ),
        test_set=test_set,
        runs=runs,
        options=options,
        rows=rows,
        excluded=excluded,
        translated=translated,
    )


def _signatures(options: PatsnapOptions) -> dict[str, str]:
    common = f"patsnap|direction:{options.direction}|variant:{options.variant}"
    if options.allow_partial:
        common += "|partial:yes"
    if options.direction == "cn2en":
        words = f"lemmas:{lemmatizer_version(options.lemmatizer)}"
        general, document = "BLEU-1+METEOR-nltk", "BLEU(tok=13a) of lemmas"
    else:
        words = f"words:{tokenizer_signature('zh-jieba')}"
        general, document = "ROUGE-1-pltrdy+METEOR-nltk", "BLEU(tok=zh)"
    if options.variant == "strict":
        words += f"|terms:whole words by {lemmatizer_version('simplemma')}"
    version = f"patmark:{__version__}"
    signatures = {
        "accuracy": f"{common}|general:({general})/2|document:{document}|{words}"
        f"|wordnet:3.0|{version}",
        "overall": f"{common}|macro mean of labels|{version}",
        "faults": f"{common}|omission:ratio<0.5|length:ratio>5|leakage:any character|{words}"
        f"|{version}",
    }
    if options.components:
        signatures["components"] = (
            f"{common}|BLEU-n,METEOR:nltk|ROUGE:pltrdy|SacreBLEU:{document}|of rows|{words}"
            f"|wordnet:3.0|{version}"
        )
    return signatures


def _of_sum(scores: Scores, system: int, rows: Sequence[int]) -> float:
    return float(scores.score(scores.statistics[system, list(rows)].sum(axis=0)))


def _mean_statistics(values: FloatArray, member: FloatArray) -> FloatArray:
    """Return sum and count of the values of a group's rows: (systems, rows, 2)."""
    counted = ~np.isnan(values) & (member > 0)
    return np.stack([np.where(counted, values, 0.0), counted.astype(np.float64)], axis=-1)


def score_patsnap(
    test_set: TestSet,
    runs: Runs,
    options: PatsnapOptions | None = None,
    progress: Progress | None = None,
) -> PatsnapEvaluation:
    """Score translations of the bench rows."""
    options = options or PatsnapOptions()
    runs = given_runs(test_set, runs)
    rows = [i for i, _ in enumerate(test_set) if _counts(test_set, runs, options, i)]
    if not rows:
        raise InputError.at(
            f"no row can be scored in the direction {options.direction}", test_set.name
        )
    kept, kept_runs = _of_rows(test_set, runs, rows)
    scores = []
    for position, run in enumerate(kept_runs):
        if progress:
            progress(run.system, position, len(kept_runs))
        scores.append(
            score_rows(
                kept,
                run.hypotheses,
                options.direction,
                options.variant,
                options.lemmatizer,
                tuple(COMPONENTS) if options.components else (),
            )
        )
        if not options.skips_missing:
            _count_missing_as_wrong(kept, run, scores[-1])
    translated = tuple(len(test_set) - run.missing for run in runs)
    excluded = len(test_set) - len(kept)
    return _evaluation(kept, kept_runs, options, tuple(scores), excluded, translated)


def _counts(test_set: TestSet, runs: Sequence[Run], options: PatsnapOptions, index: int) -> bool:
    """Return True if a row has a rule and a source text.

    The published scorer takes any answered row.
    """
    segment = test_set[index]
    if not has_rule(segment, options.direction):
        return False
    if segment.source is not None:
        return True
    return options.variant == "published" and any(run.hypotheses[index] is not None for run in runs)


def _count_missing_as_wrong(test_set: TestSet, run: Run, scores: RowScores) -> None:
    for index, segment in enumerate(test_set):
        if run.hypotheses[index] is None:
            scores.accuracy[index] = 0.0
            if segment.meta["label"] in GENERAL:
                scores.omission[index] = 1.0
                scores.length_hallucination[index] = scores.leakage[index] = 0.0
                for values in scores.components.values():
                    values[index] = 0.0


def _of_rows(
    test_set: TestSet, runs: Sequence[Run], rows: Sequence[int]
) -> tuple[TestSet, tuple[Run, ...]]:
    kept = replace(test_set, segments=tuple(test_set[row] for row in rows))
    texts = (tuple(run.hypotheses[row] for row in rows) for run in runs)
    return kept, tuple(replace(run, hypotheses=of) for run, of in zip(runs, texts, strict=True))


def without_rows(result: PatsnapEvaluation, ids: Sequence[str]) -> PatsnapEvaluation:
    """Return the result without these rows."""
    dropped = set(ids)
    rows = [row for row, segment in enumerate(result.test_set) if segment.id not in dropped]
    test_set, runs = _of_rows(result.test_set, result.runs, rows)
    kept = tuple(scores.of_rows(rows) for scores in result.rows)
    return _evaluation(test_set, runs, result.options, kept, result.excluded, result.translated)
