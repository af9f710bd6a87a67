"""Direct assessment: each output is rated on every criterion, several times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from patmark.data import FloatArray, Run, TestSet
from patmark.evaluation import GradeModel, Sampling, component_table, model_grades
from patmark.llm import ChatClient, Progress
from patmark.report import Cell, Column, Report, Table
from patmark.systems.judge.asking import ask, check_outputs, each_run
from patmark.systems.judge.criteria import OVERALL, with_overall
from patmark.systems.judge.parsing import score_parser
from patmark.systems.judge.prompt import JudgeSettings
from patmark.systems.judge.result import JudgeFailure, JudgeResult, sample_means, sample_spreads
from patmark.wording import capitalised, tr

_HUNDRED = 100.0
_WIDEST = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedScores(JudgeResult):
    """Rated outputs; a score is the mean of its samples.

    ``values`` has shape (systems, segments, samples, aspects); NaN if a sample failed.
    """

    values: FloatArray

    @cached_property
    def failures(self) -> tuple[JudgeFailure, ...]:
        """The samples without a score of the overall quality."""
        return tuple(
            JudgeFailure(
                self.systems[system],
                self.segments[segment],
                sample + 1,
                self.answers.reason((system, segment), sample),
            )
            for system, segment, sample in np.argwhere(np.isnan(self.values[..., -1])).tolist()
        )

    @property
    def aspect_scores(self) -> FloatArray:
        """The mean over samples."""
        return self.means

    @cached_property
    def means(self) -> FloatArray:
        """The mean over samples, of shape (systems, segments, aspects); NaN without any."""
        return sample_means(self.values)

    @cached_property
    def spreads(self) -> FloatArray:
        """The standard deviation over samples, in the same shape; NaN with fewer than two."""
        return sample_spreads(self.values)

    @cached_property
    def system_spreads(self) -> dict[str, dict[str, float]]:
        """Measure → system → mean standard deviation over samples; NaN if undefined."""
        spreads = self.spreads
        return {
            self.settings.measure(aspect): {
                system: _mean(spreads[row, :, at]) for row, system in enumerate(self.systems)
            }
            for at, aspect in enumerate(self.settings.aspects)
        }

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with the samples of each output."""
        result = super().to_json()
        for system, values in result["systems"].items():
            for name, one in values.items():
                one["spread"] = self.system_spreads[name][system]
        return result | {
            "mixed_model": {name: one.to_json() for name, one in self.grade_models.items()},
            self.subject.many: list(self._outputs()),
        }

    def to_report(self) -> Report:
        """Return scores, disagreement between samples, failures and costs."""
        return self.report(
            tr(
                "{outputs} judged by {model}",
                outputs=self.subject.title,
                model=self.settings.model,
            ),
            tr("each"),
            self.tables(),
        )

    def tables(self) -> list[Table]:
        """Return scores, variance components, and the outputs whose samples differ most."""
        return [self._scores(), *self._models(), *self._widest()]

    def _outputs(self) -> Iterator[dict[str, Any]]:
        means, spreads = self.means, self.spreads
        for row, system in enumerate(self.systems):
            for place, segment in enumerate(self.segments):
                yield {
                    "system": system,
                    "segment": segment,
                    **{
                        aspect: {
                            "mean": float(means[row, place, number]),
                            "spread": float(spreads[row, place, number]),
                            "samples": self.values[row, place, :, number].tolist(),
                        }
                        for number, aspect in enumerate(self.settings.aspects)
                    },
                }

    @cached_property
    def grade_models(self) -> dict[str, GradeModel]:
        """Measure → variance components of its scores; empty for a single sample."""
        if self.settings.samples < 2:
            return {}
        return {
            self.settings.measure(aspect): model_grades(
                np.moveaxis(self.values[..., at], 2, 0),
                self.systems,
                self.test_set.documents,
                evaluators=False,
            )
            for at, aspect in enumerate(self.settings.aspects)
        }

    def _models(self) -> list[Table]:
        overall = self.grade_models.get(self.settings.measure(OVERALL))
        if overall is None or overall.model is None:
            return []
        return [component_table(tr("Sources of uncertainty in overall quality"), overall)]

    def _scores(self) -> Table:
        names = [self.settings.measure(aspect) for aspect in self.settings.shown]
        rows: list[tuple[Cell, ...]] = [
            (
                system,
                *(self.estimates[name][system] for name in names),
                None if math.isnan(spread) else spread,
            )
            for system, spread in self.system_spreads[names[0]].items()
        ]
        scale = self.scale if np.isfinite(self.scale).all() else None
        columns = [Column(aspect, scale=scale) for aspect in self.settings.shown]
        spread = Column(tr("spread of overall"), higher_is_better=False)
        return Table(
            tr("Scores from 0 to {top:g}", top=scale[1])
            if scale
            else tr("Scores; 0 is without error"),
            (Column(tr("system")), *columns, spread),
            tuple(rows),
            self._interval_note,
        )

    def _widest(self) -> list[Table]:
        spreads = self.spreads[:, :, -1]
        order = np.argsort(-np.nan_to_num(spreads, nan=-1.0), axis=None, kind="stable")
        places = [divmod(int(at), spreads.shape[1]) for at in order]
        chosen = [at for at in places if spreads[at] > 0][:_WIDEST]
        if not chosen:
            return []
        rows: list[tuple[Cell, ...]] = []
        for row, place in chosen:
            samples = self.values[row, place, :, -1]
            known = samples[~np.isnan(samples)]
            mean, spread = float(self.means[row, place, -1]), float(spreads[row, place])
            ends = float(known.min()), float(known.max())
            rows.append((self.systems[row], self.segments[place], mean, spread, *ends, len(known)))
        titles = (tr("system"), tr("segment"), tr("mean"), tr("spread"), tr("lowest"),
                  tr("highest"))  # fmt: skip
        return [
            Table(
                tr(
                    "{outputs} on which the samples disagree most",
                    outputs=capitalised(self.subject.many),
                ),
                (*map(Column, titles), Column(tr("samples"), 0)),
                tuple(rows),
                tr(
                    "Overall quality. All {outputs} are in the JSON, with every sample.",
                    outputs=self.subject.many,
                ),
            )
        ]

    @property
    def scale(self) -> tuple[float, float]:
        """From 0 to the top score of the subject."""
        return 0.0, self.subject.top

    @property
    def _scale_parts(self) -> Mapping[str, str]:
        low, high = self.scale
        return {"scale": f"{low:g}-{high:g}"}


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def judge_scores(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgedScores:
    """Rate every output; ``sampling`` is for intervals."""
    prompt = settings.prompt
    check_outputs(test_set, runs, prompt)
    read = score_parser(prompt.criteria).read_all
    answers = ask(test_set, each_run(runs), client, settings, read, progress)
    shape = (len(runs), len(test_set), settings.samples, len(settings.aspects))
    values = np.full(shape, np.nan)
    for ((system, segment), sample), scores in answers.values.items():
        shown = [score * prompt.subject.top / _HUNDRED for score in scores]
        values[system, segment, sample] = with_overall(prompt.criteria, shown)
    return JudgedScores(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        values=values,
        answers=answers,
        sampling=sampling or Sampling(),
    )
