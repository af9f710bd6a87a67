"""Settings of a campaign: the campaign file in YAML, JSON or TOML.

The file is a pydantic model; rules between fields, and between the file and its texts, follow
below. All problems are reported together, with line numbers.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from patmark.data import (
    FilePath,
    Run,
    Segment,
    SettingsFile,
    TestSet,
    counted,
    country_warnings,
    first_of,
    parse_model,
    read_lines,
    read_settings_file,
    shown,
)
from patmark.errors import InputError, Problem, UsageError, near
from patmark.human.campaign.annotations import ProposalFile, Proposals, read_proposals
from patmark.human.campaign.enrolment import BackgroundQuestion, background_problems
from patmark.human.campaign.extra_pages import EDITS, Extras, PageShare
from patmark.human.campaign.form import (
    ONE_LANGUAGE,
    Form,
    Text,
    form_names,
    read_form,
    with_typologies,
)
from patmark.human.campaign.texts import (
    CampaignTextFields,
    collecting,
    complain,
    complain_about,
    corpus_run,
    read_context,
    read_texts,
)
from patmark.human.campaign.training import Feedback, Training, read_training_items
from patmark.human.campaign.written_texts import draft_run
from patmark.languages import language_pair
from patmark.report import message_texts
from patmark.wording import InterfaceLanguage

Mode: TypeAlias = Literal["different", "same", "overlap", "each-r-times", "pool"]
Balance: TypeAlias = Literal["document", "ipc"]
PageKind: TypeAlias = Literal["segment", "document"]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
_Count: TypeAlias = Annotated[int, Field(ge=0)]
_AtLeastOne: TypeAlias = Annotated[int, Field(ge=1)]

_EQUAL = "equal"
_FEW = 20
"""Number of segments up to which everyone judges all of them by default."""
_STRICT = ConfigDict(extra="forbid", frozen=True)


_MAIL_ADDRESS = r"^[^@\s<>,;]+@[^@\s<>,;]+$"


def is_mail_address(text: str) -> bool:
    """Return True if a text can be a mail address: it goes into a header of a mail."""
    return bool(re.fullmatch(_MAIL_ADDRESS, text)) and text.isprintable()


def name_problem(name: str) -> str | None:
    """Return the fault of a name, if any, with which judgements could not be exported."""
    if not name.strip() or name != name.strip():
        return "is empty or has spaces around it"
    return None if name.isprintable() else "holds a line break or another control character"


def same_name(name: str, others: Iterable[str]) -> str | None:
    """Return one of the others that people would confuse with this name: ``Ann`` for ``ann``."""
    seen = _as_seen(name)
    return next((one for one in others if one and _as_seen(one) == seen), None)


def parse_renaming(lines: Iterable[str]) -> dict[str, str]:
    """Parse new names by old ones, each given as OLD=NEW."""
    found = {}
    for line in lines:
        old, _, new = (part.strip() for part in line.partition("="))
        if not old or not new:
            raise UsageError(f"rename {line.strip()!r}: expected OLD=NEW")
        found[old] = new
    return found


def _as_seen(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip()


@dataclass(frozen=True, slots=True)
class EvaluatorSettings:
    """An evaluator under a pseudonym, and the ``language`` of the pages; None leaves it open.

    ``deadline`` replaces that of the campaign. ``address`` is for links and reminders; evaluators
    never see it.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    name: Text
    language: InterfaceLanguage | None = None
    deadline: date | None = None
    address: Annotated[str, Field(pattern=_MAIL_ADDRESS)] | None = None


@dataclass(frozen=True, slots=True)
class Joining:
    """Anybody may join: up to ``most`` people, or without a limit."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    most: Annotated[int, Field(ge=1)] | None = None


def most_who_join(settings: Mapping[str, Any]) -> float:
    """Return the maximum number of people who join by the common link, from settings of a plan."""
    join = settings.get("join")
    most = join.get("most") if isinstance(join, dict) else None
    return math.inf if most is None else int(most)


@dataclass(frozen=True, slots=True)
class CompletionCode:
    """The completion ``code`` of all evaluators; None gives each an individual code.

    It is shown to evaluators who have finished and passed this share of the attention ``checks``.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    code: Text | None = None
    checks: Share = 0.0


@dataclass(frozen=True, slots=True)
class Assignment:
    """Assignment of segments to evaluators.

    ``overlap`` is the share of segments that everyone judges, in mode overlap; ``times`` is the
    number of evaluators per segment, in the modes each-r-times and pool. ``items_per_evaluator``
    None distributes the whole test set. ``pairs_per_segment`` None means all pairs of a segment. In
    mode pool everybody takes the next open page, and ``items_per_evaluator`` is the maximum per
    person; a page without a save for ``lease_minutes`` may be taken by others.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    mode: Mode = "different"
    items_per_evaluator: _AtLeastOne | None = None
    overlap: Share = 0.0
    times: _AtLeastOne = 1
    pairs_per_segment: _AtLeastOne | None = None
    lease_minutes: _AtLeastOne = 24 * 60


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """A validated campaign file, with its texts.

    ``context`` holds facts of documents and segments, by id. ``join`` lets people join by
    themselves; ``contact`` is for their questions. ``notes`` report unusual but allowed facts.
    ``record`` is the file as read.
    """

    name: str
    form: Form
    test_set: TestSet
    runs: tuple[Run, ...]
    evaluators: tuple[EvaluatorSettings, ...]
    assignment: Assignment = field(default_factory=Assignment)
    balance: tuple[Balance, ...] = ("document",)
    training: Training | None = None
    checks: Extras | None = None
    repeats: Extras | None = None
    pages: PageKind = "segment"
    neighbours: int = 0
    context: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    proposals: Proposals = field(default_factory=dict)
    min_seconds: float | None = None
    join: bool | Joining = False
    consent: Mapping[str, str] = field(default_factory=dict)
    background: tuple[BackgroundQuestion, ...] = ()
    completion: CompletionCode | None = None
    deadline: date | None = None
    contact: str = ""
    seed: int = 0
    notes: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def extras(self) -> dict[str, Extras | None]:
        """The pages beyond the main ones by kind, in the order in which they are made."""
        return {"repeats": self.repeats, "checks": self.checks}

    @property
    def units(self) -> tuple[Segment, ...]:
        """The assigned units: segments, or whole documents."""
        if self.pages == "segment":
            return self.test_set.segments
        first = {one.document or "": one for one in reversed(self.test_set.segments)}
        names = dict.fromkeys(one.document or "" for one in self.test_set)
        return tuple(Segment(name, document=name, meta=first[name].meta) for name in names)


class _Section(BaseModel):
    model_config = _STRICT


class _TrainingSection(_Section):
    file: Annotated[Text, Field(description="a file of training items, such as training.jsonl")]
    feedback: Feedback = "each"
    pass_mark: Share | None = None
    tolerance: _Count = 0
    tries: _AtLeastOne = 1


class _RepeatsSection(_Section):
    share: PageShare
    distance: _Count | None = None


class _ContextSection(_Section):
    neighbours: _Count = 0
    file: str | None = None


class _ShowSection(_Section):
    source: bool | None = None
    reference: bool | None = None
    differences: bool | None = None


class _GuidelineSection(_Section):
    en: str | None = None
    zh: str | None = None
    ja: str | None = None


class _CampaignFile(CampaignTextFields):
    """All fields of a campaign file."""

    model_config = _STRICT

    name: Annotated[Text, Field(description="what the campaign is called")]
    form: Annotated[Text, Field(description="a form, such as adequacy, or the file of one")]
    evaluators: Annotated[
        tuple[EvaluatorSettings, ...], Field(description="who judges, such as [ann, bob]")
    ] = ()
    assignment: Assignment | None = None
    balance: tuple[Balance, ...] = ("document",)
    training: _TrainingSection | None = None
    checks: Extras | None = None
    repeats: _RepeatsSection | None = None
    context: _ContextSection | None = None
    draft: Literal["reference"] | None = None
    pages: PageKind = "segment"
    typology: Text | None = None
    proposals: ProposalFile | None = None
    show: _ShowSection | None = None
    guideline: _GuidelineSection | Text | None = None
    min_seconds: Annotated[float, Field(ge=0)] | None = None
    join: bool | Joining = False
    consent: _GuidelineSection | Text | None = None
    background: tuple[BackgroundQuestion, ...] = ()
    completion: CompletionCode | None = None
    deadline: date | None = None
    contact: str = ""
    seed: _Count = 0


_UNCHANGED = (
    "name", "evaluators", "balance", "pages", "min_seconds", "join", "background", "completion",
    "deadline", "contact", "seed",
)  # fmt: skip
"""Fields that the settings take from the file as they are."""


def read_campaign(path: FilePath) -> CampaignSettings:
    """Read a campaign from a file; paths are relative to the file."""
    settings = read_settings_file(path)
    folder, content = Path(path).parent, _without_shorthand(settings.content)
    file = parse_model(replace(settings, content=content), _CampaignFile)
    for message, place in _broken_rules(content):
        complain(settings, message, *place)
    missing = _missing_files(content, folder)
    for place, name in missing.items():
        complain(settings, f"no such file: {folder / name}{_near_file(folder / name)}", *place)
    form = _form(settings, folder)
    read = None
    if file is not None and form is not None:
        read = _with_texts(file, _changed_form(form, file, settings, folder), settings, folder)
    if read is None or settings.problems:
        shown_paths = {shown(folder / name) for name in missing.values()}
        raise InputError([one for one in _by_line(settings) if one.path not in shown_paths])
    return read


def _without_shorthand(content: Mapping[str, Any]) -> dict[str, Any]:
    """Expand shorthand names to objects, and single members to lists."""
    found = dict(content)
    for name, short in (("evaluators", "name"), ("runs", "file")):
        if isinstance(found.get(name), list):
            found[name] = [{short: one} if isinstance(one, str) else one for one in found[name]]
    for name, short in (("proposals", "file"), ("assignment", "mode")):
        if isinstance(found.get(name), str):
            found[name] = {short: found[name]}
    for name in ("references", "systems", "balance"):
        if isinstance(found.get(name), str):
            found[name] = [found[name]]
    checks = found.get("checks")
    if isinstance(checks, dict) and isinstance(checks.get("edits"), str):
        found["checks"] = {**checks, "edits": [checks["edits"]]}
    return found


def _broken_rules(content: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield violations of rules between fields, also if some fields are wrong themselves."""
    if not {"languages", "manifest", "patsnap"} & set(content):
        yield "field 'languages' is missing; expected a string", ()
    if isinstance(languages := content.get("languages"), str):
        try:
            language_pair(languages)
        except UsageError as error:
            yield f"field 'languages': {error}", ("languages",)
    evaluators = _objects(content.get("evaluators"))
    given = content.get("assignment")
    is_pool = isinstance(given, dict) and given.get("mode") == "pool"
    if not content.get("evaluators") and not content.get("join"):
        yield "field 'evaluators' is missing or empty; expected who judges, such as [ann, bob]", ()
    if content.get("join") and not is_pool:
        yield "field 'join': only a shared pool has pages for people who join", ("join",)
    names = [str(one.get("name", "")).strip() for one in evaluators]
    for place, name in enumerate(names):
        if name and (problem := name_problem(name)):
            yield f"field 'name': {name!r} {problem}", ("evaluators", place)
        if name and name in names[:place]:
            yield f"the evaluator {name!r} is named twice", ("evaluators", place)
        elif same := same_name(name, names[:place]):
            message = f"the evaluators {same!r} and {name!r} would be taken for each other"
            yield message, ("evaluators", place)
    if not isinstance(given, dict):
        return
    mode = given.get("mode", "different")
    for name, needs in _FIELDS_OF_MODES.items():
        if name in given and mode not in needs:
            message = f"field {name!r}: has an effect only in mode {' or '.join(needs)}"
            yield message, ("assignment", name)
        elif name not in given and mode == needs[0] != "pool":
            yield f"mode {mode} needs the field {name!r}", ("assignment",)
    times = given.get("times", 1)
    if evaluators and isinstance(times, int) and times > len(evaluators):
        named = counted(len(evaluators), "evaluator is", "evaluators are")
        yield f"field 'times': only {named} named", ("assignment", "times")


_FIELDS_OF_MODES = {
    "overlap": ("overlap",),
    "times": ("each-r-times", "pool"),
    "lease_minutes": ("pool",),
}


def _objects(items: Any) -> list[dict[str, Any]]:
    """Return a list with an empty object for each member that is none."""
    listed = items if isinstance(items, list) else []
    return [one if isinstance(one, dict) else {} for one in listed]


def _form(settings: SettingsFile, folder: Path) -> Form | None:
    name = settings.content.get("form")
    if not isinstance(name, str) or not (name := name.strip()):
        return None
    try:
        return read_form(name if name in form_names() or not Path(name).suffix else folder / name)
    except InputError as error:
        settings.problems.extend(error.problems)
    except UsageError as error:
        complain_about(settings, "form", str(error))
    return None


def _changed_form(form: Form, file: _CampaignFile, settings: SettingsFile, folder: Path) -> Form:
    """Return the form with the guidelines and the display that the campaign file asks for."""
    own = _markdown(file.guideline, settings, folder)
    texts = own if ONE_LANGUAGE in own else {**form.guideline, **own}
    show = file.show or _ShowSection()
    changes = {
        "shows_source": show.source,
        "shows_reference": show.reference,
        "marks_differences": show.differences,
    }
    wanted: dict[str, Any] = {name: one for name, one in changes.items() if one is not None}
    changed = replace(form, guideline=texts, **wanted)
    if file.typology is None:
        return changed
    if not any(question.typology for question in form.questions):
        message = f"the form {form.id} has kinds of error of its own, or none"
        complain_about(settings, "typology", message)
        return changed
    try:
        return with_typologies(changed, file.typology)
    except UsageError as error:
        complain_about(settings, "typology", str(error))
        return changed


def _markdown(
    named: _GuidelineSection | str | None, settings: SettingsFile, folder: Path
) -> dict[str, str]:
    files = {ONE_LANGUAGE: named} if isinstance(named, str) else dict(named or ())
    texts = {}
    for language, name in files.items():
        if name is not None:
            with collecting(settings):
                texts[language] = "\n".join(read_lines(folder / name)) + "\n"
    return texts


def _with_texts(
    file: _CampaignFile, form: Form, settings: SettingsFile, folder: Path
) -> CampaignSettings | None:
    """Read all texts that the file names; return None if the test set or the runs are wrong."""
    texts, notes = read_texts(file, settings, folder), list[str]()
    training = _training(file.training, form, texts and texts[0], settings, folder)
    if texts is None:
        return None
    test_set, runs = texts
    if form.material == "sentence-pair" and not runs:
        runs = (corpus_run(test_set),)
    if form.material == "draft" and not (runs and file.draft is None):
        runs = (*runs, draft_run(test_set, file.draft))
    _check_draft(file, form, runs, settings)
    _check_names(form, test_set, runs, settings)
    _check_material(form, test_set, runs, settings)
    if file.languages is not None:
        notes += message_texts(country_warnings(*language_pair(file.languages)))
    if file.pages == "document":
        _check_documents(file, form, test_set, settings)
    units = len(set(test_set.documents)) if file.pages == "document" else len(test_set)
    assignment = file.assignment or Assignment()
    if file.assignment is None and units <= _FEW and len(file.evaluators) > 1:
        assignment = Assignment("same")
        notes.append(
            f"everyone judges all {units}, so that agreement can be measured; "
            "assignment: {mode: different} deals them out"
        )
    _check_assignment(assignment, form, len(file.evaluators), units, settings)
    context: Mapping[str, Mapping[str, Any]] = {}
    if file.context and file.context.file is not None:
        with collecting(settings):
            context = read_context(file.context.file, folder, test_set, notes)
    proposals: Proposals = {}
    if file.proposals is not None:
        with collecting(settings, "proposals"):
            proposals = read_proposals(file.proposals, folder, form, test_set, runs)
    for message in background_problems(file.background):
        complain(settings, message, "background")
    checks, repeats = file.checks, file.repeats
    same: dict[str, Any] = {name: getattr(file, name) for name in _UNCHANGED}
    return CampaignSettings(
        **same,
        form=form,
        test_set=test_set,
        runs=runs,
        assignment=assignment,
        training=training,
        checks=replace(checks, edits=checks.edits or EDITS) if checks else None,
        repeats=Extras(repeats.share, repeats.distance, EDITS) if repeats else None,
        neighbours=file.context.neighbours if file.context else 0,
        context=context,
        proposals=proposals,
        consent=_markdown(file.consent, settings, folder),
        notes=tuple(notes),
        record=settings.content,
    )


def _training(
    section: _TrainingSection | None,
    form: Form,
    test_set: TestSet | None,
    settings: SettingsFile,
    folder: Path,
) -> Training | None:
    if section is None:
        return None
    with collecting(settings):
        items = read_training_items(folder / section.file, form, test_set)
        return Training(
            items, section.feedback, section.pass_mark, section.tolerance, section.tries
        )
    return None


def _check_material(
    form: Form, test_set: TestSet, runs: Sequence[Run], settings: SettingsFile
) -> None:
    """Refuse texts that lack a part that the form shows or compares."""
    if not runs:
        message = "field 'runs' is missing; expected the outputs that are to be judged"
        complain(settings, message)
    if len(runs) == 1 and any(question.compares for question in form.questions):
        message = f"the form {form.id} compares systems; one run is not enough"
        complain_about(settings, "runs", message)
    count = sum(not "".join(segment.references).strip() for segment in test_set)
    if form.shows_reference and count:
        lacking = counted(count, "segment has", "segments have")
        complain(settings, f"the form {form.id} shows references, and {lacking} none")
    count = sum(not source.strip() for source in test_set.sources)
    if form.shows_source and count:
        lacking = counted(count, "segment has", "segments have")
        complain(
            settings,
            f"the form {form.id} shows the source, and {lacking} none; "
            "show: {source: false} hides it",
        )


def _check_documents(
    file: _CampaignFile, form: Form, test_set: TestSet, settings: SettingsFile
) -> None:
    """Refuse whole documents if they cannot be shown or are unknown."""
    if form.candidates != 1 or form.material != "outputs":
        message = f"the form {form.id} does not judge outputs one by one, as documents need it"
        complain_about(settings, "pages", message)
    if form.shows_reference:
        complain_about(settings, "pages", "whole documents are shown without references")
    if count := sum(not one.document for one in test_set):
        lacking = counted(count, "segment has", "segments have")
        complain_about(settings, "pages", f"{lacking} no document")
    for name in ("checks", "repeats"):
        if getattr(file, name) is not None:
            complain_about(settings, name, "whole documents are not shown again")


def _check_draft(
    file: _CampaignFile, form: Form, runs: Sequence[Run], settings: SettingsFile
) -> None:
    """Refuse settings that make no sense for written texts, and drafts without them."""
    if form.material != "draft" and file.draft is not None:
        message = f"has an effect only where texts are written; the form is {form.id}"
        complain_about(settings, "draft", message)
    elif file.draft is not None and len(runs) > 1:
        complain_about(settings, "draft", "the outputs of the runs are drafts already; name either")
    for name in ("checks", "repeats"):
        if getattr(file, name) is not None and all(one.is_written for one in form.questions):
            message = f"the form {form.id} asks for texts, which cannot be compared"
            complain_about(settings, name, message)


def _check_names(
    form: Form, test_set: TestSet, runs: Sequence[Run], settings: SettingsFile
) -> None:
    """Refuse names with which no judgement could be exported."""
    names = [("system", run.system) for run in runs]
    names += [("segment", segment.id) for segment in test_set]
    found = [
        Problem(f"the {kind} {name!r} {problem}", settings.path)
        for kind, name in names
        if (problem := name_problem(name))
    ]
    settings.problems.extend(first_of(found, "names that cannot be used", settings.path))
    if any(one.compares for one in form.questions) and _EQUAL in [run.system for run in runs]:
        complain(settings, f"a system named {_EQUAL!r} cannot be told from a tie; rename it")


def _check_assignment(
    assignment: Assignment, form: Form, evaluators: int, segments: int, settings: SettingsFile
) -> None:
    """Refuse more work than the test set has, before anything is planned."""
    if settings.problems:
        return
    if assignment.pairs_per_segment is not None and form.candidates != 2:
        message = f"field 'pairs_per_segment': the form {form.id} does not show pairs"
        complain(settings, message, "assignment", "pairs_per_segment")
    items = assignment.items_per_evaluator
    if items is None:
        return
    common = round(assignment.overlap * items) if assignment.mode == "overlap" else 0
    needed = {
        "same": items,
        "different": items * evaluators,
        "overlap": common + (items - common) * evaluators,
        "each-r-times": items * evaluators // assignment.times,
        "pool": 0,
    }[assignment.mode]
    if needed > segments:
        complain(
            settings,
            f"field 'items_per_evaluator': mode {assignment.mode} with {counted(items, 'item')} "
            f"for {counted(evaluators, 'evaluator')} needs {counted(needed, 'segment')}; the test "
            f"set has {segments}",
            "assignment",
            "items_per_evaluator",
        )


def _missing_files(content: Mapping[str, Any], folder: Path) -> dict[tuple[str | int, ...], str]:
    """Return the files that are named and do not exist, by where they are named."""
    named: dict[tuple[str | int, ...], Any] = {
        (name,): content.get(name)
        for name in ("testset", "sample", "source", "documents", "manifest")
    }
    references = content.get("references")
    for place, file in enumerate(references if isinstance(references, list) else []):
        named["references", place] = file
    for place, run in enumerate(_objects(content.get("runs"))):
        named["runs", place, "file"] = run.get("file")
    for name in ("training", "context", "proposals"):
        if isinstance(part := content.get(name), dict):
            named[name, "file"] = part.get("file")
    if isinstance(guideline := content.get("guideline"), dict):
        named |= {("guideline", language): file for language, file in guideline.items()}
    form = content.get("form")
    if isinstance(form, str) and Path(form.strip()).suffix:
        named["form",] = form.strip()
    return {
        place: file
        for place, file in named.items()
        if isinstance(file, str) and file.strip() and not (folder / file).is_file()
    }


def _near_file(path: Path) -> str:
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    return near(path.name, (one.name for one in beside if near(path.stem, [one.stem])))


def _by_line(settings: SettingsFile) -> list[Problem]:
    """Return the problems of the campaign file by line, then those of other files."""
    unique = list(dict.fromkeys(settings.problems))
    own = [problem for problem in unique if problem.path == settings.path]
    others = [problem for problem in unique if problem.path != settings.path]
    return [*sorted(own, key=lambda problem: problem.line or 0), *others]
