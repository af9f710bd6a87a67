"""Gates for continuous integration: conditions that decide the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patmark.cli.output import say
from patmark.cli.parsing import Options, group
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Estimate, Scores, TestSet
    from patmark.measures import Measure
    from patmark.protocols import (
        CompareSettings,
        GateResult,
        SavedScores,
        ScoreFacts,
        Settings,
        TestName,
        Threshold,
    )


GATE_TRIALS = 10_000
_UNCHECKED = "it could not be checked that the baseline was scored on the same texts; save it again"


@dataclass(frozen=True, slots=True)
class DropTest:
    """The test that decides whether a drop is real."""

    by: str | None
    seed: int
    draws: int = GATE_TRIALS
    test: TestName = "randomisation"

    @classmethod
    def of(cls, settings: Settings) -> DropTest:
        """The usual test, of the units and seed that intervals have."""
        return cls(settings.by, settings.seed)

    @classmethod
    def like(cls, compared: CompareSettings) -> DropTest:
        """The test by which systems are compared."""
        sampling = compared.sampling
        return cls(sampling.by, sampling.seed, compared.draws, compared.test)


@group
class Gates(Options, heading="Gates"):
    """Conditions on scores."""

    fail_under: str | None = None
    """Exit with 1 if a system scores worse than this, e.g. 'BLEU=30,TER=60'."""
    baseline: str | None = None
    """Saved scores of an earlier version, for --max-drop."""
    max_drop: str | None = None
    """Exit with 1 if a score fell significantly by more, e.g. 'BLEU=0.5'."""
    junit: str | None = None
    """Write the outcome of the gates as JUnit XML."""

    def read(self, test: DropTest, *, warn: bool = True) -> GatePlan:
        """Parse thresholds and read the baseline, before any work is done."""
        if not self.given():
            return GatePlan([], [], None, test)
        from patmark.protocols import gates, read_scores
        from patmark.protocols.choice import refuse_descriptive

        if (self.baseline is None) != (self.max_drop is None):
            raise UsageError("--baseline and --max-drop go together")
        if self.junit is not None and self.fail_under is None and self.max_drop is None:
            raise UsageError("--junit has no effect without --fail-under or --max-drop")
        parse = gates.parse_thresholds
        least = [] if self.fail_under is None else parse(self.fail_under)
        drops = [] if self.max_drop is None else parse(self.max_drop)
        refuse_descriptive(threshold.measure for threshold in (*least, *drops))
        for warning in gates.scale_warnings(least) if warn else ():
            say(f"patmark: warning: --fail-under: {warning}")
        if drops:
            gates.check_drops(drops, test.draws)
        baseline = None if self.baseline is None else read_scores(self.baseline)
        return GatePlan(least, drops, baseline, test)


@dataclass(frozen=True, slots=True)
class GatePlan:
    """Gates that are ready to judge."""

    least: Sequence[Threshold]
    drops: Sequence[Threshold]
    baseline: SavedScores | None
    test: DropTest

    def check(self, measures: Sequence[str], systems: Sequence[str]) -> None:
        """Refuse, before scoring, thresholds for what will not be there."""
        if not (self.least or self.drops):
            return
        from patmark.protocols.gates import check_known, matched_systems

        check_known([*self.least, *self.drops], measures, "scored")
        if self.baseline is not None:
            check_known(self.drops, self.baseline.scores, "in the baseline")
            matched_systems(systems, self.baseline.systems)

    def check_baseline(self, test_set: TestSet, measures: Sequence[Measure]) -> None:
        """Refuse, before scoring, a baseline of another test set or another way of counting."""
        if self.baseline is None:
            return
        from patmark.data.fingerprint import fingerprint
        from patmark.protocols.gates import BASELINE_NAMES
        from patmark.protocols.joined_scores import check_same_counting

        self._check_segments([segment.id for segment in test_set], fingerprint(test_set))
        signatures = {measure.name: measure.signature(test_set) for measure in measures}
        for name in (threshold.measure for threshold in self.drops):
            before = self.baseline.scores[name].signature
            check_same_counting(name, before, signatures[name], BASELINE_NAMES)

    def _check_segments(self, segments: Sequence[str], texts: Mapping[str, str]) -> None:
        from patmark.protocols.gates import BASELINE_NAMES
        from patmark.protocols.joined_scores import check_same_segments, check_same_texts

        if self.baseline is not None:
            check_same_segments(self.baseline.segments, segments, BASELINE_NAMES)
            check_same_texts(self.baseline.known.test_set, texts, BASELINE_NAMES)

    def judge(
        self,
        estimates: Mapping[str, Mapping[str, Estimate]],
        scores: Mapping[str, Scores],
        documents: Sequence[str | None],
        facts: ScoreFacts,
    ) -> list[GateResult]:
        """The verdict of each gate on each system."""
        if not (self.least or self.drops):
            return []
        from patmark.protocols import check_fail_under, check_max_drop
        from patmark.protocols.joined_scores import unchecked
        from patmark.stats import Units

        higher = {name: one.higher_is_better for name, one in scores.items()}
        verdicts = check_fail_under(estimates, self.least, higher)
        if self.baseline is None:
            return verdicts
        self._check_segments(next(iter(scores.values())).segments, facts.test_set)
        texts = {"the baseline": self.baseline.known.test_set, "the new result": facts.test_set}
        if unchecked(texts):
            say(f"patmark: warning: {_UNCHECKED}")
        return verdicts + check_max_drop(
            scores,
            self.baseline.scores,
            self.drops,
            Units.choose(documents, self.test.by),
            self.test.draws,
            self.test.seed,
            self.test.test,
        )
