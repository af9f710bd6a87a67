"""Shared tasks: a manifest names the test set and describes the runs that were handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patmark.data.files import FilePath
from patmark.data.languages import language_pair, language_warnings
from patmark.data.lines import read_line_test_set
from patmark.data.model import Run, TestSet
from patmark.data.settings_file import (
    SETTINGS_ENDINGS,
    Entry,
    SettingsFile,
    read_settings_file,
)
from patmark.data.submissions import (
    Described,
    Submission,
    duplicate_ids,
    read_described_run,
    read_self_described_run,
)
from patmark.data.task_notes import TaskNote, submission_notes
from patmark.data.test_set_file import read_test_set
from patmark.errors import InputError, Problem, UsageError

PROTOCOLS = ("plain", "ntcir9")
_FIELDS = (
    "name", "languages", "testset", "references", "source", "documents", "protocol", "measures",
    "runs",
)  # fmt: skip
_RUN_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".txt", ".txt.gz", ".txt.zst")
_FAILED_ROWS = ".failed.jsonl"


@dataclass(frozen=True, slots=True, eq=False)
class TaskManifest:
    """A shared task: a test set, the runs handed in, and how they are judged.

    ``measures`` None leaves the choice to the protocol. ``notes`` say what is odd, but allowed.
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


def find_manifest(path: FilePath) -> Path | None:
    """The manifest: the file itself, or the one inside a folder; None for a folder without one."""
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
    """A task from its manifest, or from the folder that holds it. Every problem is reported."""
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
    notes = [*_notes(read, test_set), *_unlisted(Path(path), listed, file)]
    tidy = replace(test_set, name=Path(test_set.name).name)
    return TaskManifest(name, tidy, tuple(read), protocol, measures, tuple(notes))


def read_run_folder(
    folder: FilePath, test_set: TestSet, *, name: str | None = None, protocol: str = "plain"
) -> TaskManifest:
    """A task from a folder without a manifest: every run is JSONL and describes itself."""
    place = Path(folder)
    own = Path(test_set.name).resolve()
    files = [file for file in _run_files(place) if file.resolve() != own]
    if not files:
        raise InputError.at(f"holds no runs ({', '.join(_RUN_ENDINGS)})", str(folder))
    problems: list[Problem] = []
    read = [read_self_described_run(file, test_set, problems) for file in files]
    submissions = [one for one in read if one is not None]
    claims = [Described(one.id, one.file, None, one) for one in submissions]
    problems += duplicate_ids(claims, str(folder))
    if problems:
        raise InputError(problems)
    notes = tuple(_notes(submissions, test_set))
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
    """The test set and its files; no test set if something is wrong with it."""
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
    """The problems of the manifest by line, then those of the other files as they were found."""
    own = [problem for problem in settings.problems if problem.path == settings.path]
    others = [problem for problem in settings.problems if problem.path != settings.path]
    return [*sorted(own, key=lambda problem: problem.line or 0), *others]


def _notes(submissions: Sequence[Submission], test_set: TestSet) -> list[TaskNote]:
    languages = language_warnings(test_set.source_language, test_set.target_language)
    return [*map(TaskNote, languages), *submission_notes(submissions, test_set)]


def _run_files(folder: Path) -> list[Path]:
    """Files that look like runs; those in which ``patmark run`` lists failed rows do not."""
    return sorted(
        file
        for file in folder.iterdir()
        if file.is_file()
        and file.name.endswith(_RUN_ENDINGS)
        and not file.name.endswith(_FAILED_ROWS)
    )


def _unlisted(given: Path, listed: set[Path], manifest: Path) -> list[TaskNote]:
    """Files of a given folder that look like runs and that the manifest does not name."""
    if not given.is_dir():
        return []
    known = {file.resolve() for file in listed}
    return [
        TaskNote(f"{file.name} is not listed in {manifest.name} and is not scored.")
        for file in _run_files(given)
        if file.resolve() not in known
    ]
