"""patmark score: scores of translations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from patmark.app import commands
from patmark.app.cli.output import (
    Output,
    asking,
    deliver,
    progress_bar,
    teller,
    warn_of_endpoint,
)

if TYPE_CHECKING:
    from patmark.evaluation import GatePlan, Inputs, Protocol


def score(request: commands.ScoreRequest, output: Output) -> None:
    """Score translations, with confidence intervals and signatures.

    Examples:

      patmark score mine.txt reference.txt source.txt

      patmark score results.jsonl --protocol patsnap --lang zh-en

      patmark score --hyp mine.txt --ref ref.txt --lang ja-en

      patmark score --hyp A=a.txt --hyp B=b.txt --ref r1.txt --ref r2.txt --src s.txt
      --docs d.txt --lang zh-en --measures BLEU,RIBES,numbers --html report.html

      patmark score --hyp A=a.txt --src s.txt --ref r.txt --lang zh-en --glossary terms.tbx

      patmark score --hyp A=a.txt --ref r.txt --lang zh-en --measures BLEU --scores COMET=comet.json

      patmark score --hyp A=a.txt --src s.txt --lang zh-en --measures 'Judge(model=m,scheme=mqm)'
      --base-url http://localhost:8000/v1

    Files may be gzip or zst; - is stdin. Give a name as NAME=FILE.
    """
    gates = request.gates
    output.check([*request.paths, gates.baseline, gates.calibration], gates.junit)
    request = replace(request, detailed=bool(output.html))
    plan = request.plan
    warn_of_endpoint(request.service, "translations")
    with asking(request.service), progress_bar(output.quiet, "scoring ") as progress:
        result = commands.score_translations(request, teller(output.quiet), progress)
    deliver(result, output, plan=plan, junit=gates.junit)


def score_files(
    inputs: Inputs, protocol: Protocol, plan: GatePlan | None, junit: str | None, output: Output
) -> None:
    """Read translations, score them and show the result, as the last step of patmark run."""
    with progress_bar(output.quiet, "scoring ") as progress:
        result = commands.score_with(protocol, inputs, plan, teller(output.quiet), progress)
    deliver(result, output, plan=plan, junit=junit)
