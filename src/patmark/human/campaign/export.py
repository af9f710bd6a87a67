"""Results of a campaign as files: judgements, all answers, marked errors, a new test set."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.data import (
    FilePath,
    Run,
    Segment,
    TestSet,
    counted,
    write_json_lines,
    write_jsonl_test_set,
)
from patmark.errors import UsageError
from patmark.human.campaign.annotations import campaign_annotations
from patmark.human.campaign.plan import Candidate, Page, Plan
from patmark.human.campaign.results import (
    CampaignResults,
    answer_records,
    campaign_facts,
    declared_scales,
    marked_errors,
)
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.written_texts import written_test_set
from patmark.human.judgements import (
    ANNOTATION_TARGETS,
    PHASES,
    Judgement,
    Judgements,
    Phase,
    Preference,
    Preferences,
    Scale,
    convert_rows,
    convert_with_texts,
    write_marks,
)
from patmark.wording import setting

EXPORT_FORMS = ("csv", "jsonl", *ANNOTATION_TARGETS, "testset", "mt-metrics-eval", "pearmut")
"""Forms of export: judgements, everything, marked errors, written texts, texts with scores
or to be judged again."""
RESULT_PHASES: tuple[Phase, ...] = ("main", "repeat")
"""The phases exported by default, with unaltered outputs of the systems."""


@dataclass(frozen=True, slots=True)
class CampaignExport:
    """The judgements of some phases to be written, and notes for their readers."""

    state: CampaignState
    results: CampaignResults
    phases: tuple[Phase, ...]
    judgements: Judgements | None
    preferences: Preferences | None
    notes: tuple[str, ...]

    @property
    def plan(self) -> Plan:
        """The plan of the evaluators whose answers are exported."""
        return self.results.answers.plan

    @property
    def records(self) -> Iterator[dict[str, Any]]:
        """All collected data: judgements, other answers, remarks, consensus."""
        yield from answer_records(self.results, self.phases, self.state.saves.seconds)
        yield from self._remarks()
        yield from self._agreed()

    def _remarks(self) -> Iterator[dict[str, Any]]:
        pages = {page.id: page for page in self.plan.pages if page.phase in self.phases}
        for one in self.state.remarks:
            if one.page in pages:
                yield campaign_facts(self.plan) | {
                    "kind": "remark",
                    "item": one.segment,
                    "evaluator": one.evaluator,
                    "page": one.page,
                    "text": one.text,
                    "flagged": one.flagged,
                    "saved": one.saved,
                    "phase": pages[one.page].phase,
                }

    def _agreed(self) -> Iterator[dict[str, Any]]:
        """Yield the common results of organisers; labels and sides follow the order of systems."""
        trained = {one.segment for one in self.state.pages if one.phase == "training"}
        for one in self.state.consensus:
            phase: Phase = "training" if one.segment in trained else "main"
            if phase in self.phases:
                yield campaign_facts(self.plan) | {
                    "kind": "consensus",
                    "item": one.segment,
                    "systems": list(one.systems),
                    "criterion": one.question,
                    "value": one.value,
                    "note": one.note,
                    "saved": one.saved,
                    "phase": phase,
                }

    def chosen(self, only: str | None = None) -> Judgements | Preferences:
        """Return the only kind of rows, or the kind that was asked for."""
        kinds = {"judgements": self.judgements, "preferences": self.preferences}
        held = {name: rows for name, rows in kinds.items() if rows is not None and rows.rows}
        if only is not None and only not in kinds:
            raise UsageError(f"{only!r}: expected judgements or preferences")
        if only is None and len(held) > 1:
            raise UsageError(
                "the campaign has judgements and preferences, which need two files; choose one "
                f"kind with {setting('only', 'judgements')} or {setting('only', 'preferences')}"
            )
        wanted = only or next(iter(held), "judgements")
        if wanted not in held:
            raise UsageError(f"there are no {wanted} to export yet")
        return held[wanted]


def parse_phases(text: str) -> tuple[Phase, ...]:
    """Parse comma-separated phases, or all of them."""
    if text == "all":
        return PHASES
    named = [name.strip() for name in text.split(",")]
    unknown = [name for name in named if name not in PHASES]
    if unknown:
        raise UsageError(f"phase {unknown[0]!r}: expected all, or some of {', '.join(PHASES)}")
    return tuple(phase for phase in PHASES if phase in named)


def campaign_export(
    state: CampaignState, phases: Sequence[Phase] = RESULT_PHASES, *, with_excluded: bool = False
) -> CampaignExport:
    """Return the judgements of some phases of a campaign, without those of excluded evaluators."""
    answers = state.book if with_excluded else state.counted
    plan = answers.plan
    found = state.results_of(answers) if with_excluded else state.results
    kept = "is excluded, but exported" if with_excluded else "is left out"
    notes = [*found.notes, *(f"{name} {kept}: {why}" for name, why in state.excluded.items())]
    if scales := declared_scales(plan.form):
        notes.append(f"readers of the CSV need {' '.join(map(scale_option, scales))}")
    if marked := marked_errors(answers):
        notes.append(f"in the forms annotations and jsonl only: {counted(marked, 'marked error')}")
    only = {
        "remark": len(state.remarks),
        "agreed value": len(state.consensus),
        "written text": sum(
            one.question in plan.form.free_texts and one.value is not None
            for one in answers.answers.values()
        ),
    }
    for noun, held in only.items():
        if held:
            notes.append(f"in the form jsonl only: {counted(held, noun)}")
    return CampaignExport(
        state,
        found,
        tuple(phases),
        _kept(found.judgements, lambda row: row.phase in phases),
        _kept(found.preferences, lambda row: row.phase in phases),
        tuple(notes),
    )


def write_export(
    export: CampaignExport, form: str, target: FilePath, only: str | None = None
) -> tuple[str, ...]:
    """Write an export; return notes for its readers."""
    if form == "jsonl":
        write_json_lines(target, export.records)
        return export.notes
    if form in ANNOTATION_TARGETS:
        found, texts = campaign_annotations(export.results.answers)
        return (*export.notes, *write_marks(found, form, target, texts))
    if form == "testset":
        test_set, notes = written_test_set(export.results.answers)
        write_jsonl_test_set(target, test_set)
        return (*export.notes, *notes)
    rows = export.chosen(only)
    if form == "csv":
        convert_rows(rows, form, str(target))
        return export.notes
    if form in ("mt-metrics-eval", "pearmut"):
        if export.plan.source_language is None:
            raise UsageError(
                f"{form} is kept by language pair, and the campaign has no source language"
            )
        test_set, runs, notes = campaign_texts(export.plan)
        known = {segment.id for segment in test_set}
        rows = _kept(rows, lambda row: row.phase == "main" and row.segment in known)
        return (*export.notes, *notes, *convert_with_texts(rows, form, str(target), test_set, runs))
    raise UsageError(f"the form {form!r} is unknown; choose from {', '.join(EXPORT_FORMS)}")


def export_bytes(export: CampaignExport, form: str, only: str | None = None) -> bytes:
    """Return an export as one file: a folder becomes a zip file that includes the notes."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "export"
        notes = write_export(export, form, target, only)
        return _zipped(target, notes) if target.is_dir() else target.read_bytes()


def campaign_texts(plan: Plan) -> tuple[TestSet, tuple[Run, ...], tuple[str, ...]]:
    """Return the test set and the outputs as shown on the main pages.

    A segment that no page shows for all systems is left out, with a note.
    """
    shown: dict[str, Segment] = {}
    outputs: dict[tuple[str, str], str] = {}
    for page in plan.pages:
        for candidate in page.candidates if page.phase == "main" else ():
            segment = page.segment_of(candidate)
            if segment not in shown:
                shown[segment] = _segment(page, candidate)
            for system in candidate.systems:
                outputs[system, segment] = candidate.text
    systems = tuple(plan.settings.get("systems") or dict.fromkeys(name for name, _ in outputs))
    order = {name: place for place, name in enumerate(plan.settings.get("segments", ()))}
    ids = sorted(shown, key=lambda name: order.get(name, len(order)))
    whole = [name for name in ids if all((system, name) in outputs for system in systems)]
    notes = []
    if len(whole) < len(ids):
        left = counted(len(ids) - len(whole), "segment is", "segments are")
        notes.append(f"{left} left out, which no page shows for all systems")
    test_set = TestSet(
        tuple(shown[name] for name in whole),
        plan.target_language,
        plan.source_language,
        plan.name,
        True,
    )
    runs = tuple(Run(name, tuple(outputs[name, one] for one in whole)) for name in systems)
    return test_set, runs, tuple(notes)


def scale_option(scale: Scale) -> str:
    """Return the setting that declares a scale."""
    if scale.kind == "interval":
        return setting("scale", f"{scale.criterion}={scale.values[0]}..{scale.values[-1]}")
    return setting("scale", f"{scale.criterion}={','.join(scale.values)}")


def _segment(page: Page, candidate: Candidate) -> Segment:
    sections = page.context.get("ipc")
    first = sections[0] if isinstance(sections, Sequence) and sections else ""
    domain = {"domain": str(first)[:1]} if str(first)[:1].isalpha() else {}
    references = (page.reference,) if page.reference else ()
    source = page.source_of(candidate)
    return Segment(page.segment_of(candidate), source, references, page.document, domain)


def _kept(rows: Any, is_kept: Callable[[Judgement | Preference], bool]) -> Any:
    return rows and rows.keeping(filter(is_kept, rows.rows))


def _zipped(folder: Path, notes: Sequence[str]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
        archive.writestr("NOTES.txt", "".join(f"{note}\n" for note in notes))
    return packed.getvalue()


if TYPE_CHECKING:
    from patmark.human.campaign.store.store import Store


_OF_PERSON = ("name", "expires", "revoked", "qualified", "excluded", "enrolled", "background")


def personal_data(store: Store, state: CampaignState, evaluator: str) -> dict[str, Any]:
    """Return person, pages, all revisions of all answers, remarks and log, to be written as JSON.

    It contains nothing about other people and systems.
    """
    info = next((one for one in state.evaluators if one.name == evaluator), None)
    if info is None:
        raise UsageError(f"campaign {state.info.name!r} has no evaluator {evaluator!r}")
    campaign = state.info.id
    return {
        "campaign": {"id": campaign, "name": state.info.name},
        "person": {
            **{name: getattr(info, name) for name in _OF_PERSON},
            "address": state.address_of(evaluator),
            "language": state.language_of(evaluator),
            "deadline": state.deadline_of(evaluator),
        },
        "pages": [
            {"id": one.id, "position": one.position, "phase": one.phase, "segment": one.segment}
            for one in state.pages_of(evaluator)
        ],
        "answers": [one.answer for one in store.history(campaign) if one.evaluator == evaluator],
        "remarks": [one for one in state.remarks if one.evaluator == evaluator],
        "log": [one for one in store.events(campaign) if one.evaluator == evaluator],
    }
