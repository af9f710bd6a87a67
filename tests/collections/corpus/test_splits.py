"""Splits: no family, document or text in two of them, whatever the pairs are."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from patmark.collections.corpus.build.pair_files import count_pairs, split_pairs
from patmark.collections.corpus.build.settings import SplitSettings
from patmark.collections.corpus.splits import check_leakage, draw_pairs
from patmark.engine.datasets import arrow, write_rows
from patmark.engine.engine import LocalEngine
from patmark.engine.steps import Dataset, StepRunner
from patmark.errors import InputError, PatmarkError, UsageError

_WORDS = (
    "valve", "pump", "shaft", "gear", "lens", "wafer", "resin", "piston", "nozzle", "sensor",
    "bearing", "housing", "spring", "filter", "electrode", "substrate", "cable", "magnet", "rotor",
)  # fmt: skip


def _text(rng: random.Random, length: int = 12) -> str:
    return " ".join(rng.choices(_WORDS, k=length)) + f" {rng.randint(1, 99)}."


def _pair(number: int, group: str, family: str, year: int, rng: random.Random) -> dict[str, Any]:
    return {
        "id": f"p{number}", "family": family, "family_group": group,
        "source_id": f"CN-{family}", "target_id": f"US-{family}",
        "source_date": f"{year - 1}-05-01" if year else "",
        "target_date": f"{year}-05-01" if year else "",
        "source": _text(rng), "target": _text(rng), "score": 1 - number / 1000, "left_out": "",
    }  # fmt: skip


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    arrow("pyarrow.parquet").write_table(arrow().Table.from_pylist(rows), path)
    return path


def _divided(rows: list[dict[str, Any]], wanted: SplitSettings, seed: int) -> list[dict[str, Any]]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        engine = LocalEngine()
        split_pairs(_write(folder / "pairs.parquet", rows), folder, wanted, seed, engine)
        engine.close()
        [parquet] = folder.glob("pairs.parquet")
        return list(arrow("pyarrow.parquet").read_table(parquet).to_pylist())


@st.composite
def _collections(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Families of one to three members that may share a group, over eight years; some repeat."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    rows: list[dict[str, Any]] = []
    for group in range(draw(st.integers(1, 14))):
        for family in range(rng.choice((1, 1, 1, 2, 3))):
            year = rng.choice((0, *range(2001, 2009)))
            for _ in range(rng.randint(1, 5)):
                row = _pair(len(rows), f"G{group}", f"F{group}.{family}", year, rng)
                if rows and rng.random() < 0.2:
                    side = rng.choice(("source", "target"))
                    row[side] = rng.choice(rows)[side]
                rows.append(row)
    return rows


@settings(deadline=None, derandomize=True, max_examples=8)
@given(
    rows=_collections(), dev=st.integers(0, 8), test=st.integers(0, 8), seed=st.integers(0, 9),
    test_from=st.sampled_from([None, 2005, 2008]), cap=st.sampled_from([None, 1, 3]),
    side=st.sampled_from(["source", "target", "later"]),
)  # fmt: skip
def test_no_family_is_in_two_splits(
    rows: list[dict[str, Any]], dev: int, test: int, seed: int, test_from: int | None,
    cap: int | None, side: str,
) -> None:  # fmt: skip
    wanted = SplitSettings(dev, test, side, None, test_from, cap)
    found = _divided(rows, wanted, seed)
    assert [row["id"] for row in found] == [row["id"] for row in rows]
    assert all(bool(row["split"]) != bool(row["left_out"]) for row in found)
    sizes = Counter(row["split"] for row in found)
    assert sizes["dev"] <= dev
    assert sizes["test"] <= test
    for name in ("family", "family_group", "source_id", "target_id", "source", "target"):
        held: dict[str, set[str]] = defaultdict(set)
        for row in found:
            if row["split"]:
                held[row[name]].add(row["split"])
        assert all(len(splits) == 1 for splits in held.values()), name
    taken = Counter(row["family_group"] for row in found if row["split"] in ("dev", "test"))
    assert all(cap is None or count <= cap for count in taken.values())
    if test_from is not None:
        for row in found:
            dates = {name: row[f"{name}_date"][:4] for name in ("source", "target")}
            year = dates.get(side, max(dates.values()))
            if row["split"]:
                assert (int(year) >= test_from) == (row["split"] != "train")


def test_the_same_seed_draws_the_same_pairs_and_another_one_others() -> None:
    rng = random.Random(5)
    rows = [_pair(n, f"G{n // 4}", f"F{n // 4}", 2001, rng) for n in range(80)]
    wanted = SplitSettings(dev=8, test=8)
    first, again, other = (_divided(rows, wanted, seed) for seed in (0, 0, 1))
    assert first == again
    assert [row["split"] for row in first] != [row["split"] for row in other]
    assert Counter(row["split"] for row in first)["test"] == 8


def test_pairs_of_a_patent_stay_together_until_there_are_enough() -> None:
    rng = random.Random(1)
    pool = [
        {"place": n, "family_group": f"G{n // 5}", "source": _text(rng), "target": _text(rng)}
        for n in range(20)
    ]
    drawn = list(draw_pairs(pool, SplitSettings(dev=4, test=7, per_patent=None)))
    assert [row["place"] for row in drawn if row["split"] == "test"] == list(range(7))
    # the rest of the second patent is used for nothing
    assert [row["place"] for row in drawn if row["split"] == "dev"] == [10, 11, 12, 13]


def test_patterns_that_differ_in_numbers_only_are_passed_over() -> None:
    form = "As shown in FIG. {}, the inner valve {} surrounds the pump housing {}."
    pool = [
        {"place": n, "family_group": f"G{n}", "source": source, "target": target}
        for n, (source, target) in enumerate(
            [
                (form.format(1, 12, 14), "甲乙丙丁戊。"),
                (form.format(3, 22, 9), "己庚辛壬癸。"),
                ("Oil is cold.", "子丑寅卯辰巳午。"),
            ],
            1,
        )
    ]
    drawn = list(draw_pairs(pool, SplitSettings(dev=0, test=3)))
    assert [(row["split"], row["left_out"], row["alike"]) for row in drawn] == [
        ("test", "", 0),
        ("", "pattern", 1),
        ("test", "", 0),
    ]


def test_texts_that_differ_in_blanks_only_are_drawn_once() -> None:
    pool = [
        {"place": 1, "family_group": "G1", "source": "a gap of 10mm", "target": "甲乙丙丁。"},
        {"place": 2, "family_group": "G2", "source": "a gap of 10 mm", "target": "戊己庚辛。"},
    ]
    drawn = list(draw_pairs(pool, SplitSettings(dev=1, test=1, pattern=1.0)))
    assert [(row["split"], row["left_out"], row["alike"]) for row in drawn] == [
        ("test", "", 0),
        ("", "pattern", 1),
    ]


def test_training_pairs_that_are_like_test_pairs_on_one_side_are_left_out() -> None:
    rng = random.Random(2)
    rows = [_pair(n, f"G{n}", f"F{n}", 2001 if n < 10 else 2006, rng) for n in range(14)]
    rows[3]["source"] = rows[12]["source"].upper().replace(" ", "  ")
    rows[4]["target"] = rows[13]["target"].replace("valve", "valves")
    found = _divided(rows, SplitSettings(dev=0, test=9, test_from=2006), 0)
    left_out = {row["id"]: (row["left_out"], row["like"]) for row in found if row["left_out"]}
    assert left_out == {"p3": ("leak", "p12"), "p4": ("leak", "p13")}


def test_years_decide_and_nothing_is_lost_without_a_reason() -> None:
    rng = random.Random(3)
    years = [2001, 2003, 2004, 2006, 0]
    rows = [_pair(n, f"G{n}", f"F{n}", year, rng) for n, year in enumerate(years)]
    rows.append(_pair(5, "G3", "F3b", 2001, rng))  # of the family of a later patent
    wanted = SplitSettings(dev=0, test=5, train_until=2003, test_from=2006)
    found = _divided(rows, wanted, 0)
    assert [row["split"] or row["left_out"] for row in found] == [
        "train", "train", "years", "test", "no-date", "years",
    ]  # fmt: skip


def test_what_was_left_out_before_stays_out() -> None:
    rng = random.Random(4)
    rows = [_pair(n, f"G{n}", f"F{n}", 2001, rng) for n in range(6)]
    rows[0]["left_out"], rows[1]["left_out"] = "filter", "unused"
    found = _divided(rows, SplitSettings(dev=0, test=1), 0)
    assert found[0]["left_out"] == "filter"
    assert found[1]["left_out"] == ""


def test_leaks_fail_loudly(tmp_path: Path) -> None:
    row = {"family": "F1", "family_group": "G1", "source_id": "CN1", "target_id": "US1",
           "source_key": "k1", "target_key": "k2", "split": "train"}  # fmt: skip
    other = {name: f"other {value}" for name, value in row.items()} | {"split": "test"}
    engine = LocalEngine()
    steps = StepRunner(tmp_path, engine)

    def check(*rows: dict[str, str]) -> dict[str, int]:
        placed = [{**row, "place": place} for place, row in enumerate(rows, 1)]
        schema = {**dict.fromkeys(row, "string"), "place": "int64"}
        write_rows(tmp_path / "pairs", placed, schema)
        pairs = Dataset(tmp_path / "pairs", str(rows))
        return check_leakage(steps, pairs, pairs)

    assert check(row, other) == {"held_out": 6, "training_pairs": 1}
    for name in row:
        if name != "split":
            with pytest.raises(PatmarkError, match="the splits leak"):
                check(row, {**other, name: row[name]})
    crossed = {**other, "source_id": "US1"}  # a document as the other side
    with pytest.raises(PatmarkError, match="id 'US1' is in test and in train"):
        check(row, crossed)
    with pytest.raises(PatmarkError, match="'F1' is in dev and in test"):
        check({**row, "split": "dev"}, {**other, "family": "F1"})
    with pytest.raises(PatmarkError, match="… and more"):
        check(row, {**row, "split": "test"})
    engine.close()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"side": "left"}, "side is one of source, target, later"),
        ({"dev": -1}, "not negative"),
        ({"train_until": 2000}, "train_until needs test_from"),
        ({"train_until": 2006, "test_from": 2006}, "train_until is before test_from"),
        ({"per_patent": 0}, "per_patent is at least 1"),
        ({"leak": 0.0}, "leak is a similarity"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SplitSettings(**wrong)


def test_pairs_of_ones_own_are_checked(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(
        '{"id": "1", "source": "a b", "references": ["c"], "meta": {"family": "F"}}\n'
        '{"id": "2", "source": "a"}\n{"id": 3\n'
        '{"id": "4", "source": "a", "target": "b", "family": "F", "score": "high"}\n'
        '{"id": "5", "source": "a", "target": "b", "family": "F", "target_date": "1.5.2001"}\n'
    )
    with pytest.raises(InputError) as caught:
        count_pairs(tmp_path / "pairs.jsonl")
    assert [(problem.line, problem.message) for problem in caught.value.problems][:2] == [
        (2, "field 'target' is missing"),
        (2, "field 'family' is missing"),
    ]
    assert len(caught.value.problems) == 5
    assert "field 'target_date': expected a date such as 2006-07-19" in str(caught.value)
    (tmp_path / "partial_dates.jsonl").write_text(
        '{"id": "1", "source": "a", "target": "b", "family": "F", "source_date": "1978-07"}\n'
        '{"id": "2", "source": "c", "target": "d", "family": "F", "target_date": "1978"}\n'
    )
    assert count_pairs(tmp_path / "partial_dates.jsonl").facts["total"] == 2
    with pytest.raises(InputError, match="cannot be read: No such file"):
        count_pairs(tmp_path / "none.parquet")
