"""patmark reproduce: do published tables come out again?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver_report
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.evaluation import Settings
    from patmark.protocols import Reproduction

    Study: TypeAlias = Callable[[Settings], Reproduction]

_Name: TypeAlias = Annotated[
    str, typer.Argument(metavar="STUDY", help="ntcir7, ntcir9 or patent-ce.")
]
_Data: TypeAlias = Annotated[
    str | None, typer.Option(help="patent-ce: the claim pairs, which do not come with patmark.")
]
_Measures: TypeAlias = Annotated[
    str | None,
    typer.Option(help="patent-ce: more measures with commas, e.g. 'BERTScore(model=FOLDER)'."),
]


def reproduce(
    study: _Name,
    data: _Data = None,
    measures: _Measures = None,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
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
    from patmark.evaluation import Settings

    studies = _studies(data, measures)
    if study not in studies:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(studies)}")
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex)
    if study != "patent-ce":
        refuse(f"with {study}", {"--data": data, "--measures": measures})
    outputs.check([data] if data else [])
    done = studies[study](Settings(resamples, seed))
    deliver_report(done.report, done.result, outputs)


def _studies(data: str | None, measures: str | None) -> Mapping[str, Study]:
    """The studies by name; a new one is a line here. Arguments are for those that need them."""
    from patmark.protocols import reproduce_ntcir7, reproduce_ntcir9

    return {
        "ntcir7": reproduce_ntcir7,
        "ntcir9": reproduce_ntcir9,
        "patent-ce": lambda settings: _patent_ce(data, measures, settings),
    }


def _patent_ce(data: str | None, measures: str | None, settings: Settings) -> Reproduction:
    from patmark.data import read_claim_pairs
    from patmark.protocols import reproduce_patent_ce

    if data is None:
        raise UsageError("patent-ce needs the claim pairs of the paper: --data FILE")
    return reproduce_patent_ce(read_claim_pairs(data), settings, measures)
