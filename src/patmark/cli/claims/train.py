"""patmark claims train: learn from compared pairs to score claims as experts do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.output import Files, deliver, progress_bar, say
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.claims import Epoch
    from patmark.report import Result


_ALL = "all"


@group
class Learning(Options, heading="Training"):
    """What is learnt, and where it goes."""

    out: str
    """The folder for the trained model."""
    criterion: tuple[str, ...] = ("Quality",)
    """The criterion to learn (default: Quality); may be repeated, or all: a model for each, in
    folders within the folder."""
    seed: int = 0
    """Seed of split, order and weights."""
    resume: bool = False
    """Go on after the last complete epoch in the folder."""


@group
class Hyperparameters(Options, heading="Hyperparameters"):
    """How it is learnt."""

    encoder: str | None = None
    """An encoder: a folder, or a model id such as owner/name."""
    revision: str | None = None
    """Branch, tag or commit of a model id."""
    device: str | None = None
    """auto, cpu or cuda (default: auto, cuda where there is one)."""
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
    """By how much the better one should lead (default: 0.2)."""
    tolerance: float | None = None
    """How far equal ones may differ (default: 0.05)."""
    schedule: str | None = None
    """Learning rate: constant (default), or linear down to 0."""
    warmup: float | None = None
    """Share of steps in which the rate rises (default: 0)."""
    validation: float | None = None
    """Share of pairs for validation, by whole references (default: 0.1)."""
    patience: int | None = None
    """Stop after so many epochs without a better one (default: no)."""
    watch: str | None = None
    """The best epoch is that of validation loss (default) or tau."""
    max_length: int | None = None
    """Longest reference with candidate in tokens (default: 4096, or less if the encoder takes
    less)."""
    long: str | None = None
    """Longer ones: refuse (default), window (mean of parts) or cut."""

    @property
    def asked(self) -> dict[str, Any]:
        """What was given, by field."""
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
    learning: Learning,
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
    output.check(pairs)
    deliver(_train(pairs, learning, tuned, output.quiet), output)
    output.say(f"wrote {learning.out}")


def _train(files: Sequence[str], learning: Learning, tuned: Hyperparameters, quiet: bool) -> Result:
    from patmark.claims import TrainingPlan, train_evaluator, train_evaluators
    from patmark.data import read_all_claim_pairs

    asked = tuned.asked
    encoder = asked.pop("encoder", None)
    if encoder is None:
        raise UsageError("patclaimeval needs an --encoder, and none comes with patmark")
    how = {name: asked.pop(name) for name in tuple(asked) if name in ("revision", "device")}
    if "lr" in asked:
        asked["learning_rate"] = asked.pop("lr")
    plan = TrainingPlan(criterion=learning.criterion[0], seed=learning.seed, **asked)
    pairs = read_all_claim_pairs(files)
    criteria = () if learning.criterion == (_ALL,) else learning.criterion
    with progress_bar(quiet) as progress:
        how |= {"resume": learning.resume, "progress": progress}
        if len(criteria) == 1:
            say_epoch = None if quiet else _say_epoch
            return train_evaluator(pairs, encoder, learning.out, plan, **how, on_epoch=say_epoch)
        say_named = None if quiet else _say_named_epoch
        return train_evaluators(
            pairs, encoder, learning.out, plan, criteria, **how, on_epoch=say_named
        )


def _say_named_epoch(criterion: str, epoch: Epoch) -> None:
    _say_epoch(epoch, f"{criterion}, ")


def _say_epoch(epoch: Epoch, before: str = "") -> None:
    """One line on stderr, because an epoch may take hours."""
    parts = {
        "training loss": epoch.training_loss,
        "validation loss": epoch.validation_loss,
        "tau": epoch.tau,
        "accuracy": epoch.accuracy,
    }
    shown = [f"{name} {value:.4f}" for name, value in parts.items() if value is not None]
    say(f"{before}epoch {epoch.epoch}: {', '.join(shown)}")
