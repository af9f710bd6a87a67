"""patmark meta and calibrate: agreement of automatic metrics, or of a judge, with people."""

from __future__ import annotations

from patmark.app import commands
from patmark.app.cli.output import Tables, deliver, wrote


def meta(request: commands.MetaRequest, output: Tables) -> None:
    """Measure how well automatic metrics agree with a gold measure, such as human adequacy.

    Examples:

      patmark meta scores.csv --gold adequacy

      patmark meta scores.json.gz judgements.csv --gold adequacy --level segment

      patmark meta scores.csv annotations.tsv --gold mqm --level segment --error-free 0

      patmark meta scores.csv --gold adequacy --without RBMT --html meta.html

      patmark meta ja-en=ja.csv zh-en=zh.csv --gold adequacy
    """
    output.check(request.paths)
    deliver(commands.meta_evaluate_scores(request), output)


def calibrate(request: commands.CalibrationRequest, output: Tables) -> None:
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
    output.check(request.scores, str(request.out))
    deliver(commands.calibrate_scores(request), output)
    output.say(wrote(request.out, output.language))
