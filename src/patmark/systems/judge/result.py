"""The result of a judge: scores with intervals, failures and costs, for all schemes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.data import (
    LEFT_OUT,
    Estimate,
    FloatArray,
    Notice,
    Run,
    ScoreFacts,
    Scores,
    TestSet,
    mean_statistics,
    ratio,
)
from patmark.evaluation import (
    Evaluation,
    Sampling,
    estimate_json,
    interval_note,
    resampling_json,
)
from patmark.llm import Usage, json_hash
from patmark.report import (
    Cell,
    Column,
    Explorer,
    Report,
    Result,
    Table,
    clauses,
    dotted,
    message_texts,
    plain,
)
from patmark.stats import Units, estimate_scores
from patmark.systems.judge.asking import Answers, per_thousand
from patmark.systems.judge.prompt import JudgeSettings, JudgeSubject
from patmark.wording import tr, tr_n

_WIDEST = 10


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """A sample without scores; ``sample`` counts from 1."""

    system: str
    segment: str
    sample: int
    reason: str


def without_scores(reasons: Sequence[str]) -> str:
    """Return the number of samples without scores and the first reason; empty without any."""
    if not reasons:
        return ""
    return tr_n(
        "{n} sample without scores; the first: {reason}",
        "{n} samples without scores; the first: {reason}",
        n=len(reasons),
        reason=reasons[0],
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgeResult(Result, ABC):
    """Answers of a judge: scores with intervals over segments or documents, failures, costs.

    Intervals, which ``sampling`` draws, show the influence of the choice of segments; the standard
    deviation over samples shows the inconsistency of the model.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    settings: JudgeSettings
    answers: Answers[Any]
    sampling: Sampling

    @property
    @abstractmethod
    def failures(self) -> tuple[JudgeFailure, ...]:
        """The samples without scores, and the reasons."""

    @property
    @abstractmethod
    def aspect_scores(self) -> FloatArray:
        """Scores of shape (systems, segments, aspects), NaN if unknown.

        The aspects are the criteria and the overall quality.
        """

    @property
    def subject(self) -> JudgeSubject:
        """The kind of texts that are judged."""
        return self.settings.prompt.subject

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems that wrote the outputs."""
        return tuple(run.system for run in self.runs)

    @property
    def segments(self) -> tuple[str, ...]:
        """The ids of the segments."""
        return tuple(segment.id for segment in self.test_set)

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """Scores of the overall quality and of each criterion, like those of any measure."""
        values = self.aspect_scores
        found = {}
        for aspect in self.settings.shown:
            name = self.settings.measure(aspect)
            scores = Scores.of_values(
                name,
                self._signature(aspect),
                self.systems,
                self.segments,
                values[:, :, self.settings.aspects.index(aspect)],
            )
            found[name] = replace(scores, bounds=self.scale)
        return found

    @property
    def answered_by(self) -> tuple[str, ...]:
        """The names of models in the answers, which may be more exact than the requested one."""
        answers = [one.answer for one in self.answers.batch.outcomes if one.answer is not None]
        return tuple(sorted({answer.model for answer in answers if answer.model}))

    @cached_property
    def units(self) -> Units:
        """Resampling units."""
        return Units.choose(self.test_set.documents, self.sampling.by, self.segments)

    def estimated(self, scores: Sequence[Scores]) -> list[list[Estimate]]:
        """Return the value of each system with its interval; a single unit has none."""
        resamples = self.sampling.resamples if self.units.count > 1 else 0
        return estimate_scores(scores, self.units, resamples, self.sampling.seed)

    def mean_estimate(self, values: FloatArray) -> Estimate:
        """Return the mean of values (segments, …) with its interval; NaN is left out."""
        flat = values.reshape(len(self.segments), -1)
        statistics = mean_statistics(flat).sum(axis=1)[None]
        [[found]] = self.estimated(
            [Scores("mean", "", (self.settings.name,), self.segments, statistics)]
        )
        return found

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → system → value with interval."""
        estimated = self.estimated(list(self.scores.values()))
        return {
            name: dict(zip(self.systems, values, strict=True))
            for name, values in zip(self.scores, estimated, strict=True)
        }

    @property
    def missing(self) -> dict[str, int]:
        """The number of outputs without any score, by system."""
        unscored = np.isnan(self.aspect_scores[:, :, -1]).sum(axis=1).tolist()
        return dict(zip(self.systems, unscored, strict=True))

    @property
    def incomplete(self) -> str:
        """The number of samples without scores, and the reason of the first."""
        return without_scores([one.reason for one in self.failures])

    @property
    def per_thousand(self) -> dict[str, float]:
        """Tokens, and cost if prices are known, for 1,000 segments of one system.

        All samples count, and all repeated requests.
        """
        batch, prices = self.answers.batch, self.answers.prices
        return per_thousand(batch.spent + batch.recalled, self.runs, prices)

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result."""
        return Evaluation(
            scores=self.scores,
            documents=self.test_set.documents,
            facts=ScoreFacts.of(self.test_set, self.runs, LEFT_OUT),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "model": self.settings.model,
            "answered_by": list(self.answered_by),
            "prompt": self.settings.prompt.fingerprint,
            "samples": self.settings.samples,
            "segments": len(self.segments),
            "systems": {
                system: {
                    name: estimate_json(values[system]) for name, values in self.estimates.items()
                }
                for system in self.systems
            },
            "findings": message_texts(self.findings()),
            "missing": self.missing,
            "failures": plain(self.failures),
            "usage": self.usage_json(),
            "unusable": dict(self.answers.unusable),
            "signatures": {name: one.signature for name, one in self.scores.items()},
            "resampling": resampling_json(self.sampling, self.units),
        }

    def usage_json(self) -> dict[str, Any]:
        """Return requests, tokens and cost."""
        batch = self.answers.batch
        return {
            "requests": batch.tries,
            "spent": batch.spent.to_json(self.answers.prices),
            "recalled": batch.recalled.to_json(self.answers.prices),
            "kept": batch.cache_hits.to_json(),
            "per_1000_segments": self.per_thousand,
        }

    @abstractmethod
    def to_report(self) -> Report:
        """Return the report."""

    def report(self, title: str, asked: str, tables: Sequence[Table]) -> Report:
        """Return a report of tables, failures and costs; ``asked`` describes the samples."""
        failures = [self._failures()] if self.failures else []
        return Report(
            title=title,
            subtitle=self.subtitle(asked),
            headlines=(),
            findings=tuple(self.findings()),
            tables=(*tables, *self._unusable(), *failures, self.usage_table()),
            signatures={name: one.signature for name, one in self.scores.items()},
            notes=tuple(self.notes()),
            explorer=self.explorer(),
        )

    def subtitle(self, asked: str) -> str:
        """Return test set, size and samples in words; ``asked`` follows the number of samples."""
        samples = tr_n("{n} sample", "{n} samples", n=self.settings.samples)
        return dotted(
            self.test_set.name,
            self.subject.units(len(self.segments)),
            tr("{samples} {asked}", samples=samples, asked=asked),
        )

    @property
    def _interval_note(self) -> str:
        return (
            interval_note(self.sampling, self.units) if self.units.count > 1 else tr("no intervals")
        )

    def _failures(self) -> Table:
        rows = tuple((o.system, o.segment, o.sample, o.reason) for o in self.failures)
        columns = tuple(map(Column, (tr("system"), tr("segment"), tr("sample"), tr("reason"))))
        return Table(tr("Samples without scores"), columns, rows)

    def _unusable(self) -> list[Table]:
        rows = tuple(self.answers.unusable.items())
        columns = (Column(tr("kind")), Column(tr("answers"), 0))
        note = tr("Each request was repeated; final failures are listed below.")
        if not self.answers.reasks:
            note = tr("Requests were not repeated (0 re-asks); failures are listed below.")
        return [Table(tr("Answers that could not be parsed"), columns, rows, note)] if rows else []

    def usage_table(self) -> Table:
        """Return tokens, and cost if prices are known."""
        batch, prices = self.answers.batch, self.answers.prices
        titles = ("", tr("answers"), tr("prompt tokens"), tr("completion tokens"))
        cost = [Column(tr("cost"), decimals=4)] if prices else []

        def row(title: str, usage: Usage) -> tuple[Cell, ...]:
            counts = (usage.answers, usage.prompt_tokens, usage.completion_tokens)
            return (title, *counts, *([prices.cost(usage)] if prices else []))

        each = [None if math.isnan(one) else one for one in self.per_thousand.values()]
        rounded = [one if one is None else round(one) for one in each[:2]]
        rows = (
            row(tr("asked now"), batch.spent),
            row(tr("kept from earlier runs"), batch.recalled),
            (tr("for 1,000 segments of a system"), None, *rounded, *each[2:]),
        )
        return Table(tr("Tokens"), (*map(Column, titles), *cost), rows)

    def findings(self) -> Iterator[Notice]:
        """Yield notices on parameters that the server refused, and on unusable answers."""
        unusable, batch = self.answers.unusable, self.answers.batch
        yield from batch.notices
        if unread := sum(unusable.values()):
            given = batch.spent.answers + batch.recalled.answers
            left = sum(key not in self.answers.values for key in self.answers.reasons)
            failed = tr("repeated requests succeeded.")
            if left:
                failed = tr_n("{n} sample has no score.", "{n} samples have no score.", n=left)
            message = tr(
                "{n} of {answers} could not be parsed ({kinds})",
                n=unread,
                answers=tr_n("{n} answer", "{n} answers", n=given),
                kinds=tuple(tr("{kind} {n}", kind=kind, n=n) for kind, n in unusable.items()),
            )
            yield Notice("warning", "unreadable-answers", clauses(message, failed))

    def notes(self) -> Iterator[str]:
        """Yield notes on failures and costs."""
        batch, failures = self.answers.batch, self.failures
        if failures:
            yield (
                tr(
                    "Left out: {samples} without scores. Another run asks for those without an "
                    "answer, and with more re-asks for those whose answer could not be read.",
                    samples=tr_n("{n} sample", "{n} samples", n=len(failures)),
                )
            )
        for reason, number in batch.unasked.items():
            yield tr_n(
                "{n} request was not sent: {reason}.",
                "{n} requests were not sent: {reason}.",
                n=number,
                reason=reason,
            )
        for system, number in self.missing.items():
            if number:
                yield tr(
                    "{system}: {n} of {all} {outputs} have no score.",
                    system=system,
                    n=number,
                    all=len(self.segments),
                    outputs=self.subject.many,
                )
        estimated = batch.spent.estimated + batch.recalled.estimated
        if estimated:
            yield tr(
                "The server gave no token counts for {estimated} answers; they are estimated.",
                estimated=estimated,
            )
        if kept := batch.cache_hits.words():
            yield tr("Answers: {kept}.", kept=kept)
        lost = batch.tries - batch.spent.answers
        if lost:
            yield tr(
                "{lost} of {tries} requests brought no answer; a server may charge them.",
                lost=lost,
                tries=batch.tries,
            )

    def explorer(self) -> Explorer:
        """Return every segment with the outputs of all systems and their scores."""
        return Explorer(
            test_set=self.test_set,
            systems=self.systems,
            hypotheses=tuple(run.hypotheses for run in self.runs),
            values={name: one.segment_scores for name, one in self.scores.items()},
            higher_is_better=dict.fromkeys(self.scores, True),
        )

    def _signature(self, aspect: str) -> str:
        settings = self.settings
        about = {
            "criterion": aspect,
            "model": settings.model,
            "prompt": settings.prompt.fingerprint,
            "samples": settings.samples,
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "seed": settings.seed,
            "extra": json_hash(settings.extra) if settings.extra else None,
            **settings.prompt.parts,
            **self._scale_parts,
            "failed": len(self.failures),
            "over": "mean",
            "patmark": __version__,
        }
        parts = [f"{key}:{value}" for key, value in about.items() if value is not None]
        return "|".join([settings.name, *parts])

    @property
    @abstractmethod
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest possible score."""

    @property
    @abstractmethod
    def _scale_parts(self) -> Mapping[str, str]:
        """The parts of a signature about the scale of the scores."""


def sample_means(values: FloatArray) -> FloatArray:
    """Return the mean over samples, the last axis but one; NaN without any."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=-2)
    return ratio(total, known.sum(axis=-2).astype(np.float64))


def sample_spreads(values: FloatArray) -> FloatArray:
    """Return the standard deviation over samples, the last axis but one; NaN for fewer than 2."""
    known = ~np.isnan(values)
    off = np.where(known, values - sample_means(values)[..., None, :], 0.0)
    degrees = np.maximum(known.sum(axis=-2) - 1, 0).astype(np.float64)
    return np.sqrt(ratio((off**2).sum(axis=-2), degrees))
