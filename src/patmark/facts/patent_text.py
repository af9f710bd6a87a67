"""Patent text or other text: news, speech, reports.

A segment reads like a patent if it has patent words, a claim reference, a figure, a step label or a
reference sign in brackets. Texts count as patents if 3 of 100 segments do. A sign without brackets
counts only among fewer than twenty segments, because news has some, too.

Share of such segments: 0.07 to 0.57 in PatSnap rows other than titles, 0.5 in descriptions of US
applications; 0.006 at most in talks, annual reports, reports of mountaineers and examples of
dictionaries.
"""

from __future__ import annotations

import re
from itertools import islice
from math import ceil

from patmark.facts.texts import facts_of
from patmark.languages import kept_in_workspace

_LEAST_SHARE = 0.03
_FEW_SEGMENTS = 20
_PATENT_WORDS = re.compile(
    r"\b(?:wherein|present (?:invention|disclosure|application)|utility model"
    r"|embodiments?|according to claim|(?:as claimed|recited|defined) in claim|claims? [0-9]"
    r"|prior art|in accordance with the invention)\b"
    r"|\b(?:dadurch gekennzeichnet|Ausführungsform|erfindungsgemäß|nach Anspruch"
    r"|mode de réalisation|selon (?:la|l'une des) revendication|caractérisé en ce que)"
    "|所述|本发明|本實用新型|本实用新型|本申请|实施例|实施方式|权利要求|现有技术|其特征在于"
    "|前記|本発明|実施形態|実施例|請求項|従来技術|を特徴とする"
    "|상기|본 발명|청구항|실시예|실시형태",
    re.IGNORECASE,
)


@kept_in_workspace(16)
def is_patent_text(texts: tuple[str, ...], language: str) -> bool:
    """Return True if texts of one language are those of patents; see the top of this file."""
    few = len(texts) < _FEW_SEGMENTS
    found = (text for text in texts if _reads_like_patent(text, language, few))
    least = max(1, ceil(_LEAST_SHARE * len(texts)))
    return sum(1 for _ in islice(found, least)) == least


def _reads_like_patent(text: str, language: str, bare_signs: bool) -> bool:
    if _PATENT_WORDS.search(text):
        return True
    facts = facts_of(text, language)
    return any(bare_signs or not mention.bare for mention in facts.mentions) or bool(
        facts.layout.references
    )
