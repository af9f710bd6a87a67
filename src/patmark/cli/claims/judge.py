"""patmark claims judge: a language model rates drafts of claims."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from patmark.cli.claims.score import Drafts
from patmark.cli.options import Model, Resampling, Service, Spending, warn_of_endpoint
from patmark.cli.output import Output, deliver, print_json, progress_bar, say
from patmark.options import Options, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.judge import JudgeSettings
    from patmark.llm import ChatClient


@group
class Judge(Options, heading="Judge"):
    """Who judges, and how often."""

    base_url: str
    """An OpenAI-compatible endpoint, such as http://localhost:8000/v1."""
    model: str
    """The model, as the endpoint calls it."""
    samples: Annotated[int, at_least(1)] = 5
    """How often each draft is judged."""
    name: str = "LLMJudge"
    """The name of the judge in scores."""
    dry_run: bool = False
    """Ask nothing: show the prompt and what it would take."""


@group
class JudgeModel(Model):
    """How the model is asked."""

    temperature: float | None = 1.0
    """How freely the model answers, 0–2."""
    model_seed: int | None = None
    """A seed for the model; sample i is sent this plus i."""
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
    """Let a language model rate drafts of claims: completeness, clarity, consistency, linkage.

    Examples:

      patmark claims judge --ref granted.txt --hyp A=a.txt --hyp B=b.txt
      --base-url http://localhost:8000/v1 --model my-model

      patmark claims judge --pairs pairs.json --base-url https://api.example.com/v1 --model m
      --samples 5 --max-tokens 200 --price-in 2.5 --price-out 10 --budget-cost 20 --save judged.json
    """
    from patmark.judge import JudgeSettings

    output.check(drafts.check())
    settings = JudgeSettings(
        asked.model,
        asked.samples,
        1.0 if model.temperature is None else model.temperature,
        model.max_tokens,
        model.model_seed,
        model.extra_fields,
        asked.name,
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
    from patmark.judge import judge_claims

    with progress_bar(output.quiet, "judging ") as bar:
        judged = judge_claims(
            test_set,
            runs,
            client,
            asked,
            None if bar is None else lambda done, total: bar(asked.model, done, total),
            sampling.settings,
        )
    deliver(judged, output)
    if judged.failures:
        first = judged.failures[0]
        say(f"patmark: {len(judged.failures)} samples have no scores; the first: {first.reason}")
        sys.exit(1)


def _preview(
    test_set: TestSet,
    runs: tuple[Run, ...],
    client: ChatClient,
    asked: JudgeSettings,
    as_json: bool,
) -> None:
    from patmark.judge import preview

    seen = preview(test_set, runs, client, asked)
    if as_json:
        print_json(seen.to_json())
    else:
        print(seen.prompt)
        say(seen.summary)
