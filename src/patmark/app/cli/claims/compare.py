"""patmark claims compare: two versions of claims side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from patmark.app.cli.output import Tables, deliver
from patmark.options import Parameter


def compare(
    old: Annotated[str, Parameter(help="The first version, e.g. as filed; - for stdin.")],
    new: Annotated[str, Parameter(help="The second version, e.g. as amended.")],
    /,
    *,
    output: Tables = Tables(),
) -> None:
    """Compare two versions of a set of claims, limitation by limitation.

    Examples:

      patmark claims compare filed.txt amended.txt

      patmark claims compare filed.txt amended.txt --html amendments.html
    """
    from patmark.app.commands.claims import VersionsRequest, compare_claims
    from patmark.data import shown

    output.check([old, new])
    names = shown(old), shown(new)
    deliver(compare_claims(VersionsRequest(old=Path(old), new=Path(new), names=names)), output)
