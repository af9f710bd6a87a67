"""The exception hierarchy.

    PatmarkError
    ├── InputError       bad data: every problem found, with file and line
    ├── UsageError       a request that cannot be carried out (unknown name, bad parameter)
    └── MissingExtra     an optional library is needed; the message holds the install line

The command line prints the message and exits with 2; any other exception is an error in patmark
itself, and exits with 3. Library code never exits. A PatmarkWarning informs users without requiring
action.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from patmark.wording import setting

_SHOWN = 20


class ExitCode(IntEnum):
    """Exit codes of the command line and of the jobs of the page."""

    DONE = 0
    FAILED = 1
    """A gate failed, or a row has no result."""
    MISUSED = 2
    """Bad usage or data."""
    CRASHED = 3
    """An error in patmark itself."""
    STOPPED = 130
    """Interrupted by the user."""


class PatmarkError(Exception):
    """Base of every exception that patmark raises."""


class PatmarkWarning(UserWarning):
    """A warning to users; the command line prints it on one line."""


def reason(error: Exception) -> str:
    """Return the message of another package's error in one line, without file paths."""
    place = getattr(error, "path", None) if isinstance(error, ImportError) else None
    text = str(error).replace(f" ({place})", "") if place else str(error)
    return " ".join(text.split()) or type(error).__name__


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of an input: expectation, finding and place."""

    message: str
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = [str(part) for part in (self.path, self.line) if part is not None]
        return ": ".join([":".join(place), self.message] if place else [self.message])


@dataclass(frozen=True, slots=True)
class Damage(Problem):
    """A file that cannot be read to its end; what precedes the damage was read."""


class InputError(PatmarkError):
    """Bad data. Holds all problems that were found, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        shown = [str(problem) for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            shown.append(f"… and {len(self.problems) - _SHOWN} more problems")
        super().__init__("\n".join(shown))

    @classmethod
    def at(cls, message: str, path: str | None = None, line: int | None = None) -> InputError:
        """Make an error with a single problem."""
        return cls([Problem(message, path, line)])


class UsageError(PatmarkError):
    """A request that cannot be carried out as it was made."""


def near(name: str, known: Iterable[str]) -> str:
    """Return "did you mean …?" for an unknown name; empty if none is similar."""
    from difflib import get_close_matches

    by_case = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), by_case, n=1)
    return f"; did you mean {by_case[found[0]]}?" if found else ""


class MissingExtra(PatmarkError):
    """An optional library is not installed.

    ``measure`` is the one that needs it; its scores may also be imported.
    """

    def __init__(self, library: str, extra: str, measure: str = "") -> None:
        install = f"pip install 'patmark[{extra}]'"
        if measure:
            message = (
                f"{measure} needs the extra {extra} ({install}), or import its scores with "
                f"{setting('scores', f'{measure}=FILE')}"
            )
        else:
            message = f"{library} is not installed; it comes with: {install}"
        super().__init__(message)
