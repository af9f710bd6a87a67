"""Train an evaluator on compared pairs: one model per criterion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from patmark.claims.pair_splits import Split, split_by_reference
from patmark.claims.patclaimeval.evaluator import (
    ClaimEvaluator,
    TrainingFolder,
    new_evaluator,
    read_state,
    save_evaluator,
    set_weights,
    weights_of,
)
from patmark.claims.patclaimeval.inputs import Input, encode, long_counts
from patmark.claims.patclaimeval.labelled_pairs import LabelledPairs, pair_losses
from patmark.claims.patclaimeval.plan import (
    Epoch,
    EvaluatorTraining,
    EvaluatorTrainings,
    TrainingPlan,
    best_epoch,
    learning_rate_at,
    should_stop,
)
from patmark.data import ClaimPairs, FilePath, IntArray
from patmark.errors import UsageError
from patmark.measures import find_model
from patmark.stats import accuracy, meeting_counts, predicted_preferences, tau
from patmark.wording import setting, tr

Progress = Callable[[str, int, int], None]


def train_evaluator(
    pairs: ClaimPairs,
    encoder: str,
    out: FilePath,
    plan: TrainingPlan | None = None,
    *,
    revision: str = "",
    device: str = "auto",
    resume: bool = False,
    progress: Progress | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> EvaluatorTraining:
    """Train on pairs and write the best evaluator to the folder ``out``.

    ``resume`` continues an interrupted training after its last complete epoch, and on the CPU gives
    the same result as an uninterrupted one.
    """
    plan = plan or TrainingPlan()
    data = LabelledPairs.of(pairs, plan.criterion)
    split = split_by_reference(data.references, plan.validation, plan.seed)
    find_model(encoder, revision)
    folder = TrainingFolder(Path(out))
    with _own_random_state():
        evaluator = new_evaluator(encoder, revision, device, plan.max_length, plan.seed)
        trainer = _Trainer(evaluator, data, split, plan, _encoded(evaluator, data, plan))
        folder.prepare(resume)
        notes = trainer.restore(folder) if resume else ()
        trainer.run(folder, progress, on_epoch)
        set_weights(evaluator, read_state(folder.best(trainer.best)))
    counts = long_counts([one for both in trainer.inputs for one in both], evaluator.limit)
    done = EvaluatorTraining.of(
        evaluator, encoder, data, split, plan, trainer.epochs, counts, notes
    )
    save_evaluator(evaluator, folder.folder, done.card())
    return done


def train_evaluators(
    pairs: ClaimPairs,
    encoder: str,
    out: FilePath,
    plan: TrainingPlan | None = None,
    criteria: Sequence[str] = (),
    *,
    revision: str = "",
    device: str = "auto",
    resume: bool = False,
    progress: Progress | None = None,
    on_epoch: Callable[[str, Epoch], None] | None = None,
) -> EvaluatorTrainings:
    """Train one evaluator for each criterion (by default all of the pairs), a folder each.

    The folders have the names of the criteria, in lower case. With ``resume``, finished criteria
    stay unchanged, and the interrupted one continues. ``on_epoch`` also receives the criterion.
    """
    folders = _criterion_folders(pairs, criteria or pairs.criteria)
    if not resume and Path(out).is_dir() and any(Path(out).iterdir()):
        raise UsageError(f"{out} is not empty; {setting('resume')} resumes trainings in it")
    trainings = {}
    for criterion, folder in folders.items():
        trainings[criterion] = train_evaluator(
            pairs,
            encoder,
            Path(out) / folder,
            replace(plan or TrainingPlan(), criterion=criterion),
            revision=revision,
            device=device,
            resume=resume,
            progress=progress and _naming(criterion, progress),
            on_epoch=on_epoch and partial(on_epoch, criterion),
        )
    return EvaluatorTrainings(trainings)


def _naming(criterion: str, progress: Progress) -> Progress:
    return lambda text, done, total: progress(f"{criterion}, {text}", done, total)


def _criterion_folders(pairs: ClaimPairs, criteria: Sequence[str]) -> dict[str, str]:
    """Map criteria to folder names; refuse unknown ones and equal names."""
    for criterion in criteria:
        pairs.check_criterion(criterion)
    folders = {one: re.sub(r"[^\w-]+", "_", one.lower()) for one in criteria}
    if len(set(folders.values())) < len(criteria):
        raise UsageError(f"a criterion is asked for twice: {', '.join(criteria)}")
    return folders


def _encoded(
    evaluator: ClaimEvaluator, data: LabelledPairs, plan: TrainingPlan
) -> list[tuple[Input, Input]]:
    """Return both candidates of each pair, as inputs."""
    texts, names = [], []
    for place, pair in zip(data.places, data.pairs, strict=True):
        texts += [(pair.reference, pair.first), (pair.reference, pair.second)]
        names += [f"item {place}, candidate A", f"item {place}, candidate B"]
    inputs = encode(evaluator.model.tokenizer, texts, names, evaluator.limit, plan.long)
    return list(zip(inputs[::2], inputs[1::2], strict=True))


def epoch_order(places: Sequence[int], seed: int, epoch: int) -> IntArray:
    """Return the order of an epoch, which depends only on its number and the seed."""
    return np.random.default_rng([seed, epoch]).permutation(np.array(places, dtype=np.int64))


@contextmanager
def _own_random_state() -> Iterator[None]:
    """Restore the random states of torch after the block."""
    import torch

    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
    with torch.random.fork_rng(devices=list(devices)):
        yield


@dataclass(eq=False)
class _Trainer:
    """An evaluator in training: the state that changes from epoch to epoch."""

    evaluator: ClaimEvaluator
    data: LabelledPairs
    split: Split
    plan: TrainingPlan
    inputs: Sequence[tuple[Input, Input]]
    epochs: list[Epoch] = field(default_factory=list)

    def __post_init__(self) -> None:
        import torch

        self.optimizer = torch.optim.AdamW(
            list(self.evaluator.parameters()),
            lr=self.plan.learning_rate,
            weight_decay=self.plan.weight_decay,
        )

    @property
    def best(self) -> int:
        """The number of the best epoch so far."""
        return best_epoch(self.epochs, self.plan.watch)

    @property
    def steps_per_epoch(self) -> int:
        """Steps of the optimizer in an epoch."""
        return -(-len(self.split.training) // (self.plan.batch * self.plan.accumulate))

    def run(
        self,
        folder: TrainingFolder,
        progress: Progress | None,
        on_epoch: Callable[[Epoch], None] | None,
    ) -> None:
        """Run all remaining epochs."""
        for number in range(len(self.epochs) + 1, self.plan.epochs + 1):
            if should_stop(self.epochs, self.plan):
                break
            loss, rate = self._train_epoch(number, progress)
            self.epochs.append(self._validated(number, loss, rate))
            weights = weights_of(self.evaluator) if self.best == number else None
            folder.write_last(self._state(), self.best, weights)
            if on_epoch:
                on_epoch(self.epochs[-1])

    def _train_epoch(self, number: int, progress: Progress | None) -> tuple[float, float]:
        """Run one pass over the training part; return the mean loss and the last rate."""
        per_step, per_epoch = self.plan.batch * self.plan.accumulate, self.steps_per_epoch
        order = epoch_order(self.split.training, self.plan.seed, number)
        self.evaluator.set_training(True)
        total, rate = 0.0, 0.0
        for at in range(per_epoch):
            step = (number - 1) * per_epoch + at
            rate = learning_rate_at(self.plan, step, self.plan.epochs * per_epoch)
            total += self._step(order[at * per_step : (at + 1) * per_step], rate)
            if progress:
                mean = total / min((at + 1) * per_step, len(order))
                text = f"epoch {number}/{self.plan.epochs}, loss {mean:.4f}"
                progress(text, step + 1, self.plan.epochs * per_epoch)
        return total / len(order), rate

    def _step(self, places: IntArray, rate: float) -> float:
        """Make a step of the optimizer on the mean loss of some pairs; return their summed loss."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad()
        total = 0.0
        for start in range(0, len(places), self.plan.batch):
            losses = self._losses(places[start : start + self.plan.batch])
            (losses.sum() / len(places)).backward()
            total += float(losses.detach().sum())
        if not np.isfinite(total):
            raise UsageError("the loss is not a finite number; try a lower learning rate")
        self.optimizer.step()
        return total

    def _losses(self, places: IntArray) -> Any:
        import torch

        both = [self.inputs[at] for at in places]
        scores = self.evaluator.input_scores([one for pair in both for one in pair])
        labels = torch.from_numpy(self.data.labels[places]).to(scores.device)
        plan = self.plan
        return pair_losses(scores[::2], scores[1::2], labels, plan.margin, plan.tolerance)

    def _validated(self, number: int, loss: float, rate: float) -> Epoch:
        """Return the epoch with its results on the validation part."""
        import torch

        if not self.split.validation:
            return Epoch(number, loss, rate)
        places = np.array(self.split.validation)
        inputs = [one for at in places for one in self.inputs[at]]
        scores = self.evaluator.score(inputs, 2 * self.plan.batch)
        first, second, labels = scores[::2], scores[1::2], self.data.labels[places]
        one, other, wanted = (torch.from_numpy(array) for array in (first, second, labels))
        losses = pair_losses(one, other, wanted, self.plan.margin, self.plan.tolerance)
        exact = predicted_preferences(first, second)
        counts = meeting_counts(labels, exact).sum(axis=0)
        tied = np.where(np.abs(first - second) <= self.plan.tolerance, 0, exact)
        found = float(tau(counts))
        return Epoch(
            number,
            loss,
            rate,
            float(losses.mean()),
            None if np.isnan(found) else found,
            float(accuracy(counts)),
            float((tied == labels).mean()),
        )

    def _state(self) -> dict[str, Any]:
        import torch

        cuda = self.evaluator.model.device == "cuda"
        return {
            "identity": self._identity(),
            "epochs": [one.to_json() for one in self.epochs],
            "weights": weights_of(self.evaluator),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "random_cuda": torch.cuda.get_rng_state_all() if cuda else [],
        }

    def restore(self, folder: TrainingFolder) -> tuple[str, ...]:
        """Return to the last complete epoch; return notes for the report."""
        import torch

        state = folder.read_last()
        if state is None:
            return (tr("there was no complete epoch to resume from: the training began anew"),)
        mine = self._identity()
        differing = [name for name, value in mine.items() if state["identity"].get(name) != value]
        if differing:
            raise UsageError(
                f"{folder.folder} holds another training, with other {', '.join(differing)}; give "
                "the options and pairs that it was begun with, or name another folder"
            )
        if len(state["epochs"]) > self.plan.epochs:
            raise UsageError(
                f"{folder.folder} holds {len(state['epochs'])} epochs already, more than the "
                f"{self.plan.epochs} asked for"
            )
        self.epochs = [Epoch(**epoch) for epoch in state["epochs"]]
        set_weights(self.evaluator, state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        if state["random_cuda"] and self.evaluator.model.device == "cuda":
            torch.cuda.set_rng_state_all(state["random_cuda"])
        return (tr("resumed after epoch {n}", n=len(self.epochs)),)

    def _identity(self) -> dict[str, Any]:
        """Return the facts that must be the same to resume a training."""
        plan = self.plan.to_json()
        if self.plan.schedule == "constant" and not self.plan.warmup:
            del plan["epochs"]
        checkpoint = self.evaluator.model.checkpoint
        return {"pairs": self.data.fingerprint, "encoder": checkpoint.weights, **plan}
