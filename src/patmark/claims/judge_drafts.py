"""What a judge is given: reference claims and drafts of them, from plain files or claim pairs."""

from __future__ import annotations

from collections.abc import Sequence

from patmark.data import ClaimPairs, Run, Segment, TestSet, read_lines, split_name
from patmark.errors import InputError, Problem

CANDIDATES = ("A", "B")


def drafts_of_pairs(pairs: ClaimPairs) -> tuple[TestSet, tuple[Run, Run]]:
    """Both candidates of each pair as two systems, A and B; a pair is named by its position."""
    segments = tuple(
        Segment(str(place), references=(pair.reference,), document=pair.reference_key)
        for place, pair in enumerate(pairs.pairs)
    )
    first, second = CANDIDATES
    return TestSet(segments, "en", name=pairs.name), (
        Run(first, tuple(pair.first for pair in pairs.pairs)),
        Run(second, tuple(pair.second for pair in pairs.pairs)),
    )


def read_drafts(reference: str, drafts: Sequence[str]) -> tuple[TestSet, tuple[Run, ...]]:
    """One set of reference claims and drafts of it, a text file each; PATH or NAME=PATH."""
    named = [split_name(argument) for argument in drafts]
    texts = {path: "\n".join(read_lines(path)) for path in [reference, *(p for _, p in named)]}
    empty = [Problem("holds no claims", path) for path, text in texts.items() if not text.strip()]
    if empty:
        raise InputError(empty)
    test_set = TestSet((Segment("0", references=(texts[reference],)),), "en", name=reference)
    return test_set, tuple(Run(name, (texts[path],)) for name, path in named)
