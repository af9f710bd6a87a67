"""A preview of a run: the first prompt, and an estimate of tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patmark.llm import Prices, Usage
from patmark.systems.chat import ChatSystem
from patmark.systems.journal import RunRow, rows_left
from patmark.systems.run import RunPlan
from patmark.wording import Text, tr, tr_n


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
    def summary(self) -> Text:
        """The counts in one line."""
        counts = [tr_n("{n} text", "{n} texts", n=self.rows)]
        if self.earlier:
            counts.append(tr("{n} answered earlier", n=self.earlier))
        if self.expected is not None:
            used = self.expected
            tokens = tr(
                "about {prompt:,} prompt and {answered:,} answered tokens",
                prompt=used.prompt_tokens,
                answered=used.completion_tokens,
            )
            counts += [
                tr("{n} cached answers", n=self.from_cache),
                tr_n("{n} request to send", "{n} requests to send", n=used.answers),
                tokens
                if self.prices is None
                else tr("{tokens}, cost {cost:.4f}", tokens=tokens, cost=self.prices.cost(used)),
            ]
        return tr("{counts}; {signature}", counts=tuple(counts), signature=self.signature)

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
    """Preview the inputs that are not ``journalled`` yet; show the first text without a prompt."""
    first = plan.items[0]
    prompt = "\n\n".join(one.content for one in first.messages) or first.source
    done, left = rows_left(plan.items, journalled or {})
    from_cache, expected = 0, None
    if isinstance(plan.system, ChatSystem):
        from_cache, expected = plan.system.expected(left)
    return RunPreview(
        prompt, len(plan.items), len(done), from_cache, expected, prices, plan.signature
    )
