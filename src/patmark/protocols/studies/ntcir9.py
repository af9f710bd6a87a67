"""NTCIR-9 reproduced: correlations of metrics with people, checks, and findings of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from patmark.evaluation import Sampling, SystemSampling
from patmark.protocols.studies.listing import listed, listing_table, printed_only_values
from patmark.protocols.studies.ntcir9_human import (
    ACCEPTABILITY,
    ADEQUACY,
    DIRECTIONS,
    METRICS,
    SCORES,
    TABLES,
    Tables,
    adequacy_checks,
    consistency_tables,
    figures,
    ntcir9_tables,
    pairwise_checks,
)
from patmark.protocols.studies.ntcir9_sign_tests import (
    pairs_in_order,
    pairs_table,
    sign_test_tables,
    sign_tests_table,
)
from patmark.protocols.studies.reproduction import (
    PUBLISHED_ONLY,
    QUANTITY_KEYS,
    Printed,
    PublishedFinding,
    Reproduction,
    Row,
    Study,
    Value,
    answered,
    correlated,
    findings_table,
    grouped,
    published_rows,
    quantities_table,
    side_by_side_table,
    solve,
    summary,
)
from patmark.report import Column, Point, Report, Scatter, Table, clauses, sentences
from patmark.wording import tr

ALL, WITHOUT_RBMT = tr("all"), tr("without RBMT")
FIGURES_OF_METRICS = {
    20: ("CE", ALL),
    21: ("JE", ALL),
    22: ("EJ", ALL),
    23: ("JE", WITHOUT_RBMT),
    24: ("EJ", WITHOUT_RBMT),
}  # in the order of Tables 19 and 20
_SYSTEMS: dict[str, str] = {str(one): one for one in (ALL, WITHOUT_RBMT)}
_DECIMALS = {"BLEU": 4, "NIST": 3, "RIBES": 4}
_OTHERS = 3  # decimals of adequacy and of coefficients
_STATISTICS = ("spearman", "pearson")
_AGAINST = {ADEQUACY: tr("average adequacy"), ACCEPTABILITY: tr("pairwise acceptability")}
_TYPES = ("SMT", "RBMT", "HYBRID", "EBMT")  # in this order, marks are the same in all charts
_LESSON = tr(
    "Correlation depends on the types of the systems: people rate rule-based (RBMT) systems higher "
    "than BLEU and NIST do."
)
_VALIDATION_NOTE = tr(
    "Published values only: the judgements of single sentences are not public, so that these "
    "correlations cannot be reproduced."
)


def reproduce_ntcir9(sampling: Sampling | None = None) -> Reproduction:
    """Return every table and figure: reproduced values, findings and gaps of the paper."""
    sampling = sampling or Sampling()
    human = {criterion: ntcir9_tables(criterion) for criterion in (ADEQUACY, ACCEPTABILITY)}
    automatic = all_runs()
    systems = _joined(human, automatic)
    values, more, drawn = _correlations(systems, sampling)
    averages = adequacy_checks(human[ADEQUACY])
    pairwise = pairwise_checks(human[ACCEPTABILITY])
    validation = published_rows("ntcir9/validation_published.csv")
    in_order, signs = pairs_in_order(human, automatic), sign_test_tables(human)
    groups, agreement = (
        priorities(automatic, human[ADEQUACY]),
        metric_agreement(automatic, sampling),
    )
    parts = listed("ntcir9/listing.csv", [*values, *averages])
    found = findings(values, human)
    notes = (_LESSON, *_missing_notes(values), *_type_notes(human))
    report = Report(
        title=tr("NTCIR-9 PatentMT: reproduction of the published tables"),
        subtitle="Goto et al. 2011, NTCIR-9 overview",
        headlines=(),
        tables=(
            listing_table(parts),
            findings_table(found),
            *(_table(table, chosen, values) for table, chosen in ((19, ALL), (20, WITHOUT_RBMT))),
            *(
                quantities_table(
                    tr("Not in the paper: metrics and {criterion}", criterion=criterion),
                    [value for value in more if value.against == against],
                    tr(
                        "Pairwise accuracy: share of pairs of systems that the metric orders as "
                        "people do."
                    ),
                )
                for criterion, against in _AGAINST.items()
            ),
            sign_tests_table(signs),
            pairs_table(in_order),
            priorities_table(groups),
            quantities_table(
                tr("Not in the paper: agreement of metrics over all runs"),
                agreement,
                tr("Runs of one group are alike, so that the intervals are too narrow."),
            ),
            *consistency_tables(averages, pairwise),
            _validation_table(validation),
        ),
        signatures={
            "source": "Goto et al. 2011, NTCIR-9 overview",
            "intervals": drawn.signature,
        },
        notes=notes,
        charts=(
            *figures(human),
            *(
                _chart(number, subtask, metric, chosen, _systems(systems, subtask, chosen))
                for number, (subtask, chosen) in FIGURES_OF_METRICS.items()
                for metric in METRICS
            ),
        ),
    )
    result = {
        "study": "ntcir9",
        "tolerance": max(value.tolerance for value in values),
        "listing": parts,
        "rows": values,
        "more": [value.to_json(QUANTITY_KEYS) for value in more],
        "findings": found,
        "sign_tests": signs,
        "pairs_in_order": in_order,
        "priorities": groups,
        "first_is_best": first_is_best(groups),
        "metric_agreement": [value.to_json(QUANTITY_KEYS) for value in agreement],
        "consistency": averages,
        "pairwise": pairwise,
        "validation": [_validation_json(row) for row in validation],
        "notes": notes,
        "resampling": drawn.to_json(),
    }
    within = tr("within the rounding of the printed inputs")
    sentences = summary(values, within, printed_only_values(parts))
    return Reproduction(result, answered(report, sentences, found))


STUDY = Study(reproduce_ntcir9)


def _joined(human: Mapping[str, Tables], automatic: Tables) -> dict[str, list[Row]]:
    """Return each system with its automatic scores under the names of the metrics, and its type.

    The type is that of the adequacy table; acceptability was judged for some of them only.
    """
    joined = {}
    for subtask, rows in human[ADEQUACY].items():
        scores = {row["system"]: row for row in automatic[subtask]}
        accepted = {row["system"]: row["pairwise"] for row in human[ACCEPTABILITY][subtask]}
        joined[subtask] = [
            {
                **row,
                **{metric: scores[row["system"]][metric.lower()] for metric in METRICS},
                "pairwise": accepted.get(row["system"]),
            }
            for row in rows
        ]
    return joined


def _correlations(
    systems: Tables, sampling: Sampling
) -> tuple[list[Value], list[Value], SystemSampling]:
    printed = published_rows("ntcir9/meta_published.csv")
    solved = _solved(printed, systems)
    values: list[Value] = []
    undefined = 0
    relations = [(row, criterion) for criterion in SCORES for row in printed]
    for row, criterion in relations:
        subtask, metric = row["subtask"], row["item"]
        judged = [one for one in _chosen(systems, row) if one[SCORES[criterion]] is not None]
        known = [one for one in judged if one[metric] is not None]
        about = Value(
            subtask,
            metric,
            against=_AGAINST[criterion],
            systems=_SYSTEMS[row["systems"]],
            table=row["table"],
            missing=tuple(one["system"] for one in judged if one[metric] is None),
            solved=solved.get((subtask, metric)) if criterion == ADEQUACY else None,
        )
        found, without_value = correlated(
            about,
            [one[SCORES[criterion]] for one in known],
            [one[metric] for one in known],
            sampling,
            {name: row[name] for name in _STATISTICS} if criterion == ADEQUACY else None,
            (_OTHERS, _DECIMALS[metric], _OTHERS),
        )
        values += found
        undefined += without_value
    compared = [value for value in values if value.published is not None]
    more = [value for value in values if value.published is None]
    return compared, more, SystemSampling(sampling.resamples, sampling.seed, undefined)


def _chosen(systems: Tables, row: Row) -> list[Row]:
    return _systems(systems, row["subtask"], row["systems"])


def _systems(systems: Tables, subtask: str, chosen: str) -> list[Row]:
    return [one for one in systems[subtask] if chosen == ALL or one["type"] != "RBMT"]


def _solved(
    printed: Sequence[Row], systems: Tables
) -> dict[tuple[str, str], tuple[float, float] | None]:
    """Return the numbers of a missing metric that give all printed coefficients."""
    equations: dict[tuple[str, str], list[Printed]] = {}
    for row in printed:
        chosen, metric = _chosen(systems, row), row["item"]
        scores = [float("nan") if one[metric] is None else one[metric] for one in chosen]
        if sum(one[metric] is None for one in chosen) == 1:
            gold = [one["average"] for one in chosen]
            equations.setdefault((row["subtask"], metric), []).extend(
                Printed(name, gold, scores, row[name]) for name in _STATISTICS
            )
    return {
        place: solve(found, 10.0 ** -_DECIMALS[place[1]], _OTHERS)
        for place, found in equations.items()
    }


def findings(values: Sequence[Value], human: Mapping[str, Tables]) -> list[PublishedFinding]:
    """Return the statements of the paper that its tables can confirm or refute."""
    accepted = human[ACCEPTABILITY]
    return [
        _understood("CE", tr("the best system"), "79.7", accepted["CE"]),
        _understood("JE", tr("the best system"), "63", accepted["JE"]),
        _understood(
            "JE", tr("the best SMT"), "25", [row for row in accepted["JE"] if row["type"] == "SMT"]
        ),
        _understood("EJ", tr("the best system"), "60", accepted["EJ"]),
        *(_top_five(subtask, human[ADEQUACY][subtask]) for subtask in ("JE", "EJ")),
        _all_values(
            tr("every metric correlates with adequacy, above .89"),
            [value for value in values if value.subject == "CE"],
            lambda value: value > 0.89,
        ),
        *(
            _all_values(
                tr("beside RBMT {statement}", statement=statement),
                [
                    value
                    for value in values
                    if value.subject == subtask and value.systems == ALL and value.metric in metrics
                ],
                holds,
            )
            for subtask in ("JE", "EJ")
            for statement, metrics, holds in (
                (
                    tr("BLEU and NIST do not correlate with adequacy"),
                    METRICS[:2],
                    lambda value: value < 0.1,
                ),
                (tr("RIBES does, .58 to .72"), METRICS[2:], lambda value: 0.575 < value < 0.725),
            )
        ),
        _without_rbmt(values),
    ]


def _understood(subtask: str, who: str, printed: str, rows: Sequence[Row]) -> PublishedFinding:
    """Return the share of sentences that can be understood: grade C or higher."""
    best = max(rows, key=lambda row: row["rate_C_or_higher"])
    percent = 100 * best["rate_C_or_higher"]
    decimals = len(printed.partition(".")[2])
    return PublishedFinding(
        tr("{printed} % of the sentences of {who} can be understood", printed=printed, who=who),
        subtask,
        f"{percent:.{decimals}f}" == printed,
        tr("{system}: {percent:.1f} % are C or higher", system=best["system"], percent=percent),
    )


def _top_five(subtask: str, rows: Sequence[Row]) -> PublishedFinding:
    ranked = sorted(rows, key=lambda row: -row["average"])[:5]
    found = [row["system"] for row in ranked if row["type"] == "RBMT"]
    return PublishedFinding(
        tr("RBMT systems are among the five best in adequacy"),
        subtask,
        bool(found),
        tr("{n} of 5: {found}", n=len(found), found=tuple(found)),
    )


def _all_values(
    statement: str, values: Sequence[Value], holds: Callable[[float], bool]
) -> PublishedFinding:
    printed = [value.published for value in values if value.published is not None]
    evidence = tr("{min:.3f} to {max:.3f}", min=min(printed), max=max(printed))
    return PublishedFinding(statement, values[0].subject, all(map(holds, printed)), evidence)


def _without_rbmt(values: Sequence[Value]) -> PublishedFinding:
    printed = {
        (one.subject, one.metric, one.statistic, one.systems): one.published or 0.0
        for one in values
    }
    pairs = [
        (printed[subtask, metric, statistic, ALL], without)
        for (subtask, metric, statistic, systems), without in printed.items()
        if systems == WITHOUT_RBMT
    ]
    risen = sum(without > with_all for with_all, without in pairs)
    return PublishedFinding(
        tr("without RBMT systems all correlations rise"),
        "JE, EJ",
        risen == len(pairs),
        tr("{risen} of {n} correlations rise", risen=risen, n=len(pairs)),
    )


def _table(number: int, systems: str, values: Sequence[Value]) -> Table:
    return side_by_side_table(
        tr(
            "Table {number}: average adequacy and metrics, systems: {systems}",
            number=number,
            systems=systems,
        ),
        [value for value in values if value.table == number],
        tr("n and the intervals (95 %, over systems) are not in the paper."),
    )


def _validation_table(rows: Sequence[Row]) -> Table:
    names = (tr("table"), tr("subtask"), tr("criterion"), tr("between"))
    columns = (*map(Column, names), Column(tr("Pearson, published"), 3))
    cells = tuple(
        (
            tr("Table {number}", number=row["table"]),
            row["subtask"],
            row["criterion"],
            row["between"],
            row["pearson"],
        )
        for row in rows
    )
    return Table(tr("Tables 17 and 18: validation"), columns, cells, _VALIDATION_NOTE)


def _validation_json(row: Row) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("table", "subtask", "criterion", "between")},
        "statistic": "pearson",
        "published": row["pearson"],
        "recomputed": None,
        "status": PUBLISHED_ONLY,
    }


def _missing_notes(values: Sequence[Value]) -> list[str]:
    lacking = grouped((one for one in values if one.missing), lambda one: (one.subject, one.metric))
    notes = []
    for (subtask, metric), found in lacking.items():
        computed = [
            tr(
                "{statistic}, {systems}, n = {n}: {value:.3f} (printed {published:.3f})",
                statistic=one.statistic,
                systems=one.systems,
                n=one.estimate.n,
                value=one.estimate.value,
                published=one.published,
            )
            for one in found
            if one.estimate
        ]
        ends = ""
        if found[0].solved:
            low, high = found[0].solved
            ends = tr(
                "Any {metric} from {low:g} to {high:g} gives all printed values.",
                metric=metric,
                low=low,
                high=high,
            )
        notes.append(
            sentences(
                tr(
                    "{subtask} {metric}: the {metric} of {missing} is not readable in the source "
                    "and is not guessed.",
                    subtask=subtask,
                    metric=metric,
                    missing=tuple(found[0].missing),
                ),
                ends,
                tr("Without this system: {computed}.", computed=clauses(*computed)),
            )
        )
    return notes


def _type_notes(human: Mapping[str, Tables]) -> list[str]:
    notes: list[str] = []
    for subtask in DIRECTIONS:
        types = {row["system"]: row["type"] for row in human[ADEQUACY][subtask]}
        first, second = (TABLES[criterion][subtask] for criterion in (ADEQUACY, ACCEPTABILITY))
        notes += [
            tr(
                "{subtask} {system}: {taken} in Table {first} (taken here), {type} in Table "
                "{second}.",
                subtask=subtask,
                system=row["system"],
                taken=types[row["system"]],
                first=first,
                type=row["type"],
                second=second,
            )
            for row in human[ACCEPTABILITY][subtask]
            if row["type"] != types[row["system"]]
        ]
    return notes


def _chart(number: int, subtask: str, metric: str, chosen: str, systems: Sequence[Row]) -> Scatter:
    points = tuple(
        Point(one[metric], one["average"], one["system"], one["type"])
        for one in sorted(systems, key=lambda one: _TYPES.index(one["type"]))
        if one[metric] is not None
    )
    missing = tuple(one["system"] for one in systems if one[metric] is None)
    note = tr(
        "Not shown, as its {metric} is not readable in the source: {missing}.",
        metric=metric,
        missing=missing,
    )
    title = tr(
        "Figure {number}, {direction}: {metric} and average adequacy, systems: {systems}",
        number=number,
        direction=DIRECTIONS[subtask],
        metric=metric,
        systems=chosen,
    )
    shown = note if missing else ""
    return Scatter(
        title, metric, _AGAINST[ADEQUACY], points, shown, tr("Figures 20–24: metrics and adequacy")
    )


RUN_TABLES = {"CE": 21, "JE": 22, "EJ": 23}
ALL_RUNS = tr("all runs")
_COLUMNS = {ADEQUACY: SCORES[ADEQUACY], **{metric: metric.lower() for metric in METRICS}}


def all_runs() -> dict[str, list[Row]]:
    """Return every printed run by subtask, named by group and priority.

    A name that is printed twice gets a number: Table 23 has BJTUX-1 twice.
    """
    tables = {}
    for subtask in DIRECTIONS:
        seen: Counter[str] = Counter()
        rows = []
        for row in published_rows(f"ntcir9/all_runs_{subtask}.csv"):
            name = f"{row['group']}-{row['priority']}"
            seen[name] += 1
            rows.append({**row, "system": name if seen[name] == 1 else f"{name} ({seen[name]})"})
        tables[subtask] = rows
    return tables


def priorities(runs: Tables, adequacy: Tables) -> list[Row]:
    """Return groups with several runs, and their best run by each score.

    The run of priority 1 comes first. A score is None if fewer than two runs have it, or if one
    lacks an illegible metric.
    """
    found = []
    for subtask, rows in runs.items():
        judged = {row["system"]: row[SCORES[ADEQUACY]] for row in adequacy[subtask]}
        groups: dict[str, list[Row]] = {}
        for row in sorted(rows, key=lambda row: row["priority"]):
            scored = {**row, SCORES[ADEQUACY]: judged.get(row["system"])}
            groups.setdefault(row["group"], []).append(scored)
        for group, own in sorted(groups.items()):
            if len(own) > 1:
                best = {score: _best(own, score, column) for score, column in _COLUMNS.items()}
                named = tuple(run["system"] for run in own)
                found.append({"subtask": subtask, "group": group, "runs": named, "best": best})
    return found


def _best(runs: Sequence[Row], score: str, column: str) -> str | None:
    """Return the run with the highest score; of several, the one of higher priority."""
    known = [run for run in runs if run[column] is not None]
    if len(known) < 2 or (score != ADEQUACY and len(known) < len(runs)):
        return None
    best: str = max(known, key=lambda run: run[column])["system"]
    return best


def priorities_table(found: Sequence[Row]) -> Table:
    """Return the number of runs and the best run by each score for each group."""
    columns = (
        Column(tr("subtask")),
        Column(tr("group")),
        Column(tr("runs"), 0),
        *(Column(tr("best {score}", score=score)) for score in _COLUMNS),
    )
    rows = tuple(
        (one["subtask"], one["group"], len(one["runs"]), *one["best"].values()) for one in found
    )
    counts = tuple(
        tr("{score} {good} of {n}", score=score, good=good, n=n)
        for score, (good, n) in first_is_best(found).items()
    )
    return Table(
        tr("Is priority 1 the best run of a group?"),
        columns,
        rows,
        tr(
            "Groups whose run of priority 1 is the best: {counts}. No value: fewer than two runs "
            "were judged, or a NIST is not legible.",
            counts=counts,
        ),
    )


def first_is_best(found: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return the number of groups with their best run at priority 1, and of all, by score."""
    counts = {}
    for score in _COLUMNS:
        known = [one for one in found if one["best"][score] is not None]
        good = sum(one["best"][score] == one["runs"][0] for one in known)
        counts[score] = (good, len(known))
    return counts


def metric_agreement(runs: Tables, sampling: Sampling) -> list[Value]:
    """Return the agreement of each two metrics over all runs that have both."""
    values = []
    for subtask, rows in runs.items():
        for first, second in combinations(METRICS, 2):
            scores: list[Mapping[str, float]] = [
                row for row in rows if None not in (row[first.lower()], row[second.lower()])
            ]
            found, _ = correlated(
                Value(subtask, second, against=first, systems=ALL_RUNS),
                [row[first.lower()] for row in scores],
                [row[second.lower()] for row in scores],
                sampling,
            )
            values += found
    return values
