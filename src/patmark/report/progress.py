"""Progress in notebooks: a bar below the cell, without further libraries."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_QUIET_SECONDS, _LEAST_PAUSE = 1.0, 0.2


@contextmanager
def notebook_progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield a function that moves a bar (step, done, total); None outside notebooks.

    The bar appears when work takes more than a second, and is gone when the work is done.
    """
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if python is None or not hasattr(shell, "kernel"):
        yield None
        return
    display, html = python.display.display, python.display.HTML
    shown: list[Any] = []
    last = time.monotonic() + _QUIET_SECONDS - _LEAST_PAUSE

    def advance(name: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _LEAST_PAUSE:
            return
        last = now
        bar = html(_bar(name, done, total))
        if shown:
            shown[0].update(bar)
        else:
            shown.append(display(bar, display_id=True))

    try:
        yield advance
    finally:
        for handle in shown:
            handle.update(html(""))


def _bar(name: str, done: int, total: int) -> str:
    from markupsafe import Markup

    ends = Markup(' max="{}" value="{}"').format(total, done) if total else ""
    return Markup("<progress{}></progress> {} {}").format(
        ends, name, f"{done} of {total}" if total else done or ""
    )
