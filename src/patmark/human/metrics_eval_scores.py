"""Score files of MT Metrics Eval: one score per segment (``seg``) or per system (``sys``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from patmark.data import FloatArray, Scores, counted, read_lines
from patmark.errors import Problem
from patmark.human.means import mean_scores
from patmark.human.scales import parse_number

OF_SEGMENTS = ".seg.score"
OF_SYSTEMS = ".sys.score"
_NOTHING = "None"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFiles:
    """Scores by name: of segments, of systems (systems,), and the files of other levels."""

    of_segments: Mapping[str, Scores]
    of_systems: Mapping[str, FloatArray]
    others: tuple[Path, ...]


def read_score_files(
    folder: Path, prefix: str, systems: tuple[str, ...], segments: int, problems: list[Problem]
) -> ScoreFiles:
    """All score files of a folder whose names begin so; faults are added to the problems."""
    of_segments, of_systems, others = dict[str, Scores](), dict[str, FloatArray](), list[Path]()
    ids = tuple(str(number + 1) for number in range(segments))
    for path in sorted(folder.glob(f"{prefix}*.score")):
        name = path.name[len(prefix) : -len(OF_SEGMENTS)]
        if path.name.endswith(OF_SEGMENTS):
            values = _values(path, systems, segments, "segment", problems)
            signature = f"{name}|from:{path.name}|over:mean"
            of_segments[name] = mean_scores(name, signature, systems, ids, values)
        elif path.name.endswith(OF_SYSTEMS):
            of_systems[name] = _values(path, systems, 1, "system", problems)[:, 0]
        else:
            others.append(path)
    return ScoreFiles(of_segments, of_systems, tuple(others))


def segment_lines(scores: Scores) -> list[str]:
    """The lines of a file of segments: a block per system."""
    return [
        f"{system} {_text(value)}"
        for system, row in zip(scores.systems, scores.segment_scores, strict=True)
        for value in row
    ]


def system_lines(systems: Sequence[str], values: FloatArray) -> list[str]:
    """The lines of a file of systems."""
    return [f"{system}\t{_text(value)}" for system, value in zip(systems, values, strict=True)]


def _text(value: float) -> str:
    return _NOTHING if np.isnan(value) else repr(float(value))


def _values(
    path: Path, systems: tuple[str, ...], count: int, what: str, problems: list[Problem]
) -> FloatArray:
    """Scores of shape (systems, count), NaN where there is none."""
    values = np.full((len(systems), count), np.nan)
    blocks: dict[str, list[float]] = {}
    for system, score in _entries(path, systems, problems):
        blocks.setdefault(system, []).append(score)
    expected = f"{count}, one for each segment" if what == "segment" else "one"
    for system, scores in blocks.items():
        if len(scores) != count:
            message = f"{system!r} has {counted(len(scores), 'score')}; expected {expected}"
            problems.append(Problem(message, str(path)))
        else:
            values[systems.index(system)] = scores
    return values


def _entries(
    path: Path, systems: Sequence[str], problems: list[Problem]
) -> Iterator[tuple[str, float]]:
    """System and score of each line, NaN for a missing one."""
    for number, line in enumerate(read_lines(path), 1):
        parts = line.split()
        score = parse_number(parts[1]) if len(parts) == 2 and parts[1] != _NOTHING else np.nan
        if len(parts) != 2 or score is None:
            message = f"expected SYSTEM SCORE or SYSTEM {_NOTHING}, found {line!r}"
            problems.append(Problem(message, str(path), number))
        elif parts[0] not in systems:
            message = f"unknown system {parts[0]!r}; the outputs are of {', '.join(systems)}"
            problems.append(Problem(message, str(path), number))
        else:
            yield parts[0], score
