"""What is known of scores beside their numbers, and kept with them in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from patmark.data import Run, TestSet
from patmark.data.counting import counted
from patmark.data.fingerprint import fingerprint

COUNTED_AS_EMPTY = "counts as an empty text"
COUNTED_AS_WRONG = "counts as wrong"
LEFT_OUT = "is left out"


@dataclass(frozen=True, slots=True)
class ScoreFacts:
    """The test set that scores belong to, and the answers that are missing.

    ``test_set`` is its fingerprint. What an older file does not say is empty, and None for
    ``languages`` and ``missing``. ``treatment`` says what became of segments without an answer.
    """

    test_set: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str | None] | None = None
    missing: Mapping[str, int] | None = None
    empty: Mapping[str, int] = field(default_factory=dict)
    treatment: str = COUNTED_AS_EMPTY

    @classmethod
    def of(
        cls, test_set: TestSet, runs: Sequence[Run], treatment: str = COUNTED_AS_EMPTY
    ) -> ScoreFacts:
        """The facts about runs of a test set."""
        return cls(
            fingerprint(test_set),
            {"source": test_set.source_language, "target": test_set.target_language},
            {run.system: run.missing for run in runs},
            {run.system: run.empty for run in runs},
            treatment,
        )

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> ScoreFacts:
        """Read from the facts of a file, which may hold others; the ValueError says what is wrong.

        A file written before a fact was kept is accepted.
        """
        read = {name: check(name, facts[name]) for name, check in _FIELDS.items() if name in facts}
        return cls(**read)

    def to_json(self) -> dict[str, Any]:
        """What is kept in a file; facts that are not known are left out."""
        mappings = ("test_set", "languages", "missing", "empty")
        known: dict[str, Any] = {
            name: dict(getattr(self, name)) for name in mappings if getattr(self, name)
        }
        return known | {"treatment": self.treatment} if self.missing else known

    def only(self, systems: Sequence[str]) -> ScoreFacts:
        """The facts about some of the systems."""
        missing = self.missing
        if missing is not None:
            missing = {name: missing[name] for name in systems if name in missing}
        empty = {name: self.empty[name] for name in systems if name in self.empty}
        return replace(self, missing=missing, empty=empty)

    def notes(self) -> tuple[str, ...]:
        """What readers must know about answers that are missing."""
        return answer_notes(self.missing or {}, self.empty, self.treatment)


def answer_notes(
    missing: Mapping[str, int], empty: Mapping[str, int], treatment: str = COUNTED_AS_EMPTY
) -> tuple[str, ...]:
    """A note for each system that left segments without an answer, or gave an empty one."""
    return tuple(
        f"{system}: {counted(number, 'segment')} {fault}"
        for system, unanswered in missing.items()
        for number, fault in (
            (unanswered, f"without an answer; each {treatment}."),
            (empty.get(system, 0), "with an empty answer."),
        )
        if number
    )


def _texts(name: str, value: Any) -> dict[str, str]:
    return _checked(name, value, lambda item: isinstance(item, str), "texts")


def _languages(name: str, value: Any) -> dict[str, str | None]:
    return _checked(name, value, lambda item: item is None or isinstance(item, str), "texts")


def _counts(name: str, value: Any) -> dict[str, int]:
    return _checked(name, value, lambda item: type(item) is int and item >= 0, "counts")


def _checked(name: str, value: Any, fits: Callable[[Any], bool], expected: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(map(fits, value.values())):
        raise ValueError(f"field 'facts': expected an object with {expected} as {name!r}")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"field 'facts': expected a text as {name!r}")
    return value


_FIELDS: dict[str, Callable[[str, Any], Any]] = {
    "test_set": _texts, "languages": _languages, "missing": _counts, "empty": _counts,
    "treatment": _text,
}  # fmt: skip
