"""Gold beads: their files, and precision and recall against them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from patmark.alignment.beads import Bead
from patmark.data import FilePath, read_lines, shown
from patmark.errors import InputError, Problem

Link: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
_NUMBERS = r"\[\s*((?:\d+(?:\s*,\s*\d+)*)?)\s*\]"
_LINE = re.compile(rf"\s*{_NUMBERS}\s*:\s*{_NUMBERS}\s*(?::.*)?")


@dataclass(frozen=True, slots=True)
class Quality:
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean; 0 if both are 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def to_json(self) -> dict[str, float]:
        """Return the values for JSON."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, slots=True)
class AlignmentQuality:
    """Strict and lax quality."""

    strict: Quality
    lax: Quality


def links_of(beads: Iterable[Bead]) -> list[Link]:
    """Return the sentences of beads without their scores."""
    return [(bead.source, bead.target) for bead in beads]


def score_alignment(documents: Sequence[tuple[Sequence[Link], Sequence[Link]]]) -> AlignmentQuality:
    """Compute the quality over documents (found beads, gold beads), as in Vecalign.

    Strict: a bead equals a gold bead. Lax: some source sentence of the bead is linked in the gold
    to some target sentence of the bead. Precision counts all beads, including those with an empty
    side; recall leaves these out on both sides. Counts are summed over documents before division.
    """
    precision, recall = [0, 0, 0], [0, 0, 0]
    for found, gold in documents:
        _add(precision, _hits(found, gold))
        _add(recall, _hits(_without_empty(gold), _without_empty(found)))
    return AlignmentQuality(
        *(
            Quality(precision[way] / max(precision[2], 1), recall[way] / max(recall[2], 1))
            for way in (0, 1)
        )
    )


def _add(totals: list[int], counts: tuple[int, int, int]) -> None:
    for place, count in enumerate(counts):
        totals[place] += count


def _hits(found: Sequence[Link], gold: Sequence[Link]) -> tuple[int, int, int]:
    """Count strict hits, lax hits and beads."""
    beads, known = set(found), set(gold)
    linked = {(s, t) for sources, targets in gold for s in sources for t in targets}
    strict = lax = 0
    for bead in beads:
        if bead in known:
            strict += 1
            lax += 1
        elif any((s, t) in linked for s in bead[0] for t in bead[1]):
            lax += 1
    return strict, lax, len(beads)


def _without_empty(links: Sequence[Link]) -> list[Link]:
    return [link for link in links if link[0] and link[1]]


def read_gold(path: FilePath) -> list[Link]:
    """Read lines ``[0]:[0,1]`` with 0-based sentence numbers; ignore text after a second colon.

    ``[]:[]`` and blank lines are skipped, as in Vecalign.
    """
    links: list[Link] = []
    problems: list[Problem] = []
    for number, line in enumerate(read_lines(path), 1):
        match = _LINE.fullmatch(line)
        if match is None and line.strip():
            message = f"expected a bead such as [0]:[0,1], found {line[:40]!r}"
            problems.append(Problem(message, shown(path), number))
        elif match is not None and (match[1] or match[2]):
            links.append((_numbers(match[1]), _numbers(match[2])))
    if not links and not problems:
        problems.append(Problem("holds no bead", shown(path)))
    if problems:
        raise InputError(problems)
    return links


def _numbers(listed: str) -> tuple[int, ...]:
    return tuple(int(number) for number in listed.split(",") if number.strip())
