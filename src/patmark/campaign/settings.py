"""What an organiser decides about a campaign, as read from the campaign file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast, get_args

from patmark.campaign.extra_pages import EDITS, Extras
from patmark.campaign.form import LANGUAGES, Form, form_names, read_form
from patmark.campaign.training import Feedback, Training, read_training_items
from patmark.data import Run, Segment, TestSet, language_pair
from patmark.data.counting import counted
from patmark.data.csv_records import header_problems, named_rows, read_csv_records
from patmark.data.files import FilePath, parse_records, read_lines, shown, system_name
from patmark.data.jsonl import read_jsonl_run
from patmark.data.lines import read_line_run, read_line_test_set
from patmark.data.manifest import read_manifest
from patmark.data.patsnap import Direction, check_same_rows, read_patsnap
from patmark.data.problems import first_of
from patmark.data.records import Record, json_type, raise_if_any
from patmark.data.settings_file import Entry, SettingsFile, read_settings_file
from patmark.data.test_set_file import read_test_set
from patmark.errors import InputError, Problem, UsageError

Mode: TypeAlias = Literal["different", "same", "overlap", "each-r-times"]
Balance: TypeAlias = Literal["document", "ipc"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Who judges, under a pseudonym; ``language`` is that of the pages, None leaves it open."""

    name: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who judges which segments.

    ``overlap`` is the share of segments that everyone judges, in mode overlap; ``times`` is how
    many evaluators judge each segment, in mode each-r-times. ``items_per_evaluator`` None deals
    out the whole test set. ``pairs_per_segment`` None asks for all pairs of a segment.
    """

    mode: Mode = "different"
    items_per_evaluator: int | None = None
    overlap: float = 0.0
    times: int = 1
    pairs_per_segment: int | None = None


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """A campaign file that has been checked, with the texts that it names.

    ``context`` holds what is known of documents and segments, by id. ``notes`` say what is odd, but
    allowed. ``record`` is the file as it was read.
    """

    name: str
    form: Form
    test_set: TestSet
    runs: tuple[Run, ...]
    evaluators: tuple[Evaluator, ...]
    assignment: Assignment = field(default_factory=Assignment)
    balance: tuple[Balance, ...] = ("document",)
    training: Training | None = None
    checks: Extras | None = None
    repeats: Extras | None = None
    neighbours: int = 0
    context: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: _NOTHING)
    min_seconds: float | None = None
    seed: int = 0
    notes: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


_ASSIGNMENT = tuple(field.name for field in fields(Assignment))
_DISTANCE = 10


def section(settings: SettingsFile, name: str) -> Entry | None:
    """An object of the file with the lines of its fields; None where the file has none."""
    value = settings.content.get(name)
    if value is None:
        return None
    if not isinstance(value, dict):
        settings.top().mismatch(name, "an object")
        return None
    return _entry(settings, value, (name,), name)


def _entry(
    settings: SettingsFile, value: dict[str, Any], place: tuple[str | int, ...], title: str
) -> Entry:
    lines = {
        str(where[-1]): line
        for where, line in settings.lines.items()
        if len(where) == len(place) + 1 and where[:-1] == place
    }
    line = settings.lines.get(place, 0)
    return Entry(value, settings.path, line, settings.problems, lines, title)


def mixed_members(settings: SettingsFile, name: str, short: str, title: str) -> list[Entry]:
    """The members of a list in which a text stands for an object with one field ``short``."""
    items = settings.content.get(name)
    if not isinstance(items, list):
        settings.top().mismatch(name, "a list")
        return []
    if not items:
        settings.top().complain_about(name, "is empty")
    found = []
    for position, item in enumerate(items):
        label = f"{title} {position + 1}"
        value = {short: item} if isinstance(item, str) else item
        if isinstance(value, dict):
            found.append(_entry(settings, value, (name, position), label))
        else:
            line = settings.lines.get((name, position))
            message = f"{label}: expected a text or an object, found {json_type(item)}"
            settings.problems.append(Problem(message, settings.path, line))
    return found


def whole(entry: Entry, name: str, default: int, lowest: int = 0) -> int:
    """A whole number that is not below the lowest."""
    found = optional_whole(entry, name, lowest)
    return default if found is None else found


def optional_whole(entry: Entry, name: str, lowest: int = 0) -> int | None:
    """The same, None where the field is absent."""
    value = entry.fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        entry.mismatch(name, "a whole number")
        return None
    if value < lowest:
        entry.complain_about(name, f"expected {lowest} or more, found {value}")
    return value


def number(entry: Entry, name: str, lowest: float, highest: float | None) -> float | None:
    """A number between bounds, None where the field is absent."""
    value = entry.fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        entry.mismatch(name, "a number")
        return None
    if not lowest <= value or (highest is not None and value > highest):
        bounds = f"{lowest:g} or more" if highest is None else f"{lowest:g} to {highest:g}"
        entry.complain_about(name, f"expected {bounds}, found {value:g}")
    return float(value)


def flag(entry: Entry, name: str) -> bool | None:
    """True or false, None where the field is absent."""
    value = entry.fields.get(name)
    if value is not None and not isinstance(value, bool):
        entry.mismatch(name, "true or false")
        return None
    return value


def word(entry: Entry, name: str, known: Sequence[str], default: str) -> str:
    """One of some words."""
    value = entry.optional_text(name)
    if value is not None and value not in known:
        entry.complain_about(name, f"{value!r} is unknown; choose from {', '.join(known)}")
    return default if value is None else value


def name_problem(name: str) -> str | None:
    """What is wrong with a name, if anything; judgements of such names could not be exported."""
    if not name.strip() or name != name.strip():
        return "is empty or has spaces around it"
    return None if name.isprintable() else "holds a line break or another control character"


def read_evaluators(settings: SettingsFile) -> tuple[Evaluator, ...]:
    """The evaluators: names, or objects with a name and the language of the pages."""
    found: list[Evaluator] = []
    for entry in mixed_members(settings, "evaluators", "name", "evaluator"):
        entry.only(("name", "language"))
        name = entry.needed_text("name")
        language = entry.optional_text("language")
        if language is not None and language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            entry.complain_about("language", f"{language!r} is unknown; choose from {known}")
        if name and (problem := name_problem(name)):
            entry.complain_about("name", f"{name!r} {problem}")
        if name in [one.name for one in found]:
            entry.complain(f"the evaluator {name!r} is named twice")
        found.append(Evaluator(name, language))
    return tuple(found)


def read_assignment(settings: SettingsFile, evaluators: int) -> Assignment:
    """Who judges what; a field that has no effect in the chosen mode is refused."""
    entry = section(settings, "assignment")
    if entry is None:
        return Assignment()
    entry.only(_ASSIGNMENT)
    mode = cast(Mode, word(entry, "mode", get_args(Mode), "different"))
    for name, needs in (("overlap", "overlap"), ("times", "each-r-times")):
        if name in entry.fields and mode != needs:
            entry.complain_about(name, f"has an effect only in mode {needs}")
        elif name not in entry.fields and mode == needs:
            entry.complain(f"mode {mode} needs the field {name!r}")
    times = whole(entry, "times", 1, 1)
    if evaluators and times > evaluators:
        named = counted(evaluators, "evaluator is", "evaluators are")
        entry.complain_about("times", f"only {named} named")
    return Assignment(
        mode,
        optional_whole(entry, "items_per_evaluator", 1),
        number(entry, "overlap", 0, 1) or 0.0,
        times,
        optional_whole(entry, "pairs_per_segment", 1),
    )


def read_balance(settings: SettingsFile) -> tuple[Balance, ...]:
    """What the segments of every evaluator are spread over, the most important first."""
    top = settings.top()
    if "balance" not in settings.content:
        return ("document",)
    known = get_args(Balance)
    names = top.one_or_more_texts("balance")
    for name in names:
        if name not in known:
            top.complain_about("balance", f"{name!r} is unknown; choose from {', '.join(known)}")
    return cast(tuple[Balance, ...], names)


def read_extras(settings: SettingsFile, name: str) -> Extras | None:
    """Attention checks or repeats: their share of the pages and their distance."""
    entry = section(settings, name)
    if entry is None:
        return None
    known = ("share", "distance", "edits") if name == "checks" else ("share", "distance")
    entry.only(known)
    share = number(entry, "share", 0, 1)
    if share is None:
        entry.complain("field 'share' is missing; expected the share of pages, such as 0.05")
    edits = entry.one_or_more_texts("edits") or tuple(EDITS)
    for edit in edits:
        if edit not in EDITS:
            entry.complain_about("edits", f"{edit!r} is unknown; choose from {', '.join(EDITS)}")
    return Extras(share or 0.0, whole(entry, "distance", _DISTANCE), edits)


_EQUAL = "equal"
_FIELDS = (
    "name", "form", "languages", "testset", "sample", "references", "source", "documents",
    "patsnap", "manifest", "runs", "systems", "evaluators", "assignment", "balance", "training",
    "checks", "repeats", "context", "show", "guideline", "min_seconds", "seed",
)  # fmt: skip


def read_campaign(path: FilePath) -> CampaignSettings:
    """A campaign from its file; files that it names are sought beside it."""
    settings = read_settings_file(path)
    folder, top = Path(path).parent, settings.top()
    top.only(_FIELDS)
    name, form = top.needed_text("name"), _form(settings, folder)
    evaluators = read_evaluators(settings)
    assignment = read_assignment(settings, len(evaluators))
    balance = read_balance(settings)
    checks, repeats = read_extras(settings, "checks"), read_extras(settings, "repeats")
    min_seconds, seed = number(top, "min_seconds", 0, None), whole(top, "seed", 0)
    neighbours = _neighbours(settings)
    texts, notes = read_texts(settings, folder), list[str]()
    if texts is not None and form is not None:
        texts = texts[0], _judged_runs(settings, form, *texts)
        context = read_context(settings, folder, texts[0], notes)
        _check_assignment(settings, form, assignment, len(evaluators), len(texts[0]))
    elif file := context_file(settings):
        note_missing(settings, folder / file)
    training = _training(settings, folder, form, texts[0] if texts else None)
    if settings.problems or texts is None or form is None:
        raise InputError(_by_line(settings))
    return CampaignSettings(
        name, form, *texts, evaluators, assignment, balance, training, checks, repeats,
        neighbours, context, min_seconds, seed, tuple(notes), settings.content,
    )  # fmt: skip


def _form(settings: SettingsFile, folder: Path) -> Form | None:
    top = settings.top()
    name = top.needed_text("form")
    if not name:
        return None
    try:
        form = read_form(name if name in form_names() or not Path(name).suffix else folder / name)
    except InputError as error:
        settings.problems.extend(error.problems)
        return None
    except UsageError as error:
        top.complain_about("form", str(error))
        return None
    return with_own_words(form, settings, folder)


def _judged_runs(
    settings: SettingsFile, form: Form, test_set: TestSet, runs: Sequence[Run]
) -> tuple[Run, ...]:
    """The runs; a corpus sample without any has its target sentences judged."""
    top = settings.top()
    if form.material == "sentence-pair" and not runs:
        runs = (corpus_run(test_set),)
    _check_names(top, form, test_set, runs)
    if not runs:
        top.complain("field 'runs' is missing; expected the outputs that are to be judged")
    if len(runs) == 1 and any(question.about_page for question in form.questions):
        top.complain_about("runs", f"the form {form.id} compares systems; one run is not enough")
    count = sum(not "".join(segment.references).strip() for segment in test_set)
    if form.shows_reference and count:
        lacking = counted(count, "segment has", "segments have")
        top.complain(f"the form {form.id} shows references, and {lacking} none")
    if form.shows_source and not all(map(str.strip, test_set.sources)):
        count = sum(not source.strip() for source in test_set.sources)
        lacking = counted(count, "segment has", "segments have")
        top.complain(
            f"the form {form.id} shows the source, and {lacking} none; "
            "show: {source: false} hides it"
        )
    return tuple(runs)


def _check_names(top: Entry, form: Form, test_set: TestSet, runs: Sequence[Run]) -> None:
    """Refuse names now with which no judgement could be exported in the end."""
    names = [("system", run.system) for run in runs]
    names += [("segment", segment.id) for segment in test_set]
    found = [
        Problem(f"the {kind} {name!r} {problem}", top.path)
        for kind, name in names
        if (problem := name_problem(name))
    ]
    top.problems.extend(first_of(found, "names that cannot be used", top.path))
    if any(one.about_page for one in form.questions) and _EQUAL in [run.system for run in runs]:
        top.complain(f"a system named {_EQUAL!r} cannot be told from a tie; rename it")


def _check_assignment(
    settings: SettingsFile, form: Form, assignment: Assignment, evaluators: int, segments: int
) -> None:
    """Refuse more work than the test set has, before anything is planned."""
    entry = section(settings, "assignment")
    if entry is None or not evaluators or settings.problems:
        return
    if assignment.pairs_per_segment is not None and form.candidates != 2:
        entry.complain_about("pairs_per_segment", f"the form {form.id} does not show pairs")
    items = assignment.items_per_evaluator
    if items is None:
        return
    common = round(assignment.overlap * items) if assignment.mode == "overlap" else 0
    needed = {
        "same": items,
        "different": items * evaluators,
        "overlap": common + (items - common) * evaluators,
        "each-r-times": items * evaluators // assignment.times,
    }[assignment.mode]
    if needed > segments:
        entry.complain_about(
            "items_per_evaluator",
            f"mode {assignment.mode} with {counted(items, 'item')} for "
            f"{counted(evaluators, 'evaluator')} needs {counted(needed, 'segment')}; the test set "
            f"has {segments}",
        )


def _neighbours(settings: SettingsFile) -> int:
    entry = section(settings, "context")
    if entry is None:
        return 0
    entry.only(("neighbours", "file"))
    return whole(entry, "neighbours", 0)


def _training(
    settings: SettingsFile, folder: Path, form: Form | None, test_set: TestSet | None
) -> Training | None:
    entry = section(settings, "training")
    if entry is None:
        return None
    entry.only(("file", "feedback", "pass_mark", "tolerance"))
    file = entry.needed_text("file")
    feedback = cast(Feedback, word(entry, "feedback", get_args(Feedback), "each"))
    pass_mark, tolerance = number(entry, "pass_mark", 0, 1), whole(entry, "tolerance", 0)
    if not file or form is None:
        return None
    try:
        items = read_training_items(folder / file, form, test_set)
    except InputError as error:
        settings.problems.extend(error.problems)
        return None
    return Training(items, feedback, pass_mark, tolerance)


def _by_line(settings: SettingsFile) -> list[Problem]:
    """The problems of the campaign file by line, then those of other files as they were found."""
    unique = list(dict.fromkeys(settings.problems))
    own = [problem for problem in unique if problem.path == settings.path]
    others = [problem for problem in unique if problem.path != settings.path]
    return [*sorted(own, key=lambda problem: problem.line or 0), *others]


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


CORPUS = "corpus"
"""The name under which the target sentences of a corpus are judged."""

_NEEDED = ("id", "source", "target")
_OTHERS = ("judgement", "section", "family", "score", "stratum", "stratum_pairs")


def read_sample(path: Path, target_language: str, source_language: str | None) -> TestSet:
    """A sample in CSV or JSON lines; pairs of one family are of one document."""
    records, problems = _records(path)
    first_lines: dict[str, int] = {}
    segments = []
    for record in records:
        record.only((*_NEEDED, *_OTHERS))
        name, source, target = (record.text(field) for field in _NEEDED)
        if first_lines.setdefault(name, record.line) != record.line:
            record.complain(f"id {name!r} is already on line {first_lines[name]}")
        if not name.strip() or not source.strip() or not target.strip():
            record.complain("expected an id and two sentences that are not empty")
        family = record.fields.get("family")
        segments.append(
            Segment(
                name, source, (target,), str(family) if family else None,
                {field: record.fields[field] for field in _OTHERS if record.fields.get(field)},
            )
        )  # fmt: skip
    raise_if_any(problems)
    return TestSet(tuple(segments), target_language, source_language, str(path))


def corpus_run(test_set: TestSet) -> Run:
    """The target sentences of a sample as the outputs of one system."""
    return Run(CORPUS, tuple(next(iter(one.references), None) for one in test_set))


def _records(path: Path) -> tuple[list[Record], list[Problem]]:
    if path.suffix != ".csv":
        return parse_records(path)
    header, *rows = read_csv_records(path)
    raise_if_any(header_problems(header, _NEEDED, _OTHERS, str(path)))
    problems = [] if rows else [Problem("has a header but no pairs", str(path))]
    named = named_rows(rows, header, str(path), problems)
    return [Record(dict(row), str(path), line, problems) for line, row in named], problems
