"""patmark claims meta: which measures of generated claims agree with experts?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs, deliver, progress_bar

if TYPE_CHECKING:
    from patmark.data import ClaimPairs

_PairFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Claim pairs: JSON list or .jsonl {gold_claim, A, B, human_eval}."
    ),
]
_PairMeasures: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Measures with commas; BLEU-1, BLEU-4, ROUGE-1, ROUGE-2, ROUGE-L and METEOR (the "
        "default) are those of the Patent-CE paper. See patmark measures for others."
    ),
]
_Criterion: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="A criterion such as Quality; may be repeated (default: all of the file)."),
]
_Prompts: TypeAlias = Annotated[
    str | None,
    typer.Option(help="FILE is a PatentEval export; its true next claims are in this CSV."),
]


def meta(
    file: _PairFile,
    measures: _PairMeasures = None,
    criterion: _Criterion = None,
    prompts: _Prompts = None,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    segments: given.Segments = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Hold measures against experts who compared pairs of claim sets.

    Examples:

      patmark claims meta pairs.json

      patmark claims meta pairs.json --measures BLEU-4,ROUGE-L,chrF --criterion Quality --json

      patmark claims meta final_c2c.json --prompts eval_data_c2c.csv
    """
    from patmark.claims import meta_evaluate_claims
    from patmark.evaluation import Settings

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments)
    outputs.check([file, *([prompts] if prompts else [])])
    settings = Settings(resamples, seed)
    pairs = _read_pairs(file, prompts)
    with progress_bar(quiet) as progress:
        done = meta_evaluate_claims(pairs, measures, criterion, settings, progress)
    deliver(done.to_report(), done.to_json(), done.scores, pairs.reference_keys, outputs)


def _read_pairs(file: str, prompts: str | None) -> ClaimPairs:
    from patmark.data import read_claim_pairs, read_patenteval

    return read_patenteval(file, prompts) if prompts else read_claim_pairs(file)
