"""patmark claims judge: judge drafts of claims with a language model, as patmark judge --claims."""

from __future__ import annotations

from patmark.app.cli.claims.score import Drafts
from patmark.app.cli.judge import (
    Asked,
    JudgeInputs,
    JudgeModel,
    JudgeOutput,
    Shown,
    judge as judge_any,
)
from patmark.app.cli.options import Resampling, Service, Spending
from patmark.app.cli.output import Output
from patmark.options import group


@group
class ClaimJudge(Asked):
    """The judge and its samples."""

    pairwise: bool = False
    """Compare each pair of drafts in both orders instead of rating single drafts."""


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
    """Judge drafts of claims with a language model: completeness, clarity, consistency, linkage.

    Examples:

      patmark claims judge --ref granted.txt --hyp A=a.txt --hyp B=b.txt
      --base-url http://localhost:8000/v1 --model my-model

      patmark claims judge --pairs pairs.json --base-url https://api.example.com/v1 --model m
      --samples 5 --max-tokens 200 --price-in 2.5 --price-out 10 --budget-cost 20 --save judged.json

      patmark claims judge --pairs pairs.json --pairwise --base-url http://localhost:8000/v1
      --model m --save compared.json

      patmark claims meta pairs.json --scores judged.json --scores compared.json
    """
    judge_any(
        asked=asked,
        judged=JudgeInputs(
            claims=True,
            ref=() if drafts.ref is None else (drafts.ref,),
            hyp=drafts.hyp,
            pairs=drafts.pairs,
        ),
        shown=Shown(scheme="pairwise" if asked.pairwise else "direct"),
        model=model,
        service=service,
        spending=spending,
        sampling=sampling,
        output=JudgeOutput(**output.changed()),
    )
