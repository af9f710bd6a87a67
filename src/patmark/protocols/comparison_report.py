"""The report of a comparison: who leads, by how much, how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from patmark.data import Cell, Column, Estimate, Explorer, Report, Table
from patmark.protocols.comparison import Comparison, MeasureComparison, Pair
from patmark.stats import ALPHA

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
    notes: Sequence[str] = (),
    explorer: Explorer | None = None,
) -> Report:
    """Tables of the comparison, then whatever else explains it."""
    measures = comparison.measures.values()
    own = [_score_table(comparison), *map(_pair_table, measures)]
    if 2 < len(comparison.systems) <= _WIDEST_MATRIX:
        own += map(_matrix, measures)
    if len(comparison.systems) > 2:
        own += map(_ranking_table, measures)
    return Report(
        title=title,
        subtitle=subtitle,
        headlines=(),
        tables=(*own, *tables),
        signatures={
            "test": _test_signature(comparison),
            **{name: measure.signature for name, measure in comparison.measures.items()},
        },
        notes=(*map(_sentence, comparison.measures.values()), *_warnings(comparison), *notes),
        explorer=explorer,
    )


def _test_signature(comparison: Comparison) -> str:
    settings = comparison.settings
    correction = "Holm over all pairs of a measure" if comparison.corrected else "none"
    trials = settings.trials if settings.test == "randomisation" else settings.sampling.resamples
    return (
        f"{_TEST_NAMES[settings.test]}|draws:{trials}|unit:{comparison.units}"
        f"|seed:{settings.sampling.seed}|correction:{correction}"
        f"|intervals:percentile bootstrap, {settings.sampling.resamples} resamples"
    )


def _score_table(comparison: Comparison) -> Table:
    measures = comparison.measures.values()
    first = next(iter(measures))
    columns = [Column("system")]
    for measure in measures:
        columns += [_column(measure.measure, measure), Column("group", 0)]
    rows: list[tuple[Cell, ...]] = []
    for system in first.ranking:
        cells: list[Cell] = [system]
        for measure in measures:
            cells += [measure.estimates[system], measure.cluster_of(system)]
        rows.append(tuple(cells))
    note = (
        f"Best first by {first.measure}. Systems of one group cannot be told apart at "
        f"{ALPHA:.0%}{', after Holm' if comparison.corrected else ''}."
    )
    return Table("Scores and groups", tuple(columns), tuple(rows), note)


def _column(title: str, measure: MeasureComparison) -> Column:
    values = [estimate.value for estimate in measure.estimates.values()]
    small = all(abs(value) <= 1 for value in values if not np.isnan(value))
    return Column(title, 4 if small else 2, higher_is_better=measure.higher_is_better)


def _decimals(measure: MeasureComparison) -> int:
    return _column("", measure).decimals


def _ranking_table(measure: MeasureComparison) -> Table:
    columns = (
        Column("system"), _column(measure.measure, measure), Column("group", 0),
        Column("best rank", 0), Column("worst rank", 0),
    )  # fmt: skip
    rows = tuple(
        (
            system, measure.estimates[system], measure.cluster_of(system),
            *measure.rank_ranges[system],
        )
        for system in measure.ranking
    )  # fmt: skip
    return Table(f"Ranking by {measure.measure}", columns, rows)


def _pair_table(measure: MeasureComparison) -> Table:
    decimals = _decimals(measure)
    columns = (
        Column("better"), Column("worse"), Column("difference", decimals), Column("p", 4),
        Column("p corrected", 4), Column("significant"), Column("segments won–lost–tied"),
        Column("p sign", 4), Column("p t", 4), Column("p Wilcoxon", 4), Column("Cohen d", 2),
        Column("Cliff δ", 2), Column("smallest visible difference", decimals),
        Column("units needed", 0),
    )  # fmt: skip
    ordered = sorted(measure.pairs, key=lambda pair: (pair.p, -abs(pair.delta)))
    return Table(
        f"Differences by {measure.measure}", columns,
        tuple(_pair_row(measure, pair) for pair in ordered),
        "Smallest visible difference: what a test on as many units finds four times in five. "
        "Units needed: how many units it would take to find this difference as often.",
    )  # fmt: skip


def _pair_row(measure: MeasureComparison, pair: Pair) -> tuple[Cell, ...]:
    pair = _better_first(measure, pair)
    return (
        pair.first, pair.second, Estimate(pair.delta, pair.ci), pair.p, pair.p_holm,
        "yes" if pair.significant else "no",
        f"{pair.sign.wins}–{pair.sign.losses}–{pair.sign.ties}", pair.sign.p, pair.p_t,
        pair.p_wilcoxon, pair.effect.cohen_d, pair.effect.cliff_delta, pair.detectable,
        pair.units_needed if np.isfinite(pair.units_needed) else None,
    )  # fmt: skip


def _better_first(measure: MeasureComparison, pair: Pair) -> Pair:
    """The same pair with the better system named first."""
    ahead = pair.delta if measure.higher_is_better else -pair.delta
    if not ahead < 0:
        return pair
    sign = replace(pair.sign, wins=pair.sign.losses, losses=pair.sign.wins)
    effect = replace(
        pair.effect, cohen_d=-pair.effect.cohen_d, cliff_delta=-pair.effect.cliff_delta,
        win_rate=1 - pair.effect.win_rate,
    )  # fmt: skip
    return replace(
        pair, first=pair.second, second=pair.first, delta=-pair.delta,
        ci=(-pair.ci[1], -pair.ci[0]), sign=sign, effect=effect,
    )  # fmt: skip


def _matrix(measure: MeasureComparison) -> Table:
    """Who beats whom: ≫ at 1 %, > at 5 %, after correction; read along the row."""
    marks: dict[tuple[str, str], str] = {}
    for pair in measure.pairs:
        first = _better_first(measure, pair)
        mark = "≫" if pair.p_holm <= 0.01 else ">" if pair.significant else "–"
        marks[first.first, first.second] = mark
        marks[first.second, first.first] = "–" if mark == "–" else ""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (row, *(marks.get((row, column), "") for column in measure.ranking))
        for row in measure.ranking
    )
    return Table(
        f"Who beats whom by {measure.measure}",
        (Column("system"), *(Column(system) for system in measure.ranking)),
        rows, "≫ at 1 %, > at 5 %, – not significant; the row beats the column.",
    )  # fmt: skip


def _sentence(measure: MeasureComparison) -> str:
    """What the comparison found, in words."""
    groups = [", ".join(members) for members in measure.clusters]
    if len(groups) == 1:
        return f"{measure.measure} does not tell the systems apart."
    return f"{measure.measure} tells {len(groups)} groups apart, best first: {' | '.join(groups)}."


def _warnings(comparison: Comparison) -> list[str]:
    settings = comparison.settings
    pairs = len(comparison.systems) * (len(comparison.systems) - 1) // 2
    trials = settings.trials if settings.test == "randomisation" else settings.sampling.resamples
    warnings = []
    if comparison.corrected and pairs / (trials + 1) > ALPHA:
        warnings.append(
            f"With {pairs} pairs, Holm cannot reach {ALPHA:.0%} from {trials} draws; take at "
            f"least {int(np.ceil(pairs / ALPHA))}."
        )
    if comparison.units.kind == "document" and comparison.units.count < 20:
        warnings.append(
            f"Only {comparison.units.count} documents are drawn from; intervals may be too narrow."
        )
    return warnings
