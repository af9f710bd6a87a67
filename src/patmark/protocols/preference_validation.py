"""How far evaluators who chose between two outputs can be trusted: agreement, and sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.data import FloatArray
from patmark.evaluation import Settings
from patmark.human import Preference, Preferences, Scale
from patmark.protocols.judge_validation import CriterionValidation, Sides, agreement_on_items
from patmark.stats import sign_test, system_pairs

_CHOICES = ("second", "equal", "first")


def validate_preferences(
    preferences: Preferences, settings: Settings | None = None
) -> tuple[CriterionValidation, ...]:
    """Agreement on the same two outputs, and whether the side on which they stood mattered."""
    settings = settings or Settings()
    main = preferences.in_phase("main")
    return tuple(_validate(main, criterion, settings) for criterion in main.criteria)


def _validate(main: Preferences, criterion: str, settings: Settings) -> CriterionValidation:
    rows = [row for row in main.rows if row.criterion == criterion]
    kept = main.keeping(rows)
    choices = _choices(kept)
    common = (~np.isnan(choices)).sum(axis=0).max(axis=0) > 1
    scale = Scale(criterion, _CHOICES, "ordinal")
    notes = ["half splits and correlations between evaluators need grades"]
    agreement = agreement_on_items(choices, scale, kept.documents, settings, notes)
    return CriterionValidation(
        criterion, scale, kept.evaluators, len(rows), len(kept.segments), int(common.sum()),
        half_split=None, between=(), agreement=agreement, repeats=(), bias=(), ceiling=None,
        notes=tuple(f"{criterion}: {note}" for note in notes),
        sides=tuple(_sides(rows, name, place) for place, name in enumerate(kept.evaluators)),
    )  # fmt: skip


def _choices(preferences: Preferences) -> FloatArray:
    """2 where the earlier system of a pair won, 0 where the later, 1 for a tie, NaN else.

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
