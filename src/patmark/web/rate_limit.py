"""Limits for guessing: how often something may fail, by address and in all."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

_MOST_ADDRESSES = 10_000


class FailureLimit:
    """Counts failures in a sliding window, for each address and for all of them together.

    Only failures count: a class of evaluators behind one address is never locked out by its own
    valid links. If too many fail in all, one failure is enough to have to wait; who never failed
    can still enter, so that nobody can shut the door for everybody. The memory is bounded: the
    address that failed longest ago is forgotten first.
    """

    def __init__(
        self,
        per_address: int,
        in_all: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_address = per_address
        self._in_all = in_all
        self._seconds = seconds
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()
        self._lock = threading.Lock()

    def wait(self, address: str) -> int:
        """How many seconds the address has to wait before it may try again; 0 for none."""
        with self._lock:
            now = self._clock()
            self._forget(now)
            waits = [0.0]
            own = self._failures.get(address, deque())
            while own and own[0] <= now - self._seconds:
                own.popleft()
            if len(own) >= self._per_address:
                waits.append(own[len(own) - self._per_address] + self._seconds - now)
            if own and len(self._all) >= self._in_all:
                waits.append(self._all[len(self._all) - self._in_all] + self._seconds - now)
            longest = max(waits)
        return int(longest) + 1 if longest > 0 else 0

    def failed(self, address: str) -> None:
        """Count one failure."""
        with self._lock:
            now = self._clock()
            self._failures.setdefault(address, deque(maxlen=self._per_address)).append(now)
            self._failures.move_to_end(address)
            self._all.append(now)
            while len(self._all) > self._in_all:
                self._all.popleft()
            while len(self._failures) > _MOST_ADDRESSES:
                self._failures.popitem(last=False)

    def _forget(self, now: float) -> None:
        """Drop what is older than the window."""
        oldest = now - self._seconds
        while self._all and self._all[0] <= oldest:
            self._all.popleft()
        while self._failures:
            address, times = next(iter(self._failures.items()))
            if times and times[-1] > oldest:
                break
            del self._failures[address]
