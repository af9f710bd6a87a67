"""Appraise scores: the CSV that ``manage.py ExportSystemScoresToCSV`` prints.

It has no header. The columns are user, system, segment, item type, source language, target
language, score from 0 to 100; then, for tasks on documents, document and whether the score is for
the whole document (and error spans); then times and batch numbers, which are not read.

Scores get the criterion ``da``. Items of type TGT are judgements; CHK (shown again) has the phase
``repeat``; BAD (damaged on purpose) and REF (the reference instead of the output) have the phase
``check``. Appraise itself counts CHK in its system scores; patmark does not. Scores of whole
documents are left aside and counted.
"""

from __future__ import annotations

from patmark.data import CsvRecord, FilePath, counted, read_csv_records
from patmark.errors import Problem
from patmark.judgements.checks import Known
from patmark.judgements.formats.reading import Collected, Reading
from patmark.judgements.model import Judgement, Phase

ITEM_PHASES: dict[str, Phase] = {"TGT": "main", "CHK": "repeat", "BAD": "check", "REF": "check"}
_COLUMNS = 7
_MOST_COLUMNS = 14
_FLAGS = {"True": True, "False": False}


def read_appraise(path: FilePath, known: Known) -> Reading:
    """Judgements from the scores that Appraise exports."""
    collected = Collected.of(path, known)
    whole_documents = 0
    for record in read_csv_records(path, foreign=True):
        if problem := _problem(record):
            collected.problems.append(Problem(problem, collected.path, record.line))
            continue
        user, system, segment, item_type, _, _, score = record.fields[:_COLUMNS]
        flag = record.fields[8] if len(record.fields) > 8 else ""
        if _FLAGS.get(flag):
            whole_documents += 1
            continue
        collected.judgements.append(
            Judgement(
                evaluator=user,
                system=system,
                segment=segment,
                criterion="da",
                value=score,
                document=record.fields[7] or None if flag in _FLAGS else None,
                phase=ITEM_PHASES[item_type],
                line=record.line,
            )
        )
    collected.note(whole_documents, "score", "of whole documents left aside")
    return collected.reading("Appraise CSV")


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
