"""A judge as a measure, ``Judge(model=…,scheme=mqm)``, with the questions of ``patmark judge``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast, get_args

import numpy as np

from patmark.data import (
    NO_RESULT,
    Evidence,
    FloatArray,
    Message,
    Notice,
    Run,
    Side,
    TestSet,
    mean_score,
)
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.llm import Budget, ChatClient, Progress
from patmark.measures import NOT_A_PARAMETER, Judged, MeanMeasure, Measure, one_of
from patmark.report import sentences
from patmark.systems.judge.asking import (
    JudgePreview,
    check_outputs,
    each_run,
    preview_questions,
    questions_of,
)
from patmark.systems.judge.direct import judge_scores
from patmark.systems.judge.marking import JudgedErrors, judge_errors, weights_of
from patmark.systems.judge.pairwise import both_orders, every_two, judge_pairs
from patmark.systems.judge.prompt import JudgeSettings, Scheme
from patmark.systems.judge.result import JudgeResult, without_scores
from patmark.systems.judge.translations import translation_prompt
from patmark.wording import setting, tr

_BOUNDS = {"mqm": (-np.inf, 0.0), "pairwise": (0.0, 1.0)}


@dataclass(frozen=True, kw_only=True)
class Judge(MeanMeasure):
    """Scores of translations by a language model.

    All systems are asked about in one go, segment by segment, so that a budget that ends early
    leaves them comparable. Outputs without an answer, empty ones among them, have no score.
    """

    label: ClassVar[str] = "Judge"
    description: ClassVar[str] = (
        "a language model as judge: scores from 0 to 100 (direct, esa), minus the points of the "
        "errors that it marks (mqm), or the share of comparisons won (pairwise)"
    )
    formula: ClassVar[str] = (
        "mean over samples of the score (direct, esa), of minus the weights of the marks "
        "(mqm), or of comparisons won (pairwise)"
    )
    limits: ClassVar[str] = (
        "Models prefer their own writing, the first place and long texts: try patmark "
        "judge --probe, and hold it against people."
    )
    guide: ClassVar[str] = "judge.md"
    citation: ClassVar[str] = "Kocmi and Federmann 2023 (GEMBA); Liu et al. 2023 (G-Eval)"
    parameters: ClassVar[Mapping[str, str]] = {
        "model": "the model, as the endpoint calls it",
        "scheme": f"{', '.join(get_args(Scheme))}",
        "samples": "how often each output is judged",
        "reference": "show references where there are some",
        "context": "show so many neighbours in the document",
        "batch": "segments that are asked about at once",
        "typology": "kinds of error: patent, wmt or mqm",
        "temperature": "how freely the model answers, 0–2",
        "max_tokens": "the longest answer; 0: as the model has it",
    }
    needs: ClassVar[frozenset[str]] = frozenset({"source"})
    resources: ClassVar[tuple[str, ...]] = ("an endpoint (--base-url)",)
    extra: ClassVar[str] = "llm"

    model: str = ""
    scheme: str = ""
    samples: int = 5
    reference: bool = True
    context: int = 0
    batch: int = 1
    typology: str = "patent"
    temperature: float = 1.0
    max_tokens: int = 0
    client: ChatClient | None = field(
        default=None, repr=False, compare=False, metadata=NOT_A_PARAMETER
    )

    def __post_init__(self) -> None:
        one_of(self.label, "scheme", self.scheme, ("", *get_args(Scheme)))
        one_of(self.label, "typology", self.typology, ("patent", "wmt", "mqm"))
        for name, least in (("samples", 1), ("batch", 1), ("context", 0), ("max_tokens", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{self.label}: {name} must be at least {least}")

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest score, which depend on the scheme."""
        return _BOUNDS.get(self.scheme, (0.0, 100.0))

    def with_service(self, service: ChatClient) -> Measure:
        return replace(self, client=service)

    def settings(self, test_set: TestSet) -> JudgeSettings:
        """Return the settings of the judge for a test set."""
        if not self.model or not self.scheme:
            raise UsageError(
                f"{self.name}: say which model judges, and how: {self.label}(model=NAME,scheme=mqm)"
            )
        prompt = translation_prompt(
            cast("Scheme", self.scheme),
            reference=self.reference and any(test_set.reference_lists),
            context=self.context,
            batch=self.batch,
            typology=self.typology,
        )
        longest = self.max_tokens or None
        return JudgeSettings(
            self.model, self.samples, self.temperature, longest, name=self.name, prompt=prompt
        )

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        settings = self.settings(test_set)
        shown = settings.prompt.parts["reference"]
        weights = {"weights": weights_of(settings).name} if self.scheme == "mqm" else {}
        return {"prompt": settings.prompt.fingerprint, "reference": shown, **weights}

    def check_runs(self, test_set: TestSet, runs: Sequence[Run]) -> None:
        prompt = self.settings(test_set).prompt
        check_outputs(test_set, runs, prompt)
        if prompt.compares:
            every_two(runs, prompt)
        if self._asked().settings.budget != Budget() and not self.max_tokens:
            named = str(replace(self, max_tokens=500))
            raise UsageError(
                f"a budget needs max_tokens, since answers may be of any length: {named}"
            )

    def _asked(self) -> ChatClient:
        if self.client is None:
            raise UsageError(
                f"{self.name} needs an endpoint: {setting('base_url', 'URL')} "
                "(in Python: client=ChatClient(…))"
            )
        return self.client

    def judge_all(
        self,
        test_set: TestSet,
        runs: Sequence[Run],
        progress: Callable[[str, int, int], None] | None = None,
    ) -> list[Judged]:
        advance = None if progress is None else lambda done, whole: progress(self.name, done, whole)
        verdict = judge(test_set, runs, self._asked(), self.settings(test_set), advance)
        statistics = next(iter(verdict.scores.values())).statistics
        evidence = _evidence(verdict)
        messages = tuple(_messages(self.name, verdict))
        return [
            Judged(of_system, evidence[at] if evidence else None, messages)
            for at, of_system in enumerate(statistics)
        ]

    def judge(self, test_set: TestSet, run: Run) -> Judged:
        [judged] = self.judge_all(test_set, [run])
        return judged

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return self.judge(test_set, Run(self.label, hypotheses)).statistics

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return mean_score(self._statistics(test_set, hypotheses))


def _evidence(verdict: JudgeResult) -> list[tuple[tuple[Evidence, ...], ...]]:
    if not isinstance(verdict, JudgedErrors):
        return []
    places = defaultdict[tuple[str, str], list[Evidence]](list)
    for mark in verdict.annotations.marks:
        side: Side = "source" if mark.side == "source" else "hypothesis"
        sample = mark.evaluator.rpartition("#")[2]
        message = tr(
            "{category}, {severity} (sample {sample})",
            category=mark.category,
            severity=mark.severity,
            sample=sample,
        )
        one = Evidence(side, mark.start, mark.end, message, mark.severity)
        places[mark.system, mark.segment].append(one)
    return [
        tuple(tuple(places[system, segment]) for segment in verdict.segments)
        for system in verdict.systems
    ]


def _messages(name: str, verdict: JudgeResult) -> list[Message]:
    spent, prices = verdict.answers.batch.spent, verdict.answers.prices
    asked = tr(
        "Asked now: {prompt} prompt tokens and {answered} answered tokens.",
        prompt=spent.prompt_tokens,
        answered=spent.completion_tokens,
    )
    cost = [tr("Cost: {cost:.4f}.", cost=prices.cost(spent))] if prices else []
    found = [*verdict.findings()]
    if unanswered := without_scores([*verdict.answers.reasons.values()]):
        found.insert(0, Notice("warning", NO_RESULT, unanswered))
    renamed = [replace(one, text=_of(name, one.text)) for one in found]
    return [*renamed, _of(name, sentences(*verdict.notes(), asked, *cost))]


def _of(name: str, text: str) -> str:
    return tr("{name}: {text}", name=name, text=text)


_JUDGING: Mapping[Scheme, Callable[..., JudgeResult]] = {
    "direct": judge_scores,
    "mqm": judge_errors,
    "esa": judge_errors,
    "pairwise": judge_pairs,
}


def judge(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgeResult:
    """Judge all outputs by the scheme of the prompt; ``sampling`` is for intervals."""
    judging = _JUDGING[settings.prompt.scheme]
    return judging(test_set, runs, client, settings, progress, sampling)


def preview_judge(
    test_set: TestSet, runs: Sequence[Run], client: ChatClient, settings: JudgeSettings
) -> JudgePreview:
    """Preview :func:`judge`; ask nothing."""
    prompt = settings.prompt
    check_outputs(test_set, runs, prompt)
    shown = both_orders(runs, every_two(runs, prompt)) if prompt.compares else each_run(runs)
    return preview_questions([(questions_of(test_set, shown, prompt), settings)], runs, client)
