"""Report of a comparison: sentences, tables and charts of differences and their certainty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil, isnan

import numpy as np

from patmark.data import Estimate, Message, Notice, criterion_name
from patmark.evaluation.comparison import (
    CompareSettings,
    Comparison,
    Limit,
    MeasureComparison,
    Pair,
    deciding,
    too_few,
    verdict_over,
)
from patmark.evaluation.evaluation import (
    dependent_segments,
    difference_method,
    interval_notes,
    unit_name,
)
from patmark.report import (
    Column,
    Explorer,
    Graded,
    Interval,
    Intervals,
    PaperCell,
    PaperDifference,
    PaperTable,
    Report,
    Table,
    UpperBound,
    Way,
    clauses,
    interval_text,
    p_text,
    sentences,
)
from patmark.stats import ALPHA, PairedTest, fewest_units, is_significant
from patmark.wording import percent, setting, tr, tr_n

_LEVEL = percent(ALPHA)
_SHOWN_IDS = 10
_NO_INTERVAL = (float("nan"), float("nan"))
_NARROW = tr("p-values are too small and intervals too narrow")
_DEPENDENT = tr(
    "{narrow}, and systems that do not differ are often called different", narrow=_NARROW
)


def comparison_findings(comparison: Comparison, *, leader: bool = True) -> list[Message]:
    """Return general warnings, the findings of each measure, and measures without tests.

    Without ``leader`` the step from the best system to the next is left out.
    """
    measures, settings = tuple(comparison.measures.values()), comparison.settings
    cure = tr("; declare one measure with {primary}", primary=setting("primary"))
    return [
        *_warnings(comparison),
        *dependent_segments(comparison.units, _NARROW if comparison.units.too_few else _DEPENDENT),
        *_too_few_draws(comparison),
        *(_leader(comparison) if leader else ()),
        *found_together(measures, settings, cure=cure),
        *_by_measure(comparison),
        *_equivalent(comparison),
        *_hinging(comparison),
        *_few_units(comparison),
    ]


def comparison_notes(comparison: Comparison) -> list[Message]:
    """Return notes on groups, intervals, trials and descriptive measures."""
    left_out = tr(
        "Not compared: {names}. Neither more nor less of it is better; patmark score shows it.",
        names=tuple(comparison.descriptive),
    )
    return [
        *_many_measures(comparison),
        *([_group_rule(comparison)] if _is_grouped(comparison) else []),
        *interval_notes(comparison.units),
        *_bounded(comparison),
        *_partly_together(comparison),
        *_single_units(comparison),
        *([left_out] if comparison.descriptive else []),
    ]


def _is_grouped(comparison: Comparison) -> bool:
    return any(len(measure.clusters or ()) > 1 for measure in comparison.measures.values())


def _group_rule(comparison: Comparison) -> str:
    level = _level(corrected=comparison.corrected)
    if comparison.settings.clusters == "wmt":
        return tr(
            "Groups are separated where every system above is significantly better, at {level}, "
            "than every system below.",
            level=level,
        )
    return tr(
        "A system opens a group when it is significantly worse, at {level}, than one of the group "
        "above; not every pair from different groups differs significantly.",
        level=level,
    )


def _level(*, corrected: bool) -> str:
    return tr("{level} after Holm", level=_LEVEL) if corrected else _LEVEL


def _leader(comparison: Comparison) -> Iterator[str]:
    """Yield the step from the best system to the next by the first, deciding measure."""
    measure, settings = next(iter(comparison.measures.values())), comparison.settings
    pair = _better_first(measure, _neighbours(measure, measure.pairs)[0])
    if not (measure.testable and pair.testable) or isnan(pair.delta):
        return
    alone = len(comparison.deciding) < 2
    step = f"{pair.delta:+.{measure.decimals}f} {measure.measure}"
    if pair.ci is not None:
        step += f" {interval_text(Estimate(pair.delta, pair.ci, pair.n), measure.decimals)}"
    systems = {"first": pair.first, "second": pair.second}
    if not alone and (limit := _limit(comparison.deciding, settings)):
        units = tr_n("{n} unit", "{n} units", n=measure.units)
        draws = tr_n("{n} draw", "{n} draws", n=settings.draws)
        few = draws if limit == "draws" else units
        yield tr(
            "{first} leads {second}: {step}; {few} are too few to tell.",
            **systems,
            step=step,
            few=few,
        )
        return
    p = p_text(pair_p(pair, pair.p_holm if alone else pair.p_family), 4)
    by = f"{step}, p {'' if p.startswith('<') else '= '}{p}"
    if not alone:
        by = tr("{by} after Holm over {n} measures", by=by, n=len(comparison.deciding))
    if pair.significant if alone else pair.significant_family:
        yield tr("{first} beats {second}: {by}.", **systems, by=by)
    else:
        yield tr("No clear difference between {first} and {second}: {by}.", **systems, by=by)


def found_together(
    measures: Sequence[MeasureComparison], settings: CompareSettings, what: str = tr("measures"),
    cure: str = "",
) -> list[str]:  # fmt: skip
    """Return the systems that differ by all measures together, if several measures may decide."""
    able = deciding(measures)
    if len(able) < 2:
        return []
    found: list[str] = [
        tr(
            "{better} is better than {worse} ({by})",
            better=better,
            worse=worse,
            by=tuple(by) if len(by) < len(able) else tr("by all"),
        )
        for (better, worse), by in verdict_over(measures).items()
    ]
    shown: str = tr("no difference is significant")
    limit = _limit(able, settings)
    if found:
        shown = clauses(*found[:_SHOWN_IDS])
    elif limit == "units":
        units = max(measure.units for measure in able)
        shown = tr(
            "none can be significant with {units}, whatever they show{cure}",
            units=tr_n("{n} unit", "{n} units", n=units),
            cure=cure,
        )
    elif limit == "draws":
        shown = tr(
            "none can be significant from {draws} draws, of which at least {fewest} are needed"
            "{cure}",
            draws=settings.draws,
            fewest=ceil(_tests(able) / ALPHA),
            cure=cure,
        )
    if len(found) > _SHOWN_IDS:
        shown = tr("{shown} and {n} more", shown=shown, n=len(found) - _SHOWN_IDS)
    return [
        tr(
            "{n} {what} together, at {level} after Holm over them: {shown}.",
            n=len(able),
            what=what,
            level=_LEVEL,
            shown=shown,
        )
    ]


def _tests(measures: Sequence[MeasureComparison]) -> int:
    return sum(not isnan(pair.p) for measure in measures for pair in measure.pairs)


def _limit(measures: Sequence[MeasureComparison], settings: CompareSettings) -> Limit | None:
    """Return the cause if no difference can be significant by all measures together."""
    units = max(measure.units for measure in measures)
    return too_few(settings, units, _tests(measures))


def _by_measure(comparison: Comparison) -> list[str]:
    """Return a sentence per finding of the deciding measures; measures that agree share one."""
    too_few = comparison.units.too_few
    agreeing: dict[str, list[MeasureComparison]] = {}
    for measure in comparison.measures.values():
        if measure.unscored or all(pair.decides for pair in measure.pairs):
            agreeing.setdefault(_finding(measure, (), too_few), []).append(measure)
    return [
        _finding(agreed[0], tuple(criterion_name(measure.measure) for measure in agreed), too_few)
        for agreed in agreeing.values()
    ]


def _equivalent(comparison: Comparison) -> Iterator[str]:
    for name, margin in (comparison.settings.margin or {}).items():
        pairs = [_both(one) for one in comparison.measures[name].pairs if one.equivalent]
        within = tr(
            "{name}: within ±{margin:g}, at {level}, ", name=name, margin=margin, level=_LEVEL
        )
        found = tr("{within}no two systems are shown to be equivalent.", within=within)
        equal = tr("{within}equivalent: {names}.", within=within, names=_listed_pairs(pairs))
        yield equal if pairs else found


def _hinging(comparison: Comparison) -> Iterator[Notice]:
    """Yield the verdicts of each deciding measure that depend on one document."""
    for measure in comparison.deciding:
        hinging = [
            tr("{pair} ({document})", pair=_both(pair), document=pair.hinges_on)
            for pair in measure.pairs
            if pair.hinges_on is not None and pair.significant
        ]
        if hinging:
            text = tr(
                "{measure}: a difference would not be significant without one document, which is "
                "named: {pairs}.",
                measure=criterion_name(measure.measure),
                pairs=_listed_pairs(hinging),
            )
            yield Notice("note", "one-document", text)


def _both(pair: Pair) -> str:
    return tr("{first} and {second}", first=pair.first, second=pair.second)


def _listed_pairs(pairs: Sequence[str]) -> str:
    shown, more = clauses(*pairs[:_SHOWN_IDS]), len(pairs) - _SHOWN_IDS
    return tr("{shown} and {n} more pairs", shown=shown, n=more) if more > 0 else shown


def _many_measures(comparison: Comparison) -> Iterator[str]:
    """Yield a note on several measures: one decides, or groups hold for each measure alone."""
    count, primary = len(comparison.measures), comparison.settings.primary
    if primary is not None and count > 1:
        yield tr(
            "{measure} was declared to decide; the other measures are shown without a verdict.",
            measure=primary,
        )
    if primary is None and len(comparison.deciding) > 1 and _is_grouped(comparison):
        yield tr(
            "Groups are of each measure tested at {level} by itself, so that equal systems differ "
            "in one of {n} more often; {primary} declares the one that decides.",
            primary=setting("primary", "MEASURE"),
            level=_LEVEL,
            n=count,
        )


def _finding(measure: MeasureComparison, names: tuple[str, ...], too_few: str) -> str:
    found: str = tr("{names}: no difference is significant at {level}.", names=names, level=_LEVEL)
    if too_few:
        found = tr("{names}: differences are not tested.", names=names)
    elif measure.clusters is None:
        found = tr("{names}: {reason}.", names=names, reason=measure.no_verdict)
    elif len(measure.clusters) > 1:
        groups = " | ".join(map(", ".join, measure.clusters))
        found = tr("{names} groups, best first: {groups}.", names=names, groups=groups)
    if 0 < len(measure.unscored) < len(measure.ranking):
        lacking = tr("Without a score: {systems}.", systems=tuple(measure.unscored))
        found = sentences(found, lacking)
    return found


def ungrouped(measures: Iterable[MeasureComparison], what: str = tr("No groups")) -> str:
    """Return a sentence for each reason why measures have no groups."""
    measures = list(measures)
    names: dict[str, list[str]] = {}
    for measure in measures:
        if measure.no_verdict:
            names.setdefault(measure.no_verdict, []).append(criterion_name(measure.measure))
    return sentences(
        *(
            tr("{what}: {reason}.", what=what, reason=reason)
            if len(of) == len(measures)
            else tr("{what} by {names}: {reason}.", what=what, names=tuple(of), reason=reason)
            for reason, of in names.items()
        )
    )


def _warnings(comparison: Comparison) -> Iterator[Notice]:
    """Yield warnings of rows left out, of pairs without common segments, and of too few units."""
    left_out = comparison.left_out
    if count := len(left_out.rows):
        text = tr(
            "{count} of {total} rows are left out for all systems, because not every "
            "system answered them. Rows without an answer: {faults}. Left out: {ids}.",
            count=count,
            total=comparison.segments + count,
            faults=", ".join(
                f"{system} {number}" for system, number in left_out.unanswered.items()
            ),
            ids=", ".join(left_out.rows[:_SHOWN_IDS]) + (" …" if count > _SHOWN_IDS else ""),
        )
        yield Notice("warning", "rows-left-out", text)
    for measure in comparison.measures.values():
        apart = [_both(pair) for pair in measure.unequal if not pair.n]
        if apart:
            text = tr(
                "{measure}: no segment has a score of both "
                "{names}, so nothing can be said of their difference, "
                "whatever their scores are.",
                measure=criterion_name(measure.measure),
                names=_listed_pairs(apart),
            )
            yield Notice("warning", "no-common-segments", text)
    if reason := comparison.units.too_few:
        text = tr("no groups, and nothing is called significant: {reason}.", reason=reason)
        yield Notice("warning", "few-units", text)


def _partly_together(comparison: Comparison) -> Iterator[str]:
    """Yield a note on measures under which systems were counted in different segments."""
    for measure in comparison.measures.values():
        common = [pair.n for pair in measure.unequal if pair.n]
        if common:
            low, high = min(common), max(common)
            yield tr(
                "{measure}: not every system has a score in every segment. Such "
                "pairs are tested on the segments that have both ({numbers}), "
                "and their differences are those of these segments, not those of "
                "the scores.",
                measure=criterion_name(measure.measure),
                numbers=low if low == high else tr("{low} to {high}", low=low, high=high),
            )


def _single_units(comparison: Comparison) -> Iterator[str]:
    if not comparison.settings.sampling.resamples:
        return
    for measure in comparison.measures.values():
        for system, estimate in measure.estimates.items():
            if estimate.ci is None and not isnan(estimate.value):
                yield tr(
                    "{measure}: no interval for {system}, whose score rests on one {kind}.",
                    measure=criterion_name(measure.measure),
                    system=system,
                    kind=unit_name(comparison.units),
                )


def _too_few_draws(comparison: Comparison) -> Iterator[Notice]:
    draws, pairs = comparison.settings.draws, _pairs(comparison) if comparison.corrected else 1
    if comparison.settings.bounds_tail or is_significant(pairs / (draws + 1)):
        return
    text = tr(
        "from {draws} draws no p can reach {level}; take at least {fewest}.",
        draws=draws,
        level=_LEVEL,
        fewest=ceil(1 / ALPHA) - 1,
    )
    if comparison.corrected:
        text = tr(
            "with {pairs} pairs, Holm cannot reach {level} from {draws} draws; take "
            "at least {fewest}.",
            pairs=pairs,
            level=_LEVEL,
            draws=draws,
            fewest=ceil(pairs / ALPHA),
        )
    yield Notice("warning", "few-draws", text)


def _few_units(comparison: Comparison) -> Iterator[Notice]:
    """Yield measures with fewer units than a significant difference requires."""
    fewest = fewest_units(_pairs(comparison) if comparison.corrected else 1)
    few = [m for m in comparison.measures.values() if 0 < m.units < fewest]
    if not few or comparison.units.too_few:
        return
    effect = tr("no difference can be significant at {level}, however large", level=_LEVEL)
    if comparison.settings.test != "randomisation":
        effect = tr(
            "nothing is called significant at {level}, whatever the bootstrap says", level=_LEVEL
        )
    text = tr(
        "too few units ({kind}) to test, {effect}: {named}. At least {fewest} are needed.",
        kind=tr("documents") if comparison.units.kind == "document" else tr("segments"),
        effect=effect,
        named=", ".join(f"{measure.measure} ({measure.units})" for measure in few),
        fewest=fewest,
    )
    yield Notice("warning", "few-units", text)


def _pairs(comparison: Comparison) -> int:
    systems = len(comparison.systems)
    return systems * (systems - 1) // 2


def _bounded(comparison: Comparison) -> Iterator[str]:
    """Yield a note on p-values that are bounds beyond the trials."""
    tests, trials = _tests(comparison.deciding), comparison.settings.draws
    if comparison.bounds_tail and comparison.corrected and tests > ALPHA * (trials + 1):
        yield tr(
            "With {tests} tests, Holm cannot reach {level} from {trials} trials. So p of a "
            "difference that no trial reaches is a bound (p <) of the tail of all exchanges. "
            "{more} tests without it, and takes long.",
            tests=tests,
            level=_LEVEL,
            trials=trials,
            more=setting("trials", str(ceil(tests / ALPHA))),
        )


_MOST_PAIRS = 45


def difference_chart(
    measure: MeasureComparison, pairs: Sequence[Pair], decimals: int, *, corrected: bool
) -> Intervals:
    """Return a line for each pair (better system first), or for neighbours if there are many."""
    name = criterion_name(measure.measure)
    shown = sorted(pairs, key=_largest_first)
    note: str = tr("Significant: p at most {level}.", level=_level(corrected=corrected))
    if measure.no_verdict:
        note = tr("No verdict: {reason}.", reason=measure.no_verdict)
    elif corrected:
        uncorrected = tr(
            "The intervals are not corrected for the number of pairs: one may leave out zero "
            "without being significant."
        )
        note = sentences(note, uncorrected)
    if len(pairs) > _MOST_PAIRS:
        shown = _neighbours(measure, pairs)
        left_out = tr(
            "Of {n} pairs only neighbours in the ranking are drawn; the table below holds every "
            "pair.",
            n=len(pairs),
        )
        note = sentences(left_out, note)
    rows = tuple(
        Interval(
            f"{one.first} − {one.second}",
            one.delta,
            *(one.ci or _NO_INTERVAL),
            measure.verdict(one),
        )
        for one in shown
    )
    difference = tr("difference in {measure}", measure=name)
    if not measure.higher_is_better:
        difference = tr("difference in {measure}, lower is better", measure=name)
    return Intervals(
        tr("How far apart by {measure}", measure=name), difference, rows, note, measure.measure,
        decimals,
    )  # fmt: skip


def _neighbours(measure: MeasureComparison, pairs: Sequence[Pair]) -> list[Pair]:
    known = {frozenset((pair.first, pair.second)): pair for pair in pairs}
    return [known[frozenset(names)] for names in pairwise(measure.ranking)]


_TEST_NAMES = {
    "randomisation": "approximate randomisation, two-sided",
    "bootstrap": "paired bootstrap (shift method), two-sided",
    "bootstrap-sacrebleu": "paired bootstrap as sacreBLEU and Moses compute it",
}
_WIDEST_MATRIX = 12


def comparison_report(
    comparison: Comparison,
    title: str,
    subtitle: str,
    *,
    tables: Sequence[Table] = (),
    notes: Sequence[Message] = (),
    explorer: Explorer | None = None,
) -> Report:
    """Return the report of a comparison: findings, a section for each measure, further tables."""
    measures = comparison.measures.values()
    own = [_score_table(comparison)]
    own += (table for measure in measures for table in _measure_tables(comparison, measure))
    own_notes = comparison_notes(comparison)
    if len(comparison.systems) > _WIDEST_MATRIX and any(one.testable for one in measures):
        own_notes.append(
            tr(
                "Pairwise significance is shown for up to {most} systems, not for {n}; the tables "
                "of differences list every pair.",
                most=_WIDEST_MATRIX,
                n=len(comparison.systems),
            )
        )
    charts = (
        difference_chart(
            measure,
            [_better_first(measure, pair) for pair in measure.pairs],
            measure.decimals,
            corrected=comparison.corrected,
        )
        for measure in measures
    )
    return Report(
        title=title,
        subtitle=subtitle,
        headlines=(),
        tables=(*own, *tables),
        signatures={
            "test": _test_signature(comparison),
            **{name: measure.signature for name, measure in comparison.measures.items()},
        },
        notes=(*notes, *own_notes),
        explorer=explorer,
        charts=tuple(charts),
        findings=tuple(comparison_findings(comparison)),
        paper=(_paper_scores(comparison), _paper_differences(comparison)),
        summary=(_summary(comparison),),
    )


def _paper_scores(comparison: Comparison) -> PaperTable:
    measures, systems = comparison.measures.values(), comparison.systems
    columns = (Column(tr("system")), *map(_column, measures))
    rows: list[tuple[PaperCell, ...]] = []
    for name in systems:
        cells = (Graded(one.estimates[name].value, one.cluster_of(name)) for one in measures)
        rows.append((name, *cells))
    title, note = tr("Scores"), ungrouped(measures)
    if any(measure.clusters for measure in measures):
        rule = (
            "groups part where every system above is significantly better than every one below"
            if comparison.settings.clusters == "wmt"
            else "a system opens a group when it is significantly worse than one of the group above"
        )
        letters = f"Letters are groups, a the best: {rule}{_correction(comparison)}."
        title, note = tr("Scores and groups"), sentences(letters, note)
    return PaperTable(title, columns, tuple(rows), note, systems)


def _paper_differences(comparison: Comparison) -> PaperTable:
    measures = comparison.measures.values()
    rows: list[tuple[PaperCell, ...]] = []
    for pairs in zip(*(measure.pairs for measure in measures), strict=True):
        cells = (PaperDifference(pair.delta, pair_p(pair, pair.p_holm)) for pair in pairs)
        rows.append((f"{pairs[0].first} \N{MINUS SIGN} {pairs[0].second}", *cells))
    reasons = ungrouped(measures, tr("Nothing is called significant"))
    note = f"The first system minus the second, and p{_correction(comparison)}."
    columns = (Column(tr("difference")), *map(_column, measures))
    return PaperTable(tr("Differences"), columns, tuple(rows), sentences(note, reasons))


def _correction(comparison: Comparison) -> str:
    return ", corrected by Holm" if comparison.corrected else ""


def _measure_tables(comparison: Comparison, measure: MeasureComparison) -> Iterator[Table]:
    systems, detect = len(comparison.systems), comparison.settings.detect or {}
    tables = [_pair_table(measure, detect.get(measure.measure))]
    if systems > 2 and measure.testable:
        ranges = measure.rank_ranges or {}
        columns = (
            *_system_columns(measure),
            (Column(tr("best rank"), 0), lambda system: ranges[system][0]),
            (Column(tr("worst rank"), 0), lambda system: ranges[system][1]),
        )
        title = tr("Ranking by {measure}", measure=criterion_name(measure.measure))
        tables.append(Table.of_records(title, measure.ranking, columns))
    if 2 < systems <= _WIDEST_MATRIX and measure.testable:
        tables.append(_matrix(measure))
    return (replace(table, section=criterion_name(measure.measure)) for table in tables)


def _system_columns(measure: MeasureComparison) -> tuple[tuple[Column, Way], ...]:
    return (
        (Column(tr("system")), str),
        (_column(measure), measure.estimates.__getitem__),
        (Column(tr("group"), 0), measure.cluster_of),
    )


def _test_signature(comparison: Comparison) -> str:
    settings = comparison.settings
    correction = "Holm over all pairs of a measure" if comparison.corrected else "none"
    tail = "|tail:bound" if comparison.bounds_tail else ""
    rates = any(measure.rate for measure in comparison.measures.values())
    return (
        f"{_TEST_NAMES[settings.test]}|draws:{settings.draws}{tail}|unit:{comparison.units}"
        f"|seed:{settings.sampling.seed}|correction:{correction}"
        f"|intervals:{difference_method(settings.sampling, rates=rates)}"
    )


def _score_table(comparison: Comparison) -> Table:
    measures = comparison.measures.values()
    first = next(iter(measures))
    two = len(comparison.systems) == 2
    columns: list[tuple[Column, Way]] = [(Column(tr("system")), str)]
    for one in measures:
        columns.append((_column(one), one.estimates.__getitem__))
        if two and one.testable:
            group = tr("{measure} group", measure=criterion_name(one.measure))
            columns.append((Column(group, 0), one.cluster_of))
    title, explained = tr("Scores"), ""
    if any(measure.testable for measure in measures):
        title = tr("Scores and groups") if two else title
        explained = tr("The rankings by measure hold groups and ranks.")
        explained = _group_rule(comparison) if two else explained
    note = sentences(tr("Best first by {measure}.", measure=first.measure), explained)
    return Table.of_records(title, first.ranking, columns, sentences(note, ungrouped(measures)))


def _summary(comparison: Comparison) -> Table:
    primary, *others = comparison.measures.values()
    steps = {}
    for above, pair in zip(primary.ranking, _neighbours(primary, primary.pairs), strict=False):
        step = pair.turned() if pair.first == above else pair
        steps[step.first] = step

    def difference(system: str) -> Estimate | None:
        step = steps.get(system)
        return None if step is None else Estimate(step.delta, step.ci, step.n)

    def p_of(system: str) -> float | None:
        step = steps.get(system) if primary.testable else None
        return None if step is None else pair_p(step, step.p_holm)

    columns: list[tuple[Column, Way]] = [
        *_system_columns(primary),
        (Column(tr("from the one above"), primary.decimals), difference),
        (Column("p", 4, p_value=True), p_of),
        *((_column(other), other.estimates.__getitem__) for other in others),
    ]
    note: str = tr("Best first by {measure}; p of the step.", measure=primary.measure)
    if comparison.corrected:
        note = tr(
            "Best first by {measure}; p of the step, corrected by Holm.", measure=primary.measure
        )
    note = sentences(note, ungrouped([primary]))
    return Table.of_records(tr("Systems"), primary.ranking, columns, note)


def _column(measure: MeasureComparison) -> Column:
    return Column(
        criterion_name(measure.measure), measure.decimals, higher_is_better=measure.higher_is_better
    )


def _pair_table(measure: MeasureComparison, wanted: float | None) -> Table:
    decimals, name = measure.decimals, criterion_name(measure.measure)
    plain = tr("by segment, uncorrected")
    columns: list[tuple[Column, Way]] = [
        (Column(tr("better")), lambda pair: better_and_worse(pair)[0]),
        (Column(tr("worse")), lambda pair: better_and_worse(pair)[1]),
        (Column(tr("difference"), decimals), _difference),
        (Column(tr("p corrected"), 4, p_value=True), lambda pair: pair_p(pair, pair.p_holm)),
        (Column(tr("significant")), lambda pair: verdict_text(pair, measure.testable)),
        (Column("p", 4, p_value=True), lambda pair: pair_p(pair, pair.p)),
        (
            Column(tr("segments won–lost–tied")),
            lambda pair: f"{pair.sign.wins}–{pair.sign.losses}–{pair.sign.ties}",
        ),
        (Column(tr("p sign, {plain}", plain=plain), 4, p_value=True), "sign.p"),
        (Column(tr("p t, {plain}", plain=plain), 4, p_value=True), "p_t"),
        (Column(tr("p Wilcoxon, {plain}", plain=plain), 4, p_value=True), "p_wilcoxon"),
        (Column(tr("Cohen d_z"), 2), "effect.cohen_dz"),
        (Column(tr("wins − losses"), 2), "effect.cliff_delta"),
        (Column(tr("minimum detectable difference"), decimals), "detectable"),
        (Column(tr("units needed"), 0), "units_needed"),
    ]
    note = [
        tr("No verdict: {reason}.", reason=measure.no_verdict) if measure.no_verdict else "",
        tr(
            "Minimum detectable difference: the smallest true difference that a test on as many "
            "units detects with 80 % power. Units needed: the number of units that would detect "
            "the observed difference with that power."
        ),
    ]
    if not all(pair.delta for pair in measure.pairs):
        note.append(tr("a = b: neither is better."))
    if measure.unequal:
        columns.append((Column(tr("common segments"), 0), "n"))
        note.append(
            tr("Common segments: where both systems were counted; each pair is tested on these.")
        )
    if wanted is not None:
        title = tr("units for {wanted:g}", wanted=wanted)
        columns.append((Column(title, 0), "units_for_detect"))
        note.append(
            tr("Units for {wanted:g}: how many to find a difference of {wanted:g}.", wanted=wanted)
        )
    surest_first = sorted(  # pairs without a p last
        measure.pairs, key=lambda one: (isnan(one.p), isnan(one.p) or one.p, _largest_first(one))
    )
    return Table.of_records(
        tr("Differences by {measure}", measure=name),
        [_better_first(measure, pair) for pair in surest_first],
        columns,
        sentences(*note),
    )


def _difference(pair: Pair) -> Estimate:
    return Estimate(pair.delta, pair.ci, pair.sign.wins + pair.sign.losses + pair.sign.ties)


def _largest_first(pair: Pair) -> float:
    """Return a sort key: by the size of the difference, pairs without one last."""
    return 0.0 if isnan(pair.delta) else -abs(pair.delta)


def pair_p(pair: PairedTest[str], p: float) -> float:
    """Return a p of a pair for a table, marked if it is an upper bound."""
    return UpperBound(p) if pair.p_bound else p


def verdict_text(pair: Pair, testable: bool) -> str | None:
    """Return the verdict on a pair for a table."""
    if np.isnan(pair.p_holm):
        return None
    if not pair.decides:
        return tr("not decided")
    if not (testable and pair.testable):
        return tr("not testable")
    return tr("yes") if pair.significant else tr("no")


def better_and_worse(pair: PairedTest[str]) -> tuple[str, str | None]:
    """Return the names of a pair with the better system first; None for equal ones."""
    if pair.delta == 0:
        return f"{pair.first} = {pair.second}", None
    return pair.first, pair.second


def _better_first(measure: MeasureComparison, pair: Pair) -> Pair:
    ahead = pair.delta if measure.higher_is_better else -pair.delta
    return pair.turned() if ahead < 0 else pair


def _matrix(measure: MeasureComparison) -> Table:
    """Return the matrix of significant differences: ≫ at 1 %, > at 5 %, after correction."""
    marks: dict[tuple[str, str], str] = {}
    for pair in measure.pairs:
        first = _better_first(measure, pair)
        mark = ("≫" if pair.p_holm <= 0.01 else ">") if pair.significant else "–"
        marks[first.first, first.second] = mark
        marks[first.second, first.first] = "–" if mark == "–" else ""
    ranking = measure.ranking
    return Table(
        tr("Pairwise significance by {measure}", measure=criterion_name(measure.measure)),
        (Column(tr("system")), *map(Column, ranking)),
        tuple((row, *(marks.get((row, column), "") for column in ranking)) for row in ranking),
        tr("≫ at 1 %, > at 5 %, – not significant; the row beats the column."),
    )
