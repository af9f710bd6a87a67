"""patmark human report and convert: rankings, and conversion of formats."""

from __future__ import annotations

from typing import Annotated, Any, cast

from patmark.app.cli.options import GradeOptions, PairTests, Resampling, Scales, TextOptions
from patmark.app.cli.output import Output, Quiet, check_files, deliver, wrote
from patmark.options import Options, Parameter, group


@group
class Format(Options, heading="Judgements"):
    """Format of judgements."""

    format: str | None = None
    """csv, preferences, jsonl, label-studio, pearmut, appraise, annotations, wmt-mqm or wmt-esa
    (default: by content)."""


@group
class JudgementOptions(GradeOptions, Format):
    """Format of judgements, and the names that may occur in them."""

    systems: str | None = None
    """Comma-separated names of the systems that may occur."""
    manifest: str | None = None
    """A task manifest; only its runs and segments may occur."""
    testset: str | None = None
    """Test set (JSONL, TSV); only its segments may occur."""


def report(
    *files: Annotated[
        str,
        Parameter(required=True, help="Judgements, preferences or error annotations, in any form."),
    ],
    reading: JudgementOptions = JudgementOptions(),
    tests: PairTests = PairTests(),
    sampling: Resampling = Resampling(),
    output: Output = Output(),
) -> None:
    """Rank systems by human judgements, and report the reliability of the evaluators.

    Examples:

      patmark human report judgements.csv

      patmark human report e1.csv e2.csv e3.csv --systems atlas,borealis --html human.html

      patmark human report answers.csv --scale clarity=1..7 --save human.json.gz

      patmark human report mqm.tsv --weights wmt --html errors.html
    """
    from patmark.app.commands.human import HumanReportRequest, report_judgements

    output.check([*files, reading.manifest, reading.testset])
    request = HumanReportRequest(
        files=files,
        format=reading.format,
        scale=reading.scale,
        systems=None if reading.systems is None else split_names(reading.systems),
        manifest=reading.manifest,
        testset=reading.testset,
        keep_unfinished=reading.keep_unfinished,
        weights=reading.weights,
        repeated_marks=cast("Any", reading.repeated_marks),
        settings=tests.settings(sampling),
    )
    deliver(report_judgements(request), output)


def split_names(text: str) -> list[str]:
    """Split names at commas; keep empty names, which are refused later."""
    return [name.strip() for name in text.split(",")]


@group
class Conversion(Scales, Format):
    """Format to write, and the choice of rows."""

    to: str
    """One of csv, jsonl, mt-metrics-eval, pearmut; of error annotations: annotations, wmt-mqm,
    label-studio, pearmut-log."""
    only: str | None = None
    """judgements or preferences, if the file holds both."""
    overwrite: bool = False
    """Overwrite OUT if it exists."""


def convert(
    source: Annotated[str, Parameter(name="IN", help="Judgements or preferences.")],
    target: Annotated[str, Parameter(name="OUT", help="The file or folder to write.")],
    /,
    *,
    conversion: Conversion,
    texts: TextOptions = TextOptions(),
    output: Quiet = Quiet(),
) -> None:
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
    from patmark.app.commands.human import ConvertRequest, convert as convert_judgements

    request = ConvertRequest(
        source=source,
        target=target,
        to=conversion.to,
        only=conversion.only,
        overwrite=conversion.overwrite,
        format=conversion.format,
        scale=conversion.scale,
        texts=texts.inputs(),
    )
    check_files([target], [source, *texts.check()])
    output.say(*convert_judgements(request), wrote(target))
