"""patmark claims meta: agreement of measures with experts."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.options import Draws
from patmark.app.cli.output import SegmentTables, deliver, progress_bar
from patmark.options import Options, Parameter, group


@group
class PairMeasures(Options, heading="Measures"):
    """Measures to meta-evaluate."""

    measures: str | None = None
    """Comma-separated measures (default: BLEU-1, BLEU-4, ROUGE-1, ROUGE-2, ROUGE-L and METEOR, as
    in the Patent-CE paper); see patmark measures."""
    scores: tuple[str, ...] = ()
    """External scores, such as those of a judge (claims judge --save): saved scores or CSV
    system,segment,measure,value, with systems A and B and pair numbers as segments."""
    criterion: tuple[str, ...] = ()
    """A criterion such as Quality; may be repeated (default: all of the file)."""
    prompts: str | None = None
    """CSV with the true next claims, if FILE is a PatentEval export."""
    tie_band: str | None = None
    """Also treat close scores as ties: within the measure's own band (own), a band calibrated on
    the pairs of other references (folds), or a number."""


def meta(
    file: Annotated[
        str, Parameter(help="Claim pairs: JSON list or .jsonl {gold_claim, A, B, human_eval}.")
    ],
    /,
    *,
    given: PairMeasures = PairMeasures(),
    sampling: Draws = Draws(),
    output: SegmentTables = SegmentTables(),
) -> None:
    """Measure how well measures agree with experts who compared pairs of claim sets.

    Examples:

      patmark claims meta pairs.json

      patmark claims meta pairs.json --measures BLEU-4,ROUGE-L,chrF --criterion Quality --json

      patmark claims meta pairs.json --measures BLEU-1,ClaimQuality --tie-band folds
      patmark claims meta pairs.json --scores judged.json --scores compared.json

      patmark claims meta final_c2c.json --prompts eval_data_c2c.csv
    """
    from patmark.app.commands.claims import ClaimMetaRequest, meta_claims

    output.check([file, given.prompts, *given.scores])
    request = ClaimMetaRequest(
        pairs=file,
        measures=given.measures,
        scores=given.scores,
        criteria=given.criterion,
        prompts=given.prompts,
        tie_band=given.tie_band,
        sampling=sampling.settings,
    )
    with progress_bar(output.quiet, "scoring ") as progress:
        done = meta_claims(request, progress)
    deliver(done, output)
