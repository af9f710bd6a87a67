"""Errors that a judge marks in translations: MQM, and ESA, which adds a score from 0 to 100.

Every sample reads like an evaluator of its own: its marks are annotations, which the scores of
people are made from as well. What could not be placed in the texts is listed by kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from patmark.data import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Evidence,
    FloatArray,
    Rating,
    Run,
    Side,
    TestSet,
    typology,
)
from patmark.errors import UsageError
from patmark.evaluation import Sampling, Weights, part_scores, points_lost, weights_called
from patmark.judge.asking import JudgeSettings, Place, ask, check_outputs
from patmark.judge.judging import each_run, failures_of
from patmark.judge.result import JudgedScores
from patmark.judge.spans import SaidErrors, place_errors, read_errors
from patmark.judge.translations import TranslationPrompt
from patmark.llm import ChatClient, Progress
from patmark.report import Cell, Column, Explorer, Table


@dataclass(frozen=True, slots=True)
class InvalidMark:
    """An error that is not counted: where, which kind of fault, and what the model said."""

    system: str
    segment: str
    sample: int
    kind: str
    said: str

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedErrors(JudgedScores):
    """Translations whose errors were marked; evaluators of ``annotations`` are the samples.

    A score is that of MQM, minus the weights of the errors of a segment; of ESA, the score that
    was given.
    """

    annotations: Annotations
    invalid: tuple[InvalidMark, ...]

    @property
    def weights(self) -> Weights:
        """The weights of the typology."""
        return weights_of(self.settings)

    @cached_property
    def texts(self) -> AnnotatedTexts:
        """What was judged."""
        return AnnotatedTexts.of(self.test_set, self.runs)

    @cached_property
    def invalid_counts(self) -> dict[str, int]:
        """How many errors were not counted, by kind."""
        return dict(sorted(Counter(one.kind for one in self.invalid).items()))

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result, with every mark and everything that is none."""
        return super().to_json() | {
            "marks": [self._mark_json(mark) for mark in self.annotations.marks],
            "invalid_counts": self.invalid_counts,
            "invalid": [one.to_json() for one in self.invalid],
        }

    def _mark_json(self, mark: Annotation) -> dict[str, Any]:
        whole = self.texts.of_mark(mark) or ""
        fields = {name: getattr(mark, name) for name in mark.__slots__}
        return fields | {"text": whole[mark.start : mark.end]}

    def tables(self) -> list[Table]:
        """What the kinds of error cost each system, and the errors that are not counted."""
        return [*super().tables(), *self._by_category(), *self._not_counted()]

    def _by_category(self) -> list[Table]:
        parts = part_scores(self.annotations, self.weights)
        marks = Counter((mark.category, mark.system) for mark in self.annotations.marks)
        rows: list[tuple[Cell, ...]] = []
        for category, scores in parts.items():
            points = dict(zip(scores.systems, scores.system_scores.tolist(), strict=True))
            found = ((points.get(one), marks[category, one]) for one in self.systems)
            rows.append((category, *(cell for pair in found for cell in pair)))
        columns = [Column("category")]
        for system in self.systems:
            columns += [Column(f"{system}: points"), Column(f"{system}: marks", 0)]
        note = (
            f"Points of the weights {self.weights.name!r} for each segment and sample; marks of "
            "all samples."
        )
        return [Table("Errors by kind", tuple(columns), tuple(rows), note)] if rows else []

    def _not_counted(self) -> list[Table]:
        kept = len(self.annotations.marks)
        rows = (("counted", kept), *self.invalid_counts.items())
        note = "What has no certain place in the texts is not counted; the JSON has all of it."
        columns = (Column("marks"), Column("number", 0))
        return [Table("Marks, and errors that are none", columns, rows, note)]

    def explorer(self) -> Explorer:
        """Every segment, with the marks in its texts."""
        found: Counter[tuple[str, str, Evidence]] = Counter()
        for mark in self.annotations.marks:
            side: Side = "source" if mark.side == "source" else "hypothesis"
            what = f"{mark.category}, {mark.severity}"
            found[mark.system, mark.segment, Evidence(side, mark.start, mark.end, what)] += 1
        places: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
        for (system, segment, one), number in found.items():
            often = f" ({number} of {self.settings.samples} samples)"
            said = replace(one, message=one.message + often) if self.settings.samples > 1 else one
            places[system, segment].append(said)
        evidence = tuple(
            tuple(tuple(places[system, segment]) for segment in self.segments)
            for system in self.systems
        )
        return replace(super().explorer(), evidence={self.settings.name: evidence})

    @property
    def scale(self) -> tuple[float, float]:
        """MQM takes off from 0; ESA is from 0 to 100."""
        return super().scale if self.settings.prompt.scheme == "esa" else (-np.inf, 0.0)

    @property
    def _scale_parts(self) -> Mapping[str, str]:
        if self.settings.prompt.scheme == "esa":
            return {**super()._scale_parts, "invalid": str(len(self.invalid))}
        return {"weights": self.weights.name, "invalid": str(len(self.invalid))}


def weights_of(settings: JudgeSettings) -> Weights:
    """The weights that belong to the typology of a question."""
    return weights_called(_prompt(settings).typology)


def judge_errors(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgedErrors:
    """Let errors be marked in every translation; sampling is for intervals."""
    prompt = _prompt(settings)
    check_outputs(test_set, runs, prompt)
    read = partial(read_errors, scored=prompt.scheme == "esa")
    answers = ask(test_set, each_run(runs), client, settings, read, progress)
    kinds = typology(prompt.typology)
    rated: list[Rating] = []
    marks: list[Annotation] = []
    invalid: list[InvalidMark] = []
    for ((system, segment), sample), said in sorted(answers.values.items(), key=_by_place):
        one = test_set[segment]
        key = (runs[system].system, one.id, evaluator_of(settings, sample))
        rated.append(Rating(*key, said.score, one.document))
        placed, unplaced = place_errors(said, one.source or "", runs[system].texts[segment], kinds)
        marks += [
            Annotation(*key, mark.start, mark.end, mark.side, mark.category, mark.severity)
            for mark in placed
        ]
        invalid += [
            InvalidMark(runs[system].system, one.id, sample + 1, each.kind, each.said)
            for each in unplaced
        ]
    annotations = Annotations(tuple(rated), tuple(marks))
    values = _values(annotations, test_set, runs, settings)
    return JudgedErrors(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        values=values,
        annotations=annotations,
        invalid=tuple(invalid),
        failures=failures_of(values, test_set, runs, answers),
        unusable=answers.unusable,
        batch=answers.batch,
        prices=client.settings.prices,
        sampling=sampling or Sampling(),
    )


def evaluator_of(settings: JudgeSettings, sample: int) -> str:
    """The name of a sample among evaluators."""
    return f"{settings.name}#{sample + 1}"


def _by_place(item: tuple[tuple[Place, int], SaidErrors]) -> tuple[Place, int]:
    return item[0]


def _prompt(settings: JudgeSettings) -> TranslationPrompt:
    if isinstance(settings.prompt, TranslationPrompt):
        return settings.prompt
    raise UsageError("errors are marked in translations only")


def _values(
    annotations: Annotations, test_set: TestSet, runs: Sequence[Run], settings: JudgeSettings
) -> FloatArray:
    """MQM or ESA of each sample, of shape (systems, segments, samples, 1)."""
    if settings.prompt.scheme == "esa":
        found = {one.key: one.score for one in annotations.rated}
    else:
        lost = points_lost(annotations, weights_of(settings))
        found = {key: 0.0 - points for key, points in lost.items()}
    values = [
        [
            [
                found.get((run.system, segment.id, evaluator_of(settings, sample)))
                for sample in range(settings.samples)
            ]
            for segment in test_set
        ]
        for run in runs
    ]
    return np.array(values, dtype=np.float64)[..., None]
