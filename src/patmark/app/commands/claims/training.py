"""Pairs of claim sets made from ratings, and the training of PatClaimEval on pairs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark import claims as engines, data, protocols
from patmark.app.commands import Scales
from patmark.errors import InputError, UsageError
from patmark.options import Argument, Options, group
from patmark.wording import DEFAULT_LANGUAGE, setting

if TYPE_CHECKING:
    from patmark.claims import Epoch
    from patmark.evaluation import Progress
    from patmark.human.judgements import Scale
    from patmark.protocols import ComparedRatings
    from patmark.report import Result

ALL_CRITERIA = "all"


@group
class RatedClaims(Scales, heading="Inputs"):
    """Rated texts."""

    scale: tuple[str | Scale, ...] = ()
    """Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."""
    testset: str
    """The reference claims: JSONL {id, references}."""
    hyp: tuple[str, ...]
    """Rated claims: JSONL {id, hypothesis}; NAME=FILE; repeat."""


@group
class PairChoice(Options, heading="Pairs"):
    """Settings of pairs and of their split, and the folder for them."""

    out: str
    """Write pairs.json, and the parts of the split, to this folder."""
    overwrite: bool = False
    """Replace files of the same name in the folder."""
    experts: str = "majority"
    """majority: one label from all experts. each: one pair per expert."""
    equal_within: float = 0.0
    """Largest difference of ratings that counts as a tie."""
    split: str = "reference"
    """reference (parts share no reference), random (as in the paper) or none."""
    test: float = 0.15
    """Share of pairs in the test part."""
    validation: float = 0.1
    """Share of the remaining pairs in the validation part."""
    seed: int = 0
    """Random seed of the order and the split."""


@group
class PairsRequest(RatedClaims, PairChoice):
    """Ratings of single claim sets, the rated texts, and the folder of the pairs."""

    ratings: Annotated[tuple[str, ...], Argument()]
    """Ratings: CSV evaluator,system,segment,criterion,value, or others."""

    @property
    def rated(self) -> list[tuple[str, str]]:
        """The rated files by system."""
        return [data.split_name(one) for one in self.hyp]

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        return [*self.ratings, self.testset, *(path for _, path in self.rated)]

    @property
    def file_names(self) -> list[str]:
        """Names of the files in the folder."""
        parts = () if self.split == "none" else engines.SPLIT_PARTS
        return [f"{part}.json" for part in ("pairs", *parts)]


def make_pairs(request: PairsRequest) -> ComparedRatings:
    """Make compared pairs from ratings of single claim sets, split them and write them."""
    given: Any = request
    plan = engines.SplitPlan(given.split, given.test, given.validation, given.seed)
    options = protocols.PairOptions(given.experts, given.equal_within, plan)
    out = Path(request.out)
    there = [name for name in request.file_names if os.path.lexists(out / name)]
    if there and not request.overwrite:
        raise UsageError(
            f"{out} holds {', '.join(there)} already; {setting('overwrite')} replaces them"
        )
    made = _compared_ratings(request, options)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(out)) from None
    data.write_claim_pairs(out / "pairs.json", made.pairs.pairs)
    for part, places in made.parts.items():
        pairs = [made.pairs.pairs[place] for place in places]
        data.write_claim_pairs(out / f"{part}.json", pairs)
    return made


def _compared_ratings(request: PairsRequest, options: protocols.PairOptions) -> ComparedRatings:
    from patmark.human.judgements import read_judgements

    test_set = data.read_jsonl_test_set(request.testset, DEFAULT_LANGUAGE)
    runs = [
        data.read_jsonl_run(path, test_set, name, allow_partial=True)
        for name, path in request.rated
    ]
    names = [run.system for run in runs]
    if len(set(names)) < len(names):
        raise UsageError(f"two candidates have one name: {', '.join(names)}")
    sources = []
    for path in request.ratings:
        read = read_judgements(path, scales=request.scales, systems=names, test_set=test_set)
        if read.judgements is None:
            raise UsageError(f"{path} holds preferences; expected ratings of single claim sets")
        sources.append(read.judgements)
    return protocols.compare_ratings(sources, test_set, runs, options)


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
    """Hyper-parameters of a training; None stands for the default of :class:`TrainingPlan`."""

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


@group
class TrainRequest(TrainingOptions, Hyperparameters):
    """Files of claim pairs, an encoder, and the folder of the trained evaluators."""

    pairs: Annotated[tuple[str, ...], Argument()]
    """Files of claim pairs: JSON list or .jsonl {gold_claim, A, B, human_eval}."""

    @property
    def plan(self) -> engines.TrainingPlan:
        """The hyper-parameters of the training."""
        known = engines.TrainingPlan.__dataclass_fields__
        given = {name: value for name, value in self.changed().items() if name in known}
        if self.lr is not None:
            given["learning_rate"] = self.lr
        return engines.TrainingPlan(**{**given, "criterion": self.criterion[0]})


def train(
    request: TrainRequest,
    progress: Progress | None = None,
    on_epoch: Callable[[str, Epoch], None] | None = None,
) -> Result:
    """Train PatClaimEval on pairs that experts compared: one evaluator for each criterion.

    ``on_epoch`` receives the criterion, or "" if there is only one, and the epoch.
    """
    if request.encoder is None:
        raise UsageError(f"patclaimeval needs an {setting('encoder')}, and none comes with patmark")
    plan = request.plan
    pairs = data.read_all_claim_pairs(request.pairs)
    criteria = () if tuple(request.criterion) == (ALL_CRITERIA,) else request.criterion
    how: dict[str, Any] = {
        "revision": request.revision or "",
        "device": request.device or "auto",
        "resume": request.resume,
        "progress": progress,
    }
    if len(criteria) == 1:
        own = None if on_epoch is None else lambda epoch: on_epoch("", epoch)
        return engines.train_evaluator(
            pairs, request.encoder, request.out, plan, **how, on_epoch=own
        )
    return engines.train_evaluators(
        pairs, request.encoder, request.out, plan, criteria, **how, on_epoch=on_epoch
    )
