"""Waiting in line: threads get a place in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """Lets so many threads in at once.

    The locks and pools at hand let newcomers overtake: with fifty writers, one of them was seen
    to wait for six seconds while the others took a hundredth.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._line: deque[threading.Lock] = deque()
        self._guard = threading.Lock()

    def __enter__(self) -> None:
        with self._guard:
            if self._free:
                self._free -= 1
                return
            called = threading.Lock()
            called.acquire()
            self._line.append(called)
        try:
            called.acquire()
        except BaseException:
            self._give_up(called)
            raise

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._line:
                self._line.popleft().release()
            else:
                self._free += 1

    def _give_up(self, called: threading.Lock) -> None:
        """Leave the line after an interrupt, or hand on the place that came meanwhile."""
        with self._guard:
            if called in self._line:
                self._line.remove(called)
                return
        self.__exit__()
