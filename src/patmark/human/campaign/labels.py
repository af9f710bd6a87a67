"""The labels under which evaluators see candidates: letters that say nothing of the system."""

from __future__ import annotations

_LETTERS = 26


def label(place: int) -> str:
    """The label of a place from 0: A to Z, then AA, AB and so on."""
    text = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, _LETTERS)
        text = chr(ord("A") + letter) + text
    return text
