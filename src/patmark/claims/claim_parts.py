"""A claim cut into preamble, transition and body.

| language | transitions | preamble stands |
|---|---|---|
| English | characterised in that; comprising, consisting (essentially) of, wherein | first |
| Chinese | 其特征在于; 包括, 包含, 由…组成, 其中 | first |
| Japanese | において, であって | first |
| Japanese | を備える, を特徴とする, からなる before the last noun; 請求項1に記載の… | last |
| Japanese | none: the last noun is the preamble; a note after 化合物。 is the body | last |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from patmark.claims.model import Reference, Span, Transition, TransitionKind
from patmark.claims.openings import after_blanks, before_blanks, stops_outside_brackets
from patmark.text.scripts import HAN

_TWO_PART = re.compile(
    r"(?:and\s+)?(?:is\s+|are\s+|being\s+)?characteri[sz]ed\s+(?:in\s+that|by)\b[,:]?"
    r"|(?:the\s+)?improvement\s+(?:comprising|which\s+comprises|comprises)\b[,:]?"
    r"|其特[征徵]在于[,:]?|其特[征徵]是[,:]?|特[征徵]在于[,:]?",
    re.IGNORECASE,
)
_STEPS = r"(?:[, ]{1,3}(?:in combination|the (?:following )?(?:steps|acts|operations)(?: of)?))?"
_OPENERS = re.compile(
    r"\b(?:(?:which|that|further|said method|additionally)\s+){0,2}"
    r"(?:(?P<partly>consist(?:ing|s)\s+essentially\s+of)|(?P<closed>consist(?:ing|s)\s+of)"
    r"|(?P<open>compris(?:ing|es?|ed\s+of)|(?<=further )includ(?:ing|es))"
    rf"|(?P<wherein>where(?:in|by|ein)))\b{_STEPS}\s*(?P<colon>:?)"
    r"|(?P<zh_closed>由(?=[^,;。]{1,60}(?:组成|組成|构成)))"
    r"|(?P<zh_open>(?:还|還|进一步)?(?:包括有?|包含|含有|具有|具备)(?:以下步骤|如下步骤|步骤)?[,:]?)"
    r"|(?P<zh_wherein>[,:;\n]其中,?)",
    re.IGNORECASE,
)
_SECONDARY = re.compile(r"\b(?:includ(?:ing|es)|having|has|containing|contains)\b:?", re.IGNORECASE)
_JAPANESE_FIRST = re.compile(r"(?:において|であって|に於いて|であり)[、,]")
_JAPANESE_LAST = re.compile(
    r"(?:(?P<two>(?:こと)?を特徴とする)|(?P<closed>(?:のみ)?から(?:なる|成る))"
    r"|(?P<open>を(?:備え(?:る|た|ている)|具備する|具える|含む|有する|含有する|備えてなる|含んでなる)|として含有する"
    r"|(?:を実行|として機能|として動作)させる(?:ため)?の?))[、,]?"
)
_JAPANESE_ITEM = re.compile(r"と[、,]")
_JAPANESE_COMMA = re.compile(r"[、,]")
_NAME = rf"[{HAN}\u30a1-\u30fcA-Za-z0-9の・]"
_JAPANESE_NOUN = re.compile(rf"(?<!{_NAME}){_NAME}+[。.\s]*\Z")
_KINDS: dict[str, TransitionKind] = {
    "partly": "partly-closed", "closed": "closed", "open": "open", "wherein": "wherein",
    "zh_closed": "closed", "zh_open": "open", "zh_wherein": "wherein", "two": "two-part",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parts:
    """Preamble, transition and body of a claim."""

    preamble: Span
    transition: Transition | None
    body: Span


def find_parts(
    plain: str, content: Span, language: str, references: tuple[Reference, ...]
) -> Parts:
    """Where preamble, transition and body of a claim are."""
    if language == "ja":
        return _japanese_parts(plain, content, references)
    match, kind = _transition(plain, content)
    if match is None:
        return Parts(content, None, Span(content.end, content.end))
    start, end = match.span()
    return Parts(
        Span(content.start, before_blanks(plain, start, content.start)),
        Transition(start, before_blanks(plain, end, start), kind),
        Span(after_blanks(plain, end, content.end), content.end),
    )


def _transition(plain: str, content: Span) -> tuple[re.Match[str] | None, TransitionKind]:
    """The transition: two-part form, else the first followed by a colon, else the first."""
    two_part = _TWO_PART.search(plain, content.start, content.end)
    if two_part is not None:
        return two_part, "two-part"
    first: re.Match[str] | None = None
    clause = plain.find(";", content.start, content.end)
    for match in _OPENERS.finditer(plain, content.start, content.end):
        if first is not None and clause >= 0 and match.start() > clause:
            break
        if first is None:
            first = match
        if match["wherein"] or match["zh_wherein"]:
            break
        if match["colon"]:
            first = match
            break
    if first is not None:
        return first, _kind(first)
    return _SECONDARY.search(plain, content.start, content.end), "open"


def _kind(match: re.Match[str]) -> TransitionKind:
    return next(kind for group, kind in _KINDS.items() if group != "two" and match[group])


def _japanese_parts(plain: str, content: Span, references: tuple[Reference, ...]) -> Parts:
    stop = next(stops_outside_brackets(plain, content.start, content.end), content.end)
    end = min(stop + 1, content.end)
    note = after_blanks(plain, end, content.end)  # on a formula: 化合物。(式中、…)
    if note < content.end:
        return Parts(Span(content.start, end), None, Span(note, content.end))
    first = _JAPANESE_FIRST.search(plain, content.start, content.end)
    if first is not None and _JAPANESE_ITEM.search(plain, content.start, first.start()) is None:
        return Parts(
            Span(content.start, first.start()),
            Transition(first.start(), first.end(), "wherein"),
            Span(after_blanks(plain, first.end(), content.end), content.end),
        )
    last = _last_transition(plain, content, references)
    if last is not None:
        return Parts(
            Span(after_blanks(plain, last.end(), content.end), content.end),
            Transition(last.start(), last.end(), _KINDS[last.lastgroup or "open"]),
            Span(content.start, last.start()),
        )
    named = _JAPANESE_NOUN.search(plain[content.start : content.end])
    start = content.end if named is None else content.start + named.start()
    if references and references[0].start > content.start:
        start = references[0].start
    elif references or not plain[content.start : start].strip():
        return Parts(content, None, Span(content.end, content.end))
    return Parts(Span(start, content.end), None, Span(content.start, start))


def _last_transition(
    plain: str, content: Span, references: tuple[Reference, ...]
) -> re.Match[str] | None:
    """The transition right before the last noun or before "請求項1に記載の" and the noun."""
    *_, last = (None, *_JAPANESE_LAST.finditer(plain, content.start, content.end))
    if last is None:
        return None
    named = [item.start for item in references if item.start >= last.end()]
    between = plain[last.end() : named[0] if named else content.end].strip(" 、,。\n")
    return last if not (between if named else _JAPANESE_COMMA.search(between)) else None
