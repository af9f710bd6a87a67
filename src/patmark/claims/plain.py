"""A plain form of the input in which every character keeps its place."""

from __future__ import annotations

from patmark.text.folding import fold


def plain_form(text: str) -> str:
    """The folded text (half-width, simple dashes), stretched to the places of the original.

    Tags of sub- and superscripts become blanks; of a sign that folds to several characters the
    first is kept.
    """
    folded = fold(text)
    if len(folded.text) == len(text):
        return folded.text
    characters = [" "] * len(text)
    for character, place in zip(reversed(folded.text), reversed(folded.places), strict=True):
        characters[place] = character
    return "".join(characters)
