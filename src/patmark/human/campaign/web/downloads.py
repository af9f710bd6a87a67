"""Files that the organiser can download, and the published results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from patmark.errors import PatmarkError
from patmark.human.campaign.export import RESULT_PHASES, campaign_export, export_bytes
from patmark.human.campaign.results import kinds_of_rows
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.web.sessions import Organiser, Shared
from patmark.human.campaign.written_texts import WritingEffort
from patmark.human.judgements import ANNOTATION_TARGETS, PHASES
from patmark.wording import Text, tr

router = APIRouter()
_INLINE = "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file that can be downloaded, with a description."""

    form: str
    label: Text
    only: str | None = None


_FILES = {
    "judgements.csv": ExportFile("csv", tr("Judgements (CSV)"), "judgements"),
    "preferences.csv": ExportFile("csv", tr("Preferences (CSV)"), "preferences"),
    "answers.jsonl": ExportFile("jsonl", tr("All answers (JSONL)")),
    "annotations.jsonl": ExportFile("annotations", tr("Marked errors (annotations, JSON lines)")),
    "wmt-mqm.tsv": ExportFile("wmt-mqm", tr("Marked errors (WMT MQM, TSV)")),
    "label-studio.json": ExportFile("label-studio", tr("Marked errors (Label Studio, JSON)")),
    "pearmut-log.jsonl": ExportFile("pearmut-log", tr("Marked errors (Pearmut, JSON lines)")),
    "testset.jsonl": ExportFile("testset", tr("Test set with the written references (JSON lines)")),
    "mt-metrics-eval.zip": ExportFile(
        "mt-metrics-eval", tr("Texts and scores (MT Metrics Eval, zip)")
    ),
    "pearmut.json": ExportFile("pearmut", tr("The same texts to judge again (Pearmut, JSON)")),
}
_MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "zip": "application/zip",
}


def offered_files(state: CampaignState, written: Sequence[WritingEffort]) -> dict[str, Text]:
    """Return the files that are not empty, each with its description."""
    kinds = kinds_of_rows(state.counted)
    has_marks = any(one.detail.get("spans") is not None for one in state.given)
    has_source = state.info.source_language is not None
    held = {
        "csv": False,
        "jsonl": bool(state.given or state.remarks or state.consensus),
        **dict.fromkeys(ANNOTATION_TARGETS, has_marks),
        "testset": any(one.texts for one in written),
        "mt-metrics-eval": has_source and any(kinds.values()),
        "pearmut": has_source and kinds["judgements"],
    }
    return {
        name: file.label
        for name, file in _FILES.items()
        if (kinds[file.only] if file.only else held[file.form])
    }


_FROZEN = {"Content-Security-Policy": f"default-src 'none'; {_INLINE}; sandbox allow-scripts"}
"""The page is one file: its scripts and styles are inline, and have no origin of ours."""


@router.get("/results")
def show_results(request: Request, shared: Shared) -> Response:
    """Show the published results to everybody."""
    page = shared.store.published(request.scope.get("campaign", ""))
    if page is None:
        raise HTTPException(404)
    return HTMLResponse(page, headers=_FROZEN)


@router.get("/organiser/export/{name}")
def download(organiser: Organiser, name: str) -> Response:
    """Return the judgements so far as a file; all phases if each answer names its phase."""
    if name not in _FILES:
        raise HTTPException(404)
    form, only = _FILES[name].form, _FILES[name].only
    state = organiser.state()
    try:
        found = campaign_export(state, PHASES if form == "jsonl" else RESULT_PHASES)
        if only is None and found.judgements is not None:
            only = "judgements"
        content = export_bytes(found, form, only)
    except PatmarkError as error:
        raise HTTPException(422, str(error)) from error
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    headers = {"Content-Disposition": f'attachment; filename="{day}-{name}"'}
    return Response(content, media_type=_MEDIA[name.rpartition(".")[2]], headers=headers)
