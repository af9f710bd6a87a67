"""patmark meta: requests and their execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from patmark.app.commands.inputs import as_files
from patmark.data import AnnotatedTexts, RepeatedMarks, read_manifest
from patmark.errors import UsageError
from patmark.evaluation import (
    AverageResult,
    Evaluation,
    MetaResult,
    MetaSettings,
    Sampling,
    Source,
    TextEvaluation,
    Weights,
    build_panel,
    meta_evaluate,
    meta_evaluate_pairs,
    scores_source,
)
from patmark.human.judgements import Scale, files_by_pair, read_sources
from patmark.measures import split_names
from patmark.wording import setting


@dataclass(frozen=True, kw_only=True)
class MetaRequest:
    """Metrics to evaluate against a gold measure.

    ``scores`` are evaluations, tables, or files; PAIR=FILE are of several language pairs. ``kinds``
    gives the type of each system, or a task ``manifest`` does. ``scales``, ``weights``,
    ``repeated_marks`` and ``keep_unfinished`` apply to human judgements.
    """

    scores: Sequence[Any]
    gold: str
    measures: str | None = None
    settings: MetaSettings = field(default_factory=MetaSettings)
    without: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    manifest: str | None = None
    lower_is_better: Sequence[str] = ()
    lang: str | None = None
    scales: Sequence[Scale] = ()
    keep_unfinished: bool = False
    weights: Weights | None = None
    repeated_marks: RepeatedMarks = "once"

    def sources(self) -> dict[str, list[Source]]:
        """Read the scores by language pair; the name is empty if there is only one."""
        scored = [one.scored if hasattr(one, "scored") else one for one in self.scores]
        found = [
            scores_source(f"scores {number}", one.scores, one.documents, texts=_texts(one))
            for number, one in enumerate(scored, 1)
            if isinstance(one, Evaluation)
        ]
        with as_files([one for one in scored if not isinstance(one, Evaluation)]) as paths:
            files = files_by_pair(paths, self.lang) if paths else {}
            read = {
                pair: read_sources(
                    of_pair,
                    tuple(self.lower_is_better),
                    pair or None,
                    self.scales,
                    whole_segments=not self.keep_unfinished,
                    weights=self.weights,
                    repeated_marks=self.repeated_marks,
                )
                for pair, of_pair in files.items()
            }
        if found:
            read[""] = [*found, *read.get("", ())]
        return read

    def known_kinds(self) -> Mapping[str, str]:
        """Return the type of each system."""
        if self.manifest is None:
            return self.kinds
        runs = read_manifest(self.manifest).runs
        return {run.system: run.kind for run in runs if run.kind is not None}


def _texts(scored: Evaluation) -> AnnotatedTexts | None:
    if not isinstance(scored, TextEvaluation):
        return None
    return AnnotatedTexts.of(scored.test_set, scored.runs)


def meta_evaluate_scores(request: MetaRequest) -> MetaResult | AverageResult:
    """Measure how well metrics agree with gold, in each language pair and on average."""
    sources = request.sources()
    known = {name for found in sources.values() for source in found for name in source.series}
    unknown = [name for name in request.lower_is_better if name not in known]
    if unknown:
        raise UsageError(f"{setting('lower_is_better')}: there is no measure {unknown[0]!r}")
    names = None if request.measures is None else split_names(request.measures)
    kinds, settings = request.known_kinds(), request.settings
    panels = {
        pair: build_panel(found, request.gold, names, kinds, allow_partial=settings.allow_partial)
        for pair, found in sources.items()
    }
    if len(panels) == 1:
        [panel] = panels.values()
        return meta_evaluate(panel, settings, request.without)
    return meta_evaluate_pairs(panels, settings, request.without)


def meta(
    *scores: Any,
    gold: str,
    sampling: Sampling | None = None,
    settings: MetaSettings | None = None,
    **options: Any,
) -> MetaResult | AverageResult:
    """Measure how well metrics agree with a gold measure, such as human adequacy.

    Scores are results (of score, of human.report), tables with the columns system, segment, measure
    and value, or files. ``sampling`` is a part of ``settings``; ``options`` are those of
    :class:`MetaRequest`.
    """
    unknown = [name for name in options if name not in MetaRequest.__dataclass_fields__]
    if unknown:
        raise UsageError(f"meta has no option {unknown[0]}")
    chosen = settings or MetaSettings()
    if sampling is not None:
        chosen = replace(chosen, sampling=sampling)
    request = MetaRequest(scores=scores, gold=gold, settings=chosen, **options)
    return meta_evaluate_scores(request)
