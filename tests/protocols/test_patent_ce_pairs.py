"""Ratings to compared pairs, and their split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.claims.pair_splits import SPLIT_PARTS, SplitPlan, split_pairs, split_table
from patmark.data import Run, Segment, TestSet
from patmark.data.claim_pairs import ClaimPair
from patmark.data.criteria import overall_quality
from patmark.errors import InputError, UsageError
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.model import Judgements
from patmark.protocols.patent_ce import (
    ComparedRatings,
    PairOptions,
    compare_ratings,
    text_lengths,
)

_UNSPLIT = PairOptions(split=SplitPlan("none"))
_SYSTEMS = ("draft", "model", "tuned")


def _test_set(count: int = 1) -> TestSet:
    return TestSet(
        tuple(Segment(f"r{place}", references=(f"1. A valve {place}.",)) for place in range(count)),
        "en",
    )


def _runs(count: int = 1) -> list[Run]:
    return [
        Run(name, tuple(f"1. {name} text {place}." for place in range(count))) for name in _SYSTEMS
    ]


def _ratings(folder: Path, *rows: str, name: str = "ratings.csv") -> Judgements:
    path = folder / name
    path.write_text("\n".join(["evaluator,system,segment,criterion,value", *rows]) + "\n")
    judgements = read_judgements(path).judgements
    assert judgements is not None
    return judgements


def _labels(made: ComparedRatings, criterion: str) -> dict[tuple[str, str], int]:
    """Labels with the candidates in the order of their names, whichever was put first."""
    found = {}
    for pair in made.pairs.pairs:
        first, second = pair.meta["A"], pair.meta["B"]
        assert pair.first == f"1. {first} text 0." and pair.second == f"1. {second} text 0."
        if criterion in pair.labels:
            sign = 1 if first < second else -1
            ordered = sorted((first, second))
            found[ordered[0], ordered[1]] = sign * pair.labels[criterion]
    return found


def test_every_two_candidates_of_one_expert_are_compared(tmp_path: Path) -> None:
    rated = _ratings(
        tmp_path, "e1,draft,r0,clarity,7", "e1,model,r0,clarity,7.5", "e1,tuned,r0,clarity,7"
    )
    made = compare_ratings([rated], _test_set(), _runs(), _UNSPLIT)
    assert _labels(made, "Clarity") == {
        ("draft", "model"): -1, ("draft", "tuned"): 0, ("model", "tuned"): 1,
    }  # fmt: skip
    assert made.pairs.pairs[0].reference == "1. A valve 0."
    near = compare_ratings(
        [rated], _test_set(), _runs(), PairOptions(equal_within=0.5, split=SplitPlan("none"))
    )
    assert set(_labels(near, "Clarity").values()) == {0}


def test_ratings_of_different_experts_are_never_compared(tmp_path: Path) -> None:
    rated = _ratings(tmp_path, "e1,draft,r0,clarity,7", "e2,model,r0,clarity,3")
    with pytest.raises(UsageError, match="no expert rated two candidates"):
        compare_ratings([rated], _test_set(), _runs(), _UNSPLIT)


def test_experts_vote_or_stand_for_themselves(tmp_path: Path) -> None:
    rated = _ratings(
        tmp_path,
        *(f"{who},{what},r0,clarity,{value}" for who, draft, model in
          (("e1", 8, 6), ("e2", 9, 5), ("e3", 2, 4))
          for what, value in (("draft", draft), ("model", model))),
        "e1,draft,r0,linkage,8", "e1,model,r0,linkage,6",
        "e2,draft,r0,linkage,6", "e2,model,r0,linkage,8",
    )  # fmt: skip
    voted = compare_ratings([rated], _test_set(), _runs(), _UNSPLIT)
    assert _labels(voted, "Clarity") == {("draft", "model"): 1}
    assert _labels(voted, "Linkage") == {("draft", "model"): 0}
    assert voted.undecided == {"Linkage": 1}
    assert voted.pairs.pairs[0].meta["experts"] == ["e1", "e2", "e3"]
    each = compare_ratings(
        [rated], _test_set(), _runs(), PairOptions("each", split=SplitPlan("none"))
    )
    assert len(each.pairs) == 3 and each.undecided == {}
    assert [pair.meta["experts"] for pair in each.pairs.pairs] == [["e1"], ["e2"], ["e3"]]


def test_one_name_in_two_sources_is_two_experts(tmp_path: Path) -> None:
    first = _ratings(tmp_path, "e1,draft,r0,clarity,7", "e1,model,r0,clarity,3", name="a.csv")
    second = _ratings(tmp_path, "e1,tuned,r0,clarity,1", "e1,model,r0,clarity,3", name="b.csv")
    made = compare_ratings([first, second], _test_set(), _runs(), _UNSPLIT)
    assert _labels(made, "Clarity") == {("draft", "model"): 1, ("model", "tuned"): 1}


def test_quality_is_derived_for_each_expert_and_candidate(tmp_path: Path) -> None:
    four = ("completeness", "clarity", "consistency", "linkage")
    rated = _ratings(
        tmp_path, "e1,draft,r0,quality,3", "e1,model,r0,quality,9", name="with_quality.csv"
    )
    rows = [
        f"e2,{system},r0,{name},{grade}"
        for system, grade in (("draft", 8), ("tuned", 5))
        for name in four
    ]
    derived = _ratings(tmp_path, *rows, "e2,model,r0,clarity,1", name="without_quality.csv")
    made = compare_ratings([rated, derived], _test_set(), _runs(), _UNSPLIT)
    assert _labels(made, "Quality") == {("draft", "model"): -1, ("draft", "tuned"): 1}
    note = made.notes[0]
    assert "not rated in 2 of 5 cases" in note and "In 2 it is as rated. 1 lack" in note


def test_overall_quality_is_derived_where_it_was_not_rated(tmp_path: Path) -> None:
    grades = {"draft": (8, 6, 6, 4), "model": (5, 6, 6, 8)}  # 32+12+12+12 = 20+12+12+24
    names = ("completeness", "clarity", "consistency", "linkage")
    rows = [
        f"e1,{system},r0,{name},{grade}"
        for system, values in grades.items()
        for name, grade in zip(names, values, strict=True)
    ]
    made = compare_ratings([_ratings(tmp_path, *rows)], _test_set(), _runs(), _UNSPLIT)
    assert _labels(made, "Quality") == {("draft", "model"): 0}
    assert "Quality was not rated in 2 of 2 cases" in made.notes[0]
    assert overall_quality(dict(zip(names, grades["draft"], strict=True))) == 68 / 11
    rated = [*rows, "e1,draft,r0,quality,9", "e1,model,r0,quality,2"]
    given_quality = compare_ratings([_ratings(tmp_path, *rated)], _test_set(), _runs(), _UNSPLIT)
    assert _labels(given_quality, "Quality") == {("draft", "model"): 1}
    assert given_quality.notes == ()


def test_rated_claims_without_text_are_named(tmp_path: Path) -> None:
    rated = _ratings(
        tmp_path, "e1,draft,r0,clarity,7", "e1,model,r0,clarity,3", "e1,draft,r9,clarity,3"
    )
    runs = [Run("draft", ("text",)), Run("model", (None,))]
    with pytest.raises(InputError) as caught:
        compare_ratings([rated], _test_set(), runs, _UNSPLIT)
    assert [problem.message for problem in caught.value.problems] == [
        "model is rated for 'r0', but there is no text of it",
        "reference 'r9' is rated, but unknown",
    ]
    two = TestSet((Segment("r0", references=("a", "b")),), "en")
    with pytest.raises(InputError, match="has 2 references; expected one"):
        compare_ratings(
            [_ratings(tmp_path, "e1,draft,r0,clarity,7")], two, [Run("draft", ("x",))], _UNSPLIT
        )


def _many(folder: Path, split: str, seed: int = 0) -> ComparedRatings:
    rng = np.random.default_rng(1)
    rows = [
        f"e1,{system},r{place},clarity,{rng.integers(0, 11)}"
        for place in range(40)
        for system in _SYSTEMS
    ]
    plan = SplitPlan(split, seed=seed)  # type: ignore[arg-type]
    return compare_ratings(
        [_ratings(folder, *rows)], _test_set(40), _runs(40), PairOptions(split=plan)
    )


def test_a_split_by_reference_shares_no_reference(tmp_path: Path) -> None:
    made = _many(tmp_path, "reference")
    keys = made.pairs.reference_keys
    held = {name: {keys[place] for place in places} for name, places in made.parts.items()}
    assert not held["train"] & held["test"]
    assert not held["train"] & held["validation"]
    assert not held["validation"] & held["test"]
    assert {row["leaked"] for row in made.to_json()["splits"]} == {0}
    assert sum(len(places) for places in made.parts.values()) == len(made.pairs) == 120
    assert len(made.parts["test"]) == 18 and 9 <= len(made.parts["validation"]) <= 12


def test_a_random_split_leaks_and_says_so(tmp_path: Path) -> None:
    result = _many(tmp_path, "random").to_json()
    parts = {row["part"]: row for row in result["splits"]}
    assert [parts[name]["pairs"] for name in SPLIT_PARTS] == [92, 10, 18]
    assert parts["test"]["leaked"] > 0
    assert any("share a reference with the training part" in note for note in result["notes"])


def test_sizes_of_the_random_split_are_those_of_the_paper() -> None:
    parts = split_pairs([str(place) for place in range(1228)], SplitPlan("random"))
    assert len(parts["test"]) == 184  # of 1,228 pairs, Jiang et al. 2025


def test_sides_are_drawn_and_the_seed_decides(tmp_path: Path) -> None:
    first, again, other = (_many(tmp_path, "reference", seed) for seed in (0, 0, 1))
    assert first.pairs == again.pairs != other.pairs
    names = [pair.meta["A"] for pair in first.pairs.pairs]
    assert 20 < names.count("tuned") < 60  # last in the list of runs, first in half of its pairs


@given(st.lists(st.integers(0, 12), min_size=40, max_size=120), st.integers(0, 20))
def test_no_split_by_reference_ever_leaks(references: list[int], seed: int) -> None:
    keys = [str(reference) for reference in references]
    try:
        parts = split_pairs(keys, SplitPlan("reference", seed=seed))
    except UsageError:
        return  # too few references
    assert sorted(place for places in parts.values() for place in places) == list(range(len(keys)))
    held = [{keys[place] for place in places} for places in parts.values()]
    assert sum(map(len, held)) == len(set(keys))
    assert {row["leaked"] for row in split_table(keys, parts)} == {0}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"by": "patent"}, "unknown; choose from reference, random, none"),
        ({"test": 1.5}, "test share must be between 0 and 1"),
        ({"validation": 0.0}, "validation share must be between 0 and 1"),
        ({"seed": -1}, "seed must not be negative"),
    ],
)
def test_bad_plans_are_refused(plan: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SplitPlan(**plan)  # type: ignore[arg-type]


def test_bad_options_and_too_few_references_are_refused() -> None:
    with pytest.raises(UsageError, match="choose from majority, each"):
        PairOptions(experts="best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="must not be negative"):
        PairOptions(equal_within=-1)
    with pytest.raises(UsageError, match="too few for a split by reference"):
        split_pairs(["a", "a", "b"], SplitPlan())


def test_balance_and_lengths_are_reported(tmp_path: Path) -> None:
    rated = _ratings(
        tmp_path, "e1,draft,r0,clarity,7", "e1,model,r0,clarity,3", "e1,tuned,r0,clarity,3"
    )
    made = compare_ratings([rated], _test_set(), _runs(), _UNSPLIT)
    result = made.to_json()
    [balance] = result["balance"]
    assert balance["A"] + balance["B"] == 2 and balance["equal"] == 1
    assert result["lengths"][0] == {
        "texts": "references", "n": 1, "min": 4, "mean": 4.0, "median": 4.0, "max": 4, "sd": None,
    }  # fmt: skip
    assert result["lengths"][1]["n"] == 6 and result["splits"] == []
    assert [table.title for table in made.to_report().tables] == [
        "Balance of the labels", "Lengths",
    ]  # fmt: skip


def test_lengths_do_not_depend_on_the_order_of_a_set() -> None:
    texts = [f"1. A lid {'x ' * (place**2 % 89)}." for place in range(90)]
    pairs = [ClaimPair(text, "1. A lid.", "1. A cup.", {"Quality": 1}) for text in texts]
    lengths = np.array([len(text.split()) for text in dict.fromkeys(texts)])
    references, _ = text_lengths(pairs)
    assert (references["mean"], references["sd"]) == (lengths.mean(), lengths.std(ddof=1))
