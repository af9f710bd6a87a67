"""The changelog of two builds: settings, counts, and added, removed and moved pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from patmark.collections.corpus.build.export import pairs_place
from patmark.collections.corpus.build.facts import read_facts
from patmark.collections.corpus.splits import SPLITS
from patmark.engine import Dataset, Place, StepRunner, open_engine
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import tr

# pairs are the same if their documents and texts are; ids may move within a document
_KEYS = """
SELECT pair_id, MD5(CONCAT(source, CHR(9), target)) AS text_key, MIN(split) AS split
FROM {table} WHERE split <> '' GROUP BY 1, 2
"""
_COMPARED = f"""
SELECT COALESCE(o.split, '') AS before_split, COALESCE(n.split, '') AS after_split,
       CAST(COUNT(*) AS BIGINT) AS pairs
FROM ({_KEYS.format(table="old_pairs")}) o
FULL OUTER JOIN ({_KEYS.format(table="new_pairs")}) n
  ON n.pair_id = o.pair_id AND n.text_key = o.text_key
GROUP BY 1, 2 ORDER BY 1, 2
"""
_COUNTED = {
    "records": ("parse", "records"),
    "broken records": ("parse", "broken"),
    "documents": ("families", "documents"),
    "ranked pairs": ("pairs", "total"),
}


@dataclass(frozen=True, slots=True)
class BuildChanges(Result):
    """Differences of two builds: settings, counts and pairs of splits."""

    old: str
    new: str
    settings: Mapping[str, tuple[Any, Any]]
    counts: Mapping[str, tuple[int, int]]
    moves: Mapping[tuple[str, str], int]

    def _pairs(self, split: str) -> dict[str, int]:
        """Count the pairs of a split that were kept, added, removed or moved."""
        other = [name for name in SPLITS if name != split]
        return {
            "same": self.moves.get((split, split), 0),
            "added": self.moves.get(("", split), 0),
            "removed": self.moves.get((split, ""), 0),
            "from_other_splits": sum(self.moves.get((name, split), 0) for name in other),
            "to_other_splits": sum(self.moves.get((split, name), 0) for name in other),
        }

    def to_json(self) -> dict[str, Any]:
        """Return all differences."""
        return {
            "old": self.old,
            "new": self.new,
            "settings": {name: list(values) for name, values in self.settings.items()},
            "counts": {name: list(values) for name, values in self.counts.items()},
            "splits": {split: self._pairs(split) for split in SPLITS},
        }

    def to_report(self) -> Report:
        """Return the changelog as tables."""
        names = [tr("same"), tr("added"), tr("removed"), tr("from other splits")]
        names.append(tr("to other splits"))
        splits: tuple[tuple[Cell, ...], ...] = tuple(
            (split, *self._pairs(split).values()) for split in SPLITS
        )
        before, after = tr("before"), tr("after")
        counts: tuple[tuple[Cell, ...], ...] = tuple(
            (name, old, new, new - old) for name, (old, new) in self.counts.items()
        )
        settings: tuple[tuple[Cell, ...], ...] = tuple(
            (name, str(old), str(new)) for name, (old, new) in self.settings.items()
        )
        pairs = Table(
            tr("Pairs of splits"),
            (Column(tr("split")), *(Column(name, decimals=0) for name in names)),
            splits,
            tr("A pair is the same if its documents and both texts are."),
        )
        counted = Table(
            tr("Counts"),
            (Column(tr("count")), *(Column(n, decimals=0) for n in (before, after, tr("change")))),
            counts,
        )
        changed = Table(
            tr("Settings that differ"),
            (Column(tr("setting")), Column(before), Column(after)),
            settings,
        )
        return Report(
            title=tr("Changes from {old} to {new}", old=self.old, new=self.new),
            subtitle="",
            headlines=(),
            tables=(pairs, counted, *([changed] if settings else [])),
            signatures={},
        )


def compare_builds(old: Place, new: Place) -> BuildChanges:
    """Compare the folders of two builds."""
    facts = read_facts(old), read_facts(new)
    engine = open_engine("local")
    try:
        with TemporaryDirectory() as folder:
            steps = StepRunner(Path(folder), engine)
            tables = {
                "old_pairs": Dataset(pairs_place(old), ""),
                "new_pairs": Dataset(pairs_place(new), ""),
            }
            moves = {
                (row["before_split"], row["after_split"]): row["pairs"]
                for row in steps.rows(_COMPARED, tables)
            }
    finally:
        engine.close()
    counts = {
        name: (facts[0][part][field], facts[1][part][field])
        for name, (part, field) in _COUNTED.items()
    }
    return BuildChanges(str(old), str(new), dict(_settings(*facts)), counts, moves)


def _settings(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield settings, versions and licences that differ."""
    ours, theirs = ({**_flat(facts["settings"]), "signature": facts["signature"],
                     "sources": facts.get("sources", [])} for facts in (old, new))  # fmt: skip
    for name in dict.fromkeys([*ours, *theirs]):
        values = ours.get(name), theirs.get(name)
        if values[0] != values[1]:
            yield name, values


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        inside = value if isinstance(value, dict) else {"": value}
        flat.update({f"{name}.{key}" if key else name: each for key, each in inside.items()})
    return flat
