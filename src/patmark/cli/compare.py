"""patmark compare: which differences between systems are real?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.data import Data, Protocol, patsnap_facts, patsnap_measures
from patmark.cli.gates import Gates
from patmark.cli.options import Choice, ChosenTest, Draws, PairTests, Sampling, split_list
from patmark.cli.output import Output, Scored, deliver, progress_bar
from patmark.cli.parsing import Options, Parameter, group, refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Estimate, Report, Scores
    from patmark.protocols import CompareSettings, Comparison, PatsnapOptions, ScoreFacts
    from patmark.protocols.gate_plan import GatePlan

_TITLE = "Comparison of systems"


@group
class Saved(Options, heading="Saved scores"):
    """Scores of earlier, instead of texts."""

    scores: tuple[str, ...] = ()
    """Compare saved scores (see --save) instead of texts; several files are joined."""
    systems: str | None = None
    """With --scores: only these systems, with commas, e.g. 'A,B'."""


@group
class Tests(ChosenTest, PairTests):
    """Which differences are real."""

    detect: str | None = None
    """Say how many units it would take to see this, e.g. 'BLEU=0.5'."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """How systems are compared."""
        from patmark.protocols import parse_thresholds

        self._check()
        wanted = parse_thresholds(self.detect) if self.detect else []
        detect = {limit.measure: limit.value for limit in wanted}
        return self._settings(sampling, test=self.test, holm=self.holm, detect=detect)


def compare(
    *results: Annotated[
        str, Parameter(help="PatSnap rows with translations, one file per system.")
    ],
    data: Data = Data(),
    saved: Saved = Saved(),
    protocol: Protocol = Protocol(),
    choice: Choice = Choice(),
    tests: Tests = Tests(),
    sampling: Sampling = Sampling(),
    gates: Gates = Gates(),
    output: Output = Output(),
) -> None:
    """Compare two or more systems on one test set: which differences are real, and where from.

    Examples:

      patmark compare --hyp A=a.txt --hyp B=b.txt --hyp C=c.txt --ref ref.txt --lang ja-en

      patmark compare a.jsonl b.jsonl --protocol patsnap --html comparison.html

      patmark compare --scores scores.json.gz --measures BLEU --resamples 10000 --by document

      patmark compare --scores monday.json --scores friday.json --systems A,C
    """
    files = data.check(results)
    output.check([*files, *saved.scores, gates.baseline], gates.junit)
    settings = tests.settings(sampling)
    plan = gates.read(settings)
    if saved.scores:
        refuse(
            "with --scores",
            {
                "files of texts": files,
                **data.named("lang"),
                "--protocol": protocol.protocol != "plain",
                **data.named("allow_partial", "allow_empty_refs"),
                **protocol.own,
                **choice.named("tok", "force"),
            },
        )
        done = _saved(saved, choice.measures, settings, plan)
    elif protocol.protocol == "patsnap":
        refuse(
            "with --protocol patsnap",
            {**choice.named("measures"), **saved.named("systems"), **choice.named("tok", "force")},
        )
        options = protocol.patsnap(data, bool(output.html), settings.sampling)
        done = _patsnap(data, results, options, settings, plan, output)
    elif protocol.protocol == "plain":
        refuse("without --protocol patsnap", protocol.own)
        refuse("without --scores", saved.named("systems"))
        done = _plain(data, results, choice, settings, plan, output)
    else:
        raise protocol.unknown()
    deliver(
        done,
        output,
        Scored(done.scores, done.documents, done.facts, done.estimates),
        plan=plan,
        junit=gates.junit,
        latex=done.to_latex,
    )


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

    def to_report(self) -> Report:
        return self.report

    def to_json(self) -> dict[str, Any]:
        missing = self.facts.missing or {}
        return {
            **self.comparison.to_json(),
            "languages": self.facts.languages,
            "missing": {system: missing.get(system) for system in self.comparison.systems},
            "notes": list(self.notes),
        }


def _check(
    systems: Sequence[str],
    measures: Sequence[str],
    settings: CompareSettings,
    plan: GatePlan | None,
) -> None:
    """Refuse, before any scoring, what could only fail after it."""
    if len(systems) < 2:
        raise UsageError(f"a comparison needs at least two systems, and {len(systems)} are given")
    unknown = sorted(set(settings.detect or {}) - set(measures))
    if unknown:
        raise UsageError(
            f"--detect: no measure here is called {unknown[0]}; there are {', '.join(measures)}"
        )
    if plan:
        plan.check(measures, systems)


def _plain(
    data: Data,
    results: Sequence[str],
    choice: Choice,
    settings: CompareSettings,
    plan: GatePlan | None,
    output: Output,
) -> _Done:
    from patmark.protocols import (
        ScoreFacts,
        analysed_report,
        choose_measures,
        comparison_report,
        evaluate,
    )
    from patmark.protocols import compare as compare_scores
    from patmark.protocols.choice import refuse_descriptive

    test_set, runs = data.read_plain(results)
    measures = choose_measures(test_set, choice.measures, choice.tok, choice.force)
    if choice.measures is not None:
        refuse_descriptive(measure.name for measure in measures)
    _check([run.system for run in runs], [one.name for one in measures], settings, plan)
    if plan:
        plan.check_baseline(test_set, measures)
    facts = ScoreFacts.of(test_set, runs)
    with progress_bar(output.quiet, "scoring ") as progress:
        evaluation = evaluate(test_set, runs, measures, settings.sampling, progress)
        comparison = compare_scores(evaluation.scores, test_set.documents, settings)
        if output.wants_everything:
            report = analysed_report(evaluation, comparison)
        else:
            report = comparison_report(comparison, _TITLE, evaluation.subtitle, notes=facts.notes())
    return _Done(comparison, evaluation.scores, test_set.documents, report, facts)


def _patsnap(
    data: Data,
    results: Sequence[str],
    options: PatsnapOptions,
    settings: CompareSettings,
    plan: GatePlan | None,
    output: Output,
) -> _Done:
    from patmark.protocols import compare as compare_scores
    from patmark.protocols import patsnap_comparison_report, score_patsnap

    test_set, runs = data.read_patsnap(results, options)
    _check([run.system for run in runs], patsnap_measures(test_set), settings, plan)
    with progress_bar(output.quiet, "scoring ") as progress:
        result = score_patsnap(test_set, runs, options, progress)
        scores = result.label_scores
        comparison = compare_scores(scores, result.test_set.documents, settings)
        report = patsnap_comparison_report(result, comparison)
    documents, facts = result.test_set.documents, patsnap_facts(result)
    return _Done(comparison, scores, documents, report, facts)


def _saved(
    given: Saved, measures: str | None, settings: CompareSettings, plan: GatePlan | None
) -> _Done:
    from patmark.measures import split_names
    from patmark.protocols import compare as compare_scores
    from patmark.protocols import (
        comparison_report,
        join_scores,
        joining_notes,
        read_scores,
        subset_scores,
    )
    from patmark.protocols.choice import refuse_descriptive

    paths = given.scores
    doubles = sorted({path for path in paths if paths.count(path) > 1})
    if doubles:
        raise UsageError(f"{doubles[0]} is given twice")
    named = None if measures is None else split_names(measures)
    refuse_descriptive(named or [])
    files = {path: subset_scores(read_scores(path), named) for path in paths}
    saved = join_scores(files)
    if given.systems is not None:
        saved = subset_scores(saved, systems=split_list(given.systems))
    _check(saved.systems, list(saved.scores), settings, plan)
    notes = joining_notes(files)
    comparison = compare_scores(saved.scores, saved.documents, settings)
    report = comparison_report(
        comparison,
        _TITLE,
        f"saved scores {', '.join(paths)} · {len(saved.segments)} segments",
        notes=(*saved.known.notes(), *notes),
    )
    return _Done(comparison, saved.scores, saved.documents, report, saved.known, notes)
