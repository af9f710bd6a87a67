"""Lists of problems that a person can read: one kind of problem does not fill the screen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from patmark.errors import Problem

SHOWN = 5


def folded(problems: Sequence[Problem]) -> list[Problem]:
    """Where many lines of a file have the same problem, the first five and how many more."""
    same = [(problem.path, problem.message) for problem in problems]
    counts = Counter(same)
    seen: dict[tuple[str | None, str], int] = defaultdict(int)
    shown = []
    for problem, key in zip(problems, same, strict=True):
        seen[key] += 1
        if seen[key] <= SHOWN:
            shown.append(problem)
        elif seen[key] == SHOWN + 1:
            more = counts[key] - SHOWN
            lines = "1 more line" if more == 1 else f"{more} more lines"
            message = f"… and {lines}, from here on: {problem.message}"
            shown.append(Problem(message, problem.path, problem.line))
    return shown


def first_of(problems: Sequence[Problem], what: str, path: str | None = None) -> list[Problem]:
    """The first five problems, and how many more there are of ``what``."""
    more = len(problems) - SHOWN
    if more <= 0:
        return list(problems)
    return [*problems[:SHOWN], Problem(f"… and {more} more {what}", path)]
