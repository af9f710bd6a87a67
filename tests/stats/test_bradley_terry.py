"""Bradley–Terry strengths, components, prior, intervals."""

from __future__ import annotations

import tracemalloc
from importlib import import_module
from math import exp, isnan, log, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.optimize import minimize

from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.stats.bradley_terry import BradleyTerry, bradley_terry
from patmark.stats.evaluators import segment_wins
from patmark.stats.intervals import tail_beyond
from patmark.stats.resampling import Units, draw_weights


def _fit(wins: object, ties: object = 0.0, tie_rule: str = "half") -> BradleyTerry:
    table = np.array([wins], float)
    tied = np.broadcast_to(np.array([ties], float), table.shape)
    return bradley_terry(table, tied, tie_rule=tie_rule)  # type: ignore[arg-type]


def _values(result: BradleyTerry) -> list[float]:
    return [strength.value for strength in result.strengths]


@pytest.mark.parametrize(
    "wins, expected",
    [
        (
            [[0, 7, 9, 6], [3, 0, 6, 5], [1, 4, 0, 4], [4, 5, 6, 0]],
            [0.773462, -0.109988, -0.659931, -0.003543],
        ),
        (
            [[0, 12, 0, 4, 0], [8, 0, 9, 0, 0], [0, 7, 0, 5, 3], [6, 0, 5, 0, 11], [0, 0, 2, 4, 0]],
            [0.26384782, 0.01834333, -0.03701927, 0.35246331, -0.59763519],
        ),
    ],
)
def test_strengths_equal_choix_0_4_1(wins: list[list[int]], expected: list[float]) -> None:
    result = _fit(wins)
    assert _values(result) == pytest.approx(expected, abs=1e-6)
    assert not result.prior and result.unconverged == 0 and result.tie_parameter is None
    assert result.components == (tuple(range(len(wins))),)


WINS, TIES = [[0, 5, 3], [2, 0, 4], [1, 3, 0]], [[0, 3, 2], [3, 0, 1], [2, 1, 0]]


def test_ties_are_half_wins() -> None:
    """choix 0.4.1 on each win twice and each tie as a win for either side."""
    result = _fit(WINS, TIES)
    assert _values(result) == pytest.approx([0.44861889, -0.12499347, -0.32362543], abs=1e-7)
    assert [strength.n for strength in result.strengths] == [16, 18, 14]


def test_virtual_player_joins_what_is_not_connected() -> None:
    """The third never wins. choix 0.4.1 on doubled games, one won and lost against a fourth."""
    result = _fit([[0, 4, 6], [3, 0, 5], [0, 0, 0]])
    assert result.prior and result.components == ((0, 1), (2,))
    assert _values(result) == pytest.approx([1.21321682, 0.94611647, -2.15933329], abs=1e-7)


def test_components_come_strongest_first() -> None:
    ladder = np.zeros((4, 4))
    for better, worse in [(3, 1), (1, 0), (1, 2), (0, 2), (2, 0)]:
        ladder[better, worse] = 2
    assert _fit(ladder).components == ((3,), (1,), (0, 2))
    values = _values(_fit(ladder))
    assert values[3] > values[1] > values[0] == pytest.approx(values[2])


def test_clear_separation_is_still_solved() -> None:
    """Two systems, 1000 to nothing: with the prior the gap solves its equation of moments."""
    result = _fit([[0, 1000], [0, 0]])
    gap = _values(result)[0] - _values(result)[1]
    # By symmetry each stands half a gap from the virtual player.
    expected_points = 1000 / (1 + exp(-gap)) + 1 / (1 + exp(-gap / 2))
    assert expected_points == pytest.approx(1000.5) and result.unconverged == 0
    ladder = np.triu(np.full((12, 12), 500.0), 1)
    assert _fit(ladder).unconverged == 0
    assert np.all(np.diff(_values(_fit(ladder))) < 0)


def test_two_systems_by_hand() -> None:
    assert _values(_fit([[0, 6], [2, 0]])) == pytest.approx([log(3) / 2, -log(3) / 2])
    davidson = _fit([[0, 6], [2, 0]], [[0, 4], [4, 0]], "davidson")
    assert _values(davidson) == pytest.approx([log(3) / 2, -log(3) / 2])
    assert davidson.tie_parameter == pytest.approx(4 / (6 * 2) ** 0.5)


def test_davidson_is_at_the_maximum_of_its_likelihood() -> None:
    wins, ties = np.array(WINS, float), np.array(TIES, float)

    def loss(place: FloatArray) -> float:
        strength, root = np.exp(place[:3]), np.exp(place[:3] / 2)
        tie = np.exp(place[3]) * np.outer(root, root)
        total = strength[:, None] + strength[None, :] + tie
        logs = wins * np.log(strength[:, None] / total) + ties / 2 * np.log(tie / total)
        return float(-logs.sum() + place[:3].sum() ** 2)

    best = minimize(loss, np.zeros(4), options={"gtol": 1e-9}).x
    result = _fit(WINS, TIES, "davidson")
    assert _values(result) == pytest.approx(best[:3], abs=1e-5)
    assert result.tie_parameter == pytest.approx(exp(best[3]), abs=1e-5)


def test_davidson_without_ties_is_bradley_terry() -> None:
    davidson = _fit(WINS, tie_rule="davidson")
    assert davidson.tie_parameter == 0
    assert _values(davidson) == pytest.approx(_values(_fit(WINS)))


def test_ties_alone_link_systems_only_as_half_wins() -> None:
    ties = [[0, 4], [4, 0]]
    half, davidson = _fit(np.zeros((2, 2)), ties), _fit(np.zeros((2, 2)), ties, "davidson")
    assert not half.prior and davidson.prior
    assert _values(half) == _values(davidson) == pytest.approx([0, 0])


def test_a_system_without_comparisons_has_no_strength() -> None:
    result = _fit([[0, 6, 0], [2, 0, 0], [0, 0, 0]])
    assert isnan(_values(result)[2]) and result.strengths[2].n == 0
    assert result.components == ((0, 1), (2,)) and result.prior
    assert sum(_values(result)[:2]) == pytest.approx(0)


def _grades() -> FloatArray:
    rng = np.random.default_rng(3)
    grades = rng.normal(size=(4, 40)).round() + np.array([[1.0], [0.5], [0], [-0.5]]).round(1)
    grades[rng.random(grades.shape) < 0.1] = nan
    return np.asarray(grades)


@pytest.mark.parametrize("documents", [None, [str(number // 3) for number in range(40)]])
def test_interval_is_that_of_fits_of_resampled_segments(documents: list[str] | None) -> None:
    wins, ties = segment_wins(_grades())
    units = None if documents is None else Units.choose(documents, by="document")
    result = bradley_terry(wins, ties, units, resamples=40, seed=7)
    of_segment = np.arange(40) if units is None else units.of_segment
    [weights] = draw_weights(int(of_segment.max()) + 1, 40, seed=7)
    fits = []
    for row in weights:
        drawn = np.repeat(np.arange(40), row[of_segment].astype(int))
        fits.append(_values(bradley_terry(wins[drawn], ties[drawn])))
    played = (wins + wins.swapaxes(1, 2) + ties).sum(axis=2)[..., None]  # (segments, systems, 1)
    games = Units.choose(documents or [None] * 40).totals(played.swapaxes(0, 1))[..., 0]
    for estimate, fitted, own in zip(result.strengths, np.transpose(fits), games, strict=True):
        tail = tail_beyond(own)
        assert estimate.ci == pytest.approx(tuple(np.quantile(fitted, [tail, 1 - tail])))
    assert result.prior_resamples == 0 and result.resamples == 40


def test_resamples_that_fall_apart_are_counted() -> None:
    wins = np.zeros((10, 2, 2))
    wins[:9, 0, 1] = wins[9:, 1, 0] = 1
    result = bradley_terry(wins, np.zeros_like(wins), resamples=300, seed=1)
    assert not result.prior
    assert 60 < result.prior_resamples < 160  # the only loss is missed with probability 0.9^10
    assert all(np.isfinite(s.ci).all() for s in result.strengths if s.ci)


def test_bad_tables_are_refused() -> None:
    table = np.zeros((2, 3, 3))
    lopsided = table.copy()
    lopsided[0, 0, 1] = 1
    with pytest.raises(UsageError, match="symmetric"):
        bradley_terry(table, lopsided)
    with pytest.raises(UsageError, match="shape"):
        bradley_terry(table[0], table[0])
    with pytest.raises(UsageError, match="itself"):
        bradley_terry(table + np.eye(3), table)
    with pytest.raises(UsageError, match="choose half or davidson"):
        _fit(WINS, tie_rule="rao")


_tables = st.integers(2, 5).flatmap(
    lambda systems: st.lists(
        st.integers(0, 6), min_size=systems * systems, max_size=systems * systems
    ).map(lambda cells: np.array(cells, float).reshape(systems, systems))
)


@given(_tables)
@settings(deadline=None, derandomize=True)
def test_expected_wins_are_the_wins_seen(table: FloatArray) -> None:
    """The equations of the maximum: each system is expected to win as often as it did."""
    np.fill_diagonal(table, 0)
    result = _fit(table)
    assert result.unconverged == 0
    assume(not result.prior)
    strengths = np.exp(_values(result))
    share = strengths[:, None] / (strengths[:, None] + strengths[None, :])
    expected = ((table + table.T) * share).sum(axis=1)
    assert expected == pytest.approx(table.sum(axis=1), abs=1e-7)
    assert sum(_values(result)) == pytest.approx(0, abs=1e-9)


@given(_tables)
@settings(deadline=None, derandomize=True)
def test_exchanging_wins_and_losses_turns_the_signs(table: FloatArray) -> None:
    np.fill_diagonal(table, 0)
    turned = [-value for value in _values(_fit(table.T))]
    assert _values(_fit(table)) == pytest.approx(turned, abs=1e-7, nan_ok=True)


def _campaign(systems: int, segments: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(9)
    quality = np.linspace(2, 4, systems)[:, None]
    return segment_wins((quality + rng.normal(size=(systems, segments))).round().clip(1, 5))


@pytest.mark.parametrize("tie_rule", ["half", "davidson"])
def test_blocks_do_not_change_the_result(tie_rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wins, ties = _campaign(6, 30)
    whole = bradley_terry(wins, ties, resamples=50, tie_rule=tie_rule)  # type: ignore[arg-type]
    module = import_module("patmark.stats.bradley_terry")
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 36 * 7)
    blocks = bradley_terry(wins, ties, resamples=50, tie_rule=tie_rule)  # type: ignore[arg-type]
    for one, other in zip(whole.strengths, blocks.strengths, strict=True):
        assert one.value == other.value and one.ci == pytest.approx(other.ci, abs=1e-12)
    assert whole.prior_resamples == blocks.prior_resamples


def test_many_resamples_of_many_systems_need_little_memory() -> None:
    wins, ties = _campaign(40, 30)
    tracemalloc.start()
    result = bradley_terry(wins, ties, resamples=1000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All tables of wins at once would take 26 MB for each of a dozen arrays.
    assert most < 40e6 and result.unconverged == 0


def test_one_unit_gives_no_interval() -> None:
    wins, ties = _campaign(3, 4)
    units = Units.choose(["d"] * 4, "segment")
    one = Units("document", np.zeros(4, dtype=np.int64), 1, 1)
    assert all(each.ci is not None for each in bradley_terry(wins, ties, units, 20).strengths)
    assert all(each.ci is None for each in bradley_terry(wins, ties, one, 20).strengths)
