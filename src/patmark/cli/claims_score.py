"""patmark claims score: generated claims against reference claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver, progress_bar
from patmark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from patmark.data import Run, TestSet

_Reference: TypeAlias = Annotated[
    str | None, typer.Option("--ref", help="The reference claims, a text file.")
]
_Drafts: TypeAlias = Annotated[
    list[str] | None, typer.Option("--hyp", help="Drafts, a text file each: FILE or NAME=FILE.")
]
_Pairs: TypeAlias = Annotated[
    str | None, typer.Option(help="Claim pairs instead: JSON list or .jsonl {gold_claim, A, B, …}.")
]
_Measures: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Measures with commas (default: claim-overall, claim-completeness, claim-clarity, "
        "claim-consistency, claim-linkage, ClaimQuality)."
    ),
]


def score(
    ref: _Reference = None,
    hyp: _Drafts = None,
    pairs: _Pairs = None,
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
    from patmark.protocols import Settings
    from patmark.protocols.claims_evaluation import evaluate_claims
    from patmark.protocols.claims_report import claims_report
    from patmark.protocols.score_facts import ScoreFacts

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    outputs.check(_paths(ref, hyp or [], pairs))
    settings = Settings(resamples, seed, by)
    test_set, runs = _read(ref, hyp or [], pairs)
    with progress_bar(quiet) as progress:
        done = evaluate_claims(test_set, runs, measures, settings, progress)
    deliver(
        claims_report(done), done.to_json(), done.scores, test_set.documents, outputs,
        facts=ScoreFacts.of(test_set, runs),
    )  # fmt: skip


def _paths(ref: str | None, hyp: Sequence[str], pairs: str | None) -> list[str]:
    from patmark.data import check_stdin_once, split_name

    paths = [path for path in (ref, *(split_name(one)[1] for one in hyp), pairs) if path]
    check_stdin_once(paths)
    return paths


def _read(
    ref: str | None, hyp: Sequence[str], pairs: str | None
) -> tuple[TestSet, tuple[Run, ...]]:
    from patmark.claims.judge_drafts import drafts_of_pairs, read_drafts
    from patmark.data.claim_pairs import read_claim_pairs

    if pairs is not None:
        refuse("with --pairs", {"--ref": ref, "--hyp": hyp})
        return drafts_of_pairs(read_claim_pairs(pairs))
    if ref is None or not hyp:
        raise UsageError("give reference claims with --ref and drafts with --hyp, or --pairs")
    return read_drafts(ref, hyp)
