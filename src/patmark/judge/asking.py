"""Ask a judge: every question several times, read strictly, each bad answer counted by its kind.

A question is about one place or, in batches, about several. What cannot be read is asked again; a
batch of which that is true in the end is asked once more, one segment at a time. What still has no
answer is listed with the reason and left out. Answers are kept by the client, so that the same
questions after a stop ask only for the rest and give the same result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from patmark.data import Run, TestSet, counted
from patmark.errors import UsageError
from patmark.judge.criteria import OVERALL
from patmark.judge.parsing import UnusableAnswer
from patmark.judge.prompt import RATING, Prompt
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
from patmark.wording import tr

ValueT = TypeVar("ValueT")
Place: TypeAlias = tuple[int, ...]
"""What a value belongs to: a system, or two and their order; and last the segment."""
Shown: TypeAlias = Mapping[Place, Sequence[Run]]
"""The run, or the two in their order, that are shown at places that begin so."""
Read: TypeAlias = Callable[[ChatAnswer, int], Sequence[ValueT]]
"""The values of so many segments in an answer."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What is asked: the model, how often per output, how freely it may answer, in which words.

    With a ``seed``, each sample sends another one, so that samples differ and can be repeated.
    """

    model: str
    samples: int = 5
    temperature: float | None = 1.0
    max_tokens: int | None = None
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    name: str = "LLMJudge"
    prompt: Prompt = RATING

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"a {self.prompt.subject.one} needs at least one sample")
        if not self.name.strip():
            raise UsageError("the name of the judge is empty")

    @property
    def aspects(self) -> tuple[str, ...]:
        """What gets a score; the overall quality comes last."""
        return self.prompt.aspects

    @property
    def shown(self) -> tuple[str, ...]:
        """The same with the overall quality first."""
        return (self.aspects[-1], *self.aspects[:-1])

    def measure(self, aspect: str) -> str:
        """The name of a score: that of the judge alone for the overall quality."""
        if aspect == OVERALL:
            return self.name
        if self.name.endswith(")"):
            return f"{self.name[:-1]},criterion={aspect})"
        return f"{self.name}(criterion={aspect})"


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """What is asked, about which places."""

    places: tuple[Place, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Answers(Generic[ValueT]):
    """Values by place and sample, counted from 0, and the reasons where there is none.

    ``unusable`` counts answers that could not be read by kind, those that were mended by asking
    again included.
    """

    values: Mapping[tuple[Place, int], ValueT]
    reasons: Mapping[tuple[Place, int], str]
    unusable: Mapping[str, int]
    batch: Batch
    absent: str
    prices: Prices | None = None

    def reason(self, place: Place, sample: int) -> str:
        """Why there is no value; what is ``absent`` was not asked about."""
        return self.reasons.get((place, sample), self.absent)


def check_outputs(test_set: TestSet, runs: Sequence[Run], prompt: Prompt) -> None:
    """Refuse what cannot be judged."""
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
    """Every run by itself."""
    return {(system,): [run] for system, run in enumerate(runs)}


def answered_segments(runs: Iterable[Run]) -> list[int]:
    """The segments for which each of some runs has an output."""
    rows = zip(*(run.texts for run in runs), strict=True)
    return [at for at, texts in enumerate(rows) if all(text.strip() for text in texts)]


def questions_of(test_set: TestSet, shown: Shown, prompt: Prompt) -> list[JudgeQuestion]:
    """All that will be asked, as many segments at once as the prompt says.

    Everything about a segment comes before the next one, so that a run that ends early can be
    compared. Outputs that are missing or empty are not asked about.
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
    """The same question once for each sample; its number makes it a request of its own."""
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
    """Ask about everything that is shown."""
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
    return Answers(run.values, run.reasons, unusable, batch, absent, client.settings.prices)


class _Asking(Generic[ValueT]):
    """What the rounds of asking share: what was read so far, and what could not be."""

    def __init__(self, client: ChatClient, settings: JudgeSettings, read: Read[ValueT]) -> None:
        self._client, self._settings, self._read = client, settings, read
        self.values: dict[tuple[Place, int], ValueT] = {}
        self.reasons: dict[tuple[Place, int], str] = {}
        self.unusable: Counter[str] = Counter()

    def round(
        self, asked: Sequence[tuple[JudgeQuestion, int | None]], progress: Progress | None
    ) -> tuple[Batch, list[tuple[Place, int]]]:
        """Ask questions, all samples or one of each; and what is to be asked singly."""
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
    """The first prompt, how many requests there are, how many are answered, and what is left.

    ``expected`` are estimated tokens: answers have the length of the form unless max_tokens gives
    a limit, which is then taken as the length. ``thousand`` is what 1,000 segments of a system
    take, those that are answered included.
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
        """The machine-readable form."""
        return {
            "prompt": self.prompt,
            "fingerprint": self.fingerprint,
            "requests": self.requests,
            "kept": self.kept,
            "estimated": self.expected.to_json(self.prices),
            "per_1000_segments": dict(self.thousand),
        }


def per_thousand(used: Usage, runs: Iterable[Run], prices: Prices | None) -> dict[str, float]:
    """Tokens, and money where prices are known, for 1,000 outputs, from what all of them took."""
    outputs = sum(bool(text.strip()) for run in runs for text in run.texts)
    whole = used.to_json(prices)
    names = [name for name in ("prompt_tokens", "completion_tokens", "cost") if name in whole]
    return {name: whole[name] * 1000 / outputs if outputs else math.nan for name in names}


def preview(
    asked: Sequence[tuple[Sequence[JudgeQuestion], JudgeSettings]],
    runs: Sequence[Run],
    client: ChatClient,
) -> JudgePreview:
    """Count what would be asked; equal requests are asked once."""
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
    """What a request is expected to use."""
    open_ended = 0 if request.max_tokens else segments * prompt.answer_tokens
    return worst_case(request) + Usage(completion_tokens=open_ended)
