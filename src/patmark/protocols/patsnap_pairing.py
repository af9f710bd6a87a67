"""Compare PatSnap systems on the same rows only.

Where rows without an answer are left out instead of counted as wrong, each system has rows of its
own, and one that leaves out the hard ones would win. A comparison takes the rows that all answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from patmark.data import FloatArray, Scores
from patmark.errors import InputError
from patmark.protocols.patsnap_result import PatsnapResult
from patmark.protocols.patsnap_rows import RowScores
from patmark.stats import Units

_SIGNATURE = "patsnap|"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that no system is compared on, and how many of them each system did not answer."""

    rows: tuple[str, ...] = ()
    unanswered: Mapping[str, int] = field(default_factory=dict)


def pair_rows(
    scores: Mapping[str, Scores], documents: Sequence[str | None]
) -> tuple[Mapping[str, Scores], Sequence[str | None], LeftOut]:
    """Scores and documents of the rows that all systems answered, and what is left out.

    A row that a system did not answer has no statistics at all; one counted as wrong has. Scores
    of other protocols come back as they are.
    """
    of_bench = [one for one in scores.values() if one.signature.startswith(_SIGNATURE)]
    if not of_bench:
        return scores, documents, LeftOut()
    answered = np.any([(one.statistics != 0).any(axis=-1) for one in of_bench], axis=0)
    partly = answered.any(axis=0) & ~answered.all(axis=0)
    if not partly.any():
        return scores, documents, LeftOut()
    systems, ids = of_bench[0].systems, of_bench[0].segments
    if not answered.all(axis=0).any():
        raise InputError.at(f"no row is answered by all of {', '.join(systems)}")
    missing = (~answered[:, partly]).sum(axis=1)
    left_out = LeftOut(
        tuple(ids[row] for row in np.flatnonzero(partly)),
        {name: int(count) for name, count in zip(systems, missing, strict=True) if count},
    )
    rows = np.flatnonzero(~partly).tolist()
    kept = {
        name: replace(
            one,
            segments=tuple(one.segments[row] for row in rows),
            statistics=one.statistics[:, rows],
        )
        for name, one in scores.items()
    }
    return kept, [documents[row] for row in rows], left_out


def without_rows(result: PatsnapResult, ids: Sequence[str]) -> PatsnapResult:
    """The same result as if these rows were not there."""
    dropped = set(ids)
    rows = [row for row, segment in enumerate(result.test_set) if segment.id not in dropped]
    test_set = replace(result.test_set, segments=tuple(result.test_set[row] for row in rows))
    return replace(
        result,
        test_set=test_set,
        runs=tuple(
            replace(run, hypotheses=tuple(run.hypotheses[row] for row in rows))
            for run in result.runs
        ),
        rows=tuple(_rows_of(scores, rows) for scores in result.rows),
        units=Units.choose(test_set.documents, result.options.settings.by),
    )


def _rows_of(scores: RowScores, rows: Sequence[int]) -> RowScores:
    def of(values: FloatArray) -> FloatArray:
        return values[list(rows)]

    return RowScores(
        of(scores.accuracy), of(scores.omission), of(scores.length_hallucination),
        of(scores.leakage), tuple(scores.evidence[row] for row in rows),
    )  # fmt: skip
