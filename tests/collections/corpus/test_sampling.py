"""Samples for people to judge, and what their judgements say."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.collections.corpus.build.pair_files import _pairs, count_pairs
from patmark.collections.corpus.judged_sample import (
    JudgedPair,
    precision,
    read_judged,
    top_precision,
)
from patmark.collections.corpus.pair_rows import iter_pair_rows
from patmark.collections.corpus.sampling import draw, draw_from_file, write_sample
from patmark.data.csv_records import read_csv_records
from patmark.errors import InputError, UsageError
from patmark.stats.intervals import wilson_interval


def _rows(count: int) -> list[dict[str, object]]:
    return [
        {
            "id": f"p{at:04d}", "source": f"泵{at}", "target": f"Pump, {at}\nline", "score": at / 7,
            "section": "background", "family": f"f{at % 9}", "bead": "1-1",
        }
        for at in range(count)
    ]  # fmt: skip


def _write(path: Path, rows: list[dict[str, object]]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 60), st.data())
def test_strata_are_equal_and_cover_everything(pairs: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, pairs))
    scores = np.array(data.draw(st.lists(st.integers(0, 5), min_size=pairs, max_size=pairs)), float)
    ids = [f"{at:03d}" for at in range(pairs)]
    drawn = draw(ids, scores, n, seed=3)
    assert len({place for place, _, _ in drawn}) == n
    sizes = {stratum: size for _, stratum, size in drawn}
    assert sum(sizes.values()) == pairs
    assert max(sizes.values()) - min(sizes.values()) <= 1
    counts = Counter(stratum for _, stratum, _ in drawn)
    assert max(counts.values()) - min(counts.values()) <= 1
    lowest = {s: min(scores[place] for place, own, _ in drawn if own == s) for s in counts}
    highest = {s: max(scores[place] for place, own, _ in drawn if own == s) for s in counts}
    assert all(highest[s + 1] <= lowest[s] for s in sorted(counts)[:-1])


def test_the_sample_depends_on_the_seed_and_not_on_the_order(tmp_path: Path) -> None:
    rows = _rows(300)
    straight = draw_from_file(_write(tmp_path / "a.jsonl", rows), 40, 0)
    backward = draw_from_file(_write(tmp_path / "b.jsonl", rows[::-1]), 40, 0)
    assert straight == backward
    assert straight != draw_from_file(tmp_path / "a.jsonl", 40, 1)
    strata = [each.stratum for each in straight]
    assert strata != sorted(strata)


def test_parquet_holds_the_same_pairs(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = _rows(50)
    _write(tmp_path / "pairs.jsonl", rows)
    (tmp_path / "pairs").mkdir()
    for part, at in enumerate((0, 25)):
        table = arrow.Table.from_pylist(rows[at : at + 25])
        parquet.write_table(table, tmp_path / "pairs" / f"part-{part}.parquet")
    expected = list(iter_pair_rows(tmp_path / "pairs.jsonl"))
    assert list(iter_pair_rows(tmp_path / "pairs")) == expected
    assert list(iter_pair_rows(tmp_path / "pairs" / "part-1.parquet")) == expected[25:]


@pytest.mark.parametrize(
    "name", ["sample.csv", "sample.jsonl", "sample.jsonl.gz", "sample.csv.zst"]
)
def test_judgements_are_read_back(tmp_path: Path, name: str) -> None:
    pytest.importorskip("zstandard")
    drawn = draw_from_file(_write(tmp_path / "pairs.jsonl", _rows(100)), 20, 0)
    path = tmp_path / name
    write_sample(path, drawn)
    with pytest.raises(InputError, match="holds no judgement; write correct, partly"):
        read_judged(path)
    if name == "sample.csv":
        header, *records = read_csv_records(path)
        assert header.fields[:4] == ["id", "source", "target", "judgement"]
        assert [record.fields[2] for record in records] == [each.pair.target for each in drawn]
        text = path.read_text("utf-8").replace('line",,', 'line", Correct ,', 15)
        path.write_text(text, encoding="utf-8")
        judged = read_judged(path)
        assert Counter(row.judgement for row in judged) == {"correct": 15, "": 5}
        assert [row.id for row in judged] == [each.pair.id for each in drawn]


def _judged(stratum: int, pairs: int, **counts: int) -> list[JudgedPair]:
    names = [name for name, count in counts.items() for _ in range(count)]
    return [
        JudgedPair(f"{stratum}-{at}", "" if name == "none" else name, 1 / stratum, stratum, pairs)
        for at, name in enumerate(names)
    ]


def test_strata_are_weighted_back() -> None:
    rows = _judged(1, 900, correct=9, wrong=1) + _judged(2, 100, correct=2, partly=6, wrong=2)
    result = precision(rows)
    assert result.correct.value == pytest.approx(0.9 * 0.9 + 0.1 * 0.2)
    assert result.correct_or_partly.value == pytest.approx(0.9 * 0.9 + 0.1 * 0.8)
    effective = 1 / (0.81 / 10 + 0.01 / 10)
    assert result.correct.ci == pytest.approx(wilson_interval(0.83, effective))
    assert [each.value for each in top_precision(result.strata)] == pytest.approx([0.9, 0.83])


def test_equal_strata_give_the_plain_interval() -> None:
    rows = [row for at in range(1, 11) for row in _judged(at, 50, correct=270, wrong=30)]
    result = precision(rows)
    assert result.correct.n == 3000
    low, high = result.correct.ci or (math.nan, math.nan)
    assert (round(low, 3), round(high, 3)) == (0.889, 0.910)  # Wilson, n = 3000, p = .90


def test_unsure_and_missing_judgements_are_shown_openly() -> None:
    rows = _judged(1, 10, correct=6, wrong=2, unsure=2, none=3) + _judged(2, 10, unsure=1)
    result = precision(rows)
    assert result.correct.value == pytest.approx(0.75)
    assert result.unsure_as_wrong.value == pytest.approx((0.6 + 0) / 2)
    assert result.unsure_as_correct.value == pytest.approx((0.8 + 1) / 2)
    assert (result.count("unsure"), result.count(""), result.without) == (3, 3, (2,))
    facts = result.to_json()
    assert facts["not_judged"] == 3
    assert facts["strata"][1]["precision"] is None
    json.dumps(facts, allow_nan=False)
    only_unsure = precision(_judged(1, 10, unsure=4))
    assert math.isnan(only_unsure.correct.value)
    assert only_unsure.to_json()["correct"] is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "source": "x", "target": "y"}, "1: field 'score' is missing"),
        ({"id": "a", "source": 3, "target": "y", "score": 1}, "'source': expected a string"),
        ({"id": True, "source": "x", "target": "y", "score": 1}, "'id': expected a string or"),
        ({"id": "a", "source": "x", "target": "y", "score": "1"}, "'score': expected a number"),
        ({"id": "a", "source": "x", "target": "y", "score": 1, "section": 2}, "'section': expec"),
    ],
)
def test_bad_pairs_are_named(tmp_path: Path, row: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(iter_pair_rows(_write(tmp_path / "pairs.jsonl", [row])))


def test_a_byte_order_mark_and_windows_lines_are_no_part_of_the_data(tmp_path: Path) -> None:
    path = _write(tmp_path / "pairs.jsonl", _rows(3))
    plain = list(iter_pair_rows(path))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(iter_pair_rows(path)) == plain


def test_all_bad_lines_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": 1}\nnonsense\n\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(iter_pair_rows(path))
    assert {problem.line for problem in caught.value.problems} == {1, 2, 3}
    path.write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(InputError, match="is not UTF-8"):
        list(iter_pair_rows(path))
    with pytest.raises(InputError, match="no such file"):
        list(iter_pair_rows(tmp_path / "absent.jsonl"))
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(iter_pair_rows(tmp_path / "bad.parquet"))


def test_impossible_samples_are_refused(tmp_path: Path) -> None:
    path = _write(tmp_path / "pairs.jsonl", _rows(5))
    with pytest.raises(UsageError, match="has 5 pairs; a sample of 6"):
        draw_from_file(path, 6, 0)
    with pytest.raises(UsageError, match="at least 1 pair"):
        draw_from_file(path, 0, 0)
    with pytest.raises(InputError, match="'p0001' occurs more than once"):
        draw_from_file(_write(path, [*_rows(3), *_rows(2)]), 2, 0)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("id,judgement\n", "missing: score, stratum, stratum_pairs"),
        ("id,judgement,score,stratum,stratum_pairs\na,good,1,1,5\n", "2: judgement 'good'"),
        ("id,judgement,score,stratum,stratum_pairs\na,wrong,x,1,5\n", "'score': expected a number"),
        ("id,judgement,score,stratum,stratum_pairs\na,wrong,1,0,5\n", "whole number above 0"),
        ("id,judgement,score,stratum,stratum_pairs\na,wrong,1,1\n", "expected 5 fields"),
        (
            "id,judgement,score,stratum,stratum_pairs\na,wrong,1,1,5\na,wrong,1,1,6\n",
            "id 'a' occurs 2 times",
        ),
        (
            "id,judgement,score,stratum,stratum_pairs\na,wrong,1,1,5\nb,wrong,1,1,6\n",
            "stratum 1 has 5 and 6 pairs",
        ),
    ],
)
def test_bad_judgements_are_named(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "sample.csv"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_judged(path)


def test_a_row_of_a_test_set_is_the_same_pair_for_samples_and_statistics(tmp_path: Path) -> None:
    """Statistics refused a row without ``meta``, and took a reference in place of the target."""
    pytest.importorskip("duckdb")
    rows = [
        {"id": "a", "source": "泵。", "references": ["A pump."], "family": "F", "score": 1.0},
        {"id": "b", "source": "阀。", "target": "A valve.", "references": ["x"], "meta": {},
         "family": "F", "score": 0.5},
    ]  # fmt: skip
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert [row.target for row in iter_pair_rows(path)] == ["A pump.", "A valve."]
    assert [row["target"] for row in _pairs(path, anew=True)] == ["A pump.", "A valve."]
    assert count_pairs(path).facts["total"] == 2
