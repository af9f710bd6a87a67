"""How claims and headings begin, in English, Chinese and Japanese (on the plain form)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.text.scripts import HAN, KANA

_CLAIM_WORD = r"(?:\bclaims?\b|[权權]利要求|[请請]求[项項]|申[请請][专專]利[范範][围圍])"
_ARTICLE = re.compile(r"(?:an?|the|said|one or more|at least one|in an?|use)\b", re.IGNORECASE)
_STRICT = re.compile(
    r"(?:An?|The|In an?|One or more|At least one|Use|Method|Process|Apparatus|System|Device|"
    r"Composition|Computer|Non-transitory|Kit)\b"
    r"|一[种種个個]|根据|根據|如[权權请請申上前]|按照|依据|依據|依照|[权權]利要求|[请請]求[项項]"
)
# 2-methylpropane, 4,4'-dimethyl
_CHEMICAL = r"\d{1,2}(?:[,']{1,2}\d{0,2}){0,4}-[A-Za-z(\[]"
_FRESH = re.compile(rf"[A-ZÄÖÜÉÀ(\[\"“'‘<{HAN}{KANA}]|{_CHEMICAL}")
_REFERRING = re.compile(rf"[^.。]{{0,200}}?{_CLAIM_WORD}", re.IGNORECASE)
_DIRECTLY_REFERRING = re.compile(
    r"(?:An?|The)\b[^.;]{0,80}?\b(?:of|to|in|by|with|per)\s+(?:(?:any|one|either|of|the)\s+){0,4}"
    r"(?:(?:preceding|previous|foregoing)\s+claims?\b|claims?\s+\d)"
    rf"|(?:一[种種])?(?:根据|根據|如|按照|依据|依據)(?:上述|前述)?{_CLAIM_WORD}"
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
    r"|in\s+the\s+claims|amendments?\s+to\s+the\s+claims|listing\s+of\s+claims"
    r"|[权權]\s?利\s?要\s?求\s?[书書]?|申[请請][专專]利[范範][围圍]|(?:【書類名】)?【?(?:特許|実用新案登録)?請求の範囲】?|请求项|請求項"
)
_HEADING = re.compile(
    rf"[\s#*]{{0,200}}(?:{_HEADING_WORDS})[ \t]*(?::[* \t]*|(?=[* \t]*(?:\n|\Z)))", re.IGNORECASE
)
_LONGEST_HEADING = 200
_ABBREVIATION_WORDS = "no nos fig figs eq eqs vol approx ca al e.g i.e cf ref sec st vs pat ser art"
_ABBREVIATIONS = frozenset(_ABBREVIATION_WORDS.split())
# a line of dashes or stars
RULE = re.compile(r"[-*_=#•]+")


def after_blanks(plain: str, place: int, end: int) -> int:
    """The first place that is not blank, or ``end``."""
    while place < end and plain[place].isspace():
        place += 1
    return place


def before_blanks(plain: str, place: int, start: int = 0) -> int:
    """The place after the last character before ``place`` that is not blank, or ``start``."""
    while place > start and plain[place - 1].isspace():
        place -= 1
    return place


def stops_outside_brackets(plain: str, start: int, end: int) -> Iterator[int]:
    """The places of 。 that end a sentence, not those in (式中、nは1である。)."""
    depth = 0
    for place in range(start, end):
        sign = plain[place]
        depth += (sign in "([") - (sign in ")]")
        if sign == "。" and depth <= 0:
            yield place


def is_fresh(plain: str, place: int) -> bool:
    """Whether a sentence may start here: a capital, an opening bracket, Chinese or Japanese."""
    return _FRESH.match(plain, place) is not None


def has_article(plain: str, place: int) -> bool:
    """Whether an article stands here, in small or large letters."""
    return _ARTICLE.match(plain, place) is not None


def opens_claim(plain: str, place: int) -> bool:
    """Whether these words usually open a claim."""
    return _STRICT.match(plain, place) is not None


def soon_refers(plain: str, place: int) -> bool:
    """Whether the sentence that starts here mentions a claim soon."""
    return _REFERRING.match(plain, place, place + 220) is not None


def opens_with_reference(plain: str, place: int) -> bool:
    """Whether a dependent claim opens here: "The device of claim 1"."""
    return _DIRECTLY_REFERRING.match(plain, place, place + 160) is not None


def has_claim_style(plain: str, start: int, end: int) -> bool:
    """Whether the text has a word that is typical of claims."""
    return _STYLE.search(plain, start, end) is not None


def claim_style_end(plain: str, start: int, end: int) -> int:
    """Where the last word that is typical of claims ends; ``start`` when there is none."""
    place = start
    for match in _STYLE.finditer(plain, start, end):
        place = match.end()
    return place


def heading_end(plain: str, start: int, end: int, loose: bool) -> int:
    """Where the headings at the start of a text end; ``start`` when there is none.

    A loose heading is any short line that ends with a colon and has no claim in it.
    """
    place = start
    while place < end:
        match = _HEADING.match(plain, place, end)
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


def sentence_ended(plain: str, place: int) -> bool:
    """Whether a sentence ended before a place; abbreviations do not end one."""
    end = before_blanks(plain, place)
    while end > 0 and plain[end - 1] in "\"”'’)]*":
        end -= 1
    if end == 0 or plain[end - 1] in "。!?":
        return True
    if plain[end - 1] != ".":
        if RULE.match(plain, end - 1) is None:
            return False
        return RULE.fullmatch(plain[plain.rfind("\n", 0, end) + 1 : end].strip()) is not None
    word = plain[max(0, end - 8) : end - 1].split()
    return not word or word[-1].lower().lstrip("(") not in _ABBREVIATIONS
