"""Training, development and test pairs without leakage, in the way of NTCIR.

Families are never divided: the unit is the extended family, everything that shares a priority.
Years come next, if they are asked for. Patents for dev and test are drawn in random order and give
pairs one after the other until there are enough: first for test, then for dev. A pair whose
pattern was taken before is passed over. Then training pairs that are nearly the same as a pair of
dev or test on one side are left out.

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
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from patmark.corpus import near_duplicates as near
from patmark.corpus.engine import Batch, batch_of, iter_rows, write_rows
from patmark.corpus.engine_steps import Dataset, Workshop
from patmark.corpus.split_settings import SplitSettings

DRAWN_SCHEMA = {
    "place": "int64", "family_group": "string", "split": "string", "left_out": "string",
    "alike": "int64", "source": "string", "target": "string",
}  # fmt: skip
LEAK_SCHEMA = {"place": "int64", "alike": "int64"}

_DATED = """
SELECT p.place, p.id, p.family_group, p.source, p.target, {year} AS published,
       MAX({year}) OVER (PARTITION BY p.family_group) AS group_published
FROM pairs p WHERE p.left_out = ''
"""
_POOL = """
SELECT place, family_group, source, target
FROM dated
WHERE {in_test_years}
ORDER BY MD5(CONCAT('{seed}|', family_group)), family_group, MD5(CONCAT('{seed}|', id)), id
"""
_FOR_TRAINING = """
SELECT d.place, d.source, d.target
FROM dated d
LEFT JOIN (SELECT DISTINCT family_group FROM drawn WHERE split <> '') h
  ON h.family_group = d.family_group
WHERE h.family_group IS NULL AND {in_training_years}
ORDER BY d.place
"""
_SPLIT = """
SELECT p.place, p.id, p.pair_id, p.number, p.family, p.family_group, p.relation, p.source_id,
       p.target_id, p.source_office, p.target_office, p.source_date, p.target_date, p.ipc,
       p.section, p.bead, p.sim, p.avsim, p.ratio, p.sntscore, p.score, p.source, p.target,
       p.reasons,
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


def split_step(shop: Workshop, pairs: Dataset, settings: SplitSettings, seed: int) -> Dataset:
    """All pairs with their split, or with the reason why they are in none."""
    tests = _conditions(settings)
    dated = shop.sql("dated", _DATED.format(year=_year(settings.side)), {"pairs": pairs})
    pool = shop.sql("pool", _POOL.format(seed=seed, **tests), {"dated": dated})

    def make(output: Path) -> None:
        write_rows(output, draw_pairs(iter_rows(pool.path), settings), DRAWN_SCHEMA)

    drawn = shop.step("drawn", make, [pool], asdict(settings))
    tables = {"dated": dated, "drawn": drawn}
    training = shop.sql("training", _FOR_TRAINING.format(**tests), tables)
    find = partial(find_leaks, str(drawn.path.resolve()), settings.leak)
    given = {"drawn": drawn.key, "leak": settings.leak}
    leaks = shop.map("leaks", find, training, LEAK_SCHEMA, given)
    tables = {"pairs": pairs, "training": training, "leaks": leaks, **tables}
    return shop.sql("split", _SPLIT.format(**tests), tables)


def _year(side: str) -> str:
    """The year of publication as text, empty where it is not known."""
    sides = {name: f"SUBSTR(p.{name}_date, 1, 4)" for name in ("source", "target")}
    if side in sides:
        return sides[side]
    return f"CASE WHEN {sides['source']} > {sides['target']} " \
           f"THEN {sides['source']} ELSE {sides['target']} END"  # fmt: skip


def _conditions(settings: SplitSettings) -> dict[str, str]:
    """Which pairs are of the years of dev and test, and which of those of the training data."""
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
class _Taken:
    """Patterns of the pairs that dev and test have, by the keys of their bands."""

    settings: near.DuplicateSettings
    buckets: dict[tuple[int, int, int], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )
    patterns: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def alike(self, texts: tuple[str, ...]) -> int | None:
        """The first pair that is alike on a side."""
        found = {
            (place, side)
            for side, band, key in self._keys(texts)
            for place in self.buckets.get((side, band, key), ())
        }
        for place, side in sorted(found):
            known = self.patterns[place][side]
            if near.similarity(texts[side], known, self.settings) >= self.settings.threshold:
                return place
        return None

    def add(self, place: int, texts: tuple[str, ...]) -> None:
        self.patterns[place] = texts
        for key in self._keys(texts):
            self.buckets[key].append(place)

    def _keys(self, texts: tuple[str, ...]) -> Iterator[tuple[int, int, int]]:
        for side, keys in enumerate(near.band_keys(texts, self.settings).tolist()):
            for band, key in enumerate(keys):
                yield side, band, key


def draw_pairs(pool: Iterable[dict[str, Any]], settings: SplitSettings) -> Iterator[dict[str, Any]]:
    """Take pairs, patent by patent in the order of the pool, until test and dev are full.

    A patent gives pairs to one of them only. Pairs that were looked at and not taken come with
    the reason.
    """
    wanted = {"test": settings.test, "dev": settings.dev}
    taken = _Taken(near.DuplicateSettings(settings.pattern))
    filled: Counter[str] = Counter()
    given = 0
    group, split = None, ""
    for pair in pool:
        if pair["family_group"] != group:
            group, given = pair["family_group"], 0
            split = next((name for name, size in wanted.items() if filled[name] < size), "")
            if not split:
                return
        if filled[split] >= wanted[split]:
            continue
        texts = tuple(near.pattern_of(pair[side]) for side in ("source", "target"))
        row = {**pair, "split": "", "left_out": "", "alike": 0}
        if settings.per_patent is not None and given >= settings.per_patent:
            yield {**row, "left_out": "per-patent"}
        elif (alike := taken.alike(texts)) is not None:
            yield {**row, "left_out": "pattern", "alike": alike}
        else:
            taken.add(pair["place"], texts)
            filled[split] += 1
            given += 1
            yield {**row, "split": split}


def find_leaks(drawn: str, threshold: float, pairs: Batch) -> Iterator[Batch]:
    """Pairs with a side that is nearly the same as that side of a pair in dev or test."""
    index = _held_out(drawn, threshold)
    places = pairs.column("place").to_pylist()
    found: dict[int, int] = {}
    for side, texts in enumerate(pairs.column(name).to_pylist() for name in ("source", "target")):
        keys = near.band_keys(texts, index.settings)
        for row, alike in index.matches(side, texts, keys):
            found[row] = min(alike, found.get(row, alike))
    rows = [{"place": places[row], "alike": found[row]} for row in sorted(found)]
    yield batch_of(rows, LEAK_SCHEMA)


@dataclass(frozen=True, slots=True)
class _HeldOut:
    """The pairs of dev and test, to be looked up by the keys of their bands."""

    settings: near.DuplicateSettings
    texts: dict[int, tuple[str, str]]
    buckets: dict[tuple[int, int, int], list[int]]

    def matches(self, side: int, texts: list[str], keys: Any) -> Iterator[tuple[int, int]]:
        """Rows that are alike, each with the first pair of dev or test that it is like."""
        for row, (text, bands) in enumerate(zip(texts, keys.tolist(), strict=True)):
            places = {
                place
                for band, key in enumerate(bands)
                for place in self.buckets.get((side, band, key), ())
            }
            for place in sorted(places):
                known = self.texts[place][side]
                if near.similarity(text, known, self.settings) >= self.settings.threshold:
                    yield row, place
                    break


@lru_cache(maxsize=2)
def _held_out(drawn: str, threshold: float) -> _HeldOut:
    settings = near.DuplicateSettings(threshold)
    texts = {
        row["place"]: (row["source"], row["target"])
        for row in iter_rows(Path(drawn))
        if row["split"]
    }
    buckets: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for side in (0, 1):
        keys = near.band_keys([pair[side] for pair in texts.values()], settings)
        for place, bands in zip(texts, keys.tolist(), strict=True):
            for band, key in enumerate(bands):
                buckets[side, band, key].append(place)
    return _HeldOut(settings, texts, dict(buckets))
