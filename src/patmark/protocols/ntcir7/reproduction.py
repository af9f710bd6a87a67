"""What the NTCIR-7 dry run found, each finding checked against its own tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Estimate
from patmark.evaluation import Settings, correlate_systems, sampling_signature
from patmark.evaluation.meta.systems import resampling_json
from patmark.protocols import published
from patmark.protocols.published import PatentRun, TTestRow
from patmark.protocols.reproduction import (
    Quantity,
    ReproducedValue,
    Reproduction,
    quantities_table,
    summary,
    values_table,
)
from patmark.report import Column, Point, Report, Scatter, Table
from patmark.retrieval import (
    POOLED,
    GapLimits,
    GapPair,
    gap_charts,
    gap_limits,
    gap_pairs,
    pair_table,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement of the paper, whether the tables bear it out, and the numbers that decide."""

    statement: str
    subtask: str
    holds: bool
    evidence: str

    def to_json(self) -> dict[str, Any]:
        """A stable shape."""
        return {
            "statement": self.statement, "subtask": self.subtask, "holds": self.holds,
            "evidence": self.evidence,
        }  # fmt: skip


def findings(
    je: Sequence[PatentRun], ej: Sequence[PatentRun], tests: Sequence[TTestRow]
) -> list[Finding]:
    """All findings that can be checked with published numbers."""
    return [
        _leaders("JE", je),
        _leaders("EJ", ej),
        _people_and_retrieval(ej),
        _order_of_tests(ej, tests),
    ]


def findings_table(found: Sequence[Finding]) -> Table:
    """The findings with their evidence."""
    columns = (Column("finding"), Column("subtask"), Column("holds"), Column("evidence"))
    rows = tuple(
        (each.statement, each.subtask, "yes" if each.holds else "no", each.evidence)
        for each in found
    )
    return Table("Findings of the paper, checked against its tables", columns, rows)


def _leaders(subtask: str, runs: Sequence[PatentRun]) -> Finding:
    by_bleu = max((run.bleu, run.group, run.method) for run in runs if run.bleu is not None)
    by_human = max((run.human, run.group, run.method) for run in runs if run.human is not None)
    return Finding(
        "a statistical run leads in BLEU, a rule-based one in human rating",
        subtask,
        by_bleu[2] == "S" and by_human[2] == "R",
        f"BLEU: {by_bleu[1]} {by_bleu[0]:.2f}; human: {by_human[1]} {by_human[0]:.2f}",
    )


def _people_and_retrieval(runs: Sequence[PatentRun]) -> Finding:
    both = [
        (run.human, run.map_rigid, run.group)
        for run in runs
        if run.human is not None and run.map_rigid is not None
    ]
    best = max(both, key=lambda scores: scores[0])
    lowest = min(both, key=lambda scores: scores[1])
    return Finding(
        "the run with the best human rating has the lowest MAP rigid",
        "EJ",
        best[2] == lowest[2],
        f"best human: {best[2]} {best[0]:.2f}; lowest MAP: {lowest[2]} {lowest[1]:.4f}",
    )


def _order_of_tests(runs: Sequence[PatentRun], tests: Sequence[TTestRow]) -> Finding:
    precision = {run.group: run.map_rigid for run in runs if run.map_rigid is not None}
    wrong = [
        f"{test.better}–{test.worse}"
        for test in tests
        if precision[test.better] < precision[test.worse]
    ]
    return Finding(
        "the t-tests of Table 4 order every pair as MAP rigid of Table 3 does",
        "EJ",
        not wrong,
        f"{len(tests) - len(wrong)} of {len(tests)} pairs" + (f"; not {wrong}" if wrong else ""),
    )


PUBLISHED_NECESSARY, PUBLISHED_SAFE = 6.0, 9.0
_METHODS = {"S": "statistical", "R": "rule-based", "E": "example-based"}
_SUM_TOLERANCE = 0.005
_ROUNDING = 6  # digits that matter before a gap is rounded to whole points
_INTRINSIC, _EXTRINSIC = "intrinsic BLEU", "extrinsic BLEU"
_READ: dict[str, Callable[[PatentRun], float | None]] = {
    _INTRINSIC: lambda run: run.bleu,
    _EXTRINSIC: lambda run: run.extrinsic_bleu,
    "human": lambda run: run.human,
    "MAP rigid": lambda run: run.map_rigid,
    "MAP relaxed": lambda run: run.map_relaxed,
}


@dataclass(frozen=True, slots=True)
class _Relation:
    """Two scores of the same runs; ``figure`` is None for what the paper does not draw."""

    subtask: str
    metric: str
    against: str
    runs: tuple[PatentRun, ...]
    figure: int | None = None

    def points(self, method: str | None = None) -> list[tuple[PatentRun, float, float]]:
        """The runs that have both scores."""
        return [
            (run, x, y)
            for run in self.runs
            if (x := _READ[self.metric](run)) is not None
            and (y := _READ[self.against](run)) is not None
            and method in (None, run.method)
        ]


@dataclass(frozen=True, slots=True)
class _Recomputed:
    """Everything that was computed, before it is shown."""

    relations: list[_Relation]
    pairs: tuple[GapPair, ...]
    limits: tuple[GapLimits, ...]
    values: list[ReproducedValue]
    more: list[Quantity]
    sums: list[ReproducedValue]
    findings: list[Finding]
    notes: tuple[str, ...]
    resampling: dict[str, Any]


def reproduce_ntcir7(settings: Settings | None = None) -> Reproduction:
    """The gaps beside the published statement, correlations with intervals, and checks."""
    settings = settings or Settings()
    je, ej = published.ntcir7_je(), published.ntcir7_ej()
    relations, pairs = _relations(je, ej), _pairs(ej)
    limits = gap_limits(pairs)
    more, undefined = _correlations(relations, settings)
    done = _Recomputed(
        relations, pairs, limits, _gap_values(pairs, limits), more,
        [*_sums("JE", 2, je), *_sums("EJ", 3, ej)],
        findings(je, ej, published.ntcir7_t_tests()),
        _notes(ej, pairs), resampling_json(settings, undefined),
    )  # fmt: skip
    return Reproduction(_report(done), _result(done))


def _report(done: _Recomputed) -> Report:
    return Report(
        title="NTCIR-7 dry run: published tables computed again",
        subtitle=summary(done.values, "when rounded to whole points"),
        headlines=(),
        tables=(
            _limits_table(done.limits, done.values), findings_table(done.findings),
            pair_table(
                done.pairs, "Figure 9: gaps in BLEU and significance of MAP rigid", "MAP rigid"
            ),
            _correlations_table(done.more),
            values_table("Tables 2 and 3: human = adequacy + fluency", done.sums, 2),
        ),
        signatures={
            "source": "Fujii et al. 2008, NTCIR-7 dry run, Tables 2–4",
            "intervals": sampling_signature(done.resampling),
        },
        notes=done.notes,
        charts=(*map(_chart, done.relations), *gap_charts(done.pairs, "Figure 9", "MAP rigid")),
    )  # fmt: skip


def _result(done: _Recomputed) -> dict[str, Any]:
    return {
        "study": "ntcir7",
        "rows": [value.to_json() for value in done.values],
        "more": [quantity.to_json() for quantity in done.more],
        "consistency": [value.to_json() for value in done.sums],
        "findings": [each.to_json() for each in done.findings],
        "limits": [_limits_json(each) for each in done.limits],
        "pairs": [_pair_json(pair) for pair in done.pairs],
        "notes": list(done.notes),
        "resampling": done.resampling,
    }


def _relations(je: tuple[PatentRun, ...], ej: tuple[PatentRun, ...]) -> list[_Relation]:
    relations = [
        _Relation("JE", _INTRINSIC, "human", je, 6), _Relation("EJ", _INTRINSIC, "human", ej, 6),
    ]  # fmt: skip
    relations += [
        _Relation("EJ", metric, outcome, ej, 8)
        for metric in (_INTRINSIC, _EXTRINSIC)
        for outcome in ("MAP rigid", "MAP relaxed")
    ]
    return [*relations, _Relation("EJ", "human", "MAP rigid", ej)]


def _correlations(relations: Sequence[_Relation], settings: Settings) -> tuple[list[Quantity], int]:
    """Every relation over all runs, and those of Figure 6 over the statistical runs alone."""
    quantities, undefined = [], 0
    for relation in relations:
        for systems, method in (("all", None), ("statistical", "S")):
            if method and relation.figure != 6:
                continue
            points = relation.points(method)
            found = correlate_systems(
                [y for _, _, y in points], [x for _, x, _ in points], settings
            )
            undefined += found.undefined
            quantities += [
                Quantity(
                    relation.subtask, relation.metric, relation.against, systems, name, estimate,
                    figure=relation.figure,
                )
                for name, estimate in found.estimates.items()
            ]  # fmt: skip
    return quantities, undefined


def _pairs(runs: Sequence[PatentRun]) -> tuple[GapPair, ...]:
    """All pairs of the runs with retrieval, with the levels of Table 4."""
    values = {
        name: {run.group: x for run in runs if (x := _READ[name](run)) is not None}
        for name in (_INTRINSIC, _EXTRINSIC, "MAP rigid")
    }
    outcome = {group: values["MAP rigid"][group] for group in values[_EXTRINSIC]}
    levels = {frozenset((row.better, row.worse)): row.level for row in published.ntcir7_t_tests()}
    return gap_pairs({name: values[name] for name in (_INTRINSIC, _EXTRINSIC)}, outcome, levels)


def _gap_values(pairs: Sequence[GapPair], limits: Sequence[GapLimits]) -> list[ReproducedValue]:
    """The pooled gaps beside the paper's whole points: necessary "at least", safe "more than"."""
    pooled = next(each for each in limits if each.metric == POOLED)
    runs = {run for pair in pairs for run in (pair.better, pair.worse)}
    values = []
    for name, found, printed, rounded in (
        ("necessary gap", pooled.necessary, PUBLISHED_NECESSARY, math.floor),
        ("safe gap", pooled.safe, PUBLISHED_SAFE, math.ceil),
    ):
        value = math.nan if found is None else found
        quantity = Quantity(
            "EJ", "BLEU (intrinsic and extrinsic)", "MAP rigid", "all", name,
            Estimate(value, n=len(runs)), figure=9,
        )  # fmt: skip
        agrees = found is not None and rounded(round(found, _ROUNDING)) == printed
        values.append(ReproducedValue(quantity, printed, agrees))
    return values


def _sums(subtask: str, table: int, runs: Sequence[PatentRun]) -> list[ReproducedValue]:
    """Human rating as the sum of its parts, for every run that was judged."""
    values = []
    for run in runs:
        if run.human is None or run.adequacy is None or run.fluency is None:
            continue
        total = run.adequacy + run.fluency
        quantity = Quantity(
            subtask, "human", "adequacy + fluency", run.group, "sum", Estimate(total, n=1), table
        )
        values.append(ReproducedValue(quantity, run.human, abs(total - run.human) < _SUM_TOLERANCE))
    return values


def _limits_table(limits: Sequence[GapLimits], values: Sequence[ReproducedValue]) -> Table:
    columns = (
        Column("BLEU"), Column("necessary"), Column("necessary, published", 0),
        Column("safe above"), Column("safe, published", 0), Column("pairs at 1 %", 0),
        Column("others", 0), Column("status"),
    )  # fmt: skip
    necessary, safe = values
    status = " / ".join(dict.fromkeys(value.status for value in values))
    rows = tuple(
        (
            each.metric, each.necessary, necessary.published if each.metric == POOLED else None,
            each.safe, safe.published if each.metric == POOLED else None, each.significant,
            each.others, status if each.metric == POOLED else "not published",
        )
        for each in limits
    )  # fmt: skip
    return Table(
        "Figure 9: how much BLEU it takes to retrieve better", columns, rows,
        "Necessary: smallest gap of a pair whose MAP rigid differs at 1 %. Safe: largest gap of "
        "any other pair. The paper gives whole points for both kinds of BLEU together: at least 6 "
        "is necessary, more than 9 is safe.",
    )  # fmt: skip


def _correlations_table(quantities: Sequence[Quantity]) -> Table:
    return quantities_table(
        "Relations between BLEU, human ratings and retrieval", quantities,
        "The paper draws these relations and prints no coefficients. Intervals: 95 %, over runs, "
        "which are few.",
    )  # fmt: skip


def _notes(ej: Sequence[PatentRun], pairs: Sequence[GapPair]) -> tuple[str, ...]:
    bounds = [run for run in ej if run.map_rigid is not None and run.extrinsic_bleu is None]
    return (
        f"The gaps describe the {len(pairs)} pairs of these runs; they need not hold for others.",
        "Human ratings are adequacy + fluency (2 to 10) by one expert on 100 sentences; BLEU is "
        "over 822 sentences with one reference.",
        *(
            f"{run.group}: retrieval without translation, the upper bound: MAP rigid "
            f"{run.map_rigid:.4f}, relaxed {run.map_relaxed:.4f}. It has no BLEU and is in no pair."
            for run in bounds
        ),
    )


def _chart(relation: _Relation) -> Scatter:
    place = f"Figure {relation.figure}, " if relation.figure else ""
    points = sorted(relation.points(), key=lambda point: list(_METHODS).index(point[0].method))
    return Scatter(
        f"{place}{relation.subtask}: {relation.metric} and {relation.against}",
        relation.metric, relation.against,
        tuple(Point(x, y, run.group, _METHODS[run.method]) for run, x, y in points),
    )  # fmt: skip


def _limits_json(limits: GapLimits) -> dict[str, Any]:
    return {
        "metric": limits.metric, "necessary": _rounded(limits.necessary),
        "safe": _rounded(limits.safe), "pairs_significant": limits.significant,
        "pairs_other": limits.others,
    }  # fmt: skip


def _pair_json(pair: GapPair) -> dict[str, Any]:
    return {
        "better": pair.better, "worse": pair.worse, "level": pair.level,
        "gaps": {name: _rounded(gap) for name, gap in pair.gaps.items()},
        "map_rigid_gap": _rounded(pair.outcome_gap),
    }  # fmt: skip


def _rounded(value: float | None) -> float | None:
    """A difference of printed numbers without the noise of binary fractions."""
    return None if value is None else round(value, _ROUNDING)
