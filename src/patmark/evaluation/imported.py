"""External scores as measures: ``NAME=FILE``, or ``NAME=command:…`` for a program."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from patmark.data import (
    FilePath,
    ScoreTable,
    check_stdin_once,
    read_score_table,
    shown,
    split_name,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.score_files import is_saved, read_scores
from patmark.measures import Measure, find_measure
from patmark.wording import setting

_FORM = "NAME=FILE or NAME=command:PROGRAM"


def names_import(argument: str) -> bool:
    """Return True if an argument names a measure and its scores, rather than only a file."""
    return not Path(argument).exists() and split_name(argument)[1] != argument


def imported_paths(arguments: Sequence[str]) -> list[str]:
    """Return the files that arguments name."""
    from patmark.measures import parse_command

    named = [_split(argument) for argument in arguments]
    return [source for _, source in named if parse_command(source) is None]


def read_imported(
    arguments: Sequence[str], lower_is_better: Collection[str] = ()
) -> tuple[Measure, ...]:
    """Return the measures of ``NAME=FILE`` and ``NAME=command:…``.

    Lower is better for those in ``lower_is_better``, and for those known to patmark.
    """
    check_stdin_once(imported_paths(arguments))
    named = [_split(argument) for argument in arguments]
    titles = [title for title, _ in named]
    for title in titles:
        if titles.count(title) > 1:
            raise UsageError(f"{setting('scores')} names {title} twice")
    unknown = sorted(set(lower_is_better) - set(titles))
    if unknown:
        raise UsageError(f"{setting('lower_is_better')}: no scores are imported as {unknown[0]}")
    return tuple(_measure(title, source, title in lower_is_better) for title, source in named)


def imported_scores(arguments: Sequence[str], lower_is_better: Collection[str] = ()) -> Evaluation:
    """Return the scores of files without texts, for the systems that all files have."""
    from patmark.measures import ImportedScores

    measures = []
    for measure in read_imported(arguments, lower_is_better):
        if not isinstance(measure, ImportedScores):
            raise UsageError(f"{measure.name} is the measure of a program, which needs texts")
        if measure.table.systems == ("",):
            raise InputError.at("names no system", measure.table.name)
        measures.append(measure)
    first, *others = [measure.table for measure in measures]
    systems = [one for one in first.systems if all(one in table.systems for table in others)]
    if not systems:
        raise InputError.at(f"has no system that {others[0].name} has too", first.name)
    scores = {one.name: one.aligned(first.segments, systems, first.name) for one in measures}
    return Evaluation(scores=scores, documents=first.documents)


def _split(argument: str) -> tuple[str, str]:
    title, source = split_name(argument)
    if source == argument:
        raise UsageError(f"{setting('scores', argument)}: write {_FORM}")
    if set("(),") & set(title):
        raise UsageError(
            f"{setting('scores', argument)}: brackets and commas are not allowed in a name"
        )
    return title, source


def _measure(title: str, source: str, lower: bool) -> Measure:
    from patmark.measures import ImportedScores, LowerImportedScores, parse_command

    command = parse_command(source)
    if command is not None:
        if lower:
            raise UsageError(
                f"{setting('lower_is_better', title)}: write {title}=command-lower:… instead"
            )
        return replace(command, title=title)  # type: ignore[type-var]
    known = find_measure(title)
    table = _table(source, title)
    lower = lower or (known is not None and not known.higher_is_better)
    kind = LowerImportedScores if lower else ImportedScores
    return kind(title, table, _column(table, title))


def _table(path: FilePath, title: str) -> ScoreTable:
    """Return the scores of a file: saved by patmark, or external."""
    if not is_saved(path):
        return read_score_table(path, title)
    saved = read_scores(path)
    values, lines = {}, {}
    for name, scores in saved.scores.items():
        if scores.as_mean() is not None:
            values[name] = scores.segment_scores
            lines[name] = np.zeros(values[name].shape, dtype=np.int64)
    if not values:
        message = "holds no mean of segments; a comparison of saved scores takes it as it is"
        raise InputError.at(message, shown(path))
    return ScoreTable(
        shown(path), saved.systems, saved.segments, {}, values, {}, saved.documents, lines
    )


def _column(table: ScoreTable, title: str) -> str:
    """Return the name of the scores in the file: the given one, or the only one."""
    known = list(table.of_segments)
    if title in known or len(known) == 1:
        return title if title in known else known[0]
    if not known:
        raise InputError.at("holds scores of whole systems and none of segments", table.name)
    raise InputError.at(f"has no measure {title!r}, but {', '.join(known)}", table.name)
