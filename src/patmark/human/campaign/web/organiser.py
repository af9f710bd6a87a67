"""The organiser's pages: progress, people, agreement, checks, ranking, consensus, log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from patmark.human.campaign.annotations import proposal_shares
from patmark.human.campaign.completion_codes import completions
from patmark.human.campaign.consensus import common_items
from patmark.human.campaign.extension import pages_to_move
from patmark.human.campaign.mail import reminders
from patmark.human.campaign.odd_evaluators import agreement_sentence, oddities
from patmark.human.campaign.results import answer_shares
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.status import (
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
from patmark.human.campaign.stopping import stop_rule
from patmark.human.campaign.store.answers import LATE
from patmark.human.campaign.store.tables import now
from patmark.human.campaign.web.downloads import offered_files
from patmark.human.campaign.web.rendering import NOTHING, interval, moment, number, render
from patmark.human.campaign.web.sessions import Organiser, OrganiserRequest
from patmark.human.campaign.written_texts import writing_efforts
from patmark.human.judgements import (
    CriterionRanking,
    Phase,
    evaluator_tables,
)
from patmark.report import message_texts

router = APIRouter()
_ON_A_PAGE = 20
_COUNTS = ("done", "total", "training_done", "training_total")
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
        late=_late_evaluators(organiser, state),
        flags=[(one, sources.get(one.page, "")) for one in state.remarks],
        files=offered_files(state, written := writing_efforts(state.counted)),
        written=writing_table(written),
        proposals=proposals_table(proposal_shares(state.counted)),
    )


def _late_evaluators(organiser: OrganiserRequest, state: CampaignState) -> list[str]:
    since = state.info.closed
    found = organiser.store.events(organiser.campaign) if since else []
    late = (one.evaluator for one in found if one.action == LATE and since and one.at >= since)
    return sorted({name for name in late if name})


@router.get("/api/organiser/progress")
def progress_numbers(organiser: Organiser) -> dict[str, Any]:
    """Return the numbers that the page of progress renews by itself."""
    state = organiser.state()
    people = {
        one.name: {name: getattr(one, name) for name in _COUNTS} | {"seen": moment(one.last_saved)}
        for one in state.people
    }
    return {"all": state.progress.to_json(), "people": people}


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
        address=state.address_of(name),
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
        sentences=[sentence for one in found if (sentence := agreement_sentence(one))],
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
        published=organiser.store.published(organiser.campaign) is not None,
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
    )


def shown(request: Request, template: str, state: CampaignState, **content: Any) -> Response:
    """Render a page of the organiser with the parts that all of them need."""
    return render(
        request,
        template,
        campaign=state.info,
        plan=state.plan,
        **content,
    )


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
    """The ranking by one criterion, with who beats whom by the sign test.

    ``no_verdict`` is the reason why nothing is called significant; there are then no groups.
    """

    criterion: str
    score: str
    systems: tuple[RankedSystem, ...]
    marks: tuple[tuple[str, ...], ...]
    no_verdict: str

    @property
    def has_marks(self) -> bool:
        """True if the sign test says something of any two systems."""
        return any(mark for row in self.marks for mark in row)

    @property
    def has_pairwise(self) -> bool:
        """True if there is a pairwise score beside the mean."""
        return any(one.pairwise != NOTHING for one in self.systems)


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
    no_verdict = measured.no_verdict
    return RankedCriterion(one.criterion, one.score, tuple(systems), marks, no_verdict)


def _bounds(ends: Sequence[float]) -> tuple[float, float]:
    known = [end for end in ends if math.isfinite(end)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _place(value: float, lowest: float, highest: float) -> float:
    """Return a place from 2 to 98, so that marks at the ends are seen whole."""
    if not math.isfinite(value) or highest <= lowest:
        return 50.0
    return round(2 + 96 * (value - lowest) / (highest - lowest), 2)
