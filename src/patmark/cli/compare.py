"""patmark compare: which differences between systems are real?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import (
    LISTED_FILES,
    Choice,
    ChosenTest,
    CompareGates,
    Data,
    Draws,
    Imported,
    JudgeService,
    OwnOptions,
    PairTests,
    Protocol,
    Resampling,
    Spending,
    check_gates,
    guessed,
    split_list,
)
from patmark.cli.output import Output, deliver, progress_bar
from patmark.options import Parameter, group, refuse

if TYPE_CHECKING:
    from patmark.evaluation import CompareSettings


@group
class Saved(Imported, heading="Scores from elsewhere"):
    """Scores of earlier, instead of texts, or of other programs."""

    scores: tuple[str, ...] = ()
    """FILE: compare saved scores (see --save) instead of texts; several are joined. NAME=FILE:
    segment scores of another program as a measure (CSV, TSV, JSONL, MT-metrics-eval, COMET JSON,
    one number per line); NAME=command:PROGRAM."""
    systems: str | None = None
    """With --scores and no texts: only these systems, with commas, e.g. 'A,B'."""

    @property
    def instead_of_texts(self) -> bool:
        """Whether no texts are needed, since files of saved scores are named."""
        from patmark.evaluation import names_import

        return any(not names_import(one) for one in self.scores)


@group
class Tests(ChosenTest, PairTests):
    """Which differences are real."""

    detect: str | None = None
    """Say how many units it would take to see this, e.g. 'BLEU=0.5'."""
    primary: str | None = None
    """The measure that decides; others are shown without a verdict."""

    def settings(self, sampling: Draws, margin: str | None = None) -> CompareSettings:
        """How systems are compared."""
        from patmark.evaluation import measure_name, parse_margins, parse_thresholds

        self._check()
        wanted = parse_thresholds(self.detect) if self.detect else []
        detect = {limit.measure: limit.value for limit in wanted}
        within = {one.measure: one.value for one in parse_margins(margin)} if margin else {}
        return self._settings(
            sampling, test=self.test, holm=self.holm, detect=detect, margin=within,
            primary=measure_name(self.primary) if self.primary else None,
        )  # fmt: skip


def compare(
    *results: Annotated[str, Parameter(help=LISTED_FILES)],
    data: Data = Data(),
    saved: Saved = Saved(),
    protocol: Protocol = Protocol(),
    own: OwnOptions = OwnOptions(),
    choice: Choice = Choice(),
    judge: JudgeService = JudgeService(),
    spending: Spending = Spending(),
    tests: Tests = Tests(),
    sampling: Resampling = Resampling(),
    gates: CompareGates = CompareGates(),
    output: Output = Output(),
) -> None:
    """Compare two or more systems on one test set: which differences are real, and where from.

    Examples:

      patmark compare a.txt b.txt reference.txt source.txt

      patmark compare --hyp A=a.txt --hyp B=b.txt --hyp C=c.txt --ref ref.txt --lang ja-en

      patmark compare a.jsonl b.jsonl --protocol patsnap --html comparison.html

      patmark compare --scores scores.json.gz --measures BLEU --resamples 10000 --by document

      patmark compare --scores monday.json --scores friday.json --systems A,C

      patmark compare --hyp A=a.txt --hyp B=b.txt --ref ref.txt --lang zh-en
      --scores COMET=comet.json
    """
    from patmark.evaluation import check_comparable, load

    files = data.check(results)
    alone = bool(saved.scores) and (not files or saved.instead_of_texts)
    output.check([*files, *(saved.scores if alone else saved.files), gates.baseline], gates.junit)
    settings = tests.settings(sampling, gates.margin)
    plan = gates.read(settings)
    if alone:
        refuse(
            "with --scores FILE",
            {
                "files of texts": files,
                **data.named("lang"),
                **data.named("allow_partial", "allow_empty_refs"),
                **dict.fromkeys([*protocol.given(), *own.given()], True),
                **choice.named("tok", "force"),
                **judge.given(),
                **spending.given(),
            },
        )
        loaded = load(
            *saved.scores, measures=choice.measures, systems=split_list(saved.systems) or None,
            lower_is_better=split_list(saved.lower_is_better),
        )  # fmt: skip
        check_comparable(loaded.systems, list(loaded.scores), settings)
        if plan:
            plan.check(list(loaded.scores), loaded.systems)
        done = loaded.compare(settings)
    else:
        refuse("without --scores FILE", saved.named("systems"))
        data.check(results, saved.files)
        results, data, protocol = guessed(results, data, protocol, output.quiet)
        service = judge.connected(spending)
        chosen = protocol.chosen(own, data, choice, settings.sampling, output, saved, service)
        test_set, runs = data.read_for(chosen, results)
        chosen.check_comparable(test_set)
        systems = [run.system for run in runs]
        check_comparable(systems, chosen.names(test_set), settings)
        check_gates(plan, chosen, test_set, systems)
        with judge.asking(), progress_bar(output.quiet, "scoring ") as progress:
            result = chosen.score(test_set, runs, progress)
            done = result.compare(settings, everything=output.wants_everything)
    deliver(done, output, plan=plan, junit=gates.junit)
