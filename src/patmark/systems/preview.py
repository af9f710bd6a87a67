"""What a run would take, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from patmark.llm import Prices, Usage
from patmark.systems.chat import ChatSystem
from patmark.systems.runner import Plan


@dataclass(frozen=True, slots=True)
class Preview:
    """The first prompt, how many texts there are, and a guess at tokens where those are counted."""

    prompt: str
    rows: int
    kept: int
    expected: Usage | None
    prices: Prices | None
    signature: str

    @property
    def summary(self) -> str:
        """The counts in one line."""
        if self.expected is None:
            return f"{self.rows} texts; {self.signature}"
        used = self.expected
        cost = "" if self.prices is None else f", cost about {self.prices.cost(used):.4f}"
        return (
            f"{self.rows} texts, {self.kept} requests answered earlier; the other {used.answers} "
            f"take about {used.prompt_tokens} prompt tokens and {used.completion_tokens} answered "
            f"tokens{cost}; {self.signature}"
        )

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        guess = None if self.expected is None else self.expected.to_json(self.prices)
        return {
            "prompt": self.prompt, "rows": self.rows, "kept": self.kept, "estimated": guess,
            "signature": self.signature,
        }  # fmt: skip


def preview(plan: Plan, prices: Prices | None = None) -> Preview:
    """Count what would be asked. A system without a prompt is shown the first text."""
    first = plan.items[0]
    prompt = "\n\n".join(one.content for one in first.messages) or first.source
    kept, expected = 0, None
    if isinstance(plan.system, ChatSystem):
        kept, expected = plan.system.expected(plan.items)
    return Preview(prompt, len(plan.items), kept, expected, prices, plan.signature)
