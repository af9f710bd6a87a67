"""patmark reproduce: reproduction of published tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.options import Draws
from patmark.app.cli.output import Tables, deliver
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    pass


@group
class Material(Options, heading="patent-ce and wmt21-ted-zhen"):
    """Data of studies that are not part of patmark."""

    data: str | None = None
    """patent-ce: the claim pairs; wmt21-ted-zhen: the folder of the annotations (default: printed
    tables only)."""
    measures: str | None = None
    """Comma-separated additional measures, e.g. 'BERTScore(model=FOLDER)'."""
    tie_band: str | None = None
    """patent-ce: also treat close scores as ties (own, folds or a number, as in patmark claims
    meta); the published values do not."""
    scores: str | None = None
    """patent-ce: scores of a judge (claims judge --pairs … --save), compared with G-Eval-4."""


def reproduce(
    study: Annotated[str, Parameter(help="ntcir7, ntcir9, patent-ce or wmt21-ted-zhen.")],
    /,
    *,
    material: Material = Material(),
    sampling: Draws = Draws(),
    output: Tables = Tables(),
) -> None:
    """Reproduce published tables, and show printed and recomputed values side by side.

    Every table and figure of the paper is listed: recomputed, solved, or printed only with the
    reason.

    ntcir7: BLEU against human ratings and retrieval, and the gap in BLEU that retrieval needs.

    ntcir9: BLEU, NIST and RIBES against human adequacy and acceptability, with and without RBMT.

    patent-ce: agreement of measures with experts who compared generated claims.

    wmt21-ted-zhen: MQM of 15 systems, and correlations of metrics from Chinese into English.

    Examples:

      patmark reproduce ntcir9

      patmark reproduce ntcir7 --html ntcir7.html

      patmark reproduce patent-ce

      patmark reproduce patent-ce --data test_pairs.json

      patmark reproduce patent-ce --data test_pairs.json --measures 'BERTScore(model=FOLDER)'

      patmark reproduce patent-ce --data test_pairs.json --scores judged.json

      patmark reproduce wmt21-ted-zhen --data wmt-mqm-human-evaluation --html zhen.html
    """
    from patmark.app.commands import reproduce as reproduced

    output.check([material.data, material.scores])
    deliver(reproduced(study, sampling=sampling.settings, **material.changed()), output)
