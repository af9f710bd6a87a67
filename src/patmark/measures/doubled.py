"""Text that the translation says twice in a row, or over and over, and the source does not.

| considered | when |
|---|---|
| one to three words (the the, of the of the) | only blanks between, and in small letters |
| a Chinese or Japanese word of claim language (所述, 前記) | said twice |
| two to seven Chinese or Japanese characters | said three times |
| one Chinese or Japanese character | said five times |
| four words or more, eight such characters or more | said twice, no mark between |
| the same, with a mark between | a whole clause said twice, or double that length |

Not considered: numbers, "that that", "had had", "results in in vivo tests", "layer by layer by
layer", a piece that the source repeats too, and as many long repeats as the source has. The first
saying is kept, every further one is surplus; the score is the share of words (Chinese, Japanese:
characters) that are not surplus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.data import Evidence, TestSet
from patmark.measures.base import Check, Finding
from patmark.text.scripts import CJK, HAN, KANA

_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_CJK_TOKEN = re.compile(rf"[{CJK}]")
_WORDS = re.compile(
    r"(?<![\w'’-])(?P<once>(?:[^\W\d_]{2,}|a)(?:\s+[^\W\d_]+){0,2}?)(?:\s+(?P=once))+(?![\w'’-])",
    re.IGNORECASE,
)
_CHARACTERS = re.compile(
    rf"(?P<once>[{HAN}{KANA}]{{2,7}}?)(?P=once){{2,}}|(?P<one>[{HAN}{KANA}])(?P=one){{4,}}"
    r"|(?P<said>所述|上述|以及|其中|根据|該当|該|该|前記|上記|または|および|及び|又は)(?P=said)"
)
_FINE = frozenset({"that", "had", "very", "so"})
_LINKS = frozenset({"by", "and", "to", "after", "upon", "or", "for"})
_FUNCTION_WORDS = frozenset({"the", "a", "an", "of", "in", "on", "at", "with", "is", "are", "said"})
_LATIN_PHRASE = re.compile(r"\s+(?:vivo|vitro|situ|silico)\b")
_MARK = re.compile(r"[^\w\s]")
_SHORTEST = 4.0
_GRAM = 4


@dataclass(frozen=True, slots=True)
class _Repeat:
    """A piece (``once`` of the text) and the place of its surplus sayings."""

    once: str
    start: int
    end: int


@dataclass(frozen=True)
class Doubled(Check):
    """Share of the translation that is not a surplus repetition."""

    label: ClassVar[str] = "doubled"
    description: ClassVar[str] = "share of words that are not said again at once"
    citation: ClassVar[str] = "patmark"

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; see the table at the top of this file."""
        return [
            _inspect(source, hypothesis)
            for source, hypothesis in zip(test_set.sources, hypotheses, strict=True)
        ]


def _inspect(source: str, hypothesis: str) -> Finding:
    tokens = list(_TOKEN.finditer(hypothesis))
    long = list(_long_repeats(hypothesis, tokens))
    if long:
        long = long[len(list(_long_repeats(source, list(_TOKEN.finditer(source))))) :]
    squeezed = _squeeze(source)
    repeats = [
        repeat
        for repeat in (*long, *_short_repeats(hypothesis))
        if _squeeze(repeat.once) * 2 not in squeezed
    ]
    surplus = {place for repeat in repeats for place in range(repeat.start, repeat.end)}
    evidence = tuple(
        Evidence("hypothesis", repeat.start, repeat.end, "says the same again")
        for repeat in _outermost(repeats)
    )
    kept = sum(token.start() not in surplus for token in tokens)
    return Finding(kept, len(tokens), evidence)


def _squeeze(text: str) -> str:
    return "".join(_TOKEN.findall(text)).lower()


def _outermost(repeats: Sequence[_Repeat]) -> list[_Repeat]:
    """Repeats in order of place, without those that begin inside another one."""
    outermost: list[_Repeat] = []
    for repeat in sorted(repeats, key=lambda repeat: (repeat.start, -repeat.end)):
        if not outermost or repeat.start >= outermost[-1].end:
            outermost.append(repeat)
    return outermost


def _short_repeats(text: str) -> Iterator[_Repeat]:
    for match in _WORDS.finditer(text):
        once = match["once"]
        again = text[match.end("once") : match.end()]
        if again.islower() and not _is_fine(once.lower().split(), text, match.end()):
            start = match.end("once") + len(again) - len(again.lstrip())
            yield _Repeat(once, start, match.end())
    for match in _CHARACTERS.finditer(text):
        once = match["once"] or match["one"] or match["said"]
        yield _Repeat(once, match.start() + len(once), match.end())


def _is_fine(words: list[str], text: str, end: int) -> bool:
    if len(words) == 1:
        return words[0] in _FINE or (
            words[0] == "in" and _LATIN_PHRASE.match(text, end) is not None
        )
    links = _LINKS.intersection(words)
    return len(words) == 2 and len(links) == 1 and not _FUNCTION_WORDS.intersection(words)


def _long_repeats(text: str, tokens: Sequence[re.Match[str]]) -> Iterator[_Repeat]:
    """Long pieces that follow themselves.

    A repeat shows as a run of tokens that each equal the token one period before. The periods
    worth trying are the distances between equal groups of four tokens.
    """
    words = [token.group().lower() for token in tokens]
    seen: dict[tuple[str, ...], int] = {}
    tried: dict[int, int] = {}
    reported = 0
    for place in range(len(words) - _GRAM + 1):
        gram = tuple(words[place : place + _GRAM])
        period = place - seen.get(gram, place)
        seen[gram] = place
        if period == 0 or place < max(tried.get(period, 0), reported):
            continue
        end = place
        while end < len(words) and words[end] == words[end - period]:
            end += 1
        tried[period] = end
        copies = (end - place) // period
        last = place + copies * period
        weight = _weight(words[place : place + period]) * copies
        if copies and weight >= _least_weight(text, tokens, place - period, place, last):
            reported = last
            once = text[tokens[place].start() : tokens[place + period - 1].end()]
            yield _Repeat(once, tokens[place].start(), tokens[last - 1].end())


def _least_weight(
    text: str, tokens: Sequence[re.Match[str]], first: int, again: int, last: int
) -> float:
    """How long a repeat must be: "… of the cover plate. The cover plate has …" is good style."""
    gaps = [
        text[tokens[place - 1].end() if place else 0 : _start(text, tokens, place)]
        for place in (first, again, last)
    ]
    before, between, after = (_MARK.search(gap) is not None for gap in gaps)
    is_clause = (before or first == 0) and (after or last == len(tokens))
    return _SHORTEST if is_clause or not between else 2 * _SHORTEST


def _start(text: str, tokens: Sequence[re.Match[str]], place: int) -> int:
    return tokens[place].start() if place < len(tokens) else len(text)


def _weight(words: Sequence[str]) -> float:
    """Words count one, Chinese and Japanese characters one half, numbers and letters nothing."""
    return sum(
        0.5 if _CJK_TOKEN.match(word) else float(len(word) > 1 and word.isalpha()) for word in words
    )
