"""What to beware of in the intervals of scores, in sentences."""

from __future__ import annotations

from patmark.data.counting import counted
from patmark.stats import MIN_DOCUMENTS, Units


def dependent_segments(units: Units, effect: str) -> tuple[str, ...]:
    """Segments that are drawn one by one although it is known that they belong together."""
    if units.kind != "segment" or not 0 < units.documents < units.count:
        return ()
    documents = counted(units.documents, "document")
    cure = (
        "more documents are needed" if units.documents == 1
        else "--by document draws documents" if units.documents >= MIN_DOCUMENTS
        else f"--by document draws documents; better are {MIN_DOCUMENTS} of them or more"
    )  # fmt: skip
    return (
        f"Warning: segments are drawn although they come from {documents}. Segments of one "
        f"document are alike, so {effect}; {cure}.",
    )


def interval_warnings(units: Units) -> tuple[str, ...]:
    """What makes the intervals of scores worthless."""
    return dependent_segments(units, "intervals are too narrow")


def interval_notes(units: Units) -> tuple[str, ...]:
    """Documents that are drawn, but few."""
    if units.kind != "document" or units.count >= MIN_DOCUMENTS:
        return ()
    return (f"Only {units.count} documents are drawn from; intervals may be too narrow.",)
