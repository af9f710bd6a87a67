"""Text that the translation repeats and the source does not.

| considered | when |
|---|---|
| one to three words (the the, of the of the) | only blanks between, and in small letters |
| a Chinese or Japanese word of claim language (所述, 前記) | twice |
| two to seven Chinese or Japanese characters | three times |
| one Chinese or Japanese character | five times |
| four words or more, eight such characters or more | twice, no mark between |
| the same, with a mark between | a whole clause twice, or double that length |

In languages other than English, Chinese and Japanese only four words or more are considered: "nous
nous" and "die die" are good French and German. Never considered: numbers, "that that", "had had",
"results in in vivo tests", "layer by layer by layer", a piece that the source repeats too, and as
many long repeats as the source has. The first occurrence is kept, every further one is surplus; the
score is the share of words (Chinese, Japanese: characters) that are not surplus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from patmark.data import Evidence, Scores, Segment, TestSet
from patmark.facts import COUNTED_LANGUAGES
from patmark.languages import CJK, HAN, KANA, escaped, function_words, has_cjk
from patmark.measures.base import Check, Finding
from patmark.wording import tr

_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_CJK_TOKEN = re.compile(rf"[{CJK}]")
_WORDS = re.compile(
    r"(?<![\w'’-])(?P<once>(?:[^\W\d_]{2,}|a)(?:\s+[^\W\d_]+){0,2}?)(?:\s+(?P=once))+(?![\w'’-])",
    re.IGNORECASE,
)
_LATIN_PHRASE = re.compile(r"\s+(?:vivo|vitro|situ|silico)\b")
_MARK = re.compile(r"[^\w\s]")
_SHORTEST = 4.0


@dataclass(frozen=True, slots=True)
class _Repeat:
    """A piece (``once`` of the text) and the place of its surplus repetitions."""

    once: str
    start: int
    end: int


@dataclass(frozen=True)
class Doubled(Check):
    """Share of the translation that is not a surplus repetition."""

    label = "doubled"
    description = "share of words that are not repeated at once"
    formula = "words not repeated at once / words"
    runs_by_default = True
    citation = "patmark"
    rules = 2

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[str, ...]:
        """Return a note that short repeats are checked in some languages only."""
        if test_set.target_language in COUNTED_LANGUAGES:
            return ()
        return (
            tr(
                "{name}: in {target_language} only repeats of four words or more are looked "
                "for; shorter ones in {names}.",
                name=self.name,
                target_language=test_set.target_language,
                names=tuple(sorted(COUNTED_LANGUAGES)),
            ),
        )

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of a segment; see the table at the top of this file."""
        short = test_set.target_language in COUNTED_LANGUAGES
        return _inspect(segment.source or "", hypothesis, short)


def _inspect(source: str, hypothesis: str, short: bool) -> Finding:
    words = _TOKEN.findall(hypothesis)
    repeats = _long_repeats(hypothesis)
    if repeats:  # as many as the source has are fine
        repeats = repeats[len(_long_repeats(source)) :]
    repeats += _short_repeats(hypothesis) if short else ()
    if repeats:
        squeezed = _squeeze(source)
        repeats = [item for item in repeats if _squeeze(item.once) * 2 not in squeezed]
    surplus = {place for repeat in repeats for place in range(repeat.start, repeat.end)}
    kept = len(words)
    if surplus:
        kept -= sum(token.start() in surplus for token in _TOKEN.finditer(hypothesis))
    evidence = tuple(
        Evidence("hypothesis", repeat.start, repeat.end, tr("says the same again"))
        for repeat in _outermost(repeats)
    )
    return Finding(kept, len(words), evidence)


def _squeeze(text: str) -> str:
    return "".join(_TOKEN.findall(text)).lower()


def _outermost(repeats: Sequence[_Repeat]) -> list[_Repeat]:
    """Return repeats in order of place, without those that begin inside another one."""
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
    for match in _characters().finditer(text) if has_cjk(text) else ():
        once = match["once"] or match["one"] or match["said"]
        yield _Repeat(once, match.start() + len(once), match.end())


@cache
def _characters() -> re.Pattern[str]:
    """Return a pattern of repeats in Chinese and Japanese."""
    return re.compile(
        rf"(?P<once>[{HAN}{KANA}]{{2,7}}?)(?P=once){{2,}}|(?P<one>[{HAN}{KANA}])(?P=one){{4,}}"
        rf"|(?P<said>{escaped(function_words('said'))})(?P=said)"
    )


def _is_fine(words: list[str], text: str, end: int) -> bool:
    if len(words) == 1:
        return words[0] in function_words("twice") or (
            words[0] == "in" and _LATIN_PHRASE.match(text, end) is not None
        )
    links = function_words("linking").intersection(words)
    phrase = len(words) == 2 and len(links) == 1
    return phrase and function_words("repeated").isdisjoint(words)


def _long_repeats(text: str) -> list[_Repeat]:
    """Return long pieces that follow themselves; most texts have none."""
    words = [word.lower() for word in _TOKEN.findall(text)]
    grams = list(zip(words, words[1:], words[2:], words[3:], strict=False))
    if len(set(grams)) == len(grams):
        return []
    return list(_tandem_repeats(text, words, grams))


def _tandem_repeats(
    text: str, words: Sequence[str], grams: Sequence[tuple[str, ...]]
) -> Iterator[_Repeat]:
    """Yield pieces that follow themselves.

    A repeat is a sequence of tokens that each equal the token one period before. Candidate periods
    are the distances between equal groups of four tokens.
    """
    tokens = list(_TOKEN.finditer(text))
    seen: dict[tuple[str, ...], int] = {}
    tried: dict[int, int] = {}
    reported = 0
    for start, gram in enumerate(grams):
        period = start - seen.get(gram, start)
        seen[gram] = start
        if period == 0 or start < max(tried.get(period, 0), reported):
            continue
        end = start
        while end < len(words) and words[end] == words[end - period]:
            end += 1
        tried[period] = end
        copies, slack = divmod(end - start, period)
        if copies == 0:
            continue
        place = start + _shift_to_mark(text, tokens, start + copies * period, slack)
        last = place + copies * period
        weight = _weight(words[place : place + period]) * copies
        if weight >= _least_weight(text, tokens, place - period, place, last):
            reported = last
            once = text[tokens[place].start() : tokens[place + period - 1].end()]
            yield _Repeat(once, tokens[place].start(), tokens[last - 1].end())


def _shift_to_mark(text: str, tokens: Sequence[re.Match[str]], last: int, slack: int) -> int:
    """Return a repeat shifted within ``slack`` to a place where a clause ends."""
    shifts = range(slack, -1, -1)
    return next((shift for shift in shifts if _mark_before(text, tokens, last + shift)), 0)


def _mark_before(text: str, tokens: Sequence[re.Match[str]], place: int) -> bool:
    """Return True if a mark, or an end of the text, precedes a token."""
    if place in (0, len(tokens)):
        return True
    gap = text[tokens[place - 1].end() : tokens[place].start()]
    return _MARK.search(gap) is not None


def _least_weight(
    text: str, tokens: Sequence[re.Match[str]], first: int, again: int, last: int
) -> float:
    """Return the least weight of a repeat: "… the cover plate. The cover plate …" is fine."""
    between = _mark_before(text, tokens, again)
    is_clause = _mark_before(text, tokens, first) and _mark_before(text, tokens, last)
    return _SHORTEST if is_clause or not between else 2 * _SHORTEST


def _weight(words: Sequence[str]) -> float:
    """Count a word as one, a Chinese or Japanese character as one half, numbers as nothing."""
    return sum(
        0.5 if _CJK_TOKEN.match(word) else float(len(word) > 1 and word.isalpha()) for word in words
    )
