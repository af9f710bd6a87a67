"""The vocabulary of the demo collection."""

from patmark.examples.vocabulary import (
    DOMAINS,
    PURPOSES,
    QUALITIES,
    RELATIONS,
    Domain,
    Word,
    coined_word,
)

__all__ = ["DOMAINS", "PURPOSES", "QUALITIES", "RELATIONS", "Domain", "Word", "coined_word"]
