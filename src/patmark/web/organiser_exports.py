"""Downloads for the organiser, at any time."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

from patmark.errors import PatmarkError
from patmark.judgements import PHASES
from patmark.protocols import RESULT_PHASES, campaign_export, export_bytes, read_campaign_data
from patmark.web.sessions import Organiser

router = APIRouter()
_FILES = {
    "judgements.csv": ("csv", "judgements", "text/csv; charset=utf-8"),
    "preferences.csv": ("csv", "preferences", "text/csv; charset=utf-8"),
    "answers.jsonl": ("jsonl", None, "application/x-ndjson; charset=utf-8"),
    "mt-metrics-eval.zip": ("mt-metrics-eval", None, "application/zip"),
}


@router.get("/organiser/export/{name}")
def download(visit: Organiser, name: str) -> Response:
    """The judgements so far as a file; all phases where each answer says of which it is."""
    if name not in _FILES:
        raise HTTPException(404)
    form, only, kind = _FILES[name]
    data = read_campaign_data(visit.store, visit.campaign)
    try:
        found = campaign_export(data, PHASES if form == "jsonl" else RESULT_PHASES)
        if form == "mt-metrics-eval" and found.judgements is not None:
            only = "judgements"
        content = export_bytes(found, form, only)
    except PatmarkError as error:
        raise HTTPException(422, str(error)) from error
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    headers = {"Content-Disposition": f'attachment; filename="{day}-{name}"'}
    return Response(content, media_type=kind, headers=headers)
