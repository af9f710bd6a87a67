"""Noun phrases of English claims, by rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from patmark.claims.model import Span, Term, TermKind
from patmark.text.phrases import singular

_TOKEN = re.compile(
    r"(?P<intro>\b(?:(?:at least|more than|up to|at most)\s+)?"
    r"(?:(?:an?|one|two)\s+or\s+more|an?\s+(?:plurality|number|multitude|pair)\s+of|"
    r"pluralit(?:y|ies)\s+of|an?|another|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|multiple|several)\b)"
    r"|(?P<back>\b(?:each\s+of\s+|any\s+of\s+|both\s+of\s+)?(?:the\s+said|the|said|aforesaid)\b"
    r"(?:\s+(?:at least (?:one|two)|(?:one|two) or more|(?:plurality|pair|number) of|one|two|three|"
    r"four|five|six|multiple|several)\b)?)"
    r"|(?P<sign>\(\s?[A-Za-z]{0,2}\d{1,4}[a-z']{0,2}(?:\s?[,;]\s?[A-Za-z]{0,2}\d{1,4}[a-z']{0,2})*\s?\)"
    r"|\b\d{1,4}[a-z]?\b)"
    r"|(?P<stop_words>\bset\s+(?:forth|out)\b)"
    r"|(?P<word>(?:\b\d{1,3}(?:st|nd|rd|th)\b|[^\W\d_][^\W_]*)(?:[-'’/][^\W_]+)*)"
    r"|(?P<stop>[^\s\w])",
    re.IGNORECASE,
)
_STOP_WORDS = """
about above according across adjacent after against all along also among and any are around as
at away be been before being below beneath between beyond both but by can capable claim claimed
claims could does down during each either else every except few for from further had has have he
her here herein how if in inside into is it its itself less may more most must near
neither no nor not of off on only onto opposite or other our out outside over per prior rather
respectively shall should since so some such than that their them then thereby therefor therefore
therefrom therein thereof thereon thereto these they this those though through throughout thus to
together toward towards under until up upon using various via was were when whenever where whereas
whereby wherein whether which while who whose will with within without would yet
comprise comprised comprises comprising consist consists consisting include included includes
including contain contains containing have having characterized characterised configured adapted
arranged connected coupled disposed mounted attached located positioned provided formed defined
selected based used associated operable operatively communicatively electrically mechanically
fluidly being become becomes extends extend extending receives receive provides provide
communicates causes cause performs perform corresponds correspond generates generate determines
determine defines define forms represents indicates allows enables facing rotates falls
engages moves movable relative responsive equal greater smaller larger higher least
substantially approximately preferably optionally
sent made held hidden once there given shown known taken driven written
storing receiving sending transmitting providing determining generating forming defining
extending causing allowing enabling performing executing obtaining identifying detecting
selecting applying controlling connecting surrounding facing overlying supporting engaging
representing indicating corresponding depending ranging resulting relating belonging
"""
_STOPS = frozenset(_STOP_WORDS.split())
_NOUN_WORDS = """
housing bearing opening coating ring spring string wing casing winding fitting building setting
ceiling railing tubing wiring thing lining mounting coupling packaging packing plating bushing
spacing filling sealing clothing landing timing mapping marking printing recording signaling
processing imaging routing pricing computing learning training meaning reading grating bed seed
feed speed need reed weed
"""
_NOUNS = frozenset(_NOUN_WORDS.split())
_LY_WORDS = "anomaly assembly belly butterfly early family fly jelly poly subassembly subfamily"
_NOUNS_IN_LY = frozenset(_LY_WORDS.split())
_NOUNS_OR_VERBS_IN_LY = frozenset(("ply", "reply", "supply"))
_PASSED_OVER = frozenset(("other", "same", "respective", "corresponding", "opposite", "further"))
# part of a phrase after its article, not after its noun: "a movable lid", "a lid movable by"
_ADJECTIVE_WORDS = "adjacent capable equal greater higher larger movable operable prior relative"
_ADJECTIVES = frozenset((*_ADJECTIVE_WORDS.split(), "responsive", "smaller"))
_ARTICLES = frozenset(("a", "an", "another"))
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"}
_LABEL = re.compile(r"[a-z]|[ivx]{1,5}")
_PARTICIPLE = re.compile(r".{2,}(?:ing|ed)")


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    form: str


def english_terms(plain: str, text: str, content: Span) -> Iterator[Term]:
    """The noun phrases of a claim, each with its kind."""
    words: list[_Word] = []
    kind: TermKind = "bare"
    marker = ""
    for match in _TOKEN.finditer(plain, content.start, content.end):
        group = match.lastgroup
        form = match.group().lower()
        if _passed_over(group, form, words, marker):
            continue
        if group == "word" and not _ends_phrase(form, bool(words), marker):
            words.append(_Word(match.start(), match.end(), form))
            continue
        article = group in ("intro", "back")
        sign = match.group() if group == "sign" else None
        yield from _term(
            text, _before_article(words, kind) if article else words, kind, marker, sign
        )
        words, kind, marker = [], "bare", ""
        if article:
            kind = "introduced" if group == "intro" else "referred"
            marker = " ".join(form.split())
    yield from _term(text, words, kind, marker, None)


def _passed_over(group: str | None, form: str, words: list[_Word], marker: str) -> bool:
    """Whether a word between article and noun says nothing: "the other", "the selected two"."""
    if not marker:
        return False
    if group == "intro":
        modified = all(_PARTICIPLE.fullmatch(word.form) for word in words)
        return bool(words) and modified and form not in _ARTICLES
    return group == "word" and not words and (form in _PASSED_OVER or is_adverb(form, True))


def _ends_phrase(form: str, inside: bool, marker: str) -> bool:
    """Whether a word cannot go on a phrase; "a receiving unit" keeps its first participle."""
    if form not in _STOPS:
        return is_adverb(form, inside or bool(marker))
    modifier = form in _ADJECTIVES or _PARTICIPLE.fullmatch(form) is not None
    return inside or not marker or not modifier


def is_adverb(form: str, in_phrase: bool) -> bool:
    """Whether a word in -ly is no noun; "to supply water" has a verb, "a supply line" a noun."""
    if not form.endswith("ly"):
        return False
    last = re.split(r"[-/]", form)[-1]
    return last not in _NOUNS_IN_LY and not (in_phrase and last in _NOUNS_OR_VERBS_IN_LY)


def _before_article(words: list[_Word], kind: TermKind) -> list[_Word]:
    """The phrase without its last word, a verb when an article follows: "the lid covers the"."""
    return words if len(words) == 1 and kind != "bare" else words[:-1]


def _term(
    text: str, words: list[_Word], kind: TermKind, marker: str, sign: str | None
) -> list[Term]:
    """The term of the words gathered, if any; participles at its end belong to the verb."""
    while len(words) > 1 and _is_participle(words[-1].form):
        words, sign = words[:-1], None
    if not words or (kind == "bare" and _is_no_noun(words)):
        return []
    start, end = words[0].start, words[-1].end
    forms = tuple(_ORDINALS.get(word.form) or singular(word.form) for word in words)
    return [Term(start, end, text[start:end], kind, marker, forms, sign and sign.strip("() "))]


def _is_participle(form: str) -> bool:
    return form not in _NOUNS and _PARTICIPLE.fullmatch(form) is not None


def _is_no_noun(words: list[_Word]) -> bool:
    """Whether a word without an article is a verb form or a label."""
    form = words[0].form
    return len(words) == 1 and (_is_participle(form) or _LABEL.fullmatch(form) is not None)
