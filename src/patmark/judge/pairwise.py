"""Two drafts against each other, in both orders, because models prefer what is shown first or last.

Every two drafts of a claim set are compared on each criterion, several times in either order. The
verdict of an order is the sign of the mean of its samples. Where the orders agree, that is the
verdict on the two drafts; where they do not, the drafts are tied. A draft gets 1 for a win, 0.5 for
a tie and 0 for a defeat; its score is the mean over its opponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from patmark.data import Estimate, FloatArray, Run, Scores, TestSet, ratio
from patmark.errors import UsageError
from patmark.evaluation import Sampling, estimate_json
from patmark.judge.judging import check_drafts, sample_requests
from patmark.judge.parsing import VERDICTS
from patmark.judge.prompt import overall_score
from patmark.judge.result import (
    ASPECTS,
    SHOWN,
    Judged,
    JudgeFailure,
    JudgeSettings,
    sample_means,
    sample_spreads,
)
from patmark.llm import ChatClient, ChatRequest, Progress
from patmark.report import Cell, Column, Report, Table

_SCALE = (0.0, 1.0)
_ORDERS = 2


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a request belongs; in order 0 the first system of the pair is shown first."""

    pair: int
    segment: int
    order: int
    sample: int


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How much a judge prefers a place, by one criterion.

    ``bias`` is the share of answers for the draft shown first minus that for the second, from -1
    to 1. Of the comparisons with a verdict in both orders, ``agreed`` had the same in both, in
    ``first_twice`` and ``second_twice`` the draft in that place won both times, in the rest one
    order found the drafts equal.
    """

    bias: Estimate
    first: float
    equal: float
    second: float
    compared: int
    agreed: int
    first_twice: int
    second_twice: int

    def to_json(self) -> dict[str, Any]:
        """Shares and counts by name, the bias with its interval."""
        counts = {name: getattr(self, name) for name in self.__slots__ if name != "bias"}
        return {"bias": estimate_json(self.bias), **counts}


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedPairs(Judged):
    """Drafts that were compared in both orders.

    ``votes`` has shape (pairs, segments, orders, samples, aspects): 1 where the first system of the
    pair is better, -1 where the second is, whatever the order they were shown in; NaN where a
    sample failed. ``pairs`` are places of systems.
    """

    pairs: tuple[tuple[int, int], ...]
    votes: FloatArray

    @cached_property
    def order_verdicts(self) -> FloatArray:
        """The verdict of each order, of shape (pairs, segments, orders, aspects)."""
        return np.sign(sample_means(self.votes))

    @cached_property
    def verdicts(self) -> FloatArray:
        """1, 0 or -1, of shape (pairs, segments, aspects); NaN unless both orders have one."""
        one, other = np.moveaxis(self.order_verdicts, 2, 0)
        agreed = np.where(one == other, one, 0.0)
        return np.where(np.isnan(one) | np.isnan(other), np.nan, agreed)

    @cached_property
    def aspect_scores(self) -> FloatArray:
        """The mean of wins, ties and defeats over the opponents of each draft."""
        won = np.zeros((len(self.runs), *self.verdicts.shape[1:]))
        met = np.zeros_like(won)
        for (one, other), verdict in zip(self.pairs, self.verdicts, strict=True):
            known = ~np.isnan(verdict)
            won[one] += np.where(known, (1 + verdict) / 2, 0.0)
            won[other] += np.where(known, (1 - verdict) / 2, 0.0)
            met[[one, other]] += known
        return ratio(won, met)

    @cached_property
    def position_bias(self) -> dict[str, PositionBias]:
        """How much the judge prefers a place, by aspect."""
        shown = self.votes * np.array([1.0, -1.0])[:, None, None]
        by_segment = np.moveaxis(shown, 1, 0).reshape(len(self.segments), -1, len(ASPECTS))
        return {aspect: self._bias(by_segment, ASPECTS.index(aspect)) for aspect in SHOWN}

    def _bias(self, shown: FloatArray, aspect: int) -> PositionBias:
        votes = shown[:, :, aspect]
        known = votes[~np.isnan(votes)]
        counts = [(~np.isnan(votes)).sum(axis=1).astype(np.float64)]
        statistics = np.stack([np.nansum(votes, axis=1), *counts], axis=-1)[None]
        scores = Scores("position bias", "", (self.settings.name,), self.segments, statistics)
        [[bias]] = self.estimated([scores])
        first, equal, second = (
            float((known == one).mean()) if len(known) else np.nan for one in (1, 0, -1)
        )
        one, other = np.moveaxis(self.order_verdicts[..., aspect], 2, 0)
        both = ~(np.isnan(one) | np.isnan(other))
        return PositionBias(
            bias,
            first,
            equal,
            second,
            int(both.sum()),
            int((one == other).sum()),
            int(((one == 1) & (other == -1)).sum()),
            int(((one == -1) & (other == 1)).sum()),
        )

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result, with the samples of each comparison."""
        return super().to_json() | {
            "position_bias": {name: one.to_json() for name, one in self.position_bias.items()},
            "comparisons": list(self._comparisons()),
        }

    def to_report(self) -> Report:
        """Scores, how much the place counts, how the verdicts fell, failures, costs."""
        return self.report(
            f"Pairs of claims judged by {self.settings.model}",
            f"{self.settings.samples} samples in either order",
            [self._scores(), self._positions(), self._outcomes()],
        )

    def _comparisons(self) -> Iterator[dict[str, Any]]:
        means, spreads = sample_means(self.votes), sample_spreads(self.votes)
        for pair, (one, other) in enumerate(self.pairs):
            for place, segment in enumerate(self.segments):
                yield {
                    "a": self.systems[one],
                    "b": self.systems[other],
                    "segment": segment,
                    **{
                        aspect: {
                            "verdict": float(self.verdicts[pair, place, number]),
                            "orders": [
                                {
                                    "mean": float(means[pair, place, order, number]),
                                    "spread": float(spreads[pair, place, order, number]),
                                    "samples": self.votes[pair, place, order, :, number].tolist(),
                                }
                                for order in range(_ORDERS)
                            ],
                        }
                        for number, aspect in enumerate(ASPECTS)
                    },
                }

    def _scores(self) -> Table:
        names = [self.settings.measure(aspect) for aspect in SHOWN]
        rows: list[tuple[Cell, ...]] = [
            (system, *(self.estimates[name][system] for name in names)) for system in self.systems
        ]
        columns = (Column("system"), *(Column(aspect, scale=_SCALE) for aspect in SHOWN))
        note = f"A win counts 1, a tie 0.5; {self._interval_note}"
        return Table("Share of comparisons won", columns, tuple(rows), note)

    def _outcomes(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for (one, other), verdicts in zip(self.pairs, self.verdicts, strict=True):
            for aspect in SHOWN:
                found = verdicts[:, ASPECTS.index(aspect)]
                counts = [int((found == verdict).sum()) for verdict in (1, 0, -1)]
                left = int(np.isnan(found).sum())
                rows.append((self.systems[one], self.systems[other], aspect, *counts, left))
        titles = ("a", "b", "criterion")
        numbers = ("a better", "tied", "b better", "no verdict")
        columns = (*map(Column, titles), *(Column(one, 0) for one in numbers))
        return Table("Verdicts", columns, tuple(rows), "Orders that disagree count as a tie.")

    def _positions(self) -> Table:
        rows = tuple(
            (
                aspect, one.bias, 100 * one.first, 100 * one.equal, 100 * one.second,
                one.compared, one.agreed, one.first_twice, one.second_twice,
            )
            for aspect, one in self.position_bias.items()
        )  # fmt: skip
        shares = ("first %", "equal %", "second %")
        counts = ("compared", "orders agree", "first twice", "second twice")
        columns = (
            Column("criterion"),
            Column("bias", 3, scale=(-1.0, 1.0)),
            *(Column(title, 1) for title in shares),
            *(Column(title, 0) for title in counts),
        )
        note = (
            "Answers for the draft in the first and the second place; bias is the difference of "
            "their shares. First twice: the draft in the first place won in both orders, so that "
            "the place decided and not the draft."
        )
        return Table("Position bias", columns, rows, note)

    @property
    def _scale_parts(self) -> Mapping[str, str]:
        return {"pairs": "both orders, ties where they disagree", "scale": "0-1"}


def judge_pairs(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgedPairs:
    """Compare every two drafts of each segment in both orders; sampling is for intervals."""
    requests = pair_requests(test_set, runs, settings)
    batch = client.ask_all(list(requests.values()), VERDICTS.fault_of, progress)
    pairs = tuple(combinations(range(len(runs)), 2))
    shape = (len(pairs), len(test_set), _ORDERS, settings.samples, len(ASPECTS))
    votes = np.full(shape, np.nan)
    reasons: dict[_Place, str] = {}
    for place, outcome in zip(requests, batch.outcomes, strict=True):
        if outcome.answer is None:
            reasons[place] = outcome.failure or "no answer"
            continue
        four = VERDICTS.read(outcome.answer)
        sign = -1.0 if place.order else 1.0
        turned = sign * np.array([*four, np.sign(overall_score(four))]) + 0.0  # no -0
        votes[place.pair, place.segment, place.order, place.sample] = turned
    failures = []
    for pair, segment, order, sample in np.argwhere(np.isnan(votes[..., 0])).tolist():
        shown = pairs[pair] if order == 0 else pairs[pair][::-1]
        reason = reasons.get(_Place(pair, segment, order, sample), "there is no draft")
        named = " before ".join(runs[one].system for one in shown)
        failures.append(JudgeFailure(named, test_set[segment].id, sample + 1, reason))
    return JudgedPairs(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        pairs=pairs,
        votes=votes,
        failures=tuple(failures),
        batch=batch,
        prices=client.settings.prices,
        sampling=sampling or Sampling(),
    )


def pair_requests(
    test_set: TestSet, runs: Sequence[Run], settings: JudgeSettings
) -> dict[_Place, ChatRequest]:
    """All that will be asked; drafts that are missing or empty are not."""
    check_drafts(test_set, runs)
    if len(runs) < 2:
        raise UsageError("two drafts are needed to be compared")
    requests = {}
    for pair, both in enumerate(combinations(runs, 2)):
        for segment, given in enumerate(zip(*(run.hypotheses for run in both), strict=True)):
            texts = [draft for draft in given if draft is not None and draft.strip()]
            if len(texts) < len(both):
                continue
            reference = test_set[segment].references[0]
            for order in range(_ORDERS):
                shown = texts[::-1] if order else texts
                messages = settings.prompt.messages(reference, *shown)
                for sample, request in enumerate(sample_requests(settings, messages)):
                    requests[_Place(pair, segment, order, sample)] = request
    return requests
