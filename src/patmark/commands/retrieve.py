"""patmark retrieve evaluate and compare in Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from patmark.commands.inputs import file_list
from patmark.data import split_name
from patmark.errors import UsageError
from patmark.retrieval import (
    RetrievalSources,
    compare_retrieval,
    evaluate_retrieval,
    prepare_retrieval,
    qrels_of,
    ranking_of,
    read_qrels,
    read_ranking,
)

if TYPE_CHECKING:
    from patmark.evaluation import CompareSettings, Sampling
    from patmark.retrieval import RetrievalComparison, RetrievalEvaluation


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Sequence[Any] | None = None,
    *,
    sampling: Sampling | None = None,
) -> RetrievalEvaluation:
    """Measure how well runs retrieve: AP, recall, nDCG, precision, RR, PRES, hit rate.

    ``qrels`` are grades by topic and document, ``{"1": {"JP1A": 2}}``; a run has, for each topic,
    documents with scores, ``{"1": [("JP1A", 7.5)]}`` or ``{"1": {"JP1A": 7.5}}``, or documents
    alone, best first. Runs come by the name of their system. Both may be paths of files, which
    name their systems themselves.
    """
    judged = read_qrels(qrels) if _is_path(qrels) else qrels_of("qrels", qrels)
    named: Mapping[str, Any] = runs if isinstance(runs, Mapping) else _by_name(file_list(runs))
    rankings = tuple(
        read_ranking(run, name) if _is_path(run) else ranking_of(name, _scored(run))
        for name, run in named.items()
    )
    sources = RetrievalSources(judged.name, [*named])
    data = prepare_retrieval(judged, rankings, sources)
    return evaluate_retrieval(data, measures, sampling)


def compare(
    qrels: Any,
    runs: Any,
    measures: str | Sequence[Any] | None = None,
    *,
    settings: CompareSettings | None = None,
    metrics: Mapping[str, Mapping[str, float]] | None = None,
) -> RetrievalComparison:
    """Compare runs on the same topics; inputs are those of evaluate.

    ``metrics`` are scores of the translations that were searched with, ``{"BLEU": {"a": 27.1}}``.
    """
    found = evaluate(qrels, runs, measures, sampling=settings.sampling if settings else None)
    return compare_retrieval(found, settings, metrics)


def _by_name(files: Sequence[str]) -> dict[str, str]:
    named: dict[str, str] = {}
    for name, path in map(split_name, files):
        if name in named:
            raise UsageError(f"two runs are called {name}: give {{'name': path}} or 'name=path'")
        named[name] = path
    return named


def _is_path(given: Any) -> bool:
    return isinstance(given, str | os.PathLike)


def _scored(run: Mapping[str, Any]) -> dict[str, list[tuple[str, float]]]:
    """Documents with scores by topic; documents alone get scores that keep their order."""
    return {
        topic: list(found.items())
        if isinstance(found, Mapping)
        else [
            (one, float(len(found) - place)) if isinstance(one, str) else (one[0], float(one[1]))
            for place, one in enumerate(found)
        ]
        for topic, found in run.items()
    }
