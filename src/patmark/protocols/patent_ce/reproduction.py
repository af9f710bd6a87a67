"""Patent-CE computed again from its test pairs: measures beside the printed values.

The pairs are not free enough to come with patmark, so the file must be given. The paper's values
are of all 184 test pairs; of other pairs, both are shown but not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from patmark.claims import (
    PAPER_MEASURES,
    AgreementRow,
    ClaimMetaEvaluation,
    meta_evaluate_claims,
    text_lengths,
)
from patmark.data import ClaimPairs, read_claim_pairs
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.measures import split_names
from patmark.protocols.patent_ce.published import (
    SOURCE,
    TEST_PAIRS,
    TIES,
    VALUE_KEYS,
    WHICH_TABLE,
    compared_value,
    decimals_of,
    printed_results,
    published_agreements,
    published_study,
    tokens_table,
)
from patmark.protocols.reproduction import (
    DIFFERS,
    OK,
    OTHER_PAIRS,
    PUBLISHED_ONLY,
    Reproduction,
    Row,
    Study,
    Value,
    grouped,
    statuses,
)
from patmark.report import Cell, Column, Report, Table
from patmark.stats import STATISTICS

_WITH_MODEL = (
    "BERTScore", "MoverScore", "SimCSE", "BARTScore", "UniEval", "AlignScore", "PatClaimEval",
)  # fmt: skip


def reproduce_patent_ce(
    pairs: ClaimPairs, sampling: Sampling | None = None, measures: str | None = None
) -> Reproduction:
    """The paper's table for the criteria of the file, with the measures that patmark has.

    ``measures`` are more of them, such as those that need a model; BERTScore(model=…) stands beside
    the BERTScore of the paper, and what the paper lacks among the recomputed values only.
    """
    printed = published_agreements()
    known = {row["criterion"].lower() for row in printed}
    criteria = [name for name in pairs.criteria if name.lower() in known]
    if not criteria:
        raise UsageError(
            f"{pairs.name}: the paper has no criterion called {', '.join(pairs.criteria)}; "
            f"it has {', '.join(dict.fromkeys(row['criterion'] for row in printed))}"
        )
    asked = [*PAPER_MEASURES, *(split_names(measures) if measures else [])]
    done = meta_evaluate_claims(pairs, asked, criteria, sampling)
    values = _compared(printed, done.rows)
    others = [
        compared_value(row, name, None)
        for row in printed
        for name in STATISTICS
        if row["criterion"].lower() not in {name.lower() for name in criteria}
    ]
    tables, facts = printed_results([*values, *others], _why(others))
    report = _report(values, done, tables)
    recomputed = done.to_json()
    result = {
        "study": "patent-ce",
        "test_pairs": TEST_PAIRS,
        **facts,
        "lengths": text_lengths(pairs.pairs),
        "rows": [_value_json(value) for value in values],
        "measures": recomputed["rows"],
        "counts": recomputed["counts"],
        "signatures": recomputed["signatures"],
        "notes": report.notes,
        "resampling": recomputed["resampling"],
    }
    return Reproduction(result, report)


def _from_file(
    sampling: Sampling, data: str | None = None, measures: str | None = None
) -> Reproduction:
    if data is None:
        if measures is not None:
            raise UsageError("more measures need the claim pairs of the paper: --data FILE")
        return published_study()
    return reproduce_patent_ce(read_claim_pairs(data), sampling, measures)


STUDY = Study(_from_file, frozenset({"data", "measures"}))


def _compared(printed: Sequence[Row], rows: Sequence[AgreementRow]) -> list[Value]:
    found: dict[tuple[str, str], AgreementRow] = {}
    for row in rows:
        place = (row.criterion.lower(), _metric(row))
        if place in found:
            raise UsageError(f"{place[1]} is asked for twice; the paper has it once")
        found[place] = row
    criteria = {row.criterion.lower() for row in rows}
    values = []
    for one in printed:
        if one["criterion"].lower() in criteria:
            same = found.get((one["criterion"].lower(), one["metric"]))
            estimates = same.everything.estimates if same else {}
            values += [compared_value(one, name, estimates.get(name)) for name in STATISTICS]
    return values


def _metric(row: AgreementRow) -> str:
    """The name of a measure in the paper, which does not tell models."""
    label, own = row.measure.label, row.measure.measure.label
    return own if own in _WITH_MODEL else label


def _value_json(value: Value) -> dict[str, Any]:
    return {**value.to_json(VALUE_KEYS), "difference": value.difference}


def _why(others: Sequence[Value]) -> Callable[[Value], str]:
    """Why a value was not compared with the printed one."""

    def why(value: Value) -> str:
        if value in others:
            return "criterion is not in the file"
        if value.status == OTHER_PAIRS:
            return "the file has other pairs"
        return "no model was given" if value.metric in _WITH_MODEL else "no measure of patmark"

    return why


def _report(values: Sequence[Value], done: ClaimMetaEvaluation, printed: Sequence[Table]) -> Report:
    recomputed = done.to_report()
    found = [value.status for value in values]
    compared = found.count(OK) + found.count(DIFFERS)
    summary = (
        f"{found.count(OK)} of {compared} published values come out as printed"
        if compared
        else f"not compared: the published values are of {TEST_PAIRS} pairs"
    )
    by_criterion = grouped(values, lambda one: one.subject)
    return Report(
        title="Patent-CE: published table computed again",
        subtitle=f"{recomputed.subtitle} · {summary}",
        headlines=(),
        tables=(
            *(_table(*each) for each in by_criterion.items()),
            *printed,
            *recomputed.tables,
            tokens_table(text_lengths(done.pairs.pairs)),
        ),
        signatures={"source": SOURCE, **recomputed.signatures},
        notes=(*_notes(values), TIES, WHICH_TABLE, *recomputed.notes),
        brief=len(by_criterion) + 1,
    )


def _notes(values: Sequence[Value]) -> list[str]:
    absent = dict.fromkeys(one.metric for one in values if one.status == PUBLISHED_ONLY)
    without_model = [name for name in absent if name in _WITH_MODEL]
    others = [name for name in absent if name not in _WITH_MODEL]
    notes = []
    if without_model:
        notes.append(
            f"Published only, because no model was given: {', '.join(without_model)}. Name one: "
            f"--measures '{without_model[0]}(model=…)'."
        )
    if others:
        notes.append(f"Published only, because it is no measure of patmark: {', '.join(others)}.")
    if any(one.status == OTHER_PAIRS for one in values):
        notes.append(
            f"The file does not hold the {TEST_PAIRS} pairs of the paper: published and recomputed "
            "values are of different pairs and need not agree."
        )
    return notes


def _table(criterion: str, values: Sequence[Value]) -> Table:
    """One row for each metric, recomputed and published values of each statistic."""
    columns = [Column("metric"), Column("status"), Column("pairs", 0)]
    for name in STATISTICS:
        decimals = decimals_of(name)
        columns += [Column(name, decimals), Column(f"{name} published", decimals)]
    rows: list[tuple[Cell, ...]] = []
    for metric, found in grouped(values, lambda one: one.metric).items():
        cells = [cell for one in found for cell in (one.recomputed, one.published)]
        rows.append((metric, statuses(found), found[0].count, *cells))
    return Table(
        f"{criterion}: recomputed and published",
        tuple(columns),
        tuple(rows),
        f"Published: {TEST_PAIRS} pairs. Accuracy and weighted F1 in percent.",
    )
