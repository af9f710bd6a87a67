"""The organiser's pages: progress, agreement, checks, ranking, consensus, and the log."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from patmark.judgements import Phase
from patmark.protocols import (
    CampaignData,
    answer_shares,
    common_items,
    pages_to_move,
    rank_campaign,
    read_campaign_data,
    validate_campaign,
    watch,
    watch_people,
)
from patmark.protocols.campaign_live import pairwise_scores
from patmark.web import organiser_view as view
from patmark.web.organiser_words import organiser_phrases
from patmark.web.rendering import language_of, render
from patmark.web.sessions import Organiser

router = APIRouter()
_ON_A_PAGE = 20
_PHASES: tuple[Phase, ...] = ("training", "main")


@router.get("/organiser")
def show_progress(request: Request, visit: Organiser) -> Response:
    """How far everybody is; closing, adding evaluators, exports."""
    data = read_campaign_data(visit.store, visit.campaign)
    sources = {page.id: page.source for page in data.plan.pages}
    return shown(
        request,
        "organiser_progress.html.j2",
        data,
        people=watch_people(data),
        flags=[(one, sources.get(one.page, "")) for one in data.remarks],
        kinds=_kinds(data),
    )


@router.get("/api/organiser/progress")
def progress_numbers(visit: Organiser) -> dict[str, Any]:
    """The numbers that the page of progress renews by itself."""
    found = visit.store.progress(visit.campaign)
    return {
        one.evaluator: {
            "done": one.done,
            "total": one.total,
            "training_done": one.training_done,
            "training_total": one.training_total,
            "seen": view.moment(one.last_saved),
        }
        for one in found
    }


@router.get("/organiser/person")
def show_person(request: Request, visit: Organiser, name: str = "") -> Response:
    """One evaluator, and what can be decided about them."""
    data = read_campaign_data(visit.store, visit.campaign)
    person = next((one for one in watch_people(data) if one.name == name), None)
    if person is None:
        return RedirectResponse("/organiser", 303)
    others = [other for other in data.plan.evaluators if other != name]
    movable = {other: len(pages_to_move(data.plan, data.given, name, other)) for other in others}
    return shown(
        request,
        "organiser_person.html.j2",
        data,
        person=person,
        movable={other: count for other, count in movable.items() if count},
        remarks=[one for one in data.remarks if one.evaluator == name],
    )


@router.get("/organiser/agreement")
def show_agreement(request: Request, visit: Organiser) -> Response:
    """Agreement of the evaluators, and what is peculiar to each."""
    data = read_campaign_data(visit.store, visit.campaign)
    found, notes = validate_campaign(data)
    return shown(request, "organiser_agreement.html.j2", data, validations=found, notes=notes)


@router.get("/organiser/checks")
def show_checks(request: Request, visit: Organiser) -> Response:
    """Training, attention checks, repeats, and pages answered too fast."""
    data = read_campaign_data(visit.store, visit.campaign)
    return shown(request, "organiser_checks.html.j2", data, seen=watch(data))


@router.get("/organiser/ranking")
def show_ranking(request: Request, visit: Organiser) -> Response:
    """The ranking so far, which no evaluator ever sees."""
    data = read_campaign_data(visit.store, visit.campaign)
    ranking, reason = rank_campaign(data)
    pairwise = pairwise_scores(data)
    rankings = [
        view.ranked_criterion(one, pairwise.get(one.criterion, {}))
        for one in (ranking.rankings if ranking else ())
    ]
    notes = (*ranking.notices, *data.results.notes) if ranking else ()
    return shown(
        request,
        "organiser_ranking.html.j2",
        data,
        rankings=rankings,
        reason=reason,
        notes=notes,
        shares=answer_shares(data),
    )


@router.get("/organiser/consensus")
def show_consensus(request: Request, visit: Organiser, phase: str = "", page: int = 1) -> Response:
    """Where evaluators disagree, and what was agreed on."""
    data = read_campaign_data(visit.store, visit.campaign)
    wanted = next((one for one in _PHASES if one == phase), None)
    items = common_items(data, wanted)
    pages = max(1, -(-len(items) // _ON_A_PAGE))
    page = min(max(1, page), pages)
    return shown(
        request,
        "organiser_consensus.html.j2",
        data,
        items=items[(page - 1) * _ON_A_PAGE : page * _ON_A_PAGE],
        phase=wanted or "",
        page=page,
        pages=pages,
    )


@router.get("/organiser/log")
def show_log(request: Request, visit: Organiser) -> Response:
    """Who did what when, the latest first."""
    campaign = visit.store.campaign(visit.campaign)
    events = list(reversed(visit.store.events(visit.campaign)))
    return render(
        request,
        "organiser_log.html.j2",
        o=organiser_phrases(language_of(request)),
        campaign=campaign,
        events=events,
        moment=view.moment,
    )


def shown(request: Request, template: str, data: CampaignData, **content: Any) -> Response:
    """A page of the organiser, with what all of them need."""
    return render(
        request,
        template,
        o=organiser_phrases(language_of(request)),
        campaign=data.info,
        plan=data.plan,
        number=view.number,
        p_value=view.p_value,
        interval=view.interval,
        moment=view.moment,
        state_key=view.state_key,
        **content,
    )


def _kinds(data: CampaignData) -> dict[str, bool]:
    """Which kinds of rows an export would hold."""
    results = data.results
    return {
        "judgements": results.judgements is not None,
        "preferences": results.preferences is not None,
    }
