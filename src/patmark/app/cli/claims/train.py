"""patmark claims train: training of PatClaimEval."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

from patmark.app.cli.output import Files, deliver, progress_bar, say, wrote
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.claims import Epoch


@group
class TrainingOptions(Options, heading="Training"):
    """Criteria to learn, and the folder of the model."""

    out: str
    """The folder for the trained model."""
    criterion: tuple[str, ...] = ("Quality",)
    """The criterion to learn (default: Quality); may be repeated. all: one model per criterion, in
    subfolders."""
    seed: int = 0
    """Random seed of the split, the order and the weights."""
    resume: bool = False
    """Resume after the last complete epoch in the folder."""


@group
class Hyperparameters(Options, heading="Hyperparameters"):
    """Hyper-parameters of a training."""

    encoder: str | None = None
    """An encoder: a folder, or a model id such as owner/name."""
    revision: str | None = None
    """Branch, tag or commit of a model id."""
    device: str | None = None
    """auto, cpu or cuda (default: auto, cuda if available)."""
    epochs: int | None = None
    """Epochs (default: 10)."""
    batch: int | None = None
    """Pairs per batch (default: 4)."""
    accumulate: int | None = None
    """Batches per step of the optimizer (default: 1)."""
    lr: float | None = None
    """Learning rate (default: 5e-6)."""
    weight_decay: float | None = None
    """Weight decay (default: 0.01)."""
    margin: float | None = None
    """Margin by which the better candidate should lead (default: 0.2)."""
    tolerance: float | None = None
    """Largest difference between equal candidates (default: 0.05)."""
    schedule: str | None = None
    """Learning rate schedule: constant (default), or linear (decay to 0)."""
    warmup: float | None = None
    """Share of warm-up steps (default: 0)."""
    validation: float | None = None
    """Share of pairs for validation, by whole references (default: 0.1)."""
    patience: int | None = None
    """Stop after this many epochs without improvement (default: never)."""
    watch: str | None = None
    """Criterion of the best epoch: validation loss (default) or tau."""
    max_length: int | None = None
    """Maximum length of reference and candidate in tokens (default: 4096, or the limit of the
    encoder)."""
    long: str | None = None
    """Treatment of longer texts: refuse (default), window (mean of parts) or cut."""

    @property
    def asked(self) -> dict[str, Any]:
        """Given options by field."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def train(
    *pairs: Annotated[
        str,
        Parameter(
            required=True,
            help="Files of claim pairs: JSON list or .jsonl {gold_claim, A, B, human_eval}.",
        ),
    ],
    training: TrainingOptions,
    tuned: Hyperparameters = Hyperparameters(),
    output: Files = Files(),
) -> None:
    """Train PatClaimEval (extra neural) on pairs that experts compared, for each criterion.

    Examples:

      patmark claims train train.json --encoder longformer-base-4096 --criterion Quality --out model

      patmark claims meta test.json --measures 'PatClaimEval(model=model)' --criterion Quality

      patmark claims train train.json --encoder longformer-base-4096 --criterion all --out models

      patmark reproduce patent-ce --data test.json --measures 'PatClaimEval(model=models)'
    """
    from patmark.app.commands.claims import TrainRequest, train as train_patclaimeval

    output.check(pairs)
    tuning = tuned.asked
    encoder = tuning.pop("encoder", None)
    where = {name: tuning.pop(name) for name in ("revision", "device") if name in tuning}
    if "lr" in tuning:
        tuning["learning_rate"] = tuning.pop("lr")
    request = TrainRequest(
        pairs=pairs,
        out=training.out,
        encoder=encoder,
        criteria=training.criterion,
        plan=tuning | {"seed": training.seed},
        resume=training.resume,
        **where,
    )
    with progress_bar(output.quiet) as progress:
        done = train_patclaimeval(request, progress, None if output.quiet else _say_epoch)
    deliver(done, output)
    output.say(wrote(training.out, output.language))


def _say_epoch(criterion: str, epoch: Epoch) -> None:
    """Write progress to stderr; an epoch may take hours."""
    parts = {
        "training loss": epoch.training_loss,
        "validation loss": epoch.validation_loss,
        "tau": epoch.tau,
        "accuracy": epoch.accuracy,
    }
    shown = [f"{name} {value:.4f}" for name, value in parts.items() if value is not None]
    before = f"{criterion}, " if criterion else ""
    say(f"{before}epoch {epoch.epoch}: {', '.join(shown)}")
