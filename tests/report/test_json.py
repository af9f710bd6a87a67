"""The one way in which results become JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from patmark.data import Estimate
from patmark.report.json import fields_json, plain, to_json_text
from patmark.report.model import Column, Table, entry


@dataclass(frozen=True)
class _Row:
    name: str
    values: tuple[float, ...]


def test_what_is_not_finite_is_null_at_any_depth() -> None:
    found = plain({"a": math.nan, "b": [math.inf, {"c": (-math.inf, 1.5)}]})
    assert found == {"a": None, "b": [None, {"c": [None, 1.5]}]}
    assert plain(Estimate(math.nan, (0.5, math.nan), 3)) == {
        "value": None,
        "ci": [0.5, None],
        "n": 3,
    }


def test_numpy_dates_paths_sets_and_dataclasses_are_plain() -> None:
    assert plain(np.array([[1.0, np.nan]])) == [[1.0, None]]
    assert plain(np.int64(3)) == 3 and isinstance(plain(np.int64(3)), int)
    assert plain(np.bool_(True)) is True and plain(np.float64("nan")) is None
    assert plain(date(2024, 1, 2)) == "2024-01-02" and plain(Path("a/b")) == "a/b"
    assert plain({"b", "a"}) == ["a", "b"]
    assert plain(_Row("x", (1.0, math.nan))) == {"name": "x", "values": [1.0, None]}


def test_text_is_readable_and_strict() -> None:
    text = to_json_text({"系统": [1, math.nan]})
    assert "系统" in text and json.loads(text) == {"系统": [1, None]}
    with pytest.raises(TypeError, match="object cannot be written as JSON"):
        to_json_text({"x": object()})


@dataclass(frozen=True)
class _Inner:
    p: float

    def to_json(self) -> dict[str, object]:
        return {"p-value": self.p}


@dataclass(frozen=True)
class _Outer:
    name: str
    inner: _Inner
    values: tuple[float, ...]


def test_fields_are_named_renamed_and_completed() -> None:
    outer = _Outer("a", _Inner(0.5), (1.0, math.nan))
    assert fields_json(outer) == {"name": "a", "inner": {"p-value": 0.5}, "values": [1.0, None]}
    found = fields_json(outer, "values", "p=inner.p", "of=name", n=(2,), inner=outer.inner)
    assert found == {
        "values": [1.0, None],
        "p": 0.5,
        "of": "a",
        "n": [2],
        "inner": {"p-value": 0.5},
    }
    assert list(found) == ["values", "p", "of", "n", "inner"]


def test_columns_of_records_may_share_a_title() -> None:
    ways = (
        (Column("a"), "name"),
        (Column("a"), lambda one: len(one.values)),
        (Column("p"), "inner.p"),
    )
    table = Table.of_records("T", [_Outer("x", _Inner(0.1), (1.0,))], ways, "note", "section")
    assert table.rows == (("x", 1, 0.1),) and [one.title for one in table.columns] == [
        "a",
        "a",
        "p",
    ]
    assert (table.note, table.section) == ("note", "section")


def test_an_entry_that_a_record_lacks_is_an_empty_cell() -> None:
    rows = [{"values": {"r": 0.5}}, {"values": {}}]
    records = [type("Row", (), row)() for row in rows]
    table = Table.of_records("T", records, [(Column("r"), entry("values", "r"))])
    assert table.rows == ((0.5,), (None,))
