"""Significance tests of all pairs of metrics that the data allow, two-sided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import FloatArray, Notice
from patmark.evaluation.meta.agreement import (
    FEWEST_SYSTEMS,
    MetaSettings,
    calibrated_per_item,
    complete_gold,
)
from patmark.evaluation.meta.panel import Panel, Series
from patmark.report import fields_json
from patmark.stats import (
    ALPHA,
    Coefficient,
    MetricTests,
    PairedTest,
    PermutationPlan,
    Units,
    acc_eq,
    averaged_tests,
    exchange_items,
    exchange_segments,
    exchange_soft_accuracy,
    exchange_system_segments,
    exchange_systems,
    exchange_systems_in_items,
    exchange_systems_soft_accuracy,
    fewest_units,
    group_coefficients,
    is_significant,
    pearson,
    significance_clusters,
    smallest_p,
    system_pairs,
    williams,
    with_holm,
)
from patmark.wording import percent, setting, tr, tr_n

_FEWEST_FOR_WILLIAMS = 4
_OF_SYSTEMS: Mapping[str, Coefficient] = {"pearson": pearson, "pairwise accuracy": acc_eq}
THESE, OTHER = tr("these systems only"), tr("other systems too")
_WILLIAMS = {"Williams": 3, "Williams (adjusted)": 2.6}
"""Degrees of freedom lost; with the published 3 the test is conservative below 6 systems."""
_SCOPES = {
    **dict.fromkeys(_WILLIAMS, OTHER),
    "PERM-INPUTS": THESE,
    "PERM-SYSTEMS": OTHER,
}


_UNITS = {
    "system": tr("systems"),
    "document": tr("documents"),
    "segment": tr("segments"),
}


@dataclass(frozen=True, slots=True)
class MetricTest:
    """One test of all pairs of metrics, the better one first.

    It generalises to the systems in ``scope``. It is not ``testable`` if no p could be significant,
    or none can be trusted; then there are no ``clusters`` of metrics. ``found`` holds the draws; it
    is not ``trusted`` if segments were drawn from too few documents.
    """

    name: str
    statistic: str
    pairs: tuple[PairedTest[str], ...]
    clusters: tuple[tuple[str, ...], ...] | None
    testable: bool = True
    note: str = ""
    found: MetricTests | None = None
    trusted: bool = True

    @property
    def scope(self) -> str:
        """Population of systems to which the test generalises."""
        return _SCOPES[self.name]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        pair = ["better=first", "worse=second", "delta", "ci", "p", "p_holm", "p_bound", "testable"]
        return {
            **fields_json(self, "name", "statistic", "speaks_of=scope"),
            "pairs": [fields_json(one, *pair) for one in self.pairs],
            **fields_json(self, "clusters", "testable", "note"),
        }


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """All tests between metrics that the data allow, and the reasons for missing ones."""

    tests: tuple[MetricTest, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return fields_json(self, "tests", "notes", "warnings")


def compare_metrics(
    panel: Panel, settings: MetaSettings, units: Units | None
) -> MetricComparison | None:
    """Test all pairs of metrics; None for a single metric. Undefined values are not tested.

    Only metrics with varying scores for every judged system take part, so that all are compared on
    the same data; the others are named.
    """
    by_system, systems = settings.level == "system", len(panel.systems)
    partial = [one for one in panel.metrics if np.isnan(one.of_systems).any()]
    constant = [
        one for one in panel.metrics if one not in partial and one.is_constant(settings.level)
    ]
    complete = [one for one in panel.metrics if one not in (*partial, *constant)]
    reasons = (
        (tr("systems are missing"), partial),
        (tr("all systems have the same score"), constant),
    )
    notes = [
        tr(
            "Not tested, because {why}: {names}.",
            why=why,
            names=tuple(one.name for one in left_out),
        )
        for why, left_out in reasons
        if left_out
    ]
    few = by_system and systems < FEWEST_SYSTEMS
    if few and len(complete) > 1:
        fewest = FEWEST_SYSTEMS
        notes.append(
            tr("Metrics are tested from {fewest_systems} systems on.", fewest_systems=fewest)
        )
    if len(complete) < 2 or few or panel.gold.is_constant(settings.level):
        return MetricComparison((), tuple(notes)) if notes else None
    tests: list[MetricTest] = []
    if by_system:
        tests += _of_system_scores(panel, complete, settings, units)
        if systems < _FEWEST_FOR_WILLIAMS:
            notes.append(
                tr(
                    "Williams' test needs at least {fewest_for_williams} systems.",
                    fewest_for_williams=_FEWEST_FOR_WILLIAMS,
                )
            )
    gold = panel.gold.of_segments
    judged = np.zeros(()) if gold is None else ~np.isnan(gold)
    scored = [
        one
        for one in complete
        if one.of_segments is not None and not np.isnan(one.of_segments[judged]).any()
    ]
    if gold is None or units is None or len(scored) < 2:
        notes.append(tr("Tests that exchange segments need scores of all segments that have gold."))
    else:
        of_level = _of_system_means if by_system else _of_segments
        tests += of_level(gold, scored, settings, units)
    if systems < fewest_units():
        notes.append(
            tr("PERM-SYSTEMS needs at least {fewest_units} systems.", fewest_units=fewest_units())
        )
    warnings = dict.fromkeys(_warnings(tests, units, systems))
    return MetricComparison(tuple(tests), tuple(notes), tuple(warnings))


def average_comparisons(comparisons: Sequence[MetricComparison | None]) -> MetricComparison | None:
    """Return the tests that every data set has, on averaged differences."""
    known = [one for one in comparisons if one is not None]
    if not known:
        return None
    tests, notes = [], []
    for test in known[0].tests:
        same = [
            one
            for comparison in known
            for one in comparison.tests
            if (one.name, one.statistic, _members(one))
            == (test.name, test.statistic, _members(test))
        ]
        found = [one.found for one in same if one.found is not None]
        if len(found) == len(comparisons):
            trusted = all(one.trusted for one in same)
            tests.append(
                _drawn(test.name, test.statistic, _members(test), averaged_tests(found), trusted)
            )
    if not tests and any(comparison.tests for comparison in known):
        notes.append(tr("No test was made of the same metrics on every language pair."))
    return MetricComparison(tuple(tests), tuple(notes))


def _members(test: MetricTest) -> tuple[str, ...]:
    return tuple(sorted({name for pair in test.pairs for name in (pair.first, pair.second)}))


def _table(metrics: Sequence[Series]) -> tuple[tuple[str, ...], FloatArray]:
    """Return sorted names and segment scores, so that pairs of two data sets match."""
    ordered = sorted(metrics, key=lambda one: one.name)
    scores = [one.of_segments for one in ordered if one.of_segments is not None]
    return tuple(one.name for one in ordered), np.stack(scores)


def _plan(settings: MetaSettings, units: Units | None) -> PermutationPlan:
    """Return a plan that exchanges whole documents; without documents, single segments."""
    by_document = units is not None and units.kind == "document"
    return PermutationPlan(
        settings.permutations,
        settings.sampling.seed,
        units.of_segment if units is not None and by_document else None,
    )


def _trusted(units: Units | None) -> bool:
    """Return True unless segments are from too few documents to be resampled."""
    return units is None or not units.too_few


def _of_system_scores(
    panel: Panel, metrics: Sequence[Series], settings: MetaSettings, units: Units | None
) -> Iterator[MetricTest]:
    """Yield tests of the scores of systems, which need no segments."""
    ordered = sorted(metrics, key=lambda one: one.name)
    names = tuple(one.name for one in ordered)
    gold, table = panel.gold.of_systems, np.stack([one.of_systems for one in ordered])
    plan = _plan(settings, units)
    if len(gold) >= _FEWEST_FOR_WILLIAMS:
        yield from (_williams(panel.gold, ordered, name) for name in _WILLIAMS)
    if len(gold) >= fewest_units():
        for statistic, coefficient in _OF_SYSTEMS.items():
            found = exchange_systems(gold, table, coefficient, plan)
            yield _drawn("PERM-SYSTEMS", f"{statistic} of system scores", names, found)


def _of_system_means(
    gold: FloatArray, metrics: Sequence[Series], settings: MetaSettings, units: Units
) -> Iterator[MetricTest]:
    names, table = _table(metrics)
    plan, trusted = _plan(settings, units), _trusted(units)
    for statistic, coefficient in _OF_SYSTEMS.items():
        found = exchange_system_segments(gold, table, coefficient, plan)
        yield _drawn("PERM-INPUTS", f"{statistic} of system means", names, found, trusted)
    if not complete_gold(gold):
        return
    found = exchange_soft_accuracy(gold, table, plan)
    yield _drawn("PERM-INPUTS", "SPA", names, found, trusted)
    if len(gold) >= fewest_units():
        found = exchange_systems_soft_accuracy(gold, table, plan)
        yield _drawn("PERM-SYSTEMS", "SPA", names, found, trusted)


def _of_segments(
    gold: FloatArray, metrics: Sequence[Series], settings: MetaSettings, units: Units
) -> Iterator[MetricTest]:
    names, table = _table(metrics)
    plan, by = _plan(settings, units), settings.average_by
    trusted, statistic = _trusted(units), f"pearson, average by {by}"
    yield _drawn("PERM-INPUTS", statistic, names, exchange_segments(gold, table, by, plan), trusted)
    exchangeable = len(gold) >= fewest_units()
    if by == "system" and exchangeable:
        whole = PermutationPlan(plan.permutations, plan.seed)
        per_system = [group_coefficients(gold, one, pearson, "system") for one in table]
        found = exchange_items(np.array(per_system), whole)
        yield _drawn("PERM-SYSTEMS", statistic, names, found, trusted)
    if by != "item":
        return
    if exchangeable:
        found = exchange_systems_in_items(gold, table, plan)
        yield _drawn("PERM-SYSTEMS", statistic, names, found, trusted)
    per_item = np.array([calibrated_per_item(gold, one) for one in table])
    found = exchange_items(per_item, plan)
    yield _drawn("PERM-INPUTS", "acc_eq calibrated", names, found, trusted)


def _warnings(tests: Sequence[MetricTest], units: Units | None, systems: int) -> Iterator[Notice]:
    if units is not None and units.too_few:
        text = tr("tests based on segments separate no metrics: {reason}.", reason=units.too_few)
        yield Notice("warning", "few-units", text)
    for test in tests:
        if test.found is None or test.testable or not test.pairs:
            continue
        number, found = len(test.pairs), test.found
        pairs = tr_n("{n} pair", "{n} pairs", n=number)
        if not is_significant(number / (found.draws + 1)):
            text = tr(
                "with {pairs} of metrics, Holm cannot reach {level} from {draws} "
                "draws of {test}, so that they tell no metrics apart; take at least "
                "{fewest} ({permutations}).",
                permutations=setting("permutations"),
                pairs=pairs,
                level=percent(ALPHA),
                draws=found.draws,
                test=test.name,
                fewest=int(np.ceil(number / ALPHA)),
            )
            yield Notice("warning", "few-draws", text)
        elif found.discrete and not any(pair.testable for pair in test.pairs):
            text = tr(
                "{statistic} takes so few values that {test} cannot reach "
                "{level} with {systems}, and tells no metrics apart.",
                statistic=test.statistic,
                test=test.name,
                level=f"{ALPHA:.0%}",
                systems=tr_n("{n} system", "{n} systems", n=systems),
            )
            yield Notice("warning", "few-values", text)
        elif not is_significant(smallest_p(found.units, found.draws, number)):
            by = "system" if units is None or test.name == "PERM-SYSTEMS" else units.kind
            text = tr(
                "{n} {kind} are too few for {test} of {pairs} of metrics, which tells none apart.",
                n=found.units,
                kind=_UNITS[by],
                test=test.name,
                pairs=pairs,
            )
            yield Notice("warning", "few-units", text)


def _williams(gold: Series, metrics: Sequence[Series], name: str) -> MetricTest:
    table = np.stack([one.of_systems for one in metrics])
    values = pearson(gold.of_systems, table)
    tests = []
    for a, b in system_pairs(len(metrics)):
        between = float(pearson(table[a], table[b]))
        r = float(values[a]), float(values[b]), between
        found = williams(*r, table.shape[1], _WILLIAMS[name])
        tests.append(PairedTest(a, b, float(values[a] - values[b]), None, found.p))
    names = [one.name for one in metrics]
    note = tr("t with n − {lost} degrees of freedom for n systems.", lost=_WILLIAMS[name])
    return _ranked(name, "pearson of system scores", names, values, tests, note=note)


def _drawn(
    name: str, statistic: str, names: Sequence[str], found: MetricTests, trusted: bool = True
) -> MetricTest:
    p = found.p
    pairs = system_pairs(len(names))
    reachable = found.attainable > 0 if found.discrete else np.ones_like(p, bool)
    tests = [
        PairedTest(
            a, b, float(found.values[a] - found.values[b]), None, float(p[a, b]),
            units=found.units, testable=bool(reachable[a, b]),
            p_bound=bool(p[a, b] <= 1 / (found.draws + 1)),
        )
        for a, b in pairs
    ]  # fmt: skip
    lowest = smallest_p(found.units, found.draws, len(pairs))
    possible = is_significant(lowest) and any(one.testable for one in tests)
    return _ranked(
        name, statistic, names, found.values, tests,
        testable=trusted and possible,
        note=tr("{n} permutations of {units} units.", n=found.draws, units=found.units),
        found=found, trusted=trusted,
    )  # fmt: skip


def _ranked(
    name: str,
    statistic: str,
    names: Sequence[str],
    values: FloatArray,
    tests: Sequence[PairedTest[int]],
    *,
    testable: bool = True,
    note: str = "",
    found: MetricTests | None = None,
    trusted: bool = True,
) -> MetricTest:
    """Return pairs with the better metric first, corrected by Holm, and their clusters."""
    corrected = with_holm(tests)
    by_pair = {(one.first, one.second): one.p_holm for one in corrected}
    ordered = tuple((one.turned() if one.delta < 0 else one).named(names) for one in corrected)
    clusters = None
    if testable:
        groups = significance_clusters([float(value) for value in values], by_pair)
        clusters = tuple(tuple(names[metric] for metric in group) for group in groups)
    return MetricTest(name, statistic, ordered, clusters, testable, note, found, trusted)
