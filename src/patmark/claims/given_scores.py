"""Scores of claim pairs that were computed elsewhere, such as those of a judge.

They come in files as all scores do, with the candidates A and B as systems and the position of a
pair, from 0, as its segment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import (
    CANDIDATES,
    QUALITY,
    ClaimPairs,
    FilePath,
    Scores,
    drafts_of_pairs,
    fingerprint,
    read_score_table,
    shown,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation import check_same_texts, is_saved, read_scores, refuse_descriptive

_CRITERION = re.compile(r"\(criterion=(\w+)\)$")


@dataclass(frozen=True, slots=True, eq=False)
class GivenMeasure:
    """A measure by its scores of both candidates of each pair; NaN where it has none."""

    label: str
    scores: Scores

    @property
    def name(self) -> str:
        """The measure in full."""
        return self.label

    @property
    def family(self) -> str:
        """The name without the criterion: that of the judge."""
        return _CRITERION.sub("", self.label)

    @property
    def criterion(self) -> str | None:
        """The criterion that the name tells; None for what counts as a whole."""
        found = _CRITERION.search(self.label)
        return None if found is None else found[1].lower()

    def is_held_against(self, criterion: str) -> bool:
        """Whether labels of a criterion say something of it: its own, and those of quality."""
        return self.criterion in (None, criterion.lower()) or criterion.lower() == QUALITY


def read_given_scores(paths: Sequence[FilePath], pairs: ClaimPairs) -> list[GivenMeasure]:
    """The measures of files, in the order of the pairs.

    Refuses files of other pairs, as far as they tell, and a measure that comes twice.
    """
    measures: dict[str, GivenMeasure] = {}
    for path in paths:
        for name, scores in _file_scores(path, pairs).items():
            if name in measures:
                raise InputError.at(f"{name} is given twice", shown(path))
            measures[name] = GivenMeasure(name, _of_pairs(scores, pairs, shown(path)))
    refuse_descriptive(one.scores for one in measures.values())
    return list(measures.values())


def _file_scores(path: FilePath, pairs: ClaimPairs) -> dict[str, Scores]:
    name = shown(path)
    if not is_saved(path):
        table = read_score_table(path)
        return {
            measure: Scores.of_values(
                measure, f"from {name}", table.systems, table.segments, values
            )
            for measure, values in table.of_segments.items()
        }
    saved = read_scores(path)
    test_set, _ = drafts_of_pairs(pairs)
    check_same_texts(saved.known.test_set, fingerprint(test_set), (name, pairs.name))
    return dict(saved.scores)


def _of_pairs(scores: Scores, pairs: ClaimPairs, path: str) -> Scores:
    """The scores with A and B as rows and the pairs as columns, (0, 0) where there are none."""
    absent = [one for one in CANDIDATES if one not in scores.systems]
    if absent:
        raise InputError.at(
            f"{scores.measure} has no scores of {' and '.join(absent)}, only of "
            f"{', '.join(scores.systems)}; scores of claim pairs are of {' and '.join(CANDIDATES)}",
            path,
        )
    segments = [str(place) for place in range(len(pairs))]
    foreign = [one for one in scores.segments if one not in set(segments)]
    if foreign:
        raise InputError.at(
            f"{scores.measure} has a segment {foreign[0]!r}; expected positions of pairs, "
            f"0 to {len(pairs) - 1}",
            path,
        )
    rows = [scores.systems.index(one) for one in CANDIDATES]
    known = {segment: at for at, segment in enumerate(scores.segments)}
    statistics = np.zeros((len(rows), len(segments), scores.statistics.shape[-1]))
    for place, segment in enumerate(segments):
        if segment in known:
            statistics[:, place] = scores.statistics[rows, known[segment]]
    found = replace(scores, systems=CANDIDATES, segments=tuple(segments), statistics=statistics)
    if np.isnan(found.segment_scores).any(axis=0).all():
        raise UsageError(f"{path}: {scores.measure} has no pair with scores of both candidates")
    return found
