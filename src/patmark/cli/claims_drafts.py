"""What patmark claims score and judge are given: reference claims and drafts, or claim pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli.inputs import refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import Run, TestSet

Reference: TypeAlias = Annotated[
    str | None, typer.Option("--ref", help="The reference claims, a text file.")
]
Drafts: TypeAlias = Annotated[
    list[str] | None, typer.Option("--hyp", help="Drafts, a text file each: FILE or NAME=FILE.")
]
Pairs: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Claim pairs instead: JSON list or .jsonl {gold_claim, A, B}; labels are not used."
    ),
]


def paths(ref: str | None, hyp: Sequence[str], pairs: str | None) -> list[str]:
    """All files to read; standard input only once."""
    from patmark.data import check_stdin_once, split_name

    named = [path for path in (ref, *(split_name(one)[1] for one in hyp), pairs) if path]
    check_stdin_once(named)
    return named


def read(ref: str | None, hyp: Sequence[str], pairs: str | None) -> tuple[TestSet, tuple[Run, ...]]:
    """One set of reference claims and its drafts, or both candidates of each pair."""
    from patmark.data import drafts_of_pairs, read_claim_pairs, read_drafts

    if pairs is not None:
        refuse("with --pairs", {"--ref": ref, "--hyp": hyp})
        return drafts_of_pairs(read_claim_pairs(pairs, labels="optional"))
    if ref is None or not hyp:
        raise UsageError("give reference claims with --ref and drafts with --hyp, or --pairs")
    return read_drafts(ref, hyp)
