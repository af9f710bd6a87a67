"""patmark meta: agreement of automatic metrics with people."""

from __future__ import annotations

from typing import Annotated, Any, cast

from patmark.app.cli.options import GradeOptions, Resampling, split_list
from patmark.app.cli.output import Tables, deliver
from patmark.options import Options, Parameter, at_least, group, refuse


@group
class MetaOptions(Options, heading="Meta-evaluation"):
    """Gold standard, level and choice of metrics."""

    gold: str
    """The gold standard: a measure such as adequacy."""
    level: str = "system"
    """system (ranking of systems) or segment (quality of single outputs)."""
    average_by: str | None = None
    """Segment level: item (outputs of one source, default), system, or none (all)."""
    without: Annotated[str | None, Parameter(metavar="NAMES")] = None
    """Comma-separated systems or types to leave out, e.g. refA or RBMT; results are shown with and
    without."""
    manifest: str | None = None
    """A task manifest that gives the type of each system."""
    measures: str | None = None
    """Comma-separated measures to evaluate (default: all)."""
    lower_is_better: str | None = None
    """Measures of a CSV for which lower is better, such as wer,ter."""
    lang: str | None = None
    """Comma-separated language pairs of an mt-metrics-eval folder, e.g. ja-en."""
    allow_partial: bool = False
    """Evaluate each metric on the systems and segments that it scores."""
    error_free: float | None = None
    """Segment level: also evaluate metrics as detectors of outputs whose gold is this or better,
    such as 0 (MQM) or 85 (ESA)."""
    permutations: Annotated[int, at_least(1)] = 1000
    """Permutations of each test between metrics."""


def meta(
    *scores: Annotated[
        str,
        Parameter(
            required=True,
            help="Scores: CSV, TSV, JSONL system,segment,measure,value; .seg.score; saved scores "
            "(.json, .gz, .zst); judgements (CSV evaluator,system,segment,criterion,value) or "
            "error annotations; a folder of MT-metrics-eval. PAIR=FILE for several language "
            "pairs and their average.",
        ),
    ],
    options: MetaOptions,
    grades: GradeOptions = GradeOptions(),
    sampling: Resampling = Resampling(),
    output: Tables = Tables(),
) -> None:
    """Measure how well automatic metrics agree with a gold measure, such as human adequacy.

    Examples:

      patmark meta scores.csv --gold adequacy

      patmark meta scores.json.gz judgements.csv --gold adequacy --level segment

      patmark meta scores.csv annotations.tsv --gold mqm --level segment --error-free 0

      patmark meta scores.csv --gold adequacy --without RBMT --html meta.html

      patmark meta ja-en=ja.csv zh-en=zh.csv --gold adequacy
    """
    from patmark.app.commands import MetaRequest, meta_evaluate_scores
    from patmark.evaluation import MetaSettings
    from patmark.human.judgements import files_by_pair

    files = files_by_pair(scores, options.lang)
    output.check([*(path for paths in files.values() for path in paths), options.manifest])
    if options.level == "system":
        refuse("with --level system", options.named("average_by"))
    settings = MetaSettings(
        cast("Any", options.level),
        cast("Any", options.average_by or "item"),
        options.permutations,
        options.allow_partial,
        sampling.settings,
        options.error_free,
    )
    request = MetaRequest(
        scores=scores,
        gold=options.gold,
        measures=options.measures,
        settings=settings,
        without=options.without,
        manifest=options.manifest,
        lower_is_better=split_list(options.lower_is_better),
        lang=options.lang,
        scales=grades.scales,
        keep_unfinished=grades.keep_unfinished,
        weights=grades.named_weights,
        repeated_marks=cast("Any", grades.repeated_marks),
    )
    deliver(meta_evaluate_scores(request), output)
