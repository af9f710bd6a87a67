"""patmark claims judge: a language model rates drafts of claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from patmark.cli import claims_drafts as drafts, endpoint_options as common, options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver, progress_bar, say

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.judge import JudgeSettings
    from patmark.llm import ChatClient

_BaseUrl: TypeAlias = Annotated[
    str, typer.Option(help="An OpenAI-compatible endpoint, such as http://localhost:8000/v1.")
]
_Model: TypeAlias = Annotated[str, typer.Option(help="The model, as the endpoint calls it.")]
_Samples: TypeAlias = Annotated[int, typer.Option(min=1, help="How often each draft is judged.")]
_Temperature: TypeAlias = Annotated[float, typer.Option(help="How freely the model answers, 0–2.")]
_MaxTokens: TypeAlias = Annotated[
    int | None, typer.Option(help="The longest answer (default: the server's).")
]
_ModelSeed: TypeAlias = Annotated[
    int | None, typer.Option(help="A seed for the model; sample i is sent this plus i.")
]
_Extra: TypeAlias = Annotated[
    str | None, typer.Option(metavar="JSON", help="More fields of the request, a JSON object.")
]
_Name: TypeAlias = Annotated[str, typer.Option(help="The name of the judge in scores.")]
_Concurrency: TypeAlias = Annotated[int, typer.Option(help="Requests under way at once.")]
_Timeout: TypeAlias = Annotated[float, typer.Option(help="Seconds to wait for an answer.")]
_Retries: TypeAlias = Annotated[
    int, typer.Option(help="Retries after failed requests, with growing waits.")
]
_Reasks: TypeAlias = Annotated[
    int, typer.Option(help="How often to ask again when an answer cannot be read.")
]
_DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Ask nothing: show the prompt and what it would take.")
]


def judge(
    base_url: _BaseUrl,
    model: _Model,
    ref: drafts.Reference = None,
    hyp: drafts.Drafts = None,
    pairs: drafts.Pairs = None,
    api_key_env: common.KeyEnv = None,
    api_key_keyring: common.KeyRing = None,
    samples: _Samples = 5,
    temperature: _Temperature = 1.0,
    max_tokens: _MaxTokens = None,
    model_seed: _ModelSeed = None,
    extra: _Extra = None,
    name: _Name = "LLMJudge",
    cache: common.Cache = None,
    no_cache: common.NoCache = False,
    concurrency: _Concurrency = 8,
    timeout: _Timeout = 120.0,
    retries: _Retries = 6,
    reasks: _Reasks = 2,
    budget_tokens: common.BudgetTokens = None,
    budget_cost: common.BudgetCost = None,
    price_in: common.PriceIn = None,
    price_out: common.PriceOut = None,
    dry_run: _DryRun = False,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    by: given.By = None,
    segments: given.Segments = None,
    save: given.Save = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Let a language model rate drafts of claims: completeness, clarity, consistency, linkage.

    Examples:

      patmark claims judge --ref granted.txt --hyp A=a.txt --hyp B=b.txt
      --base-url http://localhost:8000/v1 --model my-model

      patmark claims judge --pairs pairs.json --base-url https://api.example.com/v1 --model m
      --samples 5 --max-tokens 200 --price-in 2.5 --price-out 10 --budget-cost 20 --save judged.json
    """
    from patmark.evaluation import Settings
    from patmark.judge import JudgeSettings
    from patmark.llm import ChatClient, ClientSettings, RetryPolicy

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    outputs.check(drafts.paths(ref, hyp or [], pairs))
    sampling = Settings(resamples, seed, by)
    asked = JudgeSettings(
        model, samples, temperature, max_tokens, model_seed, common.extra_fields(extra), name
    )
    prices = common.token_prices(price_in, price_out)
    budget = common.budget_of(budget_tokens, budget_cost, prices)
    policy = RetryPolicy(retries=retries)
    limits = ClientSettings(concurrency, timeout, reasks, policy, budget, prices)
    endpoint = common.endpoint_with_key(base_url, api_key_env, api_key_keyring)
    client = ChatClient(endpoint, common.kept_answers(cache, no_cache), limits)
    test_set, runs = drafts.read(ref, hyp or [], pairs)
    if dry_run:
        refuse("with --dry-run", dict.fromkeys(outputs.paths, True))
        _preview(test_set, runs, client, asked, as_json)
    else:
        common.warn_of_endpoint(endpoint, "claims")
        _judge(test_set, runs, client, asked, sampling, outputs)


def _judge(
    test_set: TestSet, runs: tuple[Run, ...], client: ChatClient, asked: JudgeSettings,
    sampling: Any, outputs: Outputs,
) -> None:  # fmt: skip
    from patmark.evaluation import LEFT_OUT, ScoreFacts
    from patmark.judge import judge_claims

    with progress_bar(outputs.quiet) as bar:
        judged = judge_claims(
            test_set, runs, client, asked,
            None if bar is None else lambda done, total: bar(asked.model, done, total),
            sampling,
        )  # fmt: skip
    facts = ScoreFacts.of(test_set, runs, LEFT_OUT)
    deliver(
        judged.to_report(), judged.to_json(), judged.scores, test_set.documents, outputs,
        facts=facts,
    )  # fmt: skip
    if judged.failures:
        first = judged.failures[0]
        say(f"patmark: {len(judged.failures)} samples have no scores; the first: {first.reason}")
        raise typer.Exit(1)


def _preview(
    test_set: TestSet, runs: tuple[Run, ...], client: ChatClient, asked: JudgeSettings,
    as_json: bool,
) -> None:  # fmt: skip
    from patmark.judge import preview

    seen = preview(test_set, runs, client, asked)
    if as_json:
        from patmark.report import to_json_text

        print(to_json_text(seen.to_json()))
    else:
        print(seen.prompt)
        say(seen.summary)
