"""Gates for continuous integration: minimum scores and significant drops."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import (
    Estimate,
    FilePath,
    FloatArray,
    ScoreFunction,
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
from patmark.evaluation.measure_choice import refuse_descriptive
from patmark.evaluation.score_files import read_scores
from patmark.measures import find_measure, split_names
from patmark.report import clauses, plain
from patmark.stats import (
    ALPHA,
    MarginTest,
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
from patmark.wording import setting, tr

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
        numbers = {"value": self.value, "p": self.p, "worst": self.worst}
        found = {**asdict(self), **plain(numbers)}
        return found if self.gate == MARGIN else {k: v for k, v in found.items() if k != "worst"}


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
    """Return True if every system reaches every threshold.

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
    """Return True if no system became worse than its baseline by more than is allowed.

    A drop counts only if it is also significant at 5 % in a paired test on the same segments, with
    the same trials or resamples; every system and measure is tested separately. If the units allow
    no test, the gate passes and says so. Systems are matched by name; a single one in each is
    matched to the other.
    """
    check_drops(thresholds, trials)
    places, quantities = _versions(current, baseline, thresholds)
    by_unit = [current[threshold.measure].segment_score for threshold, *_ in places]
    tests = _tests(quantities, units, trials, seed, test, by_unit)
    too_few = units.too_few
    if test != "randomisation" and units.count < fewest_units():
        too_few = tr("{n} segments are too few for the bootstrap", n=units.count)
        if units.kind == "document":
            too_few = tr("{n} documents are too few for the bootstrap", n=units.count)
    return [
        _max_drop(
            *place, [float(value) for value in score(statistics.sum(axis=1))], tested, too_few
        )
        for place, (statistics, score), tested in zip(places, quantities, tests, strict=True)
    ]


def check_margins(
    current: Mapping[str, Scores],
    baseline: Mapping[str, Scores],
    thresholds: Sequence[Threshold],
    units: Units,
) -> list[GateResult]:
    """Return True if every system is shown to be no worse than its baseline by a margin or more.

    This is a non-inferiority test at 5 % for every system and measure separately: an uncertain
    result does not pass. All gates together pass by chance no more often than one.
    """
    places, quantities = _versions(current, baseline, thresholds)
    results = []
    for place, (statistics, score) in zip(places, quantities, strict=True):
        values = [float(value) for value in score(statistics.sum(axis=1))]
        scale = current[place[0].measure].scale
        tested = pair_margin_test(statistics, score, scale, units, place[0].value)
        results.append(_margin(*place, values, tested, units.too_few))
    return results


_Place: TypeAlias = tuple[Threshold, str, bool, int]


def _versions(
    current: Mapping[str, Scores], baseline: Mapping[str, Scores], thresholds: Sequence[Threshold]
) -> tuple[list[_Place], list[tuple[FloatArray, ScoreFunction]]]:
    """Return the test of each threshold and system: statistics now and in the baseline.

    A place is the threshold, the system, the direction of the measure, and the number of excluded
    rows.
    """
    check_known(thresholds, current, "scored")
    check_known(thresholds, baseline, "in the baseline")
    places: list[_Place] = []
    quantities: list[tuple[FloatArray, ScoreFunction]] = []
    for threshold in thresholds:
        before, now = comparable(
            baseline[threshold.measure], current[threshold.measure], BASELINE_NAMES
        )
        for row, other in matched_systems(now.systems, before.systems):
            pair = np.stack([now.statistics[row], before.statistics[other]])
            unpaired = _unpaired(now, pair)
            places.append((threshold, now.systems[row], now.higher_is_better, int(unpaired.sum())))
            quantities.append((np.where(unpaired[:, None], 0.0, pair), now.score))
    return places, quantities


def _unpaired(scores: Scores, pair: FloatArray) -> NDArray[np.bool_]:
    """Return rows that only one of two systems answered, if a comparison needs both."""
    answered: NDArray[np.bool_] = (pair != 0).any(axis=-1)
    partly: NDArray[np.bool_] = answered[0] != answered[1]
    return partly if scores.needs_all else np.zeros_like(partly)


def _tests(
    quantities: Sequence[tuple[FloatArray, ScoreFunction]], units: Units, draws: int, seed: int,
    test: TestName, by_unit: Sequence[ScoreFunction | None],
) -> list[PairedTest[int]]:  # fmt: skip
    """Return the test of the one pair that each quantity holds."""
    if test == "randomisation":
        found = randomise_pairs(quantities, units, draws, seed, unit_scores=by_unit)
        return [tests[0] for tests in found]
    drawn = resampled_scores(quantities, units, draws, seed)
    return [
        bootstrap_pairs(
            one, score(statistics.sum(axis=1)),
            "sacrebleu" if test == "bootstrap-sacrebleu" else "shift",
        )[0]
        for one, (statistics, score) in zip(drawn, quantities, strict=True)
    ]  # fmt: skip


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


def _max_drop(
    threshold: Threshold, system: str, higher: bool, left_out: int, values: Sequence[float],
    test: PairedTest[int], too_few: str,
) -> GateResult:  # fmt: skip
    drop = -test.delta if higher else test.delta
    measure, limit = threshold.measure, threshold.value
    significant = is_significant(test.p) and not too_few
    comparable = not math.isnan(drop)
    passed = comparable and not (significant and _beyond(drop, limit))
    telling = (drop, limit, drop - limit) if _beyond(drop, 0.0) else (drop,)
    now, before, *sizes = _shown(*values, drop, limit, like=telling)
    reason: str = tr("it did not become worse")
    if _beyond(drop, 0.0):
        why = _explained(_beyond(drop, limit), sizes[1], test.p, too_few)
        reason = tr("it fell by {size}, {why}", size=sizes[0], why=why)
        if not higher:
            reason = tr("it rose by {size}, {why}", size=sizes[0], why=why)
    message = _message(measure, system, values, (before, now), reason, left_out)
    p = None if too_few else test.p
    return GateResult(MAX_DROP, measure, system, drop, limit, passed, p, message)


def _margin(
    threshold: Threshold,
    system: str,
    higher: bool,
    left_out: int,
    values: Sequence[float],
    test: MarginTest,
    too_few: str,
) -> GateResult:
    measure, limit = threshold.measure, threshold.value
    drop, worst = (-test.delta, -test.low) if higher else (test.delta, test.high)
    p = test.not_worse(higher)
    passed = is_significant(p) and not too_few
    telling = (drop, limit, worst, worst - limit)
    now, before, shown_limit, shown_worst = _shown(*values, limit, abs(worst), like=telling)
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
    message = _message(measure, system, values, (before, now), reason, left_out)
    shown_p = None if too_few else p
    return GateResult(MARGIN, measure, system, drop, limit, passed, shown_p, message, worst)


def _message(
    measure: str,
    system: str,
    values: Sequence[float],
    shown: tuple[str, str],
    reason: str,
    left_out: int,
) -> str:
    """Return the sentence on a score now and before, with the number of excluded rows."""
    if any(map(math.isnan, values)):
        message = tr(
            "{measure} of {system} has no value {which}, so that a drop cannot be ruled out",
            measure=measure,
            system=system,
            which=tr("now") if math.isnan(values[0]) else tr("in the baseline"),
        )
    else:
        message = tr(
            "{measure} of {system} went from {before} to {now}: {reason}",
            measure=measure,
            system=system,
            before=shown[0],
            now=shown[1],
            reason=reason,
        )
    if not left_out:
        return message
    rows = tr("{n} rows that only one of the two answered are left out", n=left_out)
    return clauses(message, rows)


def _explained(beyond: bool, limit: str, p: float, too_few: str) -> str:
    """Return the drop compared with the allowed one, and its significance."""
    if not beyond:
        return tr("within the allowed {limit}", limit=limit)
    if too_few:
        return tr(
            "more than the allowed {limit}, but the gate cannot decide whether that is real, and "
            "lets it pass: {why}",
            limit=limit,
            why=too_few,
        )
    if is_significant(p):
        return tr(
            "more than the allowed {limit}, and the difference is significant ({p})",
            limit=limit,
            p=_p(p),
        )
    return tr(
        "more than the allowed {limit}, but the difference is not significant ({p})",
        limit=limit,
        p=_p(p),
    )


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


GATE_TRIALS = 10_000
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
        drop_test = DropTest.of(test) if isinstance(test, Sampling) else DropTest.like(test)
        least = [] if self.fail_under is None else parse_thresholds(self.fail_under)
        drops = [] if self.max_drop is None else parse_thresholds(self.max_drop)
        margins = [] if self.margin is None else parse_margins(self.margin)
        measures = [find_measure(limit.measure) for limit in (*least, *drops, *margins)]
        refuse_descriptive(measure for measure in measures if measure is not None)
        if drops:
            check_drops(drops, drop_test.draws)
        baseline = self.baseline
        if baseline is not None and not isinstance(baseline, Evaluation):
            baseline = read_scores(baseline)
        kept = margins if baseline is not None else []
        judges = not self.allow_uncalibrated
        return GatePlan(least, drops, baseline, drop_test, kept, self._calibration(), judges)

    def _calibration(self) -> CalibrationRecord | None:
        given = self.calibration
        if given is None or isinstance(given, CalibrationRecord):
            return given
        return read_calibration(given)


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
class DropTest:
    """The significance test of a drop."""

    by: str | None
    seed: int
    draws: int = GATE_TRIALS
    test: TestName = "randomisation"

    @classmethod
    def of(cls, settings: Sampling) -> DropTest:
        """Return the default test, with the units and seed of intervals."""
        return cls(settings.by, settings.seed)

    @classmethod
    def like(cls, compared: CompareSettings) -> DropTest:
        """Return the test of a comparison of systems."""
        sampling = compared.sampling
        return cls(sampling.by, sampling.seed, compared.draws, compared.test)


@dataclass(frozen=True, slots=True)
class GatePlan:
    """Gates that are ready to check."""

    least: Sequence[Threshold]
    drops: Sequence[Threshold]
    baseline: Evaluation | None
    test: DropTest
    margins: Sequence[Threshold] = ()
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
        self._check_segments([segment.id for segment in test_set], fingerprint(test_set))
        self._documents(test_set.documents)
        for name in (threshold.measure for threshold in (*self.drops, *self.margins)):
            before = self.baseline.scores[name].signature
            if name in signatures:
                check_same_counting(name, before, signatures[name], BASELINE_NAMES)

    def _check_segments(self, segments: Sequence[str], texts: Mapping[str, str]) -> None:
        if self.baseline is not None:
            check_same_segments(self.baseline.segments, segments, BASELINE_NAMES)
            check_same_texts(self.baseline.facts.test_set, texts, BASELINE_NAMES)

    def _documents(self, now: Sequence[str | None]) -> Sequence[str | None]:
        """Return the known documents of the result or the baseline; refuse two different lists."""
        before = () if self.baseline is None else self.baseline.documents
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
        scores, facts = evaluation.scores, evaluation.facts
        higher = {name: one.higher_is_better for name, one in scores.items()}
        verdicts = check_fail_under(estimates, self.least, higher)
        if self.baseline is None:
            return verdicts
        self._check_segments(next(iter(scores.values())).segments, facts.test_set)
        documents = self._documents(evaluation.documents)
        units = Units.choose(documents, self.test.by, evaluation.segments)
        if self.drops:
            verdicts += check_max_drop(
                scores,
                self.baseline.scores,
                self.drops,
                units,
                self.test.draws,
                self.test.seed,
                self.test.test,
            )
        return verdicts + check_margins(scores, self.baseline.scores, self.margins, units)
