"""What a training gave: as a description beside the model, as JSON, as a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from patmark._version import __version__
from patmark.claims.patclaimeval.long_inputs import LongInputs
from patmark.claims.patclaimeval.model import FORMAT, Evaluator
from patmark.claims.patclaimeval.plan import Epoch, TrainingPlan, best_epoch, should_stop
from patmark.claims.patclaimeval.splits import LabelledPairs, Split
from patmark.data import reference_hash
from patmark.report import Column, Report, Table

_COLUMNS = (
    Column("epoch", decimals=0),
    Column("training loss", decimals=4, higher_is_better=False),
    Column("validation loss", decimals=4, higher_is_better=False),
    Column("tau", decimals=3),
    Column("accuracy", decimals=3),
    Column("with ties", decimals=3),
    Column("learning rate", decimals=8),
    Column("best", decimals=0),
)


@dataclass(frozen=True, eq=False)
class Training:
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
        cls, evaluator: Evaluator, encoder: str, data: LabelledPairs, split: Split,
        plan: TrainingPlan, epochs: Sequence[Epoch], counts: LongInputs, notes: Sequence[str],
    ) -> Training:  # fmt: skip
        """Gather what is known of the encoder, the pairs and the split."""
        model = evaluator.model
        checkpoint = model.checkpoint
        name = Path(encoder).name if checkpoint.revision == "local" else encoder
        return cls(
            plan=plan,
            epochs=tuple(epochs),
            encoder={
                "name": name, "revision": checkpoint.revision, "weights": checkpoint.weights,
                "type": model.network.config.model_type,
            },
            network={
                "limit": evaluator.limit, "global_attention": evaluator.attends,
                "device": model.device, "with": model.versions,
            },
            data=_described(data),
            split=_split(data, split),
            references=tuple(sorted({reference_hash(pair.reference) for pair in data.pairs})),
            long_inputs=counts,
            notes=(*notes, *_notes(data, plan, epochs, counts, evaluator.limit)),
        )  # fmt: skip

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were kept."""
        return self.epochs[best_epoch(self.epochs, self.plan.watch) - 1]

    def card(self) -> dict[str, Any]:
        """The description that is written beside the model."""
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
        """The machine-readable result."""
        return {"model": "patclaimeval", **self.card(), "notes": list(self.notes)}

    def to_report(self) -> Report:
        """The epochs as a table."""
        best = self.best
        rows = tuple(
            (
                one.epoch, one.training_loss, one.validation_loss, one.tau, one.accuracy,
                one.accuracy_with_ties, one.learning_rate, "*" if one is best else "",
            )
            for one in self.epochs
        )  # fmt: skip
        plan, counts = self.plan, self.long_inputs
        return Report(
            title="PatClaimEval training",
            subtitle=f"{self.data['file']} · {plan.criterion} · {self.split['training_pairs']} "
            f"pairs for training, {self.split['validation_pairs']} for validation",
            headlines=(),
            tables=(Table("Epochs", _COLUMNS, rows, f"best by validation {plan.watch}"),),
            signatures={
                "PatClaimEval": "|".join(
                    [
                        *(f"{name}:{value}" for name, value in plan.to_json().items()),
                        f"limit:{self.network['limit']}", f"long inputs:{counts.too_long}",
                        f"dropped tokens:{counts.dropped_tokens}",
                        f"encoder:{self.encoder['weights']}", f"with:{self.network['with']}",
                        f"patmark:{__version__}",
                    ]
                )
            },
            notes=self.notes,
        )  # fmt: skip


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
    """The split by positions in the file, so that a test can tell what was seen."""
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
    notes = []
    if limit < plan.max_length:
        notes.append(f"the encoder takes {limit} tokens, fewer than the {plan.max_length} allowed")
    if data.unlabelled:
        notes.append(
            f"{data.unlabelled} pairs have no label for {plan.criterion} and were not used"
        )
    if counts.too_long and plan.long == "cut":
        notes.append(
            f"{counts.too_long} of {counts.inputs} inputs were cut, which dropped "
            f"{counts.dropped_tokens} tokens"
        )
    elif counts.too_long:
        notes.append(f"{counts.too_long} of {counts.inputs} inputs were read in windows")
    if len(epochs) < plan.epochs and should_stop(epochs, plan):
        notes.append(f"stopped early: no better epoch in {plan.patience}")
    if not plan.validation:
        notes.append("there was no validation part: the last epoch was kept")
    return notes
