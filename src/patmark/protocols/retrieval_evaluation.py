"""How well each run retrieves: measures with intervals over topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from patmark.data import Estimate, Scores
from patmark.errors import UsageError
from patmark.evaluation import Settings, estimate_json
from patmark.protocols.retrieval_data import RetrievalData
from patmark.report import Cell, Column, Report, Table
from patmark.retrieval import RankingMeasure, RankingScores, score_rankings
from patmark.stats import Units, estimate_all

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RetrievalEvaluation:
    """All runs under all measures."""

    data: RetrievalData
    found: RankingScores
    settings: Settings

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(ranking.name for ranking in self.data.rankings)

    @property
    def scores(self) -> Mapping[str, Scores]:
        """Scores by measure, with topics as segments."""
        return self.found.scores

    @property
    def documents(self) -> tuple[None, ...]:
        """Topics belong to no document: each is drawn by itself."""
        return (None,) * len(self.found.topics)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → run → mean over topics with interval."""
        units = Units.choose(self.documents, self.settings.by)
        quantities = [(scores.statistics, scores.score) for scores in self.scores.values()]
        estimated = estimate_all(quantities, units, self.settings.resamples, self.settings.seed)
        return {
            name: dict(zip(self.systems, values, strict=True))
            for name, values in zip(self.scores, estimated, strict=True)
        }

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {
            **self.data.to_json(),
            "systems": {
                system: {
                    measure: estimate_json(values[system])
                    for measure, values in self.estimates.items()
                }
                for system in self.systems
            },
            "missing": {run: list(topics) for run, topics in self.found.missing.items()},
            "left_out": dict(self.found.left_out),
            "signatures": {name: scores.signature for name, scores in self.scores.items()},
            "resampling": {
                "method": "percentile bootstrap", "by": "topic", "units": len(self.documents),
                "resamples": self.settings.resamples, "seed": self.settings.seed,
                "confidence": 0.95,
            },
        }  # fmt: skip

    def to_report(self) -> Report:
        """One table, and what does not count or counts 0."""
        return Report(
            title="Retrieval",
            subtitle=self.subtitle,
            headlines=(),
            tables=(self._table(),),
            signatures={name: scores.signature for name, scores in self.scores.items()},
            notes=tuple(self.notes()),
        )

    @property
    def subtitle(self) -> str:
        """Judgements and number of topics, in one line."""
        return f"{self.data.qrels.name} · {len(self.found.topics)} topics"

    def notes(self) -> list[str]:
        """What counts 0, what leaves a mean, and what was done to the data."""
        notes = self.data.notes()
        for run, topics in self.found.missing.items():
            if topics:
                listed = ", ".join(topics[:_SHOWN]) + (" …" if len(topics) > _SHOWN else "")
                count = f"{len(topics)} of {len(self.found.topics)} topics"
                notes.append(f"{run}: {count} have no documents and count 0: {listed}.")
        notes += [
            f"{measure}: {topics} of {len(self.found.topics)} topics have no document of that "
            "grade and leave the mean."
            for measure, topics in self.found.left_out.items()
            if topics
        ]
        return notes

    def _table(self) -> Table:
        first = next(iter(self.estimates.values()))
        ranked = sorted(self.systems, key=lambda system: _descending(first[system]))
        columns = [Column("run")]
        columns += (Column(name, 4, (0.0, 1.0)) for name in self.estimates)
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (run, *(values[run] for values in self.estimates.values())) for run in ranked
        )
        drawn = f"{self.settings.resamples} resamples, seed {self.settings.seed}"
        how = f"95 % percentile bootstrap by topic, {drawn}"
        note = f"{self._counts()}; {how if self.settings.resamples else 'no intervals'}"
        return Table("Means over topics", tuple(columns), rows, note)

    def _counts(self) -> str:
        """How many topics each mean is over."""
        measures: dict[int, list[str]] = {}
        for name, left_out in self.found.left_out.items():
            measures.setdefault(len(self.found.topics) - left_out, []).append(name)
        counts = (f"n = {n} topics for {', '.join(names)}" for n, names in measures.items())
        return "; ".join(counts)


def _descending(estimate: Estimate) -> tuple[bool, float]:
    """Best first; runs without a value last."""
    known = estimate.value == estimate.value
    return not known, -estimate.value if known else 0.0


def evaluate_retrieval(
    data: RetrievalData,
    measures: str | Sequence[RankingMeasure | str] | None = None,
    settings: Settings | None = None,
) -> RetrievalEvaluation:
    """Score all runs. Without measures: AP rigid and relaxed, and recall as in NTCIR-7."""
    settings = settings or Settings()
    if settings.by == "document":
        raise UsageError("topics belong to no document; resampling is by topic")
    found = score_rankings(
        data.rankings, data.qrels, measures, data.collection, **data.signature_parts
    )
    return RetrievalEvaluation(data, found, settings)
