"""Resampling in words and JSON: units, method, warnings of dependent segments."""

from __future__ import annotations

from typing import Any

from patmark.data import Notice
from patmark.stats import Sampling, Units
from patmark.wording import setting, tr, tr_n

INTERVAL_METHOD = "expanded percentile bootstrap"
RATE_METHOD, RATE_DIFFERENCE_METHOD = "Wilson", "Tango"


def dependent_segments(units: Units, effect: str) -> tuple[Notice, ...]:
    """Return a warning if segments are resampled although documents are known."""
    if units.kind != "segment" or not 0 < units.documents < units.count:
        return ()
    return (
        Notice(
            "warning",
            "dependent-segments",
            tr(
                "segments are drawn although they come from {documents}. Segments of one "
                "document are alike, so {effect}; {cure}.",
                documents=tr_n("{n} document", "{n} documents", n=units.documents),
                effect=effect,
                cure=tr("more documents are needed")
                if units.too_few
                else tr("{by} draws documents", by=setting("by", "document")),
            ),
        ),
    )


def unit_name(units: Units) -> str:
    """Return the resampling unit in a word."""
    return tr("document") if units.kind == "document" else tr("segment")


def unknown_documents(units: Units) -> tuple[str, ...]:
    """Return a note that segments count as independent because no documents are known."""
    if units.documents or units.count < 2:
        return ()
    return (
        tr(
            "Documents are unknown, so every segment counts as independent. Where several come "
            "from one document, intervals are too narrow and p-values too small: name the "
            "documents."
        ),
    )


def interval_notes(units: Units) -> tuple[str, ...]:
    """Return a note if few documents are resampled."""
    if units.kind != "document" or not units.too_few:
        return ()
    return (tr("Only {n} documents are drawn from; intervals may be too narrow.", n=units.count),)


def interval_note(settings: Sampling, units: Units | str, *, rates: bool = False) -> str:
    """Return the method of intervals in words; ``rates`` have a separate method."""
    if not settings.resamples:
        return tr("no intervals")
    made = tr(
        "95 % expanded percentile bootstrap by {units}, {resamples} resamples, seed {seed}",
        units=str(units),
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return tr("{made}; rates: {method}", made=made, method=RATE_METHOD) if rates else made


def difference_method(settings: Sampling, *, rates: bool) -> str:
    """Return the method of the intervals of scores and differences, for a signature."""
    of_rates = f"; rates: {RATE_METHOD}, differences of rates: {RATE_DIFFERENCE_METHOD}" * rates
    return f"{INTERVAL_METHOD}, {settings.resamples} resamples{of_rates}"


def resampling_json(settings: Sampling, units: Units) -> dict[str, Any]:
    """Return the resampling settings for JSON."""
    return {
        "method": INTERVAL_METHOD, "rates": RATE_METHOD, "by": units.kind, "units": units.count,
        "documents": units.documents,
        "resamples": settings.resamples, "seed": settings.seed, "confidence": 0.95,
    }  # fmt: skip
