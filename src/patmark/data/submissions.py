"""What a group hands in to a shared task: a run and its description."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patmark.data.files import system_name
from patmark.data.jsonl import read_jsonl_run
from patmark.data.lines import read_line_run
from patmark.data.model import Run, TestSet
from patmark.data.settings_file import Entry
from patmark.errors import InputError, Problem

RUN_TYPES = ("SMT", "RBMT", "EBMT", "HYBRID", "NMT", "LLM")
RESOURCES = {
    "B": "bilingual training data of the task",
    "M": "monolingual data of the task",
    "E": "external knowledge or a rule-based system",
    "C": "context documents",
}
_RUN_FIELDS = ("group", "priority", "file", "type", "resources", "description")
_GROUP = re.compile(r"\w[\w.-]*")
_FLAG = re.compile(r"(.)(\??)", re.DOTALL)
_SHOWN_PER_FILE = 5
_FAULTS: dict[str, Callable[[str | None], bool]] = {
    "no output": lambda text: text is None,
    "an empty output": lambda text: text is not None and not text.strip(),
}


@dataclass(frozen=True, slots=True)
class Submission:
    """A run with the group that handed it in; ``file`` is its name in the manifest."""

    run: Run
    group: str
    description: str = ""
    file: str = ""

    @property
    def id(self) -> str:
        """Group and priority, as in NTT-UT-1: the name of the run everywhere."""
        return self.run.system

    def uses(self, letter: str) -> str:
        """Whether the run used a resource: yes, no, or ? where it is not known."""
        if letter in self.run.resources:
            return "yes"
        return "?" if f"{letter}?" in self.run.resources else "no"


def is_jsonl(path: Path) -> bool:
    """Whether a run of this name has rows with ids."""
    return Path(path.name.removesuffix(".gz").removesuffix(".zst")).suffix == ".jsonl"


def read_described_run(entry: Entry, folder: Path, test_set: TestSet | None) -> Submission | None:
    """The run that an entry of a manifest describes; None if something is wrong with either.

    Without a test set only the description is checked, and whether the file is there. What the
    entry leaves out is taken from the first record of the run; both must not disagree.
    """
    before = len(entry.problems)
    entry.only(_RUN_FIELDS)
    group, priority, file = _group(entry), _priority(entry), entry.needed_text("file")
    kind = entry.optional_text("type")
    resources = _letters(entry)
    description = entry.optional_text("description") or ""
    _check_words(entry, kind, resources)
    path = folder / file
    if file and not path.is_file():
        entry.complain_about("file", f"no such file: {path}")
    if len(entry.problems) > before or test_set is None:
        return None
    try:
        run = _read_run(path, test_set)
    except InputError as error:
        entry.problems.extend(_shortened(error.problems, path))
        return None
    _check_agreement(entry, run, kind, resources, path)
    priority = run.priority if priority is None else priority
    described = replace(
        run, system=f"{group}-{priority}", kind=kind or run.kind,
        resources=resources or run.resources, priority=priority,
    )  # fmt: skip
    return Submission(described, group, description.strip(), file)


def read_self_described_run(
    path: Path, test_set: TestSet, problems: list[Problem]
) -> Submission | None:
    """A JSONL run whose first record describes it: ``system`` is the group or the id of the run."""
    if not is_jsonl(path):
        problems.append(Problem(
            "nothing describes this run: list it in a manifest.yaml beside it, or hand it in as "
            ".jsonl whose first record names the system", str(path)
        ))  # fmt: skip
        return None
    try:
        run = read_jsonl_run(path, test_set)
    except InputError as error:
        problems += _shortened(error.problems, path)
        return None
    own = Entry({"system": run.system}, str(path), 1, problems)
    group = run.system.removesuffix(f"-{run.priority}")
    _check_group(own, "system", group)
    _check_words(own, run.kind, run.resources)
    if run.priority < 1:
        own.complain(f"field 'priority': expected 1 or more, found {run.priority}")
    return Submission(replace(run, system=f"{group}-{run.priority}"), group, "", path.name)


def duplicate_ids(submissions: Sequence[Submission], path: str) -> Iterable[Problem]:
    """Two runs of one id. Case does not count, since reports are files named by the id."""
    by_id: dict[str, list[Submission]] = defaultdict(list)
    for one in submissions:
        by_id[one.id.casefold()].append(one)
    for same in by_id.values():
        if len(same) > 1:
            files = ", ".join(one.file for one in same)
            yield Problem(f"{len(same)} runs are called {same[0].id}: {files}", path)


def submission_notes(submissions: Sequence[Submission], test_set: TestSet) -> Iterable[str]:
    """What is allowed but worth a look: empty and missing outputs, two runs that are the same."""
    by_output: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
    for one in submissions:
        by_output[one.run.hypotheses].append(one.id)
        for fault, is_faulty in _FAULTS.items():
            faulty = [
                segment.id
                for segment, text in zip(test_set, one.run.hypotheses, strict=True)
                if is_faulty(text)
            ]
            if faulty:
                yield (
                    f"{one.id} ({one.file}): {fault} for {len(faulty)} of {len(test_set)} "
                    f"segments, scored as empty; the first is {faulty[0]!r}."
                )
    for ids in by_output.values():
        if len(ids) > 1:
            yield f"{' and '.join(ids)} have identical outputs."


def _check_agreement(
    entry: Entry, run: Run, kind: str | None, resources: tuple[str, ...], path: Path
) -> None:
    """Refuse a run whose own first record says something else than the manifest."""
    _check_words(Entry({}, str(path), 1, entry.problems), run.kind, run.resources)
    if kind and run.kind and kind != run.kind:
        entry.complain_about("type", f"{kind} here, but {run.kind} in {path}")
    if resources and run.resources and set(resources) != set(run.resources):
        here, there = "".join(resources), "".join(run.resources)
        entry.complain_about("resources", f"{here} here, but {there} in {path}")


def _read_run(path: Path, test_set: TestSet) -> Run:
    if is_jsonl(path):
        return read_jsonl_run(path, test_set, system_name(path))
    return read_line_run(path, test_set)


def _group(entry: Entry) -> str:
    group = entry.needed_text("group")
    if group:
        _check_group(entry, "group", group)
    return group


def _check_group(entry: Entry, name: str, group: str) -> None:
    if not _GROUP.fullmatch(group):
        entry.complain_about(
            name, f"{group!r} is no group id; write letters, digits and . _ - without blanks"
        )


def _priority(entry: Entry) -> int | None:
    value = entry.fields.get("priority")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        entry.mismatch("priority", "a whole number from 1")
        return None
    if value < 1:
        entry.complain_about("priority", f"expected 1 or more, found {value}")
    return value


def _letters(entry: Entry) -> tuple[str, ...]:
    """Resource letters from a list or from one text: ``BM?`` is B and perhaps M."""
    value = entry.fields.get("resources")
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(letter + unsure for letter, unsure in _FLAG.findall(value))
    return entry.texts("resources")


def _check_words(entry: Entry, kind: str | None, resources: Sequence[str]) -> None:
    if kind is not None and kind not in RUN_TYPES:
        entry.complain_about("type", f"{kind!r} is unknown; choose from {', '.join(RUN_TYPES)}")
    letters = [flag.removesuffix("?") for flag in resources]
    for letter in dict.fromkeys(letters):
        if letter not in RESOURCES:
            known = ", ".join(f"{one} ({meaning})" for one, meaning in RESOURCES.items())
            entry.complain_about(
                "resources", f"{letter!r} is unknown; choose from {known}; B? is: perhaps B"
            )
        elif letters.count(letter) > 1:
            entry.complain_about("resources", f"{letter} is named twice")


def _shortened(problems: Sequence[Problem], path: Path) -> list[Problem]:
    """The first problems of a run and how many more there are, so that every run is heard."""
    shown = list(problems[:_SHOWN_PER_FILE])
    more = len(problems) - len(shown)
    if more:
        shown.append(Problem(f"… and {more} more problems in this file", str(path)))
    return shown
