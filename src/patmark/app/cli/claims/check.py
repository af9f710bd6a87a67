"""patmark claims check: support of claims in the description."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from patmark.app.cli.claims.lint import ClaimLanguage
from patmark.app.cli.output import Tables, deliver
from patmark.options import Parameter, group


@group
class SupportInputs(ClaimLanguage):
    """Inputs of the check of support."""

    description: str
    """The description, a text file."""


def check(
    file: Annotated[str, Parameter(help="A text with claims; - for stdin.")],
    /,
    *,
    inputs: SupportInputs,
    output: Tables = Tables(),
) -> None:
    """Find the support of each limitation, term, amount and sign of claims in the description.

    Examples:

      patmark claims check claims.txt --description description.txt

      patmark claims check claims.txt --description description.txt --html support.html
    """
    from patmark.app.commands.claims import SupportRequest, check_claims

    output.check([file, inputs.description])
    request = SupportRequest(
        claims=Path(file), description=Path(inputs.description), language=inputs.lang
    )
    deliver(check_claims(request), output)
