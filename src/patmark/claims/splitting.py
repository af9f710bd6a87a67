"""A text cut into claims, headings and gaps without losing a character.

Claims start at their numbers. Claims without a number are found by their openings: in a new line
after the end of a sentence, or anywhere after one when a claim is mentioned at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from patmark.claims.claim_numbers import Mark, claim_numbers
from patmark.claims.model import Piece
from patmark.claims.openings import (
    RULE,
    after_blanks,
    before_blanks,
    claim_style_end,
    has_claim_style,
    heading_end,
    is_fresh,
    opens_claim,
    opens_with_reference,
    sentence_ended,
)

_SENTENCE = re.compile(r"[.。]\s+(?=\S)|。(?=\S)")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_NUMBER = 12
_BULLET = re.compile(r"[-*•·●▪][ \t]+")


_LINE_BREAK = re.compile(r"(?<![^\S\n])[^\S\n]*\n(?P<empty>[^\S\n]*\n)?\s*(?=\S)")
_TO_THE_READER = re.compile(
    r"[^.!?\n]{0,200}\b(?:you|your|let me|please|I hope|I have|I can)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A claim before its analysis: its place, where its words start, and what it states."""

    start: int
    end: int
    content: int
    number: int | None
    last: int | None
    status: str | None


def split_claims(plain: str) -> tuple[tuple[Chunk, ...], tuple[Piece, ...]]:
    """The claims of a text in its plain form, and the partition of the text."""
    marks = claim_numbers(plain)
    chunks: list[Chunk] = []
    headings: list[Piece] = []
    first = marks[0].start if marks else len(plain)
    words = heading_end(plain, 0, first, loose=True)
    if words > 0:
        headings.append(Piece("heading", after_blanks(plain, 0, words), words))
    if not marks or _looks_like_claim(plain, words, first):
        chunks += _unnumbered(plain, words, first, bool(marks))
    ends = [mark.start for mark in marks[1:]] + [len(plain)]
    for mark, end in zip(marks, ends, strict=False):
        chunks += _numbered(plain, mark, end)
    if chunks:
        chunks[-1] = _without_talk(plain, chunks[-1])
    return tuple(chunks), _partition(len(plain), headings, chunks)


def _looks_like_claim(plain: str, start: int, end: int) -> bool:
    """Whether the text before the first number is a claim whose number is missing."""
    words = after_blanks(plain, start, end)
    if words == end:
        return False
    return has_claim_style(plain, words, end) or opens_with_reference(plain, words)


def _numbered(plain: str, mark: Mark, end: int) -> Iterator[Chunk]:
    cuts = list(_cuts(plain, mark.end, end, numbered=True))
    stops = [*cuts, end]
    content = after_blanks(plain, mark.end, stops[0])
    stop = max(_trimmed(plain, mark.end, stops[0]), mark.end)
    yield Chunk(mark.start, stop, min(content, stop), mark.number, mark.last, mark.status)
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
    """Where a claim without a number starts inside a text, by its opening."""
    first = _LETTER.search(plain, start, end)
    for match in _SENTENCE.finditer(plain, end if first is None else first.end(), end):
        if not sentence_ended(plain, match.start() + 1) or _is_bare_number(plain, match.start()):
            continue
        bullet = _BULLET.match(plain, match.end(), end)
        words = match.end() if bullet is None else bullet.end()
        if opens_with_reference(plain, words) or (
            "\n" in match.group() and _opens_unnumbered(plain, words, end, numbered)
        ):
            yield match.end()


def _is_bare_number(plain: str, stop: int) -> bool:
    """Whether only a number stands on the line before a full stop: "4."."""
    line = plain.rfind("\n", max(0, stop - _LONGEST_NUMBER), stop)
    return line >= 0 and plain[line:stop].strip().isdigit()


def _opens_unnumbered(plain: str, words: int, end: int, numbered: bool) -> bool:
    if not numbered:
        return opens_claim(plain, words) or not plain[words].isascii()
    stop = min(end, words + 300)
    return opens_claim(plain, words) and has_claim_style(plain, words, stop)


def _trimmed(plain: str, start: int, end: int) -> int:
    """The end of a claim without the blanks and ruled lines after it."""
    while True:
        end = before_blanks(plain, end, start)
        line = max(plain.rfind("\n", start, end), start)
        if line == start or RULE.fullmatch(plain[line:end].strip()) is None:
            return end
        end = line


def _without_talk(plain: str, chunk: Chunk) -> Chunk:
    """The last claim without what a writer says after it: "Let me know if …".

    It stands on a new line after the end of a sentence, and speaks to the reader or is a paragraph
    after which nothing has the style of a claim.
    """
    styled = claim_style_end(plain, chunk.content, chunk.end)
    for match in _LINE_BREAK.finditer(plain, chunk.content, chunk.end):
        words = match.end()
        apart = match["empty"] is not None and words >= styled
        if (
            (apart or _TO_THE_READER.match(plain, words, chunk.end))
            and is_fresh(plain, words)
            and sentence_ended(plain, match.start())
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
