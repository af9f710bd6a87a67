"""Files that the organiser can download, and the published results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from patmark.errors import PatmarkError, UsageError
from patmark.human.campaign.export import RESULT_PHASES, campaign_export, export_bytes
from patmark.human.campaign.records import to_the_minute
from patmark.human.campaign.results import kinds_of_rows
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.status import rank_campaign
from patmark.human.campaign.web.sessions import Organiser, Shared
from patmark.human.campaign.written_texts import WritingEffort
from patmark.human.judgements import ANNOTATION_TARGETS, PHASES, CriterionRanking
from patmark.report import Cell, Column, Report, Table, message_texts, to_html
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


def results_page(state: CampaignState) -> str:
    """Return the ranking of a closed campaign as self-contained HTML.

    No evaluator is named.
    """
    if state.info.is_open:
        raise UsageError(tr("close the campaign before its results are published"))
    ranking, reason = rank_campaign(state)
    if ranking is None:
        raise UsageError(tr("There is no ranking yet: {reason}", reason=reason))
    main = (state.results.graded, state.results.chosen)
    judges = {name for rows in main if rows for name in rows.evaluators}
    facts = tr(
        "Form {form}, version {version}; {evaluators} evaluators; closed {time} UTC; seed {seed}.",
        form=state.form.id,
        version=state.form.version,
        evaluators=len(judges),
        time=to_the_minute(state.info.closed),
        seed=state.info.seed,
    )
    return to_html(
        Report(
            state.info.name,
            tr("Results of a human evaluation"),
            (),
            tuple(map(_table, ranking.rankings)),
            {},
            (facts, *(one for one in message_texts(ranking.notices) if _names_nobody(one, state))),
        )
    )


def _names_nobody(note: str, state: CampaignState) -> bool:
    """Return True if a note names no evaluator; in scripts without blanks, no part of a word."""
    for name in (one.name for one in state.evaluators):
        found = re.escape(name)
        if re.search(rf"(?<!\w){found}(?!\w)" if name.isascii() else found, note):
            return False
    return True


def _table(one: CriterionRanking) -> Table:
    measured = one.measured
    found = measured.estimates
    columns: dict[Column, str | Callable[[Any], Cell]] = {
        Column(tr("system")): str,
        Column(tr("score"), 3): lambda name: found[name].value,
        Column(tr("95 % interval")): lambda name: _interval(found[name].ci),
        Column(tr("segments"), 0): lambda name: measured.counted[name],
        Column(tr("group"), 0): lambda name: measured.cluster_of(name),
    }
    note = tr(
        "A system opens a group when it is significantly worse, after Holm over all pairs, than "
        "one of the group above. Intervals are those of single scores, and not corrected."
    )
    if measured.no_verdict:
        note = tr("No groups: {reason}.", reason=measured.no_verdict)
    return Table.of_records(one.criterion, measured.ranking, columns, note)


def _interval(ci: tuple[float, float] | None) -> str | None:
    return None if ci is None else f"[{ci[0]:.3f}, {ci[1]:.3f}]"
