"""Terms of a claim: the noun phrases that it introduces, and those that refer back.

| | English | Chinese | Japanese |
|---|---|---|---|
| introduced | a shaft, at least one shaft, a pair of shafts | 一个转轴, 多个转轴 | 複数の軸 |
| bare | shafts, water | 转轴 | 回転軸 |
| referred to | the shaft, said shaft | 所述转轴, 该转轴 | 前記回転軸, 該回転軸 |

Terms are found by rules, without a grammar. An English phrase runs from its article to the next
function word or verb of patent language; Chinese and Japanese ones follow word lists and scripts.
"a first and a second shaft" has two terms with the noun: first shaft, second shaft. :func:`covers`
decides if an introduced phrase is the antecedent of a later one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from patmark.claims.model import Term, TermKind, TextSpan
from patmark.claims.words import pattern, source, verb_last, word_list
from patmark.languages import (
    BARE_SIGN,
    ENGLISH_DIGIT_ORDINAL,
    ENGLISH_ORDINALS,
    HAN,
    HAN_NUMBER,
    REFERENCE_SIGN,
    ContentWord,
    content_words,
    has_cjk,
    is_only_verb,
    language as pack_of,
    singular,
)

_SHORTEST_OVERLAP = 2
_STEM = 4


def find_terms(
    plain: str, text: str, contents: Sequence[TextSpan], language: str
) -> list[tuple[Term, ...]]:
    """Return the terms of each claim, in order."""
    if pack_of(language).is_spaced:
        return [_with_shared_nouns(plain, _english_terms(plain, text, span)) for span in contents]
    if verb_last(language):
        return [tuple(_japanese_terms(plain, text, content, language)) for content in contents]
    return _chinese_terms(plain, text, contents, language)


def covers(introduced: Term, reference: Term) -> bool:
    """Return True if a term introduced earlier can be the antecedent of a reference.

    English: the same head, and the other words of the reference among those of the introduced term
    in the same order. "a first rotating shaft" covers "the shaft" and "the first shaft", not "the
    second shaft". A participle may be added ("the rotated shaft"), and a verb may have been parsed
    as a part of the phrase ("the shaft passes"). Chinese and Japanese: the reference is an end of
    the introduced term, or starts with such an end (a verb may follow without a break).
    """
    if _is_cjk(introduced) or _is_cjk(reference):
        return _covers_cjk(introduced.head, reference.head)
    return any(covers_words(introduced.words, words) for words in readings_of(reference))


def _is_cjk(term: Term) -> bool:
    return len(term.words) == 1 and has_cjk(term.head)


def _covers_cjk(introduced: str, reference: str) -> bool:
    if introduced.endswith(reference):
        return True
    longest = min(len(introduced), len(reference))
    return any(
        reference.startswith(introduced[len(introduced) - size :])
        for size in range(longest, _SHORTEST_OVERLAP - 1, -1)
    )


def readings_of(reference: Term) -> Iterator[tuple[str, ...]]:
    """Yield the words of a phrase, and the words before each that may be a verb.

    Such a word ends in s, "the shaft turns", or stands after a plural, "the shafts turn".
    """
    yield reference.words
    written = reference.text.lower().split()
    if len(written) == len(reference.words):
        in_s = [form != word for form, word in zip(written, reference.words, strict=True)]
        for place in range(1, len(written)):
            if in_s[place] or in_s[place - 1]:
                yield reference.words[:place]


def covers_words(introduced: Sequence[str], reference: Sequence[str]) -> bool:
    """Return True if the head is the same and all other words are in order, except participles.

    A participle may be added to all introduced words; it does not replace one of them, unless they
    have one stem: "a mobile part" is not "the fixed part".
    """
    if introduced == reference:
        return True
    if introduced[-1] != reference[-1]:
        return False
    added = [word for word in reference if word.endswith("ed") and word not in introduced]
    remaining = iter(introduced)
    if not all(word in remaining for word in reference if word not in added):
        return False
    lost = [word for word in introduced if word not in reference]
    return not added or all(word[:_STEM] in {item[:_STEM] for item in added} for word in lost)


_WORD_FORM = r"[^\W_]*(?:[-'’/][^\W_]+)*"
_TOKEN = re.compile(
    rf"(?P<plain>[cdghijklqrvwxyz]{_WORD_FORM})"  # begins no article; saves most of the attempts
    r"|(?P<intro>\b(?:(?:at least|more than|up to|at most)\s+)?"
    r"(?:(?:an?|one|two)\s+or\s+more|an?\s+(?:plurality|number|multitude|pair)\s+of|"
    r"pluralit(?:y|ies)\s+of|an?|another|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|multiple|several)\b)"
    r"|(?P<back>\b(?:each\s+of\s+|any\s+of\s+|both\s+of\s+)?(?:the\s+said|the|said|aforesaid)\b"
    r"(?:\s+(?:at least (?:one|two)|(?:one|two) or more|(?:plurality|pair|number) of|one|two|three|"
    r"four|five|six|multiple|several)\b)?)"
    rf"|(?P<sign>\(\s?{REFERENCE_SIGN}(?:\s?[,;]\s?{REFERENCE_SIGN})*\s?\)|\b{BARE_SIGN}\b)"
    r"|(?P<stop_words>\bset\s+(?:forth|out)\b)"
    rf"|(?P<word>(?:\b{ENGLISH_DIGIT_ORDINAL}\b(?:[-'’/][^\W_]+)*|[^\W\d_]{_WORD_FORM}))"
    r"|(?P<stop>[^\s\w])",
    re.IGNORECASE,
)
_STOPS = word_list("phrase-ends")
_NOUNS = word_list("nouns-like-participles")
_NOUNS_LIKE_VERBS = word_list("nouns-like-verbs")
_NOUNS_IN_LY = word_list("nouns-in-ly")
_NOUNS_OR_VERBS_IN_LY = frozenset(("ply", "reply", "supply"))
_PASSED_OVER = word_list("passed-over")
_ADJECTIVES = word_list("adjectives")
TELLING_APART = word_list("telling-apart").union(ENGLISH_ORDINALS)
# between the parts of a list, "first, second and/or the third", and in "a second, opposite side"
_LINK = re.compile(
    r"\s*(?:(?P<opposite>,\s*(?:opposite|opposed|opposing|different|other|further|separate))\s+"
    r"|[,/-]?\s*(?:and/or|and|or|to)?\s*(?:\b(?:the|said|an?|radially|axially)\s+)*)",
    re.IGNORECASE,
)
_ARTICLES = frozenset(("a", "an", "another"))
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_ORDINALS = {  # 21st, but 11th
    f"{value}{_ENDINGS.get(value % 10, 'th') if value // 10 != 1 else 'th'}": word
    for word, value in ENGLISH_ORDINALS.items()
}
_LABEL = re.compile(r"[a-z]|[ivx]{1,5}")
_PARTICIPLE = re.compile(r".{2,}(?:ing|ed)")


class _Word(NamedTuple):
    start: int
    end: int
    form: str


def _english_terms(plain: str, text: str, content: TextSpan) -> Iterator[Term]:
    """Yield the noun phrases of a claim, each with its kind."""
    words: list[_Word] = []
    kind: TermKind = "bare"
    marker = ""
    for match in _TOKEN.finditer(plain, content.start, content.end):
        group = match.lastgroup
        form = match.group().lower()
        if marker and _passed_over(group, form, words):
            continue
        if group in ("plain", "word"):
            if not (_ends_phrase(form, bool(words), bool(marker)) or _is_verb(form, words, marker)):
                words.append(_Word(*match.span(), form))
                continue
            if not words and not marker:
                continue
        article = group in ("intro", "back")
        if words:
            sign = match.group() if group == "sign" else None
            yield from _term(
                text, _before_article(words, kind) if article else words, kind, marker, sign
            )
        words, kind, marker = [], "bare", ""
        if article:
            kind = "introduced" if group == "intro" else "referred"
            marker = " ".join(form.split())
    yield from _term(text, words, kind, marker, None)


def _with_shared_nouns(plain: str, terms: Iterable[Term]) -> tuple[Term, ...]:
    """Return the terms of a claim; a mere modifier gets the noun it shares."""
    found = list(terms)
    for place in range(len(found) - 2, -1, -1):
        term, after = found[place], found[place + 1]
        if term.words[-1] not in TELLING_APART:
            continue
        link = _LINK.fullmatch(plain, term.end, after.start)
        if link is None or (after.kind == "introduced" and term.kind == "referred"):
            continue
        noun = tuple(word for word in after.words if word not in TELLING_APART)
        if noun and (link["opposite"] or after.words[0] in TELLING_APART):
            found[place] = replace(term, words=(*term.words, *noun))
    return tuple(found)


def _passed_over(group: str | None, form: str, words: list[_Word]) -> bool:
    """Return True if a word between article and noun is skipped: "the other"."""
    if group == "intro":
        modified = all(_PARTICIPLE.fullmatch(word.form) for word in words)
        return bool(words) and modified and form not in _ARTICLES
    is_word = group in ("word", "plain")
    return is_word and not words and (form in _PASSED_OVER or is_adverb(form, True))


@lru_cache(maxsize=2**15)
def _ends_phrase(form: str, inside: bool, marker: bool) -> bool:
    """Return True if a word ends a phrase; "a receiving unit" keeps its first participle."""
    if form not in _STOPS:
        return is_adverb(form, inside or marker)
    modifier = form in _ADJECTIVES or _PARTICIPLE.fullmatch(form) is not None
    return inside or not marker or not modifier


def _is_verb(form: str, words: list[_Word], marker: str) -> bool:
    """Return True if a word is a verb: "the arms deflect", "engage it".

    A verb agrees with its subject: it ends with s after a singular, and does not after a plural.
    """
    in_s = _verb_number(form)
    if in_s is None:
        return False
    if not words:
        return not marker
    subject = words[-1].form
    return in_s != (singular(subject) != subject)


@lru_cache(maxsize=2**15)
def _verb_number(form: str) -> bool | None:
    """Return True for a verb in -s and False for another form; None if it may be a noun."""
    base = singular(form)
    in_s = base != form
    if base in _NOUNS_LIKE_VERBS or not (is_only_verb(base) or (in_s and is_only_verb(form[:-1]))):
        return None
    return in_s


def is_adverb(form: str, in_phrase: bool) -> bool:
    """Return True if a word in -ly is no noun; "a supply line" has a noun."""
    if not form.endswith("ly"):
        return form.endswith("wards")
    last = re.split(r"[-/]", form)[-1]
    return last not in _NOUNS_IN_LY and not (in_phrase and last in _NOUNS_OR_VERBS_IN_LY)


def _before_article(words: list[_Word], kind: TermKind) -> list[_Word]:
    """Return the phrase without its last word if that is a verb: "the lid covers the".

    A verb agrees with its subject: "the first end the", with a missing word, has none.
    """
    if len(words) < 2 or kind == "bare":
        return words if kind != "bare" else words[:-1]
    before, last = words[-2].form, words[-1].form
    agrees = singular(last) != last or singular(before) != before or _PARTICIPLE.fullmatch(last)
    return words[:-1] if agrees and before not in ENGLISH_ORDINALS else words


def _term(
    text: str, words: list[_Word], kind: TermKind, marker: str, sign: str | None
) -> list[Term]:
    """Return the term of the collected words, if any; final participles belong to the verb."""
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
    """Return True if a word without an article is a verb form or a label."""
    form = words[0].form
    return len(words) == 1 and (_is_participle(form) or _LABEL.fullmatch(form) is not None)


_SIGN = re.compile(rf"\s?\(\s?({REFERENCE_SIGN})\s?\)|({BARE_SIGN})(?![\d.%°])")


def _ordinal(language: str) -> str:
    return f"(?:{source('ordinal-prefix', language)}{HAN_NUMBER})"


@cache
def _marked(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that mark a name as introduced or as referred to."""
    kinds = (
        f"(?P<{kind}>{source('marker', language, kind)})" for kind in ("referred", "introduced")
    )
    return re.compile("|".join(kinds))


@cache
def _lead(language: str) -> re.Pattern[str]:
    return re.compile(rf"{_ordinal(language)}?(?:[A-Za-z0-9]{{1,12}}-?)?")


@cache
def _marked_run(language: str) -> re.Pattern[str]:
    """Return a pattern for a run of kanji, katakana and Latin letters with the mark before it."""
    return re.compile(
        rf"(?:{_marked(language).pattern})?"
        rf"(?P<phrase>(?:{_ordinal(language)}{source('noun-link', language)}?)?"
        rf"[{HAN}\u30a1-\u30fcA-Za-z]{{1,40}})"
    )


def _chinese_terms(
    plain: str, text: str, contents: Sequence[TextSpan], language: str
) -> list[tuple[Term, ...]]:
    """Return the terms of each claim; words come from the segmenter."""
    slices = [plain[content.start : content.end] for content in contents]
    return [
        tuple(_chinese(part, text, content.start, _with_methods(part, words, language), language))
        for part, content, words in zip(
            slices, contents, content_words(slices, language), strict=True
        )
    ]


def _with_methods(part: str, words: Sequence[ContentWord], language: str) -> list[ContentWord]:
    """Return the words and 方法, which is a stop word elsewhere but may be claimed."""
    methods = [
        ContentWord(*match.span(), match.group())
        for match in pattern("always-named", language).finditer(part)
    ]
    return sorted([*words, *methods], key=lambda word: word.start) if methods else list(words)


def _chinese(
    part: str, text: str, offset: int, words: Sequence[ContentWord], language: str
) -> Iterator[Term]:
    """Yield runs of words that touch; a mark before a run tells its kind."""
    marks = {match.end(): match for match in _marked(language).finditer(part)}
    leads = {place: mark for mark in marks.values() for place in _name_starts(part, mark, language)}
    for run in _runs(part, words, marks):
        start, end = run[0].start, run[-1].end
        mark = leads.get(start)
        kind: TermKind = "bare"
        if mark is not None:
            kind = "referred" if mark["referred"] else "introduced"
            start = mark.end()
        else:
            start = _ordinal_start(part, start, language)
        marker = "" if mark is None else mark.group()
        span = TextSpan(offset + start, offset + end)
        name = "".join(part[start:end].split())
        yield _cjk_term(text, span, kind, marker, name, _SIGN.match(part, end))


def _cjk_term(
    text: str, span: TextSpan, kind: TermKind, marker: str, name: str, sign: re.Match[str] | None
) -> Term:
    written = text[span.start : span.end]
    bare = None if sign is None else sign[1] or sign[2]
    return Term(span.start, span.end, written, kind, marker, (name,), bare)


def _name_starts(part: str, mark: re.Match[str], language: str) -> Iterator[int]:
    """Yield possible starts of a name: right after its mark, after an ordinal, after 内."""
    yield mark.end()
    lead = _lead(language).match(part, mark.end())
    start = mark.end() if lead is None else lead.end()
    yield start
    if pattern("name-prefix", language).match(part, start):
        yield start + 1


def _ordinal_start(part: str, start: int, language: str) -> int:
    """Return the start of a run with the ordinal or the Latin letters before it."""
    lead = re.search(f"{_lead(language).pattern}$", part[max(0, start - 18) : start])
    return start if lead is None else start - len(lead.group())


def _runs(
    part: str, words: Sequence[ContentWord], marks: dict[int, re.Match[str]]
) -> Iterator[list[ContentWord]]:
    run: list[ContentWord] = []
    for word in words:
        if run and (run[-1].end != word.start or word.start in marks):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _japanese_terms(plain: str, text: str, content: TextSpan, language: str) -> Iterator[Term]:
    """Yield runs of kanji, katakana and Latin letters; a mark before a run tells its kind."""
    for match in _marked_run(language).finditer(plain, content.start, content.end):
        phrase = match["phrase"]
        if phrase in word_list("no-names", language) or (
            len(phrase) == 1 and match["referred"] is None
        ):
            continue
        marker = match["referred"] or match["introduced"] or ""
        kind: TermKind = (
            "referred" if match["referred"] else "introduced" if match["introduced"] else "bare"
        )
        span = TextSpan(*match.span("phrase"))
        yield _cjk_term(text, span, kind, marker, phrase, _SIGN.match(plain, span.end))
