"""The report of a comparison: who leads, by how much, how surely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from patmark.data import Cell, Column, Estimate, Explorer, Intervals, Report, Table
from patmark.protocols.choice import measure_called
from patmark.protocols.comparison import Comparison, MeasureComparison, Pair
from patmark.protocols.comparison_chart import difference_chart
from patmark.protocols.comparison_notes import comparison_findings, comparison_notes
from patmark.protocols.evaluation import measure_column
from patmark.stats import ALPHA

_TEST_NAMES = {
    "randomisation": "approximate randomisation, two-sided",
    "bootstrap": "paired bootstrap (shift method), two-sided",
    "bootstrap-sacrebleu": "paired bootstrap as sacreBLEU and Moses compute it",
}
_WIDEST_MATRIX = 12
_PLAIN = "by segment, uncorrected"


def comparison_report(
    comparison: Comparison,
    title: str,
    subtitle: str,
    *,
    tables: Sequence[Table] = (),
    notes: Sequence[str] = (),
    explorer: Explorer | None = None,
) -> Report:
    """What was found, a section for each measure, then whatever else explains it."""
    measures = comparison.measures.values()
    own = [_score_table(comparison)]
    own += (table for measure in measures for table in _measure_tables(comparison, measure))
    own_notes = comparison_notes(comparison)
    if len(comparison.systems) > _WIDEST_MATRIX:
        own_notes.append(
            f"Who beats whom is shown for up to {_WIDEST_MATRIX} systems, not for "
            f"{len(comparison.systems)}; the tables of differences hold every pair."
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
        notes=(*own_notes, *notes),
        explorer=explorer,
        charts=tuple(_chart(comparison, measure) for measure in measures),
        findings=tuple(comparison_findings(comparison)),
    )


def _measure_tables(comparison: Comparison, measure: MeasureComparison) -> Iterator[Table]:
    """The section of a measure."""
    systems, detect = len(comparison.systems), comparison.settings.detect or {}
    tables = [_pair_table(measure, detect.get(measure.measure))]
    if systems > 2:
        tables.append(_ranking_table(measure))
    if 2 < systems <= _WIDEST_MATRIX:
        tables.append(_matrix(measure))
    return (replace(table, section=measure.measure) for table in tables)


def _chart(comparison: Comparison, measure: MeasureComparison) -> Intervals:
    pairs = [_better_first(measure, pair) for pair in measure.pairs]
    return difference_chart(measure, pairs, shown_decimals(measure), corrected=comparison.corrected)


def _test_signature(comparison: Comparison) -> str:
    settings = comparison.settings
    correction = "Holm over all pairs of a measure" if comparison.corrected else "none"
    tail = "|tail:Hoeffding's bound" if comparison.bounds_tail else ""
    return (
        f"{_TEST_NAMES[settings.test]}|draws:{settings.draws}{tail}|unit:{comparison.units}"
        f"|seed:{settings.sampling.seed}|correction:{correction}"
        f"|intervals:percentile bootstrap, {settings.sampling.resamples} resamples"
    )


def _score_table(comparison: Comparison) -> Table:
    measures = comparison.measures.values()
    first = next(iter(measures))
    grouped = len(comparison.systems) == 2
    columns = [Column("system")]
    for measure in measures:
        columns.append(_column(measure))
        columns += [Column(f"{measure.measure} group", 0)] * grouped
    rows: list[tuple[Cell, ...]] = []
    for system in first.ranking:
        cells: list[Cell] = [system]
        for measure in measures:
            cells.append(measure.estimates[system])
            cells += [measure.cluster_of(system)] * grouped
        rows.append(tuple(cells))
    if not grouped:
        note = f"Best first by {first.measure}. The rankings by measure hold groups and ranks."
        return Table("Scores", tuple(columns), tuple(rows), note)
    note = (
        f"Best first by {first.measure}. A system opens a group when it is significantly worse, "
        f"at {ALPHA:.0%}{' after Holm' if comparison.corrected else ''}, than one of the group "
        "above."
    )
    return Table("Scores and groups", tuple(columns), tuple(rows), note)


def _column(measure: MeasureComparison) -> Column:
    return Column(
        measure.measure, shown_decimals(measure), higher_is_better=measure.higher_is_better
    )


def shown_decimals(measure: MeasureComparison) -> int:
    """As in the tables of scores; by the size of the values where the scale is not known."""
    known = measure_called(measure.measure)
    if known is not None:
        return measure_column(known).decimals
    values = [estimate.value for estimate in measure.estimates.values()]
    return 4 if all(abs(value) <= 1 for value in values if not np.isnan(value)) else 2


def _ranking_table(measure: MeasureComparison) -> Table:
    columns = (
        Column("system"), _column(measure), Column("group", 0),
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


def _pair_table(measure: MeasureComparison, wanted: float | None) -> Table:
    decimals = shown_decimals(measure)
    columns = [
        Column("better"), Column("worse"), Column("difference", decimals),
        Column("p corrected", 4, p_value=True), Column("significant"),
        Column("p", 4, p_value=True), Column("segments won–lost–tied"),
        Column(f"p sign, {_PLAIN}", 4, p_value=True), Column(f"p t, {_PLAIN}", 4, p_value=True),
        Column(f"p Wilcoxon, {_PLAIN}", 4, p_value=True), Column("Cohen d", 2),
        Column("wins − losses", 2), Column("smallest visible difference", decimals),
        Column("units needed", 0),
    ]  # fmt: skip
    note = (
        "Smallest visible difference: what a test on as many units finds four times in five. "
        "Units needed: how many units it would take to find this difference as often."
    )
    unequal = bool(measure.unequal)
    if unequal:
        columns.append(Column("common segments", 0))
        note += " Common segments: where both systems were counted; each pair is tested on these."
    if wanted is not None:
        columns.append(Column(f"units for {wanted:g}", 0))
        note += f" Units for {wanted:g}: how many to find a difference of {wanted:g}."
    ordered = sorted(measure.pairs, key=_surest_first)
    rows = tuple(_pair_row(measure, pair, unequal) for pair in ordered)
    return Table(f"Differences by {measure.measure}", tuple(columns), rows, note)


def _surest_first(pair: Pair) -> tuple[bool, float, float]:
    """By p, then by size; pairs without a p last."""
    unknown = bool(np.isnan(pair.p))
    return unknown, 0.0 if unknown else pair.p, -abs(float(np.nan_to_num(pair.delta)))


def _pair_row(measure: MeasureComparison, pair: Pair, unequal: bool) -> tuple[Cell, ...]:
    pair = _better_first(measure, pair)
    sign = pair.sign
    interval = None if np.isnan(pair.ci[0]) else pair.ci
    difference = Estimate(pair.delta, interval, sign.wins + sign.losses + sign.ties)
    row: tuple[Cell, ...] = (
        pair.first, pair.second, difference, pair.p_holm, _verdict(measure, pair), pair.p,
        f"{sign.wins}–{sign.losses}–{sign.ties}", sign.p, pair.p_t,
        pair.p_wilcoxon, pair.effect.cohen_d, pair.effect.cliff_delta, pair.detectable,
        pair.units_needed,
    )  # fmt: skip
    row += (pair.common,) if unequal else ()
    return row if pair.units_for_detect is None else (*row, pair.units_for_detect)


def _verdict(measure: MeasureComparison, pair: Pair) -> str | None:
    if np.isnan(pair.p_holm):
        return None
    if pair.significant:
        return "yes"
    return "no" if measure.testable else "not testable"


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
