"""Comparison of all pairs of systems: tests, segments and verdicts.

:mod:`patmark.stats.significance` decides significance.

If every system was counted in the same segments, all pairs share one set of draws. A system that
lacks segments, such as one that was not judged there, is compared on those that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray, Scores
from patmark.errors import InputError, UsageError
from patmark.evaluation.evaluation import Evaluation, estimate_json, resampling_json
from patmark.evaluation.scoring import check_named, refuse_descriptive
from patmark.report import Report, Result, fields_json, messages_json
from patmark.stats import (
    ALPHA,
    CLUSTER_RULES,
    FEWEST_UNITS,
    ClusterRule,
    Convention,
    EffectSizes,
    MarginTest,
    PairedTest,
    Sampling,
    SegmentTests,
    SignTest,
    Units,
    bootstrap_pairs,
    estimates_of,
    fewest_units,
    holm,
    is_significant,
    pair_margin_test,
    randomise_pairs,
    rank_ranges,
    rate_difference,
    resampled_scores,
    segment_tests,
    significance_clusters,
    smallest_difference,
    smallest_p,
    system_pairs,
    tail_beyond,
    units_needed,
    without_weightiest,
)
from patmark.wording import setting, tr

if TYPE_CHECKING:
    from patmark.evaluation.gates import GatePlan, GateResult, Gates

Limit: TypeAlias = Literal["units", "draws"]
_Places: TypeAlias = tuple[int, int]
_NOTHING = float("nan")
_NO_INTERVAL = (_NOTHING, _NOTHING)
_PAIRS_AT_ONCE = 64
_NO_LIMIT = 1000  # number of units from which there is no lower limit of p


def counted(scores: Scores) -> NDArray[np.bool_]:
    """Return an indicator of the segments with statistics, of shape (systems, segments).

    A segment with nothing to check is not a gap: the check has inspected it as well.
    """
    carried: NDArray[np.bool_] = (scores.statistics != 0).any(axis=-1)
    if scores.findings:
        carried[:] = carried.any(axis=0)
    return carried


def pair_results(
    scores: Scores,
    draws: FloatArray,
    randomised: Sequence[PairedTest[int]] | None,
    units: Units,
    settings: CompareSettings,
) -> list[PairedTest[int]]:
    """Return all pairs in order; ``draws`` and ``randomised`` are those of all segments.

    They serve every pair whose systems were counted in the same segments. If ``randomised`` is
    None, the bootstrap is the test.
    """
    carried = counted(scores)
    observed = scores.score(units.totals(scores.statistics).sum(axis=1))
    pairs = system_pairs(len(carried))
    segments = [row.tobytes() for row in carried]
    alike = [(a, b) for a, b in pairs if segments[a] == segments[b]]
    sizes = units.sizes(carried)
    tail_of = list(map(tail_beyond, sizes))
    tails = [tail_of[first] for first, _ in alike]
    commons, carrying = carried.sum(axis=1).tolist(), np.count_nonzero(sizes, axis=1).tolist()
    exchanged = {(test.first, test.second): test for test in randomised or ()}
    results: dict[_Places, PairedTest[int]] = {}
    own = _rate_intervals(scores, alike, units)
    for interval in bootstrap_pairs(draws, observed, _convention(settings), alike, tails, own):
        pair = interval.first, interval.second
        common, held = commons[pair[0]], carrying[pair[0]]
        results[pair] = _result(pair, interval, exchanged.get(pair), common, held)
    groups: dict[bytes, list[_Places]] = {}
    for a, b in pairs:
        if (a, b) not in results:
            groups.setdefault((carried[a] & carried[b]).tobytes(), []).append((a, b))
    for group in groups.values():
        results |= _on_common(scores, carried, group, units, settings)
    return [results[pair] for pair in pairs]


def lowest_p(settings: CompareSettings, units: int, tests: int) -> float:
    """Return the smallest p that one of that many tests can give, corrected.

    The bootstrap is limited only by its draws; units too few for randomisation are too few for it.
    """
    if settings.test != "randomisation":
        units = _NO_LIMIT if units >= fewest_units() else 0
    return smallest_p(units, settings.draws, tests, settings.bounds_tail)


def too_few(settings: CompareSettings, units: int, tests: int) -> Limit | None:
    """Return the cause if none of that many tests can be significant; None if one can."""
    if is_significant(lowest_p(settings, units, tests)):
        return None
    needed = fewest_units(tests if settings.test == "randomisation" else 1)
    return "units" if units < needed else "draws"


def _on_common(
    scores: Scores, carried: NDArray[np.bool_], group: Sequence[_Places], units: Units,
    settings: CompareSettings,
) -> dict[_Places, PairedTest[int]]:  # fmt: skip
    """Return pairs with the same common segments, tested on these alone."""
    columns = np.flatnonzero(carried[group[0][0]] & carried[group[0][1]])
    if not len(columns):
        return {pair: PairedTest(*pair, _NOTHING, None, _NOTHING) for pair in group}
    systems = sorted({system for pair in group for system in pair})
    place = {system: row for row, system in enumerate(systems)}
    pairs = [(place[a], place[b]) for a, b in group]
    statistics = scores.statistics[systems][:, columns]
    quantity, drawn_units = (statistics, scores.score), units.among(columns)
    sampling = settings.sampling
    [draws] = resampled_scores([quantity], drawn_units, sampling.resamples, sampling.seed)
    observed = scores.score(drawn_units.totals(statistics).sum(axis=1))
    tail = tail_beyond(drawn_units.sizes(np.ones(len(columns), dtype=np.bool_)))
    kept = replace(scores, statistics=statistics)
    intervals = bootstrap_pairs(
        draws, observed, _convention(settings), pairs, [tail] * len(pairs),
        _rate_intervals(kept, pairs, drawn_units),
    )  # fmt: skip
    exchanged: Sequence[PairedTest[int] | None] = [None] * len(pairs)
    if settings.test == "randomisation":
        [exchanged] = randomise_pairs(
            [quantity], drawn_units, settings.draws, sampling.seed, pairs,
            settings.bounds_tail, [scores.segment_score],
        )  # fmt: skip
    return {
        pair: _result(pair, interval, test, len(columns), drawn_units.count)
        for pair, interval, test in zip(group, intervals, exchanged, strict=True)
    }


def _rate_intervals(
    scores: Scores, pairs: Sequence[_Places], units: Units
) -> list[tuple[float, float] | None]:
    """Return the intervals of differences of rates; None for other scores and for a single unit."""
    if not scores.rate:
        return [None] * len(pairs)
    whole = scores.scale.whole
    differences = [
        rate_difference(scores.statistics[list(pair)], scores.score, scores.scale, units)
        for pair in pairs
    ]
    ends = [None if one is None else one.interval() for one in differences]
    return [None if pair is None else (whole * pair[0], whole * pair[1]) for pair in ends]


def _result(
    pair: _Places, interval: PairedTest[int], exchanged: PairedTest[int] | None, common: int,
    units: int,
) -> PairedTest[int]:  # fmt: skip
    """Return one pair from its tests; fewer than two resamples give no interval."""
    drawn = not np.isnan(interval.spread)
    return PairedTest(
        *pair, interval.delta, interval.ci if units >= FEWEST_UNITS and drawn else None,
        (exchanged or interval).p, n=common, units=units, spread=interval.spread,
        p_bound=(exchanged or interval).p_bound,
    )  # fmt: skip


def _convention(settings: CompareSettings) -> Convention | None:
    """Return the convention of the bootstrap; None if it gives intervals only."""
    if settings.test == "randomisation":
        return None
    return "sacrebleu" if settings.test == "bootstrap-sacrebleu" else "shift"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that are not compared, and the number of unanswered ones of each system."""

    rows: tuple[str, ...] = ()
    unanswered: Mapping[str, int] = field(default_factory=dict)


def pair_rows(
    scores: Mapping[str, Scores], documents: Sequence[str | None]
) -> tuple[Mapping[str, Scores], Sequence[str | None], LeftOut]:
    """Return scores and documents of the rows that all systems answered, and the excluded ones.

    An unanswered row has no statistics at all; one counted as wrong has. Scores that do not need
    all systems are returned unchanged.
    """
    needing = [one for one in scores.values() if one.needs_all]
    if not needing:
        return scores, documents, LeftOut()
    answered = np.any([(one.statistics != 0).any(axis=-1) for one in needing], axis=0)
    partly = answered.any(axis=0) & ~answered.all(axis=0)
    if not partly.any():
        return scores, documents, LeftOut()
    systems, ids = needing[0].systems, needing[0].segments
    if not answered.all(axis=0).any():
        raise InputError.at(f"no row is answered by all of {', '.join(systems)}")
    missing = (~answered[:, partly]).sum(axis=1)
    left_out = LeftOut(
        tuple(ids[row] for row in np.flatnonzero(partly)),
        {name: int(count) for name, count in zip(systems, missing, strict=True) if count},
    )
    rows = np.flatnonzero(~partly).tolist()
    kept = {
        name: replace(
            one,
            segments=tuple(one.segments[row] for row in rows),
            statistics=one.statistics[:, rows],
        )
        for name, one in scores.items()
    }
    return kept, [documents[row] for row in rows], left_out


TestName: TypeAlias = Literal["randomisation", "bootstrap", "bootstrap-sacrebleu"]
TESTS: tuple[TestName, ...] = ("randomisation", "bootstrap", "bootstrap-sacrebleu")
DEFAULT_TRIALS = 10_000


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """Test settings of a comparison. ``holm`` None corrects if there are more than two systems.

    ``detect`` maps measures to a difference to detect, ``margin`` to one within which systems count
    as equivalent. With a ``primary`` measure, only its tests give verdicts; the others are
    descriptive. By default there are 10,000 ``trials``, and p of a difference that none of them
    reaches is a bound of the tail. With a given number, p uses these trials only. ``clusters`` is
    the grouping rule (:func:`patmark.stats.significance_clusters`).
    """

    sampling: Sampling = field(default_factory=Sampling)
    test: TestName = "randomisation"
    trials: int | None = None
    holm: bool | None = None
    detect: Mapping[str, float] | None = None
    margin: Mapping[str, float] | None = None
    primary: str | None = None
    clusters: ClusterRule = "any"

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise UsageError(f"the test {self.test!r} is unknown; choose from {', '.join(TESTS)}")
        if self.clusters not in CLUSTER_RULES:
            raise UsageError(
                f"the rule {self.clusters!r} of clusters is unknown; "
                f"choose from {', '.join(CLUSTER_RULES)}"
            )
        if self.draws < 1:
            needed = "trial" if self.test == "randomisation" else "resample"
            raise UsageError(f"a comparison needs at least one {needed}")
        for measure, wanted in (self.detect or {}).items():
            if not 0 < wanted < np.inf:
                raise UsageError(
                    f"{measure}={wanted:g}: a difference to detect must be greater than 0"
                )

    @property
    def draws(self) -> int:
        """Number of draws of a p-value."""
        if self.test != "randomisation":
            return self.sampling.resamples
        return DEFAULT_TRIALS if self.trials is None else self.trials

    def corrects(self, systems: int) -> bool:
        """Return True if p-values of that many systems are corrected by Holm."""
        return systems > 2 if self.holm is None else self.holm

    @property
    def bounds_tail(self) -> bool:
        """True if p of a difference that no trial reaches is a bound of the tail."""
        return self.trials is None and self.test == "randomisation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(PairedTest[str]):
    """Two systems under one measure: difference, significance and effect size.

    All values refer to the ``n`` segments in which both were counted. ``delta`` is on the scale of
    the measure; ``sign`` and ``effect`` are oriented so that positive means that the first is
    better. ``units_needed`` are for the observed difference, ``units_for_detect`` for the requested
    one. ``p_holm`` is corrected over the pairs of this measure, ``p_family`` also over all
    measures. ``hinges_on`` is a document without which a significant difference would not be
    significant.
    """

    sign: SignTest
    effect: EffectSizes
    p_t: float
    p_wilcoxon: float
    detectable: float
    units_needed: float
    units_for_detect: float | None = None
    equivalence: MarginTest | None = None
    p_equivalence: float = _NOTHING
    decides: bool = True
    p_family: float = _NOTHING
    hinges_on: str | None = None

    @property
    def significant(self) -> bool:
        """True if the difference is significant at 5 %, after correction, by a deciding measure."""
        return self.decides and self.confirms(self.p_holm)

    @property
    def significant_family(self) -> bool:
        """True if the difference is significant after correction over all measures too."""
        return self.decides and self.confirms(self.p_family)

    @property
    def equivalent(self) -> bool:
        """True if a difference of the margin or more is ruled out at 5 %, after correction."""
        return self.testable and is_significant(self.p_equivalence)


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """All systems under one measure, best first.

    ``clusters`` hold the systems with a score, ``unscored`` the others. If no p can give a verdict,
    ``no_verdict`` is the reason, and there are neither clusters nor ranges of ranks. ``units`` have
    statistics of the measure; ``smallest_p`` is the smallest p that the test can give, corrected.
    ``counted`` is the number of counted segments of each system.
    """

    measure: str
    signature: str
    higher_is_better: bool
    decimals: int
    ranking: tuple[str, ...]
    estimates: Mapping[str, Estimate]
    rank_ranges: Mapping[str, tuple[int, int]] | None
    clusters: tuple[tuple[str, ...], ...] | None
    pairs: tuple[Pair, ...]
    unscored: tuple[str, ...]
    units: int
    smallest_p: float
    counted: Mapping[str, int]
    no_verdict: str = ""
    rate: bool = False

    @property
    def unequal(self) -> tuple[Pair, ...]:
        """Pairs with scores of both systems that were counted in different segments."""
        of = self.counted
        both = ((pair, of[pair.first], of[pair.second]) for pair in self.pairs)
        return tuple(pair for pair, a, b in both if min(a, b) and pair.n < max(a, b))

    @property
    def testable(self) -> bool:
        """True if any difference may be called significant at 5 %, after correction."""
        return not self.no_verdict

    def verdict(self, pair: Pair) -> bool | None:
        """Return True if the difference of a pair is significant; None if untestable."""
        return pair.significant if self.testable and pair.testable else None

    def cluster_of(self, system: str) -> int | None:
        """Return the number of a system's cluster, from 1; None without one."""
        numbered = enumerate(self.clusters or (), 1)
        return next((number for number, members in numbered if system in members), None)


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """All systems of an evaluation under all measures.

    ``segments`` are compared; ``left_out`` are excluded rows, and ``descriptive`` excluded
    measures. ``everything`` requests a report with the full analysis.
    """

    evaluation: Evaluation
    systems: tuple[str, ...]
    measures: Mapping[str, MeasureComparison]
    units: Units
    settings: CompareSettings
    segments: int
    left_out: LeftOut
    descriptive: tuple[str, ...] = ()
    everything: bool = False

    @property
    def scored(self) -> Evaluation:
        """The evaluation whose systems are compared."""
        return self.evaluation

    @property
    def incomplete(self) -> str:
        """The reason why rows have no result; empty if all have one."""
        return self.evaluation.incomplete

    @property
    def corrected(self) -> bool:
        """True if p-values are corrected for the number of pairs."""
        return self.settings.corrects(len(self.systems))

    @property
    def deciding(self) -> tuple[MeasureComparison, ...]:
        """The measures whose differences may be called significant."""
        return deciding(self.measures.values())

    @property
    def verdict(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Better and worse system → deciding measures, over all measures together."""
        return verdict_over(self.deciding)

    @property
    def bounds_tail(self) -> bool:
        """True if p-values are bounds of the tail, beyond the trials."""
        pairs = (pair for measure in self.measures.values() for pair in measure.pairs)
        return self.settings.bounds_tail and any(pair.p_bound for pair in pairs)

    def check(
        self, gates: Gates | GatePlan, warn: Callable[[str], None] | None = None
    ) -> list[GateResult]:
        """Check gates by the scores of the compared segments."""
        from patmark.evaluation.gates import Gates, judge_gates

        plan = gates.plan(self.settings) if isinstance(gates, Gates) else gates
        estimates = {name: one.estimates for name, one in self.measures.items()}
        return judge_gates(plan, self.evaluation, estimates, warn)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with the known facts about the answers."""
        facts = self.evaluation.facts
        missing = facts.missing or {}
        references = self.evaluation.references.items()
        return {
            **comparison_json(self),
            "languages": facts.languages,
            "missing": {system: missing.get(system) for system in self.systems},
            "references": {name: estimate_json(one) for name, one in references},
            "inferred_roles": dict(self.evaluation.inferred_roles),
            **messages_json(self.evaluation.text_warnings),
        }

    def to_report(self) -> Report:
        """Return the findings, and a section for each measure."""
        return self.evaluation.comparison_report(self)


def compare(
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    settings: CompareSettings | None = None,
) -> Comparison:
    """Compare all pairs of systems by their scores alone."""
    return compare_systems(Evaluation(scores=scores, documents=tuple(documents)), settings)


def check_comparable(
    systems: Sequence[str], measures: Sequence[str], settings: CompareSettings
) -> None:
    """Refuse, before any scoring, a single system and settings for missing measures."""
    if len(systems) < 2:
        raise UsageError(f"a comparison needs at least two systems, and {len(systems)} are given")
    asked = {
        "detect": settings.detect or (),
        "margin": settings.margin or (),
        "primary": () if settings.primary is None else (settings.primary,),
    }
    for name, wanted in asked.items():
        for measure in sorted(set(wanted) - set(measures)):
            raise UsageError(
                f"{setting(name)}: no measure here is called {measure}; "
                f"there are {', '.join(measures)}"
            )


def compare_systems(
    evaluation: Evaluation, settings: CompareSettings | None = None, *, everything: bool = False
) -> Comparison:
    """Compare all pairs of systems under every measure, on one set of resamples.

    The deciding measure comes first. Descriptive measures are left out, and so are segments that
    not all systems answered, if scores need all of them.
    """
    settings = settings or CompareSettings()
    scores, systems = evaluation.scores, evaluation.systems
    check_comparable(systems, list(scores), settings)
    descriptive = tuple(name for name, one in scores.items() if one.descriptive)
    if len(descriptive) == len(scores):
        refuse_descriptive(scores.values())
    primary = () if settings.primary is None else (settings.primary,)
    check_named([*(settings.detect or {}), *(settings.margin or {}), *primary], scores)
    order = (*primary, *(name for name in scores if name not in primary))
    scores = {name: scores[name] for name in order if name not in descriptive}
    scores, documents, left_out = pair_rows(scores, evaluation.documents)
    units = Units.choose(documents, settings.sampling.by, next(iter(scores.values())).segments)
    measures = corrected_together(_compare_measures(scores, units, settings))
    return Comparison(
        evaluation, systems, measures, units, settings, len(documents), left_out, descriptive,
        everything,
    )  # fmt: skip


def deciding(measures: Iterable[MeasureComparison]) -> tuple[MeasureComparison, ...]:
    """Return the measures whose differences may be called significant."""
    return tuple(measure for measure in measures if measure.testable)


def verdict_over(measures: Iterable[MeasureComparison]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return better and worse system → deciding measures, over all measures together.

    p is corrected by Holm over measures and pairs, so that equal systems are called different by
    any measure in at most 5 % of test sets.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for measure in deciding(measures):
        for pair in filter(lambda pair: pair.significant_family, measure.pairs):
            first_leads = (pair.delta > 0) == measure.higher_is_better
            order = (pair.first, pair.second) if first_leads else (pair.second, pair.first)
            found[order] = (*found.get(order, ()), measure.measure)
    return found


def verdict_json(measures: Sequence[MeasureComparison]) -> dict[str, Any]:
    """Return the verdict of several measures, and the deciding ones."""
    return {
        "correction": "holm over measures and pairs",
        "measures": [measure.measure for measure in deciding(measures)],
        "pairs": [
            {"better": better, "worse": worse, "measures": list(by)}
            for (better, worse), by in verdict_over(measures).items()
        ],
    }


def corrected_together(
    measures: Mapping[str, MeasureComparison],
) -> dict[str, MeasureComparison]:
    """Correct p of every pair by Holm over all deciding measures and pairs."""
    p_values = [
        pair.p if pair.decides else _NOTHING for one in measures.values() for pair in one.pairs
    ]
    corrected = iter(holm(p_values))
    return {
        name: replace(
            one, pairs=tuple(replace(pair, p_family=float(next(corrected))) for pair in one.pairs)
        )
        for name, one in measures.items()
    }


def _compare_measures(
    scores: Mapping[str, Scores], units: Units, settings: CompareSettings
) -> dict[str, MeasureComparison]:
    quantities = [(one.statistics, one.score) for one in scores.values()]
    sampling = settings.sampling
    draws = resampled_scores(quantities, units, sampling.resamples, sampling.seed)
    estimates = [
        estimates_of(quantity, drawn, units, one.scale)
        for one, quantity, drawn in zip(scores.values(), quantities, draws, strict=True)
    ]
    tests = (
        randomise_pairs(
            quantities, units, settings.draws, sampling.seed,
            tail_bound=settings.bounds_tail,
            unit_scores=[one.segment_score for one in scores.values()],
        )
        if settings.test == "randomisation"
        else [None] * len(quantities)
    )  # fmt: skip
    return {
        name: _compare_measure(one, of_systems, drawn, randomised, units, settings)
        for (name, one), of_systems, drawn, randomised in zip(
            scores.items(), estimates, draws, tests, strict=True
        )
    }


def _compare_measure(
    scores: Scores, estimates: Sequence[Estimate], draws: FloatArray,
    randomised: Sequence[PairedTest[int]] | None, units: Units, settings: CompareSettings,
) -> MeasureComparison:  # fmt: skip
    observed = np.array([estimate.value for estimate in estimates])
    tests = pair_results(scores, draws, randomised, units, settings)
    p_values = [test.p for test in tests]
    corrects = settings.corrects(len(scores.systems))
    corrected = holm(p_values) if corrects else p_values
    tests = [
        replace(test, p_holm=float(p), testable=not units.too_few and test.units >= fewest_units())
        for test, p in zip(tests, corrected, strict=True)
    ]
    by_pair = {}
    for test in tests:  # a difference on common segments must agree with the ranking
        agrees = not test.delta * (observed[test.first] - observed[test.second]) < 0
        by_pair[test.first, test.second] = test.p_holm if test.significant and agrees else 1.0
    tested = sum(not np.isnan(p) for p in p_values) if corrects else 1
    wanted = (settings.detect or {}).get(scores.measure)
    pairs = tuple(
        _pair(scores, test, found, tested, wanted, bool(units.too_few))
        for test, found in zip(tests, _segment_tests(scores, tests, units), strict=True)
    )
    pairs = _with_hinges(pairs, tests, scores, units, settings)
    if settings.primary not in (None, scores.measure):
        pairs = tuple(replace(pair, decides=False) for pair in pairs)
    margin = (settings.margin or {}).get(scores.measure)
    if margin is not None:
        pairs = _with_margin(pairs, tests, scores, units, margin, corrects)
    better, names = scores.higher_is_better, scores.systems
    unscored = np.flatnonzero(np.isnan(observed)).tolist()
    groups = significance_clusters(observed.tolist(), by_pair, better, rule=settings.clusters)
    ranges = dict(zip(names, rank_ranges(observed.tolist(), by_pair, better), strict=True))
    ranking = tuple(names[system] for group in groups for system in group)
    parted = tuple(
        tuple(names[system] for system in group) for group in groups if group != unscored
    )
    most = max(test.units for test in tests)
    limit = too_few(settings, most, tested)
    scored = ranking[: len(ranking) - len(unscored)]
    reason = units.too_few or _no_verdict(scored, tests, limit, settings.primary, scores.measure)
    return MeasureComparison(
        scores.measure, scores.signature, better, scores.decimals, ranking,
        dict(zip(names, estimates, strict=True)), None if reason else ranges,
        None if reason else parted, pairs, tuple(names[system] for system in unscored),
        units.carrying(scores.statistics), lowest_p(settings, most, tested),
        dict(zip(names, counted(scores).sum(axis=1).tolist(), strict=True)), reason, scores.rate,
    )  # fmt: skip


def _with_hinges(
    pairs: tuple[Pair, ...], tests: Sequence[PairedTest[int]], scores: Scores, units: Units,
    settings: CompareSettings,
) -> tuple[Pair, ...]:  # fmt: skip
    """Return pairs with the document without which a significant difference would not be so.

    The p-values of other pairs stay unchanged. Segments of a pair in which only one system was
    counted do not count.
    """
    places = [place for place, pair in enumerate(pairs) if pair.significant]
    if units.kind != "document" or settings.test != "randomisation" or not places:
        return pairs
    carried, draws = counted(scores), (settings.draws, settings.sampling.seed)
    of_place = {place: (tests[place].first, tests[place].second) for place in places}
    alike = {
        place: (a, b) for place, (a, b) in of_place.items() if (carried[a] == carried[b]).all()
    }
    per_unit = units.totals(scores.statistics)
    weakest = without_weightiest(per_unit, scores.score, list(alike.values()), *draws)
    without = dict(zip(alike, weakest, strict=True))
    for place, pair in of_place.items():
        if place not in alike:
            common = (carried[pair[0]] & carried[pair[1]])[:, None]
            both = units.totals(scores.statistics[[*pair]] * common)
            [without[place]] = without_weightiest(both, scores.score, [(0, 1)], *draws)
    p_values = np.array([test.p for test in tests])
    found = list(pairs)
    for place, (unit, p) in without.items():
        others = np.count_nonzero(np.delete(p_values, place) >= p)
        factor = 1 + others if settings.corrects(len(scores.systems)) else 1
        if not is_significant(factor * p):
            found[place] = replace(pairs[place], hinges_on=units.names[unit])
    return tuple(found)


def _no_verdict(
    scored: Sequence[str], tests: Sequence[PairedTest[int]], limit: Limit | None,
    primary: str | None, measure: str,
) -> str:  # fmt: skip
    """Return the reason why no p of a measure can give a verdict; empty if one can."""
    if len(scored) < 2:
        return (
            tr("only {system} has a score", system=scored[0])
            if scored
            else tr("no system has a score")
        )
    if primary not in (None, measure):
        return tr("{measure} was declared to decide", measure=primary)
    if all(np.isnan(test.p) for test in tests):
        return tr("no two systems have a score in the same segment")
    if limit == "units":
        return tr("differences cannot be tested with so few units")
    if limit == "draws":
        return tr("so many differences cannot be tested with so few draws")
    return ""


def _with_margin(
    pairs: Sequence[Pair],
    tests: Sequence[PairedTest[int]],
    scores: Scores,
    units: Units,
    margin: float,
    corrects: bool,
) -> tuple[Pair, ...]:
    """Return pairs with the equivalence test, on the segments in which both were counted."""
    carried = counted(scores)
    found = []
    for test in tests:
        places = [test.first, test.second]
        both = carried[test.first] & carried[test.second]
        statistics = scores.statistics[places] * both[:, None]
        found.append(pair_margin_test(statistics, scores.score, scores.scale, units, margin))
    p_values = [one.p for one in found]
    corrected = holm(p_values) if corrects else p_values
    return tuple(
        replace(pair, equivalence=one, p_equivalence=float(p))
        for pair, one, p in zip(pairs, found, corrected, strict=True)
    )


def _segment_tests(
    scores: Scores, tests: Sequence[PairedTest[int]], units: Units
) -> list[SegmentTests]:
    """Return the segment tests of each pair, oriented so that more is better."""
    segments = scores.segment_scores[:, units.order]
    segments = segments if scores.higher_is_better else -segments
    found: list[SegmentTests] = []
    for start in range(0, len(tests), _PAIRS_AT_ONCE):
        some = tests[start : start + _PAIRS_AT_ONCE]
        first, second = ([getattr(test, side) for test in some] for side in ("first", "second"))
        found += segment_tests(segments[first], segments[second])
    return found


def _pair(
    scores: Scores, test: PairedTest[int], found: SegmentTests, tested: int, wanted: float | None,
    too_few: bool,
) -> Pair:  # fmt: skip
    a, b = test.first, test.second
    spread = _NOTHING if too_few else test.spread

    def needed(delta: float) -> float:
        return units_needed(spread, test.units, delta, tested)

    visible = np.inf if too_few else smallest_difference(spread, test.units, tested)
    return Pair(
        first=scores.systems[a], second=scores.systems[b], delta=test.delta, ci=test.ci,
        p=test.p, p_holm=test.p_holm, n=test.n, units=test.units, spread=test.spread,
        testable=test.testable, p_bound=test.p_bound, **found._asdict(), detectable=visible,
        units_needed=needed(test.delta),
        units_for_detect=None if wanted is None else needed(wanted),
    )  # fmt: skip


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Return all results, with null for undefined or unbounded numbers."""
    settings, left_out = comparison.settings, comparison.left_out
    return fields_json(
        comparison, "systems", "segments",
        left_out={
            "segments": len(left_out.rows), "ids": left_out.rows,
            "unanswered": left_out.unanswered,
        },
        measures={name: _measure(measure) for name, measure in comparison.measures.items()},
        descriptive=comparison.descriptive,
        test={
            "name": settings.test,
            "trials": settings.draws,
            "seed": settings.sampling.seed,
            "tail": "bound" if comparison.bounds_tail else "trials",
            "correction": "holm" if comparison.corrected else "none",
            "alpha": ALPHA,
        },
        verdict=verdict_json(tuple(comparison.measures.values())),
        detect=settings.detect or {},
        margin=settings.margin or {},
        primary=settings.primary,
        clusters=settings.clusters,
        resampling=resampling_json(settings.sampling, comparison.units),
        signatures={name: one.signature for name, one in comparison.measures.items()},
    )  # fmt: skip


def _measure(measure: MeasureComparison) -> dict[str, Any]:
    return fields_json(
        measure, "higher_is_better", "ranking", "scores=estimates", "rank_ranges", "clusters",
        clusters_reason=measure.no_verdict or None, unscored=measure.unscored,
        units=measure.units, counted=measure.counted, testable=measure.testable,
        smallest_p=measure.smallest_p, pairs=[_pair_json(pair) for pair in measure.pairs],
    )  # fmt: skip


_NUMBERS = (
    "delta", "p", "p_holm", "p_sign=sign.p", "p_t", "p_wilcoxon", "cohen_dz=effect.cohen_dz",
    "cohen_d=effect.cohen_dz",  # the old key, until 0.4
    "cliff_delta=effect.cliff_delta", "win_rate=effect.win_rate", "detectable", "units_needed",
    "p_family",
)  # fmt: skip


def _pair_json(pair: Pair) -> dict[str, Any]:
    names = [*_NUMBERS, *(["units_for_detect"] * (pair.units_for_detect is not None))]
    infinite = [
        name.partition("=")[0]
        for name in names
        if np.isinf(attrgetter(name.rpartition("=")[2])(pair))
    ]
    found = fields_json(
        pair, "a=first", "b=second", *names, infinite=infinite, ci=pair.ci or _NO_INTERVAL,
        p_bound=pair.p_bound, common=pair.n, wins=pair.sign.wins, losses=pair.sign.losses,
        ties=pair.sign.ties, significant=pair.significant,
        significant_family=pair.significant_family, hinges_on=pair.hinges_on,
    )  # fmt: skip
    test = pair.equivalence
    if test is not None:
        found["equivalence"] = {
            **fields_json(test, "margin", ci90=(test.low, test.high)),
            **fields_json(pair, "p=equivalence.p", "p_holm=p_equivalence", "equivalent"),
        }
    return found
