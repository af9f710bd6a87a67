"""Reading a campaign file: YAML, JSON or TOML, every problem at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from patmark.data import (
    Entry,
    FilePath,
    Run,
    SettingsFile,
    TestSet,
    counted,
    first_of,
    read_settings_file,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.human.campaign.corpus_sample import corpus_run
from patmark.human.campaign.form import Form
from patmark.human.campaign.form_file import form_names, read_form
from patmark.human.campaign.settings import Assignment, CampaignSettings, Feedback, Training
from patmark.human.campaign.settings_sections import (
    name_problem,
    number,
    read_assignment,
    read_balance,
    read_evaluators,
    read_extras,
    section,
    whole,
    word,
)
from patmark.human.campaign.settings_texts import (
    context_file,
    note_missing,
    read_context,
    read_texts,
    with_own_words,
)
from patmark.human.campaign.training_file import read_training_items

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
