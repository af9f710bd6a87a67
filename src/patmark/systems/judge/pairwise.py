"""Pairwise comparison in both orders, since models prefer the text that is shown first or last.

Every two outputs of a segment are compared on each criterion, several times in either order. The
verdict of an order is the sign of the mean of its samples. If both orders agree, that is the
verdict on the pair; if not, it is a tie. An output gets 1 for a win, 0.5 for a tie and
0 for a defeat; its score is the mean over its opponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from patmark.data import Estimate, FloatArray, Run, TestSet, ratio
from patmark.errors import UsageError
from patmark.evaluation import Sampling, estimate_json
from patmark.llm import ChatClient, Progress
from patmark.report import Cell, Column, Report, Table
from patmark.systems.judge.asking import Shown, ask, check_outputs
from patmark.systems.judge.criteria import with_overall
from patmark.systems.judge.parsing import verdict_parser
from patmark.systems.judge.prompt import JudgeSettings, Prompt
from patmark.systems.judge.result import JudgeFailure, JudgeResult, sample_means, sample_spreads
from patmark.wording import tr

_SCALE = (0.0, 1.0)
_ORDERS = 2


@dataclass(frozen=True, slots=True)
class PositionBias:
    """The position bias of a judge, by one criterion.

    ``bias`` is the share of answers for the first place minus that for the second, from -1 to 1.
    Comparisons with a verdict in both orders: ``agreed`` had the same verdict in both; in
    ``first_twice`` and ``second_twice`` that place won both times; in the rest one order was a tie.
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
        """Return shares and counts by name, the bias with its interval."""
        counts = {name: getattr(self, name) for name in self.__slots__ if name != "bias"}
        return {"bias": estimate_json(self.bias), **counts}


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedPairs(JudgeResult):
    """Outputs compared in both orders.

    ``votes`` has shape (pairs, segments, orders, samples, aspects): 1 if the first system of the
    pair is better, -1 if the second is, independent of the display order; NaN if a sample failed.
    ``pairs`` are indices of systems.
    """

    pairs: tuple[tuple[int, int], ...]
    votes: FloatArray

    @cached_property
    def failures(self) -> tuple[JudgeFailure, ...]:
        """The samples without a verdict, with the systems in the order of display."""
        found = []
        for pair, segment, order, sample in np.argwhere(np.isnan(self.votes[..., -1])).tolist():
            shown = self.pairs[pair][::-1] if order else self.pairs[pair]
            named = " before ".join(self.systems[one] for one in shown)
            reason = self.answers.reason((pair, order, segment), sample)
            found.append(JudgeFailure(named, self.segments[segment], sample + 1, reason))
        return tuple(found)

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
        """The mean of wins, ties and defeats over the opponents of each output."""
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
        """Position bias by aspect."""
        shown = self.votes * np.array([1.0, -1.0])[:, None, None]
        by_segment = np.moveaxis(shown, 1, 0).reshape(
            len(self.segments), -1, len(self.settings.aspects)
        )
        return {
            aspect: self._bias(by_segment, self.settings.aspects.index(aspect))
            for aspect in self.settings.shown
        }

    def _bias(self, shown: FloatArray, aspect: int) -> PositionBias:
        votes = shown[:, :, aspect]
        known = votes[~np.isnan(votes)]
        first, equal, second = (
            float((known == one).mean()) if len(known) else np.nan for one in (1, 0, -1)
        )
        one, other = np.moveaxis(self.order_verdicts[..., aspect], 2, 0)
        both = ~(np.isnan(one) | np.isnan(other))
        return PositionBias(
            self.mean_estimate(votes),
            first,
            equal,
            second,
            int(both.sum()),
            int((one == other).sum()),
            int(((one == 1) & (other == -1)).sum()),
            int(((one == -1) & (other == 1)).sum()),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with the samples of each comparison."""
        return super().to_json() | {
            "position_bias": {name: one.to_json() for name, one in self.position_bias.items()},
            "comparisons": list(self._comparisons()),
        }

    def to_report(self) -> Report:
        """Return scores, position bias, verdicts, failures and costs."""
        return self.report(
            tr(
                "Pairs of {outputs} judged by {model}",
                outputs=self.subject.many,
                model=self.settings.model,
            ),
            tr("in either order"),
            [self._scores(), self.position_table(), self._outcomes()],
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
                        for number, aspect in enumerate(self.settings.aspects)
                    },
                }

    def _scores(self) -> Table:
        names = [self.settings.measure(aspect) for aspect in self.settings.shown]
        rows: list[tuple[Cell, ...]] = [
            (system, *(self.estimates[name][system] for name in names)) for system in self.systems
        ]
        columns = (
            Column(tr("system")),
            *(Column(aspect, scale=_SCALE) for aspect in self.settings.shown),
        )
        note = tr("A win counts 1, a tie 0.5; {how}", how=self._interval_note)
        return Table(tr("Share of comparisons won"), columns, tuple(rows), note)

    def _outcomes(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for (one, other), verdicts in zip(self.pairs, self.verdicts, strict=True):
            for aspect in self.settings.shown:
                found = verdicts[:, self.settings.aspects.index(aspect)]
                counts = [int((found == verdict).sum()) for verdict in (1, 0, -1)]
                left = int(np.isnan(found).sum())
                rows.append((self.systems[one], self.systems[other], aspect, *counts, left))
        titles = ("a", "b", tr("criterion"))
        numbers = (tr("a better"), tr("tied"), tr("b better"), tr("no verdict"))
        columns = (*map(Column, titles), *(Column(one, 0) for one in numbers))
        return Table(
            tr("Verdicts"), columns, tuple(rows), tr("Orders that disagree count as a tie.")
        )

    def position_table(self) -> Table:
        """Return the table of position bias."""
        rows = tuple(
            (
                aspect, one.bias, 100 * one.first, 100 * one.equal, 100 * one.second,
                one.compared, one.agreed, one.first_twice, one.second_twice,
            )
            for aspect, one in self.position_bias.items()
        )  # fmt: skip
        shares = (tr("first %"), tr("equal %"), tr("second %"))
        counts = (tr("compared"), tr("orders agree"), tr("first twice"), tr("second twice"))
        columns = (
            Column(tr("criterion")),
            Column(tr("bias"), 3, scale=(-1.0, 1.0)),
            *(Column(title, 1) for title in shares),
            *(Column(title, 0) for title in counts),
        )
        note = tr(
            "Answers for the first and the second place; bias is the difference of their shares. "
            "First twice: the one in the first place won in both orders, so that the place decided "
            "and not the {output}.",
            output=self.subject.one,
        )
        return Table(tr("Position bias"), columns, rows, note)

    @property
    def scale(self) -> tuple[float, float]:
        """Shares of comparisons."""
        return _SCALE

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
    pairs: Sequence[tuple[int, int]] | None = None,
) -> JudgedPairs:
    """Compare every two runs, or some ``pairs``, in both orders; ``sampling`` is for intervals."""
    prompt = settings.prompt
    check_outputs(test_set, runs, prompt)
    compared = tuple(every_two(runs, prompt) if pairs is None else pairs)
    read = verdict_parser(prompt.criteria).read_all
    answers = ask(test_set, both_orders(runs, compared), client, settings, read, progress)
    shape = (len(compared), len(test_set), _ORDERS, settings.samples, len(settings.aspects))
    votes = np.full(shape, np.nan)
    for ((pair, order, segment), sample), answer in answers.values.items():
        *single, overall = with_overall(prompt.criteria, answer)
        sign = -1.0 if order else 1.0
        turned = sign * np.array([*single, np.sign(overall)]) + 0.0  # no -0
        votes[pair, segment, order, sample] = turned
    return JudgedPairs(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        pairs=compared,
        votes=votes,
        answers=answers,
        sampling=sampling or Sampling(),
    )


def every_two(runs: Sequence[Run], prompt: Prompt) -> list[tuple[int, int]]:
    """Return the indices of every two runs."""
    if len(runs) < 2:
        raise UsageError(f"two {prompt.subject.many} are needed to be compared")
    return list(combinations(range(len(runs)), 2))


def both_orders(runs: Sequence[Run], pairs: Sequence[tuple[int, int]]) -> Shown:
    """Show each pair twice; in order 0 the first system of the pair is shown first."""
    return {
        (pair, order): [runs[one] for one in (both[::-1] if order else both)]
        for pair, both in enumerate(pairs)
        for order in range(_ORDERS)
    }
