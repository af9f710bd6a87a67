"""Enrolment before the first page: consent, and questions about the evaluator's background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter

from patmark.human.campaign.form import Text, Words, in_any_language

LONGEST_ANSWER = 500
CONSENT = "consent"
"""The field with which consent is given."""
_LONGEST_NUMBER = 9

BackgroundKind: TypeAlias = Literal["choice", "number", "text"]


@dataclass(frozen=True, slots=True)
class BackgroundQuestion:
    """A question that each evaluator is asked once; the value of a choice is its first text."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    id: Text
    title: Words
    kind: BackgroundKind = "text"
    choices: tuple[Words, ...] = ()
    required: bool = True

    @property
    def values(self) -> tuple[str, ...]:
        """The values that may be chosen."""
        return tuple(map(in_any_language, self.choices))

    def problem(self, answer: str) -> bool:
        """Return True if an answer is invalid."""
        if not answer:
            return self.required
        if self.kind == "number":
            plain = answer.isascii() and answer.isdecimal() and len(answer) <= _LONGEST_NUMBER
            return not plain
        if self.kind == "choice":
            return answer not in self.values
        return len(answer) > LONGEST_ANSWER


@dataclass(frozen=True, slots=True)
class Enrolment:
    """Consent (Markdown) and background questions that an evaluator answers before the start."""

    consent: Mapping[str, str]
    questions: tuple[BackgroundQuestion, ...]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Enrolment:
        """Return the enrolment of a campaign from the settings of its plan."""
        questions = _QUESTIONS.validate_python(settings.get("background") or ())
        return cls(settings.get("consent") or {}, questions)

    def __bool__(self) -> bool:
        return bool(self.consent or self.questions)

    def problems(self, fields: Mapping[str, str]) -> tuple[str, ...]:
        """Return the ids of missing or wrong fields in a filled-in form, consent first."""
        lacking = [CONSENT] if self.consent and fields.get(CONSENT) != "yes" else []
        wrong = [one.id for one in self.questions if one.problem(_given(fields, one))]
        return (*lacking, *wrong)

    def answers(self, fields: Mapping[str, str]) -> dict[str, str]:
        """Return the answers by question."""
        return {one.id: given for one in self.questions if (given := _given(fields, one))}


def background_problems(questions: tuple[BackgroundQuestion, ...]) -> list[str]:
    """Return the faults of the questions of a campaign file."""
    found = []
    names = [one.id for one in questions]
    for place, one in enumerate(questions):
        if one.id in names[:place]:
            found.append(f"two questions are called {one.id!r}")
        if bool(one.choices) != (one.kind == "choice"):
            found.append(f"question {one.id!r}: a choice, and nothing else, has choices")
    return found


def _given(fields: Mapping[str, str], question: BackgroundQuestion) -> str:
    return fields.get(f"background-{question.id}", "").strip()


_QUESTIONS = TypeAdapter(tuple[BackgroundQuestion, ...])
