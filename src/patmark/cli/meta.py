"""patmark meta: which automatic metric can be trusted?"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, cast

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver_report
from patmark.errors import UsageError

_Files: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES...",
        help="Scores: CSV system,segment,measure,value; saved scores (.json, .gz, .zst); "
        "judgements (CSV evaluator,system,segment,criterion,value); a folder of MT-metrics-eval.",
    ),
]
_Gold: TypeAlias = Annotated[
    str, typer.Option(help="The measure to trust, such as adequacy: the gold standard.")
]
_Level: TypeAlias = Annotated[
    str, typer.Option(help="system: order of systems. segment: quality of single outputs.")
]
_AverageBy: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Segment level: item (outputs of one source, default), system, or none (all)."
    ),
]
_Without: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="TYPE", help="Leave out systems of a type, e.g. RBMT; both are shown."),
]
_Types: TypeAlias = Annotated[
    str | None,
    typer.Option("--manifest", help="A task manifest that gives the type of each system."),
]
_Lower: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Measures of a CSV for which lower is better, such as wer,ter."),
]
_Permutations: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Permutations of the tests between metrics.")
]


def meta(
    files: _Files,
    gold: _Gold,
    level: _Level = "system",
    average_by: _AverageBy = None,
    without: _Without = None,
    manifest: _Types = None,
    measures: given.Measures = None,
    lower_is_better: _Lower = None,
    lang: Annotated[
        str | None, typer.Option(help="The language pair of an MT-metrics-eval folder: ja-en.")
    ] = None,
    allow_partial: Annotated[
        bool,
        typer.Option(
            "--allow-partial", help="Judge a metric on the systems and segments that it has."
        ),
    ] = False,
    scale: given.Scales = None,
    keep_unfinished: given.KeepUnfinished = False,
    permutations: _Permutations = 1000,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    by: given.By = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Measure how well automatic metrics agree with a gold measure, such as human adequacy.

    Examples:

      patmark meta scores.csv --gold adequacy

      patmark meta scores.json.gz judgements.csv --gold adequacy --level segment

      patmark meta scores.csv --gold adequacy --without RBMT --html meta.html
    """
    from patmark import evaluation
    from patmark.evaluation import MetaSettings, build_panel, meta_evaluate
    from patmark.judgements import parse_scale, read_sources
    from patmark.measures import split_names

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex)
    outputs.check([*files, *filter(None, [manifest])])
    if level == "system":
        refuse("with --level system", {"--average-by": average_by})
    settings = MetaSettings(
        cast("Any", level), cast("Any", average_by or "item"), permutations, allow_partial,
        evaluation.Settings(resamples, seed, by),
    )  # fmt: skip
    lower = tuple(name.strip() for name in (lower_is_better or "").split(",") if name.strip())
    sources = read_sources(
        files, lower, lang, [parse_scale(text) for text in scale or []],
        whole_segments=not keep_unfinished,
    )  # fmt: skip
    known = {name for source in sources for name in source.series}
    unknown = [name for name in lower if name not in known]
    if unknown:
        raise UsageError(f"--lower-is-better: there is no measure {unknown[0]!r}")
    names = None if measures is None else split_names(measures)
    panel = build_panel(sources, gold, names, _kinds(manifest), allow_partial=allow_partial)
    done = meta_evaluate(panel, settings, without)
    deliver_report(done.to_report(), done.to_json(), outputs)


def _kinds(manifest: str | None) -> dict[str, str]:
    """The type of each system that a task manifest describes."""
    if manifest is None:
        return {}
    from patmark.data import read_manifest

    runs = read_manifest(manifest).runs
    return {run.system: run.kind for run in runs if run.kind is not None}
