"""What a run would take, before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patmark.llm import Prices, Usage
from patmark.systems.chat import ChatSystem
from patmark.systems.journal import Row
from patmark.systems.runner import Plan


@dataclass(frozen=True, slots=True)
class Preview:
    """The first prompt, how many texts there are, and a guess at tokens where those are counted."""

    prompt: str
    rows: int
    earlier: int
    kept: int
    expected: Usage | None
    prices: Prices | None
    signature: str

    @property
    def summary(self) -> str:
        """The counts in one line."""
        texts = f"{self.rows} texts" + (
            f", {self.earlier} answered earlier" if self.earlier else ""
        )
        if self.expected is None:
            return f"{texts}; {self.signature}"
        used = self.expected
        cost = "" if self.prices is None else f", cost about {self.prices.cost(used):.4f}"
        return (
            f"{texts}; {self.kept} requests have a kept answer, the other {used.answers} take "
            f"about {used.prompt_tokens:,} prompt and {used.completion_tokens:,} answered tokens"
            f"{cost}; {self.signature}"
        )

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        guess = None if self.expected is None else self.expected.to_json(self.prices)
        return {
            "prompt": self.prompt, "rows": self.rows, "earlier": self.earlier, "kept": self.kept,
            "estimated": guess, "signature": self.signature,
        }  # fmt: skip


def preview(
    plan: Plan, prices: Prices | None = None, settled: Mapping[str, Row] | None = None
) -> Preview:
    """Count what would be asked besides ``settled`` rows; without a prompt, show the first text."""
    first = plan.items[0]
    prompt = "\n\n".join(one.content for one in first.messages) or first.source
    done = {one for one, row in (settled or {}).items() if row.failure is None}
    left = [item for item in plan.items if item.id not in done]
    earlier, kept, expected = len(plan.items) - len(left), 0, None
    if isinstance(plan.system, ChatSystem):
        kept, expected = plan.system.expected(left)
    return Preview(prompt, len(plan.items), earlier, kept, expected, prices, plan.signature)
