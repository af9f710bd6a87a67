"""Human evaluation as one result: rankings as in NTCIR, then the evaluators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from patmark.data import Estimate, Message, criterion_name, is_warning
from patmark.evaluation import (
    MQM,
    CompareSettings,
    ErrorAnalysis,
    Evaluation,
    GradeModel,
    Pair,
    better_and_worse,
    comparison_findings,
    comparison_notes,
    component_table,
    difference_method,
    found_together,
    mean_table,
    model_grades,
    pair_p,
    ungrouped,
    unknown_documents,
)
from patmark.human.judgements.exclusions import Exclusion, Workload, counted_grades, shortened
from patmark.human.judgements.files import HumanData
from patmark.human.judgements.model import Judgements
from patmark.human.judgements.ranking import (
    CriterionRanking,
    HumanRanking,
    SignPair,
    rank_humans,
)
from patmark.human.judgements.validation import (
    CriterionValidation,
    validate_evaluators,
    validate_preferences,
)
from patmark.human.judgements.validation_tables import evaluator_tables
from patmark.report import Cell, Column, Report, Result, Table, message_texts, sentences
from patmark.stats import ALPHA
from patmark.wording import percent, tr, tr_n

_SCORE_TITLES = {
    "mean": tr("average"),
    "pairwise": tr("pairwise score"),
    "sum": tr("sum"),
    "wins": tr("wins"),
}
_SCORE_NOTES = {
    "mean": tr("The mean of the grades."),
    "pairwise": tr(
        "In each segment a system gets 1 for each system with a lower grade and 0.5 for an equal "
        "one, divided by the number of comparisons."
    ),
    "sum": tr(
        "The sum of the mean grades of the criteria, as NTCIR-7 adds up adequacy and fluency."
    ),
    "wins": tr("The share of comparisons won; a tie is half a win."),
}


@dataclass(frozen=True, slots=True, eq=False)
class HumanEvaluation(Result):
    """Human evaluation of systems: rankings by each criterion, and validation of evaluators.

    ``models`` decompose the variance of interval grades; ``errors`` analyse annotated errors.
    """

    data: HumanData
    ranking: HumanRanking
    validations: tuple[CriterionValidation, ...] = ()
    models: Mapping[str, GradeModel] = field(default_factory=dict)
    errors: ErrorAnalysis | None = None

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result."""
        return Evaluation(scores=self.ranking.scores, documents=self.ranking.documents)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            **self.ranking.to_json(),
            "validation": {one.criterion: one.to_json() for one in self.validations},
            "mixed_model": {name: model.to_json() for name, model in self.models.items()},
            **({"errors": self.errors.to_json()} if self.errors else {}),
            "findings": message_texts(_findings(self.ranking)),
            "notes": [*_notes(self.ranking), *self.data.notes],
        }

    def to_report(self) -> Report:
        """Return scores of all criteria and a summary of the evaluators, then all details."""
        ranking = self.ranking
        summary, details = evaluator_tables(self.validations)
        tables = [_overview(ranking), *summary]
        tables += self.errors.tables() if self.errors else []
        for one in ranking.rankings:
            tables += _criterion_tables(one)
            tables += _model_tables(one.criterion, self.models.get(one.criterion))
        tables += [*details, _workload_table(ranking.workloads)]
        if ranking.exclusions:
            tables.append(_exclusion_table(ranking.exclusions))
        return Report(
            title=tr("Human evaluation"),
            subtitle=tr(
                "{name} · {segments}",
                name=self.data.name,
                segments=tr_n("{n} segment", "{n} segments", n=len(ranking.documents)),
            ),
            headlines=(),
            tables=tuple(tables),
            signatures=_signatures(ranking),
            notes=(
                *_notes(ranking),
                *_exclusion_notes(ranking.exclusions),
                *_sentences(ranking, warnings=False),
                *self.data.notes,
                *(text for one in self.validations for text in one.notes),
                *(
                    tr("{name}: {text}", name=name, text=text)
                    for name, model in self.models.items()
                    for text in (*model.sentences(), *model.notes)
                ),
            ),
            findings=tuple(_findings(ranking)),
            explorer=self.errors.explorer() if self.errors else None,
        )


def evaluate_judgements(
    data: HumanData, settings: CompareSettings | None = None, *, whole_segments: bool = True
) -> HumanEvaluation:
    """Rank the systems by every criterion, and validate the evaluators.

    With ``whole_segments`` a segment counts for an evaluator only if all systems were graded.
    """
    settings = settings or CompareSettings()
    graded, chosen, sampling = data.judgements, data.preferences, settings.sampling
    ranking = rank_humans(graded, chosen, settings, whole_segments=whole_segments)
    validations: list[CriterionValidation] = []
    if graded:
        validations += validate_evaluators(graded, sampling, whole_segments=whole_segments)
    if chosen:
        validations += validate_preferences(chosen, sampling)
    models = _models(graded, whole_segments=whole_segments) if graded else {}
    errors = None
    if data.annotations is not None and data.weights is not None:
        errors = ErrorAnalysis(data.annotations, data.weights, data.texts, sampling)
    return HumanEvaluation(data, ranking, tuple(validations), models, errors)


def _models(judgements: Judgements, *, whole_segments: bool) -> dict[str, GradeModel]:
    """Fit mixed models of the criteria that may be averaged."""
    main = judgements.in_phase("main")
    found = {}
    for criterion in main.criteria:
        if main.scale(criterion).kind == "interval":
            grades = counted_grades(main, criterion, whole_segments=whole_segments)
            copied = np.isnan(main.without_copies(grades, criterion)) & ~np.isnan(grades)
            found[criterion] = model_grades(grades, main.systems, main.documents, copied=copied)
    return found


def _model_tables(criterion: str, model: GradeModel | None) -> list[Table]:
    if model is None or model.model is None:
        return []
    name = criterion_name(criterion)
    tables = (
        component_table(tr("Sources of uncertainty in {criterion}", criterion=name), model),
        mean_table(tr("Means of {criterion} by a mixed model", criterion=name), model),
    )
    return [replace(table, section=name) for table in tables]


def _overview(ranking: HumanRanking) -> Table:
    """Return all criteria side by side, with a dash for systems without judgements."""
    if not ranking.rankings:
        return _alone_table(ranking)
    first = ranking.rankings[0]
    measures = [one.measured for one in ranking.rankings]
    columns = [Column(tr("system"))]
    for one in ranking.rankings:
        columns.append(_score_column(one, one.title))
        columns += [Column(tr("{criterion} group", criterion=one.title), 0)] * one.measured.testable
    systems = dict.fromkeys(system for one in measures for system in one.ranking)
    rows = []
    for system in systems:
        cells: list[Cell] = [system]
        for measured in measures:
            cells.append(measured.estimates.get(system))
            cells += [measured.cluster_of(system)] * measured.testable
        rows.append(tuple(cells))
    note: str = tr("Best first by {measure}.", measure=first.title)
    grouped = any(measured.testable for measured in measures)
    if grouped:
        level = percent(ALPHA)
        rule = tr(
            "A system opens a group when it is significantly worse, at {level}, than one of the "
            "group above (permutation test).",
            level=tr("{level} after Holm", level=level) if first.comparison.corrected else level,
        )
        note = sentences(note, rule)
    title = tr("Scores and groups") if grouped else tr("Scores")
    return Table(title, tuple(columns), tuple(rows), sentences(note, ungrouped(measures)))


def _alone_table(ranking: HumanRanking) -> Table:
    systems = dict.fromkeys(name for found in ranking.alone.values() for name in found)
    rows = [(name, *(found.get(name) for found in ranking.alone.values())) for name in systems]
    columns = (
        Column(tr("system")),
        *(Column(criterion_name(criterion), 2) for criterion in ranking.alone),
    )
    return Table(
        tr("Scores"), columns, tuple(rows), tr("One system alone was judged: there is no ranking.")
    )


def _score_column(one: CriterionRanking, title: str) -> Column:
    if one.score in ("pairwise", "wins"):
        return Column(title, 3, (0.0, 1.0))
    if one.scale is None:
        return Column(title, 2)
    low, high = float(one.scale.values[0]), float(one.scale.values[-1])
    if one.criterion == MQM:
        low = _rounded_down(one.measured.estimates.values())
    return Column(title, 2, (low, high))


def _rounded_down(found: Iterable[Estimate]) -> float:
    """Return the start of an axis without a natural end: 1, 2 or 5 times a power of ten."""
    worst = min((min(one.value, *(one.ci or ())) for one in found), default=-1.0)
    power = 10.0 ** math.floor(math.log10(max(-worst, 1.0)))
    return -next(step * power for step in (1, 2, 5, 10) if step * power >= -worst)


def _criterion_tables(one: CriterionRanking) -> list[Table]:
    """Return the tables of a criterion; no tests if nothing is testable."""
    tables = [_rate_table(one), _pair_table(one)]
    if len(one.systems) > 2:
        kinds = (False, True) if one.comparison.corrected else (False,)
        if not one.comparison.units.too_few:
            tables += [_matrix(one, corrected=each) for each in kinds]
        tables.append(_strength_table(one))
    return [replace(table, section=one.title) for table in tables]


def _rate_table(one: CriterionRanking) -> Table:
    """Build tables 5, 9, 13 (averages) or 7, 11, 15 (pairwise scores) of NTCIR-9."""
    columns = [Column(tr("system")), _score_column(one, _SCORE_TITLES[one.score])]
    best = next(iter(one.rates), None)
    columns += [
        Column(grade if grade == best else tr("{grade} or higher", grade=grade), 3, (0.0, 1.0))
        for grade in one.rates
    ]
    if one.z_scores:
        columns.append(Column(tr("z by evaluator"), 3))
    ranges = one.measured.rank_ranges
    if ranges:
        columns += [Column(tr("group"), 0), Column(tr("best rank"), 0), Column(tr("worst rank"), 0)]
    rows = tuple(
        (
            system,
            one.measured.estimates[system],
            *(rate[system] for rate in one.rates.values()),
            *((one.z_scores[system],) if one.z_scores else ()),
            *((one.measured.cluster_of(system), *ranges[system]) if ranges else ()),
        )
        for system in one.measured.ranking
    )
    rates = tr("Rates: the share of outputs with a grade or a better one.") if one.rates else ""
    z = (
        tr("z by evaluator: standard deviations from the mean of each evaluator, averaged.")
        if one.z_scores
        else ""
    )
    note = sentences(_SCORE_NOTES[one.score], rates, z, ungrouped([one.measured]))
    title = tr("Ranking by {criterion}", criterion=one.title)
    return Table(title, tuple(columns), rows, note)


def _pair_table(one: CriterionRanking) -> Table:
    pairs = list(zip(one.measured.pairs, one.signs, strict=True))
    pairs.sort(key=lambda both: (np.isnan(both[0].p), both[0].p, both[1].test.p))
    rows = [_pair_row(pair, sign) for pair, sign in pairs]
    corrected = one.comparison.corrected
    tested, unequal = not one.comparison.units.too_few, bool(one.measured.unequal)
    shown = {
        Column(tr("better")): True,
        Column(tr("worse")): True,
        Column(tr("difference"), 3): True,
        Column(tr("p permutation"), 4, p_value=True): tested,
        Column(tr("p corrected"), 4, p_value=True): tested and corrected,
        Column(tr("segments won–lost–tied")): True,
        Column(tr("p sign"), 4, p_value=True): tested,
        Column(tr("mark")): tested,
        Column(tr("p sign corrected"), 4, p_value=True): tested and corrected,
        Column(tr("mark corrected")): tested and corrected,
        Column(tr("common segments"), 0): unequal,
    }
    note: str = tr("Segments won and lost: several evaluators of a segment count once.")
    if tested:
        how = tr(
            "Permutation test by {units}. Sign test over segments, two-sided, ties dropped; "
            "several evaluators of a segment count once.",
            units=str(one.comparison.units),
        )
        note = sentences(how, _sign_caution(one))
    if unequal:
        common = tr("Common segments: where both systems were judged; each pair rests on these.")
        note = sentences(note, common)
    return Table(
        tr("Differences by {criterion}", criterion=one.title),
        tuple(column for column, is_shown in shown.items() if is_shown),
        tuple(tuple(compress(row, shown.values())) for row in rows),
        note,
    )


def _sign_caution(one: CriterionRanking) -> str:
    """Warn about the sign test if documents are known: their segments are correlated."""
    if not one.comparison.units.documents:
        return ""
    return tr(
        "The sign test takes segments of one document as independent, and calls equal systems "
        "different too often; groups follow the permutation test."
    )


def _pair_row(pair: Pair, sign: SignPair) -> tuple[Cell, ...]:
    """Return the better system first."""
    turned = pair.delta < 0
    pair = pair.turned() if turned else pair
    won, lost = sign.test.wins, sign.test.losses
    counts = (lost, won, sign.test.ties) if turned else (won, lost, sign.test.ties)
    return (
        *better_and_worse(pair),
        Estimate(pair.delta, pair.ci),
        pair_p(pair, pair.p),
        pair_p(pair, pair.p_holm),
        "–".join(map(str, counts)),
        sign.test.p,
        sign.mark(),
        sign.p_holm,
        sign.mark(corrected=True),
        pair.n,
    )


def _matrix(one: CriterionRanking, *, corrected: bool) -> Table:
    """Build tables 6, 8, 10, 12, 14, 16 of NTCIR-9: marks of the sign test."""
    marks = one.sign_marks(corrected=corrected)
    systems = one.measured.ranking
    how = tr("corrected by Holm") if corrected else tr("as in NTCIR, uncorrected")
    title = (
        tr("Sign test by {criterion}, corrected", criterion=one.title)
        if corrected
        else tr("Sign test by {criterion}", criterion=one.title)
    )
    marked = tr("≫ at 1 %, > at 5 %, - not significant; the row beats the column; {how}.", how=how)
    return Table(
        title,
        (Column(tr("system")), *(Column(system) for system in systems)),
        tuple((row, *(marks.get((row, other), "") for other in systems)) for row in systems),
        sentences(marked, _sign_caution(one)),
    )


def _strength_table(one: CriterionRanking) -> Table:
    found = one.strengths
    by_system = dict(zip(one.systems, found.strengths, strict=True))
    ordered = sorted(one.measured.ranking, key=lambda system: -by_system[system].value)
    note = [
        tr(
            "Log strengths with mean 0: a system beats another with odds of e to the difference. "
            "A tie is half a win; each evaluator counts."
        )
    ]
    if found.prior:
        names = [", ".join(one.systems[place] for place in group) for group in found.components]
        note.append(
            tr(
                "Wins link only {names}: strengths across these groups lean on a virtual average "
                "player who wins and loses half a game against everyone.",
                names=" | ".join(names),
            )
        )
    elif found.prior_resamples:
        note.append(
            tr(
                "{n} of {total} resamples needed a virtual player.",
                n=found.prior_resamples,
                total=found.resamples,
            )
        )
    if found.unconverged:
        note.append(tr("{n} fits did not converge.", n=found.unconverged))
    return Table(
        tr("Bradley–Terry strengths by {criterion}", criterion=one.title),
        (Column(tr("system")), Column(tr("strength"), 3), Column(tr("comparisons"), 0)),
        tuple((system, by_system[system], by_system[system].n) for system in ordered),
        sentences(*note),
    )


def _findings(ranking: HumanRanking) -> list[Message]:
    """Return warnings, then the findings by all criteria together and by each.

    Common findings are stated once.
    """
    found = _sentences(ranking, warnings=True)
    if ranking.rankings:
        settings = ranking.rankings[0].comparison.settings
        found += found_together(ranking.measured, settings, tr("criteria"))
    alone = len(ranking.rankings) == 1
    for one in ranking.rankings:
        found += comparison_findings(one.comparison, leader=alone)
    return list(dict.fromkeys(found))


def _sentences(ranking: HumanRanking, *, warnings: bool) -> list[Message]:
    return [one for one in ranking.notices if is_warning(one) == warnings]


def _notes(ranking: HumanRanking) -> list[Message]:
    compared = [one.comparison for one in ranking.rankings]
    notes: list[Message] = [note for one in compared for note in unknown_documents(one.units)]
    notes += [note for one in compared for note in comparison_notes(one)]
    return list(dict.fromkeys(notes))


def _signatures(ranking: HumanRanking) -> dict[str, str]:
    found = {name: ranking.scores[name].signature for name in ranking.alone}
    for one in ranking.rankings:
        settings = one.comparison.settings
        correction = "Holm over all pairs" if one.comparison.corrected else "none"
        tail = "|tail:bound" if one.comparison.bounds_tail else ""
        rates = any(measure.rate for measure in one.comparison.measures.values())
        found[one.criterion] = one.measured.signature
        found[f"{one.criterion}, tests"] = (
            f"approximate randomisation, two-sided|trials:{settings.draws}{tail}"
            f"|unit:{one.comparison.units}|seed:{settings.sampling.seed}|correction:{correction}"
            f"|intervals:{difference_method(settings.sampling, rates=rates)}"
        )
    return found


def _exclusion_notes(exclusions: Sequence[Exclusion]) -> list[str]:
    groups: dict[tuple[str, str], list[Exclusion]] = {}
    for one in exclusions:
        groups.setdefault((one.criterion, one.evaluator), []).append(one)
    return [
        str(left_out[0])
        if len(left_out) == 1
        else tr(
            "{criterion}: {evaluator} did not finish {n} segments ({segments}); {judgements} "
            "left out",
            criterion=criterion_name(criterion),
            evaluator=evaluator,
            n=len(left_out),
            segments=shortened([one.segment for one in left_out]),
            judgements=tr_n(
                "{n} judgement", "{n} judgements", n=sum(one.judgements for one in left_out)
            ),
        )
        for (criterion, evaluator), left_out in groups.items()
    ]


def _exclusion_table(exclusions: Sequence[Exclusion]) -> Table:
    columns: dict[Column, str | Callable[[Exclusion], Cell]] = {
        Column(tr("criterion")): lambda one: criterion_name(one.criterion),
        Column(tr("evaluator")): "evaluator",
        Column(tr("segment")): "segment",
        Column(tr("no grade for")): lambda one: ", ".join(one.lacking),
        Column(tr("judgements left out"), 0): "judgements",
    }
    title = tr("Segments left out because an evaluator did not finish them")
    return Table.of_records(title, exclusions, columns)


def _workload_table(workloads: Sequence[Workload]) -> Table:
    columns: dict[Column, str | Callable[[Workload], Cell]] = {
        Column(tr("criterion")): lambda one: criterion_name(one.criterion),
        Column(tr("evaluator")): "evaluator",
        Column(tr("segments"), 0): "segments",
        Column(tr("finished"), 0): "finished",
        Column(tr("judgements"), 0): "judgements",
    }
    note = tr("Finished: segments with a grade for every system, or a choice between all pairs.")
    return Table.of_records(tr("Segments of each evaluator"), workloads, columns, note)
