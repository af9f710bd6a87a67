"""Judgements of a campaign come back to the sample that it was made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.collections.corpus.judged_sample import (
    JudgedPair,
    merge_judgements,
    precision,
    read_campaign_judgements,
)
from patmark.errors import InputError

_HEADER = "evaluator,system,segment,criterion,value,phase\n"


def _export(folder: Path, *rows: str) -> Path:
    path = folder / "export.csv"
    path.write_text(_HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def _row(evaluator: str, segment: str, value: str, phase: str = "main") -> str:
    return f"{evaluator},corpus,{segment},correctness,{value},{phase}"


_SAMPLE = [JudgedPair(name, "", 1.0, 1, 40) for name in "abcd"]


def test_the_majority_counts_and_ties_go_to_the_worse(tmp_path: Path) -> None:
    path = _export(
        tmp_path,
        _row("A", "a", "correct"), _row("B", "a", "correct"), _row("C", "a", "wrong"),
        _row("A", "b", "correct"), _row("B", "b", "partly"),
        _row("A", "c", "unsure"), _row("B", "c", "correct"),
        _row("A", "c", "wrong", "repeat"), _row("A", "x", "wrong", "training"),
    )  # fmt: skip
    campaign = read_campaign_judgements(path)
    merged = merge_judgements(_SAMPLE, campaign)
    assert [row.judgement for row in merged] == ["correct", "partly", "correct", ""]
    assert campaign.notes() == (
        "3 pairs were judged by several people, 3 of them differently; the majority counts, and in "
        "a tie the worse judgement.",
        "2 judgements of training, checks and repeats do not count.",
    )
    assert precision(merged).correct.value == pytest.approx(2 / 3)


def test_what_does_not_fit_is_listed(tmp_path: Path) -> None:
    path = _export(tmp_path, "A,corpus,a,adequacy,5,main", _row("A", "b", "good"), "A,corpus")
    with pytest.raises(InputError) as caught:
        read_campaign_judgements(path)
    assert {(problem.line, problem.message) for problem in caught.value.problems} == {
        (2, "criterion 'adequacy'; expected correctness"),
        (3, "value 'good'; expected correct, partly, wrong, unsure"),
        (4, "expected 6 fields as in the header, found 2"),
    }
    with pytest.raises(InputError, match="holds no judgement"):
        read_campaign_judgements(_export(tmp_path, _row("A", "a", "wrong", "training")))
    other = read_campaign_judgements(_export(tmp_path, _row("A", "z", "wrong")))
    with pytest.raises(InputError, match="segment 'z' is no pair of the sample"):
        merge_judgements(_SAMPLE, other)
    done = [JudgedPair("z", "correct", 1.0, 1, 4)]
    with pytest.raises(InputError, match="has judgements of its own"):
        merge_judgements(done, other)
