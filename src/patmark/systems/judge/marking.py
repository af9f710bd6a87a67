"""Errors that a judge marks in translations: MQM, and ESA, which adds a score from 0 to 100.

Every sample counts as an evaluator: its marks are annotations, like those of people. Marks without
a place in the texts are listed by kind. A sample of MQM whose marks are all lost has no score,
since a score without marks would be perfect.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

import numpy as np

from patmark.data import (
    AnnotatedSide,
    AnnotatedTexts,
    Annotation,
    Annotations,
    Category,
    FloatArray,
    Notice,
    Rating,
    Run,
    TestSet,
    Typology,
    typology,
)
from patmark.errors import UsageError
from patmark.evaluation import ErrorAnalysis, Sampling, Weights, points_lost, weights_called
from patmark.llm import ChatAnswer, ChatClient, Progress, is_refusal
from patmark.report import Column, Explorer, Table, fields_json, plain, sentences
from patmark.systems.judge.asking import Place, ask, check_outputs, each_run
from patmark.systems.judge.direct import JudgedScores
from patmark.systems.judge.parsing import (
    EMPTY,
    NO_VALUE,
    OUTSIDE,
    REFUSED,
    SEVERAL_VALUES,
    UnusableAnswer,
    answer_text,
    check_numbers,
    excerpt,
    explained,
)
from patmark.systems.judge.prompt import JudgeSettings
from patmark.systems.judge.translations import TranslationPrompt
from patmark.wording import percent, tr, tr_n

INVALID_JSON, WRONG_SHAPE = tr("invalid JSON"), tr("another form")
NOT_FOUND, AMBIGUOUS, NO_SPAN = tr("not in the text"), tr("ambiguous place"), tr("no span")
NO_CATEGORY, NO_SEVERITY = tr("unknown category"), tr("unknown severity")
REPEATED, OVERLAPPING, NO_ERROR = tr("repeated"), tr("overlapping"), tr("not an error object")
KINDS = (
    NOT_FOUND, AMBIGUOUS, NO_SPAN, NO_CATEGORY, NO_SEVERITY, REPEATED, OVERLAPPING, NO_ERROR,
)  # fmt: skip
SAID_ELSEWHERE = (REPEATED, OVERLAPPING)
"""Kinds of invalid errors with another mark at the same place, which is counted."""
WHOLE_SEGMENT = "Non-translation"
_LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class SaidErrors:
    """The content of an answer about a segment: errors as given, and a score from 0 to 100."""

    errors: Sequence[object]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PlacedError:
    """An error with its place; an error of the whole segment has an empty span."""

    side: AnnotatedSide
    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True, slots=True)
class InvalidError:
    """An error that is not counted, the kind of its fault, and the words of the model."""

    kind: str
    said: str


def read_errors(answer: ChatAnswer, count: int, *, scored: bool) -> list[SaidErrors]:
    """Read the errors of ``count`` segments in an answer, and their scores if ``scored``."""
    text = answer_text(answer)
    try:
        parsed, around = _json_and_rest(text)
        found = [_said_errors(one, scored) for one in _segments(parsed, count)]
    except UnusableAnswer as error:
        raise explained(error, answer, text) from None
    if not any(one.errors or one.score for one in found) and is_refusal(around, anywhere=True):
        raise UnusableAnswer(REFUSED, f"refused, without errors: {excerpt(around)}")
    return found


def _json_and_rest(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the one JSON object in a text, and the text around it."""
    if not text.strip():
        raise UnusableAnswer(EMPTY, "the answer is empty")
    start = text.find("{")
    try:
        if start < 0:
            raise ValueError("there is no object")
        parsed, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(":")[0]
        raise UnusableAnswer(INVALID_JSON, f"invalid JSON ({reason}): {excerpt(text)}") from None
    if "{" in text[end:]:
        raise UnusableAnswer(SEVERAL_VALUES, f"several JSON objects: {excerpt(text)}")
    return parsed, text[:start] + text[end:]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise ValueError for a repeated field, of which one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)


def _segments(answer: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    if count == 1 and "errors" in answer and "segments" not in answer:
        return [answer]
    listed = answer.get("segments")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise UnusableAnswer(WRONG_SHAPE, "expected a list 'segments' of objects")
    numbers = [one.get("segment") for one in listed]
    if not all(type(number) is int for number in numbers):
        raise UnusableAnswer(WRONG_SHAPE, "expected a whole number as 'segment'")
    check_numbers(numbers, count)
    return sorted(listed, key=lambda one: int(one["segment"]))


def _said_errors(answer: Mapping[str, Any], scored: bool) -> SaidErrors:
    errors, score = answer.get("errors"), answer.get("score")
    if not isinstance(errors, list):
        raise UnusableAnswer(WRONG_SHAPE, "expected a list 'errors'")
    if not scored:
        return SaidErrors(errors)
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise UnusableAnswer(NO_VALUE, "expected a number as 'score'")
    if not 0 <= score <= 100:
        raise UnusableAnswer(OUTSIDE, f"the score is {score:g}, outside 0 to 100")
    return SaidErrors(errors, float(score))


def place_errors(
    said: SaidErrors, source: str, target: str, typology: Typology, *, first_place: bool = False
) -> tuple[list[PlacedError], list[InvalidError]]:
    """Return the errors with a place in the texts, in their order, and the invalid ones.

    ``first_place`` takes the first of several possible places.
    """
    placed: list[tuple[PlacedError, object]] = []
    invalid: list[InvalidError] = []
    for one in said.errors:
        try:
            placed.append((_placed(one, source, target, typology, first_place), one))
        except _Unplaced as reason:
            invalid.append(InvalidError(reason.kind, shown(one)))
    ranks = {one.name: rank for rank, one in enumerate(typology.severities)}
    kept: list[tuple[int, PlacedError]] = []
    worst_first = sorted(enumerate(placed), key=lambda item: ranks[item[1][0].severity])
    for at, (mark, given) in worst_first:
        same = [other for _, other in kept if _share_place(mark, other)]
        if not same:
            kept.append((at, mark))
            continue
        repeated = any(_is_same(mark, other) for other in same)
        invalid.append(InvalidError(REPEATED if repeated else OVERLAPPING, shown(given)))
    return [mark for _, mark in sorted(kept, key=lambda item: item[0])], invalid


class _Unplaced(Exception):
    """An invalid error, by kind."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def _placed(
    given: object, source: str, target: str, typology: Typology, first_place: bool
) -> PlacedError:
    if not isinstance(given, dict):
        raise _Unplaced(NO_ERROR)
    category = _category(given.get("category"), typology)
    severity = _severity(given.get("severity"), typology)
    span, context = given.get("span"), given.get("context")
    if category.name == WHOLE_SEGMENT and span in (None, ""):
        return PlacedError(category.side, 0, 0, category.name, severity)
    if not isinstance(span, str) or not span.strip():
        raise _Unplaced(NO_SPAN)
    text = source if category.side == "source" else target
    place = _place(text, span, context if isinstance(context, str) else "", first_place)
    return PlacedError(category.side, *place, category.name, severity)


def _category(given: object, typology: Typology) -> Category:
    try:
        if isinstance(given, str):
            return typology.category(given.strip())
    except UsageError:
        pass
    raise _Unplaced(NO_CATEGORY)


def _severity(given: object, typology: Typology) -> str:
    try:
        if isinstance(given, str):
            return typology.severity(given.strip()).name
    except UsageError:
        pass
    raise _Unplaced(NO_SEVERITY)


def _place(text: str, span: str, context: str, first_place: bool) -> tuple[int, int]:
    """Return the place of a span: its only one, or the only one in a unique context.

    With ``first_place`` it may be the first of several.
    """
    places = _places(text, span)
    if not places:
        raise _Unplaced(NOT_FOUND)
    if len(places) == 1:
        return places[0]
    around = _places(text, context)
    within = [one for one in places for low, high in around[:1] if low <= one[0] and one[1] <= high]
    if len(around) == 1 and len(within) == 1:
        return within[0]
    if first_place:
        return places[0]
    raise _Unplaced(AMBIGUOUS)


def _places(text: str, part: str) -> list[tuple[int, int]]:
    """Return all places of a part, overlapping ones as well; none for blanks.

    If it does not occur as it is, one blank in it may stand for several or for a line break.
    """
    if not part.strip():
        return []
    for pattern in (re.escape(part), r"\s+".join(map(re.escape, part.split()))):
        if found := [match.span(1) for match in re.finditer(f"(?=({pattern}))", text)]:
            return found
    return []


def _share_place(one: PlacedError, other: PlacedError) -> bool:
    """Return True if two errors overlap; errors of the whole segment share their place."""
    if one.side != other.side:
        return False
    if one.start == one.end or other.start == other.end:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end


def _is_same(one: PlacedError, other: PlacedError) -> bool:
    return (one.start, one.end, one.category) == (other.start, other.end, other.category)


def shown(given: object) -> str:
    """Return the words of a model as JSON, shortened for display."""
    text = json.dumps(given, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


@dataclass(frozen=True, slots=True)
class InvalidMark:
    """An error that is not counted: its place, the kind of its fault, the words of the model."""

    system: str
    segment: str
    sample: int
    kind: str
    said: str


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
            "marks": [
                fields_json(mark, text=(self.texts.of_mark(mark) or "")[mark.start : mark.end])
                for mark in self.annotations.marks
            ],
            "invalid_counts": self.invalid_counts,
            "invalid": plain(self.invalid),
            "dropped": {
                system: {"marks": lost, "of": given}
                for system, (lost, given) in self.dropped.items()
            },
        }

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
            unscored[(system, segment), sample] = tr(
                "none of {marks} is counted: {kinds}",
                marks=tr_n("{n} mark", "{n} marks", n=len(unplaced)),
                kinds=tuple(sorted({one.kind for one in unplaced})),
            )
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
