"""Patent-CE computed again from its test pairs: n-gram measures beside the printed values.

The pairs are not free enough to come with patmark, so the file must be given. The paper's values
are of all 184 test pairs; of other pairs, both are shown but not compared.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from patmark.claims import (
    PAPER_MEASURES,
    PERCENT,
    AgreementRow,
    ClaimMetaEvaluation,
    finite,
    meta_evaluate_claims,
)
from patmark.data import ClaimPairs, Estimate
from patmark.errors import UsageError
from patmark.evaluation import Settings
from patmark.measures import split_names
from patmark.protocols.reproduction import DIFFERS, OK, Reproduction
from patmark.report import Cell, Column, Report, Table
from patmark.stats import STATISTICS

TEST_PAIRS = 184
OTHER_PAIRS = "other pairs"
PUBLISHED_ONLY = "published only"
_SOURCE = "Jiang, Scherz, Goetz 2025, Towards Better Evaluation for Generated Patent Claims (ACL)"
_ROUNDING = 1e-9
_WITH_MODEL = (
    "BERTScore", "MoverScore", "SimCSE", "BARTScore", "UniEval", "AlignScore", "PatClaimEval",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PublishedAgreement:
    """A metric by a criterion on the 184 test pairs; ``values`` has tau, rho, accuracy, f1."""

    criterion: str
    metric: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A printed value beside the recomputed one; ``estimate`` is None where there is none."""

    criterion: str
    metric: str
    statistic: str
    published: float
    estimate: Estimate | None

    @property
    def difference(self) -> float | None:
        """Recomputed minus published, where both are of the same pairs."""
        if self.estimate is None or self.estimate.n != TEST_PAIRS:
            return None
        return self.estimate.value - self.published

    @property
    def status(self) -> str:
        """One of ``ok`` (equal as printed), ``differs``, ``other pairs``, ``published only``."""
        if self.estimate is None:
            return PUBLISHED_ONLY
        if self.difference is None:
            return OTHER_PAIRS
        return OK if abs(self.difference) <= tolerance(self.statistic) + _ROUNDING else DIFFERS

    def to_json(self) -> dict[str, Any]:
        """A stable shape."""
        found = self.estimate
        return {
            "criterion": self.criterion, "metric": self.metric, "statistic": self.statistic,
            "n": found.n if found else None,
            "recomputed": finite(found.value) if found else None,
            "ci": [finite(end) for end in found.ci] if found and found.ci else None,
            "published": self.published,
            "difference": None if self.difference is None else finite(self.difference),
            "status": self.status,
        }  # fmt: skip


def tolerance(statistic: str) -> float:
    """Half a unit of the last digit that the paper prints."""
    return 0.05 if statistic in PERCENT else 0.0005


def published_agreements() -> tuple[PublishedAgreement, ...]:
    """Every metric of the paper by every criterion."""
    file = resources.files("patmark.protocols.published") / "patent_ce" / "meta_published.csv"
    return tuple(
        PublishedAgreement(
            row["criterion"], row["metric"], {name: float(row[name]) for name in STATISTICS}
        )
        for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    )


def reproduce_patent_ce(
    pairs: ClaimPairs, settings: Settings | None = None, measures: str | None = None
) -> Reproduction:
    """The paper's table for the criteria of the file, with the measures that patmark has.

    ``measures`` are more of them, such as those that need a model; BERTScore(model=…) stands beside
    the BERTScore of the paper, and what the paper lacks among the recomputed values only.
    """
    printed = published_agreements()
    known = {one.criterion.lower() for one in printed}
    criteria = [name for name in pairs.criteria if name.lower() in known]
    if not criteria:
        raise UsageError(
            f"{pairs.name}: the paper has no criterion called {', '.join(pairs.criteria)}; "
            f"it has {', '.join(dict.fromkeys(one.criterion for one in printed))}"
        )
    asked = [*PAPER_MEASURES, *(split_names(measures) if measures else [])]
    done = meta_evaluate_claims(pairs, asked, criteria, settings)
    values = _compared(printed, done.rows)
    report = _report(values, done)
    return Reproduction(report, _result(values, done, report.notes))


def _compared(
    printed: Sequence[PublishedAgreement], rows: Sequence[AgreementRow]
) -> list[ComparedValue]:
    found: dict[tuple[str, str], AgreementRow] = {}
    for row in rows:
        place = (row.criterion.lower(), _metric(row))
        if place in found:
            raise UsageError(f"{place[1]} is asked for twice; the paper has it once")
        found[place] = row
    criteria = {row.criterion.lower() for row in rows}
    values = []
    for one in printed:
        if one.criterion.lower() not in criteria:
            continue
        same = found.get((one.criterion.lower(), one.metric))
        for name, value in one.values.items():
            estimate = same.everything.estimates[name] if same else None
            values.append(ComparedValue(one.criterion, one.metric, name, value, estimate))
    return values


def _metric(row: AgreementRow) -> str:
    """The name of a measure in the paper, which does not tell models."""
    label, own = row.measure.label, row.measure.measure.label
    return own if own in _WITH_MODEL else label


def _summary(values: Sequence[ComparedValue]) -> str:
    statuses = [value.status for value in values]
    compared = statuses.count(OK) + statuses.count(DIFFERS)
    if not compared:
        return f"not compared: the published values are of {TEST_PAIRS} pairs"
    return f"{statuses.count(OK)} of {compared} published values come out as printed"


def _report(values: Sequence[ComparedValue], done: ClaimMetaEvaluation) -> Report:
    recomputed = done.to_report()
    criteria = dict.fromkeys(value.criterion for value in values)
    beside = [_table(name, [one for one in values if one.criterion == name]) for name in criteria]
    return Report(
        title="Patent-CE: published table computed again",
        subtitle=f"{recomputed.subtitle} · {_summary(values)}",
        headlines=(),
        tables=(*beside, *recomputed.tables),
        signatures={"source": _SOURCE, **recomputed.signatures},
        notes=(*_notes(values), *recomputed.notes),
    )


def _notes(values: Sequence[ComparedValue]) -> list[str]:
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


def _table(criterion: str, values: Sequence[ComparedValue]) -> Table:
    """One row for each metric, recomputed and published values of each statistic."""
    columns = [Column("metric"), Column("status"), Column("pairs", 0)]
    for name in STATISTICS:
        decimals = 1 if name in PERCENT else 3
        columns += [Column(name, decimals), Column(f"{name} published", decimals)]
    rows: list[tuple[Cell, ...]] = []
    for metric in dict.fromkeys(value.metric for value in values):
        cells = [value for value in values if value.metric == metric]
        shown = [
            cell
            for value in cells
            for cell in (value.estimate.value if value.estimate else None, value.published)
        ]
        count = cells[0].estimate.n if cells[0].estimate else None
        statuses = dict.fromkeys(value.status for value in cells)
        rows.append((metric, ", ".join(statuses), count, *shown))
    return Table(
        f"{criterion}: recomputed and published", tuple(columns), tuple(rows),
        f"Published: {TEST_PAIRS} pairs. Accuracy and weighted F1 in percent.",
    )  # fmt: skip


def _result(
    values: Sequence[ComparedValue], done: ClaimMetaEvaluation, notes: Sequence[str]
) -> dict[str, Any]:
    recomputed = done.to_json()
    return {
        "study": "patent-ce",
        "test_pairs": TEST_PAIRS,
        "rows": [value.to_json() for value in values],
        "measures": recomputed["rows"],
        "counts": recomputed["counts"],
        "signatures": recomputed["signatures"],
        "notes": list(notes),
        "resampling": recomputed["resampling"],
    }
