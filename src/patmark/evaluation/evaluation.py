"""The result of scoring: scores of systems, their resampling in words, and all that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from patmark.data import (
    Estimate,
    Evidence,
    FilePath,
    Message,
    Notice,
    ScoreFacts,
    Scores,
    segment_csv,
)
from patmark.errors import UsageError
from patmark.evaluation.data_quality import REFERENCE
from patmark.measures import Group, Measure
from patmark.report import Cell, Column, PaperTable, Report, Result, Table, messages_json, plain
from patmark.stats import Sampling, Units, estimate_scores
from patmark.wording import setting, tr, tr_n

if TYPE_CHECKING:
    from patmark.evaluation.comparison import CompareSettings, Comparison
    from patmark.evaluation.gates import GatePlan, GateResult, Gates

INTERVAL_METHOD = "expanded percentile bootstrap"
RATE_METHOD, RATE_DIFFERENCE_METHOD = "Wilson", "Tango"


def dependent_segments(units: Units, effect: str) -> tuple[Notice, ...]:
    """Return a warning if segments are resampled although documents are known."""
    if units.kind != "segment" or not 0 < units.documents < units.count:
        return ()
    return (
        Notice(
            "warning",
            "dependent-segments",
            tr(
                "segments are drawn although they come from {documents}. Segments of one "
                "document are alike, so {effect}; {cure}.",
                documents=tr_n("{n} document", "{n} documents", n=units.documents),
                effect=effect,
                cure=tr("more documents are needed")
                if units.too_few
                else tr("{by} draws documents", by=setting("by", "document")),
            ),
        ),
    )


def unit_name(units: Units) -> str:
    """Return the resampling unit in a word."""
    return tr("document") if units.kind == "document" else tr("segment")


def unknown_documents(units: Units) -> tuple[str, ...]:
    """Return a note that segments count as independent because no documents are known."""
    if units.documents or units.count < 2:
        return ()
    return (
        tr(
            "Documents are unknown, so every segment counts as independent. Where several come "
            "from one document, intervals are too narrow and p-values too small: name the "
            "documents."
        ),
    )


def interval_notes(units: Units) -> tuple[str, ...]:
    """Return a note if few documents are resampled."""
    if units.kind != "document" or not units.too_few:
        return ()
    return (
        tr_n(
            "Only {n} document is drawn from; intervals may be too narrow.",
            "Only {n} documents are drawn from; intervals may be too narrow.",
            n=units.count,
        ),
    )


def interval_note(settings: Sampling, units: Units | str, *, rates: bool = False) -> str:
    """Return the method of intervals in words; ``rates`` have a separate method."""
    if not settings.resamples:
        return tr("no intervals")
    made = tr(
        "95 % expanded percentile bootstrap by {units}, {resamples} resamples, seed {seed}",
        units=str(units),
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return tr("{made}; rates: {method}", made=made, method=RATE_METHOD) if rates else made


def difference_method(settings: Sampling, *, rates: bool) -> str:
    """Return the method of the intervals of scores and differences, for a signature."""
    of_rates = f"; rates: {RATE_METHOD}, differences of rates: {RATE_DIFFERENCE_METHOD}" * rates
    return f"{INTERVAL_METHOD}, {settings.resamples} resamples{of_rates}"


def resampling_json(settings: Sampling, units: Units) -> dict[str, Any]:
    """Return the resampling settings for JSON."""
    return {
        "method": INTERVAL_METHOD, "rates": RATE_METHOD, "by": units.kind, "units": units.count,
        "documents": units.documents,
        "resamples": settings.resamples, "seed": settings.seed, "confidence": 0.95,
    }  # fmt: skip


QUALITY = tr("Translation quality")
COMPARISON = tr("Comparison of systems")
_TABLES: Mapping[Group, str] = {
    "reference": tr("Scores"),
    "length": tr("Length and leakage"),
    "check": tr("Checks without reference"),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation(Result):
    """Scores of systems on one test set, with intervals; the result of every protocol.

    ``documents`` are those of the segments, ``facts`` the known facts of the texts. A loaded
    evaluation has a ``name``, its files, and ``joining_notes`` on several of them.
    ``inferred_roles`` are those of listed files, ``alignment`` the segments of aligned documents
    without a counterpart.
    """

    scores: Mapping[str, Scores]
    documents: tuple[str | None, ...]
    sampling: Sampling = field(default_factory=Sampling)
    facts: ScoreFacts = field(default_factory=ScoreFacts)
    name: str = ""
    joining_notes: tuple[Notice, ...] = ()
    evidence: Mapping[str, tuple[tuple[tuple[Evidence, ...], ...], ...]] = field(
        default_factory=dict
    )
    reference_scores: Mapping[str, Scores] = field(default_factory=dict)
    inferred_roles: Mapping[str, Any] = field(default_factory=dict)
    alignment: Mapping[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return next(iter(self.scores.values())).systems if self.scores else ()

    @property
    def segments(self) -> tuple[str, ...]:
        """Ids of the segments."""
        return next(iter(self.scores.values())).segments if self.scores else ()

    @cached_property
    def units(self) -> Units:
        """Resampling units."""
        return Units.choose(self.documents, self.sampling.by, self.segments or None)

    @cached_property
    def estimates(self) -> Mapping[str, Mapping[str, Estimate]]:
        """Measure → system → value with interval."""
        return self._estimated(self.scores)

    @cached_property
    def references(self) -> dict[str, Estimate]:
        """Check → score of the references; empty without references."""
        estimated = self._estimated(self.reference_scores)
        return {name: values[REFERENCE] for name, values in estimated.items()}

    def _estimated(self, scores: Mapping[str, Scores]) -> dict[str, dict[str, Estimate]]:
        estimated = estimate_scores(
            scores.values(), self.units, self.sampling.resamples, self.sampling.seed
        )
        return {
            name: dict(zip(one.systems, values, strict=True))
            for (name, one), values in zip(scores.items(), estimated, strict=True)
        }

    # -- texts behind the scores: overridden by a subclass that has them ---------------------------

    @property
    def text_warnings(self) -> tuple[Notice, ...]:
        """Warnings of faulty texts, for every result that depends on them."""
        return self.joining_notes

    @property
    def data_notes(self) -> tuple[Message, ...]:
        """Notes on missing references and answers."""
        return self.facts.notes()

    @property
    def without_reference(self) -> tuple[str, ...]:
        """Segments without a reference although others have one."""
        return ()

    @property
    def subtitle(self) -> str:
        """Files and size in one line."""
        if not self.name:
            return tr_n("{n} segment", "{n} segments", n=len(self.segments))
        return tr_n(
            "scores {paths} · {n} segment",
            "scores {paths} · {n} segments",
            paths=self.name,
            n=len(self.segments),
        )

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Warnings to read before the scores."""
        if not self.sampling.resamples:
            return self.text_warnings
        narrow = dependent_segments(self.units, tr("intervals are too narrow"))
        return (*narrow, *self.text_warnings)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on the scores."""
        drawn = interval_notes(self.units) if self.sampling.resamples else ()
        return (*drawn, *self.data_notes)

    # -- files, comparison, gates -----------------------------------------------------------------

    @property
    def scored(self) -> Evaluation:
        """The evaluation itself; other results name their evaluation."""
        return self

    @property
    def segment_measures(self) -> Mapping[str, Scores]:
        """Scores whose single segments are written to files."""
        return self.scores

    def segment_csv(self) -> str:
        """Return the scores of single segments as CSV."""
        return segment_csv(list(self.segment_measures.values()))

    def save(self, path: FilePath) -> None:
        """Write all statistics to a file, for :func:`patmark.load`: .json (.gz, .zst), .parquet."""
        from patmark.evaluation.score_files import save_scores

        save_scores(path, self.scores, self.documents, self.facts.to_json())

    def compare(
        self, settings: CompareSettings | None = None, *, everything: bool = False
    ) -> Comparison:
        """Compare all pairs of systems under every measure.

        ``everything`` adds the full analysis of differences to the report.
        """
        from patmark.evaluation.comparison import compare_systems

        return compare_systems(self, settings, everything=everything)

    def check(
        self, gates: Gates | GatePlan, warn: Callable[[str], None] | None = None
    ) -> list[GateResult]:
        """Check gates by these scores; doubts go to ``warn``, or become Python warnings."""
        from patmark.evaluation.gates import judge_gates

        return judge_gates(gates, self, self.estimates, warn)

    # -- forms ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "segments": len(self.segments),
            "languages": dict(self.facts.languages or {}),
            "systems": {
                system: {
                    measure: estimate_json(values[system])
                    for measure, values in self.estimates.items()
                }
                for system in self.systems
            },
            "references": {name: estimate_json(one) for name, one in self.references.items()},
            "missing": dict(self.facts.missing or {}),
            "without_reference": list(self.without_reference),
            "signatures": {name: scores.signature for name, scores in self.scores.items()},
            "higher_is_better": {name: one.higher_is_better for name, one in self.scores.items()},
            "resampling": resampling_json(self.sampling, self.units),
            "inferred_roles": dict(self.inferred_roles),
            **({"alignment": dict(self.alignment)} if self.alignment else {}),
            **messages_json((*self.warnings, *self.notes)),
        }

    def to_report(self, title: str = QUALITY) -> Report:
        """Return warnings, tables and signatures."""
        tables = tuple(self._tables())
        return Report(
            title=title,
            subtitle=self.subtitle,
            headlines=(),
            tables=tables,
            signatures={name: scores.signature for name, scores in self.scores.items()},
            notes=self.notes,
            findings=self.warnings,
            paper=tuple(
                PaperTable(table.title, table.columns, table.rows, table.note, self.systems)
                for table in tables
            ),
            brief=len(tables),
        )

    def comparison_report(self, comparison: Comparison) -> Report:
        """Return the report of a comparison of these systems."""
        from patmark.evaluation.comparison_tables import comparison_report

        notes = (*unknown_documents(comparison.units), *self.data_notes, *self.text_warnings)
        return comparison_report(comparison, COMPARISON, self.subtitle, notes=notes)

    def _tables(self) -> Iterator[Table]:
        for group, title in _TABLES.items():
            scores = [one for one in self.scores.values() if group_of(one) == group]
            if not scores:
                continue
            rows: list[tuple[Cell, ...]] = [
                (system, *(self.estimates[one.measure][system] for one in scores))
                for system in self.systems
            ]
            own = [self.references.get(one.measure) for one in scores]
            if any(own):
                rows.append((REFERENCE, *own))
            columns = (Column(tr("system")), *map(score_column, scores))
            rates = any(one.rate for one in scores)
            note = interval_note(self.sampling, self.units, rates=rates)
            yield Table(title, columns, tuple(rows), note)

    def scores_by(self, measure: str | None) -> Scores:
        """Return the scores of a measure, by default of the first one."""
        name = next(iter(self.scores)) if measure is None else measure
        if name not in self.scores:
            raise UsageError(f"{name} was not measured; there are {', '.join(self.scores)}")
        return self.scores[name]

    def pair(self, a: str, b: str) -> tuple[int, int]:
        """Return the positions of two different systems."""
        for name in (a, b):
            if name not in self.systems:
                raise UsageError(
                    f"no system is called {name!r}; there are {', '.join(self.systems)}"
                )
        if a == b:
            raise UsageError(f"{a!r} cannot be compared with itself")
        return self.systems.index(a), self.systems.index(b)


def group_of(scores: Scores) -> Group:
    """Return the group of the measure of scores; a plain mean belongs to the references."""
    rule = scores.aggregation
    return rule.group if isinstance(rule, Measure) else "reference"


def score_column(scores: Scores) -> Column:
    """Return the column of a measure, with a bar if its scale is bounded."""
    bounded = scores.bounds is not None and np.isfinite(scores.bounds).all()
    scale = scores.bounds if bounded else None
    return Column(scores.measure, scores.decimals, scale, scores.higher_is_better)


def measure_column(measure: Measure) -> Column:
    """Return the column of a measure before any scores are known."""
    low, high = measure.bounds
    scale = (low, high) if np.isfinite([low, high]).all() else None
    return Column(measure.name, 2 if high > 1 or low < -1 else 4, scale, measure.higher_is_better)


def estimate_json(value: Estimate) -> dict[str, Any]:
    """Return an estimate for JSON, with null for undefined numbers."""
    encoded: dict[str, Any] = plain(value)
    return encoded
