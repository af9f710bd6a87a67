"""Sentences of patent texts in English, Chinese and Japanese; German and French by their own lists.

| not an end of a sentence | example |
|---|---|
| abbreviations, initials | FIG. 1, U.S. Pat. No. 5,000, et al., e.g. a valve, E. coli |
| decimals, versions, formulas | 0.5 mm, v1.2.3, CH3.CO |
| marks inside brackets and quotations | 「開く。」と表示する, (see below. Also FIG. 3) |
| labels of lists and claims | 1. A method, (a) heating; (b) cooling |
| line wraps | a line break without an end of a sentence, heading or empty line |

Paragraph numbers ([0012], 【００１２】, 【請求項１】) are separate, so that they never become
part of a sentence. Nothing is lost: all characters but blanks are in exactly one sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from patmark.languages.registry import language as language_of
from patmark.languages.scripts import CJK, has_cjk

_NUMBER = r"(?:\[(?!1[89]\d\d\]|20\d\d\])\d{4,5}\]|【[\d０-９]{4,5}】|【請求項[\d０-９]{1,4}】)"
PARAGRAPH_NUMBER = re.compile(_NUMBER)
_NUMBER_IN_TEXT = re.compile(rf"(?:(?<=\s)|(?<=[。．.!?！？])|\A){_NUMBER}(?=\s|[^\s,;.，；、)）])")
_BREAK = re.compile(r"[^\S\n]*\n\s*")
_FINISHED = re.compile(r"[.!?。．｡！？][\"'”’»)\]」』）】]*$")
_HEADING_MARK = re.compile(r"【[^【】\n]{1,40}】$")
_FIGURE = re.compile(r"(?:fig(?:ure|ur)?s?\.?|[图図圖])\s?[\d０-９]", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]")
_CJK_HEADING = re.compile(r"[^\s、，。；：,.;:]{2,25}")
_LONGEST_HEADING = 80
_LONGEST_BRACKET = 500
_DEEPEST = 20
_PAIRS = {")": "(", "]": "[", "）": "（", "」": "「", "』": "『", "】": "【", "〕": "〔", "”": "“",
          "》": "《", "］": "［"}  # fmt: skip
_BRACKET = re.compile(r"[()\[\]（）「」『』【】〔〕“”《》［］]")


def block_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield parts of a text that no sentence crosses; blanks between them belong to none."""
    cuts = {0, len(text), *_line_cuts(text)}
    for match in _NUMBER_IN_TEXT.finditer(text):
        cuts.update(match.span())
    yield from pairwise(sorted(cuts))


def _line_cuts(text: str) -> Iterator[int]:
    line = 0
    for match in _BREAK.finditer(text):
        before = text[line : match.start()].strip()
        if match.group().count("\n") > 1 or _ends_line(before, text, match.end()):
            yield match.end()
        line = match.end()


def _ends_line(before: str, text: str, after: int) -> bool:
    if not before or _FINISHED.search(before) or _is_heading(before):
        return True
    entry = _FIGURE.match(text, after) is not None
    return entry and (before[-1] in ";；:：" or _FIGURE.match(before) is not None)


def _is_heading(line: str) -> bool:
    if len(line) > _LONGEST_HEADING:
        return False
    if _HEADING_MARK.search(line):
        return True
    if has_cjk(line):
        return _CJK_HEADING.fullmatch(line) is not None
    letters = "".join(_LETTERS.findall(line))
    return len(letters) > 3 and letters.isupper() and line[-1] not in ",;:-–" and " " in line


@dataclass(frozen=True, slots=True)
class Brackets:
    """The outermost pairs of brackets of a part of a text, in order."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def around(self, place: int) -> tuple[int, int] | None:
        """Return the outermost pair of brackets around a place."""
        at = bisect_right(self.starts, place) - 1
        if at >= 0 and place <= self.ends[at]:
            return self.starts[at], self.ends[at]
        return None


def find_brackets(text: str, start: int, end: int) -> Brackets:
    """Find pairs of brackets and quotation marks; unpaired or distant ones do not count."""
    open_: list[tuple[str, int]] = []
    pairs: list[tuple[int, int]] = []
    for match in _BRACKET.finditer(text, start, end):
        mark, place = match.group(), match.start()
        opener = _PAIRS.get(mark)
        if opener is None:
            open_.append((mark, place))
            continue
        deepest = max(len(open_) - _DEEPEST, 0)
        at = next(
            (i for i in range(len(open_) - 1, deepest - 1, -1) if open_[i][0] == opener), None
        )
        if at is not None:
            if place - open_[at][1] <= _LONGEST_BRACKET:
                pairs.append((open_[at][1], place))
            del open_[at:]
    outer: list[tuple[int, int]] = []
    for first, last in sorted(pairs):
        if not outer or first > outer[-1][1]:
            outer.append((first, last))
    return Brackets(tuple(first for first, _ in outer), tuple(last for _, last in outer))


@dataclass(frozen=True, slots=True)
class _Rules:
    """Abbreviations, in lower case without their last full stop.

    ``never`` end a sentence; ``numbered`` do, unless a number follows; ``maybe`` do if one of the
    ``starters`` follows.
    """

    never: frozenset[str]
    numbered: frozenset[str]
    maybe: frozenset[str]
    starters: frozenset[str]


@cache
def _rules(code: str) -> _Rules:
    """Return the rules of a language; those of English if it has none."""
    table = language_of(code).table("sentences")
    table = table if table.lists else language_of("en").table("sentences")
    return _Rules(*map(table.words, ("never", "numbered", "maybe", "starters")))


_ORDINAL_LANGUAGES = ("de", "da", "no", "nb", "fi", "cs", "hu", "pl", "sk", "sl", "hr", "et")

_LATIN_END = re.compile(
    r"(?P<mark>[.!?…]+)(?P<closers>[\"'”’»)\]]*)(?P<note>\[\d{1,3}(?:[,–-]\s?\d{1,3})*\])?(?=\s)\s+"
    r"|(?<=[a-z)]{2})(?P<tight>\.)(?=(?:The|This|It|In|An|As|For|When|However|These) )"
)
_WORD_BEFORE = re.compile(r"\S+$")
_OPENERS = "([{\"'“‘«„"
_NEXT = re.compile(r"[(\[{\"'“‘«„¿¡]*(?P<word>[^\W\d_]+(?:'(?=\s|$))?|[\s\S])")
_SMALL_START = re.compile(
    r"(?:tert|sec|iso|cis|trans|[a-z])-(?:[A-Z(]|\d)|[a-z]{1,2}[A-Z]{1,3}[a-z]?\b|pH\b"
)
_LATIN_LABEL = re.compile(
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
    """Yield the ends of sentences between two places of a text."""
    rules = _rules(language)
    brackets = find_brackets(text, start, end)
    first = start
    for match in _LATIN_END.finditer(text, start, end):
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
    if _LATIN_LABEL.fullmatch(text, first, stop):
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
    """Return the next word without quotes; an initial keeps its full stop, and starts nothing."""
    match = _NEXT.match(text, place)
    if match is None:
        return ""
    word = match["word"]
    return f"{word}." if len(word) == 1 and text[match.end() : match.end() + 1] == "." else word


def _starts(word: str, rules: _Rules) -> bool:
    return word.lower() in rules.starters and word[:1].isupper()


def _is_inside_citation(text: str, first: int, match: re.Match[str]) -> bool:
    """Return True for a full stop in "et al., J. Exp. Med. 164:882 (1986)", before the year."""
    word = text.rfind(" ", first, match.start()) + 1
    if _VOLUME.match(text, match.end()) or _JOURNAL.match(text, word):
        return True
    place = text.rfind("et al", max(first, match.start() - _LONGEST_CITATION), match.start())
    return place >= 0 and _NAMED_AFTER_AUTHORS.fullmatch(text, place, match.start()) is not None


def _is_inner_label(text: str, first: int, place: int, word: str) -> bool:
    """Return True if a number or letter opens an item: "the steps of: 1. Heating"."""
    before = text[max(first, place - 5) : place].rstrip()[-1:]
    return before in (":", ";") and _INNER_LABEL.fullmatch(word) is not None


def _word_may_end(text: str, stop: int, word: str, next_word: str, rules: _Rules) -> bool:
    """Return True if a sentence can end with this word and a full stop."""
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


_CLOSERS = r"[」』）)】〕》”’\"]*"
_CJK_STOP = rf"[。｡！？]|(?<=[{CJK}）)」])[．.!?](?![\d０-９A-Za-zＡ-Ｚａ-ｚ])"
_CJK_END = re.compile(rf"(?:{_CJK_STOP})+{_CLOSERS}")
_END_WITH_DOTS = re.compile(
    rf"(?:{_CJK_STOP}|(?<=[A-Za-zＡ-Ｚａ-ｚ\d０-９])．(?=\s*(?:[{CJK}]|\Z)))+{_CLOSERS}"
)
_CJK_LABEL = re.compile(
    r"[\s(（]*[A-Za-zＡ-Ｚａ-ｚ\d０-９一二三四五六七八九十]{1,3}[)）]?[.．、]\s*"
)
_QUOTES = "「『“"


def cjk_cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the ends of sentences between two places of a text."""
    brackets = find_brackets(text, start, end)
    dotted = text.find("．", start, end) >= 0 and text.find("。", start, end) < 0
    first = start
    for match in (_END_WITH_DOTS if dotted else _CJK_END).finditer(text, start, end):
        while first < match.start() and text[first].isspace():
            first += 1
        if _CJK_LABEL.fullmatch(text, first, match.end()):
            continue
        pair = brackets.around(match.start())
        if pair is not None:
            quoted = text[pair[0]] in _QUOTES
            if quoted or pair[0] != first or pair[1] >= match.end():
                continue
        yield match.end()
        first = match.end()


_CLAUSE_LABEL = r"\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)|[a-h]\)"
_ANY_CLAUSE = (
    r"(?P<after>[;；]\s*|(?<=[,;:，；：、.])[^\S\n]*\n\s*)"
    rf"|(?<=[\s,;:，；：、])(?P<before>(?:(?:and|or|und|et|ou|oder)\s+)?(?:{_CLAUSE_LABEL})(?=\s*[^\W\d_]))"
)
_ENGLISH_CLAUSE = (
    r"|(?P<colon>:(?=\s)\s*)"
    r"|(?<=, )(?P<where>(?:and )?(?:wherein|whereby|in which|characteri[sz]ed))\b"
)
_GERMAN_CLAUSE = r"|(?P<colon>:(?=\s)\s*)|(?<=, )(?P<where>wobei|dadurch gekennzeichnet|worin)\b"
_FRENCH_CLAUSE = (
    r"|(?P<colon> ?:(?=\s)\s*)"
    r"|(?P<where>(?<=, )(?:dans lequel|dans laquelle|caractérisée?s? en ce qu|où ))"
)
_CHINESE_CLAUSE = (
    r"|(?P<colon>[：:]\s*)|(?P<characterised>其?特[征徵](?:在于|是)[，,:：]?)"
    r"|(?<=[，,])(?P<where>其中)"
)
_JAPANESE_CLAUSE = r"|(?P<colon>(?:と|であって|において|に於いて|を特徴とする)[、，,]\s*)"
_CLAUSE_CUTS = {
    language: re.compile(_ANY_CLAUSE + own, re.IGNORECASE)
    for language, own in {
        "en": _ENGLISH_CLAUSE,
        "de": _GERMAN_CLAUSE,
        "fr": _FRENCH_CLAUSE,
        "zh": _CHINESE_CLAUSE,
        "ja": _JAPANESE_CLAUSE,
    }.items()
}
_MENTION = re.compile(
    r"\b(?:steps?|of|in|to|with|formulae?|groups?|claims?|from|part|by|schritte?n?|formel|étapes?|"
    r"formule|de|und|and|or|et)\s*$",
    re.IGNORECASE,
)
_AFTER = ("after", "colon", "characterised")
# a label opens an item after a mark; inside a phrase it is a reference sign: the rotor (30) has
_OPENS_ITEM = re.compile(
    r"\)\s*(?:an?|the|at least|one|two|(?!being|having)[a-z]+ing|eine?[nrms]?|der|die|das|une?|les?"
    r"|la|des)\b",
    re.IGNORECASE,
)
_OPENS_LIST = re.compile(r"(?:compris|includ|consist|contain)\w*\s*$|umfassend\s*$", re.IGNORECASE)


def _is_label(claim: str, match: re.Match[str]) -> bool:
    """Return True if a bracketed number or letter is the label of an item, not a reference sign."""
    start, end = match.span("before")
    if _MENTION.search(claim, max(0, start - 14), start):
        return False
    before = claim[:start].rstrip()
    if not before or before[-1] in ",;:，；：、" or claim[start] != "(":
        return True
    return bool(_OPENS_ITEM.match(claim, end - 1) or _OPENS_LIST.search(before))


def clause_cuts(claim: str, language: str) -> Iterator[int]:
    """Yield the starts of limitations; brackets are never cut."""
    brackets = find_brackets(claim, 0, len(claim))
    last = 0
    for match in _CLAUSE_CUTS.get(language, _CLAUSE_CUTS["en"]).finditer(claim):
        kind = match.lastgroup or ""
        pair = brackets.around(match.start())
        if pair is not None and pair[0] != match.start(kind) and pair[1] >= match.end():
            continue
        if kind == "before" and not _is_label(claim, match):
            continue
        cut = match.end() if kind in _AFTER else match.start()
        if cut > last:
            yield cut
            last = cut


_CJK_LANGUAGES = ("zh", "ja")


def split_sentences(text: str, language: str) -> list[str]:
    """Return the sentences of a text, without the blanks around them.

    >>> split_sentences("FIG. 2 shows a pump (cf. FIG. 1. It is off). It has a seal 3.", "en")
    ['FIG. 2 shows a pump (cf. FIG. 1. It is off).', 'It has a seal 3.']
    >>> split_sentences("「開く。」と表示する。図１．２参照。", "ja")
    ['「開く。」と表示する。', '図１．２参照。']
    """
    return [text[start:end] for start, end in sentence_spans(text, language)]


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of a text."""
    spans: list[tuple[int, int]] = []
    for start, end in block_spans(text):
        if language in _CJK_LANGUAGES:
            cuts = cjk_cuts(text, start, end)
        else:
            cuts = latin_cuts(text, start, end, language)
        spans += _between(text, [start, *cuts, end])
    return spans


def split_clauses(claim: str, language: str) -> list[str]:
    """Split a claim into limitations at semicolons, labels, line breaks and "wherein".

    A claim is one sentence, often too long to be aligned as a whole.

    >>> split_clauses("A cup comprising: a wall; and a base, wherein the wall is thin.", "en")
    ['A cup comprising:', 'a wall;', 'and a base,', 'wherein the wall is thin.']
    """
    return [claim[start:end] for start, end in clause_spans(claim, language)]


def clause_spans(claim: str, language: str) -> list[tuple[int, int]]:
    """Return the start and end of each limitation of a claim."""
    return list(_between(claim, [0, *clause_cuts(claim, language), len(claim)]))


def is_paragraph_number(sentence: str) -> bool:
    """Return True for a text that is only the number of a paragraph or claim: 【００１２】."""
    return PARAGRAPH_NUMBER.fullmatch(sentence) is not None


def _between(text: str, cuts: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans between neighbouring cuts without blanks at their ends."""
    for start, end in pairwise(cuts):
        piece = text[start:end]
        inner = piece.strip()
        if inner:
            begin = start + len(piece) - len(piece.lstrip())
            yield begin, begin + len(inner)


def join_sentences(sentences: Sequence[str], language: str) -> str:
    """Join sentences into one text, with blanks only if the script has them."""
    return ("" if language in _CJK_LANGUAGES else " ").join(sentences)
