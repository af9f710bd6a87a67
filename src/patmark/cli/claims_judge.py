"""patmark claims judge: a language model rates drafts of claims."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from patmark.cli import claims_drafts as drafts
from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver, progress_bar, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.claims.judge import JudgeSettings
    from patmark.data import Run, TestSet
    from patmark.llm import AnswerCache, ChatClient, ClientSettings, Endpoint

_BaseUrl: TypeAlias = Annotated[
    str, typer.Option(help="An OpenAI-compatible endpoint, such as http://localhost:8000/v1.")
]
_Model: TypeAlias = Annotated[str, typer.Option(help="The model, as the endpoint calls it.")]
_KeyEnv: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The environment variable with the API key (api.openai.com: OPENAI_API_KEY; "
        "others: none).",
    ),
]
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
_Cache: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The folder of kept answers (default: patmark/llm in the user's cache)."),
]
_NoCache: TypeAlias = Annotated[bool, typer.Option("--no-cache", help="Keep no answers.")]
_Concurrency: TypeAlias = Annotated[int, typer.Option(help="Requests under way at once.")]
_Timeout: TypeAlias = Annotated[float, typer.Option(help="Seconds to wait for an answer.")]
_Retries: TypeAlias = Annotated[
    int, typer.Option(help="Retries after failed requests, with growing waits.")
]
_Reasks: TypeAlias = Annotated[
    int, typer.Option(help="How often to ask again when an answer cannot be read.")
]
_BudgetTokens: TypeAlias = Annotated[
    int | None, typer.Option(help="Stop before more tokens are used; needs --max-tokens.")
]
_BudgetCost: TypeAlias = Annotated[
    float | None, typer.Option(help="Stop before more money is spent; needs prices.")
]
_PriceIn: TypeAlias = Annotated[
    float | None, typer.Option(help="Price of a million prompt tokens.")
]
_PriceOut: TypeAlias = Annotated[
    float | None, typer.Option(help="Price of a million answered tokens.")
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
    api_key_env: _KeyEnv = None,
    samples: _Samples = 5,
    temperature: _Temperature = 1.0,
    max_tokens: _MaxTokens = None,
    model_seed: _ModelSeed = None,
    extra: _Extra = None,
    name: _Name = "LLMJudge",
    cache: _Cache = None,
    no_cache: _NoCache = False,
    concurrency: _Concurrency = 8,
    timeout: _Timeout = 120.0,
    retries: _Retries = 6,
    reasks: _Reasks = 2,
    budget_tokens: _BudgetTokens = None,
    budget_cost: _BudgetCost = None,
    price_in: _PriceIn = None,
    price_out: _PriceOut = None,
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
    from patmark.claims.judge import JudgeSettings
    from patmark.llm import ChatClient, Endpoint
    from patmark.protocols import Settings

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    outputs.check(drafts.paths(ref, hyp or [], pairs))
    sampling = Settings(resamples, seed, by)
    asked = JudgeSettings(model, samples, temperature, max_tokens, model_seed, _fields(extra), name)
    limits = _limits(
        (concurrency, timeout, retries, reasks), (budget_tokens, budget_cost),
        (price_in, price_out),
    )  # fmt: skip
    endpoint = Endpoint.with_key_from(base_url, api_key_env)
    client = ChatClient(endpoint, _kept(cache, no_cache), limits)
    test_set, runs = drafts.read(ref, hyp or [], pairs)
    if dry_run:
        refuse("with --dry-run", dict.fromkeys(outputs.paths, True))
        _preview(test_set, runs, client, asked, as_json)
    else:
        _warn(endpoint, api_key_env)
        _judge(test_set, runs, client, asked, sampling, outputs)


def _warn(endpoint: Endpoint, api_key_env: str | None) -> None:
    """Say what a user may not expect of keys and of open connections."""
    from patmark.llm.endpoint import DEFAULT_KEY

    if api_key_env is None and not endpoint.owns_default_key and os.environ.get(DEFAULT_KEY):
        say(
            f"patmark: {DEFAULT_KEY} is not sent to {endpoint.shown}; --api-key-env names the "
            "variable of a key that is meant for it"
        )
    if endpoint.is_readable_on_the_way:
        what = "claims and the API key" if endpoint.api_key else "claims"
        say(f"patmark: {endpoint.shown} is not encrypted: {what} can be read on the way")


def _fields(extra: str | None) -> dict[str, Any]:
    from patmark.data.records import json_object

    try:
        return {} if extra is None else json_object(extra)
    except ValueError as error:
        raise UsageError(f"--extra: {error}") from None


def _limits(
    run: tuple[int, float, int, int], budget: tuple[int | None, float | None],
    prices: tuple[float | None, float | None],
) -> ClientSettings:  # fmt: skip
    from patmark.llm import Budget, ClientSettings, Prices, RetryPolicy

    concurrency, timeout, retries, reasks = run
    price_in, price_out = prices
    if (price_in is None) != (price_out is None):
        raise UsageError("--price-in and --price-out go together")
    known = None if price_in is None or price_out is None else Prices(price_in, price_out)
    if budget[1] is not None and known is None:
        raise UsageError("--budget-cost needs --price-in and --price-out")
    return ClientSettings(
        concurrency, timeout, reasks, RetryPolicy(retries=retries), Budget(*budget), known
    )


def _kept(cache: str | None, no_cache: bool) -> AnswerCache:
    from patmark.llm import DiskCache, MemoryCache, default_cache_folder

    if no_cache:
        refuse("with --no-cache", {"--cache": cache})
        return MemoryCache()
    return DiskCache(cache or default_cache_folder())


def _judge(
    test_set: TestSet, runs: tuple[Run, ...], client: ChatClient, asked: JudgeSettings,
    sampling: Any, outputs: Outputs,
) -> None:  # fmt: skip
    from patmark.claims.judge import judge_claims
    from patmark.protocols.judged_claims import JudgedClaims
    from patmark.protocols.score_facts import LEFT_OUT, ScoreFacts

    with progress_bar(outputs.quiet) as bar:
        result = judge_claims(
            test_set, runs, client, asked,
            None if bar is None else lambda done, total: bar(asked.model, done, total),
        )  # fmt: skip
    judged = JudgedClaims(result, runs, sampling)
    facts = ScoreFacts.of(test_set, runs, LEFT_OUT)
    deliver(
        judged.to_report(), judged.to_json(), result.scores, test_set.documents, outputs,
        facts=facts,
    )  # fmt: skip
    if result.failures:
        first = result.failures[0]
        say(f"patmark: {len(result.failures)} samples have no scores; the first: {first.reason}")
        raise typer.Exit(1)


def _preview(
    test_set: TestSet, runs: tuple[Run, ...], client: ChatClient, asked: JudgeSettings,
    as_json: bool,
) -> None:  # fmt: skip
    from patmark.claims.judge_preview import preview

    seen = preview(test_set, runs, client, asked)
    if as_json:
        print(json.dumps(seen.to_json(), ensure_ascii=False, indent=2))
    else:
        print(seen.prompt)
        say(seen.summary)
