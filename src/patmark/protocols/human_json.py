"""Parts of a human ranking for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from patmark.evaluation import estimate_json
from patmark.human import Exclusion
from patmark.protocols.head_to_head import SignPair, mark
from patmark.stats.bradley_terry import BradleyTerry


def sign_json(one: SignPair) -> dict[str, Any]:
    """A sign test."""
    return {
        "wins": one.test.wins, "losses": one.test.losses, "ties": one.test.ties,
        "p_sign": one.test.p, "p_sign_holm": one.p_holm,
        "mark": mark(one.test.p), "mark_holm": mark(one.p_holm),
    }  # fmt: skip


def strengths_json(found: BradleyTerry, systems: Sequence[str]) -> dict[str, Any]:
    """Strengths by system, and how they were found."""
    return {
        "strengths": {
            system: estimate_json(one)
            for system, one in zip(systems, found.strengths, strict=True)
        },
        "components": [[systems[place] for place in group] for group in found.components],
        "prior": found.prior, "prior_resamples": found.prior_resamples,
        "unconverged": found.unconverged,
    }  # fmt: skip


def exclusion_json(one: Exclusion) -> dict[str, Any]:
    """A segment of an evaluator that does not count."""
    return {
        "criterion": one.criterion, "evaluator": one.evaluator, "segment": one.segment,
        "lacking": list(one.lacking), "judgements": one.judgements,
    }  # fmt: skip
