"""patmark claims score: generated claims against reference claims."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from patmark.cli import claims_drafts as drafts, options as given
from patmark.cli.output import Outputs, deliver, progress_bar

_Measures: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Measures with commas (default: claim-overall, claim-completeness, claim-clarity, "
        "claim-consistency, claim-linkage, ClaimQuality)."
    ),
]


def score(
    ref: drafts.Reference = None,
    hyp: drafts.Drafts = None,
    pairs: drafts.Pairs = None,
    measures: _Measures = None,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    by: given.By = None,
    segments: given.Segments = None,
    save: given.Save = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Score drafts of claims: completeness, clarity, consistency, linkage, with evidence.

    Examples:

      patmark claims score --ref granted.txt --hyp generated.txt

      patmark claims score --ref granted.txt --hyp A=a.txt --hyp B=b.txt --html report.html

      patmark claims score --pairs pairs.json --measures claim-overall,ClaimQuality --json
    """
    from patmark.claims import evaluate_claims
    from patmark.evaluation import ScoreFacts, Settings

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    outputs.check(drafts.paths(ref, hyp or [], pairs))
    settings = Settings(resamples, seed, by)
    test_set, runs = drafts.read(ref, hyp or [], pairs)
    with progress_bar(quiet) as progress:
        done = evaluate_claims(test_set, runs, measures, settings, progress)
    deliver(
        done.to_report(), done.to_json(), done.scores, test_set.documents, outputs,
        facts=ScoreFacts.of(test_set, runs),
    )  # fmt: skip
