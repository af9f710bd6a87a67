"""PatClaimEval as a measure: the learned score of a claim set against a reference."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from patmark.claims.patclaimeval.evaluator import (
    CARD_FILE,
    ClaimEvaluator,
    load_evaluator,
    read_card,
    read_config,
)
from patmark.claims.patclaimeval.inputs import LONG_WAYS, Input, encode, long_counts
from patmark.claims.patclaimeval.released import (
    ATTENDS,
    AUTO,
    VECTORS,
    is_released,
    released_criterion,
)
from patmark.data import FloatArray, TestSet
from patmark.errors import PatmarkWarning, UsageError
from patmark.measures import (
    NeuralMeasure,
    NeuralModel,
    ReferenceLayout,
    find_model,
    one_of,
)


@dataclass(frozen=True, kw_only=True)
class PatClaimEval(NeuralMeasure):
    """The score of a trained evaluator. A third statistic counts inputs that were too long."""

    label: ClassVar[str] = "PatClaimEval"
    description: ClassVar[str] = "PatClaimEval: learned score of claims against a reference, 0–1"
    formula: ClassVar[str] = "output of a classifier that reads claims and reference together"
    guide: ClassVar[str] = "patclaimeval.md"
    citation: ClassVar[str] = "Jiang et al. 2025"
    example: ClassVar[str] = "owner/name"
    ways_with_long: ClassVar[tuple[str, ...]] = LONG_WAYS
    parameters: ClassVar[dict[str, str]] = {
        "model": "folder that patmark claims train wrote, a released model such as "
        "lj408/PatClaimEval-Quality, or a classifier with one output",
        "limit": "longest reference with candidate, in tokens; 0 for that of the training",
        "long": "what to do with longer ones: refuse, window (mean of parts) or cut",
        "vector": "of a released model, what is scored: first (token) or pooled; auto is first",
        "attends": "of a released model, global attention: none, first or frame; auto is none",
    }

    long: str = "refuse"
    vector: str = AUTO
    attends: str = AUTO

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "vector", self.vector, (AUTO, *VECTORS))
        one_of(self.label, "attends", self.attends, (AUTO, *ATTENDS))

    def by_criterion(self) -> list[PatClaimEval]:
        """Return one evaluator for each criterion if the folder holds several; else this one."""
        folder = Path(self.model)
        if not self.model or not folder.is_dir() or (folder / "config.json").exists():
            return [self]
        found = sorted(path.parent for path in folder.glob("*/config.json"))
        return [replace(self, model=str(one)) for one in found] or [self]

    @property
    def card(self) -> dict[str, Any] | None:
        """The description beside the model; None for a model from elsewhere."""
        folder = find_model(self.model, self.revision).folder
        return read_card(folder) if (folder / CARD_FILE).is_file() else None

    def training_facts(self) -> Mapping[str, Any]:
        """Return the facts about the training; empty if nothing is known."""
        if card := self.card:
            return card
        config = read_config(find_model(self.model, self.revision).folder)
        criterion = released_criterion(config, self.model) if is_released(config) else ""
        return {"criterion": criterion} if criterion else {}

    @property
    def tie_band(self) -> float:
        """Largest distance of equal candidates: the tolerance of the training, 0 if unknown."""
        return float((self.card or {}).get("plan", {}).get("tolerance", 0.0))

    def evaluator(self) -> ClaimEvaluator:
        """Return the trained evaluator."""
        if not self.model:
            super().loaded()  # says that a model is needed
        several = self.by_criterion()
        if several != [self]:
            raise UsageError(
                f"{self.model} holds evaluators of several criteria; name one, such as "
                f"{several[0].model}"
            )
        return load_evaluator(self.model, self.revision, self.device, self.vector, self.attends)

    def loaded(self) -> NeuralModel:
        """Return the network of the evaluator."""
        return self.evaluator().model

    def _limit(self, evaluator: ClaimEvaluator) -> int:
        return evaluator.model.limit(self.limit) if self.limit else evaluator.limit

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        evaluator = self.evaluator()
        pooled = {"vector": "pooled"} if evaluator.vector == "pooled" else {}
        return {
            **super()._signature_parts(test_set),
            "limit": self._limit(evaluator),
            "criterion": evaluator.criterion or "unknown",
            "global": evaluator.padding.global_attention or "none",
            **pooled,
        }

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        scores = super()._statistics(test_set, hypotheses)
        return np.column_stack([scores, self.too_long(test_set, hypotheses)])

    def too_long(self, test_set: TestSet, hypotheses: Sequence[str]) -> FloatArray:
        """Count the references of each segment that were too long together with the hypothesis."""
        evaluator = self.evaluator()
        layout = ReferenceLayout.of(test_set.reference_lists)
        pairs = [
            (hypotheses[segment], reference)
            for segment, reference in zip(layout.segment, test_set.flat_references, strict=True)
        ]
        inputs = self._encoded(evaluator, pairs, [""] * len(pairs), "cut")
        long = np.array([one.length > self._limit(evaluator) for one in inputs], dtype=np.float64)
        return np.asarray(np.bincount(layout.segment, long, len(test_set)), dtype=np.float64)

    def _encoded(
        self,
        evaluator: ClaimEvaluator,
        pairs: Sequence[tuple[str, str]],
        names: Sequence[str],
        long: str,
    ) -> list[Input]:
        texts = [(reference, hypothesis) for hypothesis, reference in pairs]
        limit = self._limit(evaluator)
        return encode(evaluator.model.tokenizer, texts, names, limit, long)

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        evaluator = self.evaluator()
        inputs = self._encoded(evaluator, pairs, names, self.long)
        counts = long_counts(inputs, self._limit(evaluator))
        if counts.dropped_tokens:
            warnings.warn(
                f"{self.name}: {counts.too_long} of {counts.inputs} inputs are cut to "
                f"{self._limit(evaluator)} tokens, which drops {counts.dropped_tokens} tokens",
                PatmarkWarning,
                stacklevel=2,
            )
        return evaluator.score(inputs, self.batch)
