"""The NTCIR-7 dry run reproduced: gaps in BLEU, correlations, and findings of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from patmark.collections.retrieval import (
    POOLED,
    GapLimits,
    GapPair,
    gap_charts,
    gap_limits,
    gap_pairs,
    pair_table,
)
from patmark.data import Estimate
from patmark.evaluation import Sampling, SystemSampling
from patmark.protocols.studies.listing import listed, listing_table, printed_only_values
from patmark.protocols.studies.reproduction import (
    QUANTITY_KEYS,
    PublishedFinding,
    Reproduction,
    Row,
    Study,
    Value,
    answered,
    correlated,
    findings_table,
    published_rows,
    quantities_table,
    statuses,
    summary,
    values_table,
)
from patmark.report import Column, Point, Report, Scatter, Table, clauses
from patmark.wording import tr

PUBLISHED_NECESSARY, PUBLISHED_SAFE = 6.0, 9.0
TOPICS, RIGID_TOPICS = 100, 90  # chosen for the dry run; those of them with a relevant document
_LENGTHS, _TESTS = "ntcir7/lengths.csv", "ntcir7/ttest_map_rigid.csv"
_METHODS = {"S": tr("statistical"), "R": tr("rule-based"), "E": tr("example-based")}
_BLEU = _INTRINSIC, _EXTRINSIC = tr("intrinsic BLEU"), tr("extrinsic BLEU")
_HUMAN = tr("human")
_COLUMNS = {
    _INTRINSIC: "intrinsic_bleu",
    _EXTRINSIC: "extrinsic_bleu",
    _HUMAN: "human",
    "MAP rigid": "map_rigid",
    "MAP relaxed": "map_relax",
}


def ntcir7_runs() -> tuple[list[Row], list[Row]]:
    """Return tables 2 (JE) and 3 (EJ); ``Mono`` there is retrieval without translation."""
    je = published_rows("ntcir7/intrinsic_JE.csv")
    named = [{**run, "intrinsic_bleu": run["bleu"]} for run in je]
    return named, published_rows("ntcir7/intrinsic_extrinsic_EJ.csv")


def ntcir7_t_tests() -> list[Row]:
    """Return table 4: the significance level of MAP rigid of two runs, None if not significant."""
    return published_rows(_TESTS)


@dataclass(frozen=True, slots=True)
class _Relation:
    """Two scores of the same runs; ``figure`` is None if the paper does not draw it."""

    subtask: str
    metric: str
    against: str
    runs: Sequence[Row]
    figure: int | None = None

    def points(self, method: str | None = None) -> list[tuple[Row, float, float]]:
        """Return the runs that have both scores."""
        columns = _COLUMNS[self.metric], _COLUMNS[self.against]
        both = [(run, run.get(columns[0]), run.get(columns[1])) for run in self.runs]
        return [
            (run, x, y)
            for run, x, y in both
            if x is not None and y is not None and method in (None, run["method"])
        ]


def reproduce_ntcir7(sampling: Sampling | None = None) -> Reproduction:
    """Return the gaps with the published statement, correlations with intervals, and checks."""
    sampling = sampling or Sampling()
    je, ej = ntcir7_runs()
    tests = ntcir7_t_tests()
    relations, pairs = _relations(je, ej), _pairs(ej, tests)
    limits = gap_limits(pairs)
    gaps = _gap_values(pairs, limits)
    sums = [*_sums("JE", 2, je), *_sums("EJ", 3, ej)]
    correlations, drawn = _correlations(relations, sampling)
    found, notes = findings(je, ej, tests), _notes(ej, pairs)
    parts = listed("ntcir7/listing.csv", [*sums, *gaps])
    report = Report(
        title=tr("NTCIR-7 dry run: reproduction of the published tables"),
        subtitle="Fujii et al. 2008, NTCIR-7 dry run",
        headlines=(),
        tables=(
            listing_table(parts),
            findings_table(found),
            _limits_table(limits, gaps),
            pair_table(
                pairs, tr("Figure 9: gaps in BLEU and significance of MAP rigid"), "MAP rigid"
            ),
            quantities_table(
                tr("Relations between BLEU, human ratings and retrieval"),
                correlations,
                tr(
                    "The paper prints no coefficients; relations without a place it does not draw. "
                    "Intervals: 95 %, over runs, which are few."
                ),
            ),
            values_table(tr("Tables 2 and 3: human = adequacy + fluency"), sums, 2),
            _lengths_table(),
        ),
        signatures={
            "source": "Fujii et al. 2008, NTCIR-7 dry run",
            "intervals": drawn.signature,
        },
        notes=notes,
        charts=(
            *map(_chart, relations),
            *gap_charts(pairs, tr("Figure {number}", number=9), "MAP rigid"),
        ),
    )
    result = {
        "study": "ntcir7",
        "listing": parts,
        "rows": gaps,
        "more": [value.to_json(QUANTITY_KEYS) for value in correlations],
        "consistency": sums,
        "findings": found,
        "limits": limits,
        "pairs": [_pair_json(pair) for pair in pairs],
        "notes": notes,
        "resampling": drawn.to_json(),
    }
    within = tr("within the rounding of the printed inputs")
    sentences = summary([*sums, *gaps], within, printed_only_values(parts))
    return Reproduction(result, answered(report, sentences, found))


STUDY = Study(reproduce_ntcir7)


def _relations(je: Sequence[Row], ej: Sequence[Row]) -> list[_Relation]:
    return [
        _Relation("JE", _INTRINSIC, _HUMAN, je, 6),
        _Relation("EJ", _INTRINSIC, _HUMAN, ej, 8),
        *(
            _Relation("EJ", metric, outcome, ej)
            for metric in (_INTRINSIC, _EXTRINSIC)
            for outcome in ("MAP rigid", "MAP relaxed")
        ),
        _Relation("EJ", _HUMAN, "MAP rigid", ej),
    ]


def _correlations(
    relations: Sequence[_Relation], sampling: Sampling
) -> tuple[list[Value], SystemSampling]:
    values: list[Value] = []
    undefined = 0
    for one in relations:
        for systems, method in ((tr("all"), None), (_METHODS["S"], "S")):
            if method and one.figure is None:
                continue
            points = one.points(method)
            about = Value(one.subtask, one.metric, against=one.against, figure=one.figure)
            found, without_value = correlated(
                replace(about, systems=systems),
                [y for _, _, y in points],
                [x for _, x, _ in points],
                sampling,
            )
            values += found
            undefined += without_value
    return values, SystemSampling(sampling.resamples, sampling.seed, undefined)


def _pairs(runs: Sequence[Row], tests: Sequence[Row]) -> tuple[GapPair, ...]:
    values = {
        name: {run["group"]: x for run in runs if (x := run[_COLUMNS[name]]) is not None}
        for name in (_INTRINSIC, _EXTRINSIC, "MAP rigid")
    }
    outcome = {group: values["MAP rigid"][group] for group in values[_EXTRINSIC]}
    levels = {frozenset((test["better"], test["worse"])): test["level"] for test in tests}
    return gap_pairs({name: values[name] for name in (_INTRINSIC, _EXTRINSIC)}, outcome, levels)


def _gap_values(pairs: Sequence[GapPair], limits: Sequence[GapLimits]) -> list[Value]:
    """Return the pooled gaps with the whole points that the paper prints.

    The necessary gap is "at least" the printed one, the safe gap "more than" it.
    """
    pooled = next(each for each in limits if each.metric == POOLED)
    runs = {run for pair in pairs for run in (pair.better, pair.worse)}
    metric = tr("BLEU (intrinsic and extrinsic)")
    both = Value("EJ", metric, against="MAP rigid", systems=tr("all"))
    values = []
    for name, found, printed, rounding in (
        (tr("necessary gap"), pooled.necessary, PUBLISHED_NECESSARY, math.floor),
        (tr("safe gap"), pooled.safe, PUBLISHED_SAFE, math.ceil),
    ):
        gap = Estimate(math.nan if found is None else found, n=len(runs))
        value = replace(both, statistic=name, estimate=gap, published=printed)
        values.append(replace(value, figure=9, rounding=rounding, tolerance=1.0))
    return values


def _sums(subtask: str, table: int, runs: Sequence[Row]) -> list[Value]:
    """Return human rating as the sum of its parts, for every judged run.

    Means of 100 whole grades have two decimals, so that nothing is rounded.
    """
    about = Value(subtask, _HUMAN, tr("sum"), against=tr("adequacy + fluency"), table=table)
    values = []
    for run in runs:
        if None not in (run["human"], run["adequacy"], run["fluency"]):
            total = Estimate(run["adequacy"] + run["fluency"], n=1)
            value = replace(about, estimate=total, published=run["human"], systems=run["group"])
            values.append(value)
    return values


def findings(je: Sequence[Row], ej: Sequence[Row], tests: Sequence[Row]) -> list[PublishedFinding]:
    """Return the findings of the paper that can be checked with published numbers."""
    return [
        _leaders("JE", je),
        _leaders("EJ", ej),
        _people_and_retrieval(ej),
        _order_of_tests(ej, tests),
        _same_order(
            tr("rigid and relaxed MAP order all runs alike"), ej, "MAP rigid", "MAP relaxed"
        ),
        _same_order(
            tr("both kinds of BLEU order all runs alike but F and G"), ej, *_BLEU, {"F", "G"}
        ),
        _rigid_topics(ej),
    ]


def _leaders(subtask: str, runs: Sequence[Row]) -> PublishedFinding:
    bleu, human = (
        max((run for run in runs if run[column] is not None), key=lambda run: run[column])
        for column in ("intrinsic_bleu", "human")
    )
    return PublishedFinding(
        tr("a statistical run leads in BLEU, a rule-based one in human rating"),
        subtask,
        bleu["method"] == "S" and human["method"] == "R",
        tr(
            "BLEU: {group} {intrinsic_bleu:.2f}; human: {other} {human:.2f}",
            group=bleu["group"],
            intrinsic_bleu=bleu["intrinsic_bleu"],
            other=human["group"],
            human=human["human"],
        ),
    )


def _people_and_retrieval(runs: Sequence[Row]) -> PublishedFinding:
    both = [run for run in runs if None not in (run["human"], run["map_rigid"])]
    best = max(both, key=lambda run: run["human"])
    lowest = min(both, key=lambda run: run["map_rigid"])
    return PublishedFinding(
        tr("the run with the best human rating has the lowest MAP rigid"),
        "EJ",
        best["group"] == lowest["group"],
        tr(
            "best human: {group} {human:.2f}; lowest MAP: {other} {map_rigid:.4f}",
            group=best["group"],
            human=best["human"],
            other=lowest["group"],
            map_rigid=lowest["map_rigid"],
        ),
    )


def _order_of_tests(runs: Sequence[Row], tests: Sequence[Row]) -> PublishedFinding:
    precision = {run["group"]: run["map_rigid"] for run in runs}
    wrong = [
        f"{test['better']}–{test['worse']}"
        for test in tests
        if precision[test["better"]] < precision[test["worse"]]
    ]
    return PublishedFinding(
        tr("the t-tests of Table 4 order every pair as MAP rigid of Table 3 does"),
        "EJ",
        not wrong,
        clauses(
            tr("{n} of {all} pairs", n=len(tests) - len(wrong), all=len(tests)),
            *([tr("not {pairs}", pairs=tuple(wrong))] if wrong else []),
        ),
    )


def _same_order(
    statement: str, runs: Sequence[Row], one: str, other: str, but: Set[str] = frozenset()
) -> PublishedFinding:
    columns = _COLUMNS[one], _COLUMNS[other]
    both = [run for run in runs if run["method"] and None not in (run[columns[0]], run[columns[1]])]
    orders = [
        [run["group"] for run in sorted(both, key=lambda run: -run[column])] for column in columns
    ]
    turned = {group for first, second in zip(*orders, strict=True) for group in {first} ^ {second}}
    named = zip((one, other), orders, strict=True)
    evidence = clauses(
        *(tr("{name}: {text}", name=name, text=" ".join(order)) for name, order in named)
    )
    return PublishedFinding(statement, "EJ", turned == but, evidence)


def _rigid_topics(runs: Sequence[Row]) -> PublishedFinding:
    """Return the possible numbers of topics in MAP rigid of the monolingual run.

    With one relevant document per topic, an average precision of at least .9 is 1, so that the mean
    over the topics that have one would be 1.
    """
    [mono] = [run for run in runs if run["group"] == "Mono"]
    return PublishedFinding(
        tr(
            "MAP rigid is averaged over the {rigid_topics} topics with a relevant document",
            rigid_topics=RIGID_TOPICS,
        ),
        "EJ",
        round(mono["map_rigid"], 4) == 1.0,
        tr(
            "Mono {map_rigid:.4f}: {rigid_topics} of {topics} topics; over {rigid_topics} "
            "it would be 1",
            map_rigid=mono["map_rigid"],
            rigid_topics=RIGID_TOPICS,
            topics=TOPICS,
        ),
    )


def _lengths_table() -> Table:
    columns = (
        Column(tr("texts")),
        Column(tr("unit")),
        *(Column(title, 1) for title in (tr("min"), tr("mean"), tr("max"))),
    )
    units = {"characters": tr("characters"), "words": tr("words")}
    rows = tuple(
        tuple({**row, "unit": units[row["unit"]]}.values()) for row in published_rows(_LENGTHS)
    )
    return Table(tr("Table 1: lengths, as printed"), columns, rows)


def _limits_table(limits: Sequence[GapLimits], gaps: Sequence[Value]) -> Table:
    columns = (
        Column("BLEU"),
        Column(tr("necessary")),
        Column(tr("necessary, published"), 0),
        Column(tr("safe above")),
        Column(tr("safe, published"), 0),
        Column(tr("pairs at 1 %"), 0),
        Column(tr("others"), 0),
        Column(tr("status")),
    )
    status = statuses(gaps)
    rows = []
    for each in limits:
        pooled = each.metric == POOLED
        necessary, safe = (value.published if pooled else None for value in gaps)
        cells = (each.significant, each.others, status if pooled else tr("not published"))
        rows.append((each.metric, each.necessary, necessary, each.safe, safe, *cells))
    return Table(
        tr("Figure 9: how much BLEU it takes to retrieve better"),
        columns,
        tuple(rows),
        tr(
            "Necessary: smallest gap of a pair whose MAP rigid differs at 1 %. Safe: largest gap "
            "of any other pair. The paper gives whole points for both kinds of BLEU together: at "
            "least 6 is necessary, more than 9 is safe."
        ),
    )


def _notes(ej: Sequence[Row], pairs: Sequence[GapPair]) -> tuple[str, ...]:
    bounds = [run for run in ej if run["map_rigid"] is not None and run["extrinsic_bleu"] is None]
    return (
        tr(
            "The gaps describe the {n} pairs of these runs; they need not hold for others.",
            n=len(pairs),
        ),
        tr(
            "Human ratings are adequacy + fluency (2 to 10) by one expert on 100 sentences; BLEU "
            "is over 822 sentences with one reference."
        ),
        *(
            tr(
                "{group}: retrieval without translation, the upper bound: MAP rigid "
                "{map_rigid:.4f}, relaxed {map_relax:.4f}. It has no BLEU and is in no pair.",
                group=run["group"],
                map_rigid=run["map_rigid"],
                map_relax=run["map_relax"],
            )
            for run in bounds
        ),
    )


def _chart(relation: _Relation) -> Scatter:
    points = sorted(relation.points(), key=lambda point: list(_METHODS).index(point[0]["method"]))
    title: str = tr(
        "{subtask}: {metric} and {against}",
        subtask=relation.subtask,
        metric=relation.metric,
        against=relation.against,
    )
    if relation.figure:
        title = tr("Figure {number}, {title}", number=relation.figure, title=title)
    return Scatter(
        title,
        relation.metric,
        relation.against,
        tuple(Point(x, y, run["group"], _METHODS[run["method"]]) for run, x, y in points),
    )


def _pair_json(pair: GapPair) -> dict[str, Any]:
    found = pair.to_json()
    gap = found.pop("outcome_gap")
    return {**found, "map_rigid_gap": gap}
