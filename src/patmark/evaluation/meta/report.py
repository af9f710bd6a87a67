"""All metrics against the gold measure: agreement, tests between metrics, report, charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from patmark.data import Estimate, Notice, criterion_name
from patmark.evaluation.comparison_tables import pair_p
from patmark.evaluation.meta.agreement import (
    CORRELATIONS,
    FEW_SYSTEMS,
    FEWEST_FOR_INTERVAL,
    FEWEST_SYSTEMS,
    MetaSettings,
    MetricRow,
    segment_rows,
    system_rows,
)
from patmark.evaluation.meta.error_free import ErrorFreeDetection, detect_error_free
from patmark.evaluation.meta.human_ceiling import PeopleCeiling, human_ceiling_of
from patmark.evaluation.meta.panel import Panel
from patmark.evaluation.meta.significance import (
    MetricComparison,
    MetricTest,
    average_comparisons,
    compare_metrics,
)
from patmark.report import (
    Column,
    Point,
    Report,
    Result,
    Scatter,
    Table,
    Way,
    clauses,
    entry,
    fields_json,
    message_texts,
    sentences,
)
from patmark.stats import ALPHA, Units
from patmark.wording import percent, setting, tr, tr_n


@dataclass(frozen=True, slots=True, eq=False)
class MetaEvaluation:
    """All metrics against the gold measure, and the tests between them."""

    panel: Panel
    settings: MetaSettings
    rows: tuple[MetricRow, ...]
    comparison: MetricComparison | None
    units: Units | None
    excluded_kind: str | None = None
    pair: str = ""
    ceiling: PeopleCeiling | None = None
    error_free: ErrorFreeDetection | None = None

    @property
    def systems_name(self) -> str:
        """Systems and language pair in words."""
        systems = (
            tr("without {kind}", kind=self.excluded_kind)
            if self.excluded_kind
            else tr("all systems")
        )
        return tr("{pair}, {systems}", pair=self.pair, systems=systems) if self.pair else systems

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Warnings of inconsistent data, of few systems, and of constant gold."""
        n, level, where = len(self.panel.systems), self.settings.level, self.systems_name
        found = [*self.panel.warnings]
        if level == "system" and n < FEW_SYSTEMS:
            rule = tr("intervals of accuracies from so few are too narrow")
            if n < FEWEST_SYSTEMS:
                rule = tr("fewer than {n} have no correlation", n=FEWEST_SYSTEMS)
            elif n < FEWEST_FOR_INTERVAL:
                rule = tr("fewer than {n} have no interval", n=FEWEST_FOR_INTERVAL)

            text = tr_n(
                "only {n} system ({systems_name}); {rule}.",
                "only {n} systems ({systems_name}); {rule}.",
                n=n,
                systems_name=where,
                rule=rule,
            )
            found.append(Notice("warning", "few-systems", text))
        if self.panel.gold.is_constant(level):
            text = tr(
                "all {whole} have the same {name} ({systems_name}), "
                "which tells no metric from another.",
                whole=tr("systems") if level == "system" else tr("outputs"),
                name=self.panel.gold.name,
                systems_name=where,
            )
            found.append(Notice("warning", "constant-gold", text))
        return (*found, *(self.error_free.warnings if self.error_free else ()))

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        sampling = self.settings.sampling
        return fields_json(
            self, "gold=panel.gold.name", "level=settings.level", "systems=panel.systems",
            "without=excluded_kind", "rows", "human_ceiling=ceiling", "error_free",
            "tests=comparison",
            average_by=self.settings.average_by if self.settings.level == "segment" else None,
            resampling={
                "resamples": sampling.resamples,
                "seed": sampling.seed,
                "units": str(self.units) if self.units else "system",
            },
            notes=self.panel.notes,
            warnings=message_texts(self.warnings),
        )  # fmt: skip


def evaluate_metrics(
    panel: Panel, settings: MetaSettings | None = None, without: str | None = None, pair: str = ""
) -> MetaEvaluation:
    """Evaluate every metric of a panel, and compare the metrics with each other.

    ``without`` names systems, or types of systems, to leave out; ``pair`` the language pair.
    """
    if without is not None:
        panel = panel.without(without)
    settings = settings or MetaSettings()
    panel = panel.by_id
    units = Units.choose(panel.documents, settings.sampling.by) if panel.segments else None
    if settings.level == "system":
        rows = system_rows(panel, settings, units)
    else:
        rows = segment_rows(panel, settings, units)
    comparison = compare_metrics(panel.scored_by(panel.metrics), settings, units)
    ceiling = human_ceiling_of(panel, settings, units) if units else None
    error_free = None
    if settings.error_free is not None and units:
        error_free = detect_error_free(panel, settings, units)
    return MetaEvaluation(
        panel, settings, best_first(rows), comparison, units, without, pair, ceiling, error_free
    )


def best_first(rows: Iterable[MetricRow]) -> tuple[MetricRow, ...]:
    """Return the rows by their first coefficient; undefined ones come last."""

    def agreement(row: MetricRow) -> float:
        value = next(iter(row.agreement.values())).value
        return value if value == value else -np.inf

    return tuple(sorted(rows, key=agreement, reverse=True))


_LESSON = tr(
    "A correlation depends on the systems in the set: with systems of another type it can be "
    "quite another one."
)


_LEVELS = {"system": tr("system"), "segment": tr("segment")}
_SCOPE = tr(
    "PERM-INPUTS applies to these systems only: with other systems the result may be "
    "reversed. Williams and PERM-SYSTEMS generalise to other systems and have less power."
)


@dataclass(frozen=True, slots=True, eq=False)
class MetaResult(Result):
    """Metrics evaluated on all systems, and first without a type of systems if requested."""

    evaluations: tuple[MetaEvaluation, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        *fewer, everything = (one.to_json() for one in self.evaluations)
        return {**fewer[0], "all_systems": everything} if fewer else everything

    def to_report(self) -> Report:
        """Return one section per choice of systems; the last one, of all systems, has charts."""
        seed = self.evaluations[0].settings.sampling.seed
        return _report(self.evaluations, (), [self.evaluations[-1]], f"{seed}")


@dataclass(frozen=True, slots=True, eq=False)
class AverageResult(Result):
    """Metrics evaluated on several language pairs, and on average.

    Every pair has the same weight, as WMT averages tasks. Metrics that some pair lacks have no
    average. Each pair has a separate seed, derived from that of the ``settings``.
    """

    results: Mapping[str, MetaResult]
    settings: MetaSettings

    @property
    def _by_pair(self) -> dict[str, MetaEvaluation]:
        """The evaluation of each pair without the type of systems, or else of all systems."""
        return {pair: result.evaluations[0] for pair, result in self.results.items()}

    @property
    def rows(self) -> tuple[MetricRow, ...]:
        """Each metric with the mean of each coefficient that every pair has, and the sum of n."""
        tables = [{row.metric: row for row in one.rows} for one in self._by_pair.values()]
        means = []
        for name in (name for name in tables[0] if all(name in table for table in tables)):
            same = [table[name] for table in tables]
            n = sum(row.n for row in same)
            found = {
                each: Estimate(float(np.mean([row.agreement[each].value for row in same])), None, n)
                for each in same[0].agreement
                if all(each in row.agreement for row in same)
            }
            means.append(MetricRow(name, n, found, {}))
        return best_first(means)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on metrics and coefficients without an average, and on tests not made."""
        known = {
            pair: [name for row in one.rows for name in (row.metric, *row.agreement)]
            for pair, one in self._by_pair.items()
        }
        lacking = {
            name: tuple(pair for pair, others in known.items() if name not in others)
            for names in known.values()
            for name in names
        }
        missing = tuple(
            tr("{name} (not in {pairs})", name=name, pairs=pairs)
            for name, pairs in lacking.items()
            if pairs
        )
        notes = [tr("Without an average: {names}.", names=missing)] if missing else []
        return (*notes, *(self.comparison.notes if self.comparison else ()))

    @property
    def comparison(self) -> MetricComparison | None:
        """The tests of averaged differences."""
        return average_comparisons([one.comparison for one in self._by_pair.values()])

    def to_json(self) -> dict[str, Any]:
        """Return the averages, and below them each language pair."""
        first, sampling = next(iter(self._by_pair.values())), self.settings.sampling
        return {
            **fields_json(first, "gold=panel.gold.name", "level=settings.level"),
            **fields_json(first, "without=excluded_kind"),
            **fields_json(self, "rows", "tests=comparison", "pairs=results"),
            "resampling": {"resamples": sampling.resamples, "seed": sampling.seed},
            "notes": self.notes,
        }

    def to_report(self) -> Report:
        """Return the averages first, then every language pair."""
        [first, *_], rows, comparison = self._by_pair.values(), self.rows, self.comparison
        where = tr_n(
            "average of {n} language pair", "average of {n} language pairs", n=len(self.results)
        )
        if first.excluded_kind is not None:
            where = tr("{where}, without {kind}", where=where, kind=first.excluded_kind)
        gold = criterion_name(first.panel.gold.name)
        table = Table.of_records(
            tr("Agreement with {name}, {where}", name=gold, where=where),
            rows,
            ((Column(tr("metric")), "metric"), *_coefficients(rows)),
            tr("Means over {names}, each counting the same.", names=tuple(self.results)),
        )
        tests = comparison.tests if comparison else ()
        evaluations = [one for result in self.results.values() for one in result.evaluations]
        report = _report(
            evaluations,
            (table, *(_pair_table(where, test) for test in tests)),
            [result.evaluations[-1] for result in self.results.values()],
            f"{self.settings.sampling.seed}, own draws for each language pair",
        )
        return replace(
            report,
            findings=(*_test_findings(where, tests), *report.findings),
            notes=(*self.notes, *report.notes),
        )


def _report(
    evaluations: Sequence[MetaEvaluation],
    tables: Sequence[Table],
    drawn: Sequence[MetaEvaluation],
    seed: str,
) -> Report:
    first = evaluations[0]
    compared = [(one.systems_name, one.comparison) for one in evaluations if one.comparison]
    notes = [note for one in evaluations for note in one.panel.notes]
    notes += [note for _, comparison in compared for note in comparison.notes]
    warnings = [warning for one in evaluations for warning in one.warnings]
    warnings += dict.fromkeys(one for _, comparison in compared for one in comparison.warnings)
    tested = [(where, test) for where, comparison in compared for test in comparison.tests]
    signed = {one.systems_name: _interval_signature(one, seed) for one in evaluations}
    intervals = {f"intervals, {where}": signature for where, signature in signed.items()}
    if len(set(signed.values())) == 1:
        intervals = {"intervals": next(iter(signed.values()))}
    systems = tuple(
        tr_n(
            "{which}: {n} system",
            "{which}: {n} systems",
            which=one.systems_name,
            n=len(one.panel.systems),
        )
        for one in evaluations
    )
    return Report(
        title=tr("Meta-evaluation"),
        subtitle=tr(
            "gold: {gold} · level: {level} · {systems}",
            gold=criterion_name(first.panel.gold.name),
            level=_LEVELS[first.settings.level],
            systems=systems,
        ),
        headlines=(),
        tables=(
            *tables,
            *(table for one in evaluations for table in _tables(one)),
            *(_pair_table(where, test) for where, test in tested),
        ),
        signatures={
            **intervals,
            "tests": f"permutations:{first.settings.permutations}|seed:{seed}"
            "|p:(b+1)/(k+1), two-sided|correction:Holm",
        },
        notes=(*dict.fromkeys(notes), *[_SCOPE] * bool(tested), _LESSON),
        findings=(
            *warnings,
            *(text for where, one in compared for text in _test_findings(where, one.tests)),
        ),
        charts=tuple(chart for one in drawn for chart in _charts(one)),
    )


def meta_evaluate(
    panel: Panel, settings: MetaSettings | None = None, without: str | None = None, pair: str = ""
) -> MetaResult:
    """Evaluate the metrics of a panel on all systems, and also ``without`` a type of systems."""
    chosen = [without, None] if without is not None else [None]
    return MetaResult(tuple(evaluate_metrics(panel, settings, kind, pair) for kind in chosen))


def meta_evaluate_pairs(
    panels: Mapping[str, Panel], settings: MetaSettings | None = None, without: str | None = None
) -> AverageResult:
    """Evaluate the metrics on several language pairs and on average.

    Each pair has separate draws, so that averages are those of independent draws.
    """
    settings = settings or MetaSettings()
    results = {}
    for place, (pair, panel) in enumerate(panels.items()):
        seed = np.random.SeedSequence([settings.sampling.seed, place]).generate_state(1)[0]
        own = replace(settings, sampling=replace(settings.sampling, seed=int(seed)))
        results[pair] = meta_evaluate(panel, own, without, pair)
    return AverageResult(results, settings)


_DETAILS = ("kendall_c", "epsilon", "acc_eq_cross_validated")


def _tables(one: MetaEvaluation) -> Iterator[Table]:
    gold, where = criterion_name(one.panel.gold.name), one.systems_name
    details = [name for name in _DETAILS if any(name in row.details for row in one.rows)]
    yield Table.of_records(
        tr("Agreement with {name}, {systems_name}", name=gold, systems_name=where),
        one.rows,
        (
            (Column(tr("metric")), "metric"),
            (Column("n", 0), "n"),
            *_coefficients(one.rows),
            *((Column(name.replace("_", " "), 3), entry("details", name)) for name in details),
        ),
        _system_note(one) if one.settings.level == "system" else _groups_note(one),
    )
    if one.ceiling is not None:
        yield one.ceiling.table(gold, where)
    if one.error_free is not None:
        yield one.error_free.table(where)


def _coefficients(rows: Sequence[MetricRow]) -> list[tuple[Column, Way]]:
    names = dict.fromkeys(name for row in rows for name in row.agreement)
    return [(Column(name, 3), entry("agreement", name)) for name in names]


def _groups_note(one: MetaEvaluation) -> str:
    """Return the counts behind the numbers, and the excluded ones."""
    by, rows, details = one.settings.average_by, one.rows, one.rows[0].details
    skipped = tr("groups with fewer than two outputs left out")
    undefined = tr("groups where a side is constant left out of Pearson")
    shares = (
        (tr("ties everything"), "acc_eq_constant_metric"),
        (tr("orders at random"), "acc_eq_random_metric"),
    )
    parts = [
        tr("n: outputs with {gold}", gold=criterion_name(one.panel.gold.name)),
        tr("mean over groups (average by {by}): {n}", by=by, n=_counts(rows, "groups")),
        *(
            tr("{words}: {n}", words=words, n=_counts(rows, detail))
            for detail, words in (
                ("skipped_groups", skipped),
                ("undefined_groups_pearson", undefined),
            )
            if any(row.details[detail] for row in rows)
        ),
    ]
    if by == "item":
        parts += [
            tr("a metric that {words} has acc_eq {share:.3f}", words=words, share=details[detail])
            for words, detail in shares
        ]
        parts.append(tr("every resample takes the threshold that suits it best"))
    else:
        item = setting("average_by", "item")
        parts.append(tr("kendall and acc_eq have an interval only with {item}", item=item))
    return tr("{note}.", note=clauses(*parts))


def _system_note(one: MetaEvaluation) -> str:
    intervals, rows, gold = _has_intervals(one), one.rows, one.panel.gold
    correlations = [row.agreement[name] for row in rows for name in CORRELATIONS]
    constant = tuple(metric.name for metric in one.panel.metrics if metric.is_constant())
    lacks_segments = not gold.is_constant() and any(
        "SPA" not in row.agreement and row.n >= FEWEST_SYSTEMS and row.metric not in constant
        for row in rows
    )
    left_out = _counts(rows, "undefined_resamples")
    parts = (
        (intervals, tr("n: systems. Intervals in brackets, 95 %")),
        (not intervals, tr("n: systems")),
        (
            intervals and any(abs(found.value) == 1 for found in correlations),
            tr("a Pearson or Spearman of 1 or −1 has no interval by Fisher's z"),
        ),
        (constant, tr("all systems have the same {names}", names=constant)),
        (
            any(row.details["undefined_resamples"] for row in rows),
            tr("resamples without a value, left out: {undefined}", undefined=left_out),
        ),
        (
            lacks_segments,
            tr("SPA needs scores of all systems on the same segments, of gold and of metrics"),
        ),
    )
    return tr("{note}.", note=clauses(*(text for holds, text in parts if holds)))


def _has_intervals(one: MetaEvaluation) -> bool:
    return any(found.ci is not None for row in one.rows for found in row.agreement.values())


def _counts(rows: Sequence[MetricRow], detail: str) -> str:
    """Return a number for all metrics, or one for each if they differ."""
    values = {row.metric: f"{row.details[detail]:.0f}" for row in rows}
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{metric} {value}" for metric, value in values.items())


def _pair_table(where: str, test: MetricTest) -> Table:
    about = {"name": test.name, "statistic": test.statistic, "where": where}
    scope = tr("Two-sided, corrected by Holm over all pairs; applies to {scope}.", scope=test.scope)
    return Table.of_records(
        tr("{name} between metrics by {statistic}, {where}", **about),
        sorted(test.pairs, key=lambda pair: (np.isnan(pair.p), pair.p, -pair.delta)),
        (
            (Column(tr("better")), "first"),
            (Column(tr("worse")), "second"),
            (Column(tr("difference in {statistic}", statistic=test.statistic), 3), "delta"),
            (Column("p", 4, p_value=True), lambda pair: pair_p(pair, pair.p)),
            (Column(tr("p corrected"), 4, p_value=True), lambda pair: pair_p(pair, pair.p_holm)),
        ),
        sentences(scope, test.note),
        tr("tests between metrics"),
    )


def _test_findings(where: str, tests: Sequence[MetricTest]) -> list[str]:
    agreeing: dict[str, dict[str, list[str]]] = {}
    for test in tests:
        if test.clusters is None or all(np.isnan(pair.p) for pair in test.pairs):
            continue
        level, shown = percent(ALPHA), " | ".join(map(", ".join, test.clusters))
        found = tr("no metric is significantly different from another at {level}", level=level)
        if len(test.clusters) > 1:
            found = tr("metrics in groups, best first: {groups}", groups=shown)
        statistics = agreeing.setdefault(found, {})
        statistics.setdefault(test.name, []).append(test.statistic.split(" of system ")[0])
    return [
        tr(
            "{where}: {groups} ({tests}).",
            where=where,
            groups=message,
            tests="; ".join(f"{name}: {', '.join(found)}" for name, found in names.items()),
        )
        for message, names in agreeing.items()
    ]


def _interval_signature(one: MetaEvaluation, seed: str) -> str:
    sampling = one.settings.sampling
    if not sampling.resamples:
        return "none (no resamples)"
    if not _has_intervals(one):
        return "none (too few systems or segments)"
    drawn = str(one.units) if one.units else "none"
    level = one.settings.level
    unit = f"systems, and segments where known: {drawn}" if level == "system" else drawn
    kind = "expanded percentile bootstrap"
    kind = f"Fisher's z (Kendall: normal scores), {kind}" if level == "system" else kind
    return f"{kind}, 95 %|draws:{sampling.resamples}|unit:{unit}|seed:{seed}"


def _charts(one: MetaEvaluation) -> Iterator[Scatter]:
    """Yield each metric against gold, a point per system, marked by type."""
    panel, gold = one.panel, criterion_name(one.panel.gold.name)
    by_name = {row.metric: row for row in one.rows}
    for metric in panel.metrics:
        places = zip(panel.systems, metric.of_systems, panel.gold.of_systems, strict=True)
        points = tuple(
            Point(float(x), float(y), system, panel.kinds.get(system, ""))
            for system, x, y in places
        )
        note = ""
        if one.settings.level == "system":
            found = by_name[metric.name].agreement
            note = tr(
                "Pearson {pearson:.3f}, Spearman {spearman:.3f}, {n} systems.",
                pearson=found["pearson"].value,
                spearman=found["spearman"].value,
                n=by_name[metric.name].n,
            )
        title = tr("{gold} against {metric}", gold=gold, metric=metric.name)
        sign = "−" if metric.turned else ""
        yield Scatter(title, f"{sign}{metric.name}", gold, points, note)
