"""patmark score, compare and meta in Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from patmark.commands.inputs import Texts, as_files, read_texts
from patmark.errors import UsageError
from patmark.evaluation import (
    CompareSettings,
    Comparison,
    Evaluation,
    Inputs,
    MetaResult,
    MetaSettings,
    Plain,
    Sampling,
    build_panel,
    evaluate,
    meta_evaluate,
    parse_given,
    protocol_called,
    scores_source,
)
from patmark.judgements import read_sources
from patmark.measures import Measure
from patmark.report import notebook_progress

Measures = str | Measure | Sequence[Measure | str] | None


def score(
    texts: Texts,
    runs: Any = None,
    measures: Measures = None,
    *,
    lang: str | None = None,
    protocol: str = "plain",
    sampling: Sampling | None = None,
    **options: Any,
) -> Evaluation:
    """Score translations: ``score(frame, lang="zh-en")``, ``score(test_set, {"mine": texts})``.

    ``texts`` is a TestSet, a table with the columns id, document, source, reference and
    system:NAME, or a file of one. With a ``protocol``, it is one result file, or several, as the
    command takes them, and ``options`` are those of the protocol.
    """
    if protocol == "plain":
        if options:
            raise UsageError(f"score has no option {', '.join(options)} without a protocol")
        return evaluate(*read_texts(texts, runs, lang), measures, sampling)
    return _by_protocol(protocol, texts, lang, sampling, options)


def _by_protocol(
    name: str, files: Any, lang: str | None, sampling: Sampling | None, options: Mapping[str, Any]
) -> Evaluation:
    results = [files] if isinstance(files, str | os.PathLike) else files
    chosen = protocol_called(name, options, sampling or Sampling())
    test_set, runs = chosen.read(Inputs(results=[*map(os.fspath, results)], lang=lang))
    with notebook_progress() as progress:
        return chosen.score(test_set, runs, progress)


def compare(
    texts: Texts,
    runs: Any = None,
    measures: Measures = None,
    *,
    lang: str | None = None,
    protocol: str = "plain",
    settings: CompareSettings | None = None,
    everything: bool = False,
    **options: Any,
) -> Comparison:
    """Compare two or more systems: which differences are real. Inputs are those of score.

    ``everything`` adds all that explains the differences: buckets, phrases, extreme segments.
    """
    settings = settings or CompareSettings()
    if protocol == "plain":
        if options:
            raise UsageError(f"compare has no option {', '.join(options)} without a protocol")
        test_set, found = read_texts(texts, runs, lang)
        given = () if measures is None else tuple(parse_given(measures))
        plain = Plain(settings.sampling, ",".join(map(str, given)) or None, scores=given)
        plain.check_comparable(test_set)
        with notebook_progress() as progress:
            result = plain.score(test_set, found, progress)
    else:
        result = _by_protocol(protocol, texts, lang, settings.sampling, options)
    return result.compare(settings, everything=everything)


def meta(
    *scores: Any,
    gold: str,
    measures: str | None = None,
    settings: MetaSettings | None = None,
    without: str | None = None,
    kinds: Mapping[str, str] | None = None,
    lower_is_better: Sequence[str] = (),
) -> MetaResult:
    """Measure how well metrics agree with a gold measure, such as human adequacy.

    Scores are results (of score, of human.report), tables with the columns system, segment,
    measure and value, or files as the command takes them.
    """
    from patmark.measures import split_names

    settings = settings or MetaSettings()
    scored = [one.scored if hasattr(one, "scored") else one for one in scores]
    sources = [
        scores_source(f"scores {number}", one.scores, one.documents)
        for number, one in enumerate(scored, 1)
        if isinstance(one, Evaluation)
    ]
    others = [one for one in scored if not isinstance(one, Evaluation)]
    with as_files(others) as paths:
        sources += read_sources(paths, tuple(lower_is_better)) if paths else []
    names = None if measures is None else split_names(measures)
    panel = build_panel(sources, gold, names, kinds, allow_partial=settings.allow_partial)
    return meta_evaluate(panel, settings, without)
