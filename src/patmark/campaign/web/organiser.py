"""The organiser's pages: progress, agreement, checks, ranking, consensus, decisions, downloads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.campaign.annotations import proposal_shares
from patmark.campaign.completion_codes import completions
from patmark.campaign.consensus import common_items
from patmark.campaign.export import RESULT_PHASES, campaign_export, export_bytes
from patmark.campaign.links import evaluator_link
from patmark.campaign.odd_evaluators import agreement_sentence, oddities
from patmark.campaign.reassignment import pages_to_move
from patmark.campaign.records import NoCampaign, to_the_minute
from patmark.campaign.reminders import reminders
from patmark.campaign.results import answer_shares, kinds_of_rows
from patmark.campaign.state import CampaignState
from patmark.campaign.status import (
    background_table,
    check_table,
    consistency_table,
    odd_table,
    pairwise_scores,
    proposals_table,
    quality_checks,
    rank_campaign,
    stop_table,
    validate_campaign,
    writing_table,
)
from patmark.campaign.stopping import stop_rule
from patmark.campaign.store.tables import now
from patmark.campaign.web.links import field_text, server_address, shown_links
from patmark.campaign.web.rendering import render
from patmark.campaign.web.sessions import (
    WRITES,
    Fields,
    Organiser,
    OrganiserRequest,
)
from patmark.campaign.written_texts import WritingEffort, writing_efforts
from patmark.errors import PatmarkError
from patmark.judgements import (
    ANNOTATION_TARGETS,
    PHASES,
    CriterionRanking,
    Phase,
    evaluator_tables,
)
from patmark.report import message_texts
from patmark.wording import Text, tr

router = APIRouter()
_ON_A_PAGE = 20
_PHASES: tuple[Phase, ...] = ("training", "main")


@router.get("/organiser")
def show_progress(request: Request, organiser: Organiser) -> Response:
    """Show everybody's progress; closing, adding evaluators, exports."""
    state = organiser.state()
    sources = {page.id: page.source for page in state.plan.pages}
    return shown(
        request,
        "organiser_progress.html.j2",
        state,
        people=state.people,
        progress=state.progress,
        is_pool=state.is_pool,
        flags=[(one, sources.get(one.page, "")) for one in state.remarks],
        files=offered_files(state, written := writing_efforts(state.counted)),
        written=writing_table(written),
        proposals=proposals_table(proposal_shares(state.counted)),
    )


@router.get("/api/organiser/progress")
def progress_numbers(organiser: Organiser) -> dict[str, Any]:
    """Return the numbers that the page of progress renews by itself."""
    state = organiser.state()
    people = {
        one.name: {
            "done": one.done,
            "total": one.total,
            "training_done": one.training_done,
            "training_total": one.training_total,
            "seen": moment(one.last_saved),
        }
        for one in state.people
    }
    return {"all": {**asdict(state.progress), "total": state.progress.total}, "people": people}


@router.get("/organiser/person")
def show_person(request: Request, organiser: Organiser, name: str = "") -> Response:
    """Show one evaluator, and the decisions about them."""
    state = organiser.state()
    person = next((one for one in state.people if one.name == name), None)
    if person is None:
        return RedirectResponse("/organiser", 303)
    own, begun = state.pages_of(name), state.begun
    movable = {
        other.name: len(pages_to_move(own, begun, state.pages_of(other.name)))
        for other in state.evaluators
        if other.name != name
    }
    return shown(
        request,
        "organiser_person.html.j2",
        state,
        person=person,
        movable={other: count for other, count in movable.items() if count},
        remarks=[one for one in state.remarks if one.evaluator == name],
    )


@router.get("/organiser/people")
def show_people(request: Request, organiser: Organiser) -> Response:
    """Show reminders, completion codes and the background of people."""
    state = organiser.state()
    return shown(
        request,
        "organiser_people.html.j2",
        state,
        reminders=reminders(state, now()).to_report().tables[0],
        codes=completions(state).to_report().tables[0],
        background=background_table(state),
    )


@router.get("/organiser/agreement")
def show_agreement(request: Request, organiser: Organiser) -> Response:
    """Show the agreement of the evaluators, and the bias of each."""
    state = organiser.state()
    found, notes = validate_campaign(state)
    summary, details = evaluator_tables(found)
    return shown(
        request,
        "organiser_agreement.html.j2",
        state,
        tables=[*summary, *details],
        agreed=any(one.agreement for one in found),
        sentences=[said for one in found if (said := agreement_sentence(one))],
        notes=notes,
    )


@router.get("/organiser/checks")
def show_checks(request: Request, organiser: Organiser) -> Response:
    """Show training, attention checks, repeats, and pages answered too fast."""
    state = organiser.state()
    quality = quality_checks(state)
    return shown(
        request,
        "organiser_checks.html.j2",
        state,
        people=state.people,
        odd=odd_table(oddities(state, quality.checks)),
        training=consistency_table("", quality.training),
        checks=check_table(quality.checks),
        repeats=consistency_table("", quality.repeats),
    )


@router.get("/organiser/ranking")
def show_ranking(request: Request, organiser: Organiser) -> Response:
    """Show the ranking so far, which no evaluator ever sees."""
    state = organiser.state()
    ranking, reason = rank_campaign(state)
    pairwise = pairwise_scores(state)
    rankings = [
        ranked_criterion(one, pairwise.get(one.criterion, {}))
        for one in (ranking.rankings if ranking else ())
    ]
    notes = (*message_texts(ranking.notices), *state.results.notes) if ranking else ()
    return shown(
        request,
        "organiser_ranking.html.j2",
        state,
        rankings=rankings,
        enough=stop_table(stop_rule(state)),
        whole_segments=state.whole_segments,
        reason=reason,
        notes=notes,
        shares=answer_shares(state.counted),
    )


@router.get("/organiser/consensus")
def show_consensus(
    request: Request, organiser: Organiser, phase: str = "", page: int = 1
) -> Response:
    """Show disagreements of evaluators, and the common results."""
    state = organiser.state()
    wanted = next((one for one in _PHASES if one == phase), None)
    items = common_items(state, wanted)
    pages = max(1, -(-len(items) // _ON_A_PAGE))
    page = min(max(1, page), pages)
    return shown(
        request,
        "organiser_consensus.html.j2",
        state,
        items=items[(page - 1) * _ON_A_PAGE : page * _ON_A_PAGE],
        phase=wanted or "",
        page=page,
        pages=pages,
    )


@router.get("/organiser/log")
def show_log(request: Request, organiser: Organiser) -> Response:
    """Show the log, the latest event first."""
    campaign = organiser.store.campaign(organiser.campaign)
    events = list(reversed(organiser.store.events(organiser.campaign)))
    return render(
        request,
        "organiser_log.html.j2",
        campaign=campaign,
        events=events,
        moment=moment,
    )


def shown(request: Request, template: str, state: CampaignState, **content: Any) -> Response:
    """Render a page of the organiser with the parts that all of them need."""
    return render(
        request,
        template,
        campaign=state.info,
        plan=state.plan,
        number=number,
        interval=interval,
        moment=moment,
        **content,
    )


decisions = APIRouter(prefix="/organiser", dependencies=WRITES)
_QUALIFIED = {"mark": None, "yes": True, "no": False}
_LONGEST_NAME = 100


@decisions.post("/close")
def close(organiser: Organiser) -> Response:
    """Accept no more answers."""
    organiser.store.close_campaign(organiser.campaign)
    return RedirectResponse("/organiser", 303)


@decisions.post("/reopen")
def reopen(organiser: Organiser) -> Response:
    """Accept answers again."""
    organiser.store.reopen(organiser.campaign)
    return RedirectResponse("/organiser", 303)


@decisions.post("/add")
def add_evaluator(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Add an evaluator, and show the link this once."""
    name, like = field_text(fields, "name", _LONGEST_NAME).strip(), field_text(fields, "like")
    with refusals():
        token, _ = organiser.store.add_evaluator(organiser.campaign, name, like or None)
    return _shown_link(request, organiser, name, token, replaced=False)


@decisions.post("/link")
def new_link(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Show a new link this once; the old one ends."""
    name = field_text(fields, "name")
    with refusals():
        token = organiser.store.new_token(organiser.campaign, name)
    return _shown_link(request, organiser, name, token, replaced=True)


@decisions.post("/revoke")
def revoke(organiser: Organiser, fields: Fields) -> Response:
    """End all access of an evaluator."""
    with refusals():
        organiser.store.revoke(organiser.campaign, field_text(fields, "name"))
    return _back(fields)


@decisions.post("/qualify")
def qualify(organiser: Organiser, fields: Fields) -> Response:
    """Decide whether an evaluator may judge, or leave it to the pass mark."""
    decision = field_text(fields, "qualified")
    if decision not in _QUALIFIED:
        raise HTTPException(422, "expected mark, yes or no")
    with refusals():
        organiser.store.set_qualified(
            organiser.campaign, field_text(fields, "name"), _QUALIFIED[decision]
        )
    return _back(fields)


@decisions.post("/exclude")
def exclude(organiser: Organiser, fields: Fields) -> Response:
    """Leave the answers of an evaluator out of all results, for a reason."""
    with refusals():
        organiser.store.exclude(
            organiser.campaign, field_text(fields, "name"), field_text(fields, "reason")
        )
    return _back(fields)


@decisions.post("/include")
def include(organiser: Organiser, fields: Fields) -> Response:
    """Count the answers of an evaluator again."""
    with refusals():
        organiser.store.include(
            organiser.campaign, field_text(fields, "name"), field_text(fields, "reason")
        )
    return _back(fields)


@decisions.post("/reassign")
def reassign(organiser: Organiser, fields: Fields) -> Response:
    """Give open pages of one evaluator to another."""
    giver, taker, count = (field_text(fields, name) for name in ("name", "to", "count"))
    if not (count.isascii() and count.isdecimal() and int(count)):
        raise HTTPException(422, "expected how many pages, from 1 up")
    with refusals():
        organiser.store.reassign_open_pages(organiser.campaign, giver, taker, int(count))
    return _back(fields)


@decisions.post("/agree")
def agree(organiser: Organiser, fields: Fields) -> Response:
    """Fix the common result for one text, or take it back."""
    key, value, note = (field_text(fields, name) for name in ("item", "value", "note"))
    with refusals():
        organiser.store.agree(organiser.campaign, key, value or None, note)
    phase, page = field_text(fields, "phase"), field_text(fields, "page")
    return RedirectResponse(f"/organiser/consensus?phase={quote(phase)}&page={quote(page)}", 303)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn refusals into pages that say why."""
    try:
        yield
    except NoCampaign:
        raise
    except PatmarkError as error:
        raise HTTPException(422, str(error)) from error


def _back(fields: Fields) -> Response:
    return RedirectResponse(f"/organiser/person?name={quote(field_text(fields, 'name'))}", 303)


def _shown_link(
    request: Request, organiser: OrganiserRequest, name: str, token: str, *, replaced: bool
) -> Response:
    address = server_address(request, organiser.store.address(organiser.campaign))
    campaign = organiser.store.campaign(organiser.campaign)
    links = {name: evaluator_link(address, token)}
    return shown_links(request, campaign, links, replaced=replaced)


NOTHING = "–"


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system with its score; ``low``, ``at`` and ``high`` place it on a line from 0 to 100."""

    name: str
    score: str
    interval: str
    pairwise: str
    n: int
    group: int | None
    low: float
    at: float
    high: float


@dataclass(frozen=True, slots=True)
class RankedCriterion:
    """The ranking by one criterion, with who beats whom by the sign test."""

    criterion: str
    score: str
    systems: tuple[RankedSystem, ...]
    marks: tuple[tuple[str, ...], ...]

    @property
    def has_pairwise(self) -> bool:
        """True if there is a pairwise score beside the mean."""
        return any(one.pairwise != NOTHING for one in self.systems)


def number(value: float | None, digits: int = 2) -> str:
    """Format a number, or a dash where there is none."""
    return NOTHING if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def interval(ci: tuple[float, float] | None, digits: int = 2) -> str:
    """Format an interval in brackets, or a dash."""
    if ci is None or not all(map(math.isfinite, ci)):
        return NOTHING
    return f"[{ci[0]:.{digits}f}, {ci[1]:.{digits}f}]"


def moment(time: str | None) -> str:
    """Format a time to the minute, or a dash."""
    return to_the_minute(time) or NOTHING


def ranked_criterion(one: CriterionRanking, pairwise: Mapping[str, float]) -> RankedCriterion:
    """Return the ranking by one criterion, best system first."""
    measured = one.measured
    names = measured.ranking
    ends = [end for name in names for end in measured.estimates[name].ci or ()]
    ends += [measured.estimates[name].value for name in names]
    lowest, highest = _bounds(ends)
    digits = 3 if one.score in ("pairwise", "wins") else 2
    systems = []
    for name in names:
        found = measured.estimates[name]
        low, high = found.ci or (found.value, found.value)
        places = [_place(end, lowest, highest) for end in (low, found.value, high)]
        beside = pairwise.get(name) if one.score == "mean" else None
        systems.append(
            RankedSystem(
                name,
                number(found.value, digits),
                interval(found.ci, digits),
                number(beside, 3),
                measured.counted[name],
                measured.cluster_of(name),
                *places,
            )
        )
    signs = one.sign_marks()
    marks = tuple(tuple(signs.get((row, column), "") for column in names) for row in names)
    return RankedCriterion(one.criterion, one.score, tuple(systems), marks)


def _bounds(ends: Sequence[float]) -> tuple[float, float]:
    known = [end for end in ends if math.isfinite(end)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _place(value: float, lowest: float, highest: float) -> float:
    """Return a place from 2 to 98, so that marks at the ends are seen whole."""
    if not math.isfinite(value) or highest <= lowest:
        return 50.0
    return round(2 + 96 * (value - lowest) / (highest - lowest), 2)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file that can be downloaded, and what it holds."""

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
    """Return the files that hold something by now, each with what it is."""
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
