"""patmark reproduce: do published tables come out again?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, deliver_report
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.protocols import Study

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
    from patmark.catalogue import STUDIES, load
    from patmark.evaluation import Settings

    if study not in STUDIES:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(STUDIES)}")
    chosen: Study = load(STUDIES[study])
    options = {"data": data, "measures": measures}
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex)
    unused = {f"--{name}": value for name, value in options.items() if name not in chosen.takes}
    refuse(f"with {study}", unused)
    outputs.check([data] if data else [])
    done = chosen.reproduce(Settings(resamples, seed), **options)
    deliver_report(done.to_report(), done.to_json(), outputs)
