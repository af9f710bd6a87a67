"""Hyper-parameters of a training, and its result: epochs, description, JSON, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from patmark._version import __version__
from patmark.claims.pair_splits import Split
from patmark.claims.patclaimeval.evaluator import FORMAT, ClaimEvaluator
from patmark.claims.patclaimeval.inputs import LONG_WAYS, LongInputs
from patmark.claims.patclaimeval.labelled_pairs import LabelledPairs
from patmark.data import reference_hash
from patmark.errors import UsageError
from patmark.report import Column, Report, Result, Table
from patmark.wording import tr

SCHEDULES = ("constant", "linear")
WATCHED = ("loss", "tau")
_COLUMNS = (
    Column(tr("epoch"), decimals=0),
    Column(tr("training loss"), decimals=4, higher_is_better=False),
    Column(tr("validation loss"), decimals=4, higher_is_better=False),
    Column(tr("tau"), decimals=3),
    Column(tr("accuracy"), decimals=3),
    Column(tr("with ties"), decimals=3),
    Column(tr("learning rate"), decimals=8),
    Column(tr("best"), decimals=0),
)


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Hyper-parameters. Batch, learning rate, weight decay and epochs are those of the paper.

    Margin, tolerance and all others are our choice, because the paper does not state them.
    ``batch`` counts pairs; ``accumulate`` batches make a step. ``warmup`` is a share of all steps.
    With ``patience`` 0 training does not stop early. ``max_length`` counts tokens, and the encoder
    may allow fewer.
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
        if not 0 <= self.tolerance < self.margin <= 1:
            raise UsageError(
                "expected 0 <= tolerance < margin <= 1, since scores are in 0–1; "
                f"found tolerance {self.tolerance:g} and margin {self.margin:g}"
            )
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
        """Return all hyper-parameters by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Epoch:
    """Results of an epoch. The validation fields are None without a validation part.

    ``accuracy`` treats scores as ties only if they are exactly equal, as in ``patmark claims
    meta``; ``accuracy_with_ties`` if they differ by at most the tolerance.
    """

    epoch: int
    training_loss: float
    learning_rate: float
    validation_loss: float | None = None
    tau: float | None = None
    accuracy: float | None = None
    accuracy_with_ties: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return all fields by name."""
        return asdict(self)


def learning_rate_at(plan: TrainingPlan, step: int, steps: int) -> float:
    """Return the rate of a step from 0: rising in the warmup, then constant or down to 0."""
    rising = round(plan.warmup * steps)
    if step < rising:
        return plan.learning_rate * (step + 1) / rising
    if plan.schedule == "constant":
        return plan.learning_rate
    return plan.learning_rate * (steps - step) / max(1, steps - rising)


def best_epoch(epochs: Sequence[Epoch], watch: str) -> int:
    """Return the number of the best epoch, the first of equals; without validation the last."""
    if epochs[-1].validation_loss is None:
        return epochs[-1].epoch
    return min(epochs, key=lambda one: (_badness(one, watch), one.epoch)).epoch


def should_stop(epochs: Sequence[Epoch], plan: TrainingPlan) -> bool:
    """Return True if the best epoch is ``patience`` epochs ago."""
    if not epochs or not plan.patience:
        return False
    return epochs[-1].epoch - best_epoch(epochs, plan.watch) >= plan.patience


def _badness(epoch: Epoch, watch: str) -> float:
    """Return the value to minimise; infinite for a tau or a loss without a value."""
    if watch == "tau":
        return float("inf") if epoch.tau is None else -epoch.tau
    loss = epoch.validation_loss
    return float("inf") if loss is None or isnan(loss) else loss


@dataclass(frozen=True, eq=False)
class EvaluatorTraining(Result):
    """A finished training; ``references`` are hashes of those in both parts."""

    plan: TrainingPlan
    epochs: tuple[Epoch, ...]
    encoder: dict[str, Any]
    network: dict[str, Any]
    data: dict[str, Any]
    split: dict[str, Any]
    references: tuple[str, ...]
    long_inputs: LongInputs
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        evaluator: ClaimEvaluator,
        encoder: str,
        data: LabelledPairs,
        split: Split,
        plan: TrainingPlan,
        epochs: Sequence[Epoch],
        counts: LongInputs,
        notes: Sequence[str],
    ) -> EvaluatorTraining:
        """Collect the facts of the encoder, the pairs and the split."""
        model = evaluator.model
        checkpoint = model.checkpoint
        name = Path(encoder).name if checkpoint.revision == "local" else encoder
        return cls(
            plan=plan,
            epochs=tuple(epochs),
            encoder={
                "name": name,
                "revision": checkpoint.revision,
                "weights": checkpoint.weights,
                "type": model.network.config.model_type,
            },
            network={
                "limit": evaluator.limit,
                "global_attention": evaluator.attends,
                "device": model.device,
                "with": model.versions,
            },
            data=_described(data),
            split=_split(data, split),
            references=tuple(sorted({reference_hash(pair.reference) for pair in data.pairs})),
            long_inputs=counts,
            notes=(*notes, *_notes(data, plan, epochs, counts, evaluator.limit)),
        )

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were kept."""
        return self.epochs[best_epoch(self.epochs, self.plan.watch) - 1]

    def card(self) -> dict[str, Any]:
        """Return the description that is written beside the model."""
        return {
            "format": FORMAT,
            "criterion": self.plan.criterion,
            "trained_on": list(self.references),
            "limit": self.network["limit"],
            "global_attention": self.network["global_attention"],
            "encoder": self.encoder,
            "plan": self.plan.to_json(),
            "pairs": self.data,
            "split": self.split,
            "long_inputs": asdict(self.long_inputs),
            "epochs": [epoch.to_json() for epoch in self.epochs],
            "best_epoch": self.best.epoch,
            "versions": {"patmark": __version__, "with": self.network["with"]},
            "device": self.network["device"],
        }

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {"model": "patclaimeval", **self.card(), "notes": list(self.notes)}

    def to_report(self) -> Report:
        """Return the epochs as a table."""
        best = self.best
        rows = tuple(
            (
                one.epoch,
                one.training_loss,
                one.validation_loss,
                one.tau,
                one.accuracy,
                one.accuracy_with_ties,
                one.learning_rate,
                "*" if one is best else "",
            )
            for one in self.epochs
        )
        plan, counts = self.plan, self.long_inputs
        return Report(
            title=tr("PatClaimEval training"),
            subtitle=tr(
                "{file} · {criterion} · {training_pairs} pairs for training, "
                "{validation_pairs} for validation",
                file=self.data["file"],
                criterion=plan.criterion,
                training_pairs=self.split["training_pairs"],
                validation_pairs=self.split["validation_pairs"],
            ),
            headlines=(),
            tables=(
                Table(
                    tr("Epochs"), _COLUMNS, rows, tr("best by validation {watch}", watch=plan.watch)
                ),
            ),
            signatures={
                "PatClaimEval": "|".join(
                    [
                        *(f"{name}:{value}" for name, value in plan.to_json().items()),
                        f"limit:{self.network['limit']}",
                        f"long inputs:{counts.too_long}",
                        f"dropped tokens:{counts.dropped_tokens}",
                        f"encoder:{self.encoder['weights']}",
                        f"with:{self.network['with']}",
                        f"patmark:{__version__}",
                    ]
                )
            },
            notes=self.notes,
        )


@dataclass(frozen=True, eq=False)
class EvaluatorTrainings(Result):
    """Finished trainings by criterion."""

    trainings: Mapping[str, EvaluatorTraining]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result of each training."""
        return {
            "model": "patclaimeval",
            "criteria": {name: one.to_json() for name, one in self.trainings.items()},
        }

    def to_report(self) -> Report:
        """Return the best epoch of each criterion, then all epochs."""
        reports = {name: one.to_report() for name, one in self.trainings.items()}
        best = tuple(
            (name, *row)
            for name, report in reports.items()
            for row in report.tables[0].rows
            if row[-1]
        )
        columns = (Column(tr("criterion")), *_COLUMNS)
        return Report(
            title=tr("PatClaimEval training"),
            subtitle=tr(
                "{files} · {n} criteria",
                files=tuple(dict.fromkeys(one.data["file"] for one in self.trainings.values())),
                n=len(reports),
            ),
            headlines=(),
            tables=(
                Table(tr("Best epochs"), columns, best),
                *(
                    replace(one.tables[0], title=tr("{name}: epochs", name=name))
                    for name, one in reports.items()
                ),
            ),
            signatures={
                f"PatClaimEval {name}": one.signatures["PatClaimEval"]
                for name, one in reports.items()
            },
            notes=tuple(
                tr("{name}: {text}", name=name, text=note)
                for name, one in self.trainings.items()
                for note in one.notes
            ),
        )


def _described(data: LabelledPairs) -> dict[str, Any]:
    labels = Counter(data.labels.tolist())
    return {
        "file": Path(data.name).name,
        "fingerprint": data.fingerprint,
        "labelled": len(data.pairs),
        "unlabelled": data.unlabelled,
        "references": len({pair.reference_key for pair in data.pairs}),
        "labels": {str(label): labels[label] for label in (1, 0, -1)},
        "holding_reference": sum(pair.holds_reference for pair in data.pairs),
    }


def _split(data: LabelledPairs, split: Split) -> dict[str, Any]:
    """Return the split by positions in the file, so that a test can identify training pairs."""
    return {
        "by": "reference",
        "training_pairs": len(split.training),
        "validation_pairs": len(split.validation),
        "training": [data.places[at] for at in split.training],
        "validation": [data.places[at] for at in split.validation],
    }


def _notes(
    data: LabelledPairs, plan: TrainingPlan, epochs: Sequence[Epoch], counts: LongInputs, limit: int
) -> list[str]:
    notes: list[str] = []
    if limit < plan.max_length:
        notes.append(
            tr(
                "the encoder takes {limit} tokens, fewer than the {max_length} allowed",
                limit=limit,
                max_length=plan.max_length,
            )
        )
    if data.unlabelled:
        notes.append(
            tr(
                "{unlabelled} pairs have no label for {criterion} and were not used",
                unlabelled=data.unlabelled,
                criterion=plan.criterion,
            )
        )
    if counts.too_long and plan.long == "cut":
        notes.append(
            tr(
                "{too_long} of {inputs} inputs were cut, which dropped {dropped_tokens} tokens",
                too_long=counts.too_long,
                inputs=counts.inputs,
                dropped_tokens=counts.dropped_tokens,
            )
        )
    elif counts.too_long:
        notes.append(
            tr(
                "{too_long} of {inputs} inputs were read in windows",
                too_long=counts.too_long,
                inputs=counts.inputs,
            )
        )
    if len(epochs) < plan.epochs and should_stop(epochs, plan):
        notes.append(tr("stopped early: no better epoch in {patience}", patience=plan.patience))
    if not plan.validation:
        notes.append(tr("there was no validation part: the last epoch was kept"))
    return notes
