"""patmark score: how good are these translations?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import (
    LISTED_FILES,
    Choice,
    Data,
    Gates,
    Imported,
    JudgeService,
    OwnOptions,
    Protocol,
    Resampling,
    Spending,
    check_gates,
    guessed,
)
from patmark.cli.output import Output, deliver, progress_bar
from patmark.options import Parameter

if TYPE_CHECKING:
    from patmark.evaluation import GatePlan, Protocol as Judging


def score(
    *results: Annotated[str, Parameter(help=LISTED_FILES)],
    data: Data = Data(),
    protocol: Protocol = Protocol(),
    own: OwnOptions = OwnOptions(),
    choice: Choice = Choice(),
    imported: Imported = Imported(),
    judge: JudgeService = JudgeService(),
    spending: Spending = Spending(),
    sampling: Resampling = Resampling(),
    gates: Gates = Gates(),
    output: Output = Output(),
) -> None:
    """Score translations, every number with a confidence interval and a signature.

    Examples:

      patmark score mine.txt reference.txt source.txt

      patmark score results.jsonl --protocol patsnap --lang zh-en

      patmark score --hyp mine.txt --ref ref.txt --lang ja-en

      patmark score --hyp A=a.txt --hyp B=b.txt --ref r1.txt --ref r2.txt --src s.txt
      --docs d.txt --lang zh-en --measures BLEU,RIBES,numbers --html report.html

      patmark score --hyp A=a.txt --ref r.txt --lang zh-en --measures BLEU --scores COMET=comet.json

      patmark score --hyp A=a.txt --src s.txt --lang zh-en --measures 'Judge(model=m,scheme=mqm)'
      --base-url http://localhost:8000/v1

    Files may be gzip or zst; - is stdin. A name and a file are joined by =: NAME=FILE.
    """
    output.check([*data.check(results, imported.files), gates.baseline], gates.junit)
    results, data, protocol = guessed(results, data, protocol, output.quiet)
    settings, service = sampling.settings, judge.connected(spending)
    chosen = protocol.chosen(own, data, choice, settings, output, imported, service)
    with judge.asking():
        score_files(results, data, chosen, gates.read(settings), gates.junit, output)


def score_files(
    results: Sequence[str],
    data: Data,
    protocol: Judging,
    plan: GatePlan | None,
    junit: str | None,
    output: Output,
) -> None:
    """Read translations, score them and show the result; patmark run ends in this too."""
    test_set, runs = data.read_for(protocol, results)
    check_gates(plan, protocol, test_set, [run.system for run in runs])
    with progress_bar(output.quiet, "scoring ") as progress:
        result = protocol.score(test_set, runs, progress)
    deliver(result, output, plan=plan, junit=junit)
