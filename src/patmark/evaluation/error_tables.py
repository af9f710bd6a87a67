"""Tables of annotated errors by system: counts by kind, points lost, places.

The table of kinds is a heat map. Its numbers open the outputs with these errors, with the marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from patmark.data import (
    SEVERITY_NAMES,
    AnnotatedTexts,
    Annotation,
    Annotations,
    Estimate,
    Evidence,
    FloatArray,
    Scores,
    Segment,
    Side,
    TestSet,
    severity_rank,
)
from patmark.evaluation.error_marks import (
    ESA,
    MQM,
    Weights,
    error_counts,
    esa_scores,
    mqm_scores,
    part_scores,
    source_lengths,
)
from patmark.evaluation.evaluation import interval_note
from patmark.evaluation.span_agreement import SpanAgreement, span_agreement
from patmark.languages import language_of
from patmark.report import Cell, Column, Explorer, Heat, Table, sentences
from patmark.stats import Sampling, Units, estimate_scores
from patmark.wording import tr

Kind: TypeAlias = tuple[str, str]
"""Category and severity."""
_SECTION = tr("errors")


@dataclass(frozen=True, eq=False)
class ErrorAnalysis:
    """Annotated errors of several systems; without ``texts`` there is nothing to open."""

    annotations: Annotations
    weights: Weights
    texts: AnnotatedTexts | None = None
    sampling: Sampling = field(default_factory=Sampling)

    @cached_property
    def agreement(self) -> SpanAgreement | None:
        """Agreement of evaluators on marked spans; None if no output was rated by two."""
        return span_agreement(self.annotations, self.texts, self.sampling)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of error that occur: by category, the worst first."""
        found = {_kind(mark) for mark in self.annotations.marks}
        return tuple(sorted(found, key=lambda kind: (kind[0], severity_rank(kind[1]), kind[1])))

    @cached_property
    def per_hundred(self) -> Mapping[Kind, FloatArray]:
        """Errors of each kind in 100 outputs of each system, on average over evaluators."""
        return {kind: self._rates(kind) for kind in self.kinds}

    def _rates(self, kind: Kind | None = None) -> FloatArray:
        counts = error_counts(self.annotations, lambda mark: kind in (None, _kind(mark)))
        return np.asarray(100 * np.nanmean(counts, axis=1))

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """The ESA grades if there are any, MQM, MQM by length, and normalised MQM.

        MQM by length requires all sources, normalised MQM several evaluators.
        """
        esa = esa_scores(self.annotations)
        found = {ESA: esa} if esa is not None else {}
        found[MQM] = mqm_scores(self.annotations, self.weights)
        sources = self.texts.sources if self.texts else {}
        if all(segment in sources for segment in self.annotations.segments):
            unit, lengths = source_lengths(sources, _language(sources.values()))
            found[f"{MQM} per 100 {unit}"] = mqm_scores(
                self.annotations, self.weights, lengths=lengths, unit=unit
            )
        if len(self.annotations.evaluators) > 1:
            found[f"{MQM}, z by evaluator"] = mqm_scores(
                self.annotations, self.weights, normalised=True
            )
        return found

    @cached_property
    def units(self) -> Units:
        """Resampling units."""
        documents = self.annotations.documents
        known = [documents.get(segment) for segment in self.annotations.segments]
        return Units.choose(known, self.sampling.by, self.annotations.segments)

    def _estimates(self, scores: Iterable[Scores]) -> list[list[Estimate]]:
        sampling = self.sampling
        return estimate_scores(scores, self.units, sampling.resamples, sampling.seed)

    def tables(self) -> list[Table]:
        """Return the kinds of error, the cost of each category, normalised scores, agreement."""
        tables = [self._heat_map(), self._cost_table()]
        if len(self.scores) > 1:
            tables.append(self._score_table())
        if self.agreement is not None:
            tables += self.agreement.tables()
        return [replace(table, section=_SECTION) for table in tables]

    def _heat_map(self) -> Table:
        """Return errors by kind; the shade is a root, so that rare kinds of error stay visible."""
        systems = self.annotations.systems
        most = max((float(np.nanmax(values)) for values in self.per_hundred.values()), default=0.0)
        rows: list[tuple[Cell, ...]] = []
        for kind, values in self.per_hundred.items():
            cells = [
                Heat(value, (value / most) ** 0.5 if value > 0 else 0.0, system, check_name(kind))
                for system, value in zip(systems, values.tolist(), strict=True)
            ]
            rows.append((kind[0], SEVERITY_NAMES.get(kind[1], kind[1]), *cells))
        rows.append((tr("all errors"), "", *self._rates().tolist()))
        columns = (*map(Column, (tr("category"), tr("severity"))), *(Column(n, 1) for n in systems))
        note = tr(
            "Errors that an evaluator marks in 100 outputs, mean over evaluators, then segments."
        )
        return Table(tr("Errors in 100 outputs"), columns, tuple(rows), note)

    def _cost_table(self) -> Table:
        parts, whole = part_scores(self.annotations, self.weights), self.scores[MQM]
        estimates = self._estimates([*parts.values(), whole])
        names = [*parts, tr("all")]
        points = tr(
            "Points of the weights {name!r} for each segment; the categories add up to the whole.",
            name=self.weights.name,
        )
        return Table(
            tr("{mqm} by error category", mqm=MQM),
            (Column(tr("category")), *(Column(name, 3) for name in whole.systems)),
            tuple((name, *of) for name, of in zip(names, estimates, strict=True)),
            sentences(points, interval_note(self.sampling, self.units)),
        )

    def _score_table(self) -> Table:
        estimates = zip(*self._estimates(self.scores.values()), strict=True)
        rows = [(name, *of) for name, of in zip(self.annotations.systems, estimates, strict=True)]
        rows.sort(key=lambda row: -np.nan_to_num(row[1].value, nan=-np.inf))
        return Table(
            tr("Scores from annotations"),
            (Column(tr("system")), *(Column(name, 3) for name in self.scores)),
            tuple(rows),
            tr(
                "{mqm} is per segment; words or characters are those of the source. "
                "z by evaluator: points in standard deviations from the mean of "
                "their evaluator, so that a strict one does not weigh on the systems "
                "that he or she happened to get.",
                mqm=MQM,
            ),
        )

    def explorer(self) -> Explorer | None:
        """Return all outputs with their marks; None if no output is known."""
        texts, annotations = self.texts, self.annotations
        if texts is None or not texts.targets:
            return None
        documents = annotations.documents
        sources = [texts.sources.get(segment) for segment in annotations.segments]
        segments = tuple(
            Segment(name, source, (), documents.get(name))
            for name, source in zip(annotations.segments, sources, strict=True)
        )
        source_language = _language(text for text in sources if text is not None)
        target_language = _language(texts.targets.values()) or language_of(None, "")
        return Explorer(
            test_set=TestSet(segments, target_language, source_language),
            systems=annotations.systems,
            hypotheses=tuple(
                tuple(texts.targets.get((system, one.id)) for one in segments)
                for system in annotations.systems
            ),
            values={
                name: self.scores[name].segment_scores for name in (ESA, MQM) if name in self.scores
            },
            higher_is_better={MQM: True, ESA: True},
            facets={"document": tuple(one.document for one in segments)} if documents else {},
            evidence=self.evidence(annotations.systems, annotations.segments),
        )

    def evidence(
        self, systems: Sequence[str], segments: Sequence[str]
    ) -> dict[str, tuple[tuple[tuple[Evidence, ...], ...], ...]]:
        """Return the places of errors by kind in the outputs of these systems and segments."""
        places: dict[tuple[Kind, str, str], list[Evidence]] = {}
        for mark in self.annotations.marks:
            place = places.setdefault((_kind(mark), mark.system, mark.segment), [])
            side: Side = "source" if mark.side == "source" else "hypothesis"
            text = tr("marked by {evaluator}", evaluator=mark.evaluator)
            place.append(Evidence(side, mark.start, mark.end, text, mark.severity))
        return {
            check_name(kind): tuple(
                tuple(tuple(places.get((kind, system, segment), ())) for segment in segments)
                for system in systems
            )
            for kind in self.kinds
        }

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        annotations = self.annotations
        systems, estimates = annotations.systems, self._estimates(self.scores.values())
        return {
            "weights": self.weights.name,
            "ratings": len(annotations.rated),
            "errors": len(annotations.marks),
            "systems": {
                system: dict(zip(self.scores, of_system, strict=True))
                for system, *of_system in zip(systems, *estimates, strict=True)
            },
            "kinds": [
                {
                    "category": category,
                    "severity": severity,
                    "per_100_outputs": dict(zip(systems, values, strict=True)),
                }
                for (category, severity), values in self.per_hundred.items()
            ],
            "agreement": self.agreement.to_json() if self.agreement else None,
            "signatures": {name: one.signature for name, one in self.scores.items()},
        }


def check_name(kind: Kind) -> str:
    """Return the name of a kind of errors in the explorer."""
    return f"{kind[0]}, {kind[1]}"


def _kind(mark: Annotation) -> Kind:
    return mark.category, mark.severity


def _language(texts: Iterable[str]) -> str | None:
    found = Counter(language_of(None, text) for text in texts if text)
    return found.most_common(1)[0][0] if found else None
