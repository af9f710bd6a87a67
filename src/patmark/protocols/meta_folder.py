"""The scores of an MT-metrics-eval folder for a meta-evaluation.

Scores of whole systems (``.sys.score``) go before means of segments, which are something else for
corpus measures such as BLEU.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from patmark.data import FloatArray, Scores
from patmark.errors import UsageError
from patmark.evaluation import Series, Source, turned_round, whole_series
from patmark.human import MetricsEvalSet, read_metrics_eval

_ROUNDING = 1e-5  # of the largest score; files of systems are often rounded


def folder_sources(
    path: str, pair: str | None, lower_is_better: Collection[str] = ()
) -> Iterator[Source]:
    """The human and the metric scores of one language pair of a folder."""
    if pair is None:
        raise UsageError(f"{path} is a folder; name its language pair, such as --lang ja-en")
    whole = read_metrics_eval(path, pair)
    human = _series(whole.human, whole.human_systems)
    metrics = _series(whole.metrics, whole.metric_systems)
    notes = (*whole.notes, *_origins(whole))
    for series, by_people in ((human, True), (metrics, False)):
        if series:
            turned = {
                name: turned_round(one) if name in lower_is_better else one
                for name, one in series.items()
            }
            yield _source(path, whole, turned, notes, by_people)
            notes = ()


def _series(
    of_segments: Mapping[str, Scores], of_systems: Mapping[str, FloatArray]
) -> dict[str, Series]:
    """Each measure of a folder. Only where its systems are means can segments be resampled."""
    series = {name: whole_series(scores) for name, scores in of_segments.items()}
    for name, values in of_systems.items():
        means = series.get(name)
        if means is None:
            series[name] = Series(name, values)
            continue
        slack = _ROUNDING * float(np.nanmax(np.abs(values), initial=0.0))
        same = np.allclose(values, means.of_systems, 0.0, slack, equal_nan=True)
        series[name] = replace(means, of_systems=values, scores=means.scores if same else None)
    return series


def _source(
    path: str, whole: MetricsEvalSet, series: Mapping[str, Series], notes: tuple[str, ...],
    human: bool,
) -> Source:  # fmt: skip
    systems = tuple(run.system for run in whole.runs)
    segments = tuple(segment.id for segment in whole.test_set)
    return Source(path, systems, segments, whole.test_set.documents, series, {}, notes, human)


def _origins(whole: MetricsEvalSet) -> list[str]:
    """Where the scores of systems come from, where that is not the same for all measures."""
    given = [*whole.human_systems, *whole.metric_systems]
    means = [
        *(name for name in whole.human if name not in whole.human_systems),
        *(name for name in whole.metrics if name not in whole.metric_systems),
    ]
    if not given:
        return []
    rest = f"; means of .seg.score: {', '.join(means)}" if means else ""
    return [f"Scores of systems from .sys.score: {', '.join(given)}{rest}."]
