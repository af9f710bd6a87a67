"""Filters by scores: of a sentence encoder, and of Bicleaner in a file.

Scores are computed or read once; another threshold needs neither again.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from patmark.collections.corpus.build.settings import FilterSettings
from patmark.collections.corpus.near_duplicates import exact_key
from patmark.data import iter_byte_lines
from patmark.engine import Dataset, Place, Relation, StepRunner, View, write_rows
from patmark.errors import InputError, Problem

SCORES = ("encoder", "encoder_score", "bicleaner", "bicleaner_score")
"""Settings that the check of the rules does not depend on."""
BICLEANER_SCHEMA = {"source_key": "string", "target_key": "string", "score": "float64"}
_COLUMNS = ("place", "left_out", "source", "target")
_MOST_PROBLEMS = 20
# Bicleaner writes its score behind the columns that it read: two URLs and two texts, or the texts
_TEXT_COLUMNS = {3: (0, 1), 5: (2, 3)}
_LOW = "CASE WHEN {table}.score < CAST({least!r} AS DOUBLE) THEN ' {name}' ELSE '' END"
_SCORED = """
SELECT place, source_key, target_key, TRIM(reasons) AS reasons,
       CASE WHEN left_out = '' AND TRIM(reasons) <> '' THEN 'filter' ELSE left_out END AS left_out
FROM (
  SELECT c.place, c.source_key, c.target_key, c.left_out,
         CONCAT(c.reasons, {low}) AS reasons
  FROM ruled_pairs c
  {joins}
) s
"""
_ENCODER_JOIN = "LEFT JOIN encoded_pairs e ON e.place = c.place AND c.left_out <> 'cut'"
_BICLEANER_JOIN = """
  LEFT JOIN (
    SELECT source_key, target_key, MAX(score) AS score FROM bicleaner_pairs
    GROUP BY source_key, target_key
  ) b ON b.source_key = c.source_key AND b.target_key = c.target_key AND c.source_key <> ''
"""


def scored_checks(
    steps: StepRunner, ranked: Dataset, ruled: Dataset, filters: FilterSettings
) -> Relation:
    """Return the checks of the rules, with the reasons that scores add."""
    tables: dict[str, Relation] = {"ruled_pairs": ruled}
    low, joins = [], []
    if filters.encoder:
        tables["encoded_pairs"] = _encoded(steps, ranked, filters)
        joins.append(_ENCODER_JOIN)
        low.append(_LOW.format(table="e", least=filters.encoder_score, name="encoder"))
    if filters.bicleaner:
        tables["bicleaner_pairs"] = _bicleaner(steps, Path(filters.bicleaner))
        joins.append(_BICLEANER_JOIN)
        low.append(_LOW.format(table="b", least=filters.bicleaner_score, name="bicleaner"))
    if not low:
        return ruled
    return View(_SCORED.format(low=", ".join(low), joins="\n".join(joins)), tables)


def _encoded(steps: StepRunner, ranked: Dataset, filters: FilterSettings) -> Dataset:
    from patmark.collections.corpus.build.encoder_scores import (  # loads torch
        ENCODER_SCHEMA,
        encoder_signature,
        score_pairs,
    )

    languages = (filters.source_language, filters.target_language)
    score = partial(score_pairs, filters.encoder, languages)
    given = {"encoder": encoder_signature(filters.encoder), "languages": languages}
    return steps.map("encoded", score, ranked, ENCODER_SCHEMA, given, columns=_COLUMNS)


def _bicleaner(steps: StepRunner, path: Path) -> Dataset:
    content = hashlib.sha256(path.read_bytes()).hexdigest()

    def make(output: Place) -> None:
        write_rows(output, read_bicleaner(path), BICLEANER_SCHEMA)

    return steps.step("bicleaner_read", make, settings={"content": content})


def read_bicleaner(path: Path) -> Iterator[dict[str, Any]]:
    """Yield texts, as keys, and scores of Bicleaner: tab-separated source, target, score.

    Two columns before the texts (URLs) are ignored. All problems are reported at the end.
    """
    problems: list[Problem] = []
    for number, raw in iter_byte_lines(path):
        line = raw.decode("utf-8", "replace")
        cells = line.split("\t")
        texts = _TEXT_COLUMNS.get(len(cells))
        score = _score(cells[-1])
        if texts is None or score is None:
            if number == 1 and texts:
                continue  # a header
            expected = "expected source, target and a score from 0 to 1, with tabs between"
            problems.append(Problem(f"{expected}; found {line[:60]!r}", str(path), number))
        else:
            source, target = (exact_key(cells[place]) for place in texts)
            yield {"source_key": source, "target_key": target, "score": score}
        if len(problems) >= _MOST_PROBLEMS:
            break
    if problems:
        raise InputError(problems)


def _score(text: str) -> float | None:
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) and 0 <= score <= 1 else None
