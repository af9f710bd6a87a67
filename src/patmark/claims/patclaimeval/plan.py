"""How an evaluator is trained, and what the epochs of a training gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import Any

from patmark.claims.patclaimeval.long_inputs import LONG_WAYS
from patmark.claims.patclaimeval.loss import check_margins
from patmark.errors import UsageError

SCHEDULES = ("constant", "linear")
WATCHED = ("loss", "tau")


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Hyper-parameters. Batch, learning rate, weight decay and epochs are those of the paper.

    Margin, tolerance and all others are ours: the paper does not give them. ``batch`` counts pairs;
    ``accumulate`` batches make a step. ``warmup`` is a share of all steps. ``patience`` 0 means
    that training does not stop early. ``max_length`` counts tokens, and the encoder may take fewer.
    """

    criterion: str = "Quality"
    epochs: int = 10
    batch: int = 4
    accumulate: int = 1
    learning_rate: float = 5e-6
    weight_decay: float = 0.01
    margin: float = 0.2
    tolerance: float = 0.05
    schedule: str = "constant"
    warmup: float = 0.0
    validation: float = 0.1
    patience: int = 0
    watch: str = "loss"
    seed: int = 0
    max_length: int = 4096
    long: str = "refuse"

    def __post_init__(self) -> None:
        check_margins(self.margin, self.tolerance)
        for name, choices in (("schedule", SCHEDULES), ("watch", WATCHED), ("long", LONG_WAYS)):
            if getattr(self, name) not in choices:
                raise UsageError(
                    f"{name} {getattr(self, name)!r} is unknown; choose from {', '.join(choices)}"
                )
        for name in ("epochs", "batch", "accumulate", "max_length"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("patience", "seed", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} must not be negative: {getattr(self, name)}")
        for name in ("validation", "warmup"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} must be a share from 0 to below 1")
        if not 0 < self.learning_rate < 1 or not isfinite(self.weight_decay):
            raise UsageError("the learning rate must be between 0 and 1, the weight decay finite")
        if not self.validation and (self.patience or self.watch != "loss"):
            raise UsageError("without a validation part there is nothing to watch or wait for")

    def to_json(self) -> dict[str, Any]:
        """All hyper-parameters by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Epoch:
    """What an epoch gave. The validation fields are None without a validation part.

    ``accuracy`` takes scores as equal only if they are exactly equal, as ``patmark claims meta``
    does; ``accuracy_with_ties`` if they differ by no more than the tolerance.
    """

    epoch: int
    training_loss: float
    learning_rate: float
    validation_loss: float | None = None
    tau: float | None = None
    accuracy: float | None = None
    accuracy_with_ties: float | None = None

    def to_json(self) -> dict[str, Any]:
        """All fields by name."""
        return asdict(self)


def learning_rate_at(plan: TrainingPlan, step: int, steps: int) -> float:
    """The rate of a step, counted from 0: rising in the warmup, then constant or down to 0."""
    rising = round(plan.warmup * steps)
    if step < rising:
        return plan.learning_rate * (step + 1) / rising
    if plan.schedule == "constant":
        return plan.learning_rate
    return plan.learning_rate * (steps - step) / max(1, steps - rising)


def best_epoch(epochs: Sequence[Epoch], watch: str) -> int:
    """The number of the best epoch, the earlier one of equals; the last one without validation."""
    if epochs[-1].validation_loss is None:
        return epochs[-1].epoch
    return min(epochs, key=lambda one: (_badness(one, watch), one.epoch)).epoch


def should_stop(epochs: Sequence[Epoch], plan: TrainingPlan) -> bool:
    """Whether the best epoch is as long ago as patience lasts."""
    if not epochs or not plan.patience:
        return False
    return epochs[-1].epoch - best_epoch(epochs, plan.watch) >= plan.patience


def _badness(epoch: Epoch, watch: str) -> float:
    """What should be small; a tau without a value, where all labels are equal, is worst."""
    if watch == "tau":
        return float("inf") if epoch.tau is None else -epoch.tau
    loss = epoch.validation_loss
    return float("inf") if loss is None or isnan(loss) else loss
