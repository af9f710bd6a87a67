"""One form for texts that differ in what does not matter, and the way back to the original.

| in the text | becomes |
|---|---|
| a run of white space | an empty line if there is one in it, else a line break, else one blank |
| reference signs in brackets after a word | nothing |
| said, the said, aforesaid | the |
| curly quotes, full-width characters | the simple ones |
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from patmark.claims.plain import plain_form

_SIGN = r"[A-Za-z]{0,2}\d{1,4}[a-z']{0,2}"
_CHANGED = re.compile(
    rf"(?P<signs>(?<=\w)\s*\(\s*{_SIGN}(?:\s*[,;/-]\s*{_SIGN})*\s*\))"
    r"|(?P<the>\b(?:the\s+)?(?:afore)?said\b)|(?P<break>[^\S\n]*\n\s*)|(?P<blank>\s{2,}|[^\S ])",
    re.IGNORECASE,
)
_NEW = {"signs": "", "blank": " "}
_QUOTES = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """The text, and where its pieces start, here and in the original."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a place in the text."""
        first = self._origin(start)
        return first, self._origin(end - 1) + 1 if end > start else first

    def _origin(self, place: int) -> int:
        piece = bisect_right(self.starts, place) - 1
        return self.origins[piece] + place - self.starts[piece]


def canonical_form(text: str) -> CanonicalText:
    """The form in which texts are parsed and compared."""
    plain = plain_form(text).translate(_QUOTES)
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
    return CanonicalText("".join(parts), tuple(starts), tuple(origins))


def _replacement(match: re.Match[str]) -> str:
    if match.lastgroup == "the":
        return "The" if match.group()[0].isupper() else "the"
    if match.lastgroup == "break":
        return "\n" if match.group().count("\n") == 1 else "\n\n"
    return _NEW[match.lastgroup or ""]
