"""Training, development and test pairs without leakage, as in NTCIR.

Families are never divided: the unit is the extended family, everything that shares a priority.
Years come next, if requested. Patents for dev and test are drawn in random order and contribute
pairs until there are enough: first for test, then for dev. A pair with an already used pattern is
skipped. Then training pairs that are nearly equal to a pair of dev or test on one side are left
out.

| left out as | why |
|---|---|
| pattern | dev or test has a pair of this pattern |
| per-patent | the patent has given enough pairs |
| unused | of the years of dev and test, or of a patent that is in them, but not needed |
| years | between the years, or before the years of dev and test but of a family that is in them |
| no-date | without a date of publication, where years count |
| leak | nearly the same as a pair of dev or test |
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.collections.corpus import near_duplicates as near
from patmark.collections.corpus.build.settings import SplitSettings
from patmark.data import IntArray
from patmark.engine import (
    Batch,
    Dataset,
    Place,
    Relation,
    StepRunner,
    View,
    any_place,
    batch_of,
    iter_rows,
    place_name,
    write_rows,
)
from patmark.errors import PatmarkError

SPLITS = ("train", "dev", "test")
DRAWN_SCHEMA = {
    "place": "int64",
    "family_group": "string",
    "split": "string",
    "left_out": "string",
    "alike": "int64",
    "source": "string",
    "target": "string",
}
LEAK_SCHEMA = {"place": "int64", "alike": "int64"}
_SIDES_OF_PAIR = ("source", "target")
_AT_ONCE = 500
_DATED = """
SELECT p.place, p.id, p.family_group, {year} AS published,
       MAX({year}) OVER (PARTITION BY p.family_group) AS group_published
FROM pairs p WHERE p.left_out = ''
"""
# Patents in random order, the first ones first: most often they are enough.
_SLICES = (("", "001"), ("001", "01"), ("01", "1"), ("1", "g"))
_POOL = """
SELECT d.place, d.family_group, t.source, t.target
FROM dated d JOIN texts t ON t.place = d.place
WHERE {in_test_years}
  AND MD5(CONCAT('{seed}|', d.family_group)) >= '{{low}}'
  AND MD5(CONCAT('{seed}|', d.family_group)) < '{{high}}'
ORDER BY MD5(CONCAT('{seed}|', d.family_group)), d.family_group,
         MD5(CONCAT('{seed}|', d.id)), d.id
"""
_TRAINING = """
SELECT d.place
FROM dated d
LEFT JOIN (SELECT DISTINCT family_group FROM drawn WHERE split <> '') h
  ON h.family_group = d.family_group
WHERE h.family_group IS NULL AND {in_training_years}
"""
_TRAINING_TEXTS = """
SELECT d.place, t.source, t.target FROM training d JOIN texts t ON t.place = d.place
"""
_SPLIT = """
SELECT p.place,
       CASE WHEN d.split <> '' THEN d.split
            WHEN t.place IS NOT NULL AND l.place IS NULL THEN 'train' ELSE '' END AS split,
       CASE WHEN p.left_out <> '' THEN p.left_out
            WHEN d.split <> '' THEN ''
            WHEN l.place IS NOT NULL THEN 'leak'
            WHEN t.place IS NOT NULL THEN ''
            WHEN d.left_out <> '' THEN d.left_out
            WHEN {undated} THEN 'no-date'
            WHEN {in_test_years} THEN 'unused'
            ELSE {otherwise} END AS left_out,
       CASE WHEN d.split <> '' THEN 0
            WHEN l.place IS NOT NULL THEN l.alike
            WHEN t.place IS NULL AND d.alike IS NOT NULL THEN d.alike ELSE 0 END AS alike
FROM pairs p
LEFT JOIN dated y ON y.place = p.place
LEFT JOIN drawn d ON d.place = p.place
LEFT JOIN training t ON t.place = p.place
LEFT JOIN (SELECT place, MIN(alike) AS alike FROM leaks GROUP BY place) l ON l.place = p.place
ORDER BY p.place
"""
_SHOWN = 5
# everything that may be in one split only, and its name
_OF_ONE_SPLIT = {
    "d.family": "family",
    "d.family_group": "family_group",
    "d.source_id": "id",
    "d.target_id": "id",
    "k.source_key": "source",
    "k.target_key": "target",
}
_FACTS = " UNION ALL ".join(
    f"SELECT d.split, '{what}' AS what, {column} AS content "
    "FROM divided d JOIN text_keys k ON k.place = d.place WHERE d.split {splits}"
    for column, what in _OF_ONE_SPLIT.items()
)
_HELD = f"""
SELECT what, content, MIN(split) AS one, MAX(split) AS other
FROM ({_FACTS.format(splits="IN ('dev', 'test')")}) f GROUP BY what, content
"""
_LEAKS = f"""
SELECT what, content, one, other FROM held WHERE one <> other
UNION
SELECT h.what, h.content, h.other AS one, 'train' AS other
FROM ({_FACTS.format(splits="= 'train'")}) f
JOIN held h ON h.what = f.what AND h.content = f.content
ORDER BY what, content LIMIT {{most}}
"""


def split_step(
    steps: StepRunner, pairs: Relation, texts: Relation, settings: SplitSettings, seed: int
) -> Dataset:
    """Assign a split to each pair, or the reason for none.

    ``pairs`` has the columns place, id, family_group, source_date, target_date and left_out;
    ``texts`` has place, source and target. ``alike`` in the result is the place of a dev or test
    pair that a pair resembles, 0 if there is none.
    """
    tests = _conditions(settings)
    dated = View(_DATED.format(year=_year(settings.side)), {"pairs": pairs})
    pool = _POOL.format(seed=seed, **tests)
    pool_tables = {"dated": dated, "texts": texts}

    def make(output: Place) -> None:
        rows = (
            row
            for low, high in _SLICES
            for row in steps.rows(pool.format(low=low, high=high), pool_tables)
        )
        write_rows(output, draw_pairs(rows, settings), DRAWN_SCHEMA)

    given = {**asdict(settings), "pool": pool}
    drawn = steps.step("drawn", make, list(pool_tables.values()), given)
    training = View(_TRAINING.format(**tests), {"dated": dated, "drawn": drawn})
    find = partial(find_leaks, place_name(drawn.path), settings.leak)
    training_texts = View(_TRAINING_TEXTS, {"training": training, "texts": texts})
    given = {"drawn": drawn.key, "leak": settings.leak}
    leaks = steps.map("leaks", find, training_texts, LEAK_SCHEMA, given)
    tables = {
        "pairs": pairs,
        "dated": dated,
        "drawn": drawn,
        "training": training,
        "leaks": leaks,
    }
    return steps.sql("split", _SPLIT.format(**tests), tables)


def _year(side: str) -> str:
    """Return the year of publication as text, empty where it is not known."""
    sides = {name: f"SUBSTR(p.{name}_date, 1, 4)" for name in ("source", "target")}
    if side in sides:
        return sides[side]
    return (
        f"CASE WHEN {sides['source']} > {sides['target']} "
        f"THEN {sides['source']} ELSE {sides['target']} END"
    )


def _conditions(settings: SplitSettings) -> dict[str, str]:
    """Return SQL conditions for the years of dev and test, and of the training data."""
    if settings.test_from is None:
        everything = {"in_test_years": "1 = 1", "in_training_years": "1 = 1"}
        return {**everything, "undated": "1 = 0", "otherwise": "'unused'"}
    return {
        "in_test_years": f"published >= '{settings.test_from:04}'",
        "in_training_years": "d.published <> '' "
        f"AND d.group_published <= '{settings.last_training_year:04}'",
        "undated": "y.published = ''",
        "otherwise": "'years'",
    }


@dataclass(slots=True)
class _Known:
    """Pairs of texts for comparison, found by the keys of their bands."""

    settings: near.MinHashSettings
    texts: dict[int, tuple[str, ...]] = field(default_factory=dict)
    buckets: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, place: int, texts: tuple[str, ...], keys: Sequence[IntArray]) -> None:
        """Add a pair; ``keys`` are those of each side."""
        self.texts[place] = texts
        for side, own in enumerate(keys):
            for key in own.tolist():
                self.buckets[side, key].append(place)

    def side_keys(self) -> list[IntArray]:
        """Return all keys of each side, in order."""
        keys: list[list[int]] = [[] for _ in _SIDES_OF_PAIR]
        for side, key in self.buckets:
            keys[side].append(key)
        return [np.sort(np.array(own, dtype=np.int64)) for own in keys]

    def alike(self, pairs: Sequence[tuple[str, ...]], keys: Sequence[IntArray]) -> list[int | None]:
        """Return, for each pair, the first known one that is similar on a side.

        ``keys`` are those of all pairs, (pairs, bands), for each side.
        """
        found = sorted(
            {
                (row, place, side)
                for side, of_side in enumerate(keys)
                for row, own in enumerate(of_side.tolist())
                for key in own
                for place in self.buckets.get((side, key), ())
            },
            reverse=True,
        )
        similar = near.similarities(
            [pairs[row][side] for row, _, side in found],
            [self.texts[place][side] for _, place, side in found],
            self.settings,
        )
        first: list[int | None] = [None] * len(pairs)
        for (row, place, _), value in zip(found, similar, strict=True):
            if value >= self.settings.threshold:
                first[row] = place
        return first


def draw_pairs(pool: Iterable[dict[str, Any]], settings: SplitSettings) -> Iterator[dict[str, Any]]:
    """Take pairs, patent by patent in the order of the pool, until test and dev are full.

    A patent contributes to one of them only. Skipped pairs have the reason.
    """
    wanted = {"test": settings.test, "dev": settings.dev}
    taken = _Known(near.MinHashSettings(settings.pattern))
    same: dict[tuple[str, str], int] = {}
    filled: Counter[str] = Counter()
    given = 0
    group, split = None, ""
    for pair, patterns, keys in _with_patterns(pool, taken.settings):
        if pair["family_group"] != group:
            group, given = pair["family_group"], 0
            split = next((name for name, size in wanted.items() if filled[name] < size), "")
            if not split:
                return
        if filled[split] >= wanted[split]:
            continue
        row = {**pair, "split": "", "left_out": "", "alike": 0}
        if settings.per_patent is not None and given >= settings.per_patent:
            yield {**row, "left_out": "per-patent"}
            continue
        alike = next((same[text] for text in _texts(pair) if text in same), None)
        if alike is None:
            [alike] = taken.alike([patterns], [own[None] for own in keys])
        if alike is not None:
            yield {**row, "left_out": "pattern", "alike": alike}
        else:
            taken.add(pair["place"], patterns, keys)
            same |= dict.fromkeys(_texts(pair), pair["place"])
            filled[split] += 1
            given += 1
            yield {**row, "split": split}


def _with_patterns(
    pool: Iterable[dict[str, Any]], settings: near.MinHashSettings
) -> Iterator[tuple[dict[str, Any], tuple[str, ...], tuple[IntArray, ...]]]:
    """Yield pairs with the patterns of their sides and their keys, some hundred at once."""
    rest = iter(pool)
    while pairs := list(islice(rest, _AT_ONCE)):
        sides = [[near.pattern_of(pair[side]) for pair in pairs] for side in _SIDES_OF_PAIR]
        keys = [near.band_keys(patterns, settings) for patterns in sides]
        yield from zip(pairs, zip(*sides, strict=True), zip(*keys, strict=True), strict=True)


def find_leaks(drawn: str, threshold: float, pairs: Batch) -> Iterator[Batch]:
    """Yield pairs with a side that is nearly equal to that side of a pair in dev or test."""
    known, known_keys = _held_out(drawn, threshold)
    places = pairs.column("place").to_pylist()
    sides = [pairs.column(side).to_pylist() for side in _SIDES_OF_PAIR]
    keys = [near.band_keys(texts, known.settings) for texts in sides]
    suspects = np.zeros(len(places), dtype=bool)
    for own, held in zip(keys, known_keys, strict=True):
        suspects |= _are_in(own, held).any(axis=1)
    chosen = np.flatnonzero(suspects)
    texts = [(sides[0][row], sides[1][row]) for row in chosen]
    alike = known.alike(texts, [own[chosen] for own in keys])
    rows = [
        {"place": places[row], "alike": place}
        for row, place in zip(chosen, alike, strict=True)
        if place is not None
    ]
    yield batch_of(rows, LEAK_SCHEMA)


@lru_cache(maxsize=2)
def _held_out(drawn: str, threshold: float) -> tuple[_Known, list[IntArray]]:
    """Return the pairs of dev and test and the keys of their sides; read once by each process."""
    known = _Known(near.MinHashSettings(threshold))
    rows = [row for row in iter_rows(any_place(drawn)) if row["split"]]
    keys = [near.band_keys([row[side] for row in rows], known.settings) for side in _SIDES_OF_PAIR]
    for row, *own in zip(rows, *keys, strict=True):
        known.add(row["place"], (row["source"], row["target"]), own)
    return known, known.side_keys()


def _are_in(values: IntArray, held: IntArray) -> NDArray[np.bool_]:
    """Return True for values that are among others, which are sorted."""
    if not len(held):
        return np.zeros(values.shape, dtype=bool)
    found = held[np.minimum(np.searchsorted(held, values), len(held) - 1)]
    return np.asarray(found == values)


def check_leakage(steps: StepRunner, divided: Relation, text_keys: Relation) -> dict[str, int]:
    """Count the comparisons; raise PatmarkError if two splits have something in common.

    No family, no document and no text of a side may be in two splits. ``text_keys`` has the columns
    place, source_key and target_key.
    """
    tables = {"divided": divided, "text_keys": text_keys}
    held = steps.sql("held", _HELD, tables)
    shared = [
        f"{row['what']} {row['content']!r} is in {row['one']} and in {row['other']}"
        for row in steps.rows(_LEAKS.format(most=_SHOWN + 1), {**tables, "held": held})
    ]
    if shared:
        more = ["… and more"] if len(shared) > _SHOWN else []
        first = "the splits leak, so nothing is written; please report this, it must not happen:"
        raise PatmarkError("\n".join([first, *shared[:_SHOWN], *more]))
    [row] = steps.rows("SELECT COUNT(*) AS n FROM divided WHERE split = 'train'", tables)
    return {"held_out": held.rows, "training_pairs": row["n"]}


def _texts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the sides of a pair by their keys."""
    for name in _SIDES_OF_PAIR:
        yield name, near.exact_key(row[name])
