"""Patent-CE: the printed values of the paper, and measures recomputed from its test pairs.

The licence of the pairs does not allow patmark to ship them, so the file must be given. The paper's
values are of all 184 test pairs; for other pairs, both are shown but not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.claims import (
    PAPER_MEASURES,
    PERCENT,
    AgreementRow,
    ClaimMetaEvaluation,
    GivenMeasure,
    TieBand,
    meta_evaluate_claims,
    read_given_scores,
)
from patmark.data import QUALITY, ClaimPairs, Estimate, read_claim_pairs
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.measures import split_names
from patmark.protocols.patent_ce import text_lengths
from patmark.protocols.studies.listing import (
    PRINTED_ONLY,
    Part,
    listing_table,
    printed_only,
    recomputed,
)
from patmark.protocols.studies.reproduction import (
    DIFFERS,
    OK,
    OTHER_PAIRS,
    PUBLISHED_ONLY,
    PublishedFinding,
    Reproduction,
    Row,
    Study,
    Value,
    answered,
    findings_table,
    grouped,
    half_unit,
    published_rows,
    statuses,
)
from patmark.report import Cell, Column, Report, Table, fields_json
from patmark.stats import STATISTICS
from patmark.wording import capitalised, setting, tr

PAIRS, TEST_PAIRS = 1228, 184
G_EVAL, G_EVAL_PAIRS = "G-Eval-4", 135
SOURCE = "Jiang, Scherz, Goetz 2025, Towards Better Evaluation for Generated Patent Claims (ACL)"
OWN = "PatClaimEval"
GAINS = {"tau": 41.5, "rho": 58.0}  # of the paper's own metric over the second best, by quality
VALUE_KEYS = (
    "criterion", "metric", "statistic", "n", "recomputed", "ci", "published", "difference",
    "tolerance", "status",
)  # fmt: skip
WHICH_TABLE = tr(
    "The numbers at hand do not tell which of Tables 3 to 5 holds which statistic and criterion."
)
TIES = tr(
    "The paper says that scores within 0.0001 tie. Exact equality, the rule here, gives all its "
    "n-gram rows; with 0.0001 the tau of ROUGE-1 by Quality is .296 instead of the printed .292."
)
JUDGED = tr(
    "The printed accuracies of {g_eval} are shares of {g_eval_pairs} pairs, the "
    "only number up to {test_pairs} that gives all five; the paper does not say "
    "which pairs.",
    g_eval=G_EVAL,
    g_eval_pairs=G_EVAL_PAIRS,
    test_pairs=TEST_PAIRS,
)
_FILE = "patent_ce/meta_published.csv"
_LABELS, _TOKENS = "patent_ce/labels.csv", "patent_ce/tokens.csv"
_LENGTHS = ("min", "mean", "median", "max", "sd")
_NO_TOKENS = tr("needs the pairs and Longformer")


def decimals_of(statistic: str) -> int:
    """Return the number of decimals that the paper prints."""
    return 1 if statistic in PERCENT else 3


def published_agreements() -> list[Row]:
    """Return the published tau, rho, accuracy and F1 of every metric and criterion."""
    return published_rows(_FILE)


def compared_value(row: Row, statistic: str, estimate: Estimate | None) -> Value:
    """Return a printed value with the recomputed one; they agree if they print alike."""
    return Value(
        row["criterion"],
        row["metric"],
        statistic,
        estimate,
        row[statistic],
        tolerance=half_unit(decimals_of(statistic)),
        published_n=G_EVAL_PAIRS if row["metric"] == G_EVAL else TEST_PAIRS,
    )


@dataclass(frozen=True, slots=True)
class Lead:
    """The two best metrics by a statistic and a criterion, and the lead of the best."""

    criterion: str
    statistic: str
    best: str
    value: float
    second: str
    second_value: float

    def shown(self, place: int) -> str:
        """Return the best (0) or the second best (1), with its printed value."""
        value, name = ((self.value, self.best), (self.second_value, self.second))[place]
        return f"{value:.{decimals_of(self.statistic)}f} {name}"

    @property
    def gain(self) -> float:
        """In percent of the second best."""
        return 100 * (self.value / self.second_value - 1)

    @property
    def gain_bound(self) -> float:
        """Largest change of the gain by the rounding of both values."""
        half = half_unit(decimals_of(self.statistic))
        return 100 * self.value / self.second_value * (half / self.value + half / self.second_value)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return fields_json(self) | {"gain": round(self.gain, 3)}


def leads(printed: Sequence[Row]) -> list[Lead]:
    """Return best and second best of every statistic and criterion."""
    found = []
    for criterion in dict.fromkeys(row["criterion"] for row in printed):
        rows = [row for row in printed if row["criterion"] == criterion]
        for statistic in STATISTICS:
            best, second = sorted(rows, key=lambda row: -row[statistic])[:2]
            named = ((row["metric"], row[statistic]) for row in (best, second))
            found.append(Lead(criterion, statistic, *next(named), *next(named)))
    return found


def gains(found: Sequence[Lead]) -> list[Value]:
    """Return the printed gains of the paper's own metric, from the printed values."""
    return [
        Value(
            lead.criterion,
            lead.best,
            tr("gain in {statistic}, %", statistic=lead.statistic),
            Estimate(lead.gain, n=2),
            GAINS[lead.statistic],
            against=lead.second,
            tolerance=lead.gain_bound + half_unit(1),
        )
        for lead in found
        if lead.criterion == "Quality" and lead.statistic in GAINS
    ]


def findings(found: Sequence[Lead], gained: Sequence[Value]) -> list[PublishedFinding]:
    """Return the statements of the paper that its tables can confirm or refute."""
    correlations = [lead for lead in found if lead.statistic not in PERCENT]
    first = sum(lead.best == OWN for lead in correlations)
    labels = published_rows("patent_ce/labels.csv")
    sums = [row["first"] + row["equal"] + row["second"] for row in labels]
    return [
        PublishedFinding(
            tr("{own} has the highest correlation by every criterion", own=OWN),
            "all",
            first == len(correlations),
            tr("first in {first} of {n} (tau, rho)", first=first, n=len(correlations)),
        ),
        *(
            PublishedFinding(
                tr(
                    "{published:.1f} % above the second best in {statistic}",
                    published=value.published,
                    statistic=value.statistic[8:-3],
                ),
                value.subject,
                value.status == OK,
                tr(
                    "{metric} {recomputed:.1f} % above {against}",
                    metric=value.metric,
                    recomputed=value.recomputed,
                    against=value.against,
                ),
            )
            for value in gained
        ),
        PublishedFinding(
            tr("there are {pairs:,} pairs", pairs=PAIRS),
            "all",
            set(sums) == {PAIRS},
            tr(
                "labels of {count} of {n} criteria add up to it",
                count=sums.count(PAIRS),
                n=len(sums),
            ),
        ),
        PublishedFinding(
            tr("{test_pairs} test pairs are 15 % of them", test_pairs=TEST_PAIRS),
            "all",
            round(0.15 * PAIRS) == TEST_PAIRS,
            f"{100 * TEST_PAIRS / PAIRS:.2f} %",
        ),
    ]


def listing(
    values: Sequence[Value], gained: Sequence[Value], why: Callable[[Value], str]
) -> list[Part]:
    """Return all results of the paper; ``why`` is the reason for values not recomputed."""
    place, content = "Tables 3–5", tr("agreement with experts")
    compared = [value for value in values if value.status in (OK, DIFFERS)]
    others = grouped((value for value in values if value not in compared), why)
    at_hand = tr("not in the numbers at hand")
    return [
        *(printed_only(f"Table {n}", tr("other tables"), at_hand) for n in (1, 2, 8)),
        *recomputed(place, content, compared, tr("from the pairs of the file"), _FILE),
        *(
            Part(place, content, PRINTED_ONLY, reason, len(found), _FILE)
            for reason, found in others.items()
        ),
        printed_only(
            "Table 6",
            tr("prompt of the judge"),
            tr("patmark claims judge has it in our words: table6"),
        ),
        printed_only("Table 7", tr("an example"), tr("the texts are not free")),
        *recomputed("Text", tr("gains over the second best"), gained, tr("from Tables 3–5"), ""),
        printed_only(
            "Text",
            tr("labels"),
            tr("needs all {pairs:,} pairs", pairs=PAIRS),
            _LABELS,
            ["first", "equal", "second"],
        ),
        printed_only("Appendix B", tr("tokens of claims"), _NO_TOKENS, _TOKENS, _LENGTHS),
    ]


def published_tables() -> list[Table]:
    """Return the printed numbers: a table for each statistic, labels and tokens."""
    printed = published_agreements()
    criteria = list(dict.fromkeys(row["criterion"] for row in printed))
    tables = []
    for statistic in STATISTICS:
        columns = (
            Column(tr("metric")),
            *(Column(each, decimals_of(statistic)) for each in criteria),
        )
        rows: dict[str, list[Cell]] = {}
        for row in printed:
            rows.setdefault(row["metric"], [row["metric"]]).append(row[statistic])
        note = tr("{n} pairs.", n=TEST_PAIRS)
        if statistic in PERCENT:
            note = tr("{n} pairs, in percent.", n=TEST_PAIRS)
        cells = tuple(tuple(found) for found in rows.values())
        tables.append(
            Table(
                tr("Tables 3–5, as printed: {statistic}", statistic=statistic), columns, cells, note
            )
        )
    heads = (tr("criterion"), tr("first is better"), tr("equal"), tr("second is better"))
    labels = tuple(tuple(row.values()) for row in published_rows(_LABELS))
    tables.append(Table(tr("Labels, as printed"), tuple(Column(head, 0) for head in heads), labels))
    return [*tables, tokens_table(())]


def tokens_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return lengths as printed, in tokens of Longformer, and those of other texts, in words."""
    columns = (Column(tr("texts")), Column(tr("unit")), *(Column(name, 0) for name in _LENGTHS))
    [printed] = published_rows(_TOKENS)
    cells: list[tuple[Cell, ...]] = [
        (
            tr("claims, as printed"),
            tr("tokens of Longformer"),
            *(printed[name] for name in _LENGTHS),
        )
    ]
    cells += [(row["texts"], "words", *(row[name] for name in _LENGTHS)) for row in rows]
    note = tr("Words between blanks, which are fewer than tokens.") if rows else ""
    return Table(tr("Appendix B: lengths"), columns, tuple(cells), note)


def leads_table(found: Sequence[Lead]) -> Table:
    """Return best and second best of every statistic and criterion."""
    columns = (
        Column(tr("criterion")),
        Column(tr("statistic")),
        Column(tr("best")),
        Column(tr("second best")),
        Column(tr("gain, %"), 1),
    )
    rows = tuple(
        (one.criterion, one.statistic, one.shown(0), one.shown(1), one.gain) for one in found
    )
    return Table(tr("Tables 3–5: best and second best"), columns, rows)


def printed_results(
    values: Sequence[Value], why: Callable[[Value], str]
) -> tuple[tuple[Table, ...], dict[str, Any]]:
    """Return all results, findings and best metrics, as data and as a report."""
    best = leads(published_agreements())
    gained = gains(best)
    parts, found = listing(values, gained, why), findings(best, gained)
    result = {
        "listing": parts,
        "best": best,
        "gains": [value.to_json(VALUE_KEYS) for value in gained],
        "findings": found,
    }
    return (listing_table(parts), findings_table(found), leads_table(best)), result


def published_study() -> Reproduction:
    """Return the study without the pairs: all printed values, and values derived from them."""
    printed = published_agreements()
    values = [compared_value(row, name, None) for row in printed for name in STATISTICS]
    given = setting("data", "FILE")
    needed = tr("needs the pairs: {data}", data=given)
    tables, result = printed_results(values, lambda value: needed)
    report = Report(
        title=tr("Patent-CE: published tables"),
        subtitle=SOURCE,
        headlines=(),
        tables=(*tables, *published_tables()),
        signatures={"source": SOURCE},
        notes=(WHICH_TABLE, TIES, JUDGED),
        brief=len(tables),
    )
    rows = [value.to_json(VALUE_KEYS) for value in values]
    head = {"study": "patent-ce", "test_pairs": TEST_PAIRS, "rows": rows}
    note = tr("the pairs do not come with patmark; {data} computes the tables again", data=given)
    report = answered(report, capitalised(note), result["findings"])
    return Reproduction({**head, **result, "notes": report.notes}, report)


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
    """Return the paper's table for the criteria of the file, with the available measures.

    ``measures`` are additional ones, such as those that need a model. BERTScore(model=…) is
    compared with the BERTScore of the paper; measures that the paper lacks are only recomputed. A
    measure of one criterion is compared with that criterion. ``judged`` are the scores of one
    judge, compared with G-Eval-4. A ``tie_band`` adds rows to the recomputed values; those of the
    paper are without.
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
    found = done.to_json()
    result = {
        "study": "patent-ce",
        "test_pairs": TEST_PAIRS,
        **facts,
        "lengths": text_lengths(pairs.pairs),
        "rows": [value.to_json(VALUE_KEYS) | {"difference": value.difference} for value in values],
        "measures": found["rows"],
        "counts": found["counts"],
        "signatures": found["signatures"],
        "notes": report.notes,
        "resampling": found["resampling"],
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
                "more measures and tie bands need the claim pairs of the paper: "
                f"{setting('data', 'FILE')}"
            )
        return published_study()
    pairs = read_claim_pairs(data)
    judged = [] if scores is None else read_given_scores([scores], pairs)
    return reproduce_patent_ce(pairs, sampling, measures, judged, tie_band)


STUDY = Study(_from_file, frozenset({"data", "measures", "scores", "tie_band"}))


def _compared(printed: Sequence[Row], rows: Sequence[AgreementRow]) -> list[Value]:
    found: dict[tuple[str, str], AgreementRow] = {}
    for row in rows:
        criterion, measure = row.criterion.lower(), row.measure
        if isinstance(measure, GivenMeasure):
            # of a judge, the paper prints only the scores of the criterion
            if (measure.criterion or QUALITY) != criterion:
                continue
            name = G_EVAL
        else:  # the paper does not name models
            own = measure.measure.label
            name = own if own in _WITH_MODEL else measure.label
        place = (criterion, name)
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


def _why(others: Sequence[Value]) -> Callable[[Value], str]:

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
            "{count} of {compared} published values are reproduced",
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
        title=tr("Patent-CE: reproduction of the published table"),
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
    return answered(report, summary)


def _notes(values: Sequence[Value]) -> list[str]:
    absent = dict.fromkeys(one.metric for one in values if one.status == PUBLISHED_ONLY)
    without_model = [name for name in absent if name in _WITH_MODEL]
    notes: list[str] = []
    if without_model:
        notes.append(
            tr(
                "Published only, because no model was given: {without_model}. Name one: "
                "{measures}.",
                without_model=tuple(without_model),
                measures=setting("measures", f"{without_model[0]}(model=…)"),
            )
        )
    if G_EVAL in absent:
        notes.append(
            tr(
                "Published only, because no judge was given: {g_eval}. patmark claims judge "
                "--save makes its scores, and {scores} names them.",
                g_eval=G_EVAL,
                scores=setting("scores"),
            )
        )
    else:
        notes.append(
            tr(
                "{g_eval}: the published scores come from another model and prompt and "
                "need not agree.",
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
