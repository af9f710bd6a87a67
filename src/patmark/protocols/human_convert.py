"""Judgements in another form: rows, an MT Metrics Eval folder, a Pearmut campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from patmark.data import FloatArray, Run, Scores, TestSet
from patmark.errors import UsageError
from patmark.human import (
    Judgements,
    MetricsEvalSet,
    Preferences,
    human_scores,
    preference_scores,
    write_campaign_jsonl,
    write_judgement_csv,
    write_metrics_eval,
    write_pearmut_campaign,
    write_preference_csv,
)

_ROUNDING = 1e-9
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def convert_rows(data: Judgements | Preferences, form: str, target: str) -> None:
    """Write the judgements themselves, as csv or jsonl."""
    if form == "jsonl":
        write_campaign_jsonl(target, data)
    elif isinstance(data, Judgements):
        write_judgement_csv(target, data)
    else:
        write_preference_csv(target, data)


def convert_with_texts(
    data: Judgements | Preferences, form: str, target: str, test_set: TestSet, runs: Sequence[Run]
) -> list[str]:
    """Write texts with scores (mt-metrics-eval) or to be judged (pearmut); says what is lost."""
    if form == "pearmut":
        return _to_pearmut(data, target, test_set, runs)
    if test_set.source_language is None:
        raise UsageError(
            "mt-metrics-eval is kept by language pair: say --lang ja-en, not --lang en"
        )
    notes: list[str] = []
    if isinstance(data, Judgements):
        human = human_scores(data, rates=False)
        scores = human.scores
        notes += [*map(str, human.exclusions), *human.notices]
    else:
        scores = {name: preference_scores(data, name) for name in data.in_phase("main").criteria}
    references = max((len(segment.references) for segment in test_set), default=0)
    write_metrics_eval(
        target,
        MetricsEvalSet(
            f"{test_set.source_language}-{test_set.target_language}", test_set, tuple(runs),
            tuple(f"ref{_LETTERS[place]}" for place in range(references)),
            {name: _among(one, test_set) for name, one in scores.items()},
            human_systems={name: _of_runs(one, runs) for name, one in scores.items()},
        ),
    )  # fmt: skip
    notes.append("the folder holds one score per output: single evaluators are not kept")
    return notes + [note for one in scores.values() for note in _changed_means(one)]


def check_target(target: str, *, overwrite: bool) -> None:
    """Refuse a file that exists, and a folder with something in it."""
    path = Path(target)
    if overwrite:
        return
    if path.is_file():
        raise UsageError(f"{target} exists; --overwrite writes over it")
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"the folder {target} is not empty; --overwrite writes over its files")


def _changed_means(scores: Scores) -> list[str]:
    """Says where the mean of what the folder holds is not the score that patmark gives."""
    segments = scores.segment_scores
    known = ~np.isnan(segments)
    judged = known.any(axis=1)
    means = np.where(known, segments, 0).sum(axis=1)[judged] / known.sum(axis=1)[judged]
    gap = float(np.abs(means - scores.system_scores[judged]).max(initial=0))
    if gap < _ROUNDING:
        return []
    return [
        f"{scores.measure}: segments do not all rest on as many comparisons, so the mean of a "
        f"system's .seg.score differs from patmark's score, which .sys.score holds, by up to "
        f"{gap:.4f}"
    ]


def _to_pearmut(
    data: Judgements | Preferences, target: str, test_set: TestSet, runs: Sequence[Run]
) -> list[str]:
    if isinstance(data, Preferences):
        raise UsageError("a Pearmut campaign of choices between two outputs cannot be written")
    scales = [data.scale(criterion) for criterion in data.criteria]
    write_pearmut_campaign(
        target, test_set, runs, campaign=Path(target).stem, people=len(data.evaluators),
        scales=scales,
    )  # fmt: skip
    return ["the campaign holds texts and criteria to judge; the judgements are not part of it"]


def _of_runs(scores: Scores, runs: Sequence[Run]) -> FloatArray:
    """The scores of systems in the order of the runs, NaN for those that nobody judged."""
    found = dict(zip(scores.systems, scores.system_scores, strict=True))
    return np.array([found.get(run.system, np.nan) for run in runs])


def _among(scores: Scores, test_set: TestSet) -> Scores:
    """The same scores among all segments of a test set."""
    ids = tuple(segment.id for segment in test_set)
    place = {name: column for column, name in enumerate(ids)}
    statistics = np.zeros((len(scores.systems), len(ids), scores.statistics.shape[-1]))
    statistics[:, [place[name] for name in scores.segments]] = scores.statistics
    return replace(scores, segments=ids, statistics=statistics)
