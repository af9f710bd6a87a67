"""patmark compare: significant differences between systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.options import (
    LISTED_FILES,
    ChosenTest,
    CompareGates,
    Data,
    Draws,
    Imported,
    JudgeService,
    MeasureChoice,
    OwnOptions,
    PairTests,
    ProtocolChoice,
    Resampling,
    Spending,
    split_list,
    teller,
)
from patmark.app.cli.output import Output, deliver, progress_bar
from patmark.options import Parameter, group

if TYPE_CHECKING:
    from patmark.evaluation import CompareSettings


@group
class SavedOptions(Imported, heading="External scores"):
    """Saved or external scores."""

    scores: tuple[str, ...] = ()
    """FILE: compare saved scores (see --save) instead of texts; several are joined. NAME=FILE:
    segment scores of another program as a measure (CSV, TSV, JSONL, MT-metrics-eval, COMET JSON,
    one number per line); NAME=command:PROGRAM."""
    systems: str | None = None
    """With --scores and no texts: comma-separated systems to compare, e.g. 'A,B'."""


@group
class Tests(ChosenTest, PairTests):
    """Tests of differences."""

    detect: str | None = None
    """Report the number of units needed to detect this difference, e.g. 'BLEU=0.5'."""
    primary: str | None = None
    """The primary measure; only it gives a verdict."""

    def settings(self, sampling: Draws, margin: str | None = None) -> CompareSettings:
        """Return the settings of the comparison."""
        from patmark.evaluation import measure_name, parse_margins, parse_thresholds

        self._check()
        wanted = parse_thresholds(self.detect) if self.detect else []
        detect = {limit.measure: limit.value for limit in wanted}
        within = {one.measure: one.value for one in parse_margins(margin)} if margin else {}
        return self._settings(
            sampling, test=self.test, holm=self.holm, clusters=self.clusters, detect=detect,
            margin=within,
            primary=measure_name(self.primary) if self.primary else None,
        )  # fmt: skip


def compare(
    *results: Annotated[str, Parameter(help=LISTED_FILES)],
    data: Data = Data(),
    saved: SavedOptions = SavedOptions(),
    protocol: ProtocolChoice = ProtocolChoice(),
    own: OwnOptions = OwnOptions(),
    choice: MeasureChoice = MeasureChoice(),
    judge: JudgeService = JudgeService(),
    spending: Spending = Spending(),
    tests: Tests = Tests(),
    sampling: Resampling = Resampling(),
    gates: CompareGates = CompareGates(),
    output: Output = Output(),
) -> None:
    """Compare systems on one test set: significant differences and their causes.

    Examples:

      patmark compare a.txt b.txt reference.txt source.txt

      patmark compare --hyp A=a.txt --hyp B=b.txt --hyp C=c.txt --ref ref.txt --lang ja-en

      patmark compare a.jsonl b.jsonl --protocol patsnap --html comparison.html

      patmark compare --scores scores.json.gz --measures BLEU --resamples 10000 --by document

      patmark compare --scores monday.json --scores friday.json --systems A,C

      patmark compare --hyp A=a.txt --hyp B=b.txt --ref ref.txt --lang zh-en
      --scores COMET=comet.json
    """
    from patmark.app.commands import ComparisonRequest, compare_translations

    settings = tests.settings(sampling, gates.margin)
    plan = gates.read(settings)
    request = ComparisonRequest(
        **protocol.request(results, own, data, choice, saved, judge.connected(spending)),
        gates=plan,
        detailed=bool(output.html),
        settings=settings,
        systems=split_list(saved.systems) or None,
        everything=output.wants_everything,
    )
    files = saved.scores if request.compares_saved else saved.files
    output.check(
        [*data.check(results, files), *choice.glossary, gates.baseline, gates.calibration],
        gates.junit,
    )
    with judge.asking(), progress_bar(output.quiet, "scoring ") as progress:
        done = compare_translations(request, teller(output.quiet), progress)
    deliver(done, output, plan=plan, junit=gates.junit)
