"""Strict and lax scores, and the files of gold beads."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.alignment.gold import read_gold, score_alignment
from patmark.errors import InputError

GOLD = [((0,), (0,)), ((1, 2), (1,)), ((3,), (2, 3)), ((4,), ())]
FOUND = [((0,), (0,)), ((1,), (1,)), ((2,), ()), ((3,), (2, 3)), ((4,), (4,)), ((), (5,))]


def test_beads_are_counted_as_vecalign_counts_them() -> None:
    """By hand: of 6 found beads 2 equal a gold bead and ((1,), (1,)) is partly right.

    Without empty beads 3 gold beads remain; 2 are found, and the third partly.
    """
    quality = score_alignment([(FOUND, GOLD)])
    assert (quality.strict.precision, quality.strict.recall) == (2 / 6, 2 / 3)
    assert (quality.lax.precision, quality.lax.recall) == (3 / 6, 3 / 3)
    assert quality.strict.f1 == pytest.approx(4 / 9)


def test_an_empty_gold_bead_that_was_found_counts_for_precision_only() -> None:
    gold = [((0,), (0,)), ((1,), ())]
    assert score_alignment([(gold, gold)]).strict.precision == 1
    only_empty = score_alignment([([((1,), ())], gold)])
    assert (only_empty.strict.precision, only_empty.strict.recall) == (1, 0)


def test_counts_are_pooled_over_documents() -> None:
    right, wrong = [((0,), (0,))], [((0,), (1,))]
    many = [((k,), (k,)) for k in range(9)]
    assert score_alignment([(many, many), (wrong, right)]).strict.precision == 0.9


def test_nothing_found_scores_nothing() -> None:
    quality = score_alignment([([], GOLD)])
    assert (quality.strict.f1, quality.lax.f1) == (0.0, 0.0)


def test_gold_files(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("[0]:[0,1]\n\n[]:[2]:0.5\n[ 1, 2 ]:[]\n[]:[]\n")
    assert read_gold(tmp_path / "gold") == [((0,), (0, 1)), ((), (2,)), ((1, 2), ())]


def test_every_line_that_is_no_bead_is_named(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("[0]:[0]\n0:1\n[1]\n[a]:[1]\n")
    with pytest.raises(InputError) as error:
        read_gold(tmp_path / "gold")
    assert [problem.line for problem in error.value.problems] == [2, 3, 4]
    (tmp_path / "gold").write_text("\n")
    with pytest.raises(InputError, match="holds no bead"):
        read_gold(tmp_path / "gold")
