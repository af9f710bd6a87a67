"""Patent text or other text: news, speech, reports.

A segment reads like a patent if it has patent words, a claim reference, a figure, a step label or a
reference sign in brackets. Texts count as patents if 3 of 100 segments do. A sign without brackets
counts only among fewer than twenty segments, because news has some, too.

Share of such segments: 0.07 to 0.57 in PatSnap rows other than titles, 0.5 in descriptions of US
applications; 0.006 at most in talks, annual reports, reports of mountaineers and examples of
dictionaries.
"""

from __future__ import annotations

from itertools import islice
from math import ceil

from patmark.facts.lexicon import phrases
from patmark.facts.texts import facts_of
from patmark.languages import kept_in_workspace

_LEAST_SHARE = 0.03
_FEW_SEGMENTS = 20
_PATENT_WORDS = phrases("{patent-word}")


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
