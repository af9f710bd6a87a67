"""Ends of sentences in English and other languages with Latin script.

A full stop ends a sentence when a blank and a fitting beginning follow: no small letter, and after
an abbreviation or a single letter only a word that begins sentences ("The", "However").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from patmark.text.sentences_lines import Brackets, find_brackets


@dataclass(frozen=True, slots=True)
class _Rules:
    """Abbreviations, in small letters without their last full stop.

    ``never`` end a sentence; ``numbered`` do, unless a number follows; ``maybe`` do when one of
    the ``starters`` follows.
    """

    never: frozenset[str]
    numbered: frozenset[str]
    maybe: frozenset[str]
    starters: frozenset[str]


def _rules(never: str, numbered: str, maybe: str, starters: str) -> _Rules:
    return _Rules(*(frozenset(words.split()) for words in (never, numbered, maybe, starters)))


_ENGLISH = _rules(
    "fig figs cf e.g eg i.e ie vs viz approx ca resp dr prof mr mrs ms eq eqs eqn eqns ser pat "
    "appl publ pats u.s.c esp incl subsp dept univ natl appln",
    "art par para ch chap ex exs tab sect sects app pg pgs",
    "no nos ref refs sec secs pub pubs seq var spec ph.d proc soc chem biol phys sci lett trans "
    "acad intl rev ed eds vol vols pp jpn kokai prov tel int prot neurosci res mol immunol biochem "
    "biophys commun opt jan feb mar apr jun jul aug sep sept oct nov dec al inc ltd co corp min "
    "max hr hrs in sq st jr sr gov dia wt conc temp temps u.s u.k e.u a.m p.m bros gmbh assn assoc "
    "sp spp std avg est ft lb oz mfg",
    "the a an in it this these those that such however for as when if we there thus further "
    "furthermore moreover therefore additionally according accordingly at by on to from with while "
    "although also another other each all some any both one two alternatively preferably examples "
    "here hence since after before during then next figure fig figs figures herein its their they "
    "he she but and or not because where wherein consequently finally optionally similarly "
    "likewise specifically generally typically conversely instead most many several once unless "
    "under upon using what which first second third step claim table example no",
)
_GERMAN = _rules(
    "fig figs abb bzw z.b zb d.h dh ggf ca evtl insb insbes vgl sog allg bspw o.g u.u i.d.r s.o "
    "s.u u.a z.t o.ä dr prof inkl exkl gem mind entspr einschl gegebenenf ing dipl "
    "nachf jew beisp z d u i o ggfs rel bez",
    "abs art ziff anspr bsp kap tab gl pos bd",
    "nr nrn al inc ltd co ff gew vol std sek a.a.o max min",
    "der die das ein eine einer in im bei es dies diese dieser dieses wenn zur zum zu nach mit für "
    "auf durch hierbei dabei somit ferner weiterhin wie fig figur so auch als an aus daher damit "
    "dazu dann da des den dem er sie man alternativ bevorzugt vorzugsweise erfindungsgemäß gemäß "
    "anspruch verfahren vorrichtung hierzu hierdurch außerdem darüber nun um unter von vor während "
    "weitere beispiel beispielsweise insbesondere jede jeder jedoch",
)
_FRENCH = _rules(
    "fig figs p.ex ex cf c.-à-d c-à-d env m mme mlle dr vs éq réf approx resp no nos p pp vol chap",
    "art sec",
    "n al inc ltd co s.a",
    "le la les l' un une des dans il elle ils elles ce cet cette ces en selon pour par sur on si "
    "lorsque ainsi de du au aux avec cependant toutefois comme à après avant chaque l'invention "
    "d'autres d'une d'un son sa ses ceci cela on ou mais or car figure fig procédé dispositif",
)
_BY_LANGUAGE = {"de": _GERMAN, "fr": _FRENCH}
_ORDINAL_LANGUAGES = ("de", "da", "no", "nb", "fi", "cs", "hu", "pl", "sk", "sl", "hr", "et")

_END = re.compile(
    r"(?P<mark>[.!?…]+)(?P<closers>[\"'”’»)\]]*)(?P<note>\[\d{1,3}(?:[,–-]\s?\d{1,3})*\])?(?=\s)\s+"
    r"|(?<=[a-z)]{2})(?P<tight>\.)(?=(?:The|This|It|In|An|As|For|When|However|These) )"
)
_WORD_BEFORE = re.compile(r"\S+$")
_OPENERS = "([{\"'“‘«„"
_NEXT = re.compile(r"[(\[{\"'“‘«„¿¡]*(?P<word>[^\W\d_]+(?:'(?=\s|$))?|[\s\S])")
_SMALL_START = re.compile(
    r"(?:tert|sec|iso|cis|trans|[a-z])-(?:[A-Z(]|\d)|[a-z]{1,2}[A-Z]{1,3}[a-z]?\b|pH\b"
)
_LABEL = re.compile(
    r"\(?(?:\d{1,3}[a-z]?(?:[.-](?:\d{1,2}|[ivx]{1,4})){0,3}|[A-Za-z]|[IVXivx]{1,5})\)?[.)]?",
    re.ASCII,
)
_INNER_LABEL = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,4})", re.ASCII)
_AND_SO_ON = ("etc", "usw")
_ELEMENTS = ("Al", "In")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+-?[^\W\d_]{1,2}")
_DEGREES = re.compile(r"[°º˚]\s?[CFK]$|degrees [CFK]$")
_UNIT = re.compile(r"\d ?(?:[A-Za-z]|min|sec|hrs?|in|ft|lb|oz|mol)$")
_VOLUME = re.compile(r"\d{1,4}(?:\(\d+\)|:\s?\d+)")
_JOURNAL = re.compile(r"\b[A-Z][a-z]{1,10}\. [A-Z][a-z]{1,10}\.,?\s")
_NAMED_AFTER_AUTHORS = re.compile(
    r"et al[.,]*(?:\s+(?:[A-Z][\w'.&-]*[,:]?|in|of|and|for|the))*\s+[A-Z][\w'.-]*"
)
_LONGEST_CITATION = 90
_SHORT_NUMBER = re.compile(r"\d{1,2}")
_NAMED_NUMBER = re.compile(
    r"(?:figs?\.?|figure|figur|anspruch|ansprüche[n]?|claims?|nr\.|no\.|und|and|bis|to|tabelle|"
    r"table|beispiel|example|formel|formula|typ|von|of)\s*\d{1,2}$",
    re.IGNORECASE,
)


def latin_cuts(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """Where sentences end between two places of a text."""
    rules = _BY_LANGUAGE.get(language, _ENGLISH)
    brackets = find_brackets(text, start, end)
    first = start
    for match in _END.finditer(text, start, end):
        if match.end() >= end:
            continue
        while first < match.start() and text[first].isspace():
            first += 1
        if match["tight"] or _is_end(text, first, match, brackets, rules, language):
            yield match.end()
            first = match.end()


def _is_end(
    text: str, first: int, match: re.Match[str], brackets: Brackets, rules: _Rules, language: str
) -> bool:
    next_word = _next_word(text, match.end())
    pair = brackets.around(match.start())
    if pair is not None and (
        pair[1] >= match.end("closers") or not (pair[0] == first or _starts(next_word, rules))
    ):
        return False
    if next_word[:1].islower() and _SMALL_START.match(text, match.end()) is None:
        return False
    if _is_inside_citation(text, first, match) and not _starts(next_word, rules):
        return False
    if "?" in match["mark"] or "!" in match["mark"]:
        return True
    stop = match.start("mark")
    if _LABEL.fullmatch(text, first, stop):
        return False
    found = _WORD_BEFORE.search(text, max(first, stop - 60), stop)
    word = "" if found is None else found.group().lstrip(_OPENERS)
    if found is not None and _is_inner_label(text, first, found.start(), word):
        return False
    if language in _ORDINAL_LANGUAGES and _SHORT_NUMBER.fullmatch(word):
        named = _NAMED_NUMBER.search(text, max(first, stop - 30), stop)
        return named is not None or _starts(next_word, rules)
    return match["closers"] != "" or _word_may_end(text, stop, word, next_word, rules)


def _next_word(text: str, place: int) -> str:
    """The word that follows, without quotes; an initial keeps its full stop, and starts nothing."""
    found = _NEXT.match(text, place)
    if found is None:
        return ""
    word = found["word"]
    return f"{word}." if len(word) == 1 and text[found.end() : found.end() + 1] == "." else word


def _starts(word: str, rules: _Rules) -> bool:
    return word.lower() in rules.starters and word[:1].isupper()


def _is_inside_citation(text: str, first: int, match: re.Match[str]) -> bool:
    """Whether a full stop stands in "et al., J. Exp. Med. 164:882 (1986)", before the year."""
    word = text.rfind(" ", first, match.start()) + 1
    if _VOLUME.match(text, match.end()) or _JOURNAL.match(text, word):
        return True
    place = text.rfind("et al", max(first, match.start() - _LONGEST_CITATION), match.start())
    return place >= 0 and _NAMED_AFTER_AUTHORS.fullmatch(text, place, match.start()) is not None


def _is_inner_label(text: str, first: int, place: int, word: str) -> bool:
    """Whether a number or letter opens an item: "the steps of: 1. Heating"."""
    before = text[max(first, place - 5) : place].rstrip()[-1:]
    return before in (":", ";") and _INNER_LABEL.fullmatch(word) is not None


def _word_may_end(text: str, stop: int, word: str, next_word: str, rules: _Rules) -> bool:
    """Whether a sentence can end with this word and a full stop."""
    small = word.lower()
    for separator in ("/", "-"):
        small = small.rpartition(separator)[2] if small not in rules.never else small
    if not word and not next_word[:1].isalpha():
        return False
    if small in rules.never:
        return False
    if small in rules.numbered:
        return not next_word[:1].isdigit()
    if small in _AND_SO_ON or _UNIT.search(text, max(0, stop - 6), stop):
        return next_word[:1].isupper() and "(" not in text[stop : stop + 3]
    if word in _ELEMENTS or _DEGREES.search(text, max(0, stop - 10), stop):
        return True
    is_short = small in rules.maybe or _DOTTED.fullmatch(small) or re.fullmatch("[A-Za-z]", word)
    return not is_short or _starts(next_word, rules)
