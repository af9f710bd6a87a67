"""A plain form of the input in which every character keeps its place."""

from __future__ import annotations

import re

from patmark.text.folding import fold

# a code fence with its language, and the stars of bold letters (not those of 2**3)
_MARKDOWN = re.compile(
    r"^[ \t]{0,3}```[\w+-]{0,20}[ \t]*$|(?<!\w)\*\*(?=\S)|(?<=\S)\*\*(?!\w)", re.MULTILINE
)


def plain_form(text: str) -> str:
    """The folded text (half-width, simple dashes), stretched to the places of the original.

    Tags of sub- and superscripts, code fences and the marks of bold letters become blanks; of a
    sign that folds to several characters the first is kept.
    """
    plain = _stretched(text)
    if "**" not in plain and "```" not in plain:
        return plain
    return _MARKDOWN.sub(lambda match: " " * len(match.group()), plain)


def _stretched(text: str) -> str:
    folded = fold(text)
    if len(folded.text) == len(text):
        return folded.text
    characters = [" "] * len(text)
    for character, place in zip(reversed(folded.text), reversed(folded.places), strict=True):
        characters[place] = character
    return "".join(characters)
