"""What a reader of the results of a shared task must not miss, and smaller remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from patmark.protocols.comparison import Comparison
from patmark.protocols.comparison_notes import comparison_findings, comparison_notes

if TYPE_CHECKING:
    from patmark.protocols.task import TaskResult

_WARNING = "Warning:"
_BOUNDED = (
    "p of a difference that no trial reaches is a bound above it, by Hoeffding's inequality; the "
    "page of results says which."
)


def task_warnings(result: TaskResult, run: str | None = None) -> tuple[str, ...]:
    """Warnings about the task and its tests; with ``run``, only those that may concern it."""
    own = [note.text for note in result.manifest.notes if note.text.startswith(_WARNING)]
    concerned = [one for one in result.comparisons if run is None or run in one.systems]
    found = _named(concerned, comparison_findings)
    return tuple([*own, *(text for text in found if text.startswith(_WARNING))])


def task_notes(result: TaskResult) -> Iterator[str]:
    """Remarks on the comparisons, then those on the task that are no warnings."""
    yield from _named(result.comparisons, comparison_notes)
    for one in result.manifest.notes:
        if not one.text.startswith(_WARNING):
            yield one.text


def run_notes(result: TaskResult, run: str) -> tuple[str, ...]:
    """The notes on the task that concern a run, and how its p may be less than trials show."""
    notes = [note.by_run[run] for note in result.manifest.notes if run in note.by_run]
    if any(one.bounds_tail for one in result.comparisons if run in one.systems):
        notes.append(_BOUNDED)
    return tuple(notes)


def _named(
    comparisons: Sequence[Comparison], texts: Callable[[Comparison], list[str]]
) -> list[str]:
    """What is said of comparisons, once. A text on single measures that names none gets names."""
    named: dict[str, list[str]] = {}
    general: set[str] = set()
    for comparison in comparisons:
        measures = list(comparison.measures)
        for text in texts(comparison):
            named.setdefault(text, []).extend(measures)
            if len(measures) > 1 or measures[0] in text:
                general.add(text)
    return [_with_names(text, [] if text in general else names) for text, names in named.items()]


def _with_names(text: str, names: Sequence[str]) -> str:
    if not names:
        return text
    if text.startswith(_WARNING):
        return f"{_WARNING} {', '.join(names)}: {text.removeprefix(_WARNING).strip()}"
    return f"{', '.join(names)}: {text}"
