"""Made-up systems that are worse by a known amount: a good text with words dropped."""

from __future__ import annotations

import random

from patmark.errors import UsageError
from patmark.systems.pieces import CUTTERS, cut


def drop_words(text: str, share: float, language: str, seed: object = 0) -> str:
    """The text without a share of its words; at least one stays.

    What is dropped at a small share is also dropped at every larger one with the same seed.
    """
    if not 0 <= share <= 1:
        raise UsageError(f"the share of dropped words must lie between 0 and 1, not {share:g}")
    if language not in CUTTERS:
        raise UsageError(f"no words are known for {language!r}; choose from {', '.join(CUTTERS)}")
    words = text.split() if language == "en" else [piece.surface for piece in cut(text, language)]
    order = list(range(len(words)))
    random.Random(f"drop {seed}").shuffle(order)
    dropped = set(order[: min(round(share * len(words)), len(words) - 1)]) if words else set()
    kept = [word for place, word in enumerate(words) if place not in dropped]
    return CUTTERS[language].blank.join(kept)
