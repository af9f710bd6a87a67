"""Agreement of two series of answers to one question: exact, within one step, kappa."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from patmark.human.campaign.answer_book import place_of, places
from patmark.human.campaign.form import Question
from patmark.human.campaign.form_answers import parse_ranking
from patmark.human.campaign.form_checks import PREFERENCE_VALUES
from patmark.stats import rater_pairs


@dataclass(frozen=True, slots=True)
class Consistency:
    """How well the answers of one evaluator to one question agree with others.

    The others are the expected answers, or the evaluator's own at the first time. A kappa is NaN
    where chance alone would make them agree. A ranking is compared pair by pair.
    """

    evaluator: str
    question: str
    items: int
    exact: float
    within_one: float
    kappa: float
    kappa_quadratic: float


def consistency(
    evaluator: str, question: Question, pairs: Sequence[tuple[str | None, str | None]]
) -> list[Consistency]:
    """The agreement of pairs of values; nothing where none is complete."""
    scale: Sequence[str] = places(question)
    complete = [(one, other) for one, other in pairs if one is not None and other is not None]
    if question.kind == "ranking":
        scale = PREFERENCE_VALUES[::-1]
        complete = [pair for one, other in complete for pair in _ranked_pairs(one, other)]
        placed = [(scale.index(one), scale.index(other)) for one, other in complete]
    else:
        both = [(place_of(question, one), place_of(question, other)) for one, other in complete]
        placed = [(one, other) for one, other in both if one is not None and other is not None]
    if not placed:
        return []
    [found] = rater_pairs(np.array(placed, dtype=np.float64).T, range(len(scale)))
    return [Consistency(
        evaluator, question.id, found.items, found.exact, found.within_one, found.kappa,
        found.kappa_quadratic,
    )]  # fmt: skip


def _ranked_pairs(one: str, other: str) -> list[tuple[str, str]]:
    """Two rankings of the same labels as choices between every two of them."""
    ranks = [
        {name: rank for rank, tied in enumerate(parse_ranking(text)) for name in tied}
        for text in (one, other)
    ]
    return [
        (_choice(ranks[0], *pair), _choice(ranks[1], *pair))
        for pair in combinations(sorted(ranks[0]), 2)
    ]


def _choice(ranks: dict[str, int], first: str, second: str) -> str:
    if ranks[first] == ranks[second]:
        return "equal"
    return "first" if ranks[first] < ranks[second] else "second"
