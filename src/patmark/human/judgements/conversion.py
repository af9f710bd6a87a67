"""Conversion of judgements and error annotations into other formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from patmark.data import (
    AnnotatedTexts,
    Annotations,
    FilePath,
    FloatArray,
    Run,
    Scores,
    TestSet,
    counted,
    write_annotations,
)
from patmark.errors import UsageError
from patmark.human.judgements.files import HumanData
from patmark.human.judgements.formats.campaign_jsonl import (
    write_campaign_jsonl,
)
from patmark.human.judgements.formats.csv import write_judgement_csv, write_preference_csv
from patmark.human.judgements.formats.label_studio import write_label_studio
from patmark.human.judgements.formats.mt_metrics_eval import (
    MetricsEvalSet,
    with_plain_names,
    write_metrics_eval,
)
from patmark.human.judgements.formats.pearmut import (
    write_pearmut_annotations,
    write_pearmut_campaign,
)
from patmark.human.judgements.formats.wmt_mqm import write_wmt_mqm
from patmark.human.judgements.model import (
    Judgements,
    Preferences,
)
from patmark.human.judgements.scores import human_scores, preference_scores, scores_among
from patmark.languages import language_pair
from patmark.report import message_texts
from patmark.wording import setting, tr

_ANNOTATION_WRITERS: Mapping[str, Callable[[FilePath, Annotations, AnnotatedTexts], None]] = {
    "annotations": write_annotations,
    "wmt-mqm": write_wmt_mqm,
    "label-studio": write_label_studio,
    "pearmut-log": write_pearmut_annotations,
}
ANNOTATION_TARGETS = tuple(_ANNOTATION_WRITERS)
_ROUNDING = 1e-9
_PAIR = "ja-en"  # an example
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def convert_rows(data: Judgements | Preferences, format: str, target: str) -> None:
    """Write the judgements, as csv or jsonl."""
    if format == "jsonl":
        write_campaign_jsonl(target, data)
    elif isinstance(data, Judgements):
        write_judgement_csv(target, data)
    else:
        write_preference_csv(target, data)


def convert_with_texts(
    data: Judgements | Preferences, format: str, target: str, test_set: TestSet, runs: Sequence[Run]
) -> list[str]:
    """Write texts with scores (mt-metrics-eval) or to be judged (pearmut); report lost content."""
    if format == "pearmut":
        return _to_pearmut(data, target, test_set, runs)
    if test_set.source_language is None:
        raise UsageError(
            "mt-metrics-eval is kept by language pair: say "
            f"{setting('lang', _PAIR)}, not {setting('lang', language_pair(_PAIR)[1])}"
        )
    notes: list[str] = []
    if isinstance(data, Judgements):
        human = human_scores(data, rates=False)
        scores = human.scores
        notes += [*map(str, human.exclusions), *message_texts(human.notices)]
    else:
        scores = {name: preference_scores(data, name) for name in data.in_phase("main").criteria}
    ids = [segment.id for segment in test_set]
    references = max((len(segment.references) for segment in test_set), default=0)
    held, renamed = with_plain_names(
        MetricsEvalSet(
            f"{test_set.source_language}-{test_set.target_language}",
            test_set,
            tuple(runs),
            tuple(f"ref{_LETTERS[place]}" for place in range(references)),
            {name: scores_among(one, one.systems, ids) for name, one in scores.items()},
            human_systems={name: _of_runs(one, runs) for name, one in scores.items()},
        ),
    )
    write_metrics_eval(target, held)
    notes += renamed
    notes.append(tr("the folder holds one score per output: single evaluators are not kept"))
    return notes + [note for one in scores.values() for note in _changed_means(one)]


def convert_annotations(
    data: HumanData, format: str, target: str, texts: AnnotatedTexts | None = None
) -> list[str]:
    """Write error annotations in one of ``ANNOTATION_TARGETS``; report what is lost.

    ``texts`` are the annotated ones, if the file does not contain them.
    """
    annotations, texts = data.annotations, texts or data.texts or AnnotatedTexts()
    if annotations is None:
        raise UsageError(f"{data.name} holds no error annotations")
    if format != "annotations" and not texts.targets:
        raise UsageError(
            f"{format} holds the annotated texts, and the file does not: give them as patmark "
            f"score takes them ({', '.join(map(setting, ('testset', 'src', 'hyp', 'lang')))})"
        )
    return write_marks(annotations, format, target, texts)


def write_marks(
    annotations: Annotations, format: str, target: FilePath, texts: AnnotatedTexts
) -> list[str]:
    """Write error annotations in one of ``ANNOTATION_TARGETS``; report what is lost."""
    _ANNOTATION_WRITERS[format](target, annotations, texts)
    if format == "annotations" or not annotations.deleted:
        return []
    gone = counted(len(annotations.deleted), "proposed mark")
    return [f"{format} has no place for what was deleted: {gone} left out"]


def check_target(target: str, *, overwrite: bool) -> None:
    """Refuse an existing file, and a folder that is not empty."""
    path = Path(target)
    if overwrite:
        return
    if path.is_file():
        raise UsageError(f"{target} exists; {setting('overwrite')} writes over it")
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(
            f"the folder {target} is not empty; {setting('overwrite')} writes over its files"
        )


def _changed_means(scores: Scores) -> list[str]:
    """Return notes on differences between means of the folder and patmark's scores."""
    segments = scores.segment_scores
    known = ~np.isnan(segments)
    judged = known.any(axis=1)
    means = np.where(known, segments, 0).sum(axis=1)[judged] / known.sum(axis=1)[judged]
    gap = float(np.abs(means - scores.system_scores[judged]).max(initial=0))
    if gap < _ROUNDING:
        return []
    return [
        tr(
            "{measure}: segments do not all rest on as many comparisons, so the mean of a "
            "system's .seg.score differs from patmark's score, which .sys.score holds, by "
            "up to {gap:.4f}",
            measure=scores.measure,
            gap=gap,
        )
    ]


def _to_pearmut(
    data: Judgements | Preferences, target: str, test_set: TestSet, runs: Sequence[Run]
) -> list[str]:
    if isinstance(data, Preferences):
        raise UsageError("a Pearmut campaign of choices between two outputs cannot be written")
    scales = [data.scale(criterion) for criterion in data.criteria]
    write_pearmut_campaign(
        target,
        test_set,
        runs,
        campaign=Path(target).stem,
        people=len(data.evaluators),
        scales=scales,
    )
    return [tr("the campaign holds texts and criteria to judge; the judgements are not part of it")]


def _of_runs(scores: Scores, runs: Sequence[Run]) -> FloatArray:
    found = dict(zip(scores.systems, scores.system_scores, strict=True))
    return np.array([found.get(run.system, np.nan) for run in runs])
