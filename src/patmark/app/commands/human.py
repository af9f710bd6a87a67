"""The human commands for judgements; those for campaigns are in ``campaigns``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark.app.commands.campaigns import (
    CampaignRequest as CampaignRequest,
    CampaignServer as CampaignServer,
    DatabaseRequest as DatabaseRequest,
    ExportRequest as ExportRequest,
    LinkedRequest as LinkedRequest,
    LinkRequest as LinkRequest,
    MailRequest as MailRequest,
    NewCampaignRequest as NewCampaignRequest,
    NewEvaluator as NewEvaluator,
    ServeRequest as ServeRequest,
    add_evaluator as add_evaluator,
    add_organiser as add_organiser,
    answers_to_delete as answers_to_delete,
    archive as archive,
    backup as backup,
    clone as clone,
    close as close,
    codes as codes,
    delete as delete,
    demo as demo,
    export as export,
    extend as extend,
    forget as forget,
    link as link,
    list_campaigns as list_campaigns,
    mail as mail,
    migrate as migrate,
    new as new,
    port_number as port_number,
    remind as remind,
    reopen as reopen,
    replace_evaluator as replace_evaluator,
    server as server,
    status as status,
    validate as validate,
)
from patmark.app.commands.inputs import as_files
from patmark.app.commands.options import (
    GradeOptions,
    PairTests,
    Scales,
    TextOptions,
    inputs_of,
    paths_of,
)
from patmark.data import AnnotatedTexts, read_manifest, read_test_set
from patmark.errors import UsageError
from patmark.evaluation import CompareSettings, language_warnings
from patmark.human.judgements import (
    ANNOTATION_TARGETS,
    HumanData,
    Judgements,
    Preferences,
    check_target,
    convert_annotations,
    convert_rows,
    convert_with_texts,
    evaluate_judgements,
    read_human_files,
)
from patmark.options import Argument, Options, group, refuse
from patmark.report import message_texts
from patmark.wording import DEFAULT_LANGUAGE, setting

if TYPE_CHECKING:
    from patmark.data import FilePath, Run, TestSet
    from patmark.human.judgements import HumanEvaluation

_ROW_TARGETS = ("csv", "jsonl")
_TEXT_TARGETS = ("mt-metrics-eval", "pearmut")
_TARGETS = (*_ROW_TARGETS, *_TEXT_TARGETS, *ANNOTATION_TARGETS)


def scales_of(scales: Mapping[str, str] | None) -> list[str]:
    """Write scales as NAME=GRADES."""
    return [f"{name}={grades}" for name, grades in (scales or {}).items()]


@group
class JudgementFormat(Options, heading="Judgements"):
    """Format of judgements."""

    format: str | None = None
    """csv, preferences, jsonl, label-studio, pearmut, appraise, annotations, wmt-mqm or wmt-esa
    (default: by content)."""


@group
class JudgementOptions(GradeOptions, JudgementFormat):
    """Format of judgements, and the names that may occur in them."""

    systems: str | Collection[str] | None = None
    """Comma-separated names of the systems that may occur."""
    manifest: str | FilePath | None = None
    """A task manifest; only its runs and segments may occur."""
    testset: str | FilePath | TestSet | None = None
    """Test set (JSONL, TSV); only its segments may occur."""


@group
class HumanReportRequest(JudgementOptions):
    """Judgement, preference or error annotation files, and the allowed names; None means any."""

    files: Annotated[tuple[str, ...], Argument()]
    """Judgements, preferences or error annotations, in any form."""
    settings: Annotated[CompareSettings, PairTests] = field(default_factory=CompareSettings)

    def known(self) -> tuple[Collection[str] | None, TestSet | None]:
        """Return the systems and the test set with the allowed names; None means any."""
        systems = self.systems
        if isinstance(systems, str):
            systems = [name.strip() for name in systems.split(",")]
        if systems is not None and not all(systems):
            raise UsageError(
                f"{setting('systems')}: expected names with commas between, "
                f"found {','.join(systems)!r}"
            )
        if self.manifest is not None:
            refuse(f"with {setting('manifest')}", self.named("systems", "testset"))
            task = read_manifest(self.manifest)
            return [one.id for one in task.submissions], task.test_set
        test_set = self.testset
        if isinstance(test_set, str | Path):
            test_set, _ = read_test_set(test_set, DEFAULT_LANGUAGE, allow_empty_references=True)
        return systems, test_set


def report_judgements(request: HumanReportRequest) -> HumanEvaluation:
    """Rank systems by human judgements, and validate the evaluators."""
    systems, test_set = request.known()
    data = read_human_files(
        request.files,
        request.format,
        scales=request.scales,
        systems=systems,
        test_set=test_set,
        weights=request.named_weights,
        repeated_marks=request.repeated_marks,  # type: ignore[arg-type]
    )
    whole_segments = not request.keep_unfinished
    return evaluate_judgements(data, request.settings, whole_segments=whole_segments)


def report(
    *judgements: Any,
    scales: Mapping[str, str] | None = None,
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
    settings: CompareSettings | None = None,
    **choice: Any,
) -> HumanEvaluation:
    """Rank systems by human judgements, and report the reliability of the evaluators.

    Judgements are tables with the columns evaluator, system, segment, criterion and value, or
    files. ``scales`` as in ``{"clarity": "1..7"}``. ``choice`` are further fields of
    :class:`HumanReportRequest`.
    """
    with as_files(judgements) as paths:
        request = HumanReportRequest(
            files=tuple(paths),
            scale=tuple(scales_of(scales)),
            systems=systems,
            testset=test_set,
            settings=settings or CompareSettings(),
            **choice,
        )
        return report_judgements(request)


@group
class Conversion(Scales, JudgementFormat):
    """Format to write, and the choice of rows."""

    to: str
    """One of csv, jsonl, mt-metrics-eval, pearmut; of error annotations: annotations, wmt-mqm,
    label-studio, pearmut-log."""
    only: str | None = None
    """judgements or preferences, if the file holds both."""
    overwrite: bool = False
    """Overwrite OUT if it exists."""


@group
class ConvertRequest(Conversion, TextOptions):
    """A judgement file, the format to write, and the texts if the format holds them."""

    source: Annotated[str | FilePath, Argument("IN")]
    """Judgements or preferences."""
    target: Annotated[str, Argument("OUT")]
    """The file or folder to write."""

    @property
    def paths(self) -> list[Any]:
        """All files to read."""
        return [self.source, *paths_of(inputs_of(self))]

    def __post_init__(self) -> None:
        if self.to not in _TARGETS:
            raise UsageError(f"the form {self.to!r} is unknown; choose from {', '.join(_TARGETS)}")
        to = f"with {setting('to', self.to)}"
        if self.to in ANNOTATION_TARGETS:
            refuse(to, self.named("only"))
        if self.to in _ROW_TARGETS:
            refuse(to, self.named("testset", "ref", "src", "docs", "hyp", "lang"))
        if self.only not in (None, "judgements", "preferences"):
            raise UsageError(f"{setting('only')} {self.only!r}: expected judgements or preferences")

    def read_texts(self) -> tuple[TestSet, list[Run]] | None:
        """Read the texts if any are given or the format needs them."""
        texts = inputs_of(self)
        given = texts.testset or texts.ref or texts.src or texts.hyp
        if not given and self.to not in _TEXT_TARGETS:
            return None
        test_set, runs = texts.read_test_set()
        return test_set, [*runs, *texts.read_runs(test_set, allow_partial=False)]


def convert(request: ConvertRequest) -> list[str]:
    """Write judgements or error annotations in another format; return notes on lost content."""
    check_target(request.target, overwrite=request.overwrite)
    read = request.read_texts()
    data = read_human_files(
        [request.source],
        request.format,
        scales=request.scales,
        systems=[run.system for run in read[1]] if read else None,
        test_set=read[0] if read else None,
    )
    notes = [*data.notes]
    if read:
        notes[:0] = message_texts(language_warnings(*read, inputs_of(request).files_of(*read)))
    if request.to in ANNOTATION_TARGETS:
        texts = AnnotatedTexts.of(*read) if read else None
        return notes + convert_annotations(data, request.to, request.target, texts)
    rows = _rows(data, request.only)
    if read is None:
        convert_rows(rows, request.to, request.target)
        return notes
    return notes + convert_with_texts(rows, request.to, request.target, *read)


def _rows(data: HumanData, only: str | None) -> Judgements | Preferences:
    """Return the one kind in the file, or the requested one."""
    kinds = {"judgements": data.judgements, "preferences": data.preferences}
    held = {name: rows for name, rows in kinds.items() if rows is not None}
    if only is None and len(held) > 1:
        raise UsageError(
            f"the file holds judgements and preferences; choose one kind with {setting('only')}"
        )
    wanted = only or next(iter(held))
    if wanted not in held:
        raise UsageError(f"the file holds no {wanted}")
    return held[wanted]
