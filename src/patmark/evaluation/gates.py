"""Gates for continuous integration: minimum scores and significant drops."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import (
    Estimate,
    FilePath,
    FloatArray,
    Scores,
    TestSet,
    fingerprint,
)
from patmark.errors import InputError, PatmarkWarning, Problem, UsageError
from patmark.evaluation.comparison import CompareSettings, TestName
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.joined_scores import (
    check_same_counting,
    check_same_segments,
    check_same_texts,
    comparable,
    measure_name,
    unchecked,
)
from patmark.evaluation.judge_calibration import (
    CalibrationRecord,
    check_calibrated,
    is_judge,
    read_calibration,
)
from patmark.evaluation.score_files import read_scores
from patmark.evaluation.scoring import refuse_descriptive
from patmark.measures import find_measure, split_names
from patmark.report import clauses, fields_json
from patmark.stats import (
    ALPHA,
    Convention,
    PairedTest,
    Sampling,
    Units,
    bootstrap_pairs,
    fewest_units,
    is_significant,
    pair_margin_test,
    randomise_pairs,
    resampled_scores,
)
from patmark.wording import setting, tr, tr_n

FAIL_UNDER = "fail-under"
MAX_DROP = "max-drop"
MARGIN = "margin"
_ROUNDING = 1e-12
_DIGITS = range(2, 15)
_TOLERANCE = 0.1  # relative rounding error of a number
BASELINE_NAMES = ("the baseline", "the new result")


@dataclass(frozen=True, slots=True)
class Threshold:
    """A measure and its required value."""

    measure: str
    value: float


@dataclass(frozen=True, slots=True)
class GateResult:
    """Verdict of a gate on one system under one measure, with the reason in a sentence.

    For ``fail-under``, ``value`` is the score; for ``max-drop`` and ``margin`` the size of the
    drop. For ``margin``, ``worst`` is the largest drop that is not ruled out at 5 %.
    """

    gate: str
    measure: str
    system: str
    value: float
    limit: float
    passed: bool
    p: float | None
    message: str
    worst: float | None = None

    @property
    def doubtful(self) -> bool:
        """True if the drop exceeds the limit but is not significant."""
        return self.gate == MAX_DROP and self.passed and _beyond(self.value, self.limit)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result; margins add ``worst``."""
        found = fields_json(self)
        if self.gate != MARGIN:
            del found["worst"]
        return found


_OTHER_FORM = r"([^<>≥≤:]*[^<>=≥≤:\s])\s*(?:[<>=]{2}|[<>≥≤: ])\s*([-+]?\d+(?:\.\d+)?)\s*"
"""A measure, a sign other than a single =, and a number."""


def parse_threshold(text: str) -> Threshold:
    """Return a threshold such as ``BLEU=30`` or ``BLEU(n=1)=55.5``; the last = counts."""
    if other := re.fullmatch(_OTHER_FORM, text):
        meant = f"{other[1].strip()}={other[2]}"
        raise UsageError(f"{text.strip()!r} is not a threshold; write {meant}: what is worse fails")
    name, sign, number = text.rpartition("=")
    if not sign or not name.strip() or name.count("(") != name.count(")"):
        raise UsageError(f"{text.strip()!r} is not a threshold; write MEASURE=NUMBER, e.g. BLEU=30")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{text.strip()}: expected a number after the =, found {number.strip()!r}")
    return Threshold(measure_name(name), value)


def parse_thresholds(text: str) -> list[Threshold]:
    """Return several thresholds separated by commas: ``BLEU=30,TER=60``."""
    thresholds = [parse_threshold(part) for part in split_names(text)]
    if not thresholds:
        raise UsageError("no threshold is given; write MEASURE=NUMBER, e.g. BLEU=30")
    names = [threshold.measure for threshold in thresholds]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise UsageError(f"two thresholds for one measure: {', '.join(doubles)}")
    return thresholds


def check_fail_under(
    estimates: Mapping[str, Mapping[str, Estimate]],
    thresholds: Sequence[Threshold],
    higher_is_better: Mapping[str, bool],
) -> list[GateResult]:
    """Check that every system reaches every threshold.

    If lower is better, a value above the threshold fails. An undefined value fails.
    """
    check_known(thresholds, estimates, "scored")
    return [
        _fail_under(threshold, system, estimate.value, higher_is_better[threshold.measure])
        for threshold in thresholds
        for system, estimate in estimates[threshold.measure].items()
    ]


def check_max_drop(
    current: Mapping[str, Scores],
    baseline: Mapping[str, Scores],
    thresholds: Sequence[Threshold],
    units: Units,
    trials: int,
    seed: int,
    test: TestName = "randomisation",
) -> list[GateResult]:
    """Check that no system became worse than its baseline by more than is allowed.

    A drop counts only if it is also significant at 5 % in a paired test on the same segments, with
    the same trials or resamples; every system and measure is tested separately. If the units allow
    no test, the gate passes and says so. Systems are matched by name; a single one in each is
    matched to the other.
    """
    check_drops(thresholds, trials)
    changes = list(_changes(current, baseline, thresholds))
    quantities = [(one.statistics, one.scores.score) for one in changes]
    too_few = units.too_few
    if test == "randomisation":
        by_unit = [current[one.threshold.measure].segment_score for one in changes]
        randomised = randomise_pairs(quantities, units, trials, seed, unit_scores=by_unit)
        tests = [found[0] for found in randomised]
    else:
        if units.count < fewest_units():
            too_few = tr_n(
                "{n} segment is too few for the bootstrap",
                "{n} segments are too few for the bootstrap",
                n=units.count,
            )
            if units.kind == "document":
                too_few = tr_n(
                    "{n} document is too few for the bootstrap",
                    "{n} documents are too few for the bootstrap",
                    n=units.count,
                )
        convention: Convention = "sacrebleu" if test == "bootstrap-sacrebleu" else "shift"
        drawn = resampled_scores(quantities, units, trials, seed)
        tests = [
            bootstrap_pairs(draws, np.array(one.values), convention)[0]
            for draws, one in zip(drawn, changes, strict=True)
        ]
    return [one.max_drop(tested, too_few) for one, tested in zip(changes, tests, strict=True)]


def check_margins(
    current: Mapping[str, Scores],
    baseline: Mapping[str, Scores],
    thresholds: Sequence[Threshold],
    units: Units,
) -> list[GateResult]:
    """Check that every system is shown to be no worse than its baseline by a margin or more.

    This is a non-inferiority test at 5 % for every system and measure separately: an uncertain
    result does not pass. All gates together pass by chance no more often than one.
    """
    return [one.margin(units) for one in _changes(current, baseline, thresholds)]


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """A system now and in the baseline by one measure, with its threshold.

    ``statistics`` are those of both, without the ``left_out`` rows that only one of them answered.
    """

    threshold: Threshold
    system: str
    scores: Scores
    statistics: FloatArray
    left_out: int

    @property
    def values(self) -> list[float]:
        """The score now and in the baseline."""
        return [float(one) for one in self.scores.score(self.statistics.sum(axis=1))]

    def max_drop(self, test: PairedTest[int], too_few: str) -> GateResult:
        """Return the verdict on a drop that a paired test may confirm."""
        higher, limit = self.scores.higher_is_better, self.threshold.value
        drop = -test.delta if higher else test.delta
        fell, beyond = _beyond(drop, 0.0), _beyond(drop, limit)
        significant = is_significant(test.p) and not too_few
        now, before, size, allowed = _shown(
            *self.values, drop, limit, like=(drop, limit, drop - limit) if fell else (drop,)
        )
        reason: str = tr("it did not become worse")
        if fell:
            why: str = tr("within the allowed {limit}", limit=allowed)
            if beyond and too_few:
                why = tr(
                    "more than the allowed {limit}, but the gate cannot decide whether that is "
                    "real, and lets it pass: {why}",
                    limit=allowed,
                    why=too_few,
                )
            elif beyond and significant:
                why = tr(
                    "more than the allowed {limit}, and the difference is significant ({p})",
                    limit=allowed,
                    p=_p(test.p),
                )
            elif beyond:
                why = tr(
                    "more than the allowed {limit}, but the difference is not significant ({p})",
                    limit=allowed,
                    p=_p(test.p),
                )
            reason = tr("it fell by {size}, {why}", size=size, why=why)
            if not higher:
                reason = tr("it rose by {size}, {why}", size=size, why=why)
        passed = not math.isnan(drop) and not (significant and beyond)
        p = None if too_few else test.p
        return self._result(MAX_DROP, drop, passed, p, self._message(now, before, reason))

    def margin(self, units: Units) -> GateResult:
        """Return the verdict on a drop of the margin or more, which must be ruled out."""
        higher, limit = self.scores.higher_is_better, self.threshold.value
        score, scale = self.scores.score, self.scores.scale
        test, too_few = pair_margin_test(self.statistics, score, scale, units, limit), units.too_few
        drop, worst = (-test.delta, -test.low) if higher else (test.delta, test.high)
        p = test.not_worse(higher)
        passed = is_significant(p) and not too_few
        now, before, shown_limit, shown_worst = _shown(
            *self.values, limit, abs(worst), like=(drop, limit, worst, worst - limit)
        )
        change = tr("a fall of {size}", size=shown_limit)
        better = tr("a rise of at least {size}", size=shown_worst)
        if not higher:
            change = tr("a rise of {size}", size=shown_limit)
            better = tr("a fall of at least {size}", size=shown_worst)
        if too_few:
            reason = tr("{change} cannot be ruled out: {why}", change=change, why=too_few)
        elif passed:
            reason = tr(
                "{change} or more is ruled out ({p}); at 95 % it is {worst}",
                change=change,
                p=_p(p),
                worst=better if _beyond(0.0, worst) else tr("at most {size}", size=shown_worst),
            )
        elif math.isinf(worst):
            reason = tr("too little is known to rule out {change}", change=change)
        else:
            reason = tr(
                "{change} is not ruled out ({p}); at 95 % it may be up to {worst}",
                change=change,
                p=_p(p),
                worst=shown_worst,
            )
        message, shown_p = self._message(now, before, reason), None if too_few else p
        return self._result(MARGIN, drop, passed, shown_p, message, worst)

    def _result(
        self, gate: str, drop: float, passed: bool, p: float | None, message: str,
        worst: float | None = None,
    ) -> GateResult:  # fmt: skip
        measure, limit = self.threshold.measure, self.threshold.value
        return GateResult(gate, measure, self.system, drop, limit, passed, p, message, worst)

    def _message(self, now: str, before: str, reason: str) -> str:
        """Return the sentence on a score now and before, with the number of excluded rows."""
        about, values = {"measure": self.threshold.measure, "system": self.system}, self.values
        message = tr(
            "{measure} of {system} went from {before} to {now}: {reason}",
            **about,
            before=before,
            now=now,
            reason=reason,
        )
        if any(map(math.isnan, values)):
            message = tr(
                "{measure} of {system} has no value {which}, so that a drop cannot be ruled out",
                **about,
                which=tr("now") if math.isnan(values[0]) else tr("in the baseline"),
            )
        if not self.left_out:
            return message
        rows = tr_n(
            "{n} row that only one of the two answered is left out",
            "{n} rows that only one of the two answered are left out",
            n=self.left_out,
        )
        return clauses(message, rows)


def _changes(
    current: Mapping[str, Scores], baseline: Mapping[str, Scores], thresholds: Sequence[Threshold]
) -> Iterator[_Change]:
    check_known(thresholds, current, "scored")
    check_known(thresholds, baseline, "in the baseline")
    for threshold in thresholds:
        name = threshold.measure
        before, now = comparable(baseline[name], current[name], BASELINE_NAMES)
        for row, other in matched_systems(now.systems, before.systems):
            pair = np.stack([now.statistics[row], before.statistics[other]])
            answered = (pair != 0).any(axis=-1)
            unpaired = (answered[0] != answered[1]) & now.needs_all
            kept = np.where(unpaired[:, None], 0.0, pair)
            yield _Change(threshold, now.systems[row], now, kept, int(unpaired.sum()))


def _fail_under(threshold: Threshold, system: str, value: float, higher: bool) -> GateResult:
    measure, limit = threshold.measure, threshold.value
    exceeded = _beyond(limit, value) if higher else _beyond(value, limit)
    passed = not (exceeded or math.isnan(value))
    shown_value, shown_limit = _shown(value, limit, like=(value, limit, value - limit))
    of_system = {"measure": measure, "system": system}
    found = tr("{measure} of {system} is {value}", **of_system, value=shown_value)
    if math.isnan(value):
        found = tr("{measure} of {system} has no value", **of_system)
    bound = tr("at most {limit} is asked for", limit=shown_limit)
    if higher:
        bound = tr("at least {limit} is asked for", limit=shown_limit)
    message = clauses(found, bound)
    if not passed:
        message = tr("{found}, but {bound}", found=found, bound=bound)
    return GateResult(FAIL_UNDER, measure, system, value, limit, passed, None, message)


def _p(p: float) -> str:
    return f"p = {p:.4f}" if p >= 0.00005 else "p < 0.0001"


def _beyond(value: float, limit: float) -> bool:
    """Return True if a value is larger than a limit by more than the rounding of sums."""
    return value > limit + _ROUNDING * max(1.0, abs(limit))


def _shown(*numbers: float, like: Sequence[float]) -> list[str]:
    """Return numbers with enough digits to show their sizes, at least two."""
    telling = [one for one in like if math.isfinite(one) and abs(one) > _ROUNDING]
    enough = (
        digits
        for digits in _DIGITS
        if all(abs(round(one, digits) - one) <= _TOLERANCE * abs(one) for one in telling)
    )
    digits = next(enough, _DIGITS[-1])
    return [f"{one:.{digits}f}" for one in numbers]


def check_drops(thresholds: Sequence[Threshold], trials: int) -> None:
    """Refuse a negative drop, and too few trials for any significance."""
    negative = [threshold for threshold in thresholds if threshold.value < 0]
    if negative:
        raise UsageError(
            f"{negative[0].measure}={negative[0].value:g}: an allowed drop must not be negative"
        )
    fewest = math.ceil(1 / ALPHA) - 1
    if trials < fewest:
        raise UsageError(
            f"no drop can be significant with {trials} trials; at least {fewest} are needed"
        )


def parse_margins(text: str) -> list[Threshold]:
    """Return margins separated by commas; a margin of zero or less cannot be ruled out."""
    margins = parse_thresholds(text)
    for one in margins:
        if one.value <= 0:
            raise UsageError(f"{one.measure}={one.value:g}: a margin must be greater than 0")
    return margins


def check_known(thresholds: Sequence[Threshold], known: Iterable[str], where: str) -> None:
    """Refuse a threshold for a missing measure."""
    names = list(known)
    for threshold in thresholds:
        if threshold.measure not in names:
            raise UsageError(
                f"{threshold.measure} has a threshold, but it is not {where}; "
                f"there are {', '.join(names)}"
            )


def scale_warnings(thresholds: Sequence[Threshold], percentages: Container[str]) -> list[str]:
    """Return a warning for each percentage with a threshold below 1."""
    return [
        tr(
            "{measure} runs from 0 to 100, and {value:g} is asked for; is {value2:g} meant?",
            measure=threshold.measure,
            value=threshold.value,
            value2=100 * threshold.value,
        )
        for threshold in thresholds
        if 0 < threshold.value < 1 and threshold.measure in percentages
    ]


def matched_systems(now: Sequence[str], before: Sequence[str]) -> list[tuple[int, int]]:
    """Return positions of systems now and in the baseline.

    Raise an error for a system that the baseline lacks.
    """
    if len(now) == len(before) == 1:
        return [(0, 0)]
    missing = [system for system in now if system not in before]
    if missing:
        there = ", ".join(before)
        raise InputError(
            Problem(f"the baseline has no system {system!r}; it has {there}") for system in missing
        )
    return [(row, before.index(system)) for row, system in enumerate(now)]


_UNCHECKED = tr(
    "it could not be checked that the baseline was scored on the same texts; save it again"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """Conditions on scores, as users write them.

    ``fail_under`` is the least score, ``max_drop`` the largest significant drop from a
    ``baseline``, ``margin`` a drop that must be ruled out: ``"BLEU=30,TER=60"``. The baseline is a
    file of scores, or an evaluation. A gate on a judge needs its ``calibration``, a file or a
    record, unless ``allow_uncalibrated``.
    """

    fail_under: str | None = None
    baseline: FilePath | Evaluation | None = None
    max_drop: str | None = None
    margin: str | None = None
    calibration: FilePath | CalibrationRecord | None = None
    allow_uncalibrated: bool = False

    @property
    def decide(self) -> bool:
        """True if there is any condition; a margin without a baseline only compares."""
        return self.fail_under is not None or self.baseline is not None

    def plan(self, test: Sampling | CompareSettings) -> GatePlan:
        """Parse the thresholds and read the baseline before any work.

        A drop is tested like a comparison of systems, or by the default test.
        """
        if self.max_drop is not None and self.baseline is None:
            raise UsageError(f"{setting('baseline')} and {setting('max_drop')} go together")
        if self.baseline is not None and self.max_drop is None and self.margin is None:
            raise UsageError(
                f"{setting('baseline')} goes together with {setting('max_drop')} or "
                f"{setting('margin')}"
            )
        if self.margin is not None and self.baseline is None and isinstance(test, Sampling):
            raise UsageError(f"{setting('margin')} needs a {setting('baseline')}")
        settings = CompareSettings(test) if isinstance(test, Sampling) else test
        least = [] if self.fail_under is None else parse_thresholds(self.fail_under)
        drops = [] if self.max_drop is None else parse_thresholds(self.max_drop)
        margins = [] if self.margin is None else parse_margins(self.margin)
        measures = [find_measure(limit.measure) for limit in (*least, *drops, *margins)]
        refuse_descriptive(measure for measure in measures if measure is not None)
        if drops:
            check_drops(drops, settings.draws)
        baseline = self.baseline
        if baseline is not None and not isinstance(baseline, Evaluation):
            baseline = read_scores(baseline)
        calibration = self.calibration
        if calibration is not None and not isinstance(calibration, CalibrationRecord):
            calibration = read_calibration(calibration)
        return GatePlan(
            least, drops, margins if baseline is not None else [], baseline, settings, calibration,
            judges_calibrated=not self.allow_uncalibrated,
        )  # fmt: skip


def judge_gates(
    gates: Gates | GatePlan,
    evaluation: Evaluation,
    estimates: Mapping[str, Mapping[str, Estimate]],
    warn: Callable[[str], None] | None = None,
) -> list[GateResult]:
    """Check gates by an evaluation; doubts go to ``warn``, or become Python warnings."""
    plan = gates if isinstance(gates, GatePlan) else gates.plan(evaluation.sampling)
    plan.check_judges({name: one.signature for name, one in evaluation.scores.items()})
    for text in plan.warnings(evaluation):
        if warn:
            warn(text)
        else:
            warnings.warn(text, PatmarkWarning, stacklevel=3)
    return plan.judge(evaluation, estimates)


@dataclass(frozen=True, slots=True)
class GatePlan:
    """Gates that are ready to check; ``test`` is that of drops."""

    least: Sequence[Threshold]
    drops: Sequence[Threshold]
    margins: Sequence[Threshold]
    baseline: Evaluation | None
    test: CompareSettings
    calibration: CalibrationRecord | None = None
    judges_calibrated: bool = True

    def check_judges(self, signatures: Mapping[str, str]) -> None:
        """Refuse gates on uncalibrated judges, unless allowed."""
        if not self.judges_calibrated:
            return
        for name in dict.fromkeys(one.measure for one in (*self.least, *self.drops, *self.margins)):
            if name in signatures and is_judge(name, signatures[name]):
                check_calibrated(name, signatures[name], self.calibration)

    def check(self, measures: Sequence[str], systems: Sequence[str]) -> None:
        """Refuse, before scoring, thresholds for missing measures."""
        check_known([*self.least, *self.drops, *self.margins], measures, "scored")
        if self.baseline is not None:
            check_known([*self.drops, *self.margins], self.baseline.scores, "in the baseline")
            matched_systems(systems, self.baseline.systems)

    def check_baseline(self, test_set: TestSet, signatures: Mapping[str, str]) -> None:
        """Refuse, before scoring, a baseline of another test set or signature."""
        if self.baseline is None:
            return
        segments = [segment.id for segment in test_set]
        self._documents(self.baseline, segments, fingerprint(test_set), test_set.documents)
        for name in (threshold.measure for threshold in (*self.drops, *self.margins)):
            before = self.baseline.scores[name].signature
            if name in signatures:
                check_same_counting(name, before, signatures[name], BASELINE_NAMES)

    @staticmethod
    def _documents(
        baseline: Evaluation, segments: Sequence[str], texts: Mapping[str, str],
        now: Sequence[str | None],
    ) -> Sequence[str | None]:  # fmt: skip
        """Return the known documents of the result or the baseline; refuse another test set."""
        check_same_segments(baseline.segments, segments, BASELINE_NAMES)
        check_same_texts(baseline.facts.test_set, texts, BASELINE_NAMES)
        before = baseline.documents
        if any(now) and any(before) and tuple(now) != tuple(before):
            raise InputError.at(f"{BASELINE_NAMES[0]} has other documents than {BASELINE_NAMES[1]}")
        return now if any(now) or not before else before

    def warnings(self, evaluation: Evaluation) -> list[str]:
        """Return warnings of thresholds on another scale, and of a baseline of unknown texts."""
        percentages = {name for name, one in evaluation.scores.items() if one.percentage}
        found = [
            f"{setting('fail_under')}: {warning}"
            for warning in scale_warnings(self.least, percentages)
        ]
        if self.baseline is not None:
            texts = (self.baseline.facts.test_set, evaluation.facts.test_set)
            if unchecked(dict(zip(BASELINE_NAMES, texts, strict=True))):
                found.append(_UNCHECKED)
        return found

    def judge(
        self, evaluation: Evaluation, estimates: Mapping[str, Mapping[str, Estimate]]
    ) -> list[GateResult]:
        """Check every gate for every system."""
        scores, before = evaluation.scores, self.baseline
        higher = {name: one.higher_is_better for name, one in scores.items()}
        verdicts = check_fail_under(estimates, self.least, higher)
        if before is None:
            return verdicts
        segments, texts = next(iter(scores.values())).segments, evaluation.facts.test_set
        documents = self._documents(before, segments, texts, evaluation.documents)
        by, seed = self.test.sampling.by, self.test.sampling.seed
        units, draws, test = (
            Units.choose(documents, by, evaluation.segments),
            self.test.draws,
            self.test.test,
        )
        if self.drops:
            verdicts += check_max_drop(scores, before.scores, self.drops, units, draws, seed, test)
        return verdicts + check_margins(scores, before.scores, self.margins, units)
