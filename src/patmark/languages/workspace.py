"""Workspace of an evaluation: results that its measures share, freed when it ends.

A function decorated with :func:`kept_in_workspace` caches its last results only inside a ``with
workspace():`` block. Outside of one it computes them every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Value = TypeVar("_Value")
_CACHES: ContextVar[dict[Callable[..., Any], Callable[..., Any]] | None] = ContextVar(
    "patmark_workspace", default=None
)


@contextmanager
def workspace() -> Iterator[None]:
    """Open a workspace until the end of the block; an inner block joins the outer one."""
    if _CACHES.get() is not None:
        yield
        return
    opened = _CACHES.set({})
    try:
        yield
    finally:
        _CACHES.reset(opened)


def kept_in_workspace(
    most: int,
) -> Callable[[Callable[_Parameters, _Value]], Callable[_Parameters, _Value]]:
    """Decorate a function of hashable arguments so that a workspace keeps its ``most`` results."""

    def decorate(compute: Callable[_Parameters, _Value]) -> Callable[_Parameters, _Value]:
        @wraps(compute)
        def cached(*arguments: _Parameters.args, **named: _Parameters.kwargs) -> _Value:
            caches = _CACHES.get()
            if caches is None:
                return compute(*arguments, **named)
            if compute not in caches:
                caches[compute] = lru_cache(maxsize=most)(compute)
            value: _Value = caches[compute](*arguments, **named)
            return value

        return cached

    return decorate
