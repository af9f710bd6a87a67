"""The texts that a campaign file names: test set, runs, context, guidelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

from patmark.data import (
    Direction,
    Entry,
    Run,
    SettingsFile,
    TestSet,
    check_same_rows,
    counted,
    language_pair,
    parse_records,
    raise_if_any,
    read_jsonl_run,
    read_line_run,
    read_line_test_set,
    read_lines,
    read_manifest,
    read_patsnap,
    read_test_set,
    shown,
    system_name,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.human.campaign.corpus_sample import read_sample
from patmark.human.campaign.form import LANGUAGES, Form
from patmark.human.campaign.settings_sections import flag, mixed_members, section

_OWN_TEXTS = (
    "testset",
    "sample",
    "source",
    "references",
    "documents",
    "patsnap",
    "runs",
    "languages",
)
_SHOWN = {
    "source": "shows_source", "reference": "shows_reference", "differences": "marks_differences",
}  # fmt: skip
_CONTEXT_FIELDS = ("title", "ipc", "abstract")


def read_texts(settings: SettingsFile, folder: Path) -> tuple[TestSet, tuple[Run, ...]] | None:
    """Test set and runs; None if something is wrong with them, which is then noted."""
    top = settings.top()
    before = len(settings.problems)
    try:
        if "manifest" in settings.content:
            found = _of_manifest(top, folder)
        elif "patsnap" in settings.content:
            found = _of_patsnap(settings, folder)
        else:
            found = _of_files(settings, folder)
    except InputError as error:
        settings.problems.extend(error.problems)
        return None
    except UsageError as error:
        top.complain(str(error))
        return None
    if found is None or len(settings.problems) > before:
        return None
    return found[0], _chosen(top, found[1])


def _of_manifest(top: Entry, folder: Path) -> tuple[TestSet, tuple[Run, ...]] | None:
    for name in _OWN_TEXTS:
        if name in top.fields:
            top.complain_about(name, "the manifest says this already; name either")
    manifest = top.needed_text("manifest")
    if not manifest:
        return None
    task = read_manifest(folder / manifest)
    return task.test_set, task.runs


def _of_patsnap(settings: SettingsFile, folder: Path) -> tuple[TestSet, tuple[Run, ...]] | None:
    """Result files of the bench: each holds the rows and one output for each of them."""
    top = settings.top()
    direction = top.needed_text("patsnap")
    if direction not in get_args(Direction):
        known = ", ".join(get_args(Direction))
        top.complain_about("patsnap", f"{direction!r} is unknown; choose from {known}")
        return None
    read = [
        (file, *read_patsnap(folder / file, cast(Direction, direction)), name)
        for name, file in _run_files(settings)
    ]
    for file, test_set, _, _ in read[1:]:
        check_same_rows(read[0][1], test_set, (read[0][0], file))
    runs = tuple(replace(run, system=name) for _, _, run, name in read)
    return (read[0][1], runs) if read else None


def _of_files(settings: SettingsFile, folder: Path) -> tuple[TestSet, tuple[Run, ...]] | None:
    found = None
    try:
        found = _test_set(settings.top(), folder)
    except InputError as error:
        settings.problems.extend(error.problems)
    if "runs" not in settings.content:
        return found
    files = [(name, folder / file) for name, file in _run_files(settings)]
    if found is None:
        for _, path in files:
            note_missing(settings, path)
        return None
    test_set, columns = found
    runs = list(columns)
    for name, path in files:
        try:
            runs.append(_run(path, test_set, name))
        except InputError as error:
            settings.problems.extend(error.problems)
    return test_set, tuple(runs)


def note_missing(settings: SettingsFile, path: Path) -> None:
    """Say that a file is missing which cannot be read yet, so that all are named at once."""
    if not path.is_file():
        settings.problems.append(Problem("no such file", shown(path)))


def _test_set(top: Entry, folder: Path) -> tuple[TestSet, tuple[Run, ...]] | None:
    """The test set, and the outputs that stand in columns of the same file."""
    pair = top.needed_text("languages")
    if not pair:
        return None
    source_language, target_language = language_pair(pair)
    languages = target_language, source_language
    testset, sample = top.optional_text("testset"), top.optional_text("sample")
    references, source = top.one_or_more_texts("references"), top.optional_text("source")
    documents = top.optional_text("documents")
    whole = [name for name in ("testset", "sample") if top.fields.get(name) is not None]
    if len(whole) > 1 or (whole and (references or source or documents)):
        top.complain_about(whole[0], "holds references, source and documents; name either")
        return None
    if not whole and not references and source is None:
        top.complain("field 'testset' is missing, or 'references' and 'source', or 'manifest'")
        return None
    if sample is not None:
        return read_sample(folder / sample, *languages), ()
    if testset is None:
        return read_line_test_set(
            [folder / one for one in references],
            source=None if source is None else folder / source,
            documents=None if documents is None else folder / documents,
            target_language=target_language, source_language=source_language,
        ), ()  # fmt: skip
    test_set, runs = read_test_set(folder / testset, *languages, allow_empty_references=True)
    return test_set, tuple(runs)


def _run_files(settings: SettingsFile) -> list[tuple[str, str]]:
    """System and file of each run; two of one name are a problem."""
    found: dict[str, str] = {}
    for entry in mixed_members(settings, "runs", "file", "run"):
        entry.only(("system", "file"))
        file = entry.needed_text("file")
        name = entry.optional_text("system") or system_name(file)
        if name in found:
            entry.complain(f"two runs are of the system {name!r}")
        if file:
            found[name] = file
    return list(found.items())


def _run(path: Path, test_set: TestSet, system: str) -> Run:
    if ".jsonl" in path.suffixes:
        return replace(read_jsonl_run(path, test_set, system), system=system)
    return read_line_run(path, test_set, system)


def _chosen(top: Entry, runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs of the systems that the file chooses, in that order; all if it chooses none."""
    if "systems" not in top.fields:
        return tuple(runs)
    by_name = {run.system: run for run in runs}
    names = dict.fromkeys(top.one_or_more_texts("systems"))
    for name in names:
        if name not in by_name:
            known = ", ".join(by_name)
            top.complain_about("systems", f"no run is of {name!r}; there are {known}")
    return tuple(by_name[name] for name in names if name in by_name)


def context_file(settings: SettingsFile) -> str | None:
    """The file of contexts that the campaign names, if any."""
    entry = section(settings, "context")
    return None if entry is None else entry.optional_text("file")


def read_context(
    settings: SettingsFile, folder: Path, test_set: TestSet, notes: list[str]
) -> Mapping[str, Mapping[str, Any]]:
    """Title, IPC and abstract by the id of a document or segment, from a file of JSON lines."""
    file = context_file(settings)
    if file is None:
        return {}
    known = {one.id for one in test_set} | {one.document for one in test_set}
    try:
        records, problems = parse_records(folder / file)
        found = {}
        for record in records:
            name = record.text("id")
            if name in found:
                record.complain(f"id {name!r} occurs twice")
            fields = record.fields
            found[name] = {key: fields[key] for key in _CONTEXT_FIELDS if key in fields}
        raise_if_any(problems)
    except InputError as error:
        settings.problems.extend(error.problems)
        return {}
    others = sorted({key for record in records for key in record.fields} - {"id", *_CONTEXT_FIELDS})
    if others:
        notes.append(f"{file}: not shown to evaluators: {', '.join(others)}")
    if unknown := [name for name in found if name not in known]:
        rows = counted(len(unknown), "row is", "rows are")
        notes.append(f"{file}: {rows} of no document or segment of the test set")
    return found


def with_own_words(form: Form, settings: SettingsFile, folder: Path) -> Form:
    """The form with the guidelines and the display that the campaign file asks for."""
    shown, texts = section(settings, "show"), dict(form.guideline)
    changes: dict[str, Any] = {}
    if shown is not None:
        shown.only(tuple(_SHOWN))
        wanted = {field: flag(shown, name) for name, field in _SHOWN.items()}
        changes = {field: value for field, value in wanted.items() if value is not None}
    guideline = section(settings, "guideline")
    if guideline is not None:
        guideline.only(LANGUAGES)
        for language in LANGUAGES:
            if file := guideline.optional_text(language):
                try:
                    texts[language] = "\n".join(read_lines(folder / file)) + "\n"
                except InputError as error:
                    settings.problems.extend(error.problems)
    return replace(form, guideline=texts, **changes)
