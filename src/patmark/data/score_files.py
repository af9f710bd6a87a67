"""Scores as CSV: one number per row, for other programs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from patmark.data.files import FilePath, write_atomically
from patmark.data.scores import Scores

COLUMNS = ("system", "segment", "measure", "value")


def segment_rows(scores: Sequence[Scores]) -> Iterator[tuple[str, str, str, float]]:
    """System, segment, measure and value; the row of a whole system has an empty segment."""
    for one in scores:
        of_segments = one.segment_scores
        of_systems = one.system_scores
        for position, system in enumerate(one.systems):
            yield system, "", one.measure, float(of_systems[position])
            for segment, value in zip(one.segments, of_segments[position], strict=True):
                yield system, segment, one.measure, float(value)


def segment_csv(scores: Sequence[Scores]) -> str:
    """All scores with full precision; a value that is not defined (NaN) is left empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for *keys, value in segment_rows(scores):
        writer.writerow([*keys, "" if math.isnan(value) else repr(value)])
    return text.getvalue()


def write_segment_csv(path: FilePath, scores: Sequence[Scores]) -> None:
    """Write all scores; see :func:`segment_csv`."""
    write_atomically(path, segment_csv(scores))
