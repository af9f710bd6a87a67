"""What beads are ranked by: SIM of their words, whichever aligner found them.

SIM (Utiyama and Isahara 2003) needs words that translate each other: those of a dictionary, and
those of a lexicon that was learnt from a first pass. Without either, the score of the aligner
itself stands in for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.corpus.alignment import Bead, Lexicon, Senses, WordMatches
from patmark.corpus.alignment.lexicon import known_pairs
from patmark.data import FloatArray

# a translation with a lower probability, either way, is not counted as a match
_LEAST_PROBABILITY = 0.3
_DOUBT = 1.0


def word_similarities(
    source: Sequence[str],
    target: Sequence[str],
    beads: Sequence[Bead],
    languages: tuple[str, str],
    senses: Senses | None,
    lexicon: Lexicon | None,
) -> FloatArray:
    """SIM of beads that cover two texts; a match is a pair of the dictionary or of the lexicon."""
    matches = WordMatches.of(source, target, languages, senses)
    if lexicon is not None:
        known = known_pairs(matches.source, matches.target, None, lexicon, _DOUBT)
        likely = known.forward.maximum(known.backward).tocsr()
        likely.data[likely.data < _LEAST_PROBABILITY] = 0
        related = matches.related.maximum(likely).tocsr()
        related.eliminate_zeros()
        matches = WordMatches(matches.source, matches.target, related)
    return matches.similarities(beads)


def own_scores(method: str, beads: Sequence[Bead]) -> FloatArray:
    """Scores of an aligner as numbers that can be multiplied: not negative, higher for better.

    Those of Gale and Church are logarithms of probabilities; evidence of words against a bead
    counts for nothing.
    """
    scores = np.array([bead.score for bead in beads], dtype=np.float64)
    return np.exp(scores) if method == "gale-church" else np.maximum(scores, 0.0)
