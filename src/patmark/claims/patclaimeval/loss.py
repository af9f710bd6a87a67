"""The pairwise loss of PatClaimEval, on the scores of two candidates in 0–1."""

from __future__ import annotations

from typing import Any

from patmark.errors import UsageError


def check_margins(margin: float, tolerance: float) -> None:
    """Refuse margins by which a better candidate could not be told from an equal one."""
    if not 0 <= tolerance < margin <= 1:
        raise UsageError(
            "expected 0 <= tolerance < margin <= 1, since scores are in 0–1; "
            f"found tolerance {tolerance:g} and margin {margin:g}"
        )


def pair_losses(first: Any, second: Any, labels: Any, margin: float, tolerance: float) -> Any:
    """One loss per pair; all arguments are tensors of one length, labels are 1, 0 or -1.

    The better candidate should lead by the margin, equal ones should differ by no more than the
    tolerance: ReLU(m - (s1 - s2)), ReLU(m - (s2 - s1)), ReLU(|s1 - s2| - n).
    """
    lead = first - second
    ordered = (margin - labels * lead).clamp(min=0)
    equal = (lead.abs() - tolerance).clamp(min=0)
    return equal.where(labels == 0, ordered)
