"""A plain form of the input in which every character keeps its place."""

from __future__ import annotations

import re

from patmark.text.folding import fold
from patmark.text.scripts import has_cjk

# a code fence with its language, and the stars of bold letters (not those of 2**3)
_MARKDOWN = re.compile(
    r"^[ \t]{0,3}```[\w+-]{0,20}[ \t]*$|(?<!\w)\*\*(?=\S)|(?<=\S)\*\*(?!\w)", re.MULTILINE
)
# a page number on a line of its own; a bare one far from the margin or between two claims
_PAGE = re.compile(
    r"^[ \t]*(?:page[ \t]+\d{1,4}(?:[ \t]*(?:of|/)[ \t]*\d{1,4})?|-[ \t]?\d{1,4}[ \t]?-"
    r"|第[ \t]?\d{1,4}[ \t]?[页頁](?:[ \t]?,?[ \t]?共[ \t]?\d{1,4}[ \t]?[页頁])?"
    r"|(?<=[ \t]{16})\d{1,3}"
    r"|(?:(?<=[.。]\n)|(?<=[.。]\r\n))\d{1,3}(?=\s{1,9}\d{1,3}[.、]))[ \t\r]*$",
    re.IGNORECASE | re.MULTILINE,
)


def plain_form(text: str) -> str:
    """The folded text (half-width, simple dashes), stretched to the places of the original.

    Tags of sub- and superscripts, code fences, the marks of bold letters and page numbers become
    blanks; of a sign that folds to several characters the first is kept.
    """
    plain = _PAGE.sub(_blank, _stretched(text))
    if "**" not in plain and "```" not in plain:
        return plain
    return _MARKDOWN.sub(_blank, plain)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _stretched(text: str) -> str:
    folded = fold(text)
    if len(folded.text) == len(text):
        return folded.text
    characters = [" "] * len(text)
    for character, place in zip(reversed(folded.text), reversed(folded.places), strict=True):
        characters[place] = character
    return "".join(characters)


def last_word_start(text: str) -> int:
    """Where the last word of a text starts; in Chinese and Japanese its last character."""
    end = len(text.rstrip())
    start = max(0, end - 1)
    while start > 0 and not any(map(_ends_word, text[start - 1 : start + 1])):
        start -= 1
    return start


def _ends_word(character: str) -> bool:
    return character.isspace() or has_cjk(character)
