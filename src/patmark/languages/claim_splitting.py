"""Split a text into claims, headings and gaps without losing a character.

Claims start at their numbers. Claims without a number are found by their openings: in a new line
after the end of a sentence, or anywhere after one if a claim is mentioned at once.

| claim numbers that are found | where |
|---|---|
| ``【請求項1】`` ``[Claim 1]`` | anywhere |
| ``Claim 1:`` ``权利要求1：`` ``Claim 1 (original).`` | at the start of a line or a sentence |
| ``1.`` ``1、`` ``1．`` ``**1.**`` ``1 (original):`` | at the start of a line or a sentence |
| ``1)`` ``(1)`` ``1:`` ``[1]`` ``請求項1 軸を…`` | at the start of a line |
| ``1-4. (canceled)`` ``Claims 1, 2 and 4 to 6 (canceled)`` | at the start of a line or a sentence |
| ``1 A …`` | at the start of a line, if no number of the text has a sign |

A number that continues the count is accepted more easily than one that repeats, jumps or goes back.
The latter needs the end of a sentence before it and the opening of a claim after it. Lists inside a
claim and numbers at the end of a sentence start no claim.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Literal, TypeAlias

from patmark.languages.folding import fold
from patmark.languages.registry import joint_pattern
from patmark.languages.scripts import HAN, KANA

PieceKind: TypeAlias = Literal["heading", "claim", "gap"]
# a code fence with its language, and the stars of bold letters (not those of 2**3)
_MARKDOWN = re.compile(
    r"^[ \t]{0,3}```[\w+-]{0,20}[ \t]*$|(?<!\w)\*\*(?=\S)|(?<=\S)\*\*(?!\w)", re.MULTILINE
)
# a page number on its own line; a bare one far from the margin or between two claims
_PAGE = re.compile(
    r"^[ \t]*(?:page[ \t]+\d{1,4}(?:[ \t]*(?:of|/)[ \t]*\d{1,4})?|-[ \t]?\d{1,4}[ \t]?-"
    r"|第[ \t]?\d{1,4}[ \t]?[页頁](?:[ \t]?,?[ \t]?共[ \t]?\d{1,4}[ \t]?[页頁])?"
    r"|(?<=[ \t]{16})\d{1,3}"
    r"|(?:(?<=[.。]\n)|(?<=[.。]\r\n))\d{1,3}(?=\s{1,9}\d{1,3}[.、]))[ \t\r]*$",
    re.IGNORECASE | re.MULTILINE,
)
# the number of a paragraph before that of a claim: "[0012] 1. A pump"
_PARAGRAPH = re.compile(r"^[ \t]*[\[【]\d{4,5}[\]】](?=[ \t]*\d{1,3}[.)、])", re.MULTILINE)
_SENTENCE = re.compile(r"[.。]\s+(?=\S)|。(?=\S)")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_NUMBER = 12
_BULLET = re.compile(r"[-*•·●▪][ \t]+")


_LINE_BREAK = re.compile(r"(?<![^\S\n])[^\S\n]*\n(?P<empty>[^\S\n]*\n)?\s*(?=\S)")
_TO_THE_READER = re.compile(
    r"[^.!?\n]{0,200}\b(?:you|your|let me|please|I hope|I have|I can)\b", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"(?:(?:I(?:['’]m| am) (?:very |so |really )?|(?:we['’]re|we are) )?sorry\b"
    r"|(?:I|we) (?:cannot|can(?:['’]| no)t|won['’]t|will not|do(?: not|n['’]t)|apologi[sz]e)\b"
    r"|I(?:['’]m| am) (?:unable|not able)\b|unfortunately\b|(?:my )?apologies\b|as an AI\b"
    r"|(?:很|非常)?抱歉|[对對]不起|申し訳|すみません)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the input that is a heading, a claim, or text between them."""

    kind: PieceKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A claim before its analysis: its place, the start of its words, and its number."""

    start: int
    end: int
    content: int
    number: int | None
    last: int | None
    status: str | None


def plain_form(text: str) -> str:
    """Return the folded text (half-width, simple dashes) with the offsets of the original.

    Tags of sub- and superscripts, code fences, bold markers, page numbers and JSON list syntax
    become blanks. A character that folds to several keeps the first.
    """
    plain = _PARAGRAPH.sub(_blank, _PAGE.sub(_blank, _stretched(_without_json(text))))
    if "**" not in plain and "```" not in plain:
        return plain
    return _MARKDOWN.sub(_blank, plain)


_JSON_LIST = re.compile(r'\s*(?:\{\s*"claims"\s*:\s*)?\[\s*["{]')
_JSON_STRING = re.compile(r'"(?P<inside>(?:[^"\\]|\\.)*)"(?P<key>\s*:)?', re.DOTALL)
_JSON_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>.))", re.DOTALL)
_JSON_SIGNS = {"n": "\n", "t": "\t", "r": " ", "b": " ", "f": " "}
_SHORTEST_STRING = 12
_NUMBERED_STRING = re.compile(r"\s*\d{1,3}\s*[.)、．]\s*[^\W\d]")


def _without_json(text: str) -> str:
    """Return a JSON list of claims with its syntax blanked; every character keeps its place.

    A claim is a string that is no key. It starts on a new line.
    """
    if _JSON_LIST.match(text) is None:
        return text
    try:
        json.loads(text)
    except ValueError:
        return text
    pieces, last = [], 0
    for match in _JSON_STRING.finditer(text):
        claim = match["key"] is None and _is_claim(match["inside"])
        pieces += [" " * (match.start() - last)]
        pieces += (
            ["\n", _JSON_ESCAPE.sub(_unescaped, match["inside"]), " "]
            if claim
            else [" " * len(match.group())]
        )
        last = match.end()
    return "".join([*pieces, " " * (len(text) - last)])


def _is_claim(string: str) -> bool:
    """Return True for a string that is longer than a number or status, or is a numbered text."""
    return len(string) >= _SHORTEST_STRING or _NUMBERED_STRING.match(string) is not None


def _unescaped(match: re.Match[str]) -> str:
    """Return the character of an escape, with blanks before it."""
    if match["code"] is not None:
        return chr(int(match["code"], 16)).rjust(6)
    return _JSON_SIGNS.get(match["sign"], match["sign"]).rjust(2)


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


def split_claims(plain: str) -> tuple[tuple[Chunk, ...], tuple[Piece, ...]]:
    """Return the claims of a text in its plain form, and the partition of the text."""
    marks = _claim_numbers(plain)
    chunks: list[Chunk] = []
    headings: list[Piece] = []
    first = marks[0].start if marks else len(plain)
    words = _heading_end(plain, 0, first, loose=True)
    if words > 0:
        headings.append(Piece("heading", after_blanks(plain, 0, words), words))
    if _looks_like_claim(plain, words, first) or not (marks or _is_refusal(plain, words)):
        chunks += _unnumbered(plain, words, first, bool(marks))
    ends = [mark.start for mark in marks[1:]] + [len(plain)]
    for mark, end in zip(marks, ends, strict=False):
        chunks += _numbered(plain, mark, end)
    if chunks:
        chunks[-1] = _without_talk(plain, chunks[-1])
    return tuple(chunks), _partition(len(plain), headings, chunks)


def _looks_like_claim(plain: str, start: int, end: int) -> bool:
    """Return True if the text before the first number is a claim whose number is missing."""
    words = after_blanks(plain, start, end)
    if words == end:
        return False
    return has_claim_style(plain, words, end) or _opens_with_reference(plain, words)


def _is_refusal(plain: str, start: int) -> bool:
    """Return True if a text without claims begins like a refusal."""
    return _REFUSAL.match(plain, after_blanks(plain, start, len(plain))) is not None


def _numbered(plain: str, mark: Mark, end: int) -> Iterator[Chunk]:
    cuts = list(_cuts(plain, mark.end, end, numbered=True))
    stops = [*cuts, end]
    content = after_blanks(plain, mark.end, stops[0])
    stop = max(_trimmed(plain, mark.end, stops[0]), mark.end)
    note = _GONE_NOTE.fullmatch(plain, content, stop) if mark.status is None else None
    status = mark.status if note is None else note["status"]
    content = stop if note is not None else min(content, stop)
    yield Chunk(mark.start, stop, content, mark.number, mark.last, status)
    yield from _between(plain, stops)


def _unnumbered(plain: str, start: int, end: int, numbered: bool) -> Iterator[Chunk]:
    words = after_blanks(plain, start, end)
    if words < end:
        yield from _between(plain, [words, *_cuts(plain, words, end, numbered), end])


def _between(plain: str, stops: list[int]) -> Iterator[Chunk]:
    for start, end in pairwise(stops):
        bullet = _BULLET.match(plain, start, end)
        stop = _trimmed(plain, start, end)
        if stop > start:
            content = start if bullet is None else min(bullet.end(), stop)
            yield Chunk(start, stop, content, None, None, None)


def _cuts(plain: str, start: int, end: int, numbered: bool) -> Iterator[int]:
    """Find the starts of claims without a number inside a text, by their openings."""
    first = _LETTER.search(plain, start, end)
    for match in _SENTENCE.finditer(plain, end if first is None else first.end(), end):
        if not _sentence_ended(plain, match.start() + 1) or _is_bare_number(plain, match.start()):
            continue
        bullet = _BULLET.match(plain, match.end(), end)
        words = match.end() if bullet is None else bullet.end()
        if _opens_with_reference(plain, words) or (
            "\n" in match.group() and _opens_unnumbered(plain, words, end, numbered)
        ):
            yield match.end()


def _is_bare_number(plain: str, stop: int) -> bool:
    """Return True if only a number precedes a full stop on the line: "4."."""
    line = plain.rfind("\n", max(0, stop - _LONGEST_NUMBER), stop)
    return line >= 0 and plain[line:stop].strip().isdigit()


def _opens_unnumbered(plain: str, words: int, end: int, numbered: bool) -> bool:
    if not numbered:
        return _opens_claim(plain, words) or not plain[words].isascii()
    stop = min(end, words + 300)
    return _opens_claim(plain, words) and has_claim_style(plain, words, stop)


def _trimmed(plain: str, start: int, end: int) -> int:
    """Return the end of a claim without the blanks and ruled lines after it."""
    while True:
        end = before_blanks(plain, end, start)
        line = max(plain.rfind("\n", start, end), start)
        if line == start or _RULE.fullmatch(plain[line:end].strip()) is None:
            return end
        end = line


def _without_talk(plain: str, chunk: Chunk) -> Chunk:
    """Return the last claim without the closing remark of a writer: "Let me know if …".

    A remark is on a new line after the end of a sentence. It addresses the reader, or is a
    paragraph after which nothing has the style of a claim.
    """
    styled = _claim_style_end(plain, chunk.content, chunk.end)
    for match in _LINE_BREAK.finditer(plain, chunk.content, chunk.end):
        words = match.end()
        apart = match["empty"] is not None and words >= styled
        if (
            (apart or _TO_THE_READER.match(plain, words, chunk.end))
            and _is_fresh(plain, words)
            and _sentence_ended(plain, match.start())
        ):
            return replace(chunk, end=_trimmed(plain, chunk.content, match.start()))
    return chunk


def _partition(length: int, headings: list[Piece], chunks: list[Chunk]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    place = 0
    claims = [Piece("claim", chunk.start, chunk.end) for chunk in chunks]
    for piece in [*headings, *claims]:
        if piece.start > place:
            pieces.append(Piece("gap", place, piece.start))
        pieces.append(piece)
        place = piece.end
    if place < length:
        pieces.append(Piece("gap", place, length))
    return tuple(pieces)


_CLAIM_WORD = r"(?:claim|[权權]利要求|[请請]求[项項]|청구항)"
_GONE_WORDS = r"cancell?ed|deleted|withdrawn|not[ -]entered|[删刪削]除|取消|撤回"
_STATUS_WORDS = (
    r"(?:(?:once|twice|thrice|(?:two|three|four|five) times|currently|previously)[ -])?amended"
    r"|previously[ -](?:presented|added|cancell?ed)|original(?:ly)?|new(?:ly)?|added|reinstated"
    rf"|re-?presented|unchanged|allowed|{_GONE_WORDS}|原始|[经經]?修改|新增|新規|追加|補正|補正[前後]|出願時"
)
_IN_BRACKETS = rf"[(\[](?P<{{0}}>(?:{_STATUS_WORDS})\b[^()\[\]\n]{{{{0,60}}}})[)\]]"
_STATUS = rf"(?:\s?{_IN_BRACKETS.format('status')})?"
_EXPLICIT = re.compile(
    rf"[【\[]\s?{_CLAIM_WORD}\s?(?P<bracketed>\d{{1,5}})\s?[】\]]"
    rf"|\b{_CLAIM_WORD}[ \t]{{0,3}}(?P<worded>\d{{1,5}})"
    rf"{_STATUS}[ \t]?(?P<mark>\*{{0,2}}[:.)、-](?!\d)\*{{0,2}}"
    r"|(?=\s*[\r\n]|\s(?-i:An?|The)\b)|(?=(?<=\s)(?P<cjk>[" + HAN + KANA + r"]))|\Z)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<number>(?<![^\n])\d(?: \d){1,2}|(?<!\d)\d{1,5})"
    r"(?:\.?[ \t]?-[ \t]?(?P<last>\d{1,5}))?[ \t]?"
    rf"(?:{_IN_BRACKETS.format('early')}[ \t]?)?"
    r"(?P<mark>\.\)|[.、):]|(?(early)|(?!)))(?!\d)\*{0,2}"
    rf"(?(early)|(?=\s*(?:[^\W\d_]|[(\[\"“'‘<])|\s+\d)){_STATUS}",
    re.IGNORECASE,
)
# canceled claims that share a note: "1. to 36. (canceled)", "Claims 1, 2 and 4-6 (canceled)"
_LISTED = rf"[【\[]?(?:{_CLAIM_WORD}s?[ \t]?)?\d{{1,4}}[】\]]?\.?"
_UNTIL = r"-|~|to|through|thru|至|到|から|乃至|ないし"
_LIST_LINK = rf"[ \t]*(?:{_UNTIL}|,[ \t]*and|[,;、&和及と]|and|及び|および|並びに)[ \t]*"
_GONE_LIST = re.compile(
    rf"{_LISTED}(?:{_LIST_LINK}{_LISTED})+[ \t]*[.:、)]?\s{{0,3}}"
    rf"(?:[(\[]\s?(?P<status>(?:{_GONE_WORDS})[^()\[\]\n]{{0,60}})[)\]]\.?"
    rf"|(?:(?:are|have been|were)[ \t]+)?(?P<bare>{_GONE_WORDS})\b[.。]?(?=\s*(?:\n|\Z)))",
    re.IGNORECASE,
)
_GONE = re.compile(_GONE_WORDS, re.IGNORECASE)
_LISTED_RANGE = re.compile(
    rf"(\d{{1,4}})[】\].]*(?:[ \t]*(?:{_UNTIL})[ \t]*"
    rf"[【\[]?(?:{_CLAIM_WORD}s?[ \t]?)?(\d{{1,4}}))?",
    re.IGNORECASE,
)
# a claim of which only the note remains: 【請求項2】(削除)
_GONE_NOTE = re.compile(
    rf"(?P<open>[(\[])?\s?(?P<status>(?:{_GONE_WORDS})[^()\[\].。\n]{{0,60}})(?(open)[)\]])\s?[.。]?",
    re.IGNORECASE,
)
# 請求項1に記載の, 权利要求1所述的: a mention continues after its number
_MENTION_GOES_ON = frozenset("にのをはがとかまでや又若或和与與及至到乃或所中任的项項-~,、;")
_BARE = re.compile(r"^[ \t]*(?P<number>\d{1,3})[ \t]+(?=[^\W\d_])", re.MULTILINE)
_SQUARE = re.compile(r"^[ \t]*\[(?P<number>\d{1,3})\][ \t]*(?=[^\W\d_])", re.MULTILINE)
_LEAD = " \t#*>•·●▪-(＊"
_CONTINUED = re.compile(
    r"(?:\b(?:claims?|and|or|to|of|than|least|from|between|about|figs?|figures?|nos?|formula|step|"
    r"steps|is|are|by|through|example|table)|[权權]利要求|[请請]求[项項]|或|和|至|图|図|第)\.?$",
    re.IGNORECASE,
)
# a list of drawn formulas that the text lacks: "consisting of 13. The method of claim 1"
_BROKEN_OFF = re.compile(r"\b(?:consist\w*\s+of|compris\w+|includ\w+)\Z", re.IGNORECASE)
_INNER_LIST = re.compile(r"(?:\n\s*|: ?)\(?1[.)]\s")
_LIST_OPEN = re.compile(r"[;:,](?:\s*(?:and|or))?\Z", re.IGNORECASE)
_LARGE_JUMP = 20
_SOON = 60
_SMALL_JUMP = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A claim number in the text: the start of its claim, and the start of its words."""

    start: int
    end: int
    number: int
    last: int | None
    status: str | None


def _claim_numbers(plain: str) -> list[Mark]:
    """Return the claim numbers, in the notation that comes first."""
    gone = list(_gone_lists(plain))
    explicit = _explicit_marks(plain, gone)
    first = bool(explicit) and before_blanks(plain, explicit[0].start) == 0
    if first and len(explicit) > sum(map(len, gone)):
        return explicit
    numbered = _numbered_marks(plain, gone)
    if explicit and (not numbered or explicit[0].start < numbered[0].start):
        return explicit
    return numbered or _bare_marks(plain, _SQUARE) or _bare_marks(plain, _BARE)


def _gone_lists(plain: str) -> Iterator[list[Mark]]:
    """Yield the marks of canceled claims that share a note, one for each range of numbers."""
    matches = _GONE_LIST.finditer(plain) if _GONE.search(plain) is not None else ()
    for match in matches:
        line = _line_lead(plain, match.start())
        if line is None and not _sentence_ended(plain, match.start()):
            continue
        status = match["status"] or match["bare"]
        note = match.start("status" if match["status"] else "bare")
        ranges = list(_LISTED_RANGE.finditer(plain, match.start(), note))
        starts = [match.start() if line is None else line, *(each.start() for each in ranges[1:])]
        ends = [*starts[1:], match.end()]
        yield [
            Mark(start, end, int(each[1]), int(each[2]) if each[2] else None, status)
            for start, end, each in zip(starts, ends, ranges, strict=True)
        ]


def _between_gone(
    matches: Iterator[re.Match[str]], gone: list[list[Mark]], marks: list[Mark]
) -> Iterator[re.Match[str]]:
    """Yield the matches outside the lists of canceled claims, which are added as marks."""
    waiting = list(gone)
    for match in matches:
        while waiting and waiting[0][0].start <= match.start():
            marks += waiting.pop(0)
        if not gone or not any(one[0].start <= match.start() < one[-1].end for one in gone):
            yield match
    for rest in waiting:
        marks += rest


def _bare_marks(plain: str, pattern: re.Pattern[str]) -> list[Mark]:
    """Return numbers without a sign, if they count the claims of the whole text from 1."""
    marks: list[Mark] = []
    for match in pattern.finditer(plain):
        number, ended = int(match["number"]), _sentence_ended(plain, match.start())
        first = not marks and before_blanks(plain, match.start()) <= _heading_end(
            plain, 0, match.start(), loose=True
        )
        if number == len(marks) + 1 and (first or ended) and _opens_claim(plain, match.end()):
            marks.append(Mark(match.start(), match.end(), number, None, None))
    return marks if len(marks) > 1 else []


def _explicit_marks(plain: str, gone: list[list[Mark]]) -> list[Mark]:
    """Find numbers with the word "claim", except mentions at the start of a wrapped line."""
    marks: list[Mark] = []
    for match in _between_gone(_EXPLICIT.finditer(plain), gone, marks):
        if match["bracketed"] is not None:
            marks.append(Mark(match.start(), match.end(), int(match["bracketed"]), None, None))
            continue
        line = _line_lead(plain, match.start())
        start = match.start() if line is None else line
        if match["cjk"] is not None and (line is None or match["cjk"] in _MENTION_GOES_ON):
            continue
        after_note = bool(marks) and before_blanks(plain, start) <= marks[-1].end
        if _sentence_ended(plain, start) or (after_note and marks[-1].status is not None):
            accepted = line is not None or match["mark"] != ""
        else:
            accepted = line is not None and _is_worded(plain, match, line, marks[-1:])
        if accepted:
            number = int(match["worded"])
            marks.append(Mark(start, match.end(), number, None, match["status"]))
    return marks


def _is_worded(plain: str, match: re.Match[str], line: int, previous: list[Mark]) -> bool:
    """Return True if "Claim 1." at a line start begins a claim without a full stop before."""
    if _goes_on(plain, line):
        return False
    before = before_blanks(plain, line)
    if ":" in match["mark"] or match["status"] is not None:
        return True
    if plain[match.start()] == "c":
        return False
    if plain[before - 1] == ":" or before <= _heading_end(plain, 0, line, loose=True):
        return True
    words = after_blanks(plain, match.end(), len(plain))
    continued = bool(previous) and int(match["worded"]) == previous[0].number + 1
    return continued and match["mark"] != "" and _opens_claim(plain, words)


def _numbered_marks(plain: str, gone: list[list[Mark]]) -> list[Mark]:
    marks: list[Mark] = []
    for match in _between_gone(_NUMBERED.finditer(plain), gone, marks):
        line = _line_lead(plain, match.start())
        if _is_number(plain, match, line, marks[-1] if marks else None):
            start = match.start() if line is None else line
            number = int(match["number"].replace(" ", ""))
            end_number = None if match["last"] is None else int(match["last"])
            marks.append(Mark(start, match.end(), number, end_number, _status(match)))
    return marks


def _status(match: re.Match[str]) -> str | None:
    """Return the status after a number, or between the number and its sign."""
    status: str | None = match["status"] or match["early"]
    return status


def _is_number(plain: str, match: re.Match[str], line: int | None, previous: Mark | None) -> bool:
    """Return True if a number is a claim number; see the top of this file."""
    number = int(match["number"].replace(" ", ""))
    if line is None and match["early"] is None and match["mark"] in "):":
        return False
    start = match.start() if line is None else line
    words = after_blanks(plain, match.end("mark"), len(plain))
    ended = _sentence_ended(plain, start)
    if previous is None:
        return _is_first(plain, start, words, line is not None, ended)
    last = previous.last or previous.number
    if before_blanks(plain, start) <= previous.end:
        ended = previous.status is not None
    if line is None and plain[start - 1] == "." and plain[start - 2].isdigit():
        return number == last + 1 and _soon_refers(plain, words)
    if number == last + 1:
        if ended:
            return (
                line is not None
                or _is_fresh(plain, words)
                or _has_article(plain, words)
                or has_claim_style(plain, words, words + _SOON)
            )
        return (
            _status(match) is not None
            or _continues_count(plain, previous.end, start, words, line is not None)
            or _opens_paragraph(plain, previous.end, start, words)
        )
    if not ended:
        return line is not None and _jumps_forward(plain, match, line, words, number - last)
    if line is not None:
        if _status(match) is not None:
            return True
        return _opens_claim(plain, words) or (number > last and _is_fresh(plain, words))
    if _opens_claim(plain, words):
        return last <= number <= last + _LARGE_JUMP or _soon_refers(plain, words)
    return last < number <= last + _SMALL_JUMP and _is_fresh(plain, words)


def _jumps_forward(plain: str, match: re.Match[str], line: int, words: int, jump: int) -> bool:
    """Return True if a later number at a line start begins a claim inside a sentence."""
    if _status(match) is not None:
        return True
    if jump <= 0 or _goes_on(plain, line):
        return False
    if _opens_with_reference(plain, words):
        return True
    listed = plain[before_blanks(plain, line) - 1] in ",;:"
    return jump <= _LARGE_JUMP and not listed and _opens_claim(plain, words)


def _is_first(plain: str, start: int, words: int, on_line: bool, ended: bool) -> bool:
    heading = _heading_end(plain, 0, start, loose=True)
    if before_blanks(plain, start) <= heading:
        return on_line or _is_fresh(plain, words) or _has_article(plain, words)
    return ended and (_opens_claim(plain, words) or (on_line and _is_fresh(plain, words)))


def _continues_count(plain: str, previous: int, start: int, words: int, on_line: bool) -> bool:
    """Return True if the next number begins a claim though no sentence ended before it."""
    before = before_blanks(plain, start)
    if before == start and not on_line:
        return False
    if on_line and _LIST_OPEN.search(plain, previous, before) and _opens_claim(plain, words):
        # after "a frame; and" or "consisting of:", unless a nested list has begun
        return _INNER_LIST.search(plain, previous, start) is None
    if plain[before - 1] in ",;:":
        clear = _opens_with_reference(plain, words)
    else:
        clear = _is_fresh(plain, words) if on_line else _opens_claim(plain, words)
    broken_off = _BROKEN_OFF.search(plain, max(previous, before - 20), before) is not None
    return clear and (not _goes_on(plain, start) or broken_off)


def _opens_paragraph(plain: str, previous: int, start: int, words: int) -> bool:
    """Return True if a claim begins after an empty line inside a sentence.

    Items of a numbered list inside a claim are excluded.
    """
    before = before_blanks(plain, start)
    if plain.count("\n", before, start) < 2:
        return False
    clear = _opens_with_reference(plain, words) or (
        _opens_claim(plain, words) and has_claim_style(plain, words, words + 300)
    )
    return clear and _INNER_LIST.search(plain, previous, start) is None


def _goes_on(plain: str, place: int) -> bool:
    """Return True if the words before a place require a number after them: "of claim", "FIG."."""
    before = before_blanks(plain, place)
    return _CONTINUED.search(plain, max(0, before - 12), before) is not None


def _line_lead(plain: str, place: int) -> int | None:
    """Return the start of a line, without blanks, if only bullets precede ``place``."""
    start = place
    while start > 0 and place - start < 12 and plain[start - 1] in _LEAD:
        start -= 1
    if start > 0 and plain[start - 1] != "\n":
        return None
    while start < place and plain[start] in " \t":
        start += 1
    return start


_ANY_CLAIM_WORD = r"(?:\bclaims?\b|[权權]利要求|[请請]求[项項]|申[请請][专專]利[范範][围圍])"
_ARTICLE = re.compile(r"(?:an?|the|said|one or more|at least one|in an?|use)\b", re.IGNORECASE)
_STRICT = re.compile(
    r"(?:An?|The|In an?|One or more|At least one|Use|Method|Process|Apparatus|System|Device|"
    r"Composition|Computer|Non-transitory|Kit)\b"
    r"|一[种種个個]|根据|根據|如[权權请請申上前]|按照|依据|依據|依照|[权權]利要求|[请請]求[项項]"
)
# 2-methylpropane, 4,4'-dimethyl
_CHEMICAL = r"\d{1,2}(?:[,']{1,2}\d{0,2}){0,4}-[A-Za-z(\[]"
_FRESH = re.compile(rf"[A-ZÄÖÜÉÀ(\[\"“'‘<{HAN}{KANA}가-힣]|{_CHEMICAL}")
_REFERRING = re.compile(rf"[^.。]{{0,200}}?{_ANY_CLAIM_WORD}", re.IGNORECASE)
_DIRECTLY_REFERRING = re.compile(
    r"(?:An?|The)\b[^.;]{0,80}?\b(?:of|to|in|by|with|per)\s+(?:(?:any|one|either|of|the)\s+){0,4}"
    r"(?:(?:preceding|previous|foregoing)\s+claims?\b|claims?\s+\d)"
    rf"|(?:一[种種])?(?:根据|根據|如|按照|依据|依據)(?:上述|前述)?{_ANY_CLAIM_WORD}"
)
_STYLE = re.compile(
    r"compris|consist|wherein|characteri[sz]ed|including|having|\bclaims? \d|"
    r"其特征|其中|包括|包含|[权權]利要求\d|[请請]求[项項]\d|利[范範][围圍]第|備え|有する|特徴|含む",
    re.IGNORECASE,
)
_HEADING_WORDS = (
    r"(?:claims?\s+)?what\s+(?:is|we|i)\s+claim(?:ed)?(?:\s+(?:as\s+new\s+)?is)?"
    r"|(?:what\s+)?(?:we|i)(?:\s*/\s*we)?\s+(?:hereby\s+)?claim|the\s+invention\s+claimed\s+is"
    r"|it\s+is\s+claimed|that\s+which\s+is\s+claimed(?:\s+is)?|(?:patent\s+|the\s+)?claims?"
    r"|(?:patent|schutz)?anspr[uü]che?|revendications?|in\s+the\s+claims|amendments?\s+to\s+the\s+claims|listing\s+of\s+claims"
    r"|[权權]\s?利\s?要\s?求\s?[书書]?|申[请請][专專]利[范範][围圍]|(?:【書類名】)?【?(?:特許|実用新案登録)?請求の範囲】?|请求项|請求項"
)
_LONGEST_HEADING = 200
_ABBREVIATION_WORDS = "no nos fig figs eq eqs vol approx ca al e.g i.e cf ref sec st vs pat ser art"
_ABBREVIATIONS = frozenset(_ABBREVIATION_WORDS.split())
# a line of dashes or stars
_RULE = re.compile(r"[-*_=#•]+")


def after_blanks(plain: str, place: int, end: int) -> int:
    """Return the first place that is not blank, or ``end``."""
    while place < end and plain[place].isspace():
        place += 1
    return place


def before_blanks(plain: str, place: int, start: int = 0) -> int:
    """Return the place after the last non-blank character before ``place``, or ``start``."""
    while place > start and plain[place - 1].isspace():
        place -= 1
    return place


def stops_outside_brackets(plain: str, start: int, end: int) -> Iterator[int]:
    """Yield the places of 。 that end a sentence, not those in (式中、nは1である。)."""
    depth = 0
    for place in range(start, end):
        sign = plain[place]
        depth += (sign in "([") - (sign in ")]")
        if sign == "。" and depth <= 0:
            yield place


def _is_fresh(plain: str, place: int) -> bool:
    """Return True if a sentence may start here: a capital, an opening bracket, CJK."""
    return _FRESH.match(plain, place) is not None


def _has_article(plain: str, place: int) -> bool:
    """Return True if an article is here, in any case."""
    return _ARTICLE.match(plain, place) is not None


def _opens_claim(plain: str, place: int) -> bool:
    """Return True if these words usually open a claim."""
    return _STRICT.match(plain, place) is not None


def _soon_refers(plain: str, place: int) -> bool:
    """Return True if the sentence that starts here mentions a claim soon."""
    return _REFERRING.match(plain, place, place + 220) is not None


def _opens_with_reference(plain: str, place: int) -> bool:
    """Return True if a dependent claim opens here: "The device of claim 1"."""
    return _DIRECTLY_REFERRING.match(plain, place, place + 160) is not None


def has_claim_style(plain: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Return True if the text has a word that is typical of claims."""
    return _STYLE.search(plain, start, end) is not None


def _claim_style_end(plain: str, start: int, end: int) -> int:
    """Return the end of the last word typical of claims; ``start`` if there is none."""
    place = start
    for match in _STYLE.finditer(plain, start, end):
        place = match.end()
    return place


@cache
def _heading() -> re.Pattern[str]:
    """Return a pattern for a title of claims in a language of the packs."""
    words = f"{_HEADING_WORDS}|{joint_pattern('facts', 'claims-title')}"
    return re.compile(
        rf"[\s#*]{{0,200}}(?:[一二三四五六七八九十][、.]\s?)?(?:{words})[ \t]*"
        r"(?::[* \t]*|(?=[* \t]*(?:\n|\Z)))",
        re.IGNORECASE,
    )


def _heading_end(plain: str, start: int, end: int, loose: bool) -> int:
    """Return the end of the headings at the start of a text; ``start`` if there is none.

    A loose heading is any short line that ends with a colon and contains no claim.
    """
    place = start
    while place < end:
        match = _heading().match(plain, place, end)
        if match is None and loose:
            match = _loose_heading(plain, after_blanks(plain, place, end), end)
        if match is None:
            return place
        place = match.end()
    return place


_LOOSE = re.compile(rf"[^\n:]{{1,{_LONGEST_HEADING}}}:[* \t]*(?=\n|\Z)")


def _loose_heading(plain: str, start: int, end: int) -> re.Match[str] | None:
    match = _LOOSE.match(plain, start, end)
    if match is None or has_claim_style(plain, start, match.end()):
        return None
    return match


def _sentence_ended(plain: str, place: int) -> bool:
    """Return True if a sentence ended before a place; abbreviations do not end one."""
    end = before_blanks(plain, place)
    while end > 0 and plain[end - 1] in "\"”'’)]*":
        end -= 1
    if end == 0 or plain[end - 1] in "。!?":
        return True
    if plain[end - 1] != ".":
        if _RULE.match(plain, end - 1) is None:
            return False
        return _RULE.fullmatch(plain[plain.rfind("\n", 0, end) + 1 : end].strip()) is not None
    word = plain[max(0, end - 8) : end - 1].split()
    return not word or word[-1].lower().lstrip("(") not in _ABBREVIATIONS
