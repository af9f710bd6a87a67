"""Validation of evaluators: agreement, split-half reliability, bias, ceiling.

Results that the data do not allow are left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.human.judgements.exclusions import counted_grades
from patmark.human.judgements.model import (
    Judgements,
    Preference,
    Preferences,
    Scale,
    positions,
)
from patmark.stats import (
    Alpha,
    EvaluatorBias,
    EvaluatorPair,
    HalfSplit,
    HumanCeiling,
    Level,
    PairAgreement,
    PercentAgreement,
    SignTest,
    Units,
    between_evaluators,
    evaluator_bias,
    fleiss_kappa,
    half_split,
    human_ceiling,
    krippendorff_alpha,
    pairwise_score,
    pairwise_statistics,
    percent_agreement,
    rater_pairs,
    sign_test,
    system_pairs,
)
from patmark.wording import tr, tr_n

SPLITS = 1000
_FEWEST_SYSTEMS = 3
NO_COMMON = tr("no segment was judged by two evaluators, so their agreement cannot be computed")
ONE_EVALUATOR = tr("one evaluator cannot be compared with another, and has no agreement")
_TWO_SYSTEMS = tr("a correlation over systems needs at least three of them")
_OTHER_AXES = ((1, 2), (0, 2), (0, 1))  # of grades, for evaluators, systems and segments
_CHOICES = ("second", "equal", "first")
_POSITIONS = ("first", "second", "evaluator", "rater")


@dataclass(frozen=True, slots=True)
class EvaluatorAgreement:
    """Agreement on the outputs of ``segments`` that two or more evaluators judged.

    ``pairs`` and ``percent`` need a discrete scale; for a continuous one they are None. ``fleiss``
    is None if items have different numbers of grades.
    """

    segments: int
    alpha: Alpha
    pairs: tuple[PairAgreement, ...] | None
    percent: PercentAgreement | None
    fleiss: float | None


@dataclass(frozen=True, slots=True)
class Sides:
    """Preferences of an evaluator for the first (a win) or second output, with a sign test."""

    evaluator: int
    test: SignTest


@dataclass(frozen=True, slots=True)
class CriterionValidation:
    """Validation of the evaluators of one criterion.

    Evaluators in the results are positions in ``evaluators``. A result is None if it cannot be
    computed; ``notes`` give the reason.
    """

    criterion: str
    scale: Scale
    evaluators: tuple[str, ...]
    judgements: int
    segments: int
    common_segments: int
    half_split: HalfSplit | None = None
    between: tuple[EvaluatorPair, ...] = ()
    agreement: EvaluatorAgreement | None = None
    repeats: tuple[PairAgreement, ...] = ()
    bias: tuple[EvaluatorBias, ...] = ()
    ceiling: HumanCeiling | None = None
    notes: tuple[str, ...] = ()
    sides: tuple[Sides, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with evaluators by name."""
        agreement, ceiling = self.agreement, self.ceiling
        return {
            "evaluators": self.evaluators,
            "judgements": self.judgements,
            "segments": self.segments,
            "common_segments": self.common_segments,
            "half_split": self.half_split,
            "between": self._named(self.between),
            "agreement": asdict(agreement) | {"pairs": self._named(agreement.pairs)}
            if agreement
            else None,
            "repeats": self._named(self.repeats),
            "bias": self._named(self.bias),
            "sides": self._named(self.sides),
            "ceiling": asdict(ceiling) | {"leave_one_out": self._named(ceiling.leave_one_out)}
            if ceiling
            else None,
            "notes": self.notes,
        }

    def _named(self, results: Sequence[Any] | None) -> list[dict[str, Any]] | None:
        """Replace positions of evaluators by their names in results."""
        if results is None:
            return None
        names = self.evaluators
        return [
            {key: names[it] if key in _POSITIONS else it for key, it in asdict(one).items()}
            for one in results
        ]


def validate_evaluators(
    judgements: Judgements, settings: Sampling | None = None, *, whole_segments: bool = True
) -> tuple[CriterionValidation, ...]:
    """Validate the evaluators of every criterion, on the grades that count in the ranking.

    Copied grades count there, but validation counts each answer once.
    """
    settings = settings or Sampling()
    main = judgements.in_phase("main")
    found = (_validate_grades(judgements, name, settings, whole_segments) for name in main.criteria)
    return tuple(one for one in found if one is not None)


def _validate_grades(
    judgements: Judgements, criterion: str, settings: Sampling, whole_segments: bool
) -> CriterionValidation | None:
    """Validate the evaluators of a criterion; None if nobody has finished a segment."""
    scale = judgements.scale(criterion)
    everything = counted_grades(judgements, criterion, whole_segments=whole_segments)
    answers = judgements.without_copies(everything, criterion)
    given = ~np.isnan(answers)
    if not given.any():
        return None
    active, systems, columns = (np.flatnonzero(given.any(axis=axes)) for axes in _OTHER_AXES)
    block = np.ix_(active, systems, columns)
    grades = answers[block]
    evaluators = tuple(judgements.evaluators[place] for place in active)
    documents = {judgements.segments[one]: judgements.documents[one] for one in columns}
    common = (~np.isnan(grades)).any(axis=1).sum(axis=0) > 1
    notes: list[str] = []
    copied = int((~np.isnan(everything)).sum() - given.sum())
    if copied:
        notes.append(
            tr_n(
                "{n} grade follows from equal outputs; nobody was asked, so that it does not "
                "count here",
                "{n} grades follow from equal outputs; nobody was asked, so that they do not "
                "count here",
                n=copied,
            )
        )
    return CriterionValidation(
        criterion,
        scale,
        evaluators,
        int(given.sum()),
        len(columns),
        int(common.sum()),
        _half_split(grades, evaluators, settings, notes, list(documents)),
        tuple(between_evaluators(grades)) if grades.shape[1] >= _FEWEST_SYSTEMS else (),
        agreement_on_items(grades, scale, documents, settings, notes),
        _repeats(judgements, criterion, evaluators),
        tuple(
            evaluator_bias(
                grades,
                scale_values(scale),
                _order(judgements, criterion)[block],
                ordinal=scale.kind == "ordinal",
            )
        ),
        _ceiling(grades, scale, settings, notes),
        tuple(tr("{name}: {text}", name=criterion, text=note) for note in dict.fromkeys(notes)),
    )


def scale_values(scale: Scale) -> list[float] | None:
    """Return the grades as numbers, ordinal ones as ranks from 0; None for a continuous scale."""
    if scale.continuous:
        return None
    return [grade for value in scale.values if (grade := scale.grade(value)) is not None]


def _half_split(
    grades: FloatArray, evaluators: Sequence[str], settings: Sampling, notes: list[str],
    segments: Sequence[str],
) -> HalfSplit | None:  # fmt: skip
    if grades.shape[1] < _FEWEST_SYSTEMS:
        notes.append(_TWO_SYSTEMS)
        return None
    compared = (pairwise_statistics(grades)[..., 1].sum(axis=1) > 0).sum(axis=1)
    for name, number in zip(evaluators, compared, strict=True):
        if number < 2:
            notes.append(
                tr(
                    "{name} is left out of the split-half reliability, with only {segments} to "
                    "compare",
                    name=name,
                    segments=tr_n("{n} segment", "{n} segments", n=int(number)),
                )
            )
    if not (compared > 1).any():
        return None
    return half_split(grades[compared > 1], SPLITS, settings.seed, segments)


def agreement_on_items(
    grades: FloatArray,
    scale: Scale,
    documents: Mapping[str, str | None],
    settings: Sampling,
    notes: list[str],
    *,
    mirrored: bool = False,
) -> EvaluatorAgreement | None:
    """Compute the agreement on items in segments that two evaluators judged.

    ``grades`` have the shape (evaluators, items of a segment, segments). Resamples draw these
    segments, or documents; ``documents`` maps the id of each segment to its document.

    Preferences are ``mirrored``: each counts from both sides, as half an item. Otherwise the
    assignment of sides would change chance agreement.
    """
    common = np.flatnonzero((~np.isnan(grades)).sum(axis=0).max(axis=0, initial=0) > 1)
    if not len(common):
        notes.append(_no_agreement(grades))
        return None
    values = scale_values(scale)
    shared = grades[:, :, common]
    if mirrored and values is not None:
        shared = np.concatenate([shared, values[0] + values[-1] - shared], axis=1)
    sides = 1 + mirrored
    ratings = shared.reshape(len(grades), -1)
    segments = list(documents.items())
    units = _units([segments[place] for place in common], settings.by)
    of_items = replace(units, of_segment=np.tile(units.of_segment, shared.shape[1]), ranks=None)
    level: Level = "ordinal" if scale.kind == "ordinal" else "interval"
    drawn = of_items, settings.resamples, settings.seed
    alpha = krippendorff_alpha(ratings, level, *drawn)
    alpha = replace(
        alpha,
        items=alpha.items // sides,
        ratings=alpha.ratings // sides,
        single_items=alpha.single_items // sides,
    )
    if values is None:
        notes.append(tr("kappa and percentages need a scale with a number of grades"))
        return EvaluatorAgreement(len(common), alpha, None, None, None)
    pairs = rater_pairs(ratings, values, *drawn)
    percent = percent_agreement(ratings, values)
    return EvaluatorAgreement(
        len(common),
        alpha,
        tuple(replace(pair, items=pair.items // sides) for pair in pairs),
        replace(percent, pairs=percent.pairs // sides),
        _fleiss(ratings, values, notes),
    )


def _no_agreement(grades: FloatArray) -> str:
    return ONE_EVALUATOR if len(grades) == 1 else NO_COMMON


def _units(segments: Sequence[tuple[str, str | None]], by: str | None) -> Units:
    """Return units of common segments, which may cover fewer documents than all segments."""
    ids, documents = zip(*segments, strict=True)
    known = len({document for document in documents if document is not None})
    return Units.choose(documents, "segment" if by == "document" and known < 2 else by, ids)


def _fleiss(ratings: FloatArray, values: Sequence[float], notes: list[str]) -> float | None:
    given = (~np.isnan(ratings)).sum(axis=0)
    try:
        return fleiss_kappa(ratings[:, given > 1], values)
    except UsageError as error:
        notes.append(tr("no Fleiss' kappa: {error}", error=error))
        return None


def _repeats(
    judgements: Judgements, criterion: str, evaluators: Sequence[str]
) -> tuple[PairAgreement, ...]:
    """Return intra-evaluator agreement on repeated outputs."""
    values = scale_values(judgements.scale(criterion))
    again = judgements.grades(criterion, "repeat")
    if values is None or np.isnan(again).all():
        return ()
    again = judgements.without_copies(again, criterion, "repeat")
    first = judgements.grades(criterion)
    found = []
    for place, name in enumerate(evaluators):
        at = judgements.evaluators.index(name)
        [pair] = rater_pairs(np.stack([first[at].ravel(), again[at].ravel()]), values)
        found.append(replace(pair, first=place, second=place))
    return tuple(found)


def _order(judgements: Judgements, criterion: str) -> FloatArray:
    """Return the running number of the evaluator's segment in the files, for each grade."""
    order = np.full(judgements.grades(criterion).shape, np.nan)
    seen: dict[str, dict[str, int]] = {name: {} for name in judgements.evaluators}
    for row in judgements.rows:
        if row.criterion == criterion and row.phase == "main":
            own = seen[row.evaluator]
            own.setdefault(row.segment, len(own))
    for of_evaluator, own in zip(order, seen.values(), strict=True):
        of_evaluator[:, positions(judgements.segments, own)] = list(own.values())
    return order


def _ceiling(
    grades: FloatArray, scale: Scale, settings: Sampling, notes: list[str]
) -> HumanCeiling | None:
    """Compute the ceiling from interval grades, or from pairwise scores of ordinal ones."""
    if not ((~np.isnan(grades)).sum(axis=0) > 1).any():
        notes.append(_no_agreement(grades))
        return None
    ordinal = scale.kind == "ordinal"
    values = pairwise_score(pairwise_statistics(grades)) if ordinal else grades
    if not ((~np.isnan(values)).sum(axis=0) > 1).any():
        return None
    return human_ceiling(values, SPLITS, settings.seed)


def validate_preferences(
    preferences: Preferences, settings: Sampling | None = None
) -> tuple[CriterionValidation, ...]:
    """Compute the agreement on pairs of outputs, and position bias."""
    settings = settings or Sampling()
    main = preferences.in_phase("main")
    return tuple(_validate_choices(main, criterion, settings) for criterion in main.criteria)


def _validate_choices(main: Preferences, criterion: str, settings: Sampling) -> CriterionValidation:
    everything = [row for row in main.rows if row.criterion == criterion]
    rows = [row for row in everything if not row.copied]
    kept = main.keeping(rows)
    choices = _choices(kept)
    common = (~np.isnan(choices)).sum(axis=0).max(axis=0, initial=0) > 1
    scale = Scale(criterion, _CHOICES, "ordinal")
    notes: list[str] = [
        tr("split-half reliability and correlations between evaluators need grades")
    ]
    copied = len(everything) - len(rows)
    if copied:
        notes.append(
            tr_n(
                "{n} choice follows from equal outputs; nobody was asked, so that it does not "
                "count here",
                "{n} choices follow from equal outputs; nobody was asked, so that they do not "
                "count here",
                n=copied,
            )
        )
    documents = dict(zip(kept.segments, kept.documents, strict=True))
    agreement = agreement_on_items(choices, scale, documents, settings, notes, mirrored=True)
    return CriterionValidation(
        criterion,
        scale,
        kept.evaluators,
        len(rows),
        len(kept.segments),
        int(common.sum()),
        agreement=agreement,
        notes=tuple(tr("{name}: {text}", name=criterion, text=note) for note in notes),
        sides=tuple(_sides(rows, name, place) for place, name in enumerate(kept.evaluators)),
    )


def _choices(preferences: Preferences) -> FloatArray:
    """Return 2 if the earlier system of a pair won, 0 if the later, 1 for a tie, NaN else.

    The shape is (evaluators, pairs of systems, segments).
    """
    systems, segments = list(preferences.systems), list(preferences.segments)
    pairs = {pair: place for place, pair in enumerate(system_pairs(len(systems)))}
    choices = np.full((len(preferences.evaluators), len(pairs), len(segments)), np.nan)
    evaluators = {name: place for place, name in enumerate(preferences.evaluators)}
    columns = {name: place for place, name in enumerate(segments)}
    for row in preferences.rows:
        earlier, later = sorted((systems.index(row.first), systems.index(row.second)))
        place = evaluators[row.evaluator], pairs[earlier, later], columns[row.segment]
        choices[place] = 1 if row.winner is None else 2 * (row.winner == systems[earlier])
    return choices


def _sides(rows: Sequence[Preference], evaluator: str, place: int) -> Sides:
    own = [row for row in rows if row.evaluator == evaluator]
    signs = [0.0 if row.winner is None else 1.0 if row.winner == row.first else -1.0 for row in own]
    return Sides(place, sign_test(np.array(signs)))
