"""patmark compare: which differences between systems are real?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from patmark.cli import options as given
from patmark.cli.gates import DropTest, GatePlan, Gates
from patmark.cli.inputs import Inputs, patsnap_facts, patsnap_measures, patsnap_options, refuse
from patmark.cli.output import Outputs, deliver, progress_bar
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Estimate, Scores
    from patmark.evaluation import CompareSettings, Comparison, ScoreFacts
    from patmark.protocols import PatsnapOptions
    from patmark.report import Report

_TITLE = "Comparison of systems"


def compare(
    results: given.Results = None,
    protocol: given.Protocol = "plain",
    hyp: given.Hyp = None,
    ref: given.Ref = None,
    src: given.Src = None,
    docs: given.Docs = None,
    testset: given.TestSetFile = None,
    scores: given.ScoresFiles = None,
    systems: given.Systems = None,
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
    trials: given.CompareTrials = None,
    holm: given.Holm = None,
    detect: given.Detect = None,
    resamples: given.CompareResamples = 2000,
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

      patmark compare --scores monday.json --scores friday.json --systems A,C
    """
    inputs = Inputs(
        results or [], hyp or [], ref or [], src, docs, testset, lang, allow_partial,
        allow_empty_refs,
    )  # fmt: skip
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save, junit)
    inputs.check()
    outputs.check([*inputs.paths, *(scores or []), *filter(None, [baseline])])
    settings = _settings((resamples, seed, by), test, trials, holm, detect)
    plan = Gates(fail_under, baseline, max_drop).read(junit, DropTest.like(settings))
    of_patsnap = {"--direction": direction, "--variant": variant, "--lemmatizer": lemmatizer}
    of_words = {"--tok": tok, "--force": force}
    if scores:
        refuse("with --scores", {
            "files of texts": inputs.paths, "--lang": lang, "--protocol": protocol != "plain",
            "--allow-partial": allow_partial, "--allow-empty-refs": allow_empty_refs,
            **of_patsnap, **of_words,
        })  # fmt: skip
        done = _saved(scores, measures, systems, settings, plan)
    elif protocol == "patsnap":
        refuse("with --protocol patsnap", {
            "--measures": measures, "--systems": systems, **of_words,
        })  # fmt: skip
        options = patsnap_options(
            direction, variant, lemmatizer, inputs, bool(html), settings.sampling
        )
        done = _patsnap(inputs, options, settings, plan, quiet)
    elif protocol == "plain":
        refuse("without --protocol patsnap", of_patsnap)
        refuse("without --scores", {"--systems": systems})
        done = _plain(inputs, (measures, tok, force), settings, plan, outputs)
    else:
        raise UsageError(f"the protocol {protocol!r} is unknown; choose from plain, patsnap")
    deliver(
        done.report, done.to_json(), done.scores, done.documents, outputs,
        lambda: plan.judge(done.estimates, done.scores, done.documents, done.facts),
        facts=done.facts,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Done:
    comparison: Comparison
    scores: Mapping[str, Scores]
    documents: Sequence[str | None]
    report: Report
    facts: ScoreFacts
    notes: Sequence[str] = ()

    @property
    def estimates(self) -> dict[str, Mapping[str, Estimate]]:
        return {name: one.estimates for name, one in self.comparison.measures.items()}

    def to_json(self) -> dict[str, Any]:
        missing = self.facts.missing or {}
        return {
            **self.comparison.to_json(),
            "languages": self.facts.languages,
            "missing": {system: missing.get(system) for system in self.comparison.systems},
            "notes": list(self.notes),
        }


def _settings(
    sampling: tuple[int, int, str | None], test: str, trials: int | None, holm: bool | None,
    detect: str | None,
) -> CompareSettings:  # fmt: skip
    from patmark import evaluation

    if trials is not None and test != "randomisation":
        raise UsageError(
            f"--trials has no effect with --test {test}, which draws --resamples times"
        )
    wanted = evaluation.parse_thresholds(detect) if detect else []
    return evaluation.CompareSettings(
        evaluation.Settings(*sampling), cast("Any", test), trials, holm,
        {limit.measure: limit.value for limit in wanted},
    )  # fmt: skip


def _check(
    systems: Sequence[str], measures: Sequence[str], settings: CompareSettings, plan: GatePlan
) -> None:
    """Refuse, before any scoring, what could only fail after it."""
    if len(systems) < 2:
        raise UsageError(f"a comparison needs at least two systems, and {len(systems)} are given")
    unknown = sorted(set(settings.detect or {}) - set(measures))
    if unknown:
        raise UsageError(
            f"--detect: no measure here is called {unknown[0]}; there are {', '.join(measures)}"
        )
    plan.check(measures, systems)


def _plain(
    inputs: Inputs, chosen: tuple[str | None, str | None, bool], settings: CompareSettings,
    plan: GatePlan, outputs: Outputs,
) -> _Done:  # fmt: skip
    from patmark import evaluation
    from patmark.evaluation import refuse_descriptive

    test_set, runs = inputs.read_plain()
    measures = evaluation.choose_measures(test_set, *chosen)
    if chosen[0] is not None:
        refuse_descriptive(measures)
    _check([run.system for run in runs], [one.name for one in measures], settings, plan)
    plan.check_baseline(test_set, measures)
    facts = evaluation.ScoreFacts.of(test_set, runs)
    with progress_bar(outputs.quiet) as progress:
        evaluated = evaluation.evaluate(test_set, runs, measures, settings.sampling, progress)
        comparison = evaluation.compare(evaluated.scores, test_set.documents, settings)
        report = (
            evaluation.analysed_report(evaluated, comparison)
            if outputs.wants_everything
            else evaluation.comparison_report(
                comparison, _TITLE, evaluated.subtitle, notes=facts.notes()
            )
        )
    return _Done(comparison, evaluated.scores, test_set.documents, report, facts)


def _patsnap(
    inputs: Inputs, options: PatsnapOptions, settings: CompareSettings, plan: GatePlan, quiet: bool
) -> _Done:
    from patmark import evaluation, protocols

    test_set, runs = inputs.read_patsnap(options)
    _check([run.system for run in runs], patsnap_measures(test_set), settings, plan)
    with progress_bar(quiet) as progress:
        result = protocols.score_patsnap(test_set, runs, options, progress)
        scores = result.label_scores
        comparison = evaluation.compare(scores, result.test_set.documents, settings)
        report = protocols.patsnap_comparison_report(result, comparison)
    documents, facts = result.test_set.documents, patsnap_facts(result)
    return _Done(comparison, scores, documents, report, facts)


def _saved(
    paths: Sequence[str], measures: str | None, systems: str | None, settings: CompareSettings,
    plan: GatePlan,
) -> _Done:  # fmt: skip
    from patmark import evaluation
    from patmark.evaluation import refuse_descriptive
    from patmark.measures import split_names

    doubles = sorted({path for path in paths if list(paths).count(path) > 1})
    if doubles:
        raise UsageError(f"{doubles[0]} is given twice")
    named = None if measures is None else split_names(measures)
    files = {path: evaluation.subset_scores(evaluation.read_scores(path), named) for path in paths}
    saved = evaluation.join_scores(files)
    if named is not None:
        refuse_descriptive(saved.scores.values())
    if systems is not None:
        chosen = [name.strip() for name in systems.split(",") if name.strip()]
        saved = evaluation.subset_scores(saved, systems=chosen)
    _check(saved.systems, list(saved.scores), settings, plan)
    notes = evaluation.joining_notes(files)
    comparison = evaluation.compare(saved.scores, saved.documents, settings)
    report = evaluation.comparison_report(
        comparison, _TITLE, f"saved scores {', '.join(paths)} · {len(saved.segments)} segments",
        notes=(*saved.known.notes(), *notes),
    )  # fmt: skip
    return _Done(comparison, saved.scores, saved.documents, report, saved.known, notes)
