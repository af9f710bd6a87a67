"""Sentence alignment: several methods behind one interface, and the scoring against gold beads."""

from patmark.corpus.alignment.beads import Aligner, Bead
from patmark.corpus.alignment.choice import ALIGNERS, aligner_for, senses_for
from patmark.corpus.alignment.embeddings import EmbeddingAligner, align_vectors
from patmark.corpus.alignment.gale_church import GaleChurch
from patmark.corpus.alignment.hybrid import Hybrid, TranslationAligner, learn_lexicon
from patmark.corpus.alignment.lexicon import Lexicon, Senses, read_senses
from patmark.corpus.alignment.scoring import (
    AlignmentQuality,
    Link,
    Quality,
    links_of,
    read_gold,
    score_alignment,
)
from patmark.corpus.alignment.similarity import WordMatches
from patmark.corpus.alignment.utiyama_isahara import (
    UtiyamaIsahara,
    avsim,
    count_ratio,
    snt_scores,
)

__all__ = [
    "ALIGNERS",
    "Aligner",
    "AlignmentQuality",
    "Bead",
    "EmbeddingAligner",
    "GaleChurch",
    "Hybrid",
    "Lexicon",
    "Link",
    "Quality",
    "Senses",
    "TranslationAligner",
    "UtiyamaIsahara",
    "WordMatches",
    "align_vectors",
    "aligner_for",
    "avsim",
    "count_ratio",
    "learn_lexicon",
    "links_of",
    "read_gold",
    "read_senses",
    "score_alignment",
    "senses_for",
    "snt_scores",
]
