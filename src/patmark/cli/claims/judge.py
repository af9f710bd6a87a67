"""patmark claims judge: a language model judges drafts of claims, as patmark judge --claims."""

from __future__ import annotations

from patmark.cli.claims.score import Drafts
from patmark.cli.judge import Asked, JudgeModel, default_name, judge_texts
from patmark.cli.options import Resampling, Service, Spending
from patmark.cli.output import Output
from patmark.options import group


@group
class ClaimJudge(Asked):
    """Who judges, and how often."""

    pairwise: bool = False
    """Compare every two drafts in both orders, instead of rating each."""


def judge(
    *,
    asked: ClaimJudge,
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
    from patmark.judge import PAIRWISE, RATING

    output.check([*drafts.check(), *asked.paths])
    scheme = "pairwise" if asked.pairwise else "direct"
    prompt = asked.asking(PAIRWISE if asked.pairwise else RATING)
    settings = model.settings(asked, prompt, default_name(True, scheme, asked.model))
    client = model.client(asked, service, spending)
    test_set, runs = drafts.read()
    judge_texts(test_set, runs, client, settings, sampling, output, dry_run=asked.dry_run)
