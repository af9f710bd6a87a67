"""patmark human report and convert: rankings, and conversion of formats."""

from __future__ import annotations

from patmark.app import commands
from patmark.app.cli.output import Output, Quiet, check_files, deliver, wrote


def report(request: commands.human.HumanReportRequest, output: Output) -> None:
    """Rank systems by human judgements, and report the reliability of the evaluators.

    Examples:

      patmark human report judgements.csv

      patmark human report e1.csv e2.csv e3.csv --systems atlas,borealis --html human.html

      patmark human report answers.csv --scale clarity=1..7 --save human.json.gz

      patmark human report mqm.tsv --weights wmt --html errors.html
    """
    output.check([*request.files, request.manifest, request.testset])
    deliver(commands.human.report_judgements(request), output)


def convert(request: commands.human.ConvertRequest, output: Quiet) -> None:
    """Convert judgements to another format.

    csv and jsonl hold the judgements. mt-metrics-eval is a folder of texts and human scores;
    pearmut is a campaign with the same texts, criteria and number of evaluators, for a new round.
    Both need the texts, as for patmark score.

    Error annotations are converted between annotations (our own JSON Lines), wmt-mqm, label-studio
    and pearmut-log; texts are needed if the file has none.

    Examples:

      patmark human convert answers.jsonl judgements.csv --to csv

      patmark human convert judgements.csv folder --to mt-metrics-eval --src s.ja --ref r.en
      --hyp atlas.en --hyp borealis.en --lang ja-en

      patmark human convert mqm.tsv annotations.jsonl --to annotations
    """
    check_files([request.target], request.paths)
    output.say(*commands.human.convert(request), wrote(request.target))
