"""Probe a judge on the user's texts: position bias, length bias, self-consistency.

| probe | questions |
|---|---|
| order | pairs in both orders: how often the place decides, not the text |
| length | every output again with words that say nothing, and with its text twice |
| itself | the same question several times: how far the answers differ |

The longer texts have no more content and are no better: a judge that scores them higher has a
length bias. One quantity decides: the points gained or, if only pairs are compared, the share of
comparisons won. In a repeated text every error occurs twice, but counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from patmark.data import Estimate, FloatArray, Message, Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation import Sampling, estimate_json, resampling_json
from patmark.languages import language as pack_of
from patmark.llm import ChatClient, Progress
from patmark.report import Column, Report, Result, Table, cell_text, message_texts, plain
from patmark.systems.judge.asking import (
    JudgePreview,
    check_outputs,
    each_run,
    preview_questions,
    questions_of,
)
from patmark.systems.judge.direct import JudgedScores, judge_scores
from patmark.systems.judge.marking import judge_errors
from patmark.systems.judge.pairwise import JudgedPairs, both_orders, judge_pairs
from patmark.systems.judge.prompt import JudgeSettings
from patmark.systems.judge.result import JudgeFailure, JudgeResult, without_scores
from patmark.wording import percent, setting, tr

PADDED, REPEATED = tr("padded"), tr("repeated")
_POINTS, _SHARES = 2, 3
_CONSISTENCY = (
    tr("% with the same score in all samples"),
    tr("% of orders with one verdict in all"),
)


def longer_ways(language: str) -> dict[str, Callable[[str], str]]:
    """Return functions that lengthen a text without content, by a filler of its language."""
    pack = pack_of(language)
    between = " " if pack.is_spaced else ""
    ways: dict[str, Callable[[str], str]] = {
        REPEATED: lambda text: f"{text.strip()}{between}{text.strip()}"
    }
    if pack.filler:
        ways[PADDED] = lambda text: f"{text.strip()}{between}{pack.filler}"
    return dict(sorted(ways.items()))


@dataclass(frozen=True, slots=True)
class LengthBias:
    """The gain of a longer text over the original.

    ``difference`` is in points of the score; ``preference`` is the share of comparisons that the
    longer one won minus those that it lost, in both orders. None if it was not asked. The
    difference decides if there is one.
    """

    way: str
    difference: Estimate | None
    preference: Estimate | None

    def to_json(self) -> dict[str, Any]:
        """Return both with their intervals, and the one that decides."""
        found = {"difference": self.difference, "preference": self.preference}
        by = "preference" if self.difference is None else "difference"
        return {name: one and estimate_json(one) for name, one in found.items()} | {"decides": by}

    @property
    def finding(self) -> str:
        """The conclusion on length bias, in words."""
        decides, by, decimals = self.difference, tr("points gained"), _POINTS
        if decides is None:
            decides, by, decimals = self.preference, tr("preferred"), _SHARES
        if decides is None or decides.ci is None:
            return tr(
                "It is not shown that {way} texts gain or lose: there is no interval.", way=self.way
            )
        low, high = decides.ci
        measured = tr("({by}: {value})", by=by, value=cell_text(decides, decimals))
        if low > 0:
            return tr(
                "Length bias: {way} texts gain without more content {measured}.",
                way=self.way,
                measured=measured,
            )
        if high < 0:
            return tr(
                "No length bias: {way} texts lose {measured}.",
                way=self.way,
                measured=measured,
            )
        return tr(
            "It is not shown that {way} texts gain or lose {measured}.",
            way=self.way,
            measured=measured,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Probe(Result):
    """The results of a probe. ``rated`` and ``compared`` hold the runs, then each longer form."""

    runs: tuple[Run, ...]
    ways: tuple[str, ...]
    rated: JudgedScores | None
    compared: JudgedPairs | None

    @property
    def parts(self) -> tuple[JudgeResult, ...]:
        """The results of the ratings and of the comparisons."""
        return tuple(one for one in (self.rated, self.compared) if one is not None)

    @property
    def failures(self) -> tuple[JudgeFailure, ...]:
        """Samples without an answer."""
        return tuple(failure for one in self.parts for failure in one.failures)

    @property
    def incomplete(self) -> str:
        """The number of samples without scores, and the reason of the first."""
        return without_scores([one.reason for one in self.failures])

    @cached_property
    def length(self) -> tuple[LengthBias, ...]:
        """Length bias for each way to lengthen texts."""
        return tuple(
            LengthBias(way, self._difference(number), self._preference(number))
            for number, way in enumerate(self.ways, 1)
        )

    @cached_property
    def spread(self) -> Estimate | None:
        """The mean standard deviation over samples of the original outputs."""
        if self.rated is None:
            return None
        return self.rated.mean_estimate(self.rated.spreads[: len(self.runs), :, -1].T)

    @cached_property
    def identical(self) -> float | None:
        """The share of original outputs whose samples all have the same score."""
        if self.rated is None:
            return None
        spreads = self.rated.spreads[: len(self.runs), :, -1]
        known = spreads[~np.isnan(spreads)]
        return float((known == 0).mean()) if len(known) else np.nan

    @cached_property
    def unanimous(self) -> float | None:
        """The share of comparisons in one order whose samples agree on the verdict."""
        if self.compared is None:
            return None
        votes = self.compared.votes[..., -1]
        same = (votes == votes[..., :1]).all(axis=-1)[~np.isnan(votes).any(axis=-1)]
        return float(same.mean()) if same.size else np.nan

    def _difference(self, way: int) -> Estimate | None:
        if self.rated is None:
            return None
        means, many = self.rated.means[..., -1], len(self.runs)
        return self.rated.mean_estimate((means[way * many : (way + 1) * many] - means[:many]).T)

    def _preference(self, way: int) -> Estimate | None:
        if self.compared is None:
            return None
        many = len(self.runs)
        rows = [
            at
            for at, (one, other) in enumerate(self.compared.pairs)
            if one < many and other == one + way * many
        ]
        lost: FloatArray = self.compared.verdicts[rows, :, -1]
        return self.compared.mean_estimate(-lost.T)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        first = self.parts[0]
        bias = None if self.compared is None else self.compared.position_bias
        return {
            "model": first.settings.model,
            "samples": first.settings.samples,
            "segments": len(first.segments),
            "order": None if bias is None else {name: one.to_json() for name, one in bias.items()},
            "length": {one.way: one.to_json() for one in self.length},
            "self_consistency": {
                "spread": self.spread and estimate_json(self.spread),
                "identical": self.identical,
                "unanimous": self.unanimous,
            },
            "findings": message_texts(self.findings),
            "failures": plain(self.failures),
            "unusable": [dict(one.answers.unusable) for one in self.parts],
            "usage": [one.usage_json() for one in self.parts],
            "resampling": resampling_json(first.sampling, first.units),
        }

    @property
    def findings(self) -> Iterator[Message]:
        """Warnings about the answers, then the conclusions."""
        for one in self.parts:
            scheme = one.settings.prompt.scheme
            for notice in one.findings():
                yield replace(notice, text=tr("{name}: {text}", name=scheme, text=notice.text))
        if self.compared is not None:
            yield _order_finding(self.compared)
        yield from (one.finding for one in self.length)
        if self.identical is not None and self.spread is not None:
            yield tr(
                "Asked again, the judge gives {share} of the {outputs} the same score; the mean "
                "standard deviation is {spread:.2f} points.",
                share=percent(self.identical),
                outputs=self.parts[0].subject.many,
                spread=self.spread.value,
            )

    def to_report(self) -> Report:
        """Return the findings, and the tables behind them."""
        first = self.parts[0]
        tables = [] if self.compared is None else [self.compared.position_table()]
        tables += [self._length_table(), self._consistency_table()]
        return Report(
            title=tr("Reliability of {model} as a judge", model=first.settings.model),
            subtitle=first.subtitle(tr("of each question")),
            headlines=(),
            tables=(*tables, *(one.usage_table() for one in self.parts)),
            signatures={
                name: scores.signature for one in self.parts for name, scores in one.scores.items()
            },
            findings=tuple(self.findings),
            notes=tuple(
                tr("{name}: {text}", name=one.settings.prompt.scheme, text=note)
                for one in self.parts
                for note in one.notes()
            ),
        )

    def _length_table(self) -> Table:
        rows = tuple((one.way, one.difference, one.preference) for one in self.length)
        columns = (
            Column(tr("texts made longer")),
            Column(tr("points gained"), _POINTS),
            Column(tr("preferred"), _SHARES),
        )
        decides = tr("preferred") if self.rated is None else tr("points gained")
        note = tr(
            "padded: with a sentence that says nothing; repeated: the whole text twice. Preferred: "
            "the share of comparisons with the text as it was that were won, minus those lost. "
            "The finding rests on {decides} alone.",
            decides=decides,
        )
        return Table(tr("Length bias"), columns, rows, note)

    def _consistency_table(self) -> Table:
        shares = (self.identical, self.unanimous)
        rows = (
            (tr("mean standard deviation of samples"), self.spread),
            *(
                (what, None if one is None or np.isnan(one) else 100 * one)
                for what, one in zip(_CONSISTENCY, shares, strict=True)
            ),
        )
        return Table(tr("Asked again"), (Column(""), Column(tr("value"))), rows)


def _order_finding(compared: JudgedPairs) -> str:
    bias = compared.position_bias["overall"]
    if not bias.compared:
        return tr("No comparison has a verdict in both orders: position bias is unknown.")
    twice = bias.first_twice + bias.second_twice
    message = tr(
        "Position decided {share} of {n} comparisons",
        share=percent(twice / bias.compared),
        n=bias.compared,
    )
    if bias.bias.ci is None or bias.bias.ci[0] <= 0 <= bias.bias.ci[1]:
        return tr("{result}; there is no position bias.", result=message)
    place = tr("first") if bias.bias.value > 0 else tr("second")
    return tr(
        "{result}; the judge prefers the text shown {place}. Ask in both orders.",
        result=message,
        place=place,
    )


def probe(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    asked: Sequence[JudgeSettings],
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> Probe:
    """Probe a judge on the original outputs and on longer forms of them.

    ``asked`` are the settings of rating, of comparing, or both.
    """
    _check(asked)
    every = _with_longer(test_set, runs)
    rated, compared = None, None
    for settings in asked:
        errors = settings.prompt.marks_errors
        if settings.prompt.compares:
            pairs = _pairs(len(runs), len(every) // len(runs) - 1)
            compared = judge_pairs(test_set, every, client, settings, progress, sampling, pairs)
        else:
            rating = partial(judge_errors, first_place=True) if errors else judge_scores
            rated = rating(test_set, every, client, settings, progress, sampling)
    ways = tuple(longer_ways(test_set.target_language))
    return Probe(runs=tuple(runs), ways=ways, rated=rated, compared=compared)


def preview_probe(
    test_set: TestSet, runs: Sequence[Run], client: ChatClient, asked: Sequence[JudgeSettings]
) -> JudgePreview:
    """Preview :func:`probe`; ask nothing."""
    _check(asked)
    every = _with_longer(test_set, runs)
    pairs = _pairs(len(runs), len(every) // len(runs) - 1)
    questions = []
    for settings in asked:
        check_outputs(test_set, every, settings.prompt)
        shown = both_orders(every, pairs) if settings.prompt.compares else each_run(every)
        questions.append((questions_of(test_set, shown, settings.prompt), settings))
    return preview_questions(questions, runs, client)


def _check(asked: Sequence[JudgeSettings]) -> None:
    if any(settings.samples < 2 for settings in asked):
        raise UsageError(f"a probe asks everything at least twice: {setting('samples', '2')}")


def _with_longer(test_set: TestSet, runs: Sequence[Run]) -> list[Run]:
    longer = [
        Run(
            f"{run.system} {way}",
            tuple(make(text) if text and text.strip() else text for text in run.hypotheses),
        )
        for way, make in longer_ways(test_set.target_language).items()
        for run in runs
    ]
    return [*runs, *longer]


def _pairs(many: int, ways: int) -> list[tuple[int, int]]:
    """Return every two original runs, and each run with its longer forms."""
    among = [(one, other) for one in range(many) for other in range(one + 1, many)]
    longer = [(one, one + way * many) for way in range(1, ways + 1) for one in range(many)]
    return among + longer
