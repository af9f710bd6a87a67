"""What the Patent-CE paper prints: its tables, who leads in them and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from patmark.claims import PERCENT
from patmark.data import Estimate
from patmark.protocols.listing import (
    PRINTED_ONLY,
    Part,
    listing_table,
    printed_only,
    recomputed,
)
from patmark.protocols.reproduction import (
    DIFFERS,
    OK,
    Finding,
    Reproduction,
    Row,
    Value,
    answered,
    findings_table,
    grouped,
    published_rows,
)
from patmark.protocols.rounding import half_unit
from patmark.report import Cell, Column, Report, Table
from patmark.stats import STATISTICS
from patmark.wording import capitalised, tr

PAIRS, TEST_PAIRS = 1228, 184
G_EVAL, G_EVAL_PAIRS = "G-Eval-4", 135
SOURCE = "Jiang, Scherz, Goetz 2025, Towards Better Evaluation for Generated Patent Claims (ACL)"
OWN = "PatClaimEval"
GAINS = {"tau": 41.5, "rho": 58.0}  # of the paper's own metric over the second best, by quality
VALUE_KEYS = (
    "criterion", "metric", "statistic", "n", "recomputed", "ci", "published", "difference",
    "tolerance", "status",
)  # fmt: skip
NO_PAIRS = tr("needs the pairs: --data FILE")
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
    """With how many decimals the paper prints it."""
    return 1 if statistic in PERCENT else 3


def published_agreements() -> list[Row]:
    """Every metric of the paper by every criterion: tau, rho, accuracy and f1 on the test pairs."""
    return published_rows(_FILE)


def compared_value(row: Row, statistic: str, estimate: Estimate | None) -> Value:
    """A printed value beside the recomputed one; they agree when they are printed alike."""
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
    """The two best metrics by a statistic and a criterion, and how much better the best is."""

    criterion: str
    statistic: str
    best: str
    value: float
    second: str
    second_value: float

    def told(self, place: int) -> str:
        """The best (0) or the second best (1), with its value as it is printed."""
        value, name = ((self.value, self.best), (self.second_value, self.second))[place]
        return f"{value:.{decimals_of(self.statistic)}f} {name}"

    @property
    def gain(self) -> float:
        """In percent of the second best."""
        return 100 * (self.value / self.second_value - 1)

    @property
    def gain_bound(self) -> float:
        """How far the rounding of both values may move the gain."""
        half = half_unit(decimals_of(self.statistic))
        return 100 * self.value / self.second_value * (half / self.value + half / self.second_value)

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        return {**asdict(self), "gain": round(self.gain, 3)}


def leads(printed: Sequence[Row]) -> list[Lead]:
    """Best and second best of every statistic and criterion."""
    found = []
    for criterion in dict.fromkeys(row["criterion"] for row in printed):
        rows = [row for row in printed if row["criterion"] == criterion]
        for statistic in STATISTICS:
            best, second = sorted(rows, key=lambda row: -row[statistic])[:2]
            named = ((row["metric"], row[statistic]) for row in (best, second))
            found.append(Lead(criterion, statistic, *next(named), *next(named)))
    return found


def gains(found: Sequence[Lead]) -> list[Value]:
    """The printed gains of the paper's own metric, from the printed values."""
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


def findings(found: Sequence[Lead], gained: Sequence[Value]) -> list[Finding]:
    """What the paper says of its results and its pairs, as far as its tables can tell."""
    correlations = [lead for lead in found if lead.statistic not in PERCENT]
    first = sum(lead.best == OWN for lead in correlations)
    labels = published_rows("patent_ce/labels.csv")
    sums = [row["first"] + row["equal"] + row["second"] for row in labels]
    return [
        Finding(
            tr("{own} has the highest correlation by every criterion", own=OWN),
            "all",
            first == len(correlations),
            tr("first in {first} of {n} (tau, rho)", first=first, n=len(correlations)),
        ),
        *(
            Finding(
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
        Finding(
            tr("there are {pairs:,} pairs", pairs=PAIRS),
            "all",
            set(sums) == {PAIRS},
            tr(
                "labels of {count} of {n} criteria add up to it",
                count=sums.count(PAIRS),
                n=len(sums),
            ),
        ),
        Finding(
            tr("{test_pairs} test pairs are 15 % of them", test_pairs=TEST_PAIRS),
            "all",
            round(0.15 * PAIRS) == TEST_PAIRS,
            f"{100 * TEST_PAIRS / PAIRS:.2f} %",
        ),
    ]


def listing(
    values: Sequence[Value], gained: Sequence[Value], why: Callable[[Value], str]
) -> list[Part]:
    """All results of the paper; ``why`` tells of a value why it was not computed again."""
    place, content = "Tables 3–5", tr("agreement with experts")
    compared = [value for value in values if value.status in (OK, DIFFERS)]
    others = grouped((value for value in values if value not in compared), why)
    return [
        printed_only("Tables 1, 2", tr("other tables"), tr("not in the numbers at hand")),
        *recomputed(place, content, compared, tr("from the pairs of the file"), _FILE),
        *(
            Part(place, content, PRINTED_ONLY, reason, len(found), _FILE)
            for reason, found in others.items()
        ),
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
    """The printed numbers: a table for each statistic, labels and tokens."""
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
    """Lengths as printed, in tokens of Longformer, and those of other texts, in words."""
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
    """Best and second best of every statistic and criterion."""
    columns = (
        Column(tr("criterion")),
        Column(tr("statistic")),
        Column(tr("best")),
        Column(tr("second best")),
        Column(tr("gain, %"), 1),
    )
    rows = tuple(
        (one.criterion, one.statistic, one.told(0), one.told(1), one.gain) for one in found
    )
    return Table(tr("Tables 3–5: best and second best"), columns, rows)


def printed_results(
    values: Sequence[Value], why: Callable[[Value], str]
) -> tuple[tuple[Table, ...], dict[str, Any]]:
    """The list of all results, what the paper found, and who leads: for people and programs."""
    best = leads(published_agreements())
    gained = gains(best)
    parts, found = listing(values, gained, why), findings(best, gained)
    result = {
        "listing": [part.to_json() for part in parts],
        "best": [lead.to_json() for lead in best],
        "gains": [value.to_json(VALUE_KEYS) for value in gained],
        "findings": found,
    }
    return (listing_table(parts), findings_table(found), leads_table(best)), result


def published_study() -> Reproduction:
    """The study without the pairs: all that is printed, and what follows from it alone."""
    printed = published_agreements()
    values = [compared_value(row, name, None) for row in printed for name in STATISTICS]
    tables, result = printed_results(values, lambda value: NO_PAIRS)
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
    told = tr("the pairs do not come with patmark; --data FILE computes the tables again")
    report = answered(report, capitalised(told), (), result["findings"])
    return Reproduction({**head, **result, "notes": report.notes}, report)
