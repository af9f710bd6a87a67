"""How often each answer was given, where there is one system only and nothing to rank."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from patmark.campaign.form import Choice
from patmark.campaign.results import AnswerBook
from patmark.campaign.state import CampaignData
from patmark.stats.wilson import wilson_interval


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """The share of one answer with its Wilson interval.

    Segments weigh the same, however many evaluators judged them; ``n`` is their number, because
    two answers about one segment are not independent.
    """

    choice: Choice
    share: float
    ci: tuple[float, float]
    n: int


def answer_shares(data: CampaignData) -> dict[str, tuple[AnswerShare, ...]]:
    """The shares of all answers of the main phase by question; none if there are two systems."""
    book = AnswerBook.of(*data.without(data.excluded))
    main = [page for page in book.plan.pages if page.phase == "main"]
    systems = {system for page in main for one in page.candidates for system in one.systems}
    if len(systems) != 1:
        return {}
    found: dict[str, tuple[AnswerShare, ...]] = {}
    for question in book.plan.form.questions:
        given: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for page in main:
            for candidate in page.candidates:
                value = book.value(page, candidate.label, question.id)
                if value is not None:
                    given[page.segment][value] += 1
        if given and question.choices and question.kind in ("grade", "chart"):
            found[question.id] = tuple(_share(choice, given) for choice in question.choices)
    return found


def _share(choice: Choice, given: dict[str, Counter[str]]) -> AnswerShare:
    shares = [counts[choice.value] / counts.total() for counts in given.values()]
    share = min(1.0, sum(shares) / len(shares))
    return AnswerShare(choice, share, wilson_interval(share, len(shares)), len(shares))
