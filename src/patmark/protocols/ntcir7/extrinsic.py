"""The extrinsic evaluation of NTCIR-7: retrieval loss of translated topics.

The original topics are the ceiling. Each system's topics are searched in the same way and compared
with them and with each other, and BLEU of the topics is compared with retrieval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from patmark.collections.retrieval import (
    OpenIndex,
    Qrels,
    Ranking,
    RecallCeiling,
    RetrievalComparison,
    RetrievalData,
    RetrievalSources,
    SearchResult,
    SearchSettings,
    Selection,
    Topic,
    compare_retrieval,
    evaluate_retrieval,
    index_facts,
    mark,
    missing_documents,
    named_documents,
    recall_ceiling,
    search_topics,
)
from patmark.data import Estimate, Run, Segment, TestSet
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import (
    CompareSettings,
    Evaluation,
    Sampling,
    SystemCorrelations,
    correlate_systems,
    evaluate,
)
from patmark.report import Column, Point, Report, Result, Scatter, Table, first_of
from patmark.stats import PairedTest, is_significant
from patmark.wording import percent, tr

CEILING = "original"
BLEU = "BLEU"
_SECTION = tr("Loss from translation")
_SHOWN = 10
_FEWEST_SYSTEMS = 3

Searching: TypeAlias = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Loss:
    """A system compared with the ceiling. ``loss`` is ceiling minus system, negative if better.

    ``kept`` is the remaining share of the ceiling, NaN if the ceiling is 0.
    """

    system: str
    value: Estimate
    ceiling: float
    loss: Estimate
    p: float
    p_holm: float

    @property
    def kept(self) -> float:
        """System divided by ceiling."""
        return self.value.value / self.ceiling if self.ceiling else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "system": self.system,
            "value": self.value,
            "ceiling": self.ceiling,
            "loss": self.loss,
            "kept": self.kept,
            "p": self.p,
            "p_holm": self.p_holm,
            "mark": mark(self.p),
            "mark_holm": mark(self.p_holm),
        }


def _losses(comparison: RetrievalComparison, ceiling: str) -> tuple[Loss, ...]:
    means = comparison.evaluation.estimates[comparison.main]
    found = [
        _loss(pair, ceiling, means)
        for pair in comparison.tests[comparison.main]
        if ceiling in (pair.first, pair.second)
    ]
    return tuple(sorted(found, key=lambda loss: (loss.loss.value, loss.system)))


def _loss(pair: PairedTest[str], ceiling: str, means: Mapping[str, Estimate]) -> Loss:
    lost = pair if pair.first == ceiling else pair.turned()
    loss = Estimate(lost.delta, lost.ci, lost.n)
    return Loss(lost.second, means[lost.second], means[ceiling].value, loss, pair.p, pair.p_holm)


def _loss_table(measure: str, found: Sequence[Loss], bleu: Mapping[str, Estimate]) -> Table:
    columns = (
        Column(tr("system")),
        Column(tr("BLEU of topics")),
        Column(measure, 4),
        Column(tr("% of the original"), 1),
        Column(tr("loss"), 4),
        Column("p t", 4, p_value=True),
        Column(tr("p t, Holm"), 4, p_value=True),
    )
    rows = tuple(
        (
            one.system,
            bleu[one.system],
            one.value,
            100 * one.kept,
            one.loss,
            one.p,
            one.p_holm,
        )
        for one in found
    )
    ceiling = f"{found[0].ceiling:.4f}" if found else tr("none")
    note = tr(
        "The original topics reach {ceiling}; the loss is against them. Two-sided "
        "paired t-test over topics; Holm over all pairs of runs.",
        ceiling=ceiling,
    )
    return Table(_SECTION, columns, rows, note, _SECTION)


def _bleu_chart(measure: str, found: Sequence[Loss], bleu: Mapping[str, Estimate]) -> Scatter:
    points = tuple(Point(bleu[one.system].value, one.value.value, one.system) for one in found)
    return Scatter(
        tr("BLEU of topics and retrieval"),
        tr("BLEU of topics"),
        measure,
        points,
        tr("{n} systems; a line through few points says little.", n=len(points)),
        _SECTION,
        regression=len(points) > 2,
    )


def _agreement_table(measure: str, found: SystemCorrelations) -> Table:
    systems = next(iter(found.estimates.values())).n
    columns = (Column(tr("coefficient")), Column(tr("BLEU and {measure}", measure=measure), 3))
    note = tr(
        "Over {systems} systems, without the original; they say nothing about other systems.",
        systems=systems,
    )
    rows = tuple(found.estimates.items())
    return Table(tr("Does BLEU predict retrieval?"), columns, rows, note, _SECTION)


def _finding(measure: str, one: Loss) -> str:
    kept = percent(one.kept, 1) if np.isfinite(one.kept) else tr("an unknown share")
    sure = tr("significant") if is_significant(one.p_holm) else tr("not significant")
    return tr(
        "{system} keeps {kept} of the {measure} of the original topics ({value:.4f} of "
        "{ceiling:.4f}); the difference is {sure} at 5 % after Holm.",
        system=one.system,
        kept=kept,
        measure=measure,
        value=one.value.value,
        ceiling=one.ceiling,
        sure=sure,
    )


@dataclass(frozen=True, slots=True)
class ExtrinsicSettings:
    """Search procedure, measures, tests and choice of topics.

    Topics are selected by AP(rel=1) with the original text, ``at_least`` and ``below``, as at
    NTCIR-7: from 0.9 in the dry run, from 0.3 to below 0.9 in the formal run.
    """

    search: SearchSettings = field(default_factory=SearchSettings)
    measures: str | None = None
    comparison: CompareSettings = field(default_factory=CompareSettings)
    at_least: float | None = None
    below: float | None = None

    @property
    def selection(self) -> Selection | None:
        """The choice of topics, if there is one."""
        if self.at_least is None and self.below is None:
            return None
        return Selection(CEILING, self.at_least or 0.0, self.below)


@dataclass(frozen=True, eq=False)
class Extrinsic(Result):
    """Searches, retrieval, translation quality, and the loss of each system.

    ``without_terms`` are translated topics, by system, without any search term; they count 0.
    ``notes`` come first in the report.
    """

    searches: Mapping[str, SearchResult]
    rankings: Mapping[str, Ranking]
    ceiling: RecallCeiling
    comparison: RetrievalComparison
    translations: Evaluation
    without_terms: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result."""
        return self.comparison.scored

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """Loss of each system against the original topics, by the main measure."""
        return _losses(self.comparison, CEILING)

    @cached_property
    def agreement(self) -> SystemCorrelations | None:
        """Agreement of BLEU and retrieval over systems; None for fewer than three of them.

        There are no intervals: resampling a handful of systems that agree gives 1 to 1.
        """
        if len(self.losses) < _FEWEST_SYSTEMS:
            return None
        bleu = self.translations.estimates[BLEU]
        retrieval = [loss.value.value for loss in self.losses]
        metric = [bleu[loss.system].value for loss in self.losses]
        return correlate_systems(retrieval, metric, Sampling(resamples=0))

    def to_json(self) -> dict[str, Any]:
        """Return the comparison of runs, the losses, BLEU, and the search settings."""
        bleu = self.translations.to_json()
        return {
            **self.comparison.to_json(),
            "ceiling_run": CEILING,
            "losses": [loss.to_json() for loss in self.losses],
            "bleu": {name: values[BLEU] for name, values in bleu["systems"].items()},
            "bleu_signature": bleu["signatures"][BLEU],
            "search_signature": self.searches[CEILING].signature,
            "recall_ceiling": self.ceiling.to_json(),
            "bleu_agreement": self.agreement.estimates if self.agreement else None,
            "topics_without_terms": self.without_terms,
            "empty_topics": {name: one.empty for name, one in self.searches.items()},
        }

    def to_report(self) -> Report:
        """Return the report: losses, tests, gaps in BLEU, other tables."""
        report = self.comparison.to_report()
        bleu = self.translations.estimates[BLEU]
        main = self.comparison.main
        agreed = [_agreement_table(main, self.agreement)] if self.agreement else []
        return replace(
            report,
            title="Extrinsic evaluation by patent retrieval",
            tables=(_loss_table(main, self.losses, bleu), *report.tables, *agreed),
            charts=(_bleu_chart(main, self.losses, bleu), *report.charts),
            findings=(*(_finding(main, loss) for loss in self.losses), *report.findings),
            notes=(*self.notes, *report.notes, *self._notes()),
            signatures={
                **report.signatures,
                BLEU: self.translations.scores[BLEU].signature,
                "search": self.searches[CEILING].signature,
            },
        )

    def _notes(self) -> list[str]:
        found, ceiling = self.searches[CEILING], self.ceiling
        notes: list[str] = [
            tr(
                "The filters let {all:.4f} of the relevant documents through (mean over "
                "{topics} topics; IPC {ipc:.4f}, date {date:.4f}, family {family:.4f}): no "
                "recall can be higher.",
                all=ceiling.all,
                topics=ceiling.topics,
                ipc=ceiling.ipc,
                date=ceiling.date,
                family=ceiling.family,
            )
        ]
        if found.undated:
            notes.append(tr("{n} documents without a date cannot be found.", n=found.undated))
        if found.unclassified:
            notes.append(
                tr("{n} documents without an IPC code cannot be found.", n=found.unclassified)
            )
        if found.without_family:
            notes.append(
                tr("{n} topics name no family that could be left out.", n=found.without_family)
            )
        return notes + [
            tr(
                "{name}: {n} topics have no term to search with and count 0: {topics}.",
                name=name,
                n=len(ids),
                topics=first_of(ids, _SHOWN),
            )
            for name, ids in self.without_terms.items()
            if ids
        ]


def evaluate_extrinsically(
    index: OpenIndex,
    original: Sequence[Topic],
    translated: Mapping[str, Sequence[Topic]],
    qrels: Qrels,
    settings: ExtrinsicSettings | None = None,
    searching: Searching | None = None,
) -> Extrinsic:
    """Search with the original topics and with those of each system, and compare.

    ``searching`` receives the name of the topics and the number of finished ones.
    """
    settings = settings or ExtrinsicSettings()
    _check(original, translated)
    topics = {CEILING: tuple(original)} | {
        name: _aligned(original, texts) for name, texts in translated.items()
    }
    terms = index.manifest.procedure.terms
    without_terms = {
        name: tuple(topic.id for topic in topics[name] if not terms(topic.text))
        for name in translated
    }
    judged = qrels.only([topic.id for topic in original])
    searches = {
        name: search_topics(
            index,
            of_run,
            settings.search,
            _progress(name, searching),
            allow_empty=name != CEILING,
        )
        for name, of_run in topics.items()
    }
    rankings = {name: found.ranking(name) for name, found in searches.items()}
    data = _data(index, rankings, judged, len(qrels.topics), settings)
    chosen = [topic for topic in original if topic.id in set(data.qrels.topics)]
    sampling = settings.comparison.sampling
    translations = _bleu(index, chosen, {n: t for n, t in topics.items() if n != CEILING}, settings)
    evaluation = evaluate_retrieval(data, settings.measures, sampling)
    values = {name: one.value for name, one in translations.estimates[BLEU].items()}
    metrics = {BLEU: values} if len(values) > 1 else None
    return Extrinsic(
        searches,
        rankings,
        recall_ceiling(
            index.find(data.qrels.documents), chosen, data.qrels, settings.search.filters
        ),
        compare_retrieval(evaluation, settings.comparison, metrics),
        translations,
        without_terms,
    )


def _check(original: Sequence[Topic], translated: Mapping[str, Sequence[Topic]]) -> None:
    if not translated:
        raise UsageError("give the topics of at least one system")
    if CEILING in translated:
        raise UsageError(f"a system cannot be called {CEILING!r}; that is the original topics")
    known = {topic.id for topic in original}
    problems = [
        Problem(f"topic {topic.id!r} of {name} is not among the original topics")
        for name, topics in translated.items()
        for topic in topics
        if topic.id not in known
    ]
    problems += [
        Problem(f"topic {topic!r} of {name} occurs {times} times")
        for name, topics in translated.items()
        for topic, times in Counter(topic.id for topic in topics).items()
        if times > 1
    ]
    problems += [
        Problem(f"{name} has no topic that could be searched")
        for name, topics in translated.items()
        if not topics
    ]
    if problems:
        raise InputError(problems)


def _aligned(original: Sequence[Topic], translated: Sequence[Topic]) -> tuple[Topic, ...]:
    texts = {topic.id: topic.text for topic in translated}
    return tuple(replace(one, text=texts[one.id]) for one in original if one.id in texts)


def _progress(name: str, searching: Searching | None) -> Callable[[int], None] | None:
    return None if searching is None else lambda done: searching(name, done)


def _data(
    index: OpenIndex,
    rankings: Mapping[str, Ranking],
    qrels: Qrels,
    judged: int,
    settings: ExtrinsicSettings,
) -> RetrievalData:
    if settings.selection is not None:
        chosen = settings.selection.topics(rankings[CEILING], qrels)
        if not chosen:
            raise UsageError(f"there is no topic with {settings.selection}")
        qrels = qrels.only(chosen)
    facts = index_facts(index, named_documents(qrels, rankings.values()))
    sources = RetrievalSources(qrels.name, tuple(rankings), selection=settings.selection)
    kept = tuple(ranking.of_topics(set(qrels.topics)) for ranking in rankings.values())
    missing = missing_documents(qrels, facts.families)
    return RetrievalData(qrels, kept, sources, judged, facts, missing)


def _bleu(
    index: OpenIndex,
    original: Sequence[Topic],
    translated: Mapping[str, Sequence[Topic]],
    settings: ExtrinsicSettings,
) -> Evaluation:
    test_set = TestSet(
        tuple(Segment(topic.id, references=(topic.text,)) for topic in original),
        index.manifest.procedure.language,
        name="topics",
    )
    runs = []
    for name, topics in translated.items():
        texts = {topic.id: topic.text for topic in topics}
        runs.append(Run(name, tuple(texts.get(topic.id) for topic in original)))
    return evaluate(test_set, runs, BLEU, settings.comparison.sampling)
