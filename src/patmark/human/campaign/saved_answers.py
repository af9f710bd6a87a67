"""Saved answers of a campaign: the latest of each page, the time spent, and the last saves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from patmark.human.campaign.records import StoredAnswer


@dataclass(frozen=True, slots=True, eq=False)
class SavedAnswers:
    """Latest answers of each page, in the order of their last save.

    ``seconds`` is the time spent on each page over all saves with a time, ``last`` the time of the
    last save of each evaluator.
    """

    by_page: Mapping[str, Mapping[tuple[str, str], StoredAnswer]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)

    def with_later(self, saves: Iterable[StoredAnswer]) -> SavedAnswers:
        """Return a copy with later answers, given by time on each page."""
        by_page = dict(self.by_page)
        seconds, last = dict(self.seconds), dict(self.last)
        own: defaultdict[str, dict[tuple[str, str], StoredAnswer]] = defaultdict(dict)
        for one in saves:
            answer, place = one.answer, one.place
            page = answer.page
            if page not in own:
                own[page] |= by_page.get(page, {})
            known = own[page].pop(place, None)
            is_newer = known is None or answer.revision > known.answer.revision
            own[page][place] = one if is_newer or known is None else known
            if answer.seconds is not None:
                seconds[page] = seconds.get(page, 0.0) + answer.seconds
            if answer.saved > last.get(one.evaluator, ""):
                last[one.evaluator] = answer.saved
        return SavedAnswers(by_page | own, seconds, last)

    def latest_on(self, pages: Iterable[str]) -> tuple[StoredAnswer, ...]:
        """Return the latest answers on some pages."""
        return tuple(one for page in pages for one in self.by_page.get(page, {}).values())
