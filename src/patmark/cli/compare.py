"""patmark compare: which differences between systems are real?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from patmark.cli import options as given
from patmark.cli.gates import Gates
from patmark.cli.inputs import Inputs, patsnap_options, refuse
from patmark.cli.output import Outputs, deliver, progress_bar
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Report, Scores
    from patmark.protocols import CompareSettings, Comparison, PatsnapOptions

_TITLE = "Comparison of systems"


def compare(
    results: given.Results = None,
    protocol: given.Protocol = "plain",
    hyp: given.Hyp = None,
    ref: given.Ref = None,
    src: given.Src = None,
    docs: given.Docs = None,
    testset: given.TestSetFile = None,
    scores: given.ScoresFile = None,
    lang: given.Lang = None,
    direction: given.Direction = None,
    variant: given.Variant = None,
    allow_partial: given.AllowPartial = False,
    lemmatizer: given.Lemmatizer = None,
    measures: given.Measures = None,
    tok: given.Tok = None,
    force: given.Force = False,
    allow_empty_refs: given.AllowEmptyRefs = False,
    test: given.Test = "randomisation",
    trials: given.Trials = 10_000,
    holm: given.Holm = None,
    detect: given.Detect = None,
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
    """Compare two or more systems on one test set: which differences are real, and where from.

    Examples:

      patmark compare --hyp A=a.txt --hyp B=b.txt --hyp C=c.txt --ref ref.txt --lang ja-en

      patmark compare a.jsonl b.jsonl --protocol patsnap --html comparison.html

      patmark compare --scores scores.json.gz --measures BLEU --resamples 10000 --by document
    """
    from patmark import protocols

    inputs = Inputs(
        results or [], hyp or [], ref or [], src, docs, testset, lang, allow_partial,
        allow_empty_refs,
    )  # fmt: skip
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save, junit)
    gates = Gates(fail_under, baseline, max_drop)
    inputs.check()
    outputs.check([*inputs.paths, *filter(None, [scores, baseline])])
    gates.check(junit)
    wanted = protocols.parse_thresholds(detect) if detect else []
    settings = protocols.CompareSettings(
        protocols.Settings(resamples, seed, by), cast("Any", test), trials, holm,
        {limit.measure: limit.value for limit in wanted},
    )  # fmt: skip
    of_patsnap = {"--direction": direction, "--variant": variant, "--lemmatizer": lemmatizer}
    of_words = {"--tok": tok, "--force": force}
    if scores is not None:
        refuse("with --scores", {"files of texts": inputs.paths, "--lang": lang,
                                 **of_patsnap, **of_words})  # fmt: skip
        done = _saved(scores, measures, settings)
    elif protocol == "patsnap":
        refuse("with --protocol patsnap", {"--measures": measures, **of_words})
        options = patsnap_options(
            direction, variant, lemmatizer, inputs, bool(html), settings.sampling
        )
        done = _patsnap(inputs, options, settings, quiet)
    elif protocol == "plain":
        refuse("without --protocol patsnap", of_patsnap)
        done = _plain(inputs, (measures, tok, force), settings, outputs)
    else:
        raise UsageError(f"the protocol {protocol!r} is unknown; choose from plain, patsnap")
    estimates = {name: one.estimates for name, one in done.comparison.measures.items()}
    verdicts = gates.judge(estimates, done.scores, done.documents, settings.sampling)
    result = done.comparison.to_json()
    deliver(done.report, result, done.scores, done.documents, outputs, verdicts)


@dataclass(frozen=True, slots=True)
class _Done:
    comparison: Comparison
    scores: Mapping[str, Scores]
    documents: Sequence[str | None]
    report: Report


def _plain(
    inputs: Inputs, chosen: tuple[str | None, str | None, bool], settings: CompareSettings,
    outputs: Outputs,
) -> _Done:  # fmt: skip
    from patmark import protocols

    test_set, runs = inputs.read_plain()
    measures = protocols.choose_measures(test_set, *chosen)
    with progress_bar(outputs.quiet) as progress:
        evaluation = protocols.evaluate(test_set, runs, measures, settings.sampling, progress)
        comparison = protocols.compare(evaluation.scores, test_set.documents, settings)
        report = (
            protocols.analysed_report(evaluation, comparison)
            if outputs.wants_everything
            else protocols.comparison_report(comparison, _TITLE, evaluation.subtitle)
        )
    return _Done(comparison, evaluation.scores, test_set.documents, report)


def _patsnap(
    inputs: Inputs, options: PatsnapOptions, settings: CompareSettings, quiet: bool
) -> _Done:
    from patmark import protocols

    test_set, runs = inputs.read_patsnap(options)
    with progress_bar(quiet) as progress:
        result = protocols.score_patsnap(test_set, runs, options, progress)
        scores = result.label_scores
        comparison = protocols.compare(scores, result.test_set.documents, settings)
        report = protocols.patsnap_comparison_report(result, comparison)
    return _Done(comparison, scores, result.test_set.documents, report)


def _saved(path: str, measures: str | None, settings: CompareSettings) -> _Done:
    from patmark import protocols
    from patmark.measures import split_names

    saved = protocols.read_scores(path)
    if measures is not None:
        saved = protocols.subset_scores(saved, split_names(measures))
    comparison = protocols.compare(saved.scores, saved.documents, settings)
    report = protocols.comparison_report(
        comparison, _TITLE, f"saved scores {path} · {len(saved.segments)} segments"
    )
    return _Done(comparison, saved.scores, saved.documents, report)
