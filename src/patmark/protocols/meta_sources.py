"""Where the scores of a meta-evaluation come from: the form of a file is told by its content."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from patmark.data import Scores, read_lines
from patmark.data.score_table import read_score_table
from patmark.errors import UsageError
from patmark.human import (
    Judgements,
    human_scores,
    preference_scores,
    read_judgements,
    read_metrics_eval,
)
from patmark.protocols.meta_panel import Source, scores_source, table_source
from patmark.protocols.saved_scores import FORMAT, read_scores


def read_sources(
    path: str, lower_is_better: Collection[str] = (), pair: str | None = None
) -> Iterator[Source]:
    """The scores in a file: a score table, saved scores or judgements; or in a folder.

    A folder has the layout of MT-metrics-eval, of which ``pair`` names the language pair.
    """
    if Path(path).is_dir():
        if pair is None:
            raise UsageError(f"{path} is a folder; name its language pair, such as --lang ja-en")
        whole = read_metrics_eval(path, pair)
        for scores in (whole.human, whole.metrics):
            if scores:
                yield scores_source(path, scores, whole.test_set.documents, notes=whole.notes)
        return
    first = read_lines(path)[0]
    if first.lstrip().startswith("{") and f'"{FORMAT}"' in first:
        saved = read_scores(path)
        yield scores_source(path, saved.scores, saved.documents)
    elif {"measure", "value"} <= {name.strip() for name in first.split(",")}:
        yield table_source(read_score_table(path), lower_is_better)
    else:
        yield from _judged(path)


def _judged(path: str) -> Iterator[Source]:
    reading = read_judgements(path)
    if reading.judgements is not None:
        yield _judgement_source(path, reading.judgements, reading.notes)
    if reading.preferences is not None:
        scores = preference_scores(reading.preferences)
        named: Mapping[str, Scores] = {scores.measure: scores}
        yield scores_source(path, named, reading.preferences.documents, notes=reading.notes)


def _judgement_source(path: str, judgements: Judgements, notes: tuple[str, ...]) -> Source:
    found = human_scores(judgements)
    said = (*notes, *map(str, found.exclusions), *found.notices)
    return scores_source(path, found.scores, found.documents, notes=said)
