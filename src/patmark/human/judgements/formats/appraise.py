"""Appraise scores: the CSV of ``manage.py ExportSystemScoresToCSV``.

It has no header. The columns are user, system, segment, item type, source language, target
language, score from 0 to 100. For document tasks there follow document, a flag for scores of the
whole document, and error spans as JSON. Times and batch numbers at the end are ignored.

Scores get the criterion ``da``. Items of type TGT are judgements; CHK (shown again) has the phase
``repeat``; BAD (degraded) and REF (the reference instead of the output) have the phase ``check``.
Appraise counts CHK in its system scores; patmark does not. WMT appends ``#dup`` or ``#duplicate``
(shown again) and ``#bad`` to document names, with an optional number; the system may precede it
(``news.12#ONLINE-A#bad2``). The rest is the document. In training, document and system have one
name, such as ``ende-tutorial1``. Scores of whole documents, and of incomplete ones
(``#incomplete``), are skipped and counted.

A file with spans holds error annotations with their scores. It has no texts: spans count UTF-16
units, which are taken for characters.
"""

from __future__ import annotations

import json
import re

from patmark.data import CsvRecord, FilePath, Rating, counted, read_csv_records
from patmark.errors import Problem
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.reading import Collected, Reading
from patmark.human.judgements.formats.wmt_esa import Spans, segment_names
from patmark.human.judgements.model import Judgement, Phase, parse_number

ITEM_PHASES: dict[str, Phase] = {"TGT": "main", "CHK": "repeat", "BAD": "check", "REF": "check"}
_COLUMNS = 7
_MOST_COLUMNS = 14
_FLAGS = {"True": True, "False": False}
_ENDING = re.compile(r"#(dup|duplicate|bad|incomplete)\d*$")
_OF_ENDINGS: dict[str, Phase] = {"dup": "repeat", "duplicate": "repeat", "bad": "check"}
_CUT, _TUTORIAL = "incomplete", "-tutorial"
_YEAR = re.compile(r"^wmt\d+\.")
_FLAG, _SPANS = 8, 9


def read_appraise(path: FilePath, known: Known) -> Reading:
    """Read judgements, and marked errors if there are any, from Appraise scores."""
    collected = Collected.of(path, known)
    spans, whole_documents, cut, training = Spans(), 0, 0, 0
    rows: list[tuple[CsvRecord, str, str]] = []
    for record in read_csv_records(path, foreign=True):
        fields = record.fields
        flag = fields[_FLAG] if len(fields) > _FLAG else ""  # tasks without documents have none
        shown = fields[_FLAG - 1] if flag in _FLAGS else ""
        if problem := _problem(record):
            collected.problems.append(Problem(problem, collected.path, record.line))
        elif _FLAGS.get(flag):
            whole_documents += 1
        elif _ending(shown) == _CUT:
            cut += 1
        else:
            given = fields[_SPANS] if flag in _FLAGS and len(fields) > _SPANS else ""
            rows.append((record, shown, given if given.startswith("[") else ""))
    names = segment_names((_place(record) for record, _, _ in rows), collected)
    marked = any(given not in ("", "[]") for _, _, given in rows)
    for record, shown, given in rows:
        user, system, _, item_type, _, _, score = record.fields[:_COLUMNS]
        segment = names[_place(record)]
        phase = _phase(shown, system, ITEM_PHASES[item_type])
        training += phase == "training"
        document = _ENDING.sub("", shown).removesuffix(f"#{_YEAR.sub('', system)}") or None
        collected.judgements.append(
            Judgement(user, system, segment, "da", score, document, phase=phase, line=record.line)
        )
        if marked and phase == "main":
            rating = Rating(system, segment, user, parse_number(score), document)
            collected.ratings[rating.key] = rating
            collected.marks += spans.marks(rating.key, _read_spans(given), None)
            collected.problems += [
                Problem(message, collected.path, record.line) for message in spans.problems
            ]
            spans.problems.clear()
    collected.note(whole_documents, "score", "of whole documents left aside")
    collected.note(cut, "score", "of documents that were cut left aside")
    collected.note(training, "score", "of tutorials taken for training, not for results")
    spans.note(collected)
    if marked:
        collected.notes.append("places of marks count UTF-16 units; the file has no texts")
    return collected.reading("Appraise CSV")


def _ending(shown: str) -> str:
    match = _ENDING.search(shown)
    return match[1] if match else ""


def _place(record: CsvRecord) -> tuple[str, str]:
    return f"{record.fields[4]}-{record.fields[5]}", record.fields[2]


def _phase(shown: str, system: str, of_item: Phase) -> Phase:
    if _TUTORIAL in shown and shown == system:
        return "training"
    return _OF_ENDINGS.get(_ending(shown), of_item) if of_item == "main" else of_item


def _read_spans(text: str) -> object:
    """Return the spans of a row; invalid JSON is returned unchanged and reported later."""
    try:
        return json.loads(text) if text else []
    except ValueError:
        return text


def _problem(record: CsvRecord) -> str | None:
    if not _COLUMNS <= len(record.fields) <= _MOST_COLUMNS:
        return (
            "expected user, system, segment, item type, source language, target language, score "
            f"and at most {_MOST_COLUMNS - _COLUMNS} more fields, found "
            f"{counted(len(record.fields), 'field')}"
        )
    if record.fields[3] not in ITEM_PHASES:
        return f"item type: expected one of {', '.join(ITEM_PHASES)}, found {record.fields[3]!r}"
    return None
