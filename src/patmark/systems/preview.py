"""A preview of a run: the first prompt, and an estimate of tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patmark.llm import Prices, Usage
from patmark.systems.chat import ChatSystem
from patmark.systems.journal import RunRow, rows_left
from patmark.systems.run import RunPlan


@dataclass(frozen=True, slots=True)
class RunPreview:
    """The first prompt, the number of texts, and an estimate of tokens where those are counted."""

    prompt: str
    rows: int
    earlier: int
    from_cache: int
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
            f"{texts}; {self.from_cache} requests have a kept answer, the other {used.answers} "
            f"take about {used.prompt_tokens:,} prompt and {used.completion_tokens:,} answered "
            f"tokens{cost}; {self.signature}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        guess = None if self.expected is None else self.expected.to_json(self.prices)
        return {
            "prompt": self.prompt,
            "rows": self.rows,
            "earlier": self.earlier,
            "kept": self.from_cache,
            "estimated": guess,
            "signature": self.signature,
        }


def preview_run(
    plan: RunPlan, prices: Prices | None = None, journalled: Mapping[str, RunRow] | None = None
) -> RunPreview:
    """Preview the inputs that ``journalled`` rows leave; show the first text without a prompt."""
    first = plan.items[0]
    prompt = "\n\n".join(one.content for one in first.messages) or first.source
    done, left = rows_left(plan.items, journalled or {})
    from_cache, expected = 0, None
    if isinstance(plan.system, ChatSystem):
        from_cache, expected = plan.system.expected(left)
    return RunPreview(
        prompt, len(plan.items), len(done), from_cache, expected, prices, plan.signature
    )
