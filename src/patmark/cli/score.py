"""patmark score: how good are these translations?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from patmark.cli import options as given
from patmark.cli.gates import DropTest, GatePlan, Gates
from patmark.cli.inputs import Inputs, patsnap_facts, patsnap_measures, patsnap_options, refuse
from patmark.cli.output import Outputs, deliver, progress_bar
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.evaluation import Settings
    from patmark.protocols import PatsnapOptions


def score(
    results: given.Results = None,
    protocol: given.Protocol = "plain",
    hyp: given.Hyp = None,
    ref: given.Ref = None,
    src: given.Src = None,
    docs: given.Docs = None,
    testset: given.TestSetFile = None,
    lang: given.Lang = None,
    direction: given.Direction = None,
    variant: given.Variant = None,
    allow_partial: given.AllowPartial = False,
    lemmatizer: given.Lemmatizer = None,
    checks: given.Checks = None,
    measures: given.Measures = None,
    tok: given.Tok = None,
    force: given.Force = False,
    allow_empty_refs: given.AllowEmptyRefs = False,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    by: given.By = None,
    fail_under: given.FailUnder = None,
    baseline: given.Baseline = None,
    max_drop: given.MaxDrop = None,
    junit: given.Junit = None,
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
    """Score translations, every number with a confidence interval and a signature.

    Examples:

      patmark score results.jsonl --protocol patsnap --direction cn2en

      patmark score --hyp mine.txt --ref ref.txt --lang ja-en

      patmark score --hyp A=a.txt --hyp B=b.txt --ref r1.txt --ref r2.txt --src s.txt
      --docs d.txt --lang zh-en --measures BLEU,RIBES,numbers --html report.html

    Files may be gzip or zst; - is stdin. A name and a file are joined by =: NAME=FILE.
    """
    from patmark import evaluation

    inputs = Inputs(
        results or [], hyp or [], ref or [], src, docs, testset, lang, allow_partial,
        allow_empty_refs,
    )  # fmt: skip
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save, junit)
    inputs.check()
    outputs.check([*inputs.paths, *filter(None, [baseline])])
    settings = evaluation.Settings(resamples, seed, by)
    plan = Gates(fail_under, baseline, max_drop).read(junit, DropTest.of(settings))
    if protocol == "patsnap":
        refuse("with --protocol patsnap", {"--measures": measures, "--tok": tok, "--force": force})
        options = patsnap_options(
            direction, variant, lemmatizer, inputs,
            bool(html) if checks is None else checks, settings,
        )  # fmt: skip
        _score_patsnap(inputs, options, plan, outputs)
    elif protocol == "plain":
        refuse("without --protocol patsnap", {
            "--checks": checks is not None, "--variant": variant, "--direction": direction,
            "--lemmatizer": lemmatizer,
        })  # fmt: skip
        _score_plain(inputs, (measures, tok, force), settings, plan, outputs)
    else:
        raise UsageError(f"the protocol {protocol!r} is unknown; choose from plain, patsnap")


def _score_patsnap(
    inputs: Inputs, options: PatsnapOptions, plan: GatePlan, outputs: Outputs
) -> None:
    from patmark import protocols

    test_set, runs = inputs.read_patsnap(options)
    plan.check(patsnap_measures(test_set), [run.system for run in runs])
    with progress_bar(outputs.quiet) as progress:
        result = protocols.score_patsnap(test_set, runs, options, progress)
        report, summary = protocols.patsnap_report(result), protocols.patsnap_json(result)
    labels, documents = result.label_scores, result.test_set.documents
    facts = patsnap_facts(result)
    deliver(
        report, summary, labels, documents, outputs,
        lambda: plan.judge(result.label_estimates, labels, documents, facts),
        segment_scores=result.row_scores, facts=facts,
    )  # fmt: skip


def _score_plain(
    inputs: Inputs, chosen: tuple[str | None, str | None, bool], settings: Settings,
    plan: GatePlan, outputs: Outputs,
) -> None:  # fmt: skip
    """The tables are few, so that the terminal shows them all."""
    from patmark import evaluation

    test_set, runs = inputs.read_plain()
    measures = evaluation.choose_measures(test_set, *chosen)
    plan.check([measure.name for measure in measures], [run.system for run in runs])
    plan.check_baseline(test_set, measures)
    with progress_bar(outputs.quiet) as progress:
        evaluated = evaluation.evaluate(test_set, runs, measures, settings, progress)
    scores, documents = evaluated.scores, test_set.documents
    facts = evaluation.ScoreFacts.of(test_set, runs)
    deliver(
        evaluated.to_report(), evaluated.to_json(), scores, documents,
        replace(outputs, full=True),
        lambda: plan.judge(evaluated.estimates, scores, documents, facts), facts=facts,
    )  # fmt: skip
