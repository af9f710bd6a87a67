"""The texts that a campaign file names: test set, runs, sample of a corpus, context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from patmark.catalogue import load_protocol_options
from patmark.data import (
    Record,
    Run,
    Segment,
    SettingsFile,
    TestSet,
    counted,
    header_problems,
    named_rows,
    parse_records,
    raise_if_any,
    read_csv_records,
    read_line_test_set,
    read_manifest,
    read_run,
    read_test_set,
    system_name,
)
from patmark.errors import InputError, Problem, UsageError, near
from patmark.evaluation import Inputs, Sampling, protocol_called
from patmark.human.campaign.form import Text
from patmark.languages import language_pair

CORPUS = "corpus"
"""The name under which the target sentences of a corpus are judged."""
_SAMPLE_NEEDED = ("id", "source", "target")
_SAMPLE_OTHERS = ("judgement", "section", "family", "score", "stratum", "stratum_pairs")
_CONTEXT_FIELDS = ("title", "ipc", "abstract")
_Texts = tuple[TestSet, tuple[Run, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFile:
    """The outputs of one system; the default name comes from the run or the file."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    system: str | None = None
    file: Text


class CampaignTextFields(BaseModel):
    """The fields of a campaign file that name texts."""

    model_config = ConfigDict(frozen=True)

    languages: Text | None = None
    testset: str | None = None
    sample: str | None = None
    references: tuple[str, ...] = ()
    source: str | None = None
    documents: str | None = None
    patsnap: Literal["cn2en", "en2cn"] | None = None
    manifest: Text | None = None
    runs: tuple[RunFile, ...] | None = None
    systems: tuple[str, ...] | None = None


def complain(settings: SettingsFile, message: str, *place: str | int) -> None:
    """Note a problem at the line of a field, or of the object that contains it."""
    depth = next((end for end in range(len(place), 0, -1) if place[:end] in settings.lines), 0)
    line = settings.lines.get(place[:depth])
    settings.problems.append(Problem(message, settings.path, line))


def complain_about(settings: SettingsFile, name: str, message: str) -> None:
    """Note a problem of a field of the file."""
    complain(settings, f"field {name!r}: {message}", name)


@contextmanager
def collecting(settings: SettingsFile, *place: str) -> Iterator[None]:
    """Note the problems of a file that is named in a field instead of raising them."""
    try:
        yield
    except InputError as error:
        settings.problems.extend(error.problems)
    except UsageError as error:
        complain(settings, str(error), *place)


def read_texts(fields: CampaignTextFields, settings: SettingsFile, folder: Path) -> _Texts | None:
    """Read test set and runs; note problems and return None if there are any."""
    before = len(settings.problems)
    found: _Texts | None = None
    with collecting(settings):
        if fields.manifest is not None:
            found = _of_manifest(fields, settings, folder)
        elif fields.patsnap is not None:
            found = _of_patsnap(fields, settings, folder)
        else:
            found = _of_files(fields, settings, folder)
    if found is None or len(settings.problems) > before:
        return None
    names = [run.system for run in found[1]]
    first = len(names) - len(fields.runs or ())  # columns of the test set come first
    for place, name in enumerate(names):
        if name in names[:place]:
            complain(settings, f"two runs are of the system {name!r}", "runs", place - first)
    return found[0], _chosen(fields, settings, found[1])


def _of_manifest(fields: CampaignTextFields, settings: SettingsFile, folder: Path) -> _Texts:
    for name in CampaignTextFields.model_fields:
        if name in settings.content and name not in ("manifest", "systems"):
            complain_about(settings, name, "the manifest says this already; name either")
    task = read_manifest(folder / str(fields.manifest))
    return task.test_set, task.runs


def _of_patsnap(fields: CampaignTextFields, settings: SettingsFile, folder: Path) -> _Texts | None:
    """Read result files of the bench: each holds the rows with one output each."""
    if not fields.runs:
        complain(settings, "field 'runs' is missing; expected a list")
        return None
    own = load_protocol_options("patsnap")(direction=fields.patsnap)  # type: ignore[call-arg]
    bench = protocol_called("patsnap", Sampling(), options=own)
    files = [f"{one.system or system_name(one.file)}={folder / one.file}" for one in fields.runs]
    test_set, runs = bench.read(Inputs(results=files))
    return test_set, tuple(runs)


def _of_files(fields: CampaignTextFields, settings: SettingsFile, folder: Path) -> _Texts | None:
    found = _test_set(fields, settings, folder)
    if found is None or fields.runs is None:
        return found
    test_set, columns = found
    runs = list(columns)
    for one in fields.runs:
        with collecting(settings):
            runs.append(read_run(folder / one.file, test_set, one.system))
    return test_set, tuple(runs)


def _test_set(fields: CampaignTextFields, settings: SettingsFile, folder: Path) -> _Texts | None:
    """Return the test set, and the outputs that stand in columns of the same file."""
    if fields.languages is None:  # which is noted with the other rules of the file
        return None
    source_language, target_language = language_pair(fields.languages)
    languages = target_language, source_language
    whole = [name for name in ("testset", "sample") if getattr(fields, name) is not None]
    parts = fields.references or fields.source or fields.documents
    if len(whole) > 1 or (whole and parts):
        message = "holds references, source and documents; name either"
        complain_about(settings, whole[0], message)
        return None
    if not whole and not fields.references and fields.source is None:
        message = "field 'testset' is missing, or 'references' and 'source', or 'manifest'"
        complain(settings, message)
        return None
    if fields.sample is not None:
        return read_sample(folder / fields.sample, *languages), ()
    if fields.testset is None:
        test_set = read_line_test_set(
            [folder / one for one in fields.references],
            source=None if fields.source is None else folder / fields.source,
            documents=None if fields.documents is None else folder / fields.documents,
            target_language=target_language,
            source_language=source_language,
        )
        return test_set, ()
    test_set, runs = read_test_set(folder / fields.testset, *languages, allow_empty_references=True)
    return test_set, tuple(runs)


def _chosen(
    fields: CampaignTextFields, settings: SettingsFile, runs: Sequence[Run]
) -> tuple[Run, ...]:
    """Return the runs of the chosen systems, in that order; all if the file chooses none."""
    if fields.systems is None:
        return tuple(runs)
    by_name = {run.system: run for run in runs}
    names = dict.fromkeys(fields.systems)
    for name in names:
        if name not in by_name:
            known = ", ".join(by_name)
            message = f"no run is of {name!r}; there are {known}{near(name, by_name)}"
            complain_about(settings, "systems", message)
    return tuple(by_name[name] for name in names if name in by_name)


def read_context(
    file: str, folder: Path, test_set: TestSet, notes: list[str]
) -> Mapping[str, Mapping[str, Any]]:
    """Read title, IPC and abstract by document or segment id from a file of JSON lines."""
    known = {one.id for one in test_set} | {one.document for one in test_set}
    records, problems = parse_records(folder / file)
    found = {}
    for record in records:
        name = record.text("id")
        if name in found:
            record.complain(f"id {name!r} occurs twice")
        fields = record.fields
        found[name] = {key: fields[key] for key in _CONTEXT_FIELDS if key in fields}
    raise_if_any(problems)
    others = sorted({key for record in records for key in record.fields} - {"id", *_CONTEXT_FIELDS})
    if others:
        notes.append(f"{file}: not shown to evaluators: {', '.join(others)}")
    if unknown := [name for name in found if name not in known]:
        rows = counted(len(unknown), "row is", "rows are")
        notes.append(f"{file}: {rows} of no document or segment of the test set")
    return found


def read_sample(path: Path, target_language: str, source_language: str | None) -> TestSet:
    """Read sentence pairs as `patmark corpus sample` writes them, in CSV or JSON lines.

    Pairs of one family are of one document.
    """
    records, problems = _sample_records(path)
    first_lines: dict[str, int] = {}
    segments = []
    for record in records:
        record.only((*_SAMPLE_NEEDED, *_SAMPLE_OTHERS))
        name, source, target = (record.text(field) for field in _SAMPLE_NEEDED)
        if first_lines.setdefault(name, record.line) != record.line:
            record.complain(f"id {name!r} is already on line {first_lines[name]}")
        if not name.strip() or not source.strip() or not target.strip():
            record.complain("expected an id and two sentences that are not empty")
        family = record.fields.get("family")
        facts = {one: record.fields[one] for one in _SAMPLE_OTHERS if record.fields.get(one)}
        document = str(family) if family else None
        segments.append(Segment(name, source, (target,), document, facts))
    raise_if_any(problems)
    return TestSet(tuple(segments), target_language, source_language, str(path))


def corpus_run(test_set: TestSet) -> Run:
    """Return the target sentences of a sample as the outputs of one system."""
    return Run(CORPUS, tuple(next(iter(one.references), None) for one in test_set))


def _sample_records(path: Path) -> tuple[list[Record], list[Problem]]:
    if path.suffix != ".csv":
        return parse_records(path)
    header, *rows = read_csv_records(path)
    raise_if_any(header_problems(header, _SAMPLE_NEEDED, _SAMPLE_OTHERS, str(path)))
    problems = [] if rows else [Problem("has a header but no pairs", str(path))]
    named = named_rows(rows, header, str(path), problems)
    return [Record(dict(row), str(path), line, problems) for line, row in named], problems
