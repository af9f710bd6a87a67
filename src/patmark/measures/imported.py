"""External segment scores as a named measure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark._version import __version__
from patmark.data import (
    FloatArray,
    Run,
    Scores,
    ScoreTable,
    TestSet,
    counted,
    first_of,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.measures.base import Judged, MeanMeasure

_SHOWN = 16


@dataclass(frozen=True, eq=False)
class ImportedScores(MeanMeasure):
    """The mean of external scores; higher is better.

    ``table`` holds them under the measure ``column``. A segment with an empty score does not count;
    a missing segment is an error.
    """

    label = "imported"
    description = "mean of scores that another program gave to segments"
    citation = "the program itself"
    needs = frozenset()
    bounds = (-math.inf, math.inf)

    title: str
    table: ScoreTable
    column: str

    @property
    def name(self) -> str:
        """The given name of the scores."""
        return self.title

    def signature(self, test_set: TestSet) -> str:
        return self.origin

    @property
    def origin(self) -> str:
        """Source of the scores, and their hash."""
        digest = hashlib.sha256(self.values.tobytes())
        digest.update("\0".join((*self.table.systems, *self.table.segments)).encode("utf-8"))
        parts = {
            "from": self.table.name, "column": self.column,
            "scores": digest.hexdigest()[:_SHOWN], "over": self.averages,
            "patmark": __version__,
        }  # fmt: skip
        return "|".join([self.title, *(f"{key}:{value}" for key, value in parts.items())])

    @property
    def values(self) -> FloatArray:
        """All scores of the table, (systems, segments)."""
        return self.table.of_segments[self.column]

    def check_runs(self, test_set: TestSet, runs: Sequence[Run]) -> None:
        segments = [segment.id for segment in test_set]
        self._check_names(segments, [run.system for run in runs], test_set.name)

    def judge(self, test_set: TestSet, run: Run) -> Judged:
        segments = [segment.id for segment in test_set]
        [statistics] = self.aligned(segments, [run.system], test_set.name).statistics
        return Judged(statistics)

    def aligned(self, segments: Sequence[str], systems: Sequence[str], where: str) -> Scores:
        """Return the scores of these segments of ``where``, by these systems."""
        self._check_names(segments, systems, where)
        place = {segment: at for at, segment in enumerate(self.table.segments)}
        places = range(len(segments)) if self.table.positional else [place[one] for one in segments]
        rows = [0] if self._unnamed else [self.table.systems.index(one) for one in systems]
        values = self.values[np.ix_(rows, places)]
        scores = Scores.of_values(self.title, self.origin, tuple(systems), tuple(segments), values)
        return replace(scores, higher_is_better=self.higher_is_better)

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        raise UsageError(f"{self.title} is known of the systems in {self.table.name} only")

    def _check_names(self, segments: Sequence[str], systems: Sequence[str], where: str) -> None:
        """Refuse scores of other systems and segments."""
        known = self.table.systems
        absent = [] if self._unnamed else [one for one in systems if one not in known]
        if self._unnamed and len(systems) > 1:
            message = f"names no system, and there are {len(systems)}: {', '.join(systems)}"
            raise InputError.at(f"{self.title}: {message}", self.table.name)
        if absent:
            message = f"has no scores of {', '.join(absent)}, but of {', '.join(known)}"
            raise InputError.at(f"{self.title}: {message}", self.table.name)
        problems = [one for system in systems for one in self._problems(segments, system, where)]
        if problems:
            raise InputError(first_of(problems, "segments without a match", self.table.name))

    @property
    def _unnamed(self) -> bool:
        """True if the file has one unnamed system."""
        return self.table.systems == ("",)

    def _problems(self, segments: Sequence[str], system: str, where: str) -> list[Problem]:
        """Return segments that only the table or only the test set has."""
        row = 0 if self._unnamed else self.table.systems.index(system)
        lines = self.table.lines[self.column][row]
        scored = {self.table.segments[at]: int(lines[at]) for at in np.flatnonzero(lines >= 0)}
        of_system = self.title if self._unnamed else f"{self.title} of {system}"
        if self.table.positional:
            found = list(scored.values())
            if len(found) == len(segments):
                return []
            place = found[min(len(segments), len(found) - 1)] or None
            scores = counted(len(found), "score")
            message = f"{of_system}: {scores} for {counted(len(segments), 'segment')}"
            return [Problem(f"{message} of {where}", self.table.name, place)]
        ids = set(segments)
        surplus = (
            (f"segment {segment!r} is not in {where}", line or None)
            for segment, line in scored.items()
            if segment not in ids
        )
        missing = (
            (f"there is no score of segment {segment!r}", None)
            for segment in segments
            if segment not in scored
        )
        return [
            Problem(f"{of_system}: {message}", self.table.name, line)
            for message, line in (*surplus, *missing)
        ]


@dataclass(frozen=True, eq=False)
class LowerImportedScores(ImportedScores):
    """The mean of external scores; lower is better."""

    higher_is_better = False
