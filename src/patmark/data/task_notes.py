"""What is allowed in a shared task but worth a look, with the runs that it concerns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from patmark.data.model import TestSet
from patmark.data.submissions import Submission

_NAMED_RUNS = 10
_FAULTS: dict[str, Callable[[str | None], bool]] = {
    "no output": lambda text: text is None,
    "an empty output": lambda text: text is not None and not text.strip(),
}


@dataclass(frozen=True, slots=True)
class TaskNote:
    """A note on a task; ``by_run`` is what the page of a run says about it."""

    text: str
    by_run: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def submission_notes(submissions: Sequence[Submission], test_set: TestSet) -> Iterator[TaskNote]:
    """Empty and missing outputs, runs that are the same."""
    for fault, is_faulty in _FAULTS.items():
        found = {
            one: [
                segment.id
                for segment, text in zip(test_set, one.run.hypotheses, strict=True)
                if is_faulty(text)
            ]
            for one in submissions
        }
        faulty = {one: ids for one, ids in found.items() if ids}
        if faulty:
            yield _fault_note(fault, faulty, len(test_set))
    by_output: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
    for one in submissions:
        by_output[one.run.hypotheses].append(one.id)
    for names in by_output.values():
        if len(names) > 1:
            text = f"{' and '.join(names)} have identical outputs."
            yield TaskNote(text, dict.fromkeys(names, text))


def _fault_note(fault: str, faulty: Mapping[Submission, Sequence[str]], size: int) -> TaskNote:
    """One note for all runs with the fault, and a longer one for the page of each."""
    by_run = {
        one.id: f"{one.id} ({one.file}): {fault} for {len(ids)} of {size} segments, scored as "
        f"empty; the first is {ids[0]!r}."
        for one, ids in faulty.items()
    }
    if len(faulty) == 1:
        return TaskNote(next(iter(by_run.values())), by_run)
    most = sorted(faulty.items(), key=lambda item: -len(item[1]))
    named = ", ".join(f"{one.id} {len(ids)}" for one, ids in most[:_NAMED_RUNS])
    more = len(most) - _NAMED_RUNS
    rest = f" and {more} more runs; their pages say which" if more > 0 else ""
    text = f"Segments with {fault} (of {size}), scored as empty: {named}{rest}."
    return TaskNote(text, by_run)
