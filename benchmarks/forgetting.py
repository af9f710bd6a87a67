"""What patmark remembers of texts, forgotten, so that a second measurement finds nothing done."""

from __future__ import annotations

from patmark.measures import nist
from patmark.measures.kernels import ngrams
from patmark.text import tokenizers


def forget_texts() -> None:
    """Forget all texts, words and weights."""
    tokenizers.tokenize_all.cache_clear()
    tokenizers._WORD_TOKENS.clear()
    ngrams.forget_words()
    nist._reference_weights.cache_clear()
