"""Training of ClaimQuality arranged: weights, and agreement with experts on unseen references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.claims.quality import QualityModel
from patmark.claims.quality_features import CONTENT, FEATURES
from patmark.claims.quality_training import QualityPlan, TrainedQuality, train_quality_model
from patmark.data import Cell, Column, Report, Table
from patmark.data.claim_pairs import ClaimPairs, reference_hash
from patmark.protocols.claim_training import TRAINED_ON
from patmark.protocols.evaluation import Settings
from patmark.protocols.patent_ce import PERCENT, Agreement, agreements
from patmark.stats.agreement import (
    STATISTICS,
    meeting_counts,
    predicted_preferences,
)


@dataclass(frozen=True, eq=False)
class QualityTraining:
    """Trained weights, with leave-one-reference-out agreement and its intervals."""

    trained: TrainedQuality
    plan: QualityPlan
    settings: Settings
    name: str
    left_out: int

    @cached_property
    def agreement(self) -> Mapping[str, Agreement]:
        """Agreement over all pairs, and over those without the reference as a candidate."""
        data = self.trained.data
        predictions = predicted_preferences(*self.trained.held_out.T)
        counts = meeting_counts(data.labels, predictions)[None]
        foreign = np.flatnonzero([not pair.holds_reference for pair in data.pairs])
        keys = data.references
        [everything] = agreements(counts, keys, self.settings)
        found = {"all pairs": everything}
        if len(foreign):
            own = [keys[place] for place in foreign]
            [found["without the reference"]] = agreements(counts[:, foreign], own, self.settings)
        return found

    @cached_property
    def model(self) -> QualityModel:
        """The weights with the facts that a reader of the file needs."""
        data = self.trained.data
        labels = Counter(data.labels.tolist())
        facts = {
            "patmark": __version__,
            "criterion": self.plan.criterion,
            "pairs": len(data.pairs),
            "references": len(set(data.references)),
            TRAINED_ON: sorted({reference_hash(pair.reference) for pair in data.pairs}),
            "labels": {str(label): labels[label] for label in (1, 0, -1)},
            "pairs_with_reference_as_candidate": sum(p.holds_reference for p in data.pairs),
            "loss": self.plan.loss,
            "penalty": self.plan.strength,
            "leave_one_reference_out": {
                name: one.to_json() for name, one in self.agreement.items()
            },
            "bootstrap": {"unit": "reference", "resamples": self.settings.resamples,
                          "seed": self.settings.seed},
        }  # fmt: skip
        return replace(self.trained.model, facts=facts)

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {**self.model.to_json(), "content_share": self.model.content_share}

    def to_report(self) -> Report:
        """Weights, and agreement with experts on references left out of training."""
        pairs = len(self.trained.data.pairs)
        notes = [
            "Agreement is that of weights which were trained without the reference of a pair. "
            "Intervals draw references.",
        ]
        if self.left_out:
            notes.append(f"{self.left_out} pairs have no label for {self.plan.criterion}.")
        return Report(
            title=f"ClaimQuality trained for {self.plan.criterion}",
            subtitle=f"{self.name} · {pairs} pairs · {self.plan.loss} loss",
            headlines=(),
            tables=(self._agreement_table(), self._weight_table()),
            signatures={"weights": self.model.fingerprint},
            notes=tuple(notes),
        )

    def _agreement_table(self) -> Table:
        columns = (
            Column("pairs used"), Column("pairs", 0),
            *(Column(name + (" %" if name in PERCENT else ""), 1 if name in PERCENT else 3)
              for name in STATISTICS),
        )  # fmt: skip
        rows: list[tuple[Cell, ...]] = [
            (name, one.n, *one.estimates.values()) for name, one in self.agreement.items()
        ]
        return Table("Leave one reference out", columns, tuple(rows))

    def _weight_table(self) -> Table:
        shares = self.model.shares.tolist()
        rows: list[tuple[Cell, ...]] = [
            (name, "content" if name in CONTENT else "form", self.model.weights[name], share)
            for name, share in zip(FEATURES, shares, strict=True)
        ]
        columns = (Column("feature"), Column("reads"), Column("weight", 3),
                   Column("share of the score", 3))  # fmt: skip
        return Table("Weights", columns, tuple(rows))


def train_claim_quality(
    pairs: ClaimPairs, plan: QualityPlan | None = None, settings: Settings | None = None
) -> QualityTraining:
    """Train on pairs; the seed of the settings is that of the intervals, training has none."""
    plan, settings = plan or QualityPlan(), settings or Settings()
    trained = train_quality_model(pairs, plan)
    left_out = len(pairs) - len(trained.data.pairs)
    return QualityTraining(trained, plan, settings, pairs.name, left_out)
