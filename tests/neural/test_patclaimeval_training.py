"""Training of PatClaimEval: it learns, it is reproducible, it can be interrupted."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.claims.patclaimeval import PatClaimEval, TrainingPlan, train_evaluator
from patmark.claims.patclaimeval.evaluator import read_state
from patmark.claims.patclaimeval.plan import Epoch
from patmark.data.claim_pairs import ClaimPairs
from patmark.data.model import TestSet
from patmark.errors import InputError, UsageError
from tiny_encoders import toy_pairs, write_encoder

PLAN = TrainingPlan(
    epochs=3, batch=4, learning_rate=5e-3, validation=0.2, max_length=64, margin=0.2, tolerance=0.05
)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=["longformer", "bert"])
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_encoder(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_encoder(tmp_path_factory.mktemp("bert"), "bert")


def _leads(folder: Path, pairs: ClaimPairs) -> Any:
    """Score of A less score of B, by the measure."""
    test_set = TestSet.of([pair.reference for pair in pairs.pairs])
    measure = PatClaimEval(model=str(folder), batch=3)
    first = measure.segment_scores(test_set, tuple(pair.first for pair in pairs.pairs))
    second = measure.segment_scores(test_set, tuple(pair.second for pair in pairs.pairs))
    return first - second


class _Interrupted(Exception):
    pass


def _stop_after(epoch: int) -> Any:
    def stop(done: Epoch) -> None:
        if done.epoch == epoch:
            raise _Interrupted

    return stop


def test_a_step_lowers_the_loss(tmp_path: Path) -> None:
    still = write_encoder(tmp_path / "still", "bert", dropout=0.0)
    plan = replace(PLAN, epochs=2, batch=20, validation=0.0, learning_rate=1e-3)
    done = train_evaluator(toy_pairs(), still, tmp_path / "out", plan)
    assert done.epochs[1].training_loss < done.epochs[0].training_loss


def test_toy_pairs_are_learnt(encoder: str, tmp_path: Path) -> None:
    pairs = toy_pairs()
    plan = replace(PLAN, epochs=25, learning_rate=1e-2, validation=0.0)
    train_evaluator(pairs, encoder, tmp_path / "out", plan)
    labels = np.array([pair.labels["Quality"] for pair in pairs.pairs])
    leads = _leads(tmp_path / "out", pairs)
    assert (np.sign(leads) == labels)[labels != 0].all()
    assert np.abs(leads[labels == 0]).max() < np.abs(leads[labels != 0]).min()


def test_the_same_seed_gives_the_same_model(bert: str, tmp_path: Path) -> None:
    import torch

    pairs, found = toy_pairs(), []
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        torch.manual_seed(len(found))  # must not matter
        done = train_evaluator(pairs, bert, tmp_path / name, replace(PLAN, seed=seed))
        found.append((_leads(tmp_path / name, pairs).tolist(), done.epochs))
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_the_random_state_of_the_caller_is_left_alone(bert: str, tmp_path: Path) -> None:
    import torch

    before = torch.get_rng_state()
    train_evaluator(toy_pairs(), bert, tmp_path / "out", replace(PLAN, epochs=1))
    assert torch.equal(torch.get_rng_state(), before)


def test_a_resumed_training_equals_an_undisturbed_one(encoder: str, tmp_path: Path) -> None:
    pairs = toy_pairs()
    plan = replace(PLAN, epochs=4, schedule="linear", warmup=0.2)
    whole = train_evaluator(pairs, encoder, tmp_path / "whole", plan)
    with pytest.raises(_Interrupted):
        train_evaluator(pairs, encoder, tmp_path / "parts", plan, on_epoch=_stop_after(2))
    assert not (tmp_path / "parts" / "patclaimeval.json").exists()
    resumed = train_evaluator(pairs, encoder, tmp_path / "parts", plan, resume=True)
    assert "resumed after epoch 2" in resumed.notes
    assert resumed.epochs == whole.epochs
    assert resumed.card() == whole.card()
    assert _leads(tmp_path / "parts", pairs).tolist() == _leads(tmp_path / "whole", pairs).tolist()


def test_a_constant_rate_allows_more_epochs_later(bert: str, tmp_path: Path) -> None:
    pairs = toy_pairs()
    whole = train_evaluator(pairs, bert, tmp_path / "whole", replace(PLAN, epochs=3))
    train_evaluator(pairs, bert, tmp_path / "parts", replace(PLAN, epochs=1))
    before = _leads(tmp_path / "parts", pairs)
    more = train_evaluator(pairs, bert, tmp_path / "parts", replace(PLAN, epochs=3), resume=True)
    assert more.epochs == whole.epochs
    after = _leads(tmp_path / "parts", pairs)
    assert after.tolist() == _leads(tmp_path / "whole", pairs).tolist() != before.tolist()


def test_another_training_is_not_resumed_nor_overwritten(bert: str, tmp_path: Path) -> None:
    pairs = toy_pairs()
    plan = replace(PLAN, epochs=1)
    train_evaluator(pairs, bert, tmp_path / "out", plan)
    with pytest.raises(UsageError, match="is not empty; resume="):
        train_evaluator(pairs, bert, tmp_path / "out", plan)
    with pytest.raises(UsageError, match="other margin, seed"):
        changed = replace(plan, margin=0.5, seed=1)
        train_evaluator(pairs, bert, tmp_path / "out", changed, resume=True)
    with pytest.raises(UsageError, match="other pairs"):
        train_evaluator(toy_pairs(19), bert, tmp_path / "out", plan, resume=True)
    (tmp_path / "out" / "checkpoints" / "last.pt").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(InputError, match="is not a state of a training"):
        train_evaluator(pairs, bert, tmp_path / "out", plan, resume=True)


def test_resume_without_a_complete_epoch_begins_anew(bert: str, tmp_path: Path) -> None:
    plan = replace(PLAN, epochs=1)
    done = train_evaluator(toy_pairs(), bert, tmp_path / "out", plan, resume=True)
    assert any("began anew" in note for note in done.notes)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("words")
    with pytest.raises(UsageError, match="no training that could be resumed"):
        train_evaluator(toy_pairs(), bert, tmp_path / "mine", plan, resume=True)


def test_accumulated_batches_equal_one_large_batch(tmp_path: Path) -> None:
    still = write_encoder(tmp_path / "still", "bert", dropout=0.0)
    pairs = toy_pairs()
    plan = replace(PLAN, epochs=2, validation=0.0)
    train_evaluator(pairs, still, tmp_path / "large", replace(plan, batch=6))
    train_evaluator(pairs, still, tmp_path / "small", replace(plan, batch=2, accumulate=3))
    leads = _leads(tmp_path / "large", pairs)
    assert _leads(tmp_path / "small", pairs) == pytest.approx(leads, abs=1e-5)


def test_the_best_epoch_is_kept_and_patience_ends_the_training(bert: str, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    rng = random.Random(0)
    noise = [
        replace(pair, labels={"Quality": rng.choice([1, 0, -1])}) for pair in toy_pairs(30).pairs
    ]
    plan = replace(PLAN, epochs=30, patience=2, watch="tau", learning_rate=2e-2)
    done = train_evaluator(ClaimPairs(tuple(noise)), bert, tmp_path / "out", plan)
    taus = [epoch.tau for epoch in done.epochs if epoch.tau is not None]
    assert done.best.tau == max(taus)
    assert len(done.epochs) == done.best.epoch + 2 < 30
    states = tmp_path / "out" / "checkpoints"
    best = f"best-{done.best.epoch:04d}.pt"
    assert sorted(path.name for path in states.iterdir()) == [best, "last.pt"]
    saved = load_file(tmp_path / "out" / "model_head.safetensors")["weight"]
    assert torch.equal(saved, read_state(states / best)["head"]["weight"])
    assert not torch.equal(saved, read_state(states / "last.pt")["weights"]["head"]["weight"])


def test_the_description_tells_what_was_done(bert: str, tmp_path: Path) -> None:
    pairs = toy_pairs()
    unlabelled = replace(pairs.pairs[0], labels={"Clarity": 1})
    both = ClaimPairs((unlabelled, *pairs.pairs), "/somewhere/toy.json")
    steps: list[tuple[str, int, int]] = []
    done = train_evaluator(
        both, bert, tmp_path / "out", PLAN, progress=lambda *step: steps.append(step)
    )
    card = json.loads((tmp_path / "out" / "patclaimeval.json").read_text(encoding="utf-8"))
    assert card == done.card()
    assert card["criterion"] == "Quality" and card["plan"] == PLAN.to_json()
    assert card["pairs"]["file"] == "toy.json" and card["pairs"]["unlabelled"] == 1
    assert card["pairs"]["labels"] == {"1": 8, "0": 4, "-1": 8}
    parts = [{both.pairs[at].reference_key for at in card["split"][part]}
             for part in ("training", "validation")]  # fmt: skip
    assert parts[0] and parts[1] and not parts[0] & parts[1]
    assert sorted(card["split"]["training"] + card["split"]["validation"]) == list(range(1, 21))
    assert card["long_inputs"] == {"inputs": 40, "too_long": 0, "rows": 40, "dropped_tokens": 0}
    assert steps[-1][1:] == (12, 12) and steps[0][0].startswith("epoch 1/3, loss 0.")
    table = done.to_report().tables[0]
    assert [row[0] for row in table.rows] == [1, 2, 3]
    assert table.rows[done.best.epoch - 1][-1] == "*"


def test_validation_numbers_are_those_of_the_saved_model(bert: str, tmp_path: Path) -> None:
    # scipy 1.17.1 kendalltau over the flattened ranks of the validation part.
    from scipy.stats import kendalltau

    pairs = toy_pairs(40, 8)
    done = train_evaluator(pairs, bert, tmp_path / "out", replace(PLAN, epochs=2, validation=0.5))
    chosen = ClaimPairs(tuple(pairs.pairs[at] for at in done.split["validation"]))
    leads = _leads(tmp_path / "out", chosen)
    labels = [pair.labels["Quality"] for pair in chosen.pairs]
    ranks = {1: (1, 2), -1: (2, 1), 0: (1, 1)}
    flat = [[rank for sign in signs for rank in ranks[int(sign)]]
            for signs in (labels, np.sign(leads))]  # fmt: skip
    assert done.best.tau == pytest.approx(kendalltau(*flat).statistic)
    assert done.best.accuracy == pytest.approx(np.mean(np.sign(leads) == labels))
    tied = np.where(np.abs(leads) <= 0.05, 0, np.sign(leads))
    assert done.best.accuracy_with_ties == pytest.approx(np.mean(tied == labels))


def test_long_inputs_are_refused_windowed_or_counted(encoder: str, tmp_path: Path) -> None:
    pairs = toy_pairs(8, 2)
    plan = replace(PLAN, epochs=1, max_length=15, validation=0.0)
    with pytest.raises(InputError, match="item 0, candidate A: reference and candidate have"):
        train_evaluator(pairs, encoder, tmp_path / "refused", plan)
    assert not (tmp_path / "refused").exists()
    cut = train_evaluator(pairs, encoder, tmp_path / "cut", replace(plan, long="cut"))
    assert cut.long_inputs.too_long == cut.long_inputs.rows == cut.long_inputs.inputs == 16
    assert any(f"dropped {cut.long_inputs.dropped_tokens} tokens" in note for note in cut.notes)
    read = train_evaluator(pairs, encoder, tmp_path / "window", replace(plan, long="window"))
    assert read.long_inputs.rows > 16 and read.long_inputs.dropped_tokens == 0
    assert "16 of 16 inputs were read in windows" in read.notes
