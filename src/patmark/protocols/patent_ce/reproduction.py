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
    GivenMeasure,
    TieBand,
    meta_evaluate_claims,
    read_given_scores,
    text_lengths,
)
from patmark.data import QUALITY, ClaimPairs, read_claim_pairs
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.measures import split_names
from patmark.protocols.patent_ce.published import (
    G_EVAL,
    G_EVAL_PAIRS,
    JUDGED,
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
    answered,
    grouped,
    statuses,
)
from patmark.report import Cell, Column, Report, Table
from patmark.stats import STATISTICS
from patmark.wording import tr

_WITH_MODEL = (
    "BERTScore", "MoverScore", "SimCSE", "BARTScore", "UniEval", "AlignScore", "PatClaimEval",
)  # fmt: skip


def reproduce_patent_ce(
    pairs: ClaimPairs,
    sampling: Sampling | None = None,
    measures: str | None = None,
    judged: Sequence[GivenMeasure] = (),
    tie_band: TieBand | None = None,
) -> Reproduction:
    """The paper's table for the criteria of the file, with the measures that patmark has.

    ``measures`` are more of them, such as those that need a model; BERTScore(model=…) stands beside
    the BERTScore of the paper, and what the paper lacks among the recomputed values only. A measure
    of one criterion stands beside that criterion. ``judged`` are the scores of one judge, which
    stand beside G-Eval-4. A ``tie_band`` adds rows to the recomputed values; those of the paper are
    without.
    """
    judges = list(dict.fromkeys(one.family for one in judged))
    if len(judges) > 1:
        raise UsageError(f"the paper has one judge, and these are several: {', '.join(judges)}")
    printed = published_agreements()
    known = {row["criterion"].lower() for row in printed}
    criteria = [name for name in pairs.criteria if name.lower() in known]
    if not criteria:
        raise UsageError(
            f"{pairs.name}: the paper has no criterion called {', '.join(pairs.criteria)}; "
            f"it has {', '.join(dict.fromkeys(row['criterion'] for row in printed))}"
        )
    asked = [*PAPER_MEASURES, *(split_names(measures) if measures else [])]
    done = meta_evaluate_claims(pairs, asked, criteria, sampling, given=judged, tie_band=tie_band)
    values = _compared(printed, [row for row in done.rows if row.bands is None])
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
    sampling: Sampling,
    data: str | None = None,
    measures: str | None = None,
    scores: str | None = None,
    tie_band: str | None = None,
) -> Reproduction:
    if data is None:
        if (measures, scores, tie_band) != (None, None, None):
            raise UsageError(
                "more measures and tie bands need the claim pairs of the paper: --data FILE"
            )
        return published_study()
    pairs = read_claim_pairs(data)
    judged = [] if scores is None else read_given_scores([scores], pairs)
    return reproduce_patent_ce(pairs, sampling, measures, judged, tie_band)


STUDY = Study(_from_file, frozenset({"data", "measures", "scores", "tie_band"}))


def _compared(printed: Sequence[Row], rows: Sequence[AgreementRow]) -> list[Value]:
    found: dict[tuple[str, str], AgreementRow] = {}
    for row in rows:
        if not _stands_beside(row):
            continue
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
    if isinstance(row.measure, GivenMeasure):
        return G_EVAL
    label, own = row.measure.label, row.measure.measure.label
    return own if own in _WITH_MODEL else label


def _stands_beside(row: AgreementRow) -> bool:
    """Whether the paper has such a row: of a judge, it has the scores of the criterion alone."""
    if not isinstance(row.measure, GivenMeasure):
        return True
    return (row.measure.criterion or QUALITY) == row.criterion.lower()


def _value_json(value: Value) -> dict[str, Any]:
    return {**value.to_json(VALUE_KEYS), "difference": value.difference}


def _why(others: Sequence[Value]) -> Callable[[Value], str]:
    """Why a value was not compared with the printed one."""

    def why(value: Value) -> str:
        if value in others:
            return tr("criterion is not in the file")
        if value.status == OTHER_PAIRS:
            return tr("the file has other pairs")
        return tr("no judge was given") if value.metric == G_EVAL else tr("no model was given")

    return why


def _report(values: Sequence[Value], done: ClaimMetaEvaluation, printed: Sequence[Table]) -> Report:
    recomputed = done.to_report()
    found = [value.status for value in values]
    compared = found.count(OK) + found.count(DIFFERS)
    summary = (
        tr(
            "{count} of {compared} published values come out as printed",
            count=found.count(OK),
            compared=compared,
        )
        if compared
        else tr(
            "not compared: the published values are of {test_pairs} pairs", test_pairs=TEST_PAIRS
        )
    )
    by_criterion = grouped(values, lambda one: one.subject)
    report = Report(
        title=tr("Patent-CE: published table computed again"),
        subtitle=recomputed.subtitle,
        headlines=(),
        tables=(
            *(_table(*each) for each in by_criterion.items()),
            *printed,
            *recomputed.tables,
            tokens_table(text_lengths(done.pairs.pairs)),
        ),
        signatures={"source": SOURCE, **recomputed.signatures},
        notes=(*_notes(values), JUDGED, TIES, WHICH_TABLE, *recomputed.notes),
        brief=len(by_criterion) + 1,
    )
    return answered(report, summary, values)


def _notes(values: Sequence[Value]) -> list[str]:
    absent = dict.fromkeys(one.metric for one in values if one.status == PUBLISHED_ONLY)
    without_model = [name for name in absent if name in _WITH_MODEL]
    notes: list[str] = []
    if without_model:
        notes.append(
            tr(
                "Published only, because no model was given: {without_model}. Name one: "
                "--measures '{metric}(model=…)'.",
                without_model=tuple(without_model),
                metric=without_model[0],
            )
        )
    if G_EVAL in absent:
        notes.append(
            tr(
                "Published only, because no judge was given: {g_eval}. patmark claims judge "
                "--save makes its scores, and --scores names them.",
                g_eval=G_EVAL,
            )
        )
    else:
        notes.append(
            tr(
                "{g_eval} stands beside another model and other words, and need not agree.",
                g_eval=G_EVAL,
            )
        )
    if any(one.status == OTHER_PAIRS for one in values if one.metric != G_EVAL):
        notes.append(
            tr(
                "The file does not hold the {test_pairs} pairs of the paper: published and "
                "recomputed values are of different pairs and need not agree.",
                test_pairs=TEST_PAIRS,
            )
        )
    return notes


def _table(criterion: str, values: Sequence[Value]) -> Table:
    """One row for each metric, recomputed and published values of each statistic."""
    columns = [Column(tr("metric")), Column(tr("status")), Column(tr("pairs"), 0)]
    for name in STATISTICS:
        decimals = decimals_of(name)
        columns += [Column(name, decimals), Column(tr("{name} published", name=name), decimals)]
    rows: list[tuple[Cell, ...]] = []
    for metric, found in grouped(values, lambda one: one.metric).items():
        cells = [cell for one in found for cell in (one.recomputed, one.published)]
        rows.append((metric, statuses(found), found[0].count, *cells))
    return Table(
        tr("{criterion}: recomputed and published", criterion=criterion),
        tuple(columns),
        tuple(rows),
        tr(
            "Published: {test_pairs} pairs, {g_eval} {g_eval_pairs}. Accuracy and weighted "
            "F1 in percent.",
            test_pairs=TEST_PAIRS,
            g_eval=G_EVAL,
            g_eval_pairs=G_EVAL_PAIRS,
        ),
    )
