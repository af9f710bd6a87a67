"""Rows and notes that every reader of judgements collects and returns.

Besides judgements a file may hold error annotations and the annotated texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from patmark.data import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    FilePath,
    Rating,
    RatingKey,
    counted,
    raise_if_any,
    shown,
)
from patmark.errors import Problem
from patmark.human.judgements.checks import (
    Known,
    built_judgements,
    built_preferences,
    judgement_problems,
    preference_problems,
)
from patmark.human.judgements.model import Judgement, Judgements, Preference, Preferences


def utf16_places(text: str) -> list[int]:
    """Return the character of each UTF-16 unit of a text; browsers count these units."""
    return [at for at, sign in enumerate(text) for _ in range(2 if ord(sign) > 0xFFFF else 1)]


@dataclass(frozen=True, slots=True)
class Reading:
    """Content of a file: its format, judgements, preferences, annotations, and notes.

    ``texts`` are those of the annotated outputs, if the file has them.
    """

    format: str
    judgements: Judgements | None
    preferences: Preferences | None
    notes: tuple[str, ...] = ()
    annotations: Annotations | None = None
    texts: AnnotatedTexts | None = None


@dataclass(slots=True)
class Collected:
    """Rows and problems of one file during reading."""

    path: str
    known: Known
    judgements: list[Judgement] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ratings: dict[RatingKey, Rating] = field(default_factory=dict)
    marks: list[Annotation] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    targets: dict[tuple[str, str], str] = field(default_factory=dict)
    repeated: int = 0

    @classmethod
    def of(cls, path: FilePath, known: Known) -> Collected:
        """Return an empty collection for one file."""
        return cls(shown(path), known)

    def note(self, count: int, noun: str, message: str) -> None:
        """Add a note on skipped items, if there are any."""
        if count:
            self.notes.append(f"{counted(count, noun)} {message}")

    def reading(self, format: str) -> Reading:
        """Validate everything; raise all problems, or return the reading."""
        problems = [
            *self.problems,
            *judgement_problems(self.judgements, self.path, self.known),
            *preference_problems(self.preferences, self.path, self.known),
        ]
        held = self.judgements or self.preferences or self.ratings
        if not problems and not held:
            details = "".join(f"; {note}" for note in self.notes)
            problems = [Problem(f"has no judgements (read as {format}){details}", self.path)]
        raise_if_any(problems)
        judgements = built_judgements(self.judgements, self.path, self.known)
        preferences = built_preferences(self.preferences, self.path, self.known)
        annotations = Annotations(
            tuple(self.ratings.values()), tuple(self.marks), repeats=self.known.repeated_marks
        )
        repeated = self.repeated + len(self.marks) - len(annotations.all_marks)
        if repeated:
            count = counted(repeated, "mark that repeats", "marks that repeat")
            self.notes.append(f"{count} another left aside")
        return Reading(
            format,
            judgements if self.judgements else None,
            preferences if self.preferences else None,
            tuple(self.notes),
            annotations if self.ratings else None,
            AnnotatedTexts(self.sources, self.targets) if self.sources or self.targets else None,
        )
