"""Settings of a meta-evaluation, and its result for one metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from patmark.data import Estimate
from patmark.errors import UsageError
from patmark.stats import AverageBy, Sampling
from patmark.wording import setting

Level: TypeAlias = Literal["system", "segment"]
DEFAULT_PERMUTATIONS = 1000


@dataclass(frozen=True, slots=True)
class MetaSettings:
    """Settings of a meta-evaluation: level, groups of segments, resampling, permutations.

    With ``allow_partial`` a metric that lacks segments is evaluated on those that it has. Outputs
    with a gold of ``error_free`` or better form a class that metrics should detect.
    """

    level: Level = "system"
    average_by: AverageBy = "item"
    permutations: int = DEFAULT_PERMUTATIONS
    allow_partial: bool = False
    sampling: Sampling = field(default_factory=Sampling)
    error_free: float | None = None

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise UsageError(f"the level {self.level!r} is unknown; choose system or segment")
        if self.average_by not in get_args(AverageBy):
            raise UsageError(
                f"average by {self.average_by!r} is unknown; choose none, system or item"
            )
        if self.error_free is not None and self.level != "segment":
            raise UsageError(f"{setting('error_free')} needs {setting('level', 'segment')}")
        if self.permutations < 1:
            raise UsageError(f"at least one permutation is needed, not {self.permutations}")


@dataclass(frozen=True, slots=True)
class MetricRow:
    """Agreement of one metric with gold; ``n`` systems or, by segment, cells with gold.

    ``details`` are numbers without an interval: groups, thresholds, resamples without a value.
    """

    metric: str
    n: int
    agreement: Mapping[str, Estimate]
    details: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the row with each coefficient as a number, and the intervals beside them."""
        found = {name.replace(" ", "_"): one for name, one in self.agreement.items()}
        return {
            "metric": self.metric,
            "n": self.n,
            **{name: one.value for name, one in found.items()},
            "ci": {name: one.ci for name, one in found.items() if one.ci is not None},
            **self.details,
        }
