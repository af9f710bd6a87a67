"""Gates that are ready to judge: thresholds, and a baseline with the test of drops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from patmark.data import Estimate, Scores, TestSet
from patmark.data.fingerprint import fingerprint
from patmark.measures import Measure
from patmark.protocols.comparison import CompareSettings, TestName
from patmark.protocols.evaluation import Settings
from patmark.protocols.gates import (
    BASELINE_NAMES,
    GateResult,
    Threshold,
    check_fail_under,
    check_known,
    check_max_drop,
    matched_systems,
)
from patmark.protocols.joined_scores import (
    check_same_counting,
    check_same_segments,
    check_same_texts,
    unchecked,
)
from patmark.protocols.saved_scores import SavedScores
from patmark.protocols.score_facts import ScoreFacts
from patmark.stats import Units

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


@dataclass(frozen=True, slots=True)
class GatePlan:
    """Gates that are ready to judge."""

    least: Sequence[Threshold]
    drops: Sequence[Threshold]
    baseline: SavedScores | None
    test: DropTest
    warn: Callable[[str], None]

    def check(self, measures: Sequence[str], systems: Sequence[str]) -> None:
        """Refuse, before scoring, thresholds for what will not be there."""
        check_known([*self.least, *self.drops], measures, "scored")
        if self.baseline is not None:
            check_known(self.drops, self.baseline.scores, "in the baseline")
            matched_systems(systems, self.baseline.systems)

    def check_baseline(self, test_set: TestSet, measures: Sequence[Measure]) -> None:
        """Refuse, before scoring, a baseline of another test set or another way of counting."""
        if self.baseline is None:
            return
        self._check_segments([segment.id for segment in test_set], fingerprint(test_set))
        signatures = {measure.name: measure.signature(test_set) for measure in measures}
        for name in (threshold.measure for threshold in self.drops):
            before = self.baseline.scores[name].signature
            check_same_counting(name, before, signatures[name], BASELINE_NAMES)

    def _check_segments(self, segments: Sequence[str], texts: Mapping[str, str]) -> None:
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
        higher = {name: one.higher_is_better for name, one in scores.items()}
        verdicts = check_fail_under(estimates, self.least, higher)
        if self.baseline is None:
            return verdicts
        self._check_segments(next(iter(scores.values())).segments, facts.test_set)
        texts = {"the baseline": self.baseline.known.test_set, "the new result": facts.test_set}
        if unchecked(texts):
            self.warn(_UNCHECKED)
        return verdicts + check_max_drop(
            scores,
            self.baseline.scores,
            self.drops,
            Units.choose(documents, self.test.by),
            self.test.draws,
            self.test.seed,
            self.test.test,
        )
