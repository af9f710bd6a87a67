"""Sessions seen a moment ago, so that a save need not ask the database who is saving."""

from __future__ import annotations

import threading
from collections import OrderedDict

from patmark.campaign.store.database import now
from patmark.campaign.store.records import Session
from patmark.campaign.store.store import Store

_MOST = 4096


class KnownSessions:
    """Reads sessions of a store, and remembers whose they are, which never changes.

    A session can end in the meantime, also by another process. What is remembered is therefore
    good only for a write that has the store look at the session once more.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, token: str) -> Session | None:
        """The session of a token, as the store knows it now."""
        found = self._store.session(token)
        with self._lock:
            if found is None:
                self._known.pop(token, None)
                return None
            self._known[token] = found
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return found

    def remembered(self, token: str) -> Session | None:
        """The session of a token if it was read before and its time is not over."""
        with self._lock:
            found = self._known.get(token)
        return found if found is not None and found.expires > now() else None

    def close(self, token: str) -> None:
        """End a session in the store, whatever the browser keeps."""
        with self._lock:
            self._known.pop(token, None)
        self._store.close_session(token)
