"""What a group hands in to a shared task: a run and its description."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patmark.data.files import system_name
from patmark.data.jsonl import read_jsonl_run
from patmark.data.lines import read_line_run
from patmark.data.model import Run, TestSet
from patmark.data.packing import ending
from patmark.data.problems import first_of
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
_IN_THIS_FILE = "problems in this file"


@dataclass(frozen=True, slots=True)
class Submission:
    """A run with the group that handed it in; ``file`` is its name in the manifest.

    ``resources_stated`` is False where nothing is said of resources, not even that none was used.
    """

    run: Run
    group: str
    description: str = ""
    file: str = ""
    resources_stated: bool = True

    @property
    def id(self) -> str:
        """Group and priority, as in NTT-UT-1: the name of the run everywhere."""
        return self.run.system

    @property
    def resources(self) -> tuple[str, ...] | None:
        """The letters of what the run used; None where nothing is said of it."""
        return self.run.resources if self.resources_stated else None

    def uses(self, letter: str) -> str | None:
        """Whether the run used a resource: yes, no, ? if in doubt, None where nothing is said."""
        if not self.resources_stated:
            return None
        if letter in self.run.resources:
            return "yes"
        return "?" if f"{letter}?" in self.run.resources else "no"


def is_jsonl(path: Path) -> bool:
    """Whether a run of this name has rows with ids."""
    return ending(path) == ".jsonl"


@dataclass(frozen=True, slots=True)
class Described:
    """An entry of a manifest: the id it claims, and its run if nothing is wrong with either.

    The id is empty where it cannot be told, the line None where the manifest has no lines.
    """

    id: str
    file: str
    line: int | None
    submission: Submission | None


def read_described_run(entry: Entry, folder: Path, test_set: TestSet | None) -> Described:
    """The run that an entry of a manifest describes.

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
    claimed = Described(_claimed_id(entry, group, priority, path), file, entry.line or None, None)
    if len(entry.problems) > before or test_set is None:
        return claimed
    try:
        run = _read_run(path, test_set)
    except InputError as error:
        found = [_of_run(problem, path, entry) for problem in error.problems]
        entry.problems.extend(first_of(found, _IN_THIS_FILE, str(path)))
        return claimed
    _check_agreement(entry, run, kind, resources, path)
    priority = run.priority if priority is None else priority
    described = replace(
        run, system=f"{group}-{priority}", kind=kind or run.kind,
        resources=resources or run.resources, priority=priority,
    )  # fmt: skip
    stated = entry.fields.get("resources") is not None or bool(run.resources)
    submission = Submission(described, group, description.strip(), file, stated)
    return replace(claimed, id=submission.id, submission=submission)


def _claimed_id(entry: Entry, group: str, priority: int | None, path: Path) -> str:
    """The id before the run is read, whose first record may hold the priority."""
    if priority is None and "priority" not in entry.fields and not is_jsonl(path):
        priority = 1
    return f"{group}-{priority}" if group and priority is not None else ""


def _of_run(problem: Problem, path: Path, entry: Entry) -> Problem:
    """A problem of a run under the name of its file, with the place that lists it.

    Lines that do not pair up with the test set are else reported under the longer of both files.
    """
    if is_jsonl(path):
        return problem
    where = f"{entry.path}:{entry.line}" if entry.line else f"{entry.path}, {entry.title}"
    line = problem.line if problem.path == str(path) else None
    return Problem(f"{problem.message}; the run is listed in {where}", str(path), line)


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
        problems += first_of(error.problems, _IN_THIS_FILE, str(path))
        return None
    own = Entry({"system": run.system}, str(path), 1, problems)
    group = run.system.removesuffix(f"-{run.priority}")
    _check_group(own, "system", group)
    _check_words(own, run.kind, run.resources)
    if run.priority < 1:
        own.complain(f"field 'priority': expected 1 or more, found {run.priority}")
    named = replace(run, system=f"{group}-{run.priority}")
    return Submission(named, group, "", path.name, bool(run.resources))


def duplicate_ids(claims: Sequence[Described], path: str) -> Iterator[Problem]:
    """Two runs of one id. Case does not count, since reports are files named by the id."""
    by_id: dict[str, list[Described]] = defaultdict(list)
    for one in claims:
        if one.id:
            by_id[one.id.casefold()].append(one)
    for same in by_id.values():
        if len(same) > 1:
            files = ", ".join(one.file for one in same)
            yield Problem(f"{len(same)} runs are called {same[0].id}: {files}", path, same[1].line)


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
