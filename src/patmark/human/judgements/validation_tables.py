"""Tables of the validation of evaluators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from patmark.data import Estimate, criterion_name
from patmark.human.judgements.validation import CriterionValidation
from patmark.report import Cell, Column, Table, sentences
from patmark.stats import EvaluatorBias, PairAgreement
from patmark.wording import tr

_Columns: TypeAlias = dict[Column, str | Callable[[Any], Cell]]
_COUNTS = 4  # the first columns of the summary, which are always present
_LEVELS = {"nominal": tr("nominal"), "ordinal": tr("ordinal"), "interval": tr("interval")}


def evaluator_tables(validations: Sequence[CriterionValidation]) -> tuple[list[Table], list[Table]]:
    """Return a summary, if not empty, and all details."""
    if not validations:
        return [], []
    details = [_agreement_table([one for one in validations if one.agreement])]
    for one in validations:
        details += [_pair_table(one), _bias_table(one), _repeat_table(one), _side_table(one)]
    details += [_ceiling_table(one) for one in validations if one.ceiling]
    return [_summary(validations)], [table for table in details if table.rows]


def _summary(validations: Sequence[CriterionValidation]) -> Table:
    """Summarise numbers and agreement of evaluators, without columns that have no value."""
    columns: _Columns = {
        Column(tr("criterion")): _criterion,
        Column(tr("evaluators"), 0): lambda one: len(one.evaluators),
        Column(tr("segments"), 0): "segments",
        Column(tr("common"), 0): "common_segments",
        Column(tr("Krippendorff α"), 3): _alpha_cell,
        Column(tr("split-half r"), 3): lambda one: one.half_split and one.half_split.in_order,
        Column(tr("random splits"), 3): _spread_cell,
        Column(tr("Spearman–Brown"), 3): (
            lambda one: one.half_split and one.half_split.spearman_brown
        ),
        Column(tr("between two")): _range,
    }
    table = Table.of_records(tr("Evaluators"), validations, columns)
    kept = [at for at, cells in enumerate(zip(*table.rows, strict=True)) if {*cells} != {None}]
    return Table(
        table.title,
        tuple(table.columns[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in table.rows),
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


def _criterion(one: CriterionValidation) -> str:
    return criterion_name(one.criterion)


def _range(one: CriterionValidation) -> str | None:
    """Write the lowest and the highest correlation of two evaluators, or the only one."""
    values = [pair.pearson for pair in one.between if not np.isnan(pair.pearson)]
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


def _spread_cell(one: CriterionValidation) -> Estimate | None:
    if one.half_split is None:
        return None
    spread = one.half_split.random
    return Estimate(spread.mean, spread.interval, spread.splits - spread.undefined)


def _agreement_table(validations: Sequence[CriterionValidation]) -> Table:
    columns: _Columns = {
        Column(tr("criterion")): _criterion,
        Column(tr("judgements"), 0): "judgements",
        Column(tr("common segments"), 0): "agreement.segments",
        Column(tr("common outputs"), 0): "agreement.alpha.items",
        Column(tr("exact"), 3): lambda one: one.agreement.percent and one.agreement.percent.exact,
        Column(tr("within one"), 3): (
            lambda one: one.agreement.percent and one.agreement.percent.within_one
        ),
        Column(tr("Fleiss κ"), 3): "agreement.fleiss",
        Column(tr("Krippendorff α"), 3): _alpha_cell,
        Column(tr("level")): lambda one: _LEVELS[one.agreement.alpha.level],
        Column(tr("drawn by")): "agreement.alpha.unit",
    }
    note = tr(
        "Exact and within one: the share of pairs of grades for one output that are equal, or "
        "at most one step of the scale apart."
    )
    return Table.of_records(tr("Agreement on common segments"), validations, columns, note)


def _kappa_columns(outputs: str, pair_of: Callable[[Any], PairAgreement | None]) -> _Columns:
    """Return the columns of two evaluators, or of one and the same: outputs, shares and kappas."""

    def shown(name: str) -> Callable[[Any], Cell]:
        def cell(record: Any) -> Cell:
            pair = pair_of(record)
            return getattr(pair, name) if pair and pair.items else None

        return cell

    def kappa(name: str) -> Callable[[Any], Cell]:
        def cell(record: Any) -> Cell:
            pair = pair_of(record)
            if not pair or not pair.items:
                return None
            return Estimate(getattr(pair, name), getattr(pair, f"{name}_ci"), pair.items)

        return cell

    return {
        Column(outputs, 0): lambda record: shown("items")(record) or 0,
        Column(tr("exact"), 3): shown("exact"),
        Column(tr("within one"), 3): shown("within_one"),
        Column("κ", 3): kappa("kappa"),
        Column(tr("κ linear"), 3): kappa("kappa_linear"),
        Column(tr("κ quadratic"), 3): kappa("kappa_quadratic"),
    }


def _pair_table(one: CriterionValidation) -> Table:
    """Compare every two evaluators: correlation on their own segments, agreement on common ones."""
    pairs = (one.agreement.pairs or ()) if one.agreement else ()
    agreed = {(pair.first, pair.second): pair for pair in pairs}
    ranked = {(pair.first, pair.second): pair for pair in one.between}
    columns: _Columns = {
        Column(tr("evaluator")): lambda both: one.evaluators[both[0]],
        Column(tr("other")): lambda both: one.evaluators[both[1]],
    }
    if ranked:
        columns |= {
            Column(tr("r of pairwise scores"), 3): lambda both: ranked[both].pearson,
            Column(tr("segments")): lambda both: "–".join(map(str, ranked[both].segments)),
            Column(tr("common segments"), 0): lambda both: ranked[both].common,
        }
    note = sentences(
        tr("κ compares grades of the same outputs."),
        tr("r compares how the two rank the systems, each on their own segments.")
        if ranked
        else "",
    )
    title = tr("Evaluators against each other: {criterion}", criterion=_criterion(one))
    columns |= _kappa_columns(tr("common outputs"), agreed.get)
    return Table.of_records(title, combinations(range(len(one.evaluators)), 2), columns, note)


def _bias_table(one: CriterionValidation) -> Table:
    averaged = one.scale.kind == "interval"
    columns: _Columns = {
        Column(tr("evaluator")): lambda bias: one.evaluators[bias.evaluator],
        Column(tr("judgements"), 0): "items",
    }
    if averaged:
        columns |= {
            Column(tr("mean"), 2): "mean",
            Column(tr("sd"), 2): "sd",
            Column(tr("difference to others"), 2): "difference",
        }
    columns |= {Column(tr("lenience"), 2): "lenience", Column(tr("common outputs"), 0): "common"}
    grades = () if one.scale.continuous else one.scale.values
    columns |= {Column(value, 3): _share_of(place) for place, value in enumerate(grades)}
    if averaged:
        columns[Column(tr("drift"), 2)] = lambda bias: bias.drift and bias.drift.change
    columns |= {
        Column(tr("drift r"), 2): lambda bias: bias.drift and bias.drift.standardised,
        Column(tr("p drift"), 4, p_value=True): lambda bias: bias.drift and bias.drift.p,
    }
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
    title = tr("Each evaluator: {criterion}", criterion=_criterion(one))
    return Table.of_records(title, one.bias, columns, note)


def _share_of(place: int) -> Callable[[EvaluatorBias], Cell]:
    return lambda bias: bias.counts[place] / bias.items


def _repeat_table(one: CriterionValidation) -> Table:
    columns: _Columns = {Column(tr("evaluator")): lambda pair: one.evaluators[pair.first]}
    columns |= _kappa_columns(tr("repeated outputs"), lambda pair: pair)
    title = tr("Evaluators against themselves: {criterion}", criterion=_criterion(one))
    return Table.of_records(title, one.repeats, columns)


def _side_table(one: CriterionValidation) -> Table:
    columns: _Columns = {
        Column(tr("evaluator")): lambda side: one.evaluators[side.evaluator],
        Column(tr("chose the first"), 0): "test.wins",
        Column(tr("the second"), 0): "test.losses",
        Column(tr("neither"), 0): "test.ties",
        Column(tr("p sides"), 4, p_value=True): "test.p",
    }
    title = tr("First or second: {criterion}", criterion=_criterion(one))
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
    assert ceiling is not None
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
        tr("Human ceiling: {criterion}", criterion=_criterion(one)),
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
