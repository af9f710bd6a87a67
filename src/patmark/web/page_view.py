"""What the browser gets of a page: texts under blind labels, never systems, phases or checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Answer, Page
from patmark.human.campaign.training_results import page_corrections
from patmark.human.store import CampaignInfo, Remark
from patmark.web.claim_view import ClaimView, claim_views
from patmark.web.differences import Run, differences
from patmark.web.progress import agreement_of


@dataclass(frozen=True, slots=True)
class TextView:
    """A text in runs, some of them marked; as claims, if it has several."""

    text: str
    language: str | None
    runs: tuple[Run, ...]
    claims: tuple[ClaimView, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate; ``beside`` is the reference with the places that differ from it."""

    label: str
    shown: TextView
    beside: TextView | None = None


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as it is shown."""

    id: str
    source: TextView | None
    reference: TextView | None
    candidates: tuple[CandidateView, ...]
    context: tuple[tuple[str, str], ...]


def page_view(form: Form, info: CampaignInfo, page: Page) -> PageView:
    """The parts of a page that its form shows."""
    target = info.target_language
    marks = form.marks_differences
    reference = page.reference if form.shows_reference else ""
    with_claims = form.material == "claims"

    def text_view(text: str, language: str | None, runs: tuple[Run, ...] = ()) -> TextView:
        runs = runs or (Run(0, text),)
        return TextView(
            text, language, runs, claim_views(text, language, runs) if with_claims else ()
        )

    candidates: list[CandidateView] = []
    texts = [candidate.text for candidate in page.candidates]
    for place, candidate in enumerate(page.candidates):
        if marks and reference:
            left, right = differences(reference, candidate.text)
            beside = text_view(reference, target, left)
            shown = text_view(candidate.text, target, right)
            candidates.append(CandidateView(candidate.label, shown, beside))
        else:
            others = texts[:place] + texts[place + 1 :] if marks else []
            runs = _own_runs(candidate.text, others)
            candidates.append(
                CandidateView(candidate.label, text_view(candidate.text, target, runs))
            )
    alone = reference and not marks
    return PageView(
        id=page.id,
        source=text_view(page.source, info.source_language) if form.shows_source else None,
        reference=text_view(reference, target) if alone else None,
        candidates=tuple(candidates),
        context=_context(page.context),
    )


def page_state(
    form: Form, page: Page, answers: Sequence[Answer], remark: Remark | None
) -> dict[str, Any]:
    """The answers of a page for its script."""
    return {
        "page": page.id,
        "answers": [
            {
                "candidate": answer.candidate,
                "question": answer.question,
                "value": answer.value,
                "detail": dict(answer.detail),
                "revision": answer.revision,
            }
            for answer in answers
        ],
        "remark": {"text": remark.text, "flagged": remark.flagged} if remark else None,
        "computed": [{"id": score.id, "weights": dict(score.weights)} for score in form.computed],
    }


def feedback(
    form: Form, page: Page, answers: Iterable[Answer], tolerance: int
) -> dict[str, Any] | None:
    """The reference answers of a training page. Only for a page that is final."""
    if page.phase != "training" or not page.expected:
        return None
    found = page_corrections(form, page, answers, tolerance)
    agreement = agreement_of(found)
    return {
        "right": agreement.right,
        "total": agreement.total,
        "expected": [
            {
                "candidate": one.candidate,
                "question": one.question,
                "value": one.expected,
                "agrees": one.agrees,
            }
            for one in found
        ],
    }


def _own_runs(text: str, others: Sequence[str]) -> tuple[Run, ...]:
    """The text with the places marked that none of the other texts has."""
    if not others or not text:
        return ()
    own = [True] * len(text)
    for other in others:
        for run in differences(other, text)[1]:
            if not run.differs:
                own[run.start : run.end] = [False] * (run.end - run.start)
    runs: list[Run] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or own[at] != own[start]:
            runs.append(Run(start, text[start:at], own[start]))
            start = at
    return tuple(runs)


def _context(context: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The parts of the context that have a text, by name."""
    return tuple(
        (name, "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
        for name, value in context.items()
        if value not in (None, "", [], ())
    )
