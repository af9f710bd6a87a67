"""Calibration of a judge on human labels, and the file for gates.

A map from scores to labels is fitted on some documents and tested on the others: an isotonic
regression to human grades, or a threshold for acceptability. The file holds the judge (model,
prompt, samples), the date and the agreement.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import (
    Estimate,
    FilePath,
    FloatArray,
    IntArray,
    Notice,
    read_text,
    shown,
    write_atomically,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation.meta.panel import Panel, Series
from patmark.report import Cell, Column, Report, Result, Table, to_json_text
from patmark.stats import PairAgreement, Sampling, Units, rater_pairs, rounded, spearman
from patmark.wording import setting, tr

FORMAT = "patmark judge calibration"
STALE_DAYS = 180
_JUDGES = ("Judge", "LLMJudge", "LLMJudge-pairwise")
_IDENTITY: Mapping[str, str | None] = {
    "model": None,
    "prompt": None,
    "samples": None,
    "temperature": None,
    "reference": None,
    "glossary": None,
    "context": "0",
    "batch": "1",
    "criterion": "overall",
}
"""Parts of a signature that identify a judge, with the default of omitted ones."""
_FOLDS = 10
_MOST_LABELS = 20
_FEWEST_OUTPUTS = 20


@dataclass(frozen=True, slots=True)
class CalibrationRecord:
    """A calibrated judge as stored in its file.

    ``knots`` are scores and their labels, ascending; with ``accept`` the label is 1 if the human
    gold reaches it. ``kappa`` is that of held-out documents, ``people`` the mean kappa of every two
    evaluators on the same outputs.
    """

    measure: str
    signature: str
    gold: str
    accept: float | None
    labels: tuple[float, ...]
    knots: tuple[tuple[float, float], ...]
    kappa: float
    kappa_ci: tuple[float, float] | None
    exact: float
    people: float | None
    outputs: int
    documents: int
    evaluators: int
    distribution: tuple[int, ...]
    date: str

    @property
    def judge(self) -> dict[str, str]:
        """Model, prompt, samples and the other settings of the judge."""
        return judge_identity(self.signature)

    def label(self, scores: FloatArray) -> FloatArray:
        """Return the label of each score."""
        return apply_knots(self.knots, self.labels, scores)


def judge_identity(signature: str) -> dict[str, str]:
    """Return the parts of a signature that identify a judge."""
    parts = dict(part.split(":", 1) for part in signature.split("|") if ":" in part)
    found = {name: parts.get(name, default) for name, default in _IDENTITY.items()}
    if found["temperature"] is not None:
        found["temperature"] = f"{float(found['temperature']):g}"
    return {name: value for name, value in found.items() if value is not None}


def is_judge(measure: str, signature: str) -> bool:
    """Return True if a measure is a language model as judge."""
    return measure.partition("(")[0] in _JUDGES or "prompt" in judge_identity(signature)


@dataclass(frozen=True, slots=True, eq=False)
class JudgeCalibration(Result):
    """A calibrated judge and its agreement with people; ``spearman`` is that of its raw scores."""

    record: CalibrationRecord
    spearman: float
    warnings: tuple[Notice, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file."""
        about = {"format": FORMAT, "version": 1, **asdict(self.record)}
        return {**about, "spearman": self.spearman, "judge": self.record.judge}

    def write(self, path: FilePath) -> None:
        """Write the file that a gate reads."""
        write_atomically(path, to_json_text(self.to_json()) + "\n")

    def to_report(self) -> Report:
        """Return the agreement of the judge with people and among people, and the map."""
        one = self.record
        kappa = Estimate(one.kappa, one.kappa_ci, one.outputs)
        rows: list[tuple[Cell, ...]] = [(one.measure, one.outputs, kappa, one.exact)]
        if one.people is not None:
            rows.append((tr("people"), one.outputs, one.people, None))
        label, outputs = Column(tr("label")), Column(tr("outputs"), 0)
        note = tr(
            "κ: Cohen's kappa, with quadratic weights for grades; the map is fitted on "
            "other documents or segments, and intervals keep it. People: mean of every two "
            "evaluators. Spearman of the raw scores with {gold}: {raw:.3f}.",
            gold=one.gold,
            raw=self.spearman,
        )
        counts = zip(one.labels, one.distribution, strict=True)
        title = tr("Agreement with {gold} on held-out documents", gold=one.gold)
        columns = (Column(tr("judge")), outputs, Column("κ", 3), Column(tr("equal"), 3))
        levels = (Column(tr("score from"), 3), replace(label, decimals=3))
        return Report(
            title=tr("Calibrated judge"),
            subtitle=tr(
                "{measure} · {outputs} outputs, {documents} documents, {evaluators} evaluators · "
                "{date}",
                measure=one.measure,
                outputs=one.outputs,
                documents=one.documents,
                evaluators=one.evaluators,
                date=one.date,
            ),
            headlines=(),
            tables=(
                Table(title, columns, tuple(rows), note),
                Table(
                    tr("Labels of people"),
                    (label, outputs),
                    tuple((f"{value:g}", count) for value, count in counts),
                ),
                Table(tr("Map"), levels, tuple(one.knots)),
            ),
            signatures={one.measure: one.signature},
            findings=self.warnings,
        )


def calibrate_judge(
    panel: Panel,
    *,
    accept: float | None = None,
    sampling: Sampling | None = None,
    today: date | None = None,
) -> JudgeCalibration:
    """Fit the single metric of a panel to human labels, and test it on held-out documents.

    Without ``accept`` the labels are the grades of people, to which a mean of several is rounded;
    with it, they are acceptable from this gold on, or not.
    """
    sampling = sampling or Sampling()
    panel = panel.by_id
    judge = _the_judge(panel)
    gold, scores = panel.gold.of_segments, judge.of_segments
    if gold is None or scores is None or judge.scores is None:
        raise UsageError(f"{judge.name} and {panel.gold.name} need scores of segments")
    units = Units.choose(panel.documents, sampling.by, panel.segments)
    known = ~(np.isnan(gold) | np.isnan(scores))
    if known.sum() < _FEWEST_OUTPUTS:
        raise UsageError(
            f"{int(known.sum())} outputs have both {judge.name} and {panel.gold.name}; a "
            f"calibration needs at least {_FEWEST_OUTPUTS}"
        )
    scale = _scale(panel.gold, accept)
    places = np.nonzero(known)
    labels = _labelled(gold[places], scale, accept, panel.gold.turned)
    if len(np.unique(labels)) < 2:
        raise UsageError(f"all outputs have the same label by {panel.gold.name}")
    values, unit = rounded(scores[places]), units.of_segment[places[1]]
    called = _held_out(values, labels, scale, unit)
    items = Units(units.kind, unit, units.count)
    both = np.stack([labels, called])
    [found] = rater_pairs(both, scale, items, sampling.resamples, sampling.seed)
    grades = panel.gold.by_evaluator
    record = CalibrationRecord(
        measure=judge.name,
        signature=judge.scores.signature,
        gold=panel.gold.name,
        accept=accept,
        labels=tuple(scale),
        knots=fitted_knots(values, labels, scale),
        kappa=found.kappa_quadratic,
        kappa_ci=found.kappa_quadratic_ci,
        exact=found.exact,
        people=_people(panel.gold, known, scale, accept),
        outputs=int(known.sum()),
        documents=len({panel.documents[at] for at in set(places[1].tolist())} - {None}),
        evaluators=1 if grades is None else int((~np.isnan(grades)).any(axis=(1, 2)).sum()),
        distribution=tuple(int((labels == label).sum()) for label in scale),
        date=(today or date.today()).isoformat(),
    )
    return JudgeCalibration(record, float(spearman(values, gold[places])), panel.warnings)


def _the_judge(panel: Panel) -> Series:
    if len(panel.metrics) == 1:
        return panel.metrics[0]
    signed = [(one, one.scores.signature if one.scores else "") for one in panel.metrics]
    judges = [one for one, signature in signed if is_judge(one.name, signature)]
    if len(judges) != 1:
        names = ", ".join(one.name for one in panel.metrics)
        raise UsageError(f"name the judge with {setting('measures')}; there are {names}")
    return judges[0]


def _scale(gold: Series, accept: float | None) -> list[float]:
    """Return the labels, lowest first: those of the evaluators, or 0 and 1."""
    if accept is not None:
        return [0.0, 1.0]
    given = gold.of_segments if gold.by_evaluator is None else gold.by_evaluator
    values = np.unique(rounded(given[~np.isnan(given)])) if given is not None else np.empty(0)
    if not 2 <= len(values) <= _MOST_LABELS:
        raise UsageError(
            f"{gold.name} has {len(values)} different grades; a calibration takes 2 to "
            f"{_MOST_LABELS}, or {setting('accept', 'VALUE')}"
        )
    return [float(value) for value in values]


def _labelled(
    values: FloatArray, scale: Sequence[float], accept: float | None, turned: bool
) -> FloatArray:
    if accept is not None:
        reached = rounded(values) >= (-accept if turned else accept)
        return np.where(np.isnan(values), np.nan, reached.astype(np.float64))
    return _nearest(values, scale)


def _nearest(values: FloatArray, scale: Sequence[float]) -> FloatArray:
    """Return the nearest label of each value, the lower one of two; NaN stays."""
    steps = np.asarray(scale)
    place = np.abs(np.nan_to_num(values)[..., None] - steps).argmin(axis=-1)
    return np.where(np.isnan(values), np.nan, steps[place])


def fitted_knots(
    scores: FloatArray, labels: FloatArray, scale: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    """Return the score at which each level of the fitted map begins, and the level.

    Two labels have the threshold with the best kappa; others an isotonic regression.
    """
    values, place = np.unique(scores, return_inverse=True)
    if len(scale) == 2:
        return (
            (float(values[0]), scale[0]),
            (best_kappa_threshold(scores, labels, scale), scale[1]),
        )
    from scipy.optimize import isotonic_regression

    sizes = np.bincount(place)
    means = np.bincount(place, labels) / sizes
    fitted = isotonic_regression(means, weights=sizes).x
    begins = np.flatnonzero(np.diff(fitted, prepend=-np.inf) > 1e-12)
    return tuple((float(values[at]), float(fitted[at])) for at in begins.tolist())


def best_kappa_threshold(scores: FloatArray, labels: FloatArray, scale: Sequence[float]) -> float:
    """Return the threshold of acceptability with the highest kappa."""
    good = labels == scale[1]
    if not good.any():
        return float("inf")
    values, place = np.unique(scores, return_inverse=True)
    hits = np.bincount(place, good, len(values))[::-1].cumsum()[::-1]
    called = np.bincount(place, minlength=len(values))[::-1].cumsum()[::-1]
    total, positives = len(scores), good.sum()
    agreed = (hits + (total - positives) - (called - hits)) / total
    chance = (called * positives + (total - called) * (total - positives)) / total**2
    kappa = np.where(chance < 1, (agreed - chance) / np.where(chance < 1, 1 - chance, 1), 0.0)
    return float(values[int(np.argmax(kappa))])


def apply_knots(
    knots: Sequence[tuple[float, float]], scale: Sequence[float], scores: FloatArray
) -> FloatArray:
    """Return the label of each score: the last level that it reaches, rounded to the scale."""
    begins, levels = (np.array(column) for column in zip(*knots, strict=True))
    place = np.searchsorted(begins, scores, side="right") - 1
    return _nearest(levels[np.maximum(place, 0)], scale)


def _held_out(
    scores: FloatArray, labels: FloatArray, scale: Sequence[float], unit: IntArray
) -> FloatArray:
    group = np.unique(unit, return_inverse=True)[1]
    folds = min(_FOLDS, int(group.max()) + 1)
    if folds < 2:
        raise UsageError("a calibration needs labels of at least two documents or segments")
    called = np.empty(len(scores))
    for fold in range(folds):
        own = group % folds == fold
        knots = fitted_knots(scores[~own], labels[~own], scale)
        called[own] = apply_knots(knots, scale, scores[own])
    return called


def _people(
    gold: Series, known: NDArray[np.bool_], scale: Sequence[float], accept: float | None
) -> float | None:
    """Return the mean kappa of every two evaluators on the outputs; None without common ones."""
    if gold.by_evaluator is None:
        return None
    labels = _labelled(gold.by_evaluator[:, known], scale, accept, gold.turned)
    pairs: list[PairAgreement] = [one for one in rater_pairs(labels, scale) if one.items]
    kappas = [one.kappa_quadratic for one in pairs if one.kappa_quadratic == one.kappa_quadratic]
    return float(np.mean(kappas)) if kappas else None


def read_calibration(path: FilePath) -> CalibrationRecord:
    """Read the file of a calibrated judge."""
    from pydantic import TypeAdapter, ValidationError

    try:
        found = json.loads(read_text(path))
    except ValueError:
        found = None
    if not isinstance(found, Mapping) or found.get("format") != FORMAT:
        raise InputError.at(
            "is no calibration of a judge (patmark calibrate writes one)", shown(path)
        )
    names = [one.name for one in fields(CalibrationRecord)]
    if missing := [name for name in names if name not in found]:
        raise InputError.at(f"lacks {', '.join(missing)}", shown(path))
    try:
        record = TypeAdapter(CalibrationRecord).validate_python({n: found[n] for n in names})
        date.fromisoformat(record.date)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError.at(f"{first['loc'][0]}: {first['msg']}", shown(path)) from error
    except ValueError as error:
        raise InputError.at(f"date: {error}", shown(path)) from error
    return record


def check_calibrated(
    measure: str, signature: str, record: CalibrationRecord | None, today: date | None = None
) -> None:
    """Refuse a gate on a judge that is uncalibrated, different, stale, or agrees by chance."""
    allow = f"to use it all the same, give {setting('allow_uncalibrated')}"
    if record is None:
        raise UsageError(
            f"a gate on {measure} needs its calibration on human labels "
            f"({setting('calibration', 'FILE')}, written by patmark calibrate); {allow}"
        )
    own, other = judge_identity(signature), record.judge
    differ = [name for name in _IDENTITY if own.get(name) != other.get(name)]
    if differ:
        differences = ", ".join(
            f"{name} {other.get(name)} (now {own.get(name)})" for name in differ
        )
        raise UsageError(f"{measure} was calibrated with another judge: {differences}; {allow}")
    age = ((today or date.today()) - date.fromisoformat(record.date)).days
    if age > STALE_DAYS:
        raise UsageError(
            f"{measure} was calibrated on {record.date}, {age} days ago, more than {STALE_DAYS}; "
            f"calibrate it again; {allow}"
        )
    if record.kappa_ci is None or not record.kappa_ci[0] > 0:
        interval = "" if record.kappa_ci is None else " [{:.3f}, {:.3f}]".format(*record.kappa_ci)
        raise UsageError(
            f"{measure} is not shown to agree with people beyond chance (kappa "
            f"{record.kappa:.3f}{interval}); {allow}"
        )
