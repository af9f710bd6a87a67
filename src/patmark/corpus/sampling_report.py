"""The report on a judged sample: how many pairs are right, over all and by score."""

from __future__ import annotations

import math

from patmark.corpus.judged_sample import JUDGEMENTS, Precision, top_precision
from patmark.data import Estimate
from patmark.report import Cell, Column, Headline, Report, Table

_SCALE = (0.0, 100.0)


def precision_report(result: Precision, name: str, notes: tuple[str, ...] = ()) -> Report:
    """A judged sample as headline and tables; shares in per cent."""
    pairs = sum(stratum.pairs for stratum in result.strata)
    judged = sum(result.count(each) for each in JUDGEMENTS)
    return Report(
        title="Precision of sentence pairs",
        subtitle=f"{judged} judged pairs stand for {pairs}",
        headlines=_headlines(result, name),
        tables=(_overall(result), _by_score(result)),
        signatures={
            "correct": "mean over strata of scores, weighted by their pairs; "
            "95 % interval: Wilson, effective n"
        },
        notes=(*notes, *_notes(result)),
    )


def _headlines(result: Precision, name: str) -> tuple[Headline, ...]:
    if math.isnan(result.correct.value):
        return ()
    return (Headline(name, "correct pairs (%)", _percent(result.correct), meaning="of all pairs"),)


def _percent(estimate: Estimate) -> Estimate:
    ci = None if estimate.ci is None else (100 * estimate.ci[0], 100 * estimate.ci[1])
    return Estimate(100 * estimate.value, ci, estimate.n)


def _cell(estimate: Estimate) -> Cell:
    return None if math.isnan(estimate.value) else _percent(estimate)


def _overall(result: Precision) -> Table:
    rows = (
        ("correct", result.correct),
        ("correct or partly", result.correct_or_partly),
        ("correct, unsure counted as wrong", result.unsure_as_wrong),
        ("correct, unsure counted as correct", result.unsure_as_correct),
    )
    return Table(
        "Shares of all pairs",
        (Column("share"), Column("%", 1, _SCALE), Column("judgements", 0)),
        tuple((label, _cell(estimate), estimate.n) for label, estimate in rows),
        "Unsure judgements are left out of the first two rows.",
    )


def _by_score(result: Precision) -> Table:
    """By stratum, best scores first, and what cutting below it would leave."""
    columns = (
        Column("stratum", 0), Column("pairs", 0), Column("scores from", 4), Column("to", 4),
        *(Column(each, 0) for each in JUDGEMENTS),
        Column("correct %", 1, _SCALE), Column("correct %, cut here", 1, _SCALE),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for stratum, top in zip(result.strata, top_precision(result.strata), strict=True):
        alone = top_precision([stratum])[0]
        rows.append(
            (
                stratum.number, stratum.pairs, stratum.lowest, stratum.highest,
                *(stratum.counts[each] for each in JUDGEMENTS),
                _cell(alone), _cell(top),
            )
        )  # fmt: skip
    note = "Stratum 1 holds the best scores. The last column is the share correct if all strata "
    return Table("By score", columns, tuple(rows), note + "below are cut off.")


def _notes(result: Precision) -> tuple[str, ...]:
    notes: list[str] = []
    if result.count(""):
        notes.append(f"{result.count('')} pairs of the sample are not judged yet.")
    if result.count("unsure"):
        notes.append(f"{result.count('unsure')} pairs were judged as unsure.")
    if result.without:
        strata = ", ".join(map(str, result.without))
        notes.append(f"No sure judgement speaks for stratum {strata}, which is left out.")
    return tuple(notes)
