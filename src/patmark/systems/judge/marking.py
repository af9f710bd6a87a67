"""Errors that a judge marks in translations: MQM, and ESA, which adds a score from 0 to 100.

Every sample counts as an evaluator: its marks are annotations, like those of people. Marks without
a place in the texts are listed by kind. A sample of MQM whose marks are all lost has no score,
since a score without marks would be perfect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

import numpy as np

from patmark.data import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    FloatArray,
    Notice,
    Rating,
    Run,
    TestSet,
    typology,
)
from patmark.errors import UsageError
from patmark.evaluation import ErrorAnalysis, Sampling, Weights, points_lost, weights_called
from patmark.llm import ChatClient, Progress
from patmark.report import Column, Explorer, Table, sentences
from patmark.systems.judge.asking import Place, ask, check_outputs, each_run
from patmark.systems.judge.direct import JudgedScores
from patmark.systems.judge.prompt import JudgeSettings
from patmark.systems.judge.spans import (
    SAID_ELSEWHERE,
    InvalidError,
    place_errors,
    read_errors,
)
from patmark.systems.judge.translations import TranslationPrompt
from patmark.wording import percent, tr, tr_n


@dataclass(frozen=True, slots=True)
class InvalidMark:
    """An error that is not counted: its place, the kind of its fault, the words of the model."""

    system: str
    segment: str
    sample: int
    kind: str
    said: str

    def to_json(self) -> dict[str, Any]:
        """Return all fields."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedErrors(JudgedScores):
    """Translations with marked errors; evaluators of ``annotations`` are the samples.

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
        """The judged texts."""
        return AnnotatedTexts.of(self.test_set, self.runs)

    @cached_property
    def invalid_counts(self) -> dict[str, int]:
        """The number of errors that are not counted, by kind."""
        return dict(sorted(Counter(one.kind for one in self.invalid).items()))

    @cached_property
    def dropped(self) -> dict[str, tuple[int, int]]:
        """System → number of lost marks, and of all marks.

        A mark is not lost if another mark has the same place.
        """
        lost = Counter(one.system for one in self.invalid if one.kind not in SAID_ELSEWHERE)
        given = Counter(one.system for one in self.annotations.marks)
        given.update(one.system for one in self.invalid)
        return {system: (lost[system], given[system]) for system in self.systems}

    def findings(self) -> Iterator[Notice]:
        """Yield warnings about lost marks and unusable answers."""
        lost = sum(lost for lost, _ in self.dropped.values())
        if lost:
            given = sum(given for _, given in self.dropped.values())
            shares = [
                tr(
                    "{system} {lost} of {given} ({percent})",
                    system=system,
                    lost=lost,
                    given=given,
                    percent=percent(lost / given),
                )
                for system, (lost, given) in self.dropped.items()
                if given
            ]
            warning = tr_n(
                "{n} of {marks} has no certain place or kind and is not counted: {shares}.",
                "{n} of {marks} have no certain place or kind and are not counted: {shares}.",
                n=lost,
                marks=tr_n("{n} mark", "{n} marks", n=given),
                shares=tuple(shares),
            )
            yield Notice("warning", "lost-marks", sentences(warning, self._loss))
        yield from super().findings()

    @property
    def _loss(self) -> str:
        """The consequence of lost marks for the scores."""
        if self.settings.prompt.scheme == "esa":
            return tr("The scores are those that were given; the tables of errors lack these.")
        return tr(
            "Scores that lost some of their marks are too high; without any marks there is "
            "no score."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result, with all marks and all invalid errors."""
        return super().to_json() | {
            "errors": self.analysis and self.analysis.to_json(),
            "marks": [self._mark_json(mark) for mark in self.annotations.marks],
            "invalid_counts": self.invalid_counts,
            "invalid": [one.to_json() for one in self.invalid],
            "dropped": {
                system: {"marks": lost, "of": given}
                for system, (lost, given) in self.dropped.items()
            },
        }

    def _mark_json(self, mark: Annotation) -> dict[str, Any]:
        whole = self.texts.of_mark(mark) or ""
        fields = {name: getattr(mark, name) for name in mark.__slots__}
        return fields | {"text": whole[mark.start : mark.end]}

    @cached_property
    def analysis(self) -> ErrorAnalysis | None:
        """The error analysis, as of human annotations; None without any answer."""
        if not self.annotations.rated:
            return None
        return ErrorAnalysis(self.annotations, self.weights, self.texts, self.sampling)

    def tables(self) -> list[Table]:
        """Return scores, errors that are not counted, and the error analysis."""
        analysed = [] if self.analysis is None else self.analysis.tables()
        return [*super().tables(), self._counted(), *analysed]

    def _counted(self) -> Table:
        rows = ((tr("counted"), len(self.annotations.marks)), *self.invalid_counts.items())
        note = tr(
            "Findings without a certain place in the texts are not counted; the JSON has "
            "all of them."
        )
        return Table(
            tr("Marks of all samples"), (Column(tr("marks")), Column(tr("number"), 0)), rows, note
        )

    def explorer(self) -> Explorer:
        """Return every segment, with the marks in its texts."""
        own, analysis = super().explorer(), self.analysis
        if analysis is None:
            return own
        return replace(own, evidence=analysis.evidence(self.systems, self.segments))

    @property
    def scale(self) -> tuple[float, float]:
        """Up to 0 for MQM, from 0 to 100 for ESA."""
        return super().scale if self.settings.prompt.scheme == "esa" else (-np.inf, 0.0)

    @property
    def _scale_parts(self) -> Mapping[str, str]:
        if self.settings.prompt.scheme == "esa":
            return {**super()._scale_parts, "invalid": str(len(self.invalid))}
        return {"weights": self.weights.name, "invalid": str(len(self.invalid))}


def weights_of(settings: JudgeSettings) -> Weights:
    """Return the weights of the typology of a question."""
    return weights_called(_prompt(settings).typology)


def judge_errors(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
    *,
    first_place: bool = False,
) -> JudgedErrors:
    """Let the judge mark errors in every translation; ``sampling`` is for intervals.

    A mark that could be at several places is not counted, or with ``first_place`` at the first.
    """
    prompt = _prompt(settings)
    check_outputs(test_set, runs, prompt)
    read = partial(read_errors, scored=prompt.scheme == "esa")
    answers = ask(test_set, each_run(runs), client, settings, read, progress)
    kinds = typology(prompt.typology)
    rated: list[Rating] = []
    marks: list[Annotation] = []
    invalid: list[InvalidMark] = []
    unscored: dict[tuple[Place, int], str] = {}
    for ((system, segment), sample), answer in sorted(answers.values.items(), key=itemgetter(0)):
        one = test_set[segment]
        key = (runs[system].system, one.id, evaluator_of(settings, sample))
        texts = one.source or "", runs[system].texts[segment]
        placed, unplaced = place_errors(answer, *texts, kinds, first_place=first_place)
        if placed or not unplaced or answer.score is not None:
            rated.append(Rating(*key, answer.score, one.document))
        else:
            unscored[(system, segment), sample] = _all_dropped(unplaced)
        marks += [
            Annotation(*key, mark.start, mark.end, mark.side, mark.category, mark.severity)
            for mark in placed
        ]
        invalid += [
            InvalidMark(runs[system].system, one.id, sample + 1, each.kind, each.said)
            for each in unplaced
        ]
    annotations = Annotations(tuple(rated), tuple(marks))
    return JudgedErrors(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        values=_values(annotations, test_set, runs, settings),
        annotations=annotations,
        invalid=tuple(invalid),
        answers=replace(answers, reasons={**answers.reasons, **unscored}),
        sampling=sampling or Sampling(),
    )


def _all_dropped(unplaced: Sequence[InvalidError]) -> str:
    kinds = tuple(sorted({one.kind for one in unplaced}))
    marks = tr_n("{n} mark", "{n} marks", n=len(unplaced))
    return tr("none of {marks} is counted: {kinds}", marks=marks, kinds=kinds)


def evaluator_of(settings: JudgeSettings, sample: int) -> str:
    """Return the name of a sample among evaluators."""
    return f"{settings.name}#{sample + 1}"


def _prompt(settings: JudgeSettings) -> TranslationPrompt:
    if isinstance(settings.prompt, TranslationPrompt):
        return settings.prompt
    raise UsageError("errors are marked in translations only")


def _values(
    annotations: Annotations, test_set: TestSet, runs: Sequence[Run], settings: JudgeSettings
) -> FloatArray:
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
