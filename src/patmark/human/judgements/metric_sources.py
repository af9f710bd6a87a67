"""Sources of a meta-evaluation: score tables, saved scores, judgements, MT-metrics-eval folders.

In a folder, system scores (``.sys.score``) take precedence over means of segments, which differ for
corpus measures such as BLEU.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from patmark.data import (
    STREAM,
    AnnotatedTexts,
    FloatArray,
    RepeatedMarks,
    Scores,
    check_stdin_once,
    is_score_table,
    read_bytes,
    read_score_table,
    shown,
    split_name,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation import (
    Series,
    Source,
    Weights,
    is_saved,
    read_scores,
    scores_source,
    table_source,
    turned_round,
    whole_series,
)
from patmark.human.judgements.files import HumanData, read_human_files
from patmark.human.judgements.formats.mt_metrics_eval import MetricsEvalSet, read_metrics_eval
from patmark.human.judgements.model import Scale
from patmark.human.judgements.scores import human_scores, preference_scores
from patmark.report import clauses, message_texts
from patmark.wording import setting, tr, tr_n

_ROUNDING = 1e-5  # of the largest score; system scores in files are often rounded


def folder_sources(
    path: str, pair: str | None, lower_is_better: Collection[str] = ()
) -> Iterator[Source]:
    """Yield the human and the metric scores of one language pair of a folder."""
    if pair is None:
        raise UsageError(
            f"{path} is a folder; name its language pair, such as {setting('lang', 'ja-en')}"
        )
    whole = read_metrics_eval(path, pair)
    human = _series(whole.human, whole.human_systems)
    systems, references = [run.system for run in whole.runs], _judged_references(whole)
    metrics = {
        name: _of_systems_only(one, systems, references)
        for name, one in _series(whole.metrics, whole.metric_systems).items()
    }
    notes = (*whole.notes, *_origins(whole))
    names, segments = tuple(systems), tuple(segment.id for segment in whole.test_set)
    texts, documents = AnnotatedTexts.of(whole.test_set, whole.runs), whole.test_set.documents
    for series, by_people in ((human, True), (metrics, False)):
        if series:
            turned = {
                name: turned_round(one) if name in lower_is_better else one
                for name, one in series.items()
            }
            yield Source(path, names, segments, documents, turned, {}, notes, by_people, texts)
            notes = ()


def _series(
    of_segments: Mapping[str, Scores], of_systems: Mapping[str, FloatArray]
) -> dict[str, Series]:
    """Return each measure of a folder; segments can be resampled if systems are their means."""
    series = {name: whole_series(scores) for name, scores in of_segments.items()}
    for name, values in of_systems.items():
        means = series.get(name)
        if means is None:
            series[name] = Series(name, values)
            continue
        slack = _ROUNDING * float(np.nanmax(np.abs(values), initial=0.0))
        same = np.allclose(values, means.of_systems, 0.0, slack, equal_nan=True)
        series[name] = replace(means, of_systems=values, scores=means.scores if same else None)
    return series


def _judged_references(whole: MetricsEvalSet) -> dict[str, set[str]]:
    texts = zip(*(segment.references for segment in whole.test_set), strict=True)
    columns = dict(zip(whole.reference_names, texts, strict=True))
    same = {
        run.system: {
            name for name, column in columns.items() if name == run.system or column == run.texts
        }
        for run in whole.runs
    }
    return {system: names for system, names in same.items() if names}


def _of_systems_only(
    series: Series, systems: Sequence[str], references: Mapping[str, set[str]]
) -> Series:
    """Return a metric without scores of its own references; those of others are optional."""
    used = set(series.name.rpartition("-")[2].split("."))
    own = {one for one, names in references.items() if "all" in used or names & used}
    rows = [place for place, system in enumerate(systems) if system in own]
    return replace(series.lacking(rows), optional=frozenset(references))


def _origins(whole: MetricsEvalSet) -> list[str]:
    """Describe the origin of system scores, if it differs between measures."""
    given = [*whole.human_systems, *whole.metric_systems]
    means = [
        *(name for name in whole.human if name not in whole.human_systems),
        *(name for name in whole.metrics if name not in whole.metric_systems),
    ]
    if not given:
        return []
    sources: str = tr("Scores of systems from .sys.score: {names}", names=tuple(given))
    if means:
        sources = clauses(sources, tr("means of .seg.score: {names}", names=tuple(means)))
    return [tr("{note}.", note=sources)]


def files_by_pair(arguments: Sequence[str], lang: str | None = None) -> dict[str, list[str]]:
    """Return the files of each language pair, from PAIR=FILE; those without a pair belong to all.

    ``lang`` also names pairs, separated by commas, such as those of a folder. Without any pair, all
    files belong to one unnamed pair.
    """
    named = [_split_pair(one) for one in arguments]
    pairs = [pair for pair, _ in named if pair]
    pairs += [part.strip() for part in (lang or "").split(",") if part.strip()]
    return {
        pair: [path for own, path in named if own in ("", pair)]
        for pair in dict.fromkeys(pairs or [""])
    }


def _split_pair(argument: str) -> tuple[str, str]:
    """Split an argument into pair and file; a file name with = belongs to all pairs."""
    if os.path.exists(argument):
        return "", argument
    pair, path = split_name(argument)
    return ("", path) if path == argument else (pair, path)


def read_sources(
    paths: Sequence[str],
    lower_is_better: Collection[str] = (),
    pair: str | None = None,
    scales: Sequence[Scale] = (),
    *,
    whole_segments: bool = True,
    weights: Weights | None = None,
    repeated_marks: RepeatedMarks = "once",
) -> list[Source]:
    """Read score tables, saved scores, judgements and MT-metrics-eval folders.

    Judgement files are read together, because each evaluator may submit one. ``pair`` names the
    language pair of a folder; ``scales`` and ``whole_segments`` apply to judgements, ``weights``
    and ``repeated_marks`` to error annotations.
    """
    sources: list[Source] = []
    judged: list[str] = []
    with _readable_twice(paths) as files:
        for path in files:
            if Path(path).is_dir():
                sources += folder_sources(path, pair, lower_is_better)
            elif is_saved(path):
                saved = read_scores(path)
                sources.append(scores_source(path, saved.scores, saved.documents))
            elif is_score_table(path):
                sources.append(table_source(read_score_table(path), lower_is_better))
            else:
                judged.append(path)
        if judged:
            data = read_human_files(
                judged, scales=scales, weights=weights, repeated_marks=repeated_marks
            )
            sources += _judged_sources(data, whole_segments)
    return sources


@contextmanager
def _readable_twice(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths, with a copy in place of standard input, which can be read only once.

    The format of a file is detected before it is read. Messages name standard input.
    """
    check_stdin_once(paths)
    if STREAM not in paths:
        yield list(paths)
        return
    with TemporaryDirectory() as folder:
        copy = str(Path(folder) / "scores")
        Path(copy).write_bytes(read_bytes(STREAM))
        try:
            yield [copy if path == STREAM else path for path in paths]
        except InputError as error:
            raise InputError(
                replace(problem, path=shown(STREAM)) if problem.path == copy else problem
                for problem in error.problems
            ) from None


def _judged_sources(data: HumanData, whole_segments: bool) -> Iterator[Source]:
    if data.judgements is not None:
        found = human_scores(data.judgements, rates=False, whole_segments=whole_segments)
        notes = (*data.notes, *map(str, found.exclusions), *message_texts(found.notices))
        name = data.judgements.name
        yield scores_source(
            name,
            found.scores,
            found.documents,
            notes=notes,
            human=True,
            texts=data.texts,
            by_evaluator=found.by_evaluator,
        )
    if data.preferences is not None:
        main = data.preferences.in_phase("main")
        scores = {name: preference_scores(main, name) for name in main.criteria}
        others = len(data.preferences.rows) - len(main.rows)
        left_out = tr_n(
            "{n} preference of other phases than main does not enter results",
            "{n} preferences of other phases than main do not enter results",
            n=others,
        )
        phases = [left_out] if others else []
        if not scores:
            raise UsageError(f"{main.name} has no preferences of the main phase")
        yield scores_source(main.name, scores, main.documents, notes=phases, human=True)
