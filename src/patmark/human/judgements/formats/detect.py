"""One entry point for all judgement formats, detected by content or named by the user."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal, TypeAlias, get_args

from patmark.data import (
    STREAM,
    FilePath,
    RepeatedMarks,
    TestSet,
    json_object,
    read_annotations,
    read_lines,
    shown,
)
from patmark.errors import InputError, UsageError
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.appraise import ITEM_PHASES, read_appraise
from patmark.human.judgements.formats.campaign_jsonl import read_campaign_jsonl
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
from patmark.human.judgements.model import Scale
from patmark.wording import setting

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
    """Return the fields of a JSON object; none for other values."""
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
