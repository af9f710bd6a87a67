"""Pairs from the user's files, to be split or counted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from patmark.collections.corpus.build.data_card import CollectionStats
from patmark.collections.corpus.build.export import (
    PAIR_SCHEMA,
    divided_view,
    write_pairs,
    write_splits,
)
from patmark.collections.corpus.build.facts import pair_facts, read_facts
from patmark.collections.corpus.build.settings import SplitSettings
from patmark.collections.corpus.near_duplicates import exact_key
from patmark.collections.corpus.pair_rows import as_pair, json_rows
from patmark.collections.corpus.splits import check_leakage, split_step
from patmark.data import file_format, json_type
from patmark.engine import (
    Dataset,
    Engine,
    Place,
    StepProgress,
    StepRunner,
    iter_rows,
    locked,
    open_engine,
    write_rows,
)
from patmark.errors import InputError, Problem

_SHARD_ROWS = 20_000
# splits are decided again; excluded pairs stay excluded
_BEFORE_SPLIT = ("cut", "abstract", "filter", "duplicate", "near-duplicate")
_NEEDED = ("id", "source", "target", "family")
_DATE = re.compile(r"(?:\d{4}(?:-\d{2}){0,2})?")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "int64": (int,),
    "float64": (int, float),
}
_PAIR_SCHEMA = {
    "place": "int64",
    "alike": "int64",
    "source_key": "string",
    "target_key": "string",
    **{name: kind for name, kind in PAIR_SCHEMA.items() if name not in ("rank", "like")},
}
_EMPTY: dict[str, Any] = {
    name: "" if kind == "string" else _TYPES[kind][-1](0) for name, kind in PAIR_SCHEMA.items()
}


def split_pairs(
    path: Path,
    folder: Path,
    settings: SplitSettings,
    seed: int,
    engine: Engine,
    *,
    progress: StepProgress | None = None,
) -> CollectionStats:
    """Divide the pairs of a file, check the splits and write them; return the counts."""
    steps = StepRunner(folder / "steps", engine)
    if progress is not None:
        steps.progress = progress
    with locked(steps.folder, folder):
        pairs = _read_step(steps, path, anew=True)
        divided = divided_view(pairs, split_step(steps, pairs, pairs, settings, seed))
        check_leakage(steps, divided, pairs)
        final, _ = write_pairs(steps, folder, pairs, divided)
        write_splits(steps, folder, final)
        return CollectionStats(pair_facts(steps, final), str(path))


def collection_stats(place: Place) -> CollectionStats:
    """Count the pairs in the folder of a build, or in a file."""
    if isinstance(place, Path) and not place.is_dir():
        return count_pairs(place)
    return CollectionStats(read_facts(place))


def count_pairs(path: Path) -> CollectionStats:
    """Return the counts of the pairs of a file."""
    engine = open_engine("local")
    with TemporaryDirectory() as folder:
        steps = StepRunner(Path(folder), engine)
        try:
            facts = pair_facts(steps, _read_step(steps, path, anew=False))
            return CollectionStats(facts, str(path))
        finally:
            engine.close()


def _read_step(steps: StepRunner, path: Path, anew: bool) -> Dataset:
    try:
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError.at(f"cannot be read: {error.strerror}", str(path)) from None

    def make(output: Place) -> None:
        write_rows(output, _pairs(path, anew), _PAIR_SCHEMA, _SHARD_ROWS)

    return steps.step("pairs_read", make, settings={"content": content, "anew": anew})


def _pairs(path: Path, anew: bool) -> Iterator[dict[str, Any]]:
    """Yield rows with all columns; raise one InputError with all problems at the end."""
    problems: list[Problem] = []
    for place, (line, fields) in enumerate(_rows(path, problems), 1):
        row, found = _complete(as_pair(fields))
        problems += [Problem(message, str(path), line) for message in found]
        if anew:
            row["split"] = ""
            row["left_out"] = row["left_out"] if row["left_out"] in _BEFORE_SPLIT else ""
        if not found:
            keys = {f"{side}_key": exact_key(row[side]) for side in ("source", "target")}
            yield {**row, **keys, "place": place, "alike": 0}
    if problems:
        raise InputError(problems)


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    if file_format(path) == "parquet":
        yield from enumerate(iter_rows(path), 1)
    else:
        yield from ((line, fields) for _, line, fields in json_rows(path, problems))


def _complete(fields: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return all columns, empty if missing, and the problems of those that are there."""
    problems = [f"field {name!r} is missing" for name in _NEEDED if not fields.get(name)]
    row = dict(_EMPTY)
    for name, value in fields.items():
        kind = PAIR_SCHEMA.get(name)
        if kind is None or value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, _TYPES[kind]):
            problems.append(f"field {name!r}: expected {kind}, found {json_type(value)}")
        elif name.endswith("_date") and not _DATE.fullmatch(str(value)):
            dates = "2006-07-19, 2006-07 or 2006"
            problems.append(f"field {name!r}: expected a date such as {dates}, found {value!r}")
        row[name] = value
    row["family_group"] = row["family_group"] or row["family"]
    for side in ("source", "target"):
        row[f"{side}_id"] = row[f"{side}_id"] or f"{row['family']}/{side}"
    row["pair_id"] = row["pair_id"] or f"{row['source_id']}:{row['target_id']}"
    return row, problems
