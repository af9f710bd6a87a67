"""Settings of a judge, and the names of its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from patmark.errors import UsageError
from patmark.systems.judge.criteria import OVERALL
from patmark.systems.judge.prompt import RATING, Prompt


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The model, the number of samples per output, and the prompt.

    With a ``seed``, each sample sends another one, so that samples differ and can be repeated.
    """

    model: str
    samples: int = 5
    temperature: float | None = 1.0
    max_tokens: int | None = None
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    name: str = "LLMJudge"
    prompt: Prompt = RATING

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"a {self.prompt.subject.one} needs at least one sample")
        if not self.name.strip():
            raise UsageError("the name of the judge is empty")

    @property
    def aspects(self) -> tuple[str, ...]:
        """The names of the scores; the overall quality comes last."""
        return self.prompt.aspects

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the scores, with the overall quality first."""
        return (self.aspects[-1], *self.aspects[:-1])

    def measure(self, aspect: str) -> str:
        """Return the name of a score; the overall quality has the name of the judge."""
        if aspect == OVERALL:
            return self.name
        if self.name.endswith(")"):
            return f"{self.name[:-1]},criterion={aspect})"
        return f"{self.name}(criterion={aspect})"
