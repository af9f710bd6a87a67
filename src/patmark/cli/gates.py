"""Gates for continuous integration: conditions that decide the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from patmark.cli.output import say
from patmark.errors import UsageError
from patmark.options import Options, group

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.evaluation import CompareSettings, GatePlan, Protocol, Sampling


@group
class Gates(Options, heading="Gates"):
    """Conditions on scores."""

    fail_under: str | None = None
    """Exit with 1 if a system scores worse than this, e.g. 'BLEU=30,TER=60'."""
    baseline: str | None = None
    """Saved scores of an earlier version, for --max-drop and --margin."""
    max_drop: str | None = None
    """Exit with 1 if a score fell significantly by more, e.g. 'BLEU=0.5'."""
    margin: str | None = None
    """Exit with 1 unless a drop of this size is ruled out, e.g. 'BLEU=0.5'."""
    junit: str | None = None
    """Write the outcome of the gates as JUnit XML."""

    def read(self, test: Sampling | CompareSettings) -> GatePlan | None:
        """Parse thresholds and read the baseline, before any work is done; None without gates.

        A drop is tested as systems are compared, or by the usual test.
        """
        if not self.given():
            return None
        from patmark.evaluation import (
            DropTest,
            GatePlan,
            Sampling,
            check_drops,
            parse_margins,
            parse_thresholds,
            read_scores,
            refuse_descriptive,
        )
        from patmark.measures import find_measure

        if self.max_drop is not None and self.baseline is None:
            raise UsageError("--baseline and --max-drop go together")
        if self.baseline is not None and self.max_drop is None and self.margin is None:
            raise UsageError("--baseline goes together with --max-drop or --margin")
        compares = not isinstance(test, Sampling)
        if self.margin is not None and self.baseline is None and not compares:
            raise UsageError("--margin needs a --baseline")
        gated = self.fail_under is not None or self.baseline is not None
        if self.junit is not None and not gated:
            raise UsageError("--junit has no effect without --fail-under or --baseline")
        if not gated:
            return None
        drop_test = DropTest.of(test) if isinstance(test, Sampling) else DropTest.like(test)
        least = [] if self.fail_under is None else parse_thresholds(self.fail_under)
        drops = [] if self.max_drop is None else parse_thresholds(self.max_drop)
        margins = [] if self.margin is None else parse_margins(self.margin)
        measures = [find_measure(limit.measure) for limit in (*least, *drops, *margins)]
        refuse_descriptive(measure for measure in measures if measure is not None)
        if drops:
            check_drops(drops, drop_test.draws)
        baseline = None if self.baseline is None else read_scores(self.baseline)
        gates = margins if baseline is not None else []
        return GatePlan(least, drops, baseline, drop_test, _warn, gates)


@group
class CompareGates(Gates, heading="Gates"):
    """Conditions on scores, where systems are compared."""

    margin: str | None = None
    """Test which systems differ by less, e.g. 'BLEU=0.5'; with --baseline: exit with 1 unless a
    drop of this size is ruled out."""


def check_gates(
    plan: GatePlan | None, protocol: Protocol, test_set: TestSet, systems: Sequence[str]
) -> None:
    """Refuse, before anything is scored, gates that could not be judged."""
    if plan:
        plan.check(protocol.names(test_set), systems)
        plan.check_baseline(test_set, protocol.signatures(test_set))


def _warn(message: str) -> None:
    say(f"patmark: warning: {message}")
