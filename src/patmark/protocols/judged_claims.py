"""Claims judged by a language model, arranged: scores with intervals, failures, tokens and cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from patmark.claims.judge import ASPECTS, OVERALL, JudgeResult
from patmark.claims.judge_prompt import prompt_fingerprint
from patmark.data import Estimate, Run
from patmark.evaluation import Settings, estimate_json, interval_note, resampling_json
from patmark.llm import Usage
from patmark.report import Cell, Column, Explorer, Report, Table
from patmark.stats import Units, estimate_all

_ORDER = (OVERALL, *ASPECTS[:-1])
_SCALE = (0.0, 10.0)


@dataclass(frozen=True, eq=False)
class JudgedClaims:
    """What a judge said, with intervals over claim sets, or over references where many share one.

    Intervals say how much depends on the choice of claim sets; the spread says how much the model
    disagrees with itself.
    """

    result: JudgeResult
    runs: tuple[Run, ...]
    settings: Settings

    @cached_property
    def units(self) -> Units:
        """What is drawn for the intervals."""
        return Units.choose(self.result.test_set.documents, self.settings.by)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → system → value with interval; a single claim set has none."""
        scores = self.result.scores
        resamples = self.settings.resamples if self.units.count > 1 else 0
        estimated = estimate_all(
            [(one.statistics, one.score) for one in scores.values()],
            self.units, resamples, self.settings.seed,
        )  # fmt: skip
        return {
            name: dict(zip(self.result.systems, values, strict=True))
            for name, values in zip(scores, estimated, strict=True)
        }

    @cached_property
    def spreads(self) -> dict[str, dict[str, float]]:
        """Measure → system → mean standard deviation over samples; NaN where there is none."""
        spreads = self.result.spreads
        return {
            self.result.settings.measure(aspect): {
                system: _mean(spreads[row, :, ASPECTS.index(aspect)])
                for row, system in enumerate(self.result.systems)
            }
            for aspect in _ORDER
        }

    @property
    def missing(self) -> dict[str, int]:
        """How many drafts of each system have no score at all."""
        unscored = np.isnan(self.result.means[:, :, -1]).sum(axis=1).tolist()
        return dict(zip(self.result.systems, unscored, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        result, batch = self.result, self.result.batch
        return {
            "model": result.settings.model,
            "answered_by": list(result.answered_by),
            "prompt": prompt_fingerprint(),
            "samples": result.settings.samples,
            "segments": len(result.segments),
            "systems": {
                system: {
                    name: {
                        **estimate_json(values[system]),
                        "spread": _finite(self.spreads[name][system]),
                    }
                    for name, values in self.estimates.items()
                }
                for system in result.systems
            },
            "missing": self.missing,
            "drafts": list(self._drafts()),
            "failures": [
                {name: getattr(one, name) for name in one.__slots__} for one in result.failures
            ],
            "usage": {
                "requests": batch.tries,
                "spent": batch.spent.to_json(result.prices),
                "recalled": batch.recalled.to_json(result.prices),
            },
            "signatures": {name: one.signature for name, one in result.scores.items()},
            "resampling": resampling_json(self.settings, self.units),
        }

    def to_report(self) -> Report:
        """Scores, what they cost, and what failed."""
        result = self.result
        failures = [self._failures()] if result.failures else []
        return Report(
            title=f"Claims judged by {result.settings.model}",
            subtitle=f"{result.test_set.name} · {len(result.segments)} claim sets · "
            f"{result.settings.samples} samples each",
            headlines=(),
            tables=(self._scores(), *failures, self._usage()),
            signatures={name: one.signature for name, one in result.scores.items()},
            notes=tuple(self._notes()),
            explorer=self._explorer(),
        )

    def _drafts(self) -> Iterator[dict[str, Any]]:
        result = self.result
        for row, system in enumerate(result.systems):
            for place, segment in enumerate(result.segments):
                yield {
                    "system": system,
                    "segment": segment,
                    **{
                        aspect: {
                            "mean": _finite(result.means[row, place, number]),
                            "spread": _finite(result.spreads[row, place, number]),
                            "samples": [_finite(x) for x in result.values[row, place, :, number]],
                        }
                        for number, aspect in enumerate(ASPECTS)
                    },
                }

    def _scores(self) -> Table:
        names = [self.result.settings.measure(aspect) for aspect in _ORDER]
        rows: list[tuple[Cell, ...]] = [
            (
                system,
                *(self.estimates[name][system] for name in names),
                _finite(self.spreads[names[0]][system]),
            )
            for system in self.result.systems
        ]
        columns = [Column(aspect, scale=_SCALE) for aspect in _ORDER]
        spread = Column("spread of overall", higher_is_better=False)
        note = interval_note(self.settings, self.units) if self.units.count > 1 else "no intervals"
        return Table("Scores from 0 to 10", (Column("system"), *columns, spread), tuple(rows), note)

    def _failures(self) -> Table:
        rows = tuple((o.system, o.segment, o.sample, o.reason) for o in self.result.failures)
        columns = tuple(map(Column, ("system", "segment", "sample", "reason")))
        return Table("Samples without scores", columns, rows)

    def _usage(self) -> Table:
        batch, prices = self.result.batch, self.result.prices
        titles = ("", "answers", "prompt tokens", "completion tokens")
        cost = [Column("cost", decimals=4)] if prices else []

        def row(title: str, usage: Usage) -> tuple[Cell, ...]:
            counts = (usage.answers, usage.prompt_tokens, usage.completion_tokens)
            return (title, *counts, *([prices.cost(usage)] if prices else []))

        rows = (row("asked now", batch.spent), row("kept from earlier runs", batch.recalled))
        return Table("Tokens", (*map(Column, titles), *cost), rows)

    def _notes(self) -> Iterator[str]:
        batch, failures = self.result.batch, self.result.failures
        if failures:
            number = len(failures)
            yield (
                f"{number} {'sample has' if number == 1 else 'samples have'} no scores and "
                "are left out; another run asks for those without an answer, and with more "
                "re-asks for those that could not be read."
            )
        for system, number in self.missing.items():
            if number:
                yield f"{system}: {number} of {len(self.result.segments)} drafts have no score."
        estimated = batch.spent.estimated + batch.recalled.estimated
        if estimated:
            yield f"The server gave no token counts for {estimated} answers; they are estimated."
        lost = batch.tries - batch.spent.answers
        if lost:
            yield f"{lost} of {batch.tries} requests brought no answer; a server may charge them."

    def _explorer(self) -> Explorer:
        scores = self.result.scores
        return Explorer(
            test_set=self.result.test_set,
            systems=self.result.systems,
            hypotheses=tuple(run.hypotheses for run in self.runs),
            values={name: one.segment_scores for name, one in scores.items()},
            higher_is_better=dict.fromkeys(scores, True),
        )


def _mean(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
