"""Whether anything of one split is in another one: checked on the finished pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from patmark.corpus.near_duplicates import exact_key
from patmark.errors import PatmarkError

_SHOWN = 5
_NAMES = ("family", "family_group", "source_id", "target_id")
_TEXTS = ("source", "target")
LEAK_COLUMNS = ("split", *_NAMES, *_TEXTS)


def check_leakage(read: Callable[[], Iterable[Mapping[str, Any]]]) -> dict[str, int]:
    """Count what was compared; PatmarkError if two splits have something in common.

    No family, no document and no text of a side may be in two splits. Rows are read twice, so
    that only those of dev and test are held.
    """
    held: dict[tuple[str, str], str] = {}
    shared: list[str] = []
    compared = 0
    for row in read():
        if row["split"] in ("dev", "test"):
            for what in _facts(row):
                if held.setdefault(what, row["split"]) != row["split"]:
                    shared.append(_message(what, row, held[what]))
    for row in read():
        if row["split"] == "train":
            compared += 1
            shared += [_message(what, row, held[what]) for what in _facts(row) if what in held]
    if shared:
        raise PatmarkError("\n".join([
            "the splits leak, so nothing is written; please report this, it must not happen:",
            *shared[:_SHOWN],
            *([f"… and {len(shared) - _SHOWN} more"] if len(shared) > _SHOWN else []),
        ]))  # fmt: skip
    return {"held_out": len(held), "training_pairs": compared}


def _facts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """All that may be in one split only."""
    for name in _NAMES:
        yield name.removeprefix("source_").removeprefix("target_"), row[name]
    for name in _TEXTS:
        yield name, exact_key(row[name])


def _message(what: tuple[str, str], row: Mapping[str, Any], other: str) -> str:
    name = what[0]
    return f"{name} {row.get(name, what[1])!r} is in {other} and in {row['split']}"
