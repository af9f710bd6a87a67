"""Ask a judge: every question several times, with unusable answers counted by kind.

A question is about one place or, in batches, about several. An unusable answer is asked for again.
A batch without a usable answer in the end is asked once more, one segment at a time. Places without
an answer are listed with the reason and left out. The client caches answers, so that a run that was
stopped asks only for the rest and gives the same result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from patmark.data import Run, TestSet, counted
from patmark.errors import UsageError
from patmark.llm import (
    Batch,
    ChatAnswer,
    ChatClient,
    ChatRequest,
    Message,
    Prices,
    Progress,
    Usage,
    worst_case,
)
from patmark.report import fields_json
from patmark.systems.judge.parsing import UnusableAnswer
from patmark.systems.judge.prompt import JudgeSettings, Prompt
from patmark.wording import tr

ValueT = TypeVar("ValueT")
Place: TypeAlias = tuple[int, ...]
"""The indices of a value: a system, or a pair and its order; and last the segment."""
Shown: TypeAlias = Mapping[Place, Sequence[Run]]
"""The run, or the two in their order, that are shown at places with this beginning."""
Read: TypeAlias = Callable[[ChatAnswer, int], Sequence[ValueT]]
"""A function that reads the values of a number of segments in an answer."""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A prompt, and the places it asks about."""

    places: tuple[Place, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Answers(Generic[ValueT]):
    """Values by place and sample, counted from 0, and the reasons of missing ones.

    ``unusable`` counts unusable answers by kind, including those that were repeated successfully;
    ``reasks`` is the maximum number of repetitions.
    """

    values: Mapping[tuple[Place, int], ValueT]
    reasons: Mapping[tuple[Place, int], str]
    unusable: Mapping[str, int]
    batch: Batch
    absent: str
    prices: Prices | None = None
    reasks: int = 0

    def reason(self, place: Place, sample: int) -> str:
        """Return the reason of a missing value; an ``absent`` output was not asked about."""
        return self.reasons.get((place, sample), self.absent)


def check_outputs(test_set: TestSet, runs: Sequence[Run], prompt: Prompt) -> None:
    """Refuse outputs that cannot be judged."""
    subject = prompt.subject
    if not runs or not len(test_set):
        raise UsageError("there is nothing to judge")
    names = [run.system for run in runs]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise UsageError(
            f"two {subject.many} are called {doubled[0]!r}; give each a name of its own"
        )
    for run in runs:
        if len(run.hypotheses) != len(test_set):
            found = f"{len(run.hypotheses)} {subject.many} for {subject.units(len(test_set))}"
            raise UsageError(f"{run.system} has {found}")
    prompt.check(test_set)


def each_run(runs: Sequence[Run]) -> Shown:
    """Show every run by itself."""
    return {(system,): [run] for system, run in enumerate(runs)}


def answered_segments(runs: Iterable[Run]) -> list[int]:
    """Return the segments for which all of the runs have an output."""
    rows = zip(*(run.texts for run in runs), strict=True)
    return [at for at, texts in enumerate(rows) if all(text.strip() for text in texts)]


def questions_of(test_set: TestSet, shown: Shown, prompt: Prompt) -> list[JudgeQuestion]:
    """Return all questions, in batches of the size that the prompt has.

    All questions about a segment come before the next segment, so that a run that ends early can
    be compared. Missing or empty outputs are not asked about.
    """
    found = []
    for begin, runs in shown.items():
        segments = answered_segments(runs)
        for start in range(0, len(segments), prompt.batch):
            some = segments[start : start + prompt.batch]
            places = tuple((*begin, segment) for segment in some)
            found.append(JudgeQuestion(places, prompt.about(test_set, runs, some)))
    return sorted(found, key=lambda question: question.places[0][-1])


def requests_of(question: JudgeQuestion, settings: JudgeSettings) -> Iterator[ChatRequest]:
    """Yield a request for each sample of a question."""
    for sample in range(settings.samples):
        yield ChatRequest(
            settings.model,
            question.messages,
            settings.temperature,
            settings.max_tokens,
            None if settings.seed is None else settings.seed + sample,
            sample,
            extra=settings.extra,
        )


def ask(
    test_set: TestSet,
    shown: Shown,
    client: ChatClient,
    settings: JudgeSettings,
    read: Read[ValueT],
    progress: Progress | None = None,
) -> Answers[ValueT]:
    """Ask about all outputs."""
    prompt, run = settings.prompt, _Asking(client, settings, read)
    asked = [(one, None) for one in questions_of(test_set, shown, prompt)]
    batch, failed = run.round(asked, progress)
    if failed:
        again = [
            (JudgeQuestion((place,), prompt.about(test_set, shown[place[:-1]], place[-1:])), sample)
            for place, sample in failed
        ]
        batch += run.round(again, progress)[0]
    unusable = dict(sorted(run.unusable.items()))
    absent = f"there is no {prompt.subject.one}"
    prices, reasks = client.settings.prices, client.settings.reasks
    return Answers(run.values, run.reasons, unusable, batch, absent, prices, reasks)


class _Asking(Generic[ValueT]):
    """The shared state of the rounds of asking: values, reasons of missing ones, counts."""

    def __init__(self, client: ChatClient, settings: JudgeSettings, read: Read[ValueT]) -> None:
        self._client, self._settings, self._read = client, settings, read
        self.values: dict[tuple[Place, int], ValueT] = {}
        self.reasons: dict[tuple[Place, int], str] = {}
        self.unusable: Counter[str] = Counter()

    def round(
        self, asked: Sequence[tuple[JudgeQuestion, int | None]], progress: Progress | None
    ) -> tuple[Batch, list[tuple[Place, int]]]:
        """Ask questions, all samples or one of each; return the places to ask about singly."""
        requests = [
            (question, request)
            for question, only in asked
            for request in requests_of(question, self._settings)
            if only in (None, request.sample)
        ]
        counts = {question.messages: len(question.places) for question, _ in asked}

        def fault_of(request: ChatRequest, answer: ChatAnswer) -> str | None:
            try:
                self._read(answer, counts[request.messages])
            except UnusableAnswer as error:
                self.unusable[error.kind] += 1
                return str(error)
            return None

        batch = self._client.ask_all([request for _, request in requests], fault_of, progress)
        failed = []
        for (question, request), outcome in zip(requests, batch.outcomes, strict=True):
            keys = [(place, request.sample) for place in question.places]
            if outcome.answer is not None:
                for key in keys:
                    self.reasons.pop(key, None)
                self.values |= dict(zip(keys, self._read(outcome.answer, len(keys)), strict=True))
            else:
                self.reasons |= dict.fromkeys(keys, outcome.failure or tr("no answer"))
                failed += keys if len(keys) > 1 and outcome.rejected is not None else []
        return batch, failed


@dataclass(frozen=True, slots=True)
class JudgePreview:
    """The first prompt, the number of requests and of cache hits, and an estimate of the rest.

    ``expected`` are estimated tokens: answers have the length of the form, or ``max_tokens``.
    ``thousand`` is the usage of 1,000 segments of a system, cache hits included.
    """

    prompt: str
    fingerprint: str
    requests: int
    kept: int
    expected: Usage
    thousand: Mapping[str, float]
    prices: Prices | None

    @property
    def summary(self) -> str:
        """The counts in one line."""
        used = self.expected
        cost = "" if self.prices is None else f", cost about {self.prices.cost(used):.4f}"
        return (
            f"{counted(self.requests, 'request')}, {self.kept} of them answered earlier; "
            f"the others take about {used.prompt_tokens} prompt tokens and "
            f"{used.completion_tokens} answered tokens{cost}; "
            "1,000 segments of a system take about "
            f"{self.thousand['prompt_tokens']:.0f} and {self.thousand['completion_tokens']:.0f}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        named = fields_json(self, "prompt", "fingerprint", "requests", "kept")
        estimated = self.expected.to_json(self.prices)
        return named | {"estimated": estimated, "per_1000_segments": dict(self.thousand)}


def per_thousand(used: Usage, runs: Iterable[Run], prices: Prices | None) -> dict[str, float]:
    """Scale tokens, and cost if prices are known, to 1,000 outputs."""
    outputs = sum(bool(text.strip()) for run in runs for text in run.texts)
    whole = used.to_json(prices)
    names = [name for name in ("prompt_tokens", "completion_tokens", "cost") if name in whole]
    return {name: whole[name] * 1000 / outputs if outputs else math.nan for name in names}


def preview_questions(
    asked: Sequence[tuple[Sequence[JudgeQuestion], JudgeSettings]],
    runs: Sequence[Run],
    client: ChatClient,
) -> JudgePreview:
    """Count the requests of questions; equal requests are asked once."""
    unique = {
        request.key(): (request, _expected(request, len(question.places), settings.prompt))
        for questions, settings in asked
        for question in questions
        for request in requests_of(question, settings)
    }
    left = [usage for request, usage in unique.values() if client.recall(request) is None]
    first = next((request for request, _ in unique.values()), None)
    whole, prices = Usage.total(usage for _, usage in unique.values()), client.settings.prices
    return JudgePreview(
        "" if first is None else "\n\n".join(one.content for one in first.messages),
        "+".join(settings.prompt.fingerprint for _, settings in asked),
        len(unique),
        len(unique) - len(left),
        Usage.total(left),
        per_thousand(whole, runs, prices),
        prices,
    )


def _expected(request: ChatRequest, segments: int, prompt: Prompt) -> Usage:
    open_ended = 0 if request.max_tokens else segments * prompt.answer_tokens
    return worst_case(request) + Usage(completion_tokens=open_ended)
