"""The form and the wording of a claim, and repetition.

Form: one complete sentence with a capital and a period, without slips. Wording that leaves the
scope open: relative, exemplary, negative and functional language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from patmark.claims.lint.rule import Found, LintContext, Severity, found, shown
from patmark.claims.model import ParsedClaim, TextSpan
from patmark.claims.text_forms import last_word_start
from patmark.claims.words import pattern, source, verb_last, word_list
from patmark.facts import negations
from patmark.languages import HAN, KANA, kept_in_workspace, singular, stops_outside_brackets

_CLOSERS = "\"”'’)]* \t\n"
# a period inside a formula of TeX: "x=2.}\\)", with its number "& (2)"
_FORMULA_END = re.compile(
    r"(?<=\.)(?:\s|\}|\\\)|\\\]|\\end\{[^{}]{1,20}\}|&\s*\(\d{1,3}\)|\\right\w*|\\quad|\\,){1,20}\Z"
)
_UNFINISHED = word_list("unfinished")
_NEVER_LAST = word_list("never-last")
_AFTER_PERIOD = re.compile(r"[a-z)%\]]\.\s+(?P<rest>\d{1,3}|[^.]{1,40}\d)$")
_NEAR_END = 80
_BEFORE_FORMULA = re.compile(
    r"\b(?:formulae?|formulas|structures?|equations?|groups?|compounds?)\b[^.;]*:$"
    r"|\bgroup\s+consisting\s+of$|\b(?:formula|structure|equation)\s*\(?[\w-]{1,5}\)?$",
    re.IGNORECASE,
)
_LIST_DUE = re.compile(
    r"\b(?:steps?|following|parts|elements|components|operations):$", re.IGNORECASE
)
_LAST_WORD = re.compile(r"(?<![A-Za-z])([A-Za-z]+)[\s.…]*$")
_ABBREVIATIONS = word_list("abbreviations")
_NEXT_CLAIM = re.compile(r"(?P<number>\d{1,3})\.\s+(?:[A-Z][a-z]+|A)\s")
_NEXT_NUMBER = re.compile(r"\n[^\S\n]*(\d{1,3})\.$")
# a sentence also ends after a unit: "2 mol/L. The", "50%. The", "5 V. The"
_ENGLISH_STOP = re.compile(
    r"(?P<word>(?<![A-Za-z])[A-Za-z]{2,}|(?<=/)[A-Za-z]|(?<=\d )[A-Z]|[)\]%])\.\s+"
    r"(?=[A-Z][a-z]*\s|A\s)"
)
_STOP_INSIDE = re.compile(r"\.\s+[A-Z]")
_CJK_STOP = re.compile(rf"[{HAN}{KANA})\d]。(?=\s*\S)")
_OPENING = re.compile(r"[\"“'‘(\[\s]*(?P<word>a|[a-z]{2,})(?=[\s,:;])")
# sounds, not letters, decide: a unit, a one-way valve, an hour, an nth line
_VOWEL_AS_CONSONANT = r"(?i:uni(?!n|m[ap])|us(?!h)|ut[ie]|eu|one\b|once|ub|ur[aei]|uv|ew|u-)"
_CONSONANT_AS_VOWEL = r"(?:hour|hono|heir|her[bm]|hist|hyst|[xsnmflrh]-|mr|rf|ml|[fhlmnrsx]th\b)"
_FUNCTION = r"(?:and|or|is|are|in|on|as|at|of|if|into|equals?|exceeds?|extends|under|i{1,3}|an?)\b"
_ARTICLE = re.compile(
    rf"(?<![\w(\-'./])(?P<article>[Aa])\s+(?!{_VOWEL_AS_CONSONANT}|{_FUNCTION})"
    r"(?P<vowel>[aeiouAEIO][a-z-]+\b)"
    rf"|\b(?P<an>[Aa]n)\s+(?!{_CONSONANT_AS_VOWEL})"
    r"(?P<consonant>[bcdfghjklmnpqrstvwxyz][a-z-]{2,}\b)"
    rf"|\b[Aa]n\s+(?P<sounded>{_VOWEL_AS_CONSONANT}[a-z-]+)"
)
# a letter that names something: "step a inserting", "the electrode a outputs", "protein A inhibits"
_LABELLED = re.compile(
    r"(?:\b(?:steps?|region|side|point|part|item|type|class|vitamin|formula)|[=<>]"
    r"|\b(?:the|said|each)\s+[\w-]+)\s*$",
    re.IGNORECASE,
)
# not "three three-phase inverters"
_DOUBLED = re.compile(
    r"\b(?P<word>[A-Za-z]{2,})\s+(?P=word)\b(?!-\w)|\b(?:an?|the)\s+(?:an?|the)\b", re.I
)
_BRACKET = re.compile(r"[()\[\]]")
_MEANT_TWICE = frozenset(("that", "had", "bis", "tri"))


def empty(context: LintContext) -> Iterator[Found]:
    """Find a text without any claim, and claims without words."""
    if not context.claims.claims:
        yield Found(0, len(context.plain.rstrip()), "none")
    for claim in context.live:
        if not any(character.isalnum() for character in context.words(claim)):
            yield found(claim, claim)


def _ending(context: LintContext, claim: ParsedClaim) -> str:
    """Return the words of a claim up to its end, without the number of the next claim."""
    words = _FORMULA_END.sub("", context.words(claim)).rstrip(_CLOSERS)
    stray = _NEXT_NUMBER.search(words)
    if stray is not None and claim.number is not None and int(stray[1]) == claim.number + 1:
        return words[: stray.start()].rstrip(_CLOSERS)
    return words


def _is_cut(ending: str) -> bool:
    """Return True if a claim stops in the middle of a phrase."""
    if ending.endswith(("...", "…", ",", "、", ";", ":", "-", "(", "[")):
        return True
    word = _LAST_WORD.search(ending)
    if word is None:
        return False
    return word[1] in (_NEVER_LAST if ending.endswith(".") else _UNFINISHED)


def truncated(context: LintContext) -> Iterator[Found]:
    """Find claims that break off."""
    for claim in context.live:
        next_one = _swallowed(context, claim)
        if next_one is not None:
            yield found(claim, next_one, "swallowed", number=next_one["number"])
            continue
        ending = _ending(context, claim)
        if ending and _is_cut(ending):
            start = claim.content.start + last_word_start(ending)
            place, limit = TextSpan(start, claim.content.end), _limit_at_formula(ending)
            yield found(claim, place, "", limit, text=shown(ending[-30:].lstrip()))


def _limit_at_formula(ending: str) -> Severity | None:
    """Return a warning only at an expected formula, which a text without drawings lacks."""
    last = ending[-_NEAR_END:]
    if _BEFORE_FORMULA.search(last):
        return "warning"
    word = _LAST_WORD.search(last.rstrip(":"))
    listed = _LIST_DUE.search(last) or word is None or word[1] in _UNFINISHED
    return "warning" if last.endswith(":") and not listed else None


def _swallowed(context: LintContext, claim: ParsedClaim) -> re.Match[str] | None:
    """Return the next number and the opening of a claim right after words that end no claim."""
    for match in _NEXT_CLAIM.finditer(context.plain, claim.content.start, claim.content.end):
        if not context.plain[match.start() - 1].isspace():
            continue
        if claim.number is not None and int(match["number"]) == claim.number + 1:
            before = context.plain[claim.content.start : match.start()].rstrip(_CLOSERS)
            return match if _is_cut(before) else None
    return None


def period(context: LintContext) -> Iterator[Found]:
    """Find claims without a final period, except those that break off."""
    for claim in context.live:
        ending = _ending(context, claim)
        if not ending or ending.endswith((".", "。")) or _is_cut(ending):
            continue
        stray = _AFTER_PERIOD.search(ending)
        if stray is not None:
            start = claim.content.start + stray.start("rest")
            place = TextSpan(start, claim.content.end)
            yield found(claim, place, "after", "warning", text=shown(stray["rest"]))
        else:
            start = claim.content.start + last_word_start(ending)
            place = TextSpan(start, claim.content.end)
            yield found(claim, place, "", _limit_at_formula(ending))


def sentences(context: LintContext) -> Iterator[Found]:
    """Find second sentences."""
    english = context.claims.is_spaced
    for claim in context.live:
        match = _english_stop(context, claim) if english else _cjk_stop(context, claim)
        if match is not None:
            word = match["word"] if english else ""
            limit: Severity | None = "warning" if word.isalpha() and len(word) <= 3 else None
            yield found(claim, match, "", limit)


def _english_stop(context: LintContext, claim: ParsedClaim) -> re.Match[str] | None:
    """Return the end of a sentence inside a claim; abbreviations do not end a sentence."""
    if _STOP_INSIDE.search(context.plain, claim.content.start, claim.content.end) is None:
        return None
    stops = _ENGLISH_STOP.finditer(context.plain, claim.content.start, claim.content.end)
    return next((stop for stop in stops if stop["word"].lower() not in _ABBREVIATIONS), None)


def _cjk_stop(context: LintContext, claim: ParsedClaim) -> re.Match[str] | None:
    """Return the end of an inner sentence; in Japanese not in brackets or before a note."""
    start, end = claim.content.start, claim.content.end
    language = context.claims.language
    if not verb_last(language):
        return _CJK_STOP.search(context.plain, start, end)
    for place in stops_outside_brackets(context.plain, start + 1, end):
        stop = _CJK_STOP.match(context.plain, place - 1, end)
        if stop is not None:
            # 化合物。【化1】(式中、…。)
            note = rf"\s*(?:[【\[(]|{source('formula-note', language)})"
            return None if re.match(note, context.plain[stop.end() :]) else stop
    return None


def capital(context: LintContext) -> Iterator[Found]:
    """Find claims that begin with a small letter."""
    for claim in context.live:
        match = _OPENING.match(context.plain, claim.content.start, claim.content.end)
        if match is not None:
            yield found(claim, TextSpan(*match.span("word")), word=match["word"])


def article(context: LintContext) -> Iterator[Found]:
    """Find articles that do not fit the sound after them."""
    for claim, match in context.matches(_ARTICLE):
        before = context.plain[max(claim.content.start, match.start() - 30) : match.start()]
        named = match["article"] == "A" and before.strip()
        if named or (match["vowel"] and _LABELLED.search(before)):
            continue
        right = "an" if match["vowel"] else "a"
        word = match["vowel"] or match["consonant"] or match["sounded"]
        yield found(claim, match, right=right, word=word)


def doubled(context: LintContext) -> Iterator[Found]:
    """Find words that stand twice in a row."""
    for claim, match in context.matches(_DOUBLED):
        if (match["word"] or "").lower() not in _MEANT_TWICE:
            yield found(claim, match, text=shown(match.group()))


def brackets(context: LintContext) -> Iterator[Found]:
    """Find brackets that are opened and not closed; a) and 1) close without opening."""
    pairs = {")": "(", "]": "["}
    for claim in context.live:
        opened: list[int] = []
        for match in _BRACKET.finditer(context.plain, claim.content.start, claim.content.end):
            sign = match.group()
            if sign in "([":
                opened.append(match.start())
            elif opened and context.plain[opened[-1]] == pairs[sign]:
                opened.pop()
        for place in opened[:1]:
            yield found(claim, TextSpan(place, place + 1))


_MEANS = re.compile(
    r"\bmeans\s*(?:\([^()]{1,20}\)\s*)?,?\s*"
    r"(?:for\s+\w+ing|to\s+\w+|adapted|configured|operable|which|that)\b|\bsteps?\s+for\s+\w+ing\b",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w-]+(?=\s+$)")


def negative(context: LintContext) -> Iterator[Found]:
    """Find negations and exclusions.

    Choices ("or not"), purposes ("to prevent wear") and names (non-ionic) limit nothing.
    """
    language = context.claims.language
    admitted, before = (
        pattern("admitted-negation", language, whole=True),
        source("or-not", language),
    )
    for claim in context.live:
        words = context.words(claim)
        for start, end in negations(words, language):
            if not admitted.match(words, start) and not re.search(rf"{before}\Z", words[:start]):
                place = TextSpan(claim.content.start + start, claim.content.start + end)
                yield found(claim, place, words=shown(words[start:end]))


def means(context: LintContext) -> Iterator[Found]:
    """Find means or steps for a function; more than a hint if the description lacks the name."""
    described = None if context.description is None else context.description.lower()
    for claim, match in context.matches(_MEANS):
        before = context.plain[max(claim.content.start, match.start() - 40) : match.start()]
        name = _NAME_BEFORE.search(before)
        word = "" if name is None else name.group().lower()
        if word == "by":
            continue
        start = match.start() if name is None else match.start() - len(before) + name.start()
        absent = described is not None and word not in described
        text = shown(context.plain[start : match.end()])
        limit: Severity | None = None if absent else "information"
        kind = "absent" if absent else ""
        yield found(claim, TextSpan(start, match.end()), kind, limit, text=text)


_TOKEN = re.compile(rf"[{HAN}{KANA}]|[^\W_]+")
_SMALL_WORDS = word_list("small-words")
_CACHED = 1024
_FEWEST_WORDS, _FEWEST_CHARACTERS = 4, 10


@kept_in_workspace(_CACHED)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.lower()))


@kept_in_workspace(_CACHED)
def _content(text: str) -> tuple[str, ...]:
    """Return the content words, in singular and in order."""
    return tuple(singular(token) for token in _tokens(text) if token not in _SMALL_WORDS)


def duplicate(context: LintContext) -> Iterator[Found]:
    """Find claims with the text of an earlier one."""
    for claim, first in _same(context, _tokens):
        yield found(claim, claim.content, number=first.shown_number)


def near_duplicate(context: LintContext) -> Iterator[Found]:
    """Find claims that differ only in articles, plurals, punctuation and other function words."""
    exact = {claim.position for claim, _ in _same(context, _tokens)}
    for claim, first in _same(context, _content):
        if claim.position not in exact:
            yield found(claim, claim.content, number=first.shown_number)


def _same(
    context: LintContext, form: Callable[[str], tuple[str, ...]]
) -> Iterator[tuple[ParsedClaim, ParsedClaim]]:
    """Yield claims that are equal in some form to an earlier one, with that one."""
    seen: dict[tuple[str, ...], ParsedClaim] = {}
    for claim in context.live:
        tokens = form(context.words(claim))
        first = seen.setdefault(tokens, claim)
        if first is not claim and tokens:
            yield claim, first


def repeats_parent(context: LintContext) -> Iterator[Found]:
    """Find dependent claims whose limitation occurs word for word in a parent claim."""
    fewest = _FEWEST_WORDS if context.claims.is_spaced else _FEWEST_CHARACTERS
    contents: dict[int, str] = {}
    for claim in context.live:
        if not claim.dependent or claim.body.start >= claim.body.end:
            continue
        own = _content(context.plain[claim.body.start : claim.body.end])
        if len(own) < fewest:
            continue
        for item in context.scopes[claim.position]:
            if item.position not in contents:
                contents[item.position] = _joined(_content(context.words(item)))
            if _joined(own) in contents[item.position]:
                yield found(claim, claim.body, number=item.shown_number)
                break


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "
