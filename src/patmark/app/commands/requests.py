"""Commands that take a request, or its fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def takes(
    request: type[Any], *names: str
) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """Let a command take a request, or its fields as arguments, of which ``names`` are positional.

    The command line makes a request of its options; ``split("pairs.jsonl", "out", seed=1)`` in
    Python makes the same one. ``progress`` is the only other argument.
    """

    def decorate(run: Callable[..., _Result]) -> Callable[..., _Result]:
        @wraps(run)
        def command(*given: Any, progress: Any = None, **fields: Any) -> _Result:
            whole = len(given) == 1 and isinstance(given[0], request)
            listed = dict(zip(names, given, strict=len(given) > len(names)))
            made = given[0] if whole else request(**listed, **fields)
            return run(made) if progress is None else run(made, progress)

        return command

    return decorate
