"""patmark claims train: learn from compared pairs to score claims as experts do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.claims_train_quality import train_quality
from patmark.cli.output import Outputs, deliver_report, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.claims import Epoch
    from patmark.report import Report

_PairFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="PAIRS", help="Claim pairs: JSON list or .jsonl {gold_claim, A, B, human_eval}."
    ),
]
_Model: TypeAlias = Annotated[
    str, typer.Option(help="patclaimeval (needs the extra neural) or quality (ClaimQuality).")
]
_Out: TypeAlias = Annotated[
    str, typer.Option(help="The folder for the trained model; for quality, a file.")
]
_Criterion: TypeAlias = Annotated[str, typer.Option(help="The criterion to learn.")]
_Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of split, order and weights.")]
_Resume: TypeAlias = Annotated[
    bool, typer.Option("--resume", help="Go on after the last complete epoch in the folder.")
]
_Encoder: TypeAlias = Annotated[
    str | None, typer.Option(help="An encoder: a folder, or a model id such as owner/name.")
]
_Revision: TypeAlias = Annotated[
    str | None, typer.Option(help="Branch, tag or commit of a model id.")
]
_Device: TypeAlias = Annotated[
    str | None, typer.Option(help="auto, cpu or cuda (default: auto, cuda where there is one).")
]
_Epochs: TypeAlias = Annotated[int | None, typer.Option(help="Epochs (default: 10).")]
_Batch: TypeAlias = Annotated[int | None, typer.Option(help="Pairs per batch (default: 4).")]
_Accumulate: TypeAlias = Annotated[
    int | None, typer.Option(help="Batches per step of the optimizer (default: 1).")
]
_Rate: TypeAlias = Annotated[
    float | None, typer.Option("--lr", help="Learning rate (default: 5e-6).")
]
_Decay: TypeAlias = Annotated[float | None, typer.Option(help="Weight decay (default: 0.01).")]
_Margin: TypeAlias = Annotated[
    float | None, typer.Option(help="By how much the better one should lead (default: 0.2).")
]
_Tolerance: TypeAlias = Annotated[
    float | None, typer.Option(help="How far equal ones may differ (default: 0.05).")
]
_Schedule: TypeAlias = Annotated[
    str | None, typer.Option(help="Learning rate: constant (default), or linear down to 0.")
]
_Warmup: TypeAlias = Annotated[
    float | None, typer.Option(help="Share of steps in which the rate rises (default: 0).")
]
_Validation: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Share of pairs for validation, by whole references (default: 0.1)."),
]
_Patience: TypeAlias = Annotated[
    int | None, typer.Option(help="Stop after so many epochs without a better one (default: no).")
]
_Watch: TypeAlias = Annotated[
    str | None, typer.Option(help="The best epoch is that of validation loss (default) or tau.")
]
_MaxLength: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Longest reference with candidate in tokens (default: 4096, or less if the "
                 "encoder takes less)."),
]  # fmt: skip
_Long: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Longer ones: refuse (default), window (mean of parts) or cut."),
]


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What every trainer is given; ``options`` holds what else was asked for, by option name."""

    file: str
    criterion: str
    out: str
    seed: int
    resume: bool
    quiet: bool
    options: Mapping[str, Any]


def train(
    file: _PairFile,
    out: _Out,
    model: _Model = "patclaimeval",
    criterion: _Criterion = "Quality",
    encoder: _Encoder = None,
    revision: _Revision = None,
    device: _Device = None,
    epochs: _Epochs = None,
    batch: _Batch = None,
    accumulate: _Accumulate = None,
    lr: _Rate = None,
    weight_decay: _Decay = None,
    margin: _Margin = None,
    tolerance: _Tolerance = None,
    schedule: _Schedule = None,
    warmup: _Warmup = None,
    validation: _Validation = None,
    patience: _Patience = None,
    watch: _Watch = None,
    max_length: _MaxLength = None,
    long: _Long = None,
    seed: _Seed = 0,
    resume: _Resume = False,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Train an evaluator of claims on pairs that experts compared, for one criterion.

    Examples:

      patmark claims train train.json --model quality --out weights.json

      patmark claims train train.json --encoder longformer-base-4096 --criterion Quality --out model

      patmark claims meta test.json --measures 'PatClaimEval(model=model)' --criterion Quality
    """
    if model not in _TRAINERS:
        raise UsageError(f"there is no trainer {model!r}; choose from {', '.join(_TRAINERS)}")
    options = {
        "--encoder": encoder, "--revision": revision, "--device": device, "--epochs": epochs,
        "--batch": batch, "--accumulate": accumulate, "--lr": lr, "--weight-decay": weight_decay,
        "--margin": margin, "--tolerance": tolerance, "--schedule": schedule, "--warmup": warmup,
        "--validation": validation, "--patience": patience, "--watch": watch,
        "--max-length": max_length, "--long": long,
    }  # fmt: skip
    asked = {name: value for name, value in options.items() if value is not None}
    outputs = Outputs(as_json, quiet, True, html, csv, md, latex)
    outputs.check([file])
    report, result = _TRAINERS[model](
        TrainRequest(file, criterion, out, seed, resume, quiet, asked)
    )
    deliver_report(report, result, outputs)
    if not (as_json or quiet):
        say(f"wrote {out}")


def _train_patclaimeval(request: TrainRequest) -> tuple[Report, dict[str, Any]]:
    from patmark.claims import TrainingPlan, train_evaluator
    from patmark.data import read_claim_pairs

    asked = {name[2:].replace("-", "_"): value for name, value in request.options.items()}
    encoder = asked.pop("encoder", None)
    if encoder is None:
        raise UsageError("patclaimeval needs an --encoder, and none comes with patmark")
    where = {name: asked.pop(name) for name in ("revision", "device") if name in asked}
    if "lr" in asked:
        asked["learning_rate"] = asked.pop("lr")
    plan = TrainingPlan(criterion=request.criterion, seed=request.seed, **asked)
    pairs = read_claim_pairs(request.file)
    with _training_bar(request.quiet) as progress:
        done = train_evaluator(
            pairs, encoder, request.out, plan, **where, resume=request.resume, progress=progress,
            on_epoch=None if request.quiet else _say_epoch,
        )  # fmt: skip
    return done.to_report(), done.to_json()


_TRAINERS: dict[str, Callable[[TrainRequest], tuple[Report, dict[str, Any]]]] = {
    "patclaimeval": _train_patclaimeval,
    "quality": train_quality,
}


def _say_epoch(epoch: Epoch) -> None:
    """One line on stderr, because an epoch may take hours."""
    parts = {"training loss": epoch.training_loss, "validation loss": epoch.validation_loss,
             "tau": epoch.tau, "accuracy": epoch.accuracy}  # fmt: skip
    shown = [f"{name} {value:.4f}" for name, value in parts.items() if value is not None]
    say(f"epoch {epoch.epoch}: {', '.join(shown)}")


@contextmanager
def _training_bar(quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A progress bar on stderr with the time that is left, when a person is watching."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("training")
        yield lambda text, done, total: bar.update(
            task, description=text, completed=done, total=total
        )
