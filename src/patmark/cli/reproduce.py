"""patmark reproduce: do published tables come out again?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import Draws
from patmark.cli.output import Tables, deliver
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group, refuse

if TYPE_CHECKING:
    from patmark.protocols import Study


@group
class PatentCe(Options, heading="patent-ce"):
    """What the study of claims needs."""

    data: str | None = None
    """patent-ce: the claim pairs, which do not come with patmark (default: printed tables only)."""
    measures: str | None = None
    """patent-ce: more measures with commas, e.g. 'BERTScore(model=FOLDER)'."""


def reproduce(
    study: Annotated[str, Parameter(help="ntcir7, ntcir9 or patent-ce.")],
    /,
    *,
    patent_ce: PatentCe = PatentCe(),
    sampling: Draws = Draws(),
    output: Tables = Tables(),
) -> None:
    """Compute published tables again from published numbers, and show both side by side.

    Every table and figure of the paper is listed: recomputed, solved, or printed only and why.

    ntcir7: BLEU against human ratings and retrieval, and the gap in BLEU that retrieval needs.

    ntcir9: BLEU, NIST and RIBES against human adequacy and acceptability, with and without RBMT.

    patent-ce: agreement of measures with experts who compared generated claims.

    Examples:

      patmark reproduce ntcir9

      patmark reproduce ntcir7 --html ntcir7.html

      patmark reproduce patent-ce

      patmark reproduce patent-ce --data test_pairs.json

      patmark reproduce patent-ce --data test_pairs.json --measures 'BERTScore(model=FOLDER)'
    """
    from patmark.catalogue import STUDIES, load

    if study not in STUDIES:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(STUDIES)}")
    chosen: Study = load(STUDIES[study])
    options = {"data": patent_ce.data, "measures": patent_ce.measures}
    refuse(
        f"with {study}", patent_ce.named(*(name for name in options if name not in chosen.takes))
    )
    output.check([patent_ce.data])
    deliver(chosen.reproduce(sampling.settings, **options), output)
