"""Whether an evaluator may judge, remembered for a moment because every save asks for it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from patmark.campaign.plan import Page
from patmark.campaign.store.store import Store
from patmark.campaign.web.progress import standing_of

_SECONDS = 20.0
_MOST_PAGES = 4096


class Permissions:
    """Answers from memory what changes rarely: the texts of pages, and who may judge.

    Only a permission is remembered, and only for some seconds; a refusal is asked for again each
    time. That a page belongs to its evaluator is checked by the store at every save.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._granted: dict[tuple[str, str], float] = {}
        self._pages: OrderedDict[tuple[str, str, str], Page] = OrderedDict()
        self._lock = threading.Lock()

    def remembered(self, campaign: str, evaluator: str, page_id: str) -> Page | None:
        """A page that its evaluator may write to, if that is known without asking the store."""
        with self._lock:
            page = self._pages.get((campaign, evaluator, page_id))
            is_granted = self._granted.get((campaign, evaluator), 0.0) > self._clock()
        return page if page is not None and (is_granted or page.phase == "training") else None

    def page(self, campaign: str, evaluator: str, page_id: str) -> Page | None:
        """A page of an evaluator; one that was theirs a moment ago may still be found."""
        key = campaign, evaluator, page_id
        with self._lock:
            known = self._pages.get(key)
        found = known or self._store.page(campaign, evaluator, page_id)
        if found is not None and known is None:
            with self._lock:
                self._pages[key] = found
                while len(self._pages) > _MOST_PAGES:
                    self._pages.popitem(last=False)
        return found

    def may_judge(self, campaign: str, evaluator: str) -> bool:
        """Whether the main phase is open to an evaluator."""
        key = campaign, evaluator
        with self._lock:
            if self._granted.get(key, 0.0) > self._clock():
                return True
        if not standing_of(self._store, campaign, evaluator).may_judge:
            return False
        with self._lock:
            self._granted[key] = self._clock() + _SECONDS
        return True
