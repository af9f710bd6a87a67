"""Tables of the validation of evaluators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from patmark.data import Estimate, criterion_name
from patmark.human.judgements.validation import CriterionValidation, Sides
from patmark.report import Cell, Column, Table, sentences
from patmark.stats import CorrelationSpread, EvaluatorBias, PairAgreement
from patmark.wording import tr

_KAPPAS = (
    Column(tr("exact"), 3),
    Column(tr("within one"), 3),
    Column("κ", 3),
    Column(tr("κ linear"), 3),
    Column(tr("κ quadratic"), 3),
)


_COUNTS = 4  # the first columns of the summary, which are always present
_LEVELS = {"nominal": tr("nominal"), "ordinal": tr("ordinal"), "interval": tr("interval")}


def evaluator_tables(validations: Sequence[CriterionValidation]) -> tuple[list[Table], list[Table]]:
    """Return a summary, if not empty, and all details."""
    if not validations:
        return [], []
    agreement = _agreement_table(validations)
    details = [agreement] if agreement.rows else []
    for one in validations:
        details += [table for table in (_pair_table(one), _bias_table(one)) if table.rows]
        details += [_repeat_table(one)] if one.repeats else []
        details += [_side_table(one)] if one.sides else []
    details += [_ceiling_table(one) for one in validations if one.ceiling]
    return [_summary(validations)], details


def _summary(validations: Sequence[CriterionValidation]) -> Table:
    """Summarise numbers and agreement of evaluators, without columns that have no value."""
    columns = (
        Column(tr("criterion")),
        Column(tr("evaluators"), 0),
        Column(tr("segments"), 0),
        Column(tr("common"), 0),
        Column(tr("Krippendorff α"), 3),
        Column(tr("split-half r"), 3),
        Column(tr("random splits"), 3),
        Column(tr("Spearman–Brown"), 3),
        Column(tr("between two")),
    )
    rows = [_summary_row(one) for one in validations]
    kept = [at for at in range(len(columns)) if any(row[at] is not None for row in rows)]
    return Table(
        tr("Evaluators"),
        tuple(columns[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
        ""
        if len(kept) == _COUNTS
        else tr(
            "Common segments were judged by two evaluators or more; α is of these. Half split: "
            "pairwise scores of the systems on half of everyone's segments against the other half, "
            "in the order of the segments and over random splits; the brackets hold the middle "
            "95 % of the splits and are no confidence interval. Between two: the same for each two "
            "evaluators on their own segments, lowest and highest r."
        ),
    )


def _summary_row(one: CriterionValidation) -> tuple[Cell, ...]:
    split = one.half_split
    known = [pair.pearson for pair in one.between if not np.isnan(pair.pearson)]
    return (
        criterion_name(one.criterion),
        len(one.evaluators),
        one.segments,
        one.common_segments,
        _alpha_cell(one),
        split.in_order if split else None,
        _spread_cell(split.random) if split else None,
        split.spearman_brown if split else None,
        _range(known),
    )


def _range(values: Sequence[float]) -> str | None:
    """Write the lowest and the highest value, or the only one."""
    ends = dict.fromkeys(f"{value:.3f}" for value in (min(values), max(values))) if values else ()
    if len(ends) == 2:
        low, high = ends
        return tr("{low} to {high}", low=low, high=high)
    return next(iter(ends), None)


def _alpha_cell(one: CriterionValidation) -> Estimate | None:
    if one.agreement is None:
        return None
    alpha = one.agreement.alpha
    return Estimate(alpha.value, alpha.ci, alpha.items)


def _agreement_table(validations: Sequence[CriterionValidation]) -> Table:
    columns = (
        Column(tr("criterion")),
        Column(tr("judgements"), 0),
        Column(tr("common segments"), 0),
        Column(tr("common outputs"), 0),
        Column(tr("exact"), 3),
        Column(tr("within one"), 3),
        Column(tr("Fleiss κ"), 3),
        Column(tr("Krippendorff α"), 3),
        Column(tr("level")),
        Column(tr("drawn by")),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in validations:
        if one.agreement is None:
            continue
        percent, alpha = one.agreement.percent, one.agreement.alpha
        rows.append(
            (
                criterion_name(one.criterion),
                one.judgements,
                one.agreement.segments,
                alpha.items,
                percent.exact if percent else None,
                percent.within_one if percent else None,
                one.agreement.fleiss,
                _alpha_cell(one),
                _LEVELS[alpha.level],
                alpha.unit,
            )
        )
    return Table(
        tr("Agreement on common segments"),
        columns,
        tuple(rows),
        tr(
            "Exact and within one: the share of pairs of grades for one output that are equal, or "
            "at most one step of the scale apart."
        ),
    )


def _spread_cell(spread: CorrelationSpread) -> Estimate:
    return Estimate(spread.mean, spread.interval, spread.splits - spread.undefined)


def _pair_table(one: CriterionValidation) -> Table:
    """Compare every two evaluators: correlation on their own segments, agreement on common ones."""
    agreed = {(pair.first, pair.second): pair for pair in _pairs(one)}
    ranked = {(pair.first, pair.second): pair for pair in one.between}
    columns = [Column(tr("evaluator")), Column(tr("other"))]
    if ranked:
        columns += [
            Column(tr("r of pairwise scores"), 3),
            Column(tr("segments")),
            Column(tr("common segments"), 0),
        ]
    rows = []
    for first, second in combinations(range(len(one.evaluators)), 2):
        cells: list[Cell] = [one.evaluators[first], one.evaluators[second]]
        if pair := ranked.get((first, second)):
            cells += [pair.pearson, "–".join(map(str, pair.segments)), pair.common]
        rows.append((*cells, *_agreement_cells(agreed.get((first, second)))))
    return Table(
        tr("Evaluators against each other: {criterion}", criterion=criterion_name(one.criterion)),
        (*columns, Column(tr("common outputs"), 0), *_KAPPAS),
        tuple(rows),
        sentences(
            tr("κ compares grades of the same outputs."),
            tr("r compares how the two rank the systems, each on their own segments.")
            if ranked
            else "",
        ),
    )


def _pairs(one: CriterionValidation) -> Sequence[PairAgreement]:
    return one.agreement.pairs or () if one.agreement else ()


def _agreement_cells(pair: PairAgreement | None) -> tuple[Cell, ...]:
    if pair is None or not pair.items:
        return (0, None, None, None, None, None)
    return (
        pair.items,
        pair.exact,
        pair.within_one,
        Estimate(pair.kappa, pair.kappa_ci, pair.items),
        Estimate(pair.kappa_linear, pair.kappa_linear_ci, pair.items),
        Estimate(pair.kappa_quadratic, pair.kappa_quadratic_ci, pair.items),
    )


def _bias_table(one: CriterionValidation) -> Table:
    averaged = one.scale.kind == "interval"
    columns = [Column(tr("evaluator")), Column(tr("judgements"), 0)]
    if averaged:
        columns += [
            Column(tr("mean"), 2),
            Column(tr("sd"), 2),
            Column(tr("difference to others"), 2),
        ]
    columns += [Column(tr("lenience"), 2), Column(tr("common outputs"), 0)]
    grades = () if one.scale.continuous else one.scale.values
    columns += [Column(value, 3) for value in grades]
    columns += [Column(tr("drift"), 2)] if averaged else []
    columns += [Column(tr("drift r"), 2), Column(tr("p drift"), 4, p_value=True)]
    rows = tuple(_bias_row(one, bias, averaged) for bias in one.bias)
    apart = [one.evaluators[bias.evaluator] for bias in one.bias if not bias.common]
    note = sentences(
        tr(
            "Lenience: of the grades for outputs that others graded too, the share above theirs "
            "minus the share below. Grades: the share of each."
        ),
        tr(
            "Drift: the trend over the evaluator's segments in the order of the file, from first "
            "to last."
        )
        if averaged
        else tr("Drift: the trend over the evaluator's segments in the order of the file."),
    )
    if averaged and apart and len(one.bias) > 1:
        without_common = tr(
            "{names} share no output with others: the difference holds that of the data as well.",
            names=tuple(apart),
        )
        note = sentences(note, without_common)
    return Table(
        tr("Each evaluator: {criterion}", criterion=criterion_name(one.criterion)),
        tuple(columns),
        rows,
        note,
    )


def _bias_row(one: CriterionValidation, bias: EvaluatorBias, averaged: bool) -> tuple[Cell, ...]:
    cells: list[Cell] = [one.evaluators[bias.evaluator], bias.items]
    cells += [bias.mean, bias.sd, bias.difference] if averaged else []
    cells += [bias.lenience, bias.common]
    cells += [count / bias.items for count in bias.counts]
    drift = bias.drift
    cells += [drift.change if drift else None] if averaged else []
    cells += [drift.standardised, drift.p] if drift else [None, None]
    return tuple(cells)


def _repeat_table(one: CriterionValidation) -> Table:
    columns = (Column(tr("evaluator")), Column(tr("repeated outputs"), 0), *_KAPPAS)
    rows = tuple((one.evaluators[pair.first], *_agreement_cells(pair)) for pair in one.repeats)
    return Table(
        tr("Evaluators against themselves: {criterion}", criterion=criterion_name(one.criterion)),
        columns,
        rows,
    )


def _side_table(one: CriterionValidation) -> Table:
    columns: dict[Column, str | Callable[[Sides], Cell]] = {
        Column(tr("evaluator")): lambda side: one.evaluators[side.evaluator],
        Column(tr("chose the first"), 0): "test.wins",
        Column(tr("the second"), 0): "test.losses",
        Column(tr("neither"), 0): "test.ties",
        Column(tr("p sides"), 4, p_value=True): "test.p",
    }
    title = tr("First or second: {criterion}", criterion=criterion_name(one.criterion))
    note = tr("Effect of the side on which an output was shown: two-sided sign test.")
    return Table.of_records(title, one.sides, columns, note)


def _ceiling_table(one: CriterionValidation) -> Table:
    columns = (
        Column(tr("evaluators")),
        Column(tr("r over systems"), 3),
        Column(tr("r over outputs"), 3),
        Column(tr("outputs")),
    )
    ceiling = one.ceiling
    if ceiling is None:
        return Table("", columns, ())
    items = "–".join(map(str, dict.fromkeys(ceiling.items)))
    rows: list[tuple[Cell, ...]] = [
        (tr("bound for a metric"), ceiling.system_bound, ceiling.segment_bound, items),
        (tr("one half against the other"), ceiling.system.mean, ceiling.segment.mean, items),
    ]
    rows += [
        (
            tr("{evaluator} against the others", evaluator=one.evaluators[each.rater]),
            each.system,
            each.segment,
            str(each.items),
        )
        for each in ceiling.leave_one_out
    ]
    splits = tr("all") if ceiling.all_splits else tr("{n} random", n=ceiling.system.splits)
    scores = tr("pairwise scores") if one.scale.kind == "ordinal" else tr("mean grades")
    return Table(
        tr("Human ceiling: {criterion}", criterion=criterion_name(one.criterion)),
        columns,
        tuple(rows),
        tr(
            "Pearson's r between {scores}; of halves the mean over {splits} splits "
            "of the evaluators, on outputs that both sides graded. A half is noisy "
            "on both sides of this r. The bound is what a metric can be expected to "
            "reach at most against the mean of all evaluators: the root of that "
            "mean's reliability, 2r / (1 + r) by Spearman–Brown.",
            scores=scores,
            splits=splits,
        ),
    )
