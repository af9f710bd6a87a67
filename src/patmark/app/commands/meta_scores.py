"""patmark meta and calibrate: metrics or a judge compared with human labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Annotated, Any

from patmark import evaluation
from patmark.app.commands.inputs import as_files, split_list
from patmark.app.commands.options import GradeOptions, Resampling, Scales
from patmark.data import AnnotatedTexts, read_manifest
from patmark.errors import UsageError
from patmark.human.judgements import files_by_pair, read_sources
from patmark.measures import split_names
from patmark.options import PYTHON, Argument, Options, Parameter, at_least, group, refuse
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.evaluation import (
        AverageResult,
        Evaluation,
        JudgeCalibration,
        MetaResult,
        MetaSettings,
        Sampling,
        Source,
    )


@group
class MetaOptions(Options, heading="Meta-evaluation"):
    """Gold standard, level and choice of metrics."""

    gold: str
    """The gold standard: a measure such as adequacy."""
    level: str = "system"
    """system (ranking of systems) or segment (quality of single outputs)."""
    average_by: str | None = None
    """Segment level: item (outputs of one source, default), system, or none (all)."""
    without: Annotated[str | None, Parameter(metavar="NAMES")] = None
    """Comma-separated systems or types to leave out, e.g. refA or RBMT; results are shown with and
    without."""
    manifest: str | None = None
    """A task manifest that gives the type of each system."""
    measures: str | None = None
    """Comma-separated measures to evaluate (default: all)."""
    lower_is_better: str | Sequence[str] | None = None
    """Measures of a CSV for which lower is better, such as wer,ter."""
    lang: str | None = None
    """Comma-separated language pairs of an mt-metrics-eval folder, e.g. ja-en."""
    allow_partial: bool = False
    """Evaluate each metric on the systems and segments that it scores."""
    error_free: float | None = None
    """Segment level: also evaluate metrics as detectors of outputs whose gold is this or better,
    such as 0 (MQM) or 85 (ESA)."""
    permutations: Annotated[int, at_least(1)] = 1000
    """Permutations of each test between metrics."""


@group
class MetaRequest(MetaOptions, GradeOptions):
    """Metrics to evaluate against a gold measure.

    In Python ``scores`` are also evaluations and tables, and ``kinds`` gives the type of each
    system.
    """

    scores: Annotated[tuple[str | Any, ...], Argument()]
    """Scores: CSV, TSV, JSONL system,segment,measure,value; .seg.score; saved scores (.json, .gz,
    .zst); judgements (CSV evaluator,system,segment,criterion,value) or error annotations; a folder
    of MT-metrics-eval. PAIR=FILE for several language pairs and their average."""
    kinds: Annotated[Mapping[str, str], PYTHON] = field(default_factory=dict)
    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())

    def __post_init__(self) -> None:
        if self.level == "system":
            refuse(f"with {setting('level', 'system')}", self.named("average_by"))

    @property
    def settings(self) -> MetaSettings:
        """Settings of the meta-evaluation."""
        names = ("level", "permutations", "allow_partial", "sampling", "error_free")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        return evaluation.MetaSettings(**given, average_by=self.average_by or "item")  # type: ignore[arg-type]

    @property
    def paths(self) -> list[str | None]:
        """All files to read."""
        files = files_by_pair(self.scores, self.lang)
        return [*(path for paths in files.values() for path in paths), self.manifest]

    @property
    def inverted(self) -> tuple[str, ...]:
        """Measures for which lower is better."""
        given = self.lower_is_better
        return tuple(split_list(given) if isinstance(given, str) else given or ())

    def sources(self) -> dict[str, list[Source]]:
        """Read the scores by language pair; the name is empty if there is only one."""
        scored = [one.scored if hasattr(one, "scored") else one for one in self.scores]
        found = [
            evaluation.scores_source(
                f"scores {number}", one.scores, one.documents, texts=_texts(one)
            )
            for number, one in enumerate(scored, 1)
            if isinstance(one, evaluation.Evaluation)
        ]
        with as_files(
            [one for one in scored if not isinstance(one, evaluation.Evaluation)]
        ) as paths:
            files = files_by_pair(paths, self.lang) if paths else {}
            read = {
                pair: read_sources(
                    of_pair,
                    self.inverted,
                    pair or None,
                    self.scales,
                    whole_segments=not self.keep_unfinished,
                    weights=self.named_weights,
                    repeated_marks=self.repeated_marks,  # type: ignore[arg-type]
                )
                for pair, of_pair in files.items()
            }
        if found:
            read[""] = [*found, *read.get("", ())]
        return read

    def known_kinds(self) -> Mapping[str, str]:
        """Return the type of each system."""
        if self.manifest is None:
            return self.kinds
        runs = read_manifest(self.manifest).runs
        return {run.system: run.kind for run in runs if run.kind is not None}


def _texts(scored: Evaluation) -> AnnotatedTexts | None:
    if not isinstance(scored, evaluation.TextEvaluation):
        return None
    return AnnotatedTexts.of(scored.test_set, scored.runs)


def meta_evaluate_scores(request: MetaRequest) -> MetaResult | AverageResult:
    """Measure how well metrics agree with gold, in each language pair and on average."""
    sources = request.sources()
    known = {name for found in sources.values() for source in found for name in source.series}
    unknown = [name for name in request.inverted if name not in known]
    if unknown:
        raise UsageError(f"{setting('lower_is_better')}: there is no measure {unknown[0]!r}")
    names = None if request.measures is None else split_names(request.measures)
    kinds, settings = request.known_kinds(), request.settings
    panels = {
        pair: evaluation.build_panel(
            found, request.gold, names, kinds, allow_partial=settings.allow_partial
        )
        for pair, found in sources.items()
    }
    if len(panels) == 1:
        [panel] = panels.values()
        return evaluation.meta_evaluate(panel, settings, request.without)
    return evaluation.meta_evaluate_pairs(panels, settings, request.without)


def meta(
    *scores: Any,
    gold: str,
    sampling: Sampling | None = None,
    settings: MetaSettings | None = None,
    **options: Any,
) -> MetaResult | AverageResult:
    """Measure how well metrics agree with a gold measure, such as human adequacy.

    Scores are results (of score, of human.report), tables with the columns system, segment, measure
    and value, or files. ``sampling`` is a part of ``settings``; ``options`` are those of
    :class:`MetaRequest`.
    """
    _check_options("meta", MetaRequest, options)
    chosen = settings or evaluation.MetaSettings()
    if sampling is not None:
        chosen = replace(chosen, sampling=sampling)
    given = {one.name: getattr(chosen, one.name) for one in fields(chosen)}
    if chosen.level == "system":
        del given["average_by"]
    return meta_evaluate_scores(MetaRequest(scores=scores, gold=gold, **{**given, **options}))


def _check_options(command: str, request: type[Any], options: dict[str, Any]) -> None:
    """Refuse unknown options of a Python call; scales are fields of another name."""
    if "scales" in options:
        options["scale"] = tuple(options.pop("scales"))
    if unknown := [name for name in options if name not in request.__dataclass_fields__]:
        raise UsageError(f"{command} has no option {unknown[0]}")


@group
class CalibrationOptions(Options, heading="Calibration"):
    """Human labels, and the calibration file."""

    gold: str
    """The human measure, such as adequacy."""
    out: Annotated[str | FilePath | None, Parameter(required=True)] = None
    """File of the calibrated judge, which gates read: .json."""
    accept: float | None = None
    """Gold from which an output is acceptable; labels are then yes and no (default: grades)."""
    measures: str | None = None
    """The judge, if the files hold several metrics."""


@group
class CalibrationRequest(CalibrationOptions, Scales):
    """Scores of a judge and human judgements of the same outputs; in Python without ``out``."""

    scores: Annotated[tuple[str | Any, ...], Argument()]
    """Scores of the judge (patmark judge --save) and judgements of people on the same outputs; the
    files of patmark meta."""
    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())


def calibrate_scores(request: CalibrationRequest) -> JudgeCalibration:
    """Calibrate a judge, and write its file if requested."""
    sources = MetaRequest(scores=request.scores, gold=request.gold, scale=request.scale).sources()
    if len(sources) != 1:
        raise UsageError("a judge is calibrated on one language pair at a time")
    [found] = sources.values()
    names = None if request.measures is None else split_names(request.measures)
    if names is not None and len(names) != 1:
        raise UsageError(f"{setting('measures')}: name one judge")
    panel = evaluation.build_panel(found, request.gold, names, allow_partial=True, least_systems=1)
    done = evaluation.calibrate_judge(panel, accept=request.accept, sampling=request.sampling)
    if request.out is not None:
        done.write(request.out)
    return done


def calibrate(*scores: Any, gold: str, **options: Any) -> JudgeCalibration:
    """Calibrate a judge on human labels; ``options`` are those of :class:`CalibrationRequest`."""
    _check_options("calibrate", CalibrationRequest, options)
    return calibrate_scores(CalibrationRequest(scores=scores, gold=gold, **options))
