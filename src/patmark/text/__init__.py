"""Languages: segmenters, lemmas, stems, scripts. Text in, words out; no scores here."""

from patmark.text.english import english_lemmas, lemmatizer_version
from patmark.text.scripts import has_cjk, has_han, has_kana
from patmark.text.stems import porter_stem
from patmark.text.tokenizers import (
    TOKENIZERS,
    WordSpans,
    find_words,
    jieba_words,
    resolve_tokenizer,
    tokenize,
    tokenize_all,
    tokenizer_signature,
    word_spans,
    words_version,
)

__all__ = [
    "TOKENIZERS",
    "WordSpans",
    "english_lemmas",
    "find_words",
    "has_cjk",
    "has_han",
    "has_kana",
    "jieba_words",
    "lemmatizer_version",
    "porter_stem",
    "resolve_tokenizer",
    "tokenize",
    "tokenize_all",
    "tokenizer_signature",
    "word_spans",
    "words_version",
]
