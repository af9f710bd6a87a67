"""patmark score: how good are these translations?"""

from __future__ import annotations

from typing import Annotated

from patmark.cli.data import CheckedProtocol, Data
from patmark.cli.gates import Gates
from patmark.cli.options import Choice, Resampling
from patmark.cli.output import Output, deliver, progress_bar
from patmark.cli.parsing import Parameter


def score(
    *results: Annotated[
        str, Parameter(help="PatSnap rows with translations, one file per system.")
    ],
    data: Data = Data(),
    protocol: CheckedProtocol = CheckedProtocol(),
    choice: Choice = Choice(),
    sampling: Resampling = Resampling(),
    gates: Gates = Gates(),
    output: Output = Output(),
) -> None:
    """Score translations, every number with a confidence interval and a signature.

    Examples:

      patmark score results.jsonl --protocol patsnap --direction cn2en

      patmark score --hyp mine.txt --ref ref.txt --lang ja-en

      patmark score --hyp A=a.txt --hyp B=b.txt --ref r1.txt --ref r2.txt --src s.txt
      --docs d.txt --lang zh-en --measures BLEU,RIBES,numbers --html report.html

    Files may be gzip or zst; - is stdin. A name and a file are joined by =: NAME=FILE.
    """
    output.check([*data.check(results), gates.baseline], gates.junit)
    settings = sampling.settings
    chosen = protocol.chosen(data, choice, settings, output)
    plan = gates.read(settings)
    test_set, runs = data.read_for(chosen, results)
    if plan:
        plan.check(chosen.names(test_set), [run.system for run in runs])
        plan.check_baseline(test_set, chosen.signatures(test_set))
    with progress_bar(output.quiet, "scoring ") as progress:
        result = chosen.score(test_set, runs, progress)
    deliver(result, output, plan=plan, junit=gates.junit)
