"""Whether a text is in a language that the rules for claims know: English, Chinese or Japanese.

The script tells Chinese and Japanese. A text in Latin letters is taken for English, which is wrong
when it has more function words of other languages; one in another script is none of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from patmark.text.scripts import has_cjk

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_ENGLISH_WORDS = "a an and at by claim for from having is of or said that the to which with wherein"
_OTHER_WORDS = """
der die das den dem des ein eine einer eines einem und oder mit nach ist sind wobei dadurch auf im
le la les un une du et ou dans selon est par pour avec qui que caractérisé en au aux
el los las una unos del según donde y o con por es il lo gli di che dal della secondo cui e
het een van op volgens waarbij en met zijn um os as do da segundo onde em ao
och enligt att som med av på et og ifølge hvor ved til
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_OTHER = frozenset(_OTHER_WORDS.split()) - _ENGLISH
_FEWEST_WORDS = 6
UNREAD = "the text does not look like English, Chinese or Japanese; the rules are for these three"


@lru_cache(maxsize=256)
def is_unread(text: str) -> bool:
    """Whether the rules for claims do not fit the language of a text; False in doubt."""
    if has_cjk(text):
        return False
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < _FEWEST_WORDS:
        return False
    foreign = sum(_LATIN.fullmatch(word) is None for word in words)
    english = sum(word in _ENGLISH for word in words)
    other = sum(word in _OTHER for word in words)
    return 2 * foreign > len(words) or other > english
