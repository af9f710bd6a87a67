"""Gates for continuous integration: conditions that decide the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Estimate, Scores
    from patmark.protocols import GateResult, Settings

GATE_TRIALS = 10_000


@dataclass(frozen=True, slots=True)
class Gates:
    """The gate options as they were given."""

    fail_under: str | None
    baseline: str | None
    max_drop: str | None

    def check(self, junit: str | None) -> None:
        """Refuse options that need each other."""
        if (self.baseline is None) != (self.max_drop is None):
            raise UsageError("--baseline and --max-drop go together")
        if junit is not None and self.fail_under is None and self.max_drop is None:
            raise UsageError("--junit has no effect without --fail-under or --max-drop")

    def judge(
        self,
        estimates: Mapping[str, Mapping[str, Estimate]],
        scores: Mapping[str, Scores],
        documents: Sequence[str | None],
        settings: Settings,
    ) -> list[GateResult]:
        """The verdict of each gate on each system."""
        from patmark import protocols
        from patmark.stats import Units

        verdicts: list[GateResult] = []
        if self.fail_under is not None:
            verdicts += protocols.check_fail_under(
                estimates,
                protocols.parse_thresholds(self.fail_under),
                {name: one.higher_is_better for name, one in scores.items()},
            )
        if self.max_drop is not None and self.baseline is not None:
            verdicts += protocols.check_max_drop(
                scores, protocols.read_scores(self.baseline).scores,
                protocols.parse_thresholds(self.max_drop),
                Units.choose(documents, settings.by), GATE_TRIALS, settings.seed,
            )  # fmt: skip
        return verdicts
