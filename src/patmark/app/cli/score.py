"""patmark score: scores of translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.options import (
    LISTED_FILES,
    Data,
    GateOptions,
    Imported,
    JudgeService,
    MeasureChoice,
    OwnOptions,
    ProtocolChoice,
    Resampling,
    Spending,
    teller,
)
from patmark.app.cli.output import Output, deliver, progress_bar
from patmark.options import Parameter

if TYPE_CHECKING:
    from patmark.evaluation import GatePlan, Protocol


def score(
    *results: Annotated[str, Parameter(help=LISTED_FILES)],
    data: Data = Data(),
    protocol: ProtocolChoice = ProtocolChoice(),
    own: OwnOptions = OwnOptions(),
    choice: MeasureChoice = MeasureChoice(),
    imported: Imported = Imported(),
    judge: JudgeService = JudgeService(),
    spending: Spending = Spending(),
    sampling: Resampling = Resampling(),
    gates: GateOptions = GateOptions(),
    output: Output = Output(),
) -> None:
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
    from patmark.app.commands import ScoreRequest, score_translations

    output.check(
        [*data.check(results, imported.files), *choice.glossary, gates.baseline, gates.calibration],
        gates.junit,
    )
    settings = sampling.settings
    plan = gates.read(settings)
    request = ScoreRequest(
        **protocol.request(results, own, data, choice, imported, judge.connected(spending)),
        gates=plan,
        detailed=bool(output.html),
        sampling=settings,
    )
    with judge.asking(), progress_bar(output.quiet, "scoring ") as progress:
        result = score_translations(request, teller(output.quiet), progress)
    deliver(result, output, plan=plan, junit=gates.junit)


def score_files(
    results: Sequence[str],
    data: Data,
    protocol: Protocol,
    plan: GatePlan | None,
    junit: str | None,
    output: Output,
) -> None:
    """Read translations, score them and show the result, as the last step of patmark run."""
    from patmark.app.commands import score_with

    with progress_bar(output.quiet, "scoring ") as progress:
        inputs = data.inputs(results)
        result = score_with(protocol, inputs, plan, teller(output.quiet), progress)
    deliver(result, output, plan=plan, junit=junit)
