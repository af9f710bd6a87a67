"""Names that the documentation of version 0.1 gave: they still work, and say where they are now."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

ROOMS_OF_MODULES = {
    "patmark.corpus.engine": ("patmark.engine",),
    "patmark.human": ("patmark.judgements", "patmark.campaign"),
    "patmark.human.campaign": ("patmark.campaign",),
    "patmark.protocols.bleu_gap": ("patmark.retrieval",),
    "patmark.protocols.human_ranking": ("patmark.judgements",),
    "patmark.protocols.judge_validation": ("patmark.judgements",),
    "patmark.protocols.task": ("patmark.tasks",),
    "patmark.protocols.topic_translation": ("patmark.protocols", "patmark.retrieval"),
}
"""Modules that are gone, and the rooms that have their names."""

ROOMS_OF_NAMES = {
    "patmark": ("patmark.evaluation",),
    "patmark.protocols": ("patmark.evaluation",),
}
"""Rooms that have given names away, and the rooms that have them."""

NEW_NAMES = {"Settings": "Sampling", "validate_judges": "validate_evaluators"}
"""Names that are others now."""


def find_name(room: str, own: Callable[[str], Any] | None, name: str) -> Any:
    """What a room has of its own, or else has given away: then there is a warning.

    With its first arguments it is the ``__getattr__`` of a room, or of a module that is gone.
    """
    if own is not None:
        with suppress(AttributeError):
            return own(name)
    path = f"{room}.{name}"
    if any(f"{gone}.".startswith(f"{path}.") for gone in ROOMS_OF_MODULES):
        return import_module(path)
    now = NEW_NAMES.get(name, name)
    rooms = ROOMS_OF_MODULES.get(room) or ROOMS_OF_NAMES[room]
    for new in () if name.startswith("__") else rooms:
        module = import_module(new)
        if now in module.__all__:
            message = f"{path} is {new}.{now} now"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return getattr(module, now)
    raise AttributeError(f"module {room!r} has no attribute {name!r}")


for _name in ROOMS_OF_MODULES:
    sys.modules[_name] = ModuleType(_name)
    sys.modules[_name].__dict__["__getattr__"] = partial(find_name, _name, None)
