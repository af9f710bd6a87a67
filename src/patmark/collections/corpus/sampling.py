"""A stratified sample of sentence pairs for human judgement.

Pairs are ordered by score and divided into ten strata of equal size, the best first, with
proportional allocation. The sample depends on the seed and on ids and scores, not on the order of
the file. It is written in random order, so that its order does not reveal the scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from patmark.collections.corpus.pair_rows import PairRow, iter_pair_rows
from patmark.data import FloatArray, file_format, write_csv, write_json_lines
from patmark.errors import InputError, Problem, UsageError
from patmark.report import Column, Report, Result, Table
from patmark.wording import tr

STRATA = 10
SAMPLE_FIELDS = (
    "id",
    "source",
    "target",
    "judgement",
    "section",
    "family",
    "score",
    "stratum",
    "stratum_pairs",
)


@dataclass(frozen=True, slots=True)
class SampledPair:
    """A pair to judge, its stratum (1: best scores) and the size of that stratum."""

    pair: PairRow
    stratum: int
    stratum_pairs: int


@dataclass(frozen=True, slots=True)
class PairSample(Result):
    """Pairs drawn from a file."""

    pairs: tuple[SampledPair, ...]
    seed: int

    @property
    def strata(self) -> dict[int, int]:
        """The strata that pairs were drawn from, with their sizes."""
        return {each.stratum: each.stratum_pairs for each in self.pairs}

    def to_json(self) -> dict[str, Any]:
        """Return the size of the sample, of the file and of the strata."""
        return {
            "sample": len(self.pairs),
            "pairs": sum(self.strata.values()),
            "strata": len(self.strata),
            "seed": self.seed,
        }

    def line(self) -> str:
        """Describe the sample for people."""
        facts = self.to_json()
        return tr(
            "{sample} of {pairs} pairs, from {strata} strata of scores (seed {seed})",
            sample=facts["sample"],
            pairs=facts["pairs"],
            strata=facts["strata"],
            seed=self.seed,
        )

    def to_report(self) -> Report:
        """Return the strata as a table."""
        drawn = Counter(each.stratum for each in self.pairs)
        rows = tuple((each, size, drawn[each]) for each, size in sorted(self.strata.items()))
        columns = (Column(tr("stratum"), 0), Column(tr("pairs"), 0), Column(tr("drawn"), 0))
        table = Table(tr("Strata of scores"), columns, rows, tr("Stratum 1 holds the best scores."))
        return Report(tr("Sample of sentence pairs"), self.line(), (), (table,), {})


def sample_file(path: str | Path, n: int, seed: int, out: str | Path) -> PairSample:
    """Draw pairs from a file and write them to be judged."""
    sample = PairSample(tuple(draw_from_file(path, n, seed)), seed)
    write_sample(out, sample.pairs)
    return sample


def draw_from_file(path: str | Path, n: int, seed: int) -> list[SampledPair]:
    """Draw ``n`` pairs from a file, which is read twice, so that it may exceed memory."""
    ids: list[str] = []
    scores: list[float] = []
    for row in iter_pair_rows(path):
        ids.append(row.id)
        scores.append(row.score)
    chosen = draw(ids, np.array(scores), n, seed, str(path))
    wanted = {ids[place]: (stratum, size) for place, stratum, size in chosen}
    found = {row.id: row for row in iter_pair_rows(path) if row.id in wanted}
    return [SampledPair(found[identity], *about) for identity, about in wanted.items()]


def draw(
    ids: Sequence[str], scores: FloatArray, n: int, seed: int, name: str = "pairs"
) -> list[tuple[int, int, int]]:
    """Draw ``n`` pairs in random order: index, stratum and its size."""
    _check(ids, n, name)
    order = np.lexsort((np.array(ids), -scores))
    return [
        (int(order[rank]), stratum, size) for rank, stratum, size in draw_ranks(len(ids), n, seed)
    ]


def draw_ranks(pairs: int, n: int, seed: int) -> list[tuple[int, int, int]]:
    """Draw from that many pairs: ranks from 0 on, each with its stratum and its size."""
    generator = np.random.default_rng(seed)
    strata = min(STRATA, n)
    drawn: list[tuple[int, int, int]] = []
    begin = 0
    for number, (size, count) in enumerate(
        zip(_shares(strata, pairs), _shares(strata, n), strict=True), 1
    ):
        ranks = generator.choice(size, size=count, replace=False)
        drawn += [(begin + int(rank), number, size) for rank in ranks]
        begin += size
    return [drawn[place] for place in generator.permutation(len(drawn))]


def _check(ids: Sequence[str], n: int, name: str) -> None:
    if n < 1:
        raise UsageError(f"a sample has at least 1 pair, not {n}")
    if len(set(ids)) < len(ids):
        twice = [each for each, times in Counter(ids).items() if times > 1]
        raise InputError(Problem(f"id {each!r} occurs more than once", name) for each in twice)
    if n > len(ids):
        raise UsageError(f"{name} has {len(ids)} pairs; a sample of {n} cannot be drawn")


def _shares(strata: int, n: int) -> list[int]:
    """Return the number to draw from each stratum; the first strata give the rest."""
    return [n // strata + (place < n % strata) for place in range(strata)]


def write_sample(path: str | Path, sample: Iterable[SampledPair]) -> None:
    """Write pairs with an empty judgement, as CSV, or as JSON Lines if the name says so."""
    rows = [
        (
            each.pair.id,
            each.pair.source,
            each.pair.target,
            "",
            each.pair.section,
            each.pair.family,
            each.pair.score,
            each.stratum,
            each.stratum_pairs,
        )
        for each in sample
    ]
    if file_format(path) != "jsonl":
        write_csv(path, SAMPLE_FIELDS, rows)
        return
    write_json_lines(path, (dict(zip(SAMPLE_FIELDS, row, strict=True)) for row in rows))
