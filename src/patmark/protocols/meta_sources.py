"""Where the scores of a meta-evaluation come from: the form of a file is told by its content."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from patmark.data import read_lines, read_score_table
from patmark.evaluation import FORMAT, Source, is_parquet, read_scores, scores_source, table_source
from patmark.human import Scale, human_scores, preference_scores
from patmark.protocols.human_files import HumanData, read_human_files
from patmark.protocols.meta_folder import folder_sources


def read_sources(
    paths: Sequence[str],
    lower_is_better: Collection[str] = (),
    pair: str | None = None,
    scales: Sequence[Scale] = (),
    *,
    whole_segments: bool = True,
) -> list[Source]:
    """The scores of all files: score tables, saved scores, judgements, MT-metrics-eval folders.

    Files of judgements are read together, because each evaluator may hand in one. ``pair`` names
    the language pair of a folder; ``scales`` and ``whole_segments`` are about judgements.
    """
    sources: list[Source] = []
    judged: list[str] = []
    for path in paths:
        form = _form(path)
        if form == "folder":
            sources += folder_sources(path, pair, lower_is_better)
        elif form == "saved":
            saved = read_scores(path)
            sources.append(scores_source(path, saved.scores, saved.documents))
        elif form == "table":
            sources.append(table_source(read_score_table(path), lower_is_better))
        else:
            judged.append(path)
    if judged:
        data = read_human_files(judged, scales=scales)
        sources += _judged_sources(data, whole_segments)
    return sources


def _form(path: str) -> str:
    if Path(path).is_dir():
        return "folder"
    if is_parquet(path):
        return "saved"
    first = read_lines(path)[0]
    if first.lstrip().startswith("{") and f'"{FORMAT}"' in first:
        return "saved"
    if {"measure", "value"} <= {name.strip() for name in first.split(",")}:
        return "table"
    return "judgements"


def _judged_sources(data: HumanData, whole_segments: bool) -> Iterator[Source]:
    if data.judgements is not None:
        found = human_scores(data.judgements, rates=False, whole_segments=whole_segments)
        said = (*data.notes, *map(str, found.exclusions), *found.notices)
        name = data.judgements.name
        yield scores_source(name, found.scores, found.documents, notes=said, human=True)
    if data.preferences is not None:
        scores = preference_scores(data.preferences)
        yield scores_source(
            data.preferences.name, {scores.measure: scores}, data.preferences.documents, human=True
        )
