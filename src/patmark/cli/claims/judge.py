"""patmark claims judge: a language model rates drafts of claims."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated

from patmark.cli.claims.score import Drafts
from patmark.cli.options import Model, Resampling, Service, Spending, warn_of_endpoint
from patmark.cli.output import Output, deliver, print_json, progress_bar, say
from patmark.options import Options, Parameter, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.judge import JudgePrompt, JudgeSettings
    from patmark.llm import ChatClient, ChatRequest


@group
class Judge(Options, heading="Judge"):
    """Who judges, and how often."""

    base_url: str
    """An OpenAI-compatible endpoint, such as http://localhost:8000/v1."""
    model: str
    """The model, as the endpoint calls it."""
    pairwise: bool = False
    """Compare every two drafts in both orders, instead of rating each."""
    prompt: Annotated[str | None, Parameter(metavar="FILE")] = None
    """A prompt of your own: .toml, or text with the gaps {reference} and {draft}; with --pairwise
    {reference}, {first} and {second}. {criteria}, {form} and {mark} may be used too."""
    samples: Annotated[int, at_least(1)] = 5
    """How often each draft is judged; with --pairwise, each order."""
    name: str | None = None
    """The name of the judge in scores (default: LLMJudge; with --pairwise, LLMJudge-pairwise)."""
    dry_run: bool = False
    """Ask nothing: show the prompt and what it would take."""

    @property
    def question(self) -> JudgePrompt:
        """What the model is asked: to rate or to compare, in our words or in those of the user."""
        from patmark.judge import PAIRWISE, RATING

        ours = PAIRWISE if self.pairwise else RATING
        return ours if self.prompt is None else ours.in_words_of(self.prompt)

    @property
    def measure(self) -> str:
        """The name of the judge in scores."""
        if self.name is not None:
            return self.name
        return "LLMJudge-pairwise" if self.pairwise else "LLMJudge"


@group
class JudgeModel(Model):
    """How the model is asked."""

    temperature: float | None = 1.0
    """How freely the model answers, 0–2."""
    max_tokens: int | None = None
    """The longest answer (default: the model's)."""
    model_seed: int | None = None
    """A seed for the model; sample i is sent this plus i."""
    extra: Annotated[str | None, Parameter(metavar="JSON")] = None
    """More fields of the request, a JSON object."""
    reasks: int | None = 2
    """How often to ask again when an answer cannot be read."""


def judge(
    *,
    asked: Judge,
    drafts: Drafts = Drafts(),
    model: JudgeModel = JudgeModel(),
    service: Service = Service(),
    spending: Spending = Spending(),
    sampling: Resampling = Resampling(),
    output: Output = Output(),
) -> None:
    """Let a language model judge drafts of claims: completeness, clarity, consistency, linkage.

    Examples:

      patmark claims judge --ref granted.txt --hyp A=a.txt --hyp B=b.txt
      --base-url http://localhost:8000/v1 --model my-model

      patmark claims judge --pairs pairs.json --base-url https://api.example.com/v1 --model m
      --samples 5 --max-tokens 200 --price-in 2.5 --price-out 10 --budget-cost 20 --save judged.json

      patmark claims judge --pairs pairs.json --pairwise --base-url http://localhost:8000/v1
      --model m --save compared.json

      patmark claims meta pairs.json --scores judged.json --scores compared.json
    """
    from patmark.judge import JudgeSettings

    output.check([*drafts.check(), asked.prompt])
    settings = JudgeSettings(
        asked.model,
        asked.samples,
        1.0 if model.temperature is None else model.temperature,
        model.max_tokens,
        model.model_seed,
        model.extra_fields,
        asked.measure,
        asked.question,
    )
    client = service.client(asked.base_url, spending, 2 if model.reasks is None else model.reasks)
    test_set, runs = drafts.read()
    if asked.dry_run:
        refuse("with --dry-run", dict.fromkeys(output.paths, True))
        _preview(test_set, runs, client, settings, output.json)
    else:
        warn_of_endpoint(client.endpoint, "claims")
        _judge(test_set, runs, client, settings, sampling, output)


def _judge(
    test_set: TestSet,
    runs: tuple[Run, ...],
    client: ChatClient,
    asked: JudgeSettings,
    sampling: Resampling,
    output: Output,
) -> None:
    from patmark.data import counted
    from patmark.judge import judge_claims, judge_pairs

    judging = judge_pairs if asked.prompt.compares else judge_claims
    with progress_bar(output.quiet, "judging ") as bar:
        judged = judging(
            test_set,
            runs,
            client,
            asked,
            None if bar is None else lambda done, total: bar(asked.model, done, total),
            sampling.settings,
        )
    deliver(judged, output)
    if judged.failures:
        left_out = counted(len(judged.failures), "sample")
        say(f"patmark: {left_out} without scores; the first: {judged.failures[0].reason}")
        sys.exit(1)


def _preview(
    test_set: TestSet,
    runs: tuple[Run, ...],
    client: ChatClient,
    asked: JudgeSettings,
    as_json: bool,
) -> None:
    from patmark.judge import judge_requests, pair_requests, preview

    requests: Collection[ChatRequest]
    if asked.prompt.compares:
        requests = pair_requests(test_set, runs, asked).values()
    else:
        requests = judge_requests(test_set, runs, asked).values()
    seen = preview(requests, client, asked)
    if as_json:
        print_json(seen.to_json())
    else:
        print(seen.prompt)
        say(seen.summary)
