"""Where the limitations of a claim end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.text.sentences_lines import find_brackets

_LABEL = r"\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)|[a-h]\)"
_COMMON = (
    r"(?P<after>[;；]\s*|(?<=[,;:，；：、.])[^\S\n]*\n\s*)"
    rf"|(?<=[\s,;:，；：、])(?P<before>(?:(?:and|or|und|et|ou|oder)\s+)?(?:{_LABEL})(?=\s*[^\W\d_]))"
)
_ENGLISH = (
    r"|(?P<colon>:(?=\s)\s*)"
    r"|(?<=, )(?P<where>(?:and )?(?:wherein|whereby|in which|characteri[sz]ed))\b"
)
_GERMAN = r"|(?P<colon>:(?=\s)\s*)|(?<=, )(?P<where>wobei|dadurch gekennzeichnet|worin)\b"
_FRENCH = (
    r"|(?P<colon> ?:(?=\s)\s*)"
    r"|(?P<where>(?<=, )(?:dans lequel|dans laquelle|caractérisée?s? en ce qu|où ))"
)
_CHINESE = (
    r"|(?P<colon>[：:]\s*)|(?P<characterised>其?特[征徵](?:在于|是)[，,:：]?)"
    r"|(?<=[，,])(?P<where>其中)"
)
_JAPANESE = r"|(?P<colon>(?:と|であって|において|に於いて|を特徴とする)[、，,]\s*)"
_CUTS = {
    language: re.compile(_COMMON + own, re.IGNORECASE)
    for language, own in {
        "en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "zh": _CHINESE, "ja": _JAPANESE,
    }.items()
}  # fmt: skip
_MENTION = re.compile(
    r"\b(?:steps?|of|in|to|with|formulae?|groups?|claims?|from|part|by|schritte?n?|formel|étapes?|"
    r"formule|de|und|and|or|et)\s*$",
    re.IGNORECASE,
)
_AFTER = ("after", "colon", "characterised")


def clause_cuts(claim: str, language: str) -> Iterator[int]:
    """Where a new limitation begins; brackets are never cut."""
    brackets = find_brackets(claim, 0, len(claim))
    last = 0
    for match in _CUTS.get(language, _CUTS["en"]).finditer(claim):
        kind = match.lastgroup or ""
        pair = brackets.around(match.start())
        if pair is not None and pair[0] != match.start(kind) and pair[1] >= match.end():
            continue
        if kind == "before" and _MENTION.search(claim, max(0, match.start() - 14), match.start()):
            continue
        cut = match.end() if kind in _AFTER else match.start()
        if cut > last:
            yield cut
            last = cut
