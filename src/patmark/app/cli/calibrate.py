"""patmark calibrate: a judge compared with human labels."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.options import Resampling, Scales
from patmark.app.cli.output import Tables, deliver, wrote
from patmark.options import Options, Parameter, group


@group
class CalibrationOptions(Options, heading="Calibration"):
    """Human labels, and the calibration file."""

    gold: str
    """The human measure, such as adequacy."""
    out: str
    """File of the calibrated judge, which gates read: .json."""
    accept: float | None = None
    """Gold from which an output is acceptable; labels are then yes and no (default: grades)."""
    measures: str | None = None
    """The judge, if the files hold several metrics."""


def calibrate(
    *scores: Annotated[
        str,
        Parameter(
            required=True,
            help="Scores of the judge (patmark judge --save) and judgements of people on the same "
            "outputs; the files of patmark meta.",
        ),
    ],
    options: CalibrationOptions,
    grades: Scales = Scales(),
    sampling: Resampling = Resampling(),
    output: Tables = Tables(),
) -> None:
    """Calibrate a judge on human labels, in folds of whole documents, for gates.

    The command fits a map from scores to grades (isotonic regression), or a threshold with
    --accept. It reports the kappa of held-out documents and that of people, and stores model,
    prompt and date. patmark judge calibrate is the same command.

    Examples:

      patmark calibrate judged.json judgements.csv --gold adequacy --out judge.json

      patmark calibrate judged.json judgements.csv --gold adequacy --accept 4 --out judge.json

      patmark score --hyp A=a.txt --src s.txt --lang zh-en --measures 'Judge(model=m,scheme=direct)'
      --base-url http://localhost:8000/v1 --fail-under 'Judge(model=m,scheme=direct)=70'
      --calibration judge.json
    """
    from patmark.app.commands import CalibrationRequest, calibrate_scores

    output.check(scores, options.out)
    request = CalibrationRequest(
        scores=scores,
        gold=options.gold,
        measures=options.measures,
        accept=options.accept,
        out=options.out,
        scales=grades.scales,
        sampling=sampling.settings,
    )
    deliver(calibrate_scores(request), output)
    output.say(wrote(options.out, output.language))
