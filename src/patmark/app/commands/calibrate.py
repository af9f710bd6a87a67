"""patmark calibrate: a judge compared with human labels, for the command line and for Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from patmark.app.commands.meta_scores import MetaRequest
from patmark.errors import UsageError
from patmark.evaluation import JudgeCalibration, Sampling, build_panel, calibrate_judge
from patmark.human.judgements import Scale
from patmark.measures import split_names
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import FilePath


@dataclass(frozen=True, kw_only=True)
class CalibrationRequest:
    """Scores of a judge and human judgements of the same outputs.

    ``accept`` is the gold from which an output is acceptable; without it labels are grades.
    ``measures`` names the judge if there are several metrics.
    """

    scores: Sequence[Any]
    gold: str
    measures: str | None = None
    accept: float | None = None
    out: FilePath | None = None
    scales: Sequence[Scale] = ()
    sampling: Sampling = field(default_factory=Sampling)


def calibrate_scores(request: CalibrationRequest) -> JudgeCalibration:
    """Calibrate a judge, and write its file if requested."""
    sources = MetaRequest(scores=request.scores, gold=request.gold, scales=request.scales).sources()
    if len(sources) != 1:
        raise UsageError("a judge is calibrated on one language pair at a time")
    [found] = sources.values()
    names = None if request.measures is None else split_names(request.measures)
    if names is not None and len(names) != 1:
        raise UsageError(f"{setting('measures')}: name one judge")
    panel = build_panel(found, request.gold, names, allow_partial=True, least_systems=1)
    done = calibrate_judge(panel, accept=request.accept, sampling=request.sampling)
    if request.out is not None:
        done.write(request.out)
    return done


def calibrate(*scores: Any, gold: str, **options: Any) -> JudgeCalibration:
    """Calibrate a judge on human labels; ``options`` are those of :class:`CalibrationRequest`."""
    known = CalibrationRequest.__dataclass_fields__
    if unknown := [name for name in options if name not in known]:
        raise UsageError(f"calibrate has no option {unknown[0]}")
    return calibrate_scores(CalibrationRequest(scores=scores, gold=gold, **options))
