"""patmark compare: significant differences between systems."""

from __future__ import annotations

from dataclasses import replace

from patmark.app import commands
from patmark.app.cli.output import (
    Output,
    asking,
    deliver,
    progress_bar,
    teller,
    warn_of_endpoint,
)


def compare(request: commands.ComparisonRequest, output: Output) -> None:
    """Compare systems on one test set: significant differences and their causes.

    Examples:

      patmark compare a.txt b.txt reference.txt source.txt

      patmark compare --hyp A=a.txt --hyp B=b.txt --hyp C=c.txt --ref ref.txt --lang ja-en

      patmark compare a.jsonl b.jsonl --protocol patsnap --html comparison.html

      patmark compare --scores scores.json.gz --measures BLEU --resamples 10000 --by document

      patmark compare --scores monday.json --scores friday.json --systems A,C

      patmark compare --hyp A=a.txt --hyp B=b.txt --ref ref.txt --lang zh-en
      --scores COMET=comet.json
    """
    gates = request.gates
    request = replace(request, detailed=bool(output.html), everything=output.wants_everything)
    plan = request.plan
    output.check([*request.paths, gates.baseline, gates.calibration], gates.junit)
    warn_of_endpoint(request.service, "translations")
    with asking(request.service), progress_bar(output.quiet, "scoring ") as progress:
        done = commands.compare_translations(request, teller(output.quiet), progress)
    deliver(done, output, plan=plan, junit=gates.junit)
