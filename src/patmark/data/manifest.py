"""The manifest of a shared task: its test set and submitted runs."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from patmark.data import Message
from patmark.data.files import (
    PACKED_SUFFIXES,
    FilePath,
    ending,
    endings_of,
    system_name,
)
from patmark.data.model import Run, TestSet
from patmark.data.records import first_of
from patmark.data.settings_file import SETTINGS_ENDINGS, Entry, SettingsFile, read_settings_file
from patmark.data.test_sets import (
    is_jsonl,
    read_jsonl_run,
    read_line_test_set,
    read_run,
    read_test_set,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import language_pair
from patmark.wording import tr

RUN_TYPES = ("SMT", "RBMT", "EBMT", "HYBRID", "NMT", "LLM")
RESOURCES = {
    "B": tr("bilingual training data of the task"),
    "M": tr("monolingual data of the task"),
    "E": tr("external knowledge or a rule-based system"),
    "C": tr("context documents"),
}
_RUN_FIELDS = ("group", "priority", "file", "type", "resources", "description")
_GROUP = re.compile(r"\w[\w.-]*")
_FLAG = re.compile(r"(.)(\??)", re.DOTALL)
_IN_THIS_FILE = "problems in this file"


@dataclass(frozen=True, slots=True)
class Submission:
    """A run with the group that submitted it; ``file`` is its name in the manifest.

    ``resources_stated`` is False if the manifest says nothing about resources.
    """

    run: Run
    group: str
    description: str = ""
    file: str = ""
    resources_stated: bool = True

    @property
    def id(self) -> str:
        """Group and priority, such as NTT-UT-1: the name of the run everywhere."""
        return self.run.system

    @property
    def resources(self) -> tuple[str, ...] | None:
        """The letters of the resources of the run; None if not stated."""
        return self.run.resources if self.resources_stated else None

    def uses(self, letter: str) -> str | None:
        """Return the use of a resource: yes, no, ? if in doubt, None if unknown."""
        if not self.resources_stated:
            return None
        if letter in self.run.resources:
            return "yes"
        return "?" if f"{letter}?" in self.run.resources else "no"


@dataclass(frozen=True, slots=True)
class Described:
    """An entry of a manifest: its id, and its run if both are valid.

    The id is empty if unknown, the line None if the manifest has no lines.
    """

    id: str
    file: str
    line: int | None
    submission: Submission | None


def read_described_run(entry: Entry, folder: Path, test_set: TestSet | None) -> Described:
    """Return the run that an entry of a manifest describes.

    Without a test set, only the description and the existence of the file are checked. Missing
    fields are taken from the first record of the run; the two must agree.
    """
    before = len(entry.problems)
    entry.only(_RUN_FIELDS)
    group, priority, file = _group(entry), _priority(entry), entry.needed_text("file")
    kind = entry.optional_text("type")
    resources = _letters(entry)
    description = entry.optional_text("description") or ""
    _check_words(entry, kind, resources)
    path = folder / file
    if file and not os.path.isfile(path):
        entry.complain_about("file", f"no such file: {path}")
    claimed = Described(_claimed_id(entry, group, priority, path), file, entry.line or None, None)
    if len(entry.problems) > before or test_set is None:
        return claimed
    try:
        run = read_run(path, test_set, system_name(path))
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
    """Return the id before the run is read, whose first record may hold the priority."""
    if priority is None and "priority" not in entry.fields and not is_jsonl(path):
        priority = 1
    return f"{group}-{priority}" if group and priority is not None else ""


def _of_run(problem: Problem, path: Path, entry: Entry) -> Problem:
    """Return a problem of a run under the name of its file, with its place in the manifest.

    Unpaired lines would otherwise be reported under the longer of both files.
    """
    if is_jsonl(path):
        return problem
    where = f"{entry.path}:{entry.line}" if entry.line else f"{entry.path}, {entry.title}"
    line = problem.line if problem.path == str(path) else None
    return Problem(f"{problem.message}; the run is listed in {where}", str(path), line)


def read_self_described_run(
    path: Path, test_set: TestSet, problems: list[Problem]
) -> Submission | None:
    """Read a JSONL run whose first record describes it: ``system`` is group or run id."""
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
    """Yield two runs of one id, ignoring case, because reports are files named by the id."""
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
    """Refuse a run whose first record contradicts the manifest."""
    _check_words(Entry({}, str(path), 1, entry.problems), run.kind, run.resources)
    if kind and run.kind and kind != run.kind:
        entry.complain_about("type", f"{kind} here, but {run.kind} in {path}")
    if resources and run.resources and set(resources) != set(run.resources):
        here, there = "".join(resources), "".join(run.resources)
        entry.complain_about("resources", f"{here} here, but {there} in {path}")


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
    """Return resource letters from a list or a text: ``BM?`` is B and perhaps M."""
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


_NAMED_RUNS = 10
_FAULTS: dict[str, Callable[[str | None], bool]] = {
    "no output": lambda text: text is None,
    "an empty output": lambda text: text is not None and not text.strip(),
}


@dataclass(frozen=True, slots=True)
class TaskNote:
    """A note on a task; ``by_run`` is the text on the page of a run."""

    text: Message
    by_run: Mapping[str, str] = field(default_factory=dict)


def submission_notes(submissions: Sequence[Submission], test_set: TestSet) -> Iterator[TaskNote]:
    """Note empty and missing outputs, and runs that are the same."""
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
    """Return one note for all runs with the fault, and a longer one for the page of each."""
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


PROTOCOLS = ("plain", "ntcir9")
_FIELDS = (
    "name", "languages", "testset", "references", "source", "documents", "protocol", "measures",
    "runs",
)  # fmt: skip
_RUN_ENDINGS = (*endings_of("jsonl"), *endings_of("text"))
_FAILED_ROWS = tuple(f".failed{one}" for one in endings_of("jsonl"))


@dataclass(frozen=True, slots=True, eq=False)
class TaskManifest:
    """A shared task: a test set, the submitted runs, and settings of the evaluation.

    ``measures`` None leaves the choice to the protocol. ``notes`` report unusual but allowed facts.
    """

    name: str
    test_set: TestSet
    submissions: tuple[Submission, ...]
    protocol: str = "plain"
    measures: tuple[str, ...] | None = None
    notes: tuple[TaskNote, ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs, in the order of the manifest."""
        return tuple(submission.run for submission in self.submissions)

    def judged_by(self, protocol: str | None, measures: str | None) -> TaskManifest:
        """Return the task with other settings; None keeps the value of the manifest."""
        return replace(
            self,
            protocol=self.protocol if protocol is None else protocol,
            measures=self.measures if measures is None else (measures,),
        )


def find_manifest(path: FilePath) -> Path | None:
    """Return the manifest: the file itself, or the one inside a folder, or None."""
    place = Path(path)
    if not place.is_dir():
        return place
    found = [place / f"manifest{ending}" for ending in SETTINGS_ENDINGS]
    found = [file for file in found if file.is_file()]
    if len(found) > 1:
        names = ", ".join(file.name for file in found)
        raise InputError.at(f"holds more than one manifest: {names}", str(path))
    return found[0] if found else None


def read_manifest(path: FilePath) -> TaskManifest:
    """Read a task from its manifest or folder; report every problem."""
    file = find_manifest(path)
    if file is None:
        raise InputError.at(
            f"holds no manifest{SETTINGS_ENDINGS[0]}; without one, give the test set separately",
            str(path),
        )
    settings = read_settings_file(file)
    top = settings.top()
    top.only(_FIELDS)
    name, protocol, measures = top.needed_text("name"), _protocol(top), _measures(top)
    test_set, used = _test_set(top, file.parent)
    entries = settings.members("runs", "run")
    described = [read_described_run(entry, file.parent, test_set) for entry in entries]
    settings.problems.extend(duplicate_ids(described, settings.path))
    if settings.problems or test_set is None:
        raise InputError(_by_line(settings))
    read = [one.submission for one in described if one.submission is not None]
    listed = {*used, *(file.parent / one.file for one in read)}
    notes = [*submission_notes(read, test_set), *_unlisted(Path(path), listed, file)]
    tidy = replace(test_set, name=Path(test_set.name).name)
    return TaskManifest(name, tidy, tuple(read), protocol, measures, tuple(notes))


def read_run_folder(
    folder: FilePath, test_set: TestSet, *, name: str | None = None, protocol: str = "plain"
) -> TaskManifest:
    """Read a task from a folder without a manifest: every run is JSONL and describes itself."""
    place = Path(folder)
    own = Path(test_set.name).resolve()
    files = [file for file in _run_files(place) if file.resolve() != own]
    if not files:
        wanted = (one + packed for one in _RUN_ENDINGS for packed in ("", *PACKED_SUFFIXES))
        raise InputError.at(f"holds no runs ({', '.join(wanted)})", str(folder))
    problems: list[Problem] = []
    read = [read_self_described_run(file, test_set, problems) for file in files]
    submissions = [one for one in read if one is not None]
    claims = [Described(one.id, one.file, None, one) for one in submissions]
    problems += duplicate_ids(claims, str(folder))
    if problems:
        raise InputError(problems)
    notes = tuple(submission_notes(submissions, test_set))
    title = place.resolve().name if name is None else name
    tidy = replace(test_set, name=Path(test_set.name).name)
    return TaskManifest(title, tidy, tuple(submissions), protocol, None, notes)


def _protocol(top: Entry) -> str:
    protocol = top.optional_text("protocol") or PROTOCOLS[0]
    if protocol not in PROTOCOLS:
        top.complain_about(
            "protocol", f"{protocol!r} is unknown; choose from {', '.join(PROTOCOLS)}"
        )
    return protocol


def _measures(top: Entry) -> tuple[str, ...] | None:
    if top.fields.get("measures") is None:
        return None
    measures = top.one_or_more_texts("measures")
    if not measures and top.fields["measures"] == []:
        top.complain_about("measures", "is empty")
    return measures


def _test_set(top: Entry, folder: Path) -> tuple[TestSet | None, list[Path]]:
    """Return the test set and its files; None if it has problems."""
    before = len(top.problems)
    languages = _languages(top)
    testset, source = top.optional_text("testset"), top.optional_text("source")
    references, documents = top.one_or_more_texts("references"), top.optional_text("documents")
    if testset is not None and (references or source or documents):
        top.complain_about("testset", "holds references, source and documents; name either")
    elif testset is None and not references and source is None:
        top.complain("field 'testset' is missing, or 'references' and 'source'")
    if len(top.problems) > before or languages is None:
        return None, []
    named = (testset, *references, source, documents)
    try:
        if testset is not None:
            test_set = _with_ids(folder / testset, *languages)
        else:
            test_set = read_line_test_set(
                [folder / one for one in references],
                source=None if source is None else folder / source,
                documents=None if documents is None else folder / documents,
                target_language=languages[1], source_language=languages[0],
            )  # fmt: skip
    except InputError as error:
        top.problems.extend(error.problems)
        return None, []
    return test_set, [folder / file for file in named if file is not None]


def _languages(top: Entry) -> tuple[str | None, str] | None:
    text = top.needed_text("languages")
    if not text:
        return None
    try:
        return language_pair(text)
    except UsageError as error:
        top.complain_about("languages", str(error))
        return None


def _with_ids(path: Path, source_language: str | None, target_language: str) -> TestSet:
    test_set, runs = read_test_set(path, target_language, source_language)
    if runs:
        raise InputError.at(
            f"holds outputs (column system:{runs[0].system}); hand in each run as a file of "
            "its own", str(path), 1,
        )  # fmt: skip
    return test_set


def _by_line(settings: SettingsFile) -> list[Problem]:
    """Sort the problems of the manifest by line, before those of other files."""
    own = [problem for problem in settings.problems if problem.path == settings.path]
    others = [problem for problem in settings.problems if problem.path != settings.path]
    return [*sorted(own, key=lambda problem: problem.line or 0), *others]


def _run_files(folder: Path) -> list[Path]:
    """Return files that look like runs, except lists of failed rows by ``patmark run``."""
    return sorted(
        file
        for file in folder.iterdir()
        if file.is_file() and ending(file) in _RUN_ENDINGS and not file.name.endswith(_FAILED_ROWS)
    )


def _unlisted(given: Path, listed: set[Path], manifest: Path) -> list[TaskNote]:
    """Return files of a folder that look like runs and are not in the manifest."""
    if not given.is_dir():
        return []
    known = {file.resolve() for file in listed}
    return [
        TaskNote(f"{file.name} is not listed in {manifest.name} and is not scored.")
        for file in _run_files(given)
        if file.resolve() not in known
    ]
