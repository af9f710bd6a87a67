"""Judgement files: detected, read together, such as one for each evaluator, and converted."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from patmark.data import (
    STREAM,
    AnnotatedTexts,
    Annotations,
    FilePath,
    FloatArray,
    RepeatedMarks,
    Run,
    Scores,
    TestSet,
    check_stdin_once,
    counted,
    json_object,
    read_annotations,
    read_lines,
    shown,
    write_annotations,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import ESA, MQM, Weights, fitting_weights, points_lost
from patmark.human.judgements.checks import Known, check_judgements, check_preferences
from patmark.human.judgements.formats.appraise import ITEM_PHASES, read_appraise
from patmark.human.judgements.formats.campaign_jsonl import (
    SCORE_CRITERIA,
    grade_text,
    read_campaign_jsonl,
    write_campaign_jsonl,
)
from patmark.human.judgements.formats.csv import (
    JUDGEMENT_COLUMNS,
    PREFERENCE_COLUMNS,
    read_judgement_csv,
    read_preference_csv,
    write_judgement_csv,
    write_preference_csv,
)
from patmark.human.judgements.formats.label_studio import read_label_studio, write_label_studio
from patmark.human.judgements.formats.mt_metrics_eval import (
    MetricsEvalSet,
    with_plain_names,
    write_metrics_eval,
)
from patmark.human.judgements.formats.pearmut import (
    read_pearmut,
    write_pearmut_annotations,
    write_pearmut_campaign,
)
from patmark.human.judgements.formats.reading import Collected, Reading
from patmark.human.judgements.formats.wmt_esa import ESA_SPANS, SCORES, read_wmt_esa
from patmark.human.judgements.formats.wmt_mqm import is_wmt_header, read_wmt_mqm, write_wmt_mqm
from patmark.human.judgements.model import (
    BUILT_IN_SCALES,
    Judgement,
    Judgements,
    Preference,
    Preferences,
    Scale,
    known_scales,
)
from patmark.human.judgements.scores import human_scores, preference_scores, scores_among
from patmark.languages import language_pair
from patmark.report import message_texts
from patmark.wording import setting, tr

_Row = TypeVar("_Row", Judgement, Preference)


@dataclass(frozen=True, slots=True)
class HumanData:
    """Judgements, preferences and annotations of all files, and notes of their readers.

    Error annotations are also converted to judgements by ``weights``.
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
    repeated_marks: RepeatedMarks = "once",
) -> HumanData:
    """Read judgements, preferences and annotations of files; report every problem.

    Without ``weights``, those that fit the annotated errors are used. ``repeated_marks`` is the
    rule for repeated errors.
    """
    check_stdin_once(paths)
    scales = tuple(scales)
    readings: list[tuple[str, Reading]] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            reading = read_judgements(
                path,
                format,
                scales=scales,
                systems=systems,
                test_set=test_set,
                repeated_marks=repeated_marks,
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
        graded.append((", ".join(path for path, one in readings if one.annotations), tuple(marked)))
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
    """Return the scale of grades from annotated errors, including its weights."""
    return replace(BUILT_IN_SCALES[MQM], origin=f"weights:{weights.name}")


def mark_judgements(
    annotations: Annotations, weights: Weights, graded: Collection[str] = ()
) -> list[Judgement]:
    """Convert annotated errors to judgements, so that systems can be ranked by them.

    An output has the grade ``mqm``, minus the points of its errors, and ``esa``, the grade from 0
    to 100 given with them, unless ``graded``, the criteria of the files, contain it. If a grade was
    asked for, it comes first.
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
    sources = {one.id: one.source for one in test_set or () if one.source is not None}
    targets: dict[tuple[str, str], str] = {}
    for one in held:
        sources |= one.sources
        targets |= one.targets
    return AnnotatedTexts(sources, targets) if held else None


def _doubles(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> list[Problem]:
    """Find judgements that occur in two files; duplicates within one are found on reading."""
    first: dict[tuple[str, ...], Problem] = {}
    problems = []
    for path, rows in files:
        for row in rows:
            place = Problem("", path, row.line)
            earlier = first.setdefault(row.key, place)
            if earlier is not place:
                message = f"{row.description}, already in {earlier.path}:{earlier.line}"
                problems.append(Problem(message, path, row.line))
    return problems


def _joined(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> list[_Row]:
    return [row for _, rows in files for row in rows]


def _names(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> str:
    return ", ".join(path for path, _ in files)


def read_annotation_jsonl(path: FilePath, known: Known) -> Reading:
    """Read an error annotation file in patmark's own format."""
    found = read_annotations(path, known.repeated_marks)
    collected = Collected.of(path, known)
    collected.ratings = {one.key: one for one in found.rated}
    collected.marks = list(found.all_marks)
    collected.sources = dict(found.texts.sources)
    collected.targets = dict(found.texts.targets)
    return collected.reading("annotation JSONL")


_READERS: dict[str, Callable[[FilePath, Known], Reading]] = {
    "csv": read_judgement_csv,
    "preferences": read_preference_csv,
    "jsonl": read_campaign_jsonl,
    "label-studio": read_label_studio,
    "pearmut": read_pearmut,
    "appraise": read_appraise,
    "annotations": read_annotation_jsonl,
    "wmt-mqm": read_wmt_mqm,
    "wmt-esa": read_wmt_esa,
}
FORMATS = tuple(_READERS)


def read_judgements(
    path: FilePath,
    format: str | None = None,
    *,
    scales: Iterable[Scale] = (),
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
    repeated_marks: RepeatedMarks = "once",
) -> Reading:
    """Read judgements or preferences; ``Reading.format`` is the detected format.

    ``scales`` declares criteria that are not built in, or other grades for a built-in one.
    ``systems`` and ``test_set``, if given, are the only names that may occur.
    """
    if repeated_marks not in get_args(RepeatedMarks):
        known = " or ".join(get_args(RepeatedMarks))
        raise UsageError(f"{setting('repeated_marks', repeated_marks)}: expected {known}")
    if format is not None and format not in _READERS:
        raise UsageError(f"the form {format!r} is unknown; choose from {', '.join(FORMATS)}")
    if format is None and str(path) == STREAM:
        raise UsageError(
            f"name the form of standard input with {setting('format')}: one of {', '.join(FORMATS)}"
        )
    reader = _READERS[format or guessed_format(path)]
    return reader(path, Known(known_scales(scales), systems, test_set, repeated_marks))


def guessed_format(path: FilePath) -> str:
    """Return the format of a file, from its first nonblank line."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("["):
        return "label-studio"
    if first.lstrip().startswith("{"):
        return _format_of_object(_fields(first) or _fields("\n".join(lines)))
    if is_wmt_header(first):
        return "wmt-mqm"
    try:
        fields = next(csv.reader([first]))
    except csv.Error:  # a line break of old Macs, or a field of more than 131,072 characters
        fields = []
    if len(fields) >= 7 and fields[3] in ITEM_PHASES:
        return "appraise"
    if {"first", "second", "winner"} & set(fields):
        return "preferences"
    if set(JUDGEMENT_COLUMNS) & set(fields):
        return "csv"
    raise InputError.at(
        f"is in no known form: expected a header {','.join(JUDGEMENT_COLUMNS)} or "
        f"{','.join(PREFERENCE_COLUMNS)}, or one of {', '.join(FORMATS)}",
        shown(path),
        1,
    )


def _fields(text: str) -> dict[str, Any]:
    try:
        return json_object(text)
    except ValueError:
        return {}


def _format_of_object(fields: dict[str, Any]) -> str:
    """Distinguish WMT ratings, Pearmut entries and patmark annotations from campaign answers.

    Pearmut has a log, and a download of lists. A campaign answer may contain marks.
    """
    if ESA_SPANS in fields or {SCORES, "tgt_text"} <= set(fields):
        return "wmt-esa"
    if "annotation" in fields or (fields and all(isinstance(one, list) for one in fields.values())):
        return "pearmut"
    return "annotations" if {"rated", "side"} & set(fields) else "jsonl"


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
