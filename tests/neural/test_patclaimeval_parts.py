"""The parts of PatClaimEval that are plain arithmetic: loss, rates, splits, windows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from patmark.claims.pair_splits import split_by_reference
from patmark.claims.patclaimeval.inputs import budgets, parts
from patmark.claims.patclaimeval.labelled_pairs import pair_losses
from patmark.claims.patclaimeval.plan import (
    Epoch,
    TrainingPlan,
    best_epoch,
    learning_rate_at,
    should_stop,
)
from patmark.claims.patclaimeval.training import epoch_order
from patmark.errors import UsageError


def test_losses_computed_by_hand() -> None:
    import torch

    first = torch.tensor([0.9, 0.6, 0.2, 0.5, 0.5, 0.9, 0.4])
    second = torch.tensor([0.1, 0.5, 0.7, 0.5, 0.52, 0.5, 0.6])
    labels = torch.tensor([1, 1, 1, 0, 0, 0, -1])
    found = pair_losses(first, second, labels, margin=0.3, tolerance=0.05).tolist()
    # 0.3-0.8 < 0; 0.3-0.1; 0.3+0.5; 0; 0.02 < 0.05; 0.4-0.05; 0.3-0.2
    assert found == pytest.approx([0.0, 0.2, 0.8, 0.0, 0.0, 0.35, 0.1])


def test_gradients_pull_the_better_candidate_up() -> None:
    import torch

    first = torch.tensor([0.5, 0.5, 0.9], requires_grad=True)
    second = torch.tensor([0.5, 0.5, 0.1], requires_grad=True)
    pair_losses(first, second, torch.tensor([1, -1, 0]), 0.2, 0.05).sum().backward()
    assert first.grad is not None and first.grad.tolist() == [-1.0, 1.0, 1.0]
    assert second.grad is not None and second.grad.tolist() == [1.0, -1.0, -1.0]


@given(
    st.floats(0, 1), st.floats(0, 1), st.sampled_from([1, 0, -1]),
)  # fmt: skip
def test_swapping_candidates_and_label_keeps_the_loss(one: float, other: float, label: int) -> None:
    import torch

    first, second, labels = (torch.tensor([value]) for value in (one, other, label))
    loss = pair_losses(first, second, labels, 0.2, 0.05)
    assert loss.item() >= 0
    assert loss.item() == pair_losses(second, first, -labels, 0.2, 0.05).item()


def test_rates_rise_in_the_warmup_and_fall_to_zero() -> None:
    plan = TrainingPlan(learning_rate=0.1, schedule="linear", warmup=0.2)
    rates = [learning_rate_at(plan, step, 10) for step in range(10)]
    assert rates == pytest.approx(
        [0.05, 0.1, 0.1, 0.0875, 0.075, 0.0625, 0.05, 0.0375, 0.025, 0.0125]
    )
    constant = TrainingPlan(learning_rate=0.1)
    assert {learning_rate_at(constant, step, 10) for step in range(10)} == {0.1}


def _epochs(*losses: float | None, taus: tuple[float | None, ...] = ()) -> list[Epoch]:
    given_taus = taus or (0.0,) * len(losses)
    return [
        Epoch(at, 0.5, 1e-3, loss, tau)
        for at, (loss, tau) in enumerate(zip(losses, given_taus, strict=True), 1)
    ]


def test_the_best_epoch_is_the_first_with_the_best_number() -> None:
    assert best_epoch(_epochs(0.3, 0.1, 0.1, 0.2), "loss") == 2
    assert best_epoch(_epochs(0.3, 0.1, 0.2, taus=(0.1, None, 0.5)), "tau") == 3
    assert best_epoch(_epochs(None, None), "loss") == 2
    patient = TrainingPlan(patience=2)
    assert not should_stop(_epochs(0.3, 0.1, 0.2), patient)
    assert should_stop(_epochs(0.3, 0.1, 0.2, 0.2), patient)
    assert not should_stop(_epochs(0.1, 0.2, 0.3, 0.4), replace(patient, patience=0))


@given(
    st.lists(st.integers(0, 8), min_size=2, max_size=60).filter(lambda keys: len(set(keys)) > 1),
    st.floats(0.01, 0.9), st.integers(0, 5),
)  # fmt: skip
def test_no_reference_is_in_both_parts(keys: list[int], share: float, seed: int) -> None:
    names = [f"reference {key}" for key in keys]
    try:
        split = split_by_reference(names, share, seed)
    except UsageError:
        assert share > 0.5
        return
    training = {names[at] for at in split.training}
    validation = {names[at] for at in split.validation}
    assert training and validation and not training & validation
    assert sorted(split.training + split.validation) == list(range(len(names)))
    assert split == split_by_reference(names, share, seed)


def test_a_split_comes_near_to_its_share() -> None:
    names = [str(at // 9) for at in range(900)]
    assert len(split_by_reference(names, 0.1, 0).validation) == 90
    assert split_by_reference(names, 0.1, 0) != split_by_reference(names, 0.1, 1)
    assert split_by_reference(names, 0.0, 0).validation == ()
    with pytest.raises(UsageError, match="cannot be split by reference"):
        split_by_reference(["one"] * 5, 0.1, 0)


def test_each_epoch_has_an_order_of_its_own() -> None:
    orders = [tuple(epoch_order(range(5, 25), 0, number)) for number in (1, 2, 3)]
    assert len(set(orders)) == 3
    assert all(sorted(order) == list(range(5, 25)) for order in orders)
    assert tuple(epoch_order(range(5, 25), 0, 2)) == orders[1]
    assert tuple(epoch_order(range(5, 25), 1, 2)) != orders[1]


def test_a_short_side_leaves_its_room_to_the_other() -> None:
    assert budgets(10, 20, 40) == (10, 20)
    assert budgets(10, 90, 40) == (10, 30)
    assert budgets(90, 10, 40) == (30, 10)
    assert budgets(90, 90, 41) == (20, 21)


@given(st.integers(0, 120), st.integers(0, 120), st.integers(2, 60))
def test_windows_fit_and_cover_everything(reference: int, candidate: int, room: int) -> None:
    read = parts(reference, candidate, room, "window")
    for side, length in (("reference", reference), ("candidate", candidate)):
        slices = [getattr(part, side) for part in read]
        assert {at for part in slices for at in range(part.start, part.stop)} == set(range(length))
    sizes = [part.reference.stop - part.reference.start
             + part.candidate.stop - part.candidate.start for part in read]  # fmt: skip
    assert max(sizes) <= room
    assert (len(read) == 1) == (reference + candidate <= room)
    [cut] = parts(reference, candidate, room, "cut")
    assert cut.reference.stop + cut.candidate.stop == min(room, reference + candidate)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margin": 0.05}, "expected 0 <= tolerance < margin <= 1"),
        ({"tolerance": -0.1}, "expected 0 <= tolerance"),
        ({"schedule": "cosine"}, "schedule 'cosine' is unknown"),
        ({"watch": "rho"}, "choose from loss, tau"),
        ({"long": "error"}, "choose from refuse, window, cut"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"patience": -1}, "patience must not be negative"),
        ({"weight_decay": float("nan")}, "weight_decay must not be negative"),
        ({"validation": 1.0}, "validation must be a share"),
        ({"learning_rate": 0.0}, "learning rate"),
        ({"validation": 0.0, "patience": 2}, "nothing to watch"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(
    settings: dict[str, float], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        TrainingPlan(**settings)  # type: ignore[arg-type]
