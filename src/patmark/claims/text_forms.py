"""Forms of a claim text, and detection of unsupported languages.

In the plain form every character keeps its place. The canonical form is equal for texts with
irrelevant differences, and maps places back to the original:

| in the text | becomes |
|---|---|
| a run of white space | an empty line if there is one in it, else a line break, else one blank |
| reference signs in brackets after a word | nothing |
| said, the said, aforesaid | the |
| curly quotes, full-width characters | the simple ones |
| hidden text (:mod:`patmark.claims.visible_text`) | blanks |
| characters without width | nothing |

The rules for claims support English, Chinese and Japanese. The script identifies Chinese and
Japanese. A text in Latin letters is taken for English, unless it has more function words of other
languages.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from patmark.claims.visible_text import INVISIBLE, visible_text
from patmark.claims.words import word_list
from patmark.languages import (
    DEFAULT_LANGUAGE,
    REFERENCE_SIGN,
    function_words,
    has_cjk,
    kept_in_workspace,
    plain_form,
)
from patmark.wording import tr


def one_line(text: str, longest: int) -> str:
    """Return a piece of text on one line, shortened with an ellipsis if it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def last_word_start(text: str) -> int:
    """Return the start of the last word; in Chinese and Japanese of the last character."""
    end = len(text.rstrip())
    start = max(0, end - 1)
    while start > 0 and not any(map(_ends_word, text[start - 1 : start + 1])):
        start -= 1
    return start


def _ends_word(character: str) -> bool:
    return character.isspace() or has_cjk(character)


_CHANGED = re.compile(
    rf"(?=[\s(tas]|{INVISIBLE})"  # saves three quarters of the attempts
    rf"(?:(?P<signs>(?<=\w)\s*\(\s*{REFERENCE_SIGN}(?:\s*[,;/-]\s*{REFERENCE_SIGN})*\s*\))"
    r"|(?P<the>(?<!\w)(?:the\s+)?(?:afore)?said\b)"
    rf"|(?P<break>[^\S\n]*\n\s*)|(?P<blank>\s{{2,}}|[^\S ])|(?P<width>{INVISIBLE}+))",
    re.IGNORECASE,
)
_NEW = {"signs": "", "blank": " ", "width": ""}
_QUOTES = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """The text, and the starts of its pieces, here and in the original."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    source: str

    def written(self, start: int, end: int) -> str:
        """Return a place on one line, in Chinese and Japanese with the signs of the original."""
        text = self.text[start:end]
        if has_cjk(text):
            text = self.source[slice(*self.original(start, end))]
        return " ".join(text.split())

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original of a place in the text."""
        first = self._origin(start)
        return first, self._origin(end - 1) + 1 if end > start else first

    def _origin(self, place: int) -> int:
        piece = bisect_right(self.starts, place) - 1
        return self.origins[piece] + place - self.starts[piece]


def canonical_form(text: str) -> CanonicalText:
    """Return the form in which texts are parsed and compared."""
    plain = plain_form(visible_text(text).text).translate(_QUOTES)
    parts: list[str] = []
    starts, origins = [0], [0]
    length = place = 0
    for match in _CHANGED.finditer(plain):
        start, end = match.span()
        new = _replacement(match)
        parts += (plain[place:start], new)
        length += start - place
        starts += (length, length + len(new))
        origins += (start, end)
        length += len(new)
        place = end
    parts.append(plain[place:])
    return CanonicalText("".join(parts), tuple(starts), tuple(origins), text)


def _replacement(match: re.Match[str]) -> str:
    if match.lastgroup == "the":
        return "The" if match.group()[0].isupper() else "the"
    if match.lastgroup == "break":
        return "\n" if match.group().count("\n") == 1 else "\n\n"
    return _NEW[match.lastgroup or ""]


_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_ENGLISH = word_list("english")
_OTHER = word_list("other-languages") - _ENGLISH
_FEWEST_WORDS = 6
UNREAD = tr(
    "the text does not look like English, Chinese or Japanese; the rules are for these three"
)


@kept_in_workspace(256)
def is_unread(text: str, language: str = DEFAULT_LANGUAGE) -> bool:
    """Return True if the rules for claims do not fit the language of a text; False if unsure.

    ``language`` is the one in which the claims are read.
    """
    if has_cjk(text):
        return False
    words = Counter(_WORD.findall(text.lower()))
    if words.total() < _FEWEST_WORDS:
        return False
    foreign = sum(
        times for word, times in words.items() if not word.isascii() and not _LATIN.fullmatch(word)
    )
    known = _ENGLISH
    if language != DEFAULT_LANGUAGE:
        known |= function_words("detection", language)
    own = sum(words[word] for word in known)
    other = sum(words[word] for word in _OTHER - known)
    return 2 * foreign > words.total() or other > own
