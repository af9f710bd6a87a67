"""What each translation loses in retrieval against the original topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Column, Estimate, Point, Scatter, Table
from patmark.protocols.evaluation import estimate_json
from patmark.protocols.head_to_head import LIKELY
from patmark.protocols.system_correlations import SystemCorrelations
from patmark.retrieval.comparison import RetrievalComparison, RunPair, mark

_SECTION = "What translation costs"


@dataclass(frozen=True, slots=True)
class Loss:
    """A system against the ceiling. ``loss`` is ceiling minus system, negative if it is better.

    ``kept`` is the share of the ceiling that is left, NaN if the ceiling is 0.
    """

    system: str
    value: Estimate
    ceiling: float
    loss: Estimate
    p: float
    p_holm: float

    @property
    def kept(self) -> float:
        """System divided by ceiling."""
        return self.value.value / self.ceiling if self.ceiling else float("nan")

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result, with null for what has no value."""
        return {
            "system": self.system,
            "value": estimate_json(self.value),
            "ceiling": self.ceiling,
            "loss": estimate_json(self.loss),
            "kept": self.kept if np.isfinite(self.kept) else None,
            "p": self.p,
            "p_holm": self.p_holm,
            "mark": mark(self.p),
            "mark_holm": mark(self.p_holm),
        }


def losses(comparison: RetrievalComparison, ceiling: str) -> tuple[Loss, ...]:
    """The losses by the main measure, smallest first."""
    means = comparison.evaluation.estimates[comparison.main]
    found = [
        _loss(pair, ceiling, means)
        for pair in comparison.tests[comparison.main]
        if ceiling in (pair.better, pair.worse)
    ]
    return tuple(sorted(found, key=lambda loss: (loss.loss.value, loss.system)))


def _loss(pair: RunPair, ceiling: str, means: Mapping[str, Estimate]) -> Loss:
    low, high = pair.ci
    if pair.better == ceiling:
        system, loss = pair.worse, Estimate(pair.delta, (low, high), pair.topics)
    else:
        system, loss = pair.better, Estimate(-pair.delta, (-high, -low), pair.topics)
    return Loss(system, means[system], means[ceiling].value, loss, pair.p, pair.p_holm)


def loss_table(measure: str, found: Sequence[Loss], bleu: Mapping[str, Estimate]) -> Table:
    """Systems by what they lose, with the BLEU of their topics."""
    columns = (
        Column("system"), Column("BLEU of topics"), Column(measure, 4),
        Column("% of the original", 1), Column("loss", 4),
        Column("p t", 4, p_value=True), Column("p t, Holm", 4, p_value=True),
    )  # fmt: skip
    rows = tuple(
        (
            one.system, bleu[one.system], one.value, 100 * one.kept, one.loss,
            one.p, one.p_holm,
        )
        for one in found
    )  # fmt: skip
    ceiling = f"{found[0].ceiling:.4f}" if found else "none"
    note = (
        f"The original topics reach {ceiling}; the loss is against them. "
        "Two-sided paired t-test over topics; Holm over all pairs of runs."
    )
    return Table(_SECTION, columns, rows, note, _SECTION)


def bleu_chart(measure: str, found: Sequence[Loss], bleu: Mapping[str, Estimate]) -> Scatter:
    """BLEU of the topics against retrieval, one point for each system."""
    points = tuple(Point(bleu[one.system].value, one.value.value, one.system) for one in found)
    return Scatter(
        "BLEU of topics and retrieval", "BLEU of topics", measure, points,
        f"{len(points)} systems; a line through few points says little.", _SECTION,
        regression=len(points) > 2,
    )  # fmt: skip


def agreement_table(measure: str, found: SystemCorrelations) -> Table:
    """Whether BLEU puts the systems in the order of their retrieval."""
    systems = next(iter(found.estimates.values())).n
    columns = (Column("coefficient"), Column(f"BLEU and {measure}", 3))
    note = f"Over {systems} systems, without the original; they say nothing about other systems."
    rows = tuple(found.estimates.items())
    return Table("Does BLEU predict retrieval?", columns, rows, note, _SECTION)


def loss_findings(measure: str, found: Sequence[Loss]) -> list[str]:
    """One sentence for each system."""
    return [_finding(measure, one) for one in found]


def _finding(measure: str, one: Loss) -> str:
    kept = f"{one.kept:.1%}".replace("%", " %") if np.isfinite(one.kept) else "an unknown share"
    sure = "significant" if one.p_holm < LIKELY else "not significant"
    return (
        f"{one.system} keeps {kept} of the {measure} of the original topics "
        f"({one.value.value:.4f} of {one.ceiling:.4f}); the difference is {sure} at 5 % after Holm."
    )
