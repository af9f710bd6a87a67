"""Groups of options: the fields that a line gives, their types, and the groups in a group."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest

from patmark.options import (
    PYTHON,
    Argument,
    Options,
    declared,
    every_group,
    group,
    line_type,
    made_of,
)

if TYPE_CHECKING:
    from patmark.data import Run


@group
class Depth(Options, heading="Depth"):
    """A group that stands for a number."""

    deep: int | None = None
    """How deep."""

    def made(self) -> int:
        return 2 * (self.deep or 0)


@group
class Shared(Options, heading="Shared"):
    """A group that a request inherits from."""

    lang: str | None = None
    """A language."""


@group
class Request(Shared, heading="Own"):
    """A request."""

    files: Annotated[tuple[str, ...], Argument("FILES")] = ()
    """Files."""
    runs: tuple[str | Run, ...] = ()
    """Files, or runs in Python."""
    detailed: Annotated[bool, PYTHON] = False
    depth: Annotated[int, Depth] = 5


def test_fields_are_listed_by_heading_and_groups_in_a_group_come_last() -> None:
    found = declared(Request)
    assert [(one.name, one.owner.heading) for one in found] == [
        ("files", "Own"), ("runs", "Own"), ("lang", "Shared"), ("depth", "Own"),
    ]  # fmt: skip
    assert [one.kind for one in found[:3]] == [tuple[str, ...], tuple[str, ...], str | None]
    assert found[0].argument == Argument("FILES") and found[3].nested is Depth
    assert [*every_group(Request)] == [Request, Depth]


def test_a_group_in_a_request_makes_the_value_of_its_field() -> None:
    made = made_of(Request, {"lang": "en", "deep": 3, "other": 1})
    assert isinstance(made, Request) and (made.lang, made.depth) == ("en", 6)
    assert made_of(Request, {}).changed() == {}
    assert made.given() == {"lang=": "en", "depth=": 6}


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str | None, str | None),
        (str | Path, str),
        (Path | str, Path),
        (str | Sequence[Any] | None, str | None),
        (tuple[str, ...] | str | None, tuple[str, ...] | None),
        (tuple[str, str], tuple[str, str]),
        (Literal["a", "b"] | None, Literal["a", "b"] | None),
        (Sequence[str], None),
        (Sequence[str] | None, None),
        (Any, None),
    ],
)
def test_the_type_of_a_text(hint: Any, expected: Any) -> None:
    assert line_type(hint) == expected
