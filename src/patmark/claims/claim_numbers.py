"""Where the numbers of claims stand in a text.

| claim numbers that are found | where |
|---|---|
| ``【請求項1】`` ``[Claim 1]`` | anywhere |
| ``Claim 1:`` ``权利要求1：`` ``Claim 1 (original).`` | at the start of a line or a sentence |
| ``1.`` ``1、`` ``1．`` ``**1.**`` ``1-4. (canceled)`` | at the start of a line or a sentence |
| ``1)`` ``(1)`` ``1:`` | at the start of a line |

A number that continues the count is believed sooner than one that repeats, jumps or goes back:
that one needs the end of a sentence before it and the opening of a claim after it. Lists inside
a claim and figures at the end of a sentence stay where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from patmark.claims.openings import (
    after_blanks,
    before_blanks,
    has_article,
    has_claim_style,
    heading_end,
    is_fresh,
    opens_claim,
    opens_with_reference,
    sentence_ended,
    soon_refers,
)

_CLAIM_WORD = r"(?:claim|[权權]利要求|[请請]求[项項])"
_STATUS_WORDS = (
    r"currently[ -]amended|previously[ -](?:presented|amended)|amended|original|new|re-?presented"
    r"|cancell?ed|deleted|withdrawn|not[ -]entered"
)
_STATUS = rf"(?:\s?[(\[](?P<status>(?:{_STATUS_WORDS})[^()\[\]\n]{{0,60}})[)\]])?"
_EXPLICIT = re.compile(
    rf"[【\[]\s?{_CLAIM_WORD}\s?(?P<bracketed>\d{{1,5}})\s?[】\]]"
    rf"|\b{_CLAIM_WORD}[ \t]{{0,3}}(?P<worded>\d{{1,5}})"
    rf"{_STATUS}[ \t]?(?P<mark>\*{{0,2}}[:.)、-](?!\d)\*{{0,2}}"
    r"|(?=\s*[\r\n]|\s(?-i:An?|The)\b)|\Z)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<number>(?<![^\n])\d(?: \d){1,2}|(?<!\d)\d{1,5})(?:[ \t]?-[ \t]?(?P<last>\d{1,5}))?[ \t]?"
    rf"(?P<mark>\.\)|[.、):])(?!\d)\*{{0,2}}(?=\s*(?:[^\W\d_]|[(\[\"“'‘<])|\s+\d){_STATUS}",
    re.IGNORECASE,
)
_LEAD = " \t#*>•·●▪-(＊"
_CONTINUED = re.compile(
    r"(?:\b(?:claims?|and|or|to|of|than|least|from|between|about|figs?|figures?|nos?|formula|step|"
    r"steps|is|are|by|through|example|table)|[权權]利要求|[请請]求[项項]|或|和|至|图|図|第)\.?$",
    re.IGNORECASE,
)
_INNER_LIST = re.compile(r"(?:\n\s*|: ?)\(?1[.)]\s")
_LARGE_JUMP = 20
_SMALL_JUMP = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A claim number in the text: where its claim starts, and where the words start."""

    start: int
    end: int
    number: int
    last: int | None
    status: str | None


def claim_numbers(plain: str) -> list[Mark]:
    """The claim numbers, in the notation that comes first."""
    explicit = _explicit_marks(plain)
    if explicit and before_blanks(plain, explicit[0].start) == 0:
        return explicit
    numbered = _numbered_marks(plain)
    if explicit and (not numbered or explicit[0].start < numbered[0].start):
        return explicit
    return numbered


def _explicit_marks(plain: str) -> list[Mark]:
    """Numbers with the word "claim"; a mention that a line break left at a line start is none."""
    marks: list[Mark] = []
    for match in _EXPLICIT.finditer(plain):
        if match["bracketed"] is not None:
            marks.append(Mark(match.start(), match.end(), int(match["bracketed"]), None, None))
            continue
        line = _line_lead(plain, match.start())
        start = match.start() if line is None else line
        if sentence_ended(plain, start):
            accepted = line is not None or match["mark"] != ""
        else:
            accepted = line is not None and _is_worded(plain, match, line, marks[-1:])
        if accepted:
            number = int(match["worded"])
            marks.append(Mark(start, match.end(), number, None, match["status"]))
    return marks


def _is_worded(plain: str, match: re.Match[str], line: int, previous: list[Mark]) -> bool:
    """Whether "Claim 1." at a line start begins a claim though no sentence ended before it."""
    if _goes_on(plain, line):
        return False
    before = before_blanks(plain, line)
    if ":" in match["mark"] or match["status"] is not None:
        return True
    if plain[match.start()] == "c":
        return False
    if plain[before - 1] == ":" or before <= heading_end(plain, 0, line, loose=True):
        return True
    words = after_blanks(plain, match.end(), len(plain))
    continued = bool(previous) and int(match["worded"]) == previous[0].number + 1
    return continued and match["mark"] != "" and opens_claim(plain, words)


def _numbered_marks(plain: str) -> list[Mark]:
    marks: list[Mark] = []
    for match in _NUMBERED.finditer(plain):
        line = _line_lead(plain, match.start())
        if _is_number(plain, match, line, marks[-1] if marks else None):
            start = match.start() if line is None else line
            number = int(match["number"].replace(" ", ""))
            end_number = None if match["last"] is None else int(match["last"])
            marks.append(Mark(start, match.end(), number, end_number, match["status"]))
    return marks


def _is_number(plain: str, match: re.Match[str], line: int | None, previous: Mark | None) -> bool:
    """Whether a number is a claim number; see the top of this file."""
    number = int(match["number"].replace(" ", ""))
    if line is None and match["mark"] in "):":
        return False
    start = match.start() if line is None else line
    words = after_blanks(plain, match.end("mark"), len(plain))
    ended = sentence_ended(plain, start)
    if previous is None:
        return _is_first(plain, start, words, line is not None, ended)
    last = previous.last or previous.number
    if before_blanks(plain, start) <= previous.end:
        ended = previous.status is not None
    if line is None and plain[start - 1] == "." and plain[start - 2].isdigit():
        return number == last + 1 and soon_refers(plain, words)
    if number == last + 1:
        if ended:
            return line is not None or is_fresh(plain, words) or has_article(plain, words)
        return (
            match["status"] is not None
            or _continues_count(plain, start, words, line is not None)
            or _opens_paragraph(plain, previous.end, start, words)
        )
    if not ended:
        return line is not None and _jumps_forward(plain, match, line, words, number - last)
    if line is not None:
        return opens_claim(plain, words) or (number > last and is_fresh(plain, words))
    if opens_claim(plain, words):
        return last <= number <= last + _LARGE_JUMP or soon_refers(plain, words)
    return last < number <= last + _SMALL_JUMP and is_fresh(plain, words)


def _jumps_forward(plain: str, match: re.Match[str], line: int, words: int, jump: int) -> bool:
    """Whether a later number at a line start begins a claim though no sentence ended before it."""
    if match["status"] is not None:
        return True
    if jump <= 0 or _goes_on(plain, line):
        return False
    if opens_with_reference(plain, words):
        return True
    listed = plain[before_blanks(plain, line) - 1] in ",;:"
    return jump <= _LARGE_JUMP and not listed and opens_claim(plain, words)


def _is_first(plain: str, start: int, words: int, on_line: bool, ended: bool) -> bool:
    heading = heading_end(plain, 0, start, loose=True)
    if before_blanks(plain, start) <= heading:
        return on_line or is_fresh(plain, words) or has_article(plain, words)
    return ended and (opens_claim(plain, words) or (on_line and is_fresh(plain, words)))


def _continues_count(plain: str, start: int, words: int, on_line: bool) -> bool:
    """Whether the next number begins a claim though no sentence ended before it."""
    before = before_blanks(plain, start)
    if before == start and not on_line:
        return False
    if plain[before - 1] in ",;:":
        clear = opens_with_reference(plain, words)
    else:
        clear = is_fresh(plain, words) if on_line else opens_claim(plain, words)
    return clear and not _goes_on(plain, start)


def _opens_paragraph(plain: str, previous: int, start: int, words: int) -> bool:
    """Whether a claim begins after an empty line though the one before was cut in a sentence.

    The items of a numbered list inside a claim are none.
    """
    before = before_blanks(plain, start)
    if plain.count("\n", before, start) < 2:
        return False
    clear = opens_with_reference(plain, words) or (
        opens_claim(plain, words) and has_claim_style(plain, words, words + 300)
    )
    return clear and _INNER_LIST.search(plain, previous, start) is None


def _goes_on(plain: str, place: int) -> bool:
    """Whether the words before a place want a number after them: "of claim", "FIG."."""
    before = before_blanks(plain, place)
    return _CONTINUED.search(plain, max(0, before - 12), before) is not None


def _line_lead(plain: str, place: int) -> int | None:
    """Where a line starts (without blanks) if only bullets and the like stand before ``place``."""
    start = place
    while start > 0 and place - start < 12 and plain[start - 1] in _LEAD:
        start -= 1
    if start > 0 and plain[start - 1] != "\n":
        return None
    while start < place and plain[start] in " \t":
        start += 1
    return start
