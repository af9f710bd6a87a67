"""patmark retrieve: does the translation find the prior art?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver
from patmark.cli.retrieve_demo import demo
from patmark.cli.retrieve_index import index
from patmark.cli.retrieve_options import check_measures
from patmark.cli.retrieve_run import run
from patmark.cli.retrieve_search import search
from patmark.cli.retrieve_translate import translate
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.retrieval import RetrievalSources

retrieve = typer.Typer(
    help="Patent retrieval: index, translate topics, search, and judge what translations lose.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for command in (index, translate, search, run, demo):
    retrieve.command()(command)

_MoreRuns: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="[RUN]...", help="More runs, as with --run.")
]
_Runs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--run", "--runs",
        help="A run: TREC lines or JSON {topic: [documents]}; FILE or NAME=FILE; repeat.",
    ),
]  # fmt: skip
_Qrels: TypeAlias = Annotated[
    str,
    typer.Option(help="Judgements: TREC lines with grades (2, 1, 0, or A, B), or PatSnap JSONL."),
]
_Measures: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="E.g. 'AP(rel=2),Recall@100,nDCG@10,P@5,RR,PRES@1000' "
        "(default: AP rigid and relaxed, recall)."
    ),
]
_Collection: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="The searched documents (JSONL, Parquet, or the folder of an index): which judged "
        "ones are missing, families."
    ),
]
_Topics: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Evaluate the topics of this file only (JSONL, NTCIR, TREC topics)."),
]
_DropOwnFamily: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--drop-own-family",
        help="Drop documents of a topic's own family; needs --topics and --collection.",
    ),
]
_StripKind: TypeAlias = Annotated[
    bool,
    typer.Option("--strip-kind", help="Match patents, not publications: EP0383071B1 is EP0383071."),
]
_SelectBy: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="RUN", help="Choose topics by their AP(rel=1) in this run (monolingual)."),
]
_AtLeast: TypeAlias = Annotated[
    float | None, typer.Option(help="With --select-by: topics with this AP or more, e.g. 0.9.")
]
_Below: TypeAlias = Annotated[
    float | None, typer.Option(help="With --select-by: topics with less AP than this.")
]
_Bleu: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="BLEU of a run as NAME=VALUE, repeat; or a CSV system,segment,measure,value: "
        "gaps in BLEU against significance."
    ),
]


@retrieve.command()
def evaluate(
    qrels: _Qrels,
    runs: _MoreRuns = None,
    run: _Runs = None,
    measures: _Measures = None,
    collection: _Collection = None,
    topics: _Topics = None,
    drop_own_family: _DropOwnFamily = False,
    strip_kind: _StripKind = False,
    select_by: _SelectBy = None,
    ap_at_least: _AtLeast = None,
    ap_below: _Below = None,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    save: given.Save = None,
    segments: given.Segments = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Measure how well runs retrieve: AP, recall, nDCG, precision, RR, PRES, hit rate.

    Examples:

      patmark retrieve evaluate --qrels qrels.txt --run atlas=atlas.run --run mono=mono.run

      patmark retrieve evaluate --qrels qrels.txt --run atlas.json --measures 'Recall@100,PRES@100'

      patmark retrieve evaluate --qrels qrels.txt --run a.run --select-by mono.run --ap-at-least 0.9
    """
    from patmark.evaluation import Settings
    from patmark.retrieval import evaluate_retrieval, read_retrieval

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    sources = _sources(
        qrels, run, runs, collection, topics, drop_own_family, strip_kind,
        (select_by, ap_at_least, ap_below),
    )  # fmt: skip
    outputs.check(sources.paths)
    check_measures(measures)
    settings = Settings(resamples, seed)
    done = evaluate_retrieval(read_retrieval(sources), measures, settings)
    deliver(done.to_report(), done.to_json(), done.scores, done.documents, outputs)


@retrieve.command()
def compare(
    qrels: _Qrels,
    runs: _MoreRuns = None,
    run: _Runs = None,
    measures: _Measures = None,
    bleu: _Bleu = None,
    collection: _Collection = None,
    topics: _Topics = None,
    drop_own_family: _DropOwnFamily = False,
    strip_kind: _StripKind = False,
    select_by: _SelectBy = None,
    ap_at_least: _AtLeast = None,
    ap_below: _Below = None,
    test: given.Test = "randomisation",
    trials: given.CompareTrials = None,
    resamples: given.CompareResamples = 2000,
    seed: given.Seed = 0,
    save: given.Save = None,
    segments: given.Segments = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Compare runs on the same topics: t-tests as in NTCIR-7, corrected p, effect sizes.

    Examples:

      patmark retrieve compare --runs atlas.run borealis.run mono.run --qrels qrels.txt

      patmark retrieve compare --run A=a.run --run B=b.run --qrels qrels.txt --bleu A=27.1
      --bleu B=21.6 --html comparison.html
    """
    from patmark import evaluation
    from patmark.retrieval import (
        compare_retrieval,
        evaluate_retrieval,
        read_metrics,
        read_retrieval,
    )

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    sources = _sources(
        qrels, run, runs, collection, topics, drop_own_family, strip_kind,
        (select_by, ap_at_least, ap_below),
    )  # fmt: skip
    outputs.check([*sources.paths, *(bleu or [])])
    check_measures(measures)
    if len(sources.runs) < 2:
        raise UsageError(f"a comparison needs at least two runs, and {len(sources.runs)} are given")
    if test != "randomisation":
        refuse(f"with --test {test}", {"--trials": trials})
    sampling = evaluation.Settings(resamples, seed)
    settings = evaluation.CompareSettings(sampling, cast("Any", test), trials)
    metrics = read_metrics(bleu or [])
    evaluated = evaluate_retrieval(read_retrieval(sources), measures, sampling)
    done = compare_retrieval(evaluated, settings, metrics)
    deliver(done.to_report(), done.to_json(), evaluated.scores, evaluated.documents, outputs)


def _sources(
    qrels: str, run: list[str] | None, more: list[str] | None, collection: list[str] | None,
    topics: str | None, drop_own_family: bool, strip_kind: bool,
    select: tuple[str | None, float | None, float | None],
) -> RetrievalSources:  # fmt: skip
    from patmark.data import check_stdin_once
    from patmark.retrieval import RetrievalSources, Selection

    select_by, at_least, below = select
    if select_by is None:
        refuse("without --select-by", {"--ap-at-least": at_least, "--ap-below": below})
        selection = None
    elif at_least is None and below is None:
        raise UsageError("say which topics to choose: --ap-at-least 0.9, --ap-below, or both")
    else:
        selection = Selection(select_by, at_least or 0.0, below)
    runs = [*(run or []), *(more or [])]
    if not runs:
        raise UsageError("give the runs to evaluate: --run NAME=FILE")
    sources = RetrievalSources(
        qrels, runs, collection or (), topics, drop_own_family, strip_kind, selection
    )
    check_stdin_once(sources.paths)
    return sources
