"""Languages: segmenters, lemmas, stems, scripts. Text in, words out; no scores here."""

from patmark.text.english import english_lemmas, lemmatizer_version
from patmark.text.scripts import has_cjk, has_han, has_kana
from patmark.text.tokenizers import (
    TOKENIZERS,
    resolve_tokenizer,
    tokenize,
    tokenize_all,
    tokenizer_signature,
)

__all__ = [
    "TOKENIZERS",
    "english_lemmas",
    "has_cjk",
    "has_han",
    "has_kana",
    "lemmatizer_version",
    "resolve_tokenizer",
    "tokenize",
    "tokenize_all",
    "tokenizer_signature",
]
