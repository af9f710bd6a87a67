"""Files of judgements: several read together, one for each evaluator, or one converted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from patmark.data import (
    AnnotatedTexts,
    Annotations,
    FilePath,
    FloatArray,
    Run,
    Scores,
    TestSet,
    check_stdin_once,
    counted,
    shown,
    write_annotations,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import ESA, MQM, Weights, fitting_weights, points_lost
from patmark.judgements.checks import check_judgements, check_preferences
from patmark.judgements.formats.campaign_jsonl import (
    SCORE_CRITERIA,
    grade_text,
    write_campaign_jsonl,
)
from patmark.judgements.formats.csv import write_judgement_csv, write_preference_csv
from patmark.judgements.formats.detect import read_judgements
from patmark.judgements.formats.label_studio import write_label_studio
from patmark.judgements.formats.mt_metrics_eval import (
    MetricsEvalSet,
    with_plain_names,
    write_metrics_eval,
)
from patmark.judgements.formats.pearmut import (
    write_pearmut_annotations,
    write_pearmut_campaign,
)
from patmark.judgements.formats.reading import Reading
from patmark.judgements.formats.wmt_mqm import write_wmt_mqm
from patmark.judgements.model import (
    BUILT_IN_SCALES,
    Judgement,
    Judgements,
    Preference,
    Preferences,
    Scale,
)
from patmark.judgements.scores import human_scores, preference_scores, scores_among
from patmark.report import message_texts
from patmark.wording import setting, tr

_Row = TypeVar("_Row", Judgement, Preference)
_ANNOTATION_WRITERS: Mapping[str, Callable[[FilePath, Annotations, AnnotatedTexts], None]] = {
    "annotations": write_annotations,
    "wmt-mqm": write_wmt_mqm,
    "label-studio": write_label_studio,
    "pearmut-log": write_pearmut_annotations,
}
ANNOTATION_TARGETS = tuple(_ANNOTATION_WRITERS)
_ROUNDING = 1e-9
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class HumanData:
    """Judgements, preferences and annotations of all files, and notes of their readers.

    Error annotations are among the judgements as well, as grades by ``weights``.
    """

    judgements: Judgements | None
    preferences: Preferences | None
    notes: tuple[str, ...] = ()
    annotations: Annotations | None = None
    texts: AnnotatedTexts | None = None
    weights: Weights | None = None

    @property
    def name(self) -> str:
        """The files."""
        found = (self.judgements, self.preferences)
        return ", ".join(dict.fromkeys(one.name for one in found if one is not None))


def read_human_files(
    paths: Sequence[FilePath],
    format: str | None = None,
    *,
    scales: Iterable[Scale] = (),
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
    weights: Weights | None = None,
) -> HumanData:
    """Read judgements, preferences and annotations of files; every problem is reported.

    Without ``weights``, those that fit the annotated errors are taken.
    """
    check_stdin_once(paths)
    scales = tuple(scales)
    readings: list[tuple[str, Reading]] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            reading = read_judgements(
                path, cast("Any", format), scales=scales, systems=systems, test_set=test_set
            )
            readings.append((shown(path), reading))
        except InputError as error:
            problems += error.problems
    graded = [(path, one.judgements.rows) for path, one in readings if one.judgements]
    annotations = _annotations([(path, one) for path, one in readings], problems)
    if annotations is not None:
        weights = weights or fitting_weights(annotations)
        known = {row.criterion for _, rows in graded for row in rows}
        marked = mark_judgements(annotations, weights, known)
        graded.append((_annotated(readings), tuple(marked)))
        scales = (*scales, mark_scale(weights))
    chosen = [(path, one.preferences.rows) for path, one in readings if one.preferences]
    problems += [*_doubles(graded), *_doubles(chosen)]
    if problems:
        raise InputError(problems)
    return HumanData(
        check_judgements(
            _joined(graded),
            name=_names(graded),
            scales=scales,
            systems=systems,
            test_set=test_set,
        )
        if graded
        else None,
        check_preferences(_joined(chosen), name=_names(chosen), test_set=test_set)
        if chosen
        else None,
        tuple(f"{path}: {note}" for path, one in readings for note in one.notes),
        annotations,
        _texts([one.texts for _, one in readings if one.texts], test_set),
        weights if annotations is not None else None,
    )


def mark_scale(weights: Weights) -> Scale:
    """Return the scale of the grades that annotated errors give, which tells by which weights."""
    return replace(BUILT_IN_SCALES[MQM], origin=f"weights:{weights.name}")


def mark_judgements(
    annotations: Annotations, weights: Weights, graded: Collection[str] = ()
) -> list[Judgement]:
    """Turn annotated errors into judgements, so that systems can be ranked by them.

    An output has the grade ``mqm``, minus the points of its errors, and ``esa``, that from 0 to 100
    which was given with them, unless ``graded``, the criteria of the files, hold it already. Who
    asked for a grade judges by it: it comes first.
    """
    lost = points_lost(annotations, weights)
    given = not set(SCORE_CRITERIA) & set(graded)
    rows = []
    for one in annotations.rated:
        grades = {ESA: one.score} if one.score is not None and given else {}
        grades[MQM] = 0.0 - lost[one.key]
        rows += [
            Judgement(
                one.evaluator,
                one.system,
                one.segment,
                criterion,
                grade_text(value),
                one.document,
            )
            for criterion, value in grades.items()
        ]
    return rows


def _annotated(readings: Sequence[tuple[str, Reading]]) -> str:
    return ", ".join(path for path, one in readings if one.annotations)


def _annotations(
    readings: Sequence[tuple[str, Reading]], problems: list[Problem]
) -> Annotations | None:
    """Join the annotations of all files; an output rated twice by one person is a problem."""
    found: Annotations | None = None
    for path, reading in readings:
        if reading.annotations is None:
            continue
        try:
            found = reading.annotations if found is None else found.joined(reading.annotations)
        except InputError as error:
            problems += [replace(one, path=path) for one in error.problems]
    return found


def _texts(held: Sequence[AnnotatedTexts], test_set: TestSet | None) -> AnnotatedTexts | None:
    """Return the texts of all files, with sources of the test set where it is given."""
    sources = {one.id: one.source for one in test_set or () if one.source is not None}
    targets: dict[tuple[str, str], str] = {}
    for one in held:
        sources |= one.sources
        targets |= one.targets
    return AnnotatedTexts(sources, targets) if held else None


def _doubles(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> list[Problem]:
    """Find judgements that stand in two files; doubles within one are found on reading."""
    first: dict[tuple[str, ...], Problem] = {}
    problems = []
    for path, rows in files:
        for row in rows:
            place = Problem("", path, row.line)
            earlier = first.setdefault(row.key, place)
            if earlier is not place:
                message = f"{row.said}, already in {earlier.path}:{earlier.line}"
                problems.append(Problem(message, path, row.line))
    return problems


def _joined(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> list[_Row]:
    return [row for _, rows in files for row in rows]


def _names(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> str:
    return ", ".join(path for path, _ in files)


def convert_rows(data: Judgements | Preferences, format: str, target: str) -> None:
    """Write the judgements themselves, as csv or jsonl."""
    if format == "jsonl":
        write_campaign_jsonl(target, data)
    elif isinstance(data, Judgements):
        write_judgement_csv(target, data)
    else:
        write_preference_csv(target, data)


def convert_with_texts(
    data: Judgements | Preferences, format: str, target: str, test_set: TestSet, runs: Sequence[Run]
) -> list[str]:
    """Write texts with scores (mt-metrics-eval) or to be judged (pearmut); says what is lost."""
    if format == "pearmut":
        return _to_pearmut(data, target, test_set, runs)
    if test_set.source_language is None:
        raise UsageError(
            "mt-metrics-eval is kept by language pair: say "
            f"{setting('lang', 'ja-en')}, not {setting('lang', 'en')}"
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
    """Write error annotations of files in one of ``ANNOTATION_TARGETS``; says what is lost.

    ``texts`` are the annotated ones, where the file itself does not hold them.
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
    """Write error annotations in one of ``ANNOTATION_TARGETS``; says what is lost."""
    _ANNOTATION_WRITERS[format](target, annotations, texts)
    if format == "annotations" or not annotations.deleted:
        return []
    gone = counted(len(annotations.deleted), "proposed mark")
    return [f"{format} has no place for what was deleted: {gone} left out"]


def check_target(target: str, *, overwrite: bool) -> None:
    """Refuse a file that exists, and a folder with something in it."""
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
    """Say by how much means of the folder differ from the scores that patmark gives."""
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
    """Return the scores of systems in the order of the runs, NaN for those that nobody judged."""
    found = dict(zip(scores.systems, scores.system_scores, strict=True))
    return np.array([found.get(run.system, np.nan) for run in runs])
