"""patmark retrieve evaluate and compare: evaluation and comparison of retrieval runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from patmark.app.cli.options import ChosenTest, Draws
from patmark.app.cli.output import Output, deliver
from patmark.options import Options, Parameter, group, option


@group
class Runs(Options, heading="Inputs"):
    """Options of runs and judgements."""

    qrels: str
    """Judgements: TREC lines with grades (2, 1, 0, or A, B), or PatSnap JSONL."""
    run: Annotated[tuple[str, ...], Parameter(alias="--runs")] = ()
    """A run: TREC lines or JSON {topic: [documents]}; FILE or NAME=FILE; repeat."""
    collection: tuple[str, ...] = ()
    """The searched documents (JSONL, Parquet, or an index folder), for missing documents and
    families."""
    topics: str | None = None
    """Evaluate the topics of this file only (JSONL, NTCIR, TREC topics)."""
    drop_own_family: bool = False
    """Drop documents of a topic's own family; needs --topics and --collection."""
    strip_kind: bool = False
    """Match patents instead of publications: EP0383071B1 is EP0383071."""
    collapsed: bool = False
    """PatSnap's novelty rows: all members of the families of X documents are relevant."""


@group
class TopicSelection(Options, heading="Selection"):
    """Options of the selection of topics."""

    select_by: Annotated[str | None, Parameter(metavar="RUN")] = None
    """Choose topics by their AP(rel=1) in this run (monolingual)."""
    ap_at_least: float | None = None
    """With --select-by: topics with this AP or more, e.g. 0.9."""
    ap_below: float | None = None
    """With --select-by: topics with less AP than this."""


@group
class RankingMeasures(Options, heading="Measures"):
    """Options of the measures."""

    measures: str | None = None
    """Comma-separated measures, e.g. 'AP(rel=2),Recall@100,nDCG@10,P@5,RR,PRES@1000' (default: AP
    rigid and relaxed, recall); runs are ranked by the first."""


def evaluate(
    *more: Annotated[str, Parameter(name="RUN", help="More runs, as with --run.")],
    runs: Runs,
    measures: RankingMeasures = RankingMeasures(),
    choice: TopicSelection = TopicSelection(),
    sampling: Draws = Draws(),
    output: Output = Output(),
) -> None:
    """Measure how well runs retrieve: AP, recall, nDCG, precision, RR, PRES, hit rate.

    Examples:

      patmark retrieve evaluate --qrels qrels.txt --run atlas=atlas.run --run mono=mono.run

      patmark retrieve evaluate --qrels qrels.txt --run atlas.json --measures 'Recall@100,PRES@100'

      patmark retrieve evaluate --qrels qrels.txt --run a.run --select-by mono.run --ap-at-least 0.9
    """
    from patmark.app.commands.retrieve import EvaluateRequest, evaluate

    given = _inputs(runs, more, choice)
    request = EvaluateRequest(**given, measures=measures.measures, sampling=sampling.settings)
    output.check(request.paths)
    deliver(evaluate(request), output)


_BLEU = """BLEU of a run as NAME=VALUE, repeat; or a CSV system,segment,measure,value: gaps in
BLEU against significance."""


def compare(
    *more: Annotated[str, Parameter(name="RUN", help="More runs, as with --run.")],
    runs: Runs,
    measures: RankingMeasures = RankingMeasures(),
    bleu: Annotated[tuple[str, ...], option("Measures", _BLEU)] = (),
    choice: TopicSelection = TopicSelection(),
    tests: ChosenTest = ChosenTest(),
    sampling: Draws = Draws(),
    output: Output = Output(),
) -> None:
    """Compare runs on the same topics: t-tests as in NTCIR-7, corrected p, effect sizes.

    Examples:

      patmark retrieve compare --runs atlas.run borealis.run mono.run --qrels qrels.txt

      patmark retrieve compare --run A=a.run --run B=b.run --qrels qrels.txt --bleu A=27.1
      --bleu B=21.6 --html comparison.html
    """
    from patmark.app.commands.retrieve import CompareRequest, compare
    from patmark.collections.retrieval import read_metrics

    request = CompareRequest(
        **_inputs(runs, more, choice),
        measures=measures.measures,
        settings=tests.settings(sampling),
        metrics=read_metrics(bleu),
    )
    output.check([*request.paths, *bleu])
    deliver(compare(request), output)


def _inputs(given: Runs, more: Sequence[str], choice: TopicSelection) -> dict[str, Any]:
    """Return the fields of a request for runs."""
    from patmark.collections.retrieval import Selection

    fields = vars(given).copy()
    runs = [*fields.pop("run"), *more]
    selection = Selection.of(choice.select_by, choice.ap_at_least, choice.ap_below)
    return {**fields, "runs": runs, "selection": selection}
