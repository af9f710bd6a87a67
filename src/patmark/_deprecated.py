"""Names that the documentation of version 0.1 gave: they still work, and say where they are now."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

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
    "patmark.corpus": ("patmark.data", "patmark.patents"),
    "patmark.protocols": ("patmark.evaluation",),
    "patmark.retrieval": ("patmark.measures",),
}
"""Rooms that have given names away, and the rooms that have them."""

NEW_NAMES = {"Settings": "Sampling", "validate_judges": "validate_evaluators"}
"""Names that are others now."""


class MovedModules:
    """Finds and makes the modules that are gone."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module without a file, for the names in the table only."""
        return (
            ModuleSpec(name, cast("Any", self), is_package=True)
            if name in ROOMS_OF_MODULES
            else None
        )

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Names are looked up when they are used."""
        old = module.__name__
        module.__dict__["__getattr__"] = lambda name: moved(old, ROOMS_OF_MODULES[old], name)


sys.meta_path.append(cast("Any", MovedModules()))


def with_moved_names(room: str, own: Callable[[str], Any]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a room that has given names away."""

    def find(name: str) -> Any:
        try:
            return own(name)
        except AttributeError:
            return moved(room, ROOMS_OF_NAMES[room], name)

    return find


def moved(old: str, rooms: Sequence[str], name: str) -> Any:
    """The name from its new room, with a warning."""
    now = NEW_NAMES.get(name, name)
    for room in () if name.startswith("__") else rooms:
        module = import_module(room)
        if now in module.__all__:
            message = f"{old}.{name} is {room}.{now} now"
            warnings.warn(message, DeprecationWarning, stacklevel=3)
            return getattr(module, now)
    raise AttributeError(f"module {old!r} has no attribute {name!r}")
