"""patmark reproduce: do published tables come out again?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, TypeAlias

from patmark.cli.options import Draws
from patmark.cli.output import Ready, Tables, deliver
from patmark.cli.parsing import Options, Parameter, group, refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.evaluation import Settings
    from patmark.protocols import Reproduction

    Study: TypeAlias = Callable[[Settings], Reproduction]


@group
class PatentCe(Options, heading="patent-ce"):
    """What the study of claims needs."""

    data: str | None = None
    """patent-ce: the claim pairs, which do not come with patmark."""
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

    ntcir7: BLEU against human ratings and retrieval, and the gap in BLEU that retrieval needs.

    ntcir9: correlation of BLEU, NIST and RIBES with human adequacy, with and without RBMT.

    patent-ce: agreement of measures with experts who compared generated claims.

    Examples:

      patmark reproduce ntcir9

      patmark reproduce ntcir7 --html ntcir7.html

      patmark reproduce patent-ce --data test_pairs.json

      patmark reproduce patent-ce --data test_pairs.json --measures 'BERTScore(model=FOLDER)'
    """
    studies = _studies(patent_ce)
    if study not in studies:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(studies)}")
    if study != "patent-ce":
        refuse(f"with {study}", patent_ce.named("data", "measures"))
    output.check([patent_ce.data])
    done = studies[study](sampling.settings)
    deliver(Ready(done.report, done.result), output)


def _studies(given: PatentCe) -> Mapping[str, Study]:
    """The studies by name; a new one is a line here. Arguments are for those that need them."""
    from patmark.protocols import reproduce_ntcir7, reproduce_ntcir9

    return {
        "ntcir7": reproduce_ntcir7,
        "ntcir9": reproduce_ntcir9,
        "patent-ce": lambda settings: _patent_ce(given, settings),
    }


def _patent_ce(given: PatentCe, settings: Settings) -> Reproduction:
    from patmark.data import read_claim_pairs
    from patmark.protocols import reproduce_patent_ce

    if given.data is None:
        raise UsageError("patent-ce needs the claim pairs of the paper: --data FILE")
    return reproduce_patent_ce(read_claim_pairs(given.data), settings, given.measures)
