"""patmark score: how good are these translations?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from patmark.cli.data import CheckedProtocol, Data, patsnap_facts, patsnap_measures
from patmark.cli.gates import Gates
from patmark.cli.options import Choice, Sampling
from patmark.cli.output import Output, Ready, Scored, deliver, progress_bar
from patmark.cli.parsing import Parameter, refuse

if TYPE_CHECKING:
    from patmark.data import Report
    from patmark.protocols import PatsnapOptions


def score(
    *results: Annotated[
        str, Parameter(help="PatSnap rows with translations, one file per system.")
    ],
    data: Data = Data(),
    protocol: CheckedProtocol = CheckedProtocol(),
    choice: Choice = Choice(),
    sampling: Sampling = Sampling(),
    gates: Gates = Gates(),
    output: Output = Output(),
) -> None:
    """Score translations, every number with a confidence interval and a signature.

    Examples:

      patmark score results.jsonl --protocol patsnap --direction cn2en

      patmark score --hyp mine.txt --ref ref.txt --lang ja-en

      patmark score --hyp A=a.txt --hyp B=b.txt --ref r1.txt --ref r2.txt --src s.txt
      --docs d.txt --lang zh-en --measures BLEU,RIBES,numbers --html report.html

    Files may be gzip or zst; - is stdin. A name and a file are joined by =: NAME=FILE.
    """
    output.check([*data.check(results), gates.baseline], gates.junit)
    if protocol.protocol == "patsnap":
        refuse("with --protocol patsnap", choice.named("measures", "tok", "force"))
        checks = bool(output.html) if protocol.checks is None else protocol.checks
        options = protocol.patsnap(data, checks, sampling.settings)
        _score_patsnap(data, results, options, gates, output)
    elif protocol.protocol == "plain":
        refuse("without --protocol patsnap", protocol.own)
        _score_plain(data, results, choice, sampling, gates, output)
    else:
        raise protocol.unknown()


def _score_patsnap(
    data: Data, results: Sequence[str], options: PatsnapOptions, gates: Gates, output: Output
) -> None:
    from patmark.protocols import patsnap_json, patsnap_report, score_patsnap

    plan = gates.read(options.settings)
    test_set, runs = data.read_patsnap(results, options)
    if plan:
        plan.check(patsnap_measures(test_set), [run.system for run in runs])
    with progress_bar(output.quiet, "scoring ") as progress:
        result = score_patsnap(test_set, runs, options, progress)
        ready = Ready(patsnap_report(result), patsnap_json(result))
    labels, documents = result.label_scores, result.test_set.documents
    facts = patsnap_facts(result)
    deliver(
        ready,
        output,
        Scored(labels, documents, facts, result.label_estimates, result.row_scores),
        plan=plan,
        junit=gates.junit,
    )


def _score_plain(
    data: Data,
    results: Sequence[str],
    choice: Choice,
    sampling: Sampling,
    gates: Gates,
    output: Output,
) -> None:
    """The tables are few, so that the terminal shows them all."""
    from patmark.protocols import ScoreFacts, choose_measures, evaluate

    settings = sampling.settings
    plan = gates.read(settings)
    test_set, runs = data.read_plain(results)
    measures = choose_measures(test_set, choice.measures, choice.tok, choice.force)
    if plan:
        plan.check([measure.name for measure in measures], [run.system for run in runs])
        plan.check_baseline(test_set, measures)
    with progress_bar(output.quiet, "scoring ") as progress:
        evaluation = evaluate(test_set, runs, measures, settings, progress)
    facts = ScoreFacts.of(test_set, runs)
    deliver(
        evaluation,
        output,
        Scored(evaluation.scores, test_set.documents, facts, evaluation.estimates),
        full=True,
        plan=plan,
        junit=gates.junit,
        latex=_scores_to_latex,
    )


def _scores_to_latex(report: Report) -> str:
    from patmark.report.score_latex import scores_to_latex

    return scores_to_latex(report)
