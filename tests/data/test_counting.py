"""Numbers of things in messages."""

from __future__ import annotations

from patmark.data.records import counted


def test_one_and_many() -> None:
    assert [counted(number, "page") for number in (0, 1, 2)] == ["0 pages", "1 page", "2 pages"]
    assert [counted(number, "row is", "rows are") for number in (1, 2)] == [
        "1 row is",
        "2 rows are",
    ]
