"""Parser of claim sets: each claim is split into preamble, transition, body and limitations.

| language | transitions | preamble stands |
|---|---|---|
| English | characterised in that; comprising, consisting (essentially) of, wherein | first |
| Chinese | 其特征在于; 包括, 包含, 由…组成, 其中 | first |
| Japanese | において, であって | first |
| Japanese | を備える, を特徴とする, からなる before the last noun; 請求項1に記載の… | last |
| Japanese | none: the last noun is the preamble; a note after 化合物。 is the body | last |

Limitations end at semicolons, colons and line breaks (not at line wraps), before "wherein" and
"whereby" (其中; after ～と、) and before labels such as a) (i) 1). Labels give the level if there
are some; a limitation that ends with a colon opens a list one level down, which ends after the item
that "and" introduces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from patmark.claims.categories import ClaimSubject, subject_of
from patmark.claims.dependencies import find_dependency, find_references
from patmark.claims.model import (
    ClaimSet,
    Limitation,
    ParsedClaim,
    Reference,
    Term,
    TextSpan,
    Transition,
    TransitionKind,
)
from patmark.claims.terms import find_terms
from patmark.claims.visible_text import visible_text
from patmark.claims.words import claim_languages, pattern, source, verb_last
from patmark.errors import UsageError
from patmark.languages import (
    HAN,
    Chunk,
    Piece,
    after_blanks,
    before_blanks,
    language_code,
    language_of,
    plain_form,
    split_claims,
    stops_outside_brackets,
)


@dataclass(frozen=True, slots=True)
class Outline:
    """The claims of a text before their analysis: places and mentions."""

    text: str
    plain: str
    language: str
    chunks: tuple[Chunk, ...]
    pieces: tuple[Piece, ...]
    references: tuple[tuple[Reference, ...], ...]


def parse_claims(text: str, language: str | None = None) -> ClaimSet:
    """Parse the claims of a text in English, Chinese or Japanese.

    Without ``language`` the script of the text decides. Numbers are kept as stated, including
    missing, repeated and jumping ones.
    """
    return claims_of(outline_claims(text, language))


def outline_claims(text: str, language: str | None = None) -> Outline:
    """Find the claims of a text, and the claims that they mention."""
    if language is not None and (language := language_code(language)) not in claim_languages():
        listed = ", ".join(claim_languages())
        raise UsageError(f"claims are parsed in {listed}, not in {language!r}")
    text = visible_text(text).text
    code = language or language_of(None, text)
    plain = plain_form(text)
    chunks, pieces = split_claims(plain)
    references = []
    earlier: set[int] = set()
    for chunk, number in zip(chunks, _numbers(chunks), strict=True):
        references.append(find_references(plain, TextSpan(chunk.content, chunk.end), earlier))
        if number is not None:
            earlier.add(number)
    return Outline(text, plain, code, chunks, pieces, tuple(references))


def _numbers(chunks: Sequence[Chunk]) -> list[int | None]:
    """Return the number by which later claims can mention each claim."""
    stated = {chunk.number for chunk in chunks}
    return [
        (None if position in stated else position) if chunk.number is None else chunk.number
        for position, chunk in enumerate(chunks, 1)
    ]


def claims_of(outline: Outline) -> ClaimSet:
    """Analyse the claims of an outline."""
    plain, text, chunks = outline.plain, outline.text, outline.chunks
    contents = [TextSpan(chunk.content, chunk.end) for chunk in chunks]
    terms = find_terms(plain, text, contents, outline.language)
    known: dict[int, ClaimSubject] = {}
    claims: list[ParsedClaim] = []
    for place, number in enumerate(_numbers(chunks)):
        claim, subject = _claim(outline, place, known, terms[place])
        claims.append(claim)
        if number is not None:
            known.setdefault(number, subject)
    return ClaimSet(text, outline.language, tuple(claims), outline.pieces)


def _claim(
    outline: Outline, place: int, known: dict[int, ClaimSubject], terms: tuple[Term, ...]
) -> tuple[ParsedClaim, ClaimSubject]:
    """Return one claim, and the facts that later claims need."""
    plain, text, language = outline.plain, outline.text, outline.language
    chunk, references = outline.chunks[place], outline.references[place]
    content = TextSpan(chunk.content, chunk.end)
    parts = _find_parts(plain, content, language, references)
    subject = subject_of(plain, parts.preamble, language)
    dependency = find_dependency(plain, content, references, subject, known, language)
    claim = ParsedClaim(
        number=chunk.number,
        last=chunk.last,
        position=place + 1,
        start=chunk.start,
        end=chunk.end,
        text=text[chunk.start : chunk.end],
        status=chunk.status,
        content=content,
        preamble=parts.preamble,
        transition=parts.transition,
        body=parts.body,
        limitations=find_limitations(plain, text, parts.body),
        references=references,
        refers_to=dependency.refers_to,
        depends_on=dependency.depends_on,
        multiple=dependency.multiple,
        alternative=dependency.alternative,
        category=subject.category,
        terms=tuple(term for term in terms if not _overlaps(term, references)),
    )
    return claim, subject


def _overlaps(term: Term, references: tuple[Reference, ...]) -> bool:
    """Return True if a term is part of a mention of claims ("the preceding claims")."""
    return any(item.start < term.end and term.start < item.end for item in references)


_COMMA = re.compile(r"[、,]")
_OPENERS: tuple[TransitionKind, ...] = ("partly-closed", "closed", "open", "wherein")
_LAST: tuple[TransitionKind, ...] = ("two-part", "closed", "open")


@cache
def _openers(language: str) -> re.Pattern[str]:
    """Return a pattern for the first words after a preamble, with a group for each kind."""
    kinds = _by_kind(_OPENERS, language, whole=True)
    return re.compile(rf"(?:{kinds})\s*(?P<colon>:?)", re.IGNORECASE)


@cache
def _last_words(language: str) -> re.Pattern[str]:
    """Return a pattern for the words before a subject at the end of a claim."""
    return re.compile(f"(?:{_by_kind(_LAST, language)})[、,]?")


def _by_kind(kinds: Sequence[TransitionKind], language: str, whole: bool = False) -> str:
    return "|".join(
        f"(?P<{_group(kind)}>{source('transition', language, kind, whole=whole)})" for kind in kinds
    )


def _group(kind: TransitionKind) -> str:
    return kind.replace("-", "_")


def _kind(match: re.Match[str], kinds: Sequence[TransitionKind]) -> TransitionKind:
    return next(kind for kind in kinds if match[_group(kind)])


@cache
def _noun_at_end(language: str) -> re.Pattern[str]:
    name = rf"(?:[{HAN}\u30a1-\u30fcA-Za-z0-9]|{source('noun-link', language)})"
    return re.compile(rf"(?<!{name}){name}+[。.\s]*\Z")


@dataclass(frozen=True, slots=True)
class _Parts:
    """Preamble, transition and body of a claim."""

    preamble: TextSpan
    transition: Transition | None
    body: TextSpan


def _find_parts(
    plain: str, content: TextSpan, language: str, references: tuple[Reference, ...]
) -> _Parts:
    """Find preamble, transition and body of a claim."""
    if verb_last(language):
        return _verb_last_parts(plain, content, references, language)
    match, kind = _transition(plain, content, language)
    if match is None:
        return _Parts(content, None, TextSpan(content.end, content.end))
    start, end = match.span()
    return _Parts(
        TextSpan(content.start, before_blanks(plain, start, content.start)),
        Transition(start, before_blanks(plain, end, start), kind),
        TextSpan(after_blanks(plain, end, content.end), content.end),
    )


def _transition(
    plain: str, content: TextSpan, language: str
) -> tuple[re.Match[str] | None, TransitionKind]:
    """Return the transition: two-part form, else the first followed by a colon, else the first."""
    named = pattern("transition", language, "two-part")
    two_part = named.search(plain, content.start, content.end)
    if two_part is not None:
        return two_part, "two-part"
    first: re.Match[str] | None = None
    clause = plain.find(";", content.start, content.end)
    for match in _openers(language).finditer(plain, content.start, content.end):
        if first is not None and clause >= 0 and match.start() > clause:
            break
        if first is None:
            first = match
        if match["wherein"]:
            break
        if match["colon"]:
            first = match
            break
    if first is not None:
        return first, _kind(first, _OPENERS)
    second = pattern("transition", language, "secondary")
    return second.search(plain, content.start, content.end), "open"


def _verb_last_parts(
    plain: str, content: TextSpan, references: tuple[Reference, ...], language: str
) -> _Parts:
    stop = next(stops_outside_brackets(plain, content.start, content.end), content.end)
    end = min(stop + 1, content.end)
    note = after_blanks(plain, end, content.end)  # on a formula: 化合物。(式中、…)
    if note < content.end:
        return _Parts(TextSpan(content.start, end), None, TextSpan(note, content.end))
    opener, recited = pattern("transition", language, "wherein"), pattern("recited", language)
    first = opener.search(plain, content.start, content.end)
    if first is not None and any(
        first.end() <= item.start and recited.match(plain, item.end) for item in references
    ):
        first = None  # 前記冷却する工程において、…、請求項1に記載の製造方法
    item_end = pattern("item-end", language)
    if first is not None and item_end.search(plain, content.start, first.start()) is None:
        return _Parts(
            TextSpan(content.start, first.start()),
            Transition(first.start(), first.end(), "wherein"),
            TextSpan(after_blanks(plain, first.end(), content.end), content.end),
        )
    last = _last_transition(plain, content, references, language)
    if last is not None:
        return _Parts(
            TextSpan(after_blanks(plain, last.end(), content.end), content.end),
            Transition(last.start(), last.end(), _kind(last, _LAST)),
            TextSpan(content.start, last.start()),
        )
    named = _noun_at_end(language).search(plain[content.start : content.end])
    start = content.end if named is None else content.start + named.start()
    if references and references[0].start > content.start:
        start = references[0].start
    elif references or not plain[content.start : start].strip():
        return _Parts(content, None, TextSpan(content.end, content.end))
    return _Parts(TextSpan(start, content.end), None, TextSpan(content.start, start))


def _last_transition(
    plain: str, content: TextSpan, references: tuple[Reference, ...], language: str
) -> re.Match[str] | None:
    """Return the transition right before the last noun or before "請求項1に記載の" and the noun."""
    *_, last = (None, *_last_words(language).finditer(plain, content.start, content.end))
    if last is None:
        return None
    named = [item.start for item in references if item.start >= last.end()]
    between = plain[last.end() : named[0] if named else content.end].strip(" 、,。\n")
    return last if not (between if named else _COMMA.search(between)) else None


@cache
def _label_at() -> re.Pattern[str]:
    """Return a pattern for the label of a step or an element, with a group for its style."""
    return re.compile(
        r"(?:(?:and|or)\s+)?(?:[-*•·●▪–]\s+)?"
        r"(?:\((?P<bracket>[a-z]|[ivx]{1,5}|\d{1,2})\)|(?P<half>[A-Za-z]|[ivx]{1,5}|\d{1,2})\)"
        r"|(?P<dot>[a-z]|[ivx]{1,5}|\d{1,2})\.(?=\s)|(?P<step>S\d{1,4})[:.、,]"
        rf"|{source('step-label')}(?P<named>S?\d{{1,3}})[:、,])"
    )


@cache
def _cuts() -> re.Pattern[str]:
    """Return a pattern for the places at which a body may be divided."""
    return re.compile(
        r"(?P<stop>;|(?<=[A-Za-z)]):(?=\s))|(?P<break>\n\s*)"
        rf"|(?P<where>\b(?:and\s+)?where(?:in|by)\b|(?<=[,;]){source('inner-wherein')})"
        r"|(?<=[\s,:])(?P<label>\((?:[a-h]|[ivx]{1,4})\)|[a-h]\))(?=\s*[^\W\d_])"
        rf"|(?P<item>{source('item-end')}\s*)"
    )


@cache
def _line_start() -> re.Pattern[str]:
    return re.compile(rf"[-*•·●▪–]\s|{_label_at().pattern}")


_NO_LABEL_BEFORE = re.compile(
    r"\b(?:steps?|of|in|to|with|formula|formulae|group|groups|claim|claims|from|or|part|by"
    r"|(?<![,;] )(?<![,;])and)\s*$",
    re.IGNORECASE,
)
_AND_FIRST = re.compile(r"(?:and|or)\b", re.IGNORECASE)
_AND_LAST = re.compile(r"(?:;|,)\s*(?:and|or)\s*$", re.IGNORECASE)
_ROMAN = re.compile(r"[ivx]+")


def find_limitations(plain: str, text: str, body: TextSpan) -> tuple[Limitation, ...]:
    """Return the limitations of a body in order, which cover all its characters but blanks."""
    levels = _Levels()
    found: list[Limitation] = []
    for start, end, inner in _clauses(plain, body):
        label = _label(plain, start, end)
        level = levels.next(plain[start:end], label, inner)
        found.append(Limitation(start, end, level, text[start:end], label and label[1]))
    return tuple(found)


def _clauses(plain: str, body: TextSpan) -> Iterator[tuple[int, int, bool]]:
    """Yield the place of each clause, and True for a "wherein" inside the clause before it."""
    start, inner = body.start, False
    for match in _cuts().finditer(plain, body.start, body.end):
        cut = _cut_place(plain, start, match, body.end)
        if cut is not None and plain[start:cut].strip(" \t\n,;").lower() not in ("", "and", "or"):
            yield *_trim(plain, start, cut), inner
            start, inner = cut, match["where"] is not None
    if plain[start : body.end].strip():
        yield *_trim(plain, start, body.end), inner


def _cut_place(plain: str, start: int, match: re.Match[str], end: int) -> int | None:
    """Return the end of a clause at this match; None at line wraps and mentions of labels."""
    place = match.start()
    if match["label"]:
        before = _NO_LABEL_BEFORE.search(plain, max(start, place - 14), place)
        return place if before is None else None
    if match["break"]:
        line = after_blanks(plain, place, end)
        ended = plain[before_blanks(plain, place, start) - 1] in ",;:.。、"
        return place if ended or _line_start().match(plain, line, end) else None
    return place if match["where"] else match.end()


def _trim(plain: str, start: int, end: int) -> tuple[int, int]:
    start = after_blanks(plain, start, end)
    return start, before_blanks(plain, end, start)


def _label(plain: str, start: int, end: int) -> tuple[str, str] | None:
    """Return style and name of the label of a clause."""
    match = _label_at().match(plain, start, end)
    if match is None or match.end() == end:
        return None
    style = match.lastgroup or ""
    name = match[style]
    if name.isdigit():
        return style + "-digit", name
    if name.isupper():
        return style + "-capital", name
    return style + ("-roman" if len(name) > 1 and _ROMAN.fullmatch(name) else "-letter"), name


class _Levels:
    """The level of each clause, from labels, colons and "and", in reading order."""

    def __init__(self) -> None:
        self._styles: dict[str, int] = {}
        self._depth = 1
        self._closing = False
        self._last = 1

    def next(self, clause: str, label: tuple[str, str] | None, inner: bool) -> int:
        if inner:
            return self._last + 1
        if label is not None:
            self._label(*label)
        level = self._depth
        opened = clause.rstrip().endswith(":")
        final = self._closing or (level > 1 and _AND_FIRST.match(clause) is not None)
        self._closing = level > 1 and _AND_LAST.search(clause) is not None
        if opened:
            self._depth = level + 1
            self._closing = False
        elif final and not self._styles:
            self._depth = max(1, level - 1)
        self._last = level
        return level

    def _label(self, style: str, name: str) -> None:
        """Return to the level of a known style, or open a new level for a new one.

        "i" after "h" is a letter, else roman.
        """
        if name in ("i", "v", "x") and style not in list(self._styles)[-1:]:
            style = style.replace("-letter", "-roman")
        known = self._styles.get(style)
        if known is None:
            known = max(self._depth, 1 + max(self._styles.values(), default=0))
        self._styles = {other: level for other, level in self._styles.items() if level < known}
        self._styles[style] = known
        self._depth = known
