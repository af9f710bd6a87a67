"""Ask a judge: every question several times, with unusable answers counted by kind.

A question is about one place or, in batches, about several. An unusable answer is asked for again.
A batch without a usable answer in the end is asked once more, one segment at a time. Places without
an answer are listed with the reason and left out. The client caches answers, so that a run that was
stopped asks only for the rest and gives the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from patmark.data import Run, TestSet
from patmark.errors import UsageError
from patmark.llm import (
    Batch,
    ChatAnswer,
    ChatClient,
    ChatRequest,
    Message,
    Prices,
    Progress,
)
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
