"""Generated claims scored against reference claims: five criteria, ClaimQuality, any measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from patmark.claims.alignment import Alignment, align
from patmark.claims.criteria import CRITERIA, Overall
from patmark.claims.profiles import profile_of
from patmark.claims.quality import ClaimQuality, Contribution
from patmark.data import Estimate, Evidence, FloatArray, Run, Scores, TestSet
from patmark.evaluation import Progress, Settings, check_runs, estimate_json, resampling_json
from patmark.measures import Check, Measure
from patmark.protocols.claim_measures import ClaimMeasure, choose_claim_measures
from patmark.stats import Units, estimate_all

DEFAULT_MEASURES: tuple[Measure, ...] = (Overall(), *CRITERIA.values(), ClaimQuality())
Remarks = tuple[tuple[tuple[Evidence, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding of one measure on one candidate, with the text at its place."""

    system: str
    segment: str
    measure: str
    evidence: Evidence
    text: str

    def to_json(self) -> dict[str, Any]:
        """A stable shape."""
        place = self.evidence
        return {
            "system": self.system, "segment": self.segment, "measure": self.measure,
            "side": place.side, "start": place.start, "end": place.end,
            "message": place.message, "text": self.text,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClaimsEvaluation:
    """Scores of drafts of claims, with the places that explain them.

    ``evidence`` maps a measure to findings per system and set of claims.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    measures: tuple[ClaimMeasure, ...]
    scores: Mapping[str, Scores]
    evidence: Mapping[str, Remarks]
    settings: Settings

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(run.system for run in self.runs)

    @cached_property
    def units(self) -> Units:
        """What is drawn for the intervals."""
        return Units.choose(self.test_set.documents, self.settings.by)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → system → value with interval; a single set of claims has none."""
        quantities = [(one.statistics, one.score) for one in self.scores.values()]
        resamples = self.settings.resamples if self.units.count > 1 else 0
        estimated = estimate_all(quantities, self.units, resamples, self.settings.seed)
        return {
            name: dict(zip(self.systems, values, strict=True))
            for name, values in zip(self.scores, estimated, strict=True)
        }

    def remarks(self) -> Iterator[Remark]:
        """All findings, by system, set of claims and measure."""
        for row, run in enumerate(self.runs):
            for place, segment in enumerate(self.test_set):
                for measure, found in self.evidence.items():
                    for one in found[row][place]:
                        side = (
                            segment.references[0] if one.side == "reference" else run.texts[place]
                        )
                        text = side[one.start : one.end]
                        yield Remark(run.system, segment.id, measure, one, text)

    def alignment(self, system: int, segment: int) -> Alignment:
        """The claims of a reference and of a system's draft, assigned to each other."""
        reference = profile_of(self.test_set[segment].references[0])
        return align(reference, profile_of(self.runs[system].texts[segment]))

    @cached_property
    def quality(self) -> ClaimQuality | None:
        """The learned measure, if it was asked for; the first of several."""
        asked = (one.measure for one in self.measures)
        return next((one for one in asked if isinstance(one, ClaimQuality)), None)

    def contributions(self, system: int, segment: int) -> tuple[Contribution, ...]:
        """What each feature gives to the learned score of a draft; none if it was not asked for."""
        if self.quality is None:
            return ()
        texts = self.test_set[segment].references[0], self.runs[system].texts[segment]
        return self.quality.contributions(*texts)

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {
            "segments": len(self.test_set),
            "systems": {
                system: {
                    name: estimate_json(values[system]) for name, values in self.estimates.items()
                }
                for system in self.systems
            },
            "missing": {run.system: run.missing for run in self.runs},
            "drafts": list(self._drafts()),
            "evidence": [remark.to_json() for remark in self.remarks()],
            "signatures": {name: one.signature for name, one in self.scores.items()},
            "higher_is_better": {one.label: one.measure.higher_is_better for one in self.measures},
            "resampling": resampling_json(self.settings, self.units),
        }

    def _drafts(self) -> Iterator[dict[str, Any]]:
        values: dict[str, FloatArray] = {
            name: one.segment_scores for name, one in self.scores.items()
        }
        for row, system in enumerate(self.systems):
            for place, segment in enumerate(self.test_set):
                scores = {name: float(each[row, place]) for name, each in values.items()}
                yield {
                    "system": system,
                    "segment": segment.id,
                    "scores": {
                        name: value if np.isfinite(value) else None
                        for name, value in scores.items()
                    },
                    "contributions": {
                        part.feature: {
                            "value": part.value, "share": part.share, "points": part.points,
                        }
                        for part in self.contributions(row, place)
                    },
                }  # fmt: skip


def evaluate_claims(
    test_set: TestSet,
    runs: Sequence[Run],
    measures: str | Sequence[str | Measure] | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> ClaimsEvaluation:
    """Score drafts with the five criteria and ClaimQuality, or with the measures that are named."""
    check_runs(test_set, runs)
    chosen = choose_claim_measures(DEFAULT_MEASURES if measures is None else measures)
    scores: dict[str, Scores] = {}
    evidence: dict[str, Remarks] = {}
    for done, one in enumerate(chosen):
        if progress:
            progress(one.label, done, len(chosen))
        statistics, found = _counted(one, test_set, runs)
        if found is not None:
            evidence[one.label] = found
        scores[one.label] = Scores(
            one.label, one.signature(test_set), tuple(run.system for run in runs),
            tuple(segment.id for segment in test_set), statistics, one.measure.score,
            one.measure.higher_is_better,
        )  # fmt: skip
    if progress:
        progress("", len(chosen), len(chosen))
    settings = settings or Settings()
    return ClaimsEvaluation(test_set, tuple(runs), tuple(chosen), scores, evidence, settings)


def _counted(
    one: ClaimMeasure, test_set: TestSet, runs: Sequence[Run]
) -> tuple[FloatArray, Remarks | None]:
    """The statistics of all runs, and the findings of a measure that has some."""
    measure = one.measure
    if isinstance(measure, Check):
        findings = [measure.findings(test_set, run.texts) for run in runs]
        remarks = tuple(tuple(each.evidence for each in found) for found in findings)
        return np.stack([measure.count(found) for found in findings]), remarks
    given = test_set
    if one.by_sentence:
        segments = (replace(each, references=one.prepared(each.references)) for each in test_set)
        given = replace(test_set, segments=tuple(segments))
    return np.stack([measure.statistics(given, one.prepared(run.texts)) for run in runs]), None
