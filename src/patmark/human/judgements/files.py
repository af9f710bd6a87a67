"""Judgement files read together, such as one for each evaluator."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

from patmark.data import (
    STREAM,
    AnnotatedTexts,
    Annotations,
    FilePath,
    RepeatedMarks,
    TestSet,
    check_stdin_once,
    json_object,
    read_annotations,
    read_lines,
    shown,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import ESA, MQM, Weights, fitting_weights, points_lost
from patmark.human.judgements.checks import Known, check_judgements, check_preferences
from patmark.human.judgements.formats.appraise import ITEM_PHASES, read_appraise
from patmark.human.judgements.formats.campaign_jsonl import (
    SCORE_CRITERIA,
    grade_text,
    read_campaign_jsonl,
)
from patmark.human.judgements.formats.csv import (
    JUDGEMENT_COLUMNS,
    PREFERENCE_COLUMNS,
    read_judgement_csv,
    read_preference_csv,
)
from patmark.human.judgements.formats.label_studio import read_label_studio
from patmark.human.judgements.formats.pearmut import read_pearmut
from patmark.human.judgements.formats.reading import Collected, Reading
from patmark.human.judgements.formats.wmt_esa import ESA_SPANS, SCORES, read_wmt_esa
from patmark.human.judgements.formats.wmt_mqm import is_wmt_header, read_wmt_mqm
from patmark.human.judgements.model import (
    BUILT_IN_SCALES,
    Judgement,
    Judgements,
    Preference,
    Preferences,
    Scale,
)
from patmark.wording import setting

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
                cast("Any", format),
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


Format: TypeAlias = Literal[
    "csv", "preferences", "jsonl", "label-studio", "pearmut", "appraise", "annotations", "wmt-mqm",
    "wmt-esa",
]  # fmt: skip


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
    format: Format | None = None,
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
    return reader(path, Known.of(scales, systems, test_set, repeated_marks))


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
