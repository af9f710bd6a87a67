"""Tokenizers by name (mteval, sacreBLEU, tercom, jieba, MeCab), and the default of each language.

``DEFAULT_TOKENIZERS`` are the defaults of measures, ``WORD_TOKENIZERS`` find words in scripts
without blanks. English ones are in :mod:`patmark.languages.english`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from patmark.errors import UsageError
from patmark.languages import english
from patmark.languages.english import lemma_word, lemmatizer_version, simple_lemma
from patmark.languages.scripts import CJK, in_latin_letters
from patmark.languages.workspace import kept_in_workspace
from patmark.wording import setting

# The tokenizers of the mteval scripts, as sacreBLEU defines them. No rule of 13a looks across a
# blank, so a text can be tokenised word by word, and the tokens of recurring words are cached.
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# sacreBLEU writes two ranges with five hexadecimal digits after \u, which Python reads as
# two characters; the ranges that result (U+2001–2A6D, U+2F81–2FA1) are kept for equality.
_ZH = (
    "\u3400-\u4db5\u4e00-\u9fa5\u9fa6-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"
    "\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef"
    "\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f"
    "\u2600-\u26ff\u2700-\u27bf\u3200-\u32ff\u3300-\u33ff"
)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Return a regular expression, compiled when it is first needed."""
    return re.compile(pattern)


@cache
def _western_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return (
        (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
        (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
        (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
        (re.compile(r"([0-9])(-)"), r"\1 \2 "),
    )


def _western_tokens(text: str) -> list[str]:
    """Return tokens by rules for ASCII marks."""
    for rule, replacement in _western_rules():
        text = rule.sub(replacement, text)
    return text.split()


# A word after the rules, unless two of the marks . and , follow each other.
_SPLIT = r"\{-\~\[-\`!-\&\(-\+\:-\@\/"
_WORD_PIECE = (
    rf"[{_SPLIT}]|(?<=[0-9])-|(?<![0-9])[.,]|[.,](?![0-9])"
    rf"|(?:[^{_SPLIT}.,-]|(?<![0-9])-|(?<=[0-9])[.,](?=[0-9]))+"
)


def _word_tokens_13a(word: str) -> list[str]:
    if _pattern("[.,]{2}").search(word):
        return _western_tokens(f" {word} ")
    return _pattern(_WORD_PIECE).findall(word)


class _WordTokens(dict[str, list[str]]):
    """A cache of the tokens of words between blanks."""

    def __missing__(self, word: str) -> list[str]:
        self[word] = tokens = _word_tokens_13a(word)
        return tokens


@kept_in_workspace(1)
def _word_tokens() -> _WordTokens:
    return _WordTokens()


def _read_13a(text: str) -> str:
    """Return a text without escapes and tags."""
    return _unescaped(text.replace("<skipped>", ""))


def _unescaped(text: str) -> str:
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return text


def _tokens_13a(text: str, tokens: _WordTokens) -> list[str]:
    if "<" in text:
        text = text.replace("<skipped>", "")
    if "\n" in text:
        text = text.rstrip().replace("-\n", "").replace("\n", " ")
    return list(chain.from_iterable(map(tokens.__getitem__, _unescaped(text).split())))


def tokenize_13a(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize as mteval-v13a: split ASCII punctuation, keep marks between digits."""
    tokens = _word_tokens()
    return [_tokens_13a(text, tokens) for text in texts]


def _tokens_zh(text: str, tokens: _WordTokens) -> list[str]:
    text = text.strip()
    if text.startswith((".", ",")) or text.endswith((".", ",")):  # no blank is outside a token here
        return _western_tokens(_pattern(f"([{_ZH}])").sub(r" \1 ", text))
    words = _pattern(rf"[^\s{_ZH}]+|(?!\s)[{_ZH}]").findall(text)
    return list(chain.from_iterable(map(tokens.__getitem__, words)))


def tokenize_zh(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize as sacreBLEU's ``zh``: Chinese characters one by one, the rest as 13a."""
    tokens = _word_tokens()
    return [_tokens_zh(text, tokens) for text in texts]


@lru_cache(maxsize=1)
def _international_rules() -> list[tuple[Any, str]]:
    import regex

    return [
        (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
        (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
        (regex.compile(r"(\p{S})"), r" \1 "),
    ]


def tokenize_intl(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize as mteval-v14 international: split Unicode punctuation and symbols."""
    tokens = []
    for text in texts:
        text = text.rstrip()
        for rule, replacement in _international_rules():
            text = rule.sub(replacement, text)
        tokens.append(text.split())
    return tokens


def tokenize_char(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize as sacreBLEU's ``char``: every character but white space."""
    return [list("".join(text.split())) for text in texts]


# The words of tercom's option -N (normalise), without and with its Asian support, as sacreBLEU
# defines them. Its rules for kana can match only at the start of a text, which a blank always
# precedes, so they have no effect. Here sequences of kana are words, as in tercom 0.10.0.
_IDEOGRAPH = (
    "\u4e00-\u9fff\u3400-\u4dbf"  # unified, extension A
    "\u31c0-\u31ef\u2e80-\u2eff"  # strokes, radicals
    "\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f"  # compatibility
    "\u3200-\u32ff"  # enclosed letters and months
)
ASIAN_MARKS = (
    "、。〈〉《》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟・．，？：；！＂（）"
    "\uff61\uff62\uff63\uff64\uff65"  # half-width
)
_KANA_RUN = "([\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u31f0-\u31ff]+)"


@cache
def _tercom_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return (
        (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
        (re.compile(r"'s "), " 's "),
        (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
        (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
        (re.compile(r"([0-9])-"), r"\1 - "),
    )


def tokenize_tercom(texts: Sequence[str]) -> list[list[str]]:
    """Return words and marks by mteval-v11's rules, with ``'s`` as a word, as sacreBLEU."""
    return _split_lines(_western(texts))


def tokenize_tercom_asian(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize as tercom with ideographs, Asian marks and sequences of kana separated."""
    joined = _pattern(_KANA_RUN).sub(r" \1 ", _western(texts))
    return _split_lines(_pattern(f"([{_IDEOGRAPH}{ASIAN_MARKS}])").sub(r" \1 ", joined))


def _western(texts: Sequence[str]) -> str:
    """Join texts, one per line; blanks at both ends keep rules within lines."""
    joined = "\n".join(f" {_single_line(text)} " for text in texts)
    for entity, character in _ENTITIES:
        joined = joined.replace(entity, character)
    for rule, replacement in _tercom_rules():
        joined = rule.sub(replacement, joined)
    return joined


def _single_line(text: str) -> str:
    return text.rstrip().replace("\n-", "").replace("\n", " ")


def _split_lines(joined: str) -> list[list[str]]:
    return [line.split() for line in joined.split("\n")] if joined else []


_ASCII_RUN = r"[a-zA-Z0-9+#&._%\-]{2,}"
_ASCII_WORD = r"([a-zA-Z0-9]+(?:\.\d+)?%?)"


def jieba_words(text: str) -> list[str]:
    """Return words of jieba's default mode; each blank is a word, as in jieba."""
    import rjieba

    return list(_split_ascii(rjieba.cut(text)))


def tokenize_zh_words(texts: Sequence[str]) -> list[list[str]]:
    """Return words of jieba's default mode, without white space."""
    return [" ".join(jieba_words(text)).split() for text in texts]


def _split_ascii(words: Iterable[str]) -> Iterator[str]:
    """Split Latin runs as jieba does: the port keeps ``TYPE-C`` and ``3.5mm`` whole."""
    import rjieba

    for word in words:
        if _pattern(_ASCII_RUN).fullmatch(word) and not rjieba.has_word(word):
            yield from filter(None, _pattern(_ASCII_WORD).split(word))
        else:
            yield word


def zh_words_version() -> str:
    """Return the tokenizer and its version, for signatures."""
    from importlib.metadata import version

    return f"rjieba-{version('rjieba')}"


_WIDEN = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
_DIGITS = r"[0-9０-９]+"


@lru_cache(maxsize=1)
def _tagger() -> Any:
    import ipadic
    import MeCab

    return MeCab.Tagger(ipadic.MECAB_ARGS + " -Owakati")


_BASE_FORM = 6
_FUNCTION_WORDS = ("助詞", "助動詞")
_DEPENDENT_VERBS = ("接尾", "非自立")


@lru_cache(maxsize=1)
def _analyser() -> Any:
    import ipadic
    import MeCab

    return MeCab.Tagger(ipadic.MECAB_ARGS)


class JapaneseWord(NamedTuple):
    """A word with its MeCab features: part of speech first, and finer."""

    surface: str
    features: list[str]

    @property
    def base(self) -> str:
        """The dictionary form; the word itself if MeCab does not know it."""
        listed = self.features[_BASE_FORM] if len(self.features) > _BASE_FORM else "*"
        return self.surface if listed == "*" else listed

    @property
    def is_function_word(self) -> bool:
        """Particles, auxiliaries, and verbs that only inflect another verb (れる, いる)."""
        kind, finer = self.features[:2]
        return kind in _FUNCTION_WORDS or (kind == "動詞" and finer in _DEPENDENT_VERBS)

    @property
    def is_symbol(self) -> bool:
        """Marks and other signs that are no word."""
        return self.features[0] == "記号"


def japanese_words(text: str) -> Iterator[JapaneseWord]:
    """Yield the words of a Japanese text, by MeCab."""
    for line in _analyser().parse(text).splitlines():
        surface, tab, listed = line.partition("\t")
        if tab:
            yield JapaneseWord(surface, listed.split(","))


def segmented_words(text: str, language: str, marks: str = "") -> list[str] | None:
    """Return the words and marks of a language without blanks; None for any other language.

    Japanese words are in base form, without particles and auxiliaries.
    """

    def counts(word: str) -> bool:
        return word[0].isalnum() or word in marks

    tokenizer = WORD_TOKENIZERS.get(language)
    if tokenizer is None:
        return None
    if tokenizer == "zh-jieba":
        return [word for word in tokenize_zh_words([text])[0] if counts(word)]
    words = (word for word in japanese_words(text) if counts(word.surface))
    return [
        word.base
        for word in words
        if word.surface in marks or not (word.is_function_word or word.is_symbol)
    ]


def tokenize_ja_mecab(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize with MeCab, as sacreBLEU's ``ja-mecab``."""
    parse = _tagger().parse
    return [parse(text.strip()).split() for text in texts]


def ntcir_normalise(text: str) -> str:
    """Drop single-byte blanks, then widen half-width letters, digits and symbols."""
    return text.replace(" ", "").translate(_WIDEN)


def _join_digits(tokens: Iterable[str]) -> list[str]:
    joined: list[str] = []
    previous_is_number = False
    for token in tokens:
        is_number = _pattern(_DIGITS).fullmatch(token) is not None
        if is_number and previous_is_number:
            joined[-1] += token
        else:
            joined.append(token)
        previous_is_number = is_number
    return joined


def tokenize_ja_ntcir(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize as in NTCIR-9: normalise, MeCab words, consecutive digits as one token."""
    return [_join_digits(words) for words in tokenize_ja_mecab([ntcir_normalise(t) for t in texts])]


def mecab_version() -> str:
    """Return the tokenizer and its dictionary with versions, for signatures."""
    from importlib.metadata import version

    return f"mecab-python3-{version('mecab-python3')}+ipadic-{version('ipadic')}"


@dataclass(frozen=True, slots=True)
class WordSpans:
    """Normalised words of a text, their places, and the words that are left out."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    leave_out: frozenset[str]
    by_character: bool = False


_CHARACTER_OR_WORD = r"[A-Za-z0-9\u00c0-\u024f]+|\S"


def word_spans(text: str, language: str, leave_out: frozenset[str] = frozenset()) -> WordSpans:
    """Return lower-case lemmas with their places.

    In a language without blanks between words these are characters, and whole Latin words and
    numbers.
    """
    by_character = language in UNSPACED_LANGUAGES
    if by_character:
        found = [
            (match.group().lower(), match.span())
            for match in _pattern(_CHARACTER_OR_WORD).finditer(text)
        ]
    else:
        found = [
            (simple_lemma(match.group().lower()), match.span())
            for match in lemma_word().finditer(text)
        ]
    kept = [(word, span) for word, span in found if word not in leave_out]
    words, spans = (tuple(part) for part in zip(*kept, strict=True)) if kept else ((), ())
    return WordSpans(text, words, spans, leave_out, by_character)


def words_version(language: str) -> str:
    """Name the words that :func:`find_words` compares in a language, for signatures."""
    if language in UNSPACED_LANGUAGES:
        return "characters+latin"
    return lemmatizer_version("simplemma")


def find_words(words: WordSpans, phrase: str) -> list[tuple[int, int]]:
    """Return the places of a phrase, as whole words compared by lemma; they do not overlap."""
    if words.by_character:
        wanted = tuple(_pattern(_CHARACTER_OR_WORD).findall(phrase.lower()))
    else:
        lemmas = (simple_lemma(word) for word in lemma_word().findall(phrase.lower()))
        wanted = tuple(lemma for lemma in lemmas if lemma not in words.leave_out)
    size, places, position = len(wanted), [], 0
    while wanted and position + size <= len(words.words):
        if words.words[position : position + size] == wanted:
            places.append((words.spans[position][0], words.spans[position + size - 1][1]))
            position += size
        else:
            position += 1
    return places


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer with its version and the scripts that it can split.

    Only ``char`` splits Thai and other scripts without blanks. If the tokens of a line are those of
    its words, ``of_word`` returns them, after ``read`` has been applied to a line that contains one
    of the ``marks``.
    """

    description: str
    split: Callable[[Sequence[str]], list[list[str]]]
    splits_cjk: bool
    version: Callable[[], str] | None = None
    of_word: Callable[[str], list[str]] | None = None
    read: Callable[[str], str] | None = None
    marks: str = ""


def tokenize_whitespace(texts: Sequence[str]) -> list[list[str]]:
    """Return words between blanks: for text that is already segmented."""
    return [text.split() for text in texts]


_CJK_CHAR = rf"[{CJK}]|\d+(?:[.,]\d+)+|[^\W_{CJK}]+|[^\s]"


def tokenize_cjk_char(texts: Sequence[str]) -> list[list[str]]:
    """Tokenize Han, kana and hangul one by one; Latin words and numbers whole."""
    return [_pattern(_CJK_CHAR).findall(text) for text in texts]


TOKENIZERS: dict[str, Tokenizer] = {
    "13a": Tokenizer(
        "mteval-v13a, the default of sacreBLEU",
        tokenize_13a,
        False,
        of_word=_word_tokens_13a,
        read=_read_13a,
        marks="&<",
    ),
    "intl": Tokenizer("mteval-v14 international", tokenize_intl, False),
    "none": Tokenizer(
        "blanks only, for segmented text", tokenize_whitespace, True, of_word=lambda word: [word]
    ),
    "treebank": Tokenizer("Penn Treebank words", english.tokenize_treebank, False),
    "rouge": Tokenizer(
        "runs of a–z and 0–9, as rouge-score",
        english.tokenize_rouge,
        False,
        of_word=lambda word: english.tokenize_rouge([word])[0],
    ),
    "rouge-intl": Tokenizer(
        "runs of letters and digits of any script", english.tokenize_rouge_intl, False
    ),
    "lemma": Tokenizer(
        "English lemmas", english.tokenize_lemmas, False, english.lemmatizer_version
    ),
    "tercom": Tokenizer("tercom -N, words and marks", tokenize_tercom, False),
    "tercom-asian": Tokenizer(
        "tercom -N -A, with ideographs and runs of kana", tokenize_tercom_asian, True
    ),
    "char": Tokenizer("every character, as sacreBLEU", tokenize_char, True),
    "cjk-char": Tokenizer(
        "Chinese, Japanese, Korean characters; words and numbers whole", tokenize_cjk_char, True
    ),
    "zh": Tokenizer("Chinese characters, the rest as 13a, as sacreBLEU", tokenize_zh, True),
    "zh-jieba": Tokenizer("Chinese words of jieba", tokenize_zh_words, True, zh_words_version),
    "ja-mecab": Tokenizer(
        "Japanese words of MeCab with ipadic",
        tokenize_ja_mecab,
        True,
        mecab_version,
    ),
    "ja-ntcir": Tokenizer(
        "the NTCIR-9 procedure: widened, MeCab words, digits joined",
        tokenize_ja_ntcir,
        True,
        mecab_version,
    ),
}

DEFAULT_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab"}
DEFAULT_TOKENIZERS |= dict.fromkeys(("th", "lo", "km", "my", "bo"), "char")
WORD_TOKENIZERS = {"zh": "zh-jieba", "ja": "ja-mecab"}
UNSPACED_LANGUAGES = frozenset(DEFAULT_TOKENIZERS)
"""The languages that put no blanks between words."""


def resolve_tokenizer(
    tok: str,
    language: str,
    english_default: str = "13a",
    *,
    force: bool | None = False,
    spaced_default: str = "",
) -> str:
    """Return the tokenizer: ``tok``, or for ``auto`` the default of the language.

    ``force`` is None if the measure has no such parameter. ``spaced_default`` is for languages with
    blanks other than English, for which a rule for English letters is unsuitable.
    """
    if tok == "auto":
        spaced = english_default if language == "en" else spaced_default or english_default
        return DEFAULT_TOKENIZERS.get(language, spaced)
    _check_known(tok)
    if language in DEFAULT_TOKENIZERS and not _splits(tok, language) and not force:
        segmented = "tok=none" if force is None else setting("force")
        raise UsageError(
            f"the tokenizer {tok} takes a whole {language} clause for one word; use "
            f"tok={DEFAULT_TOKENIZERS[language]}, or {segmented} if the text is segmented"
        )
    if tok == "rouge" and not in_latin_letters(language) and not force:
        raise UsageError(
            f"the tokenizer rouge throws away all letters but a–z, so hardly any {language} word "
            f"is left; use tok=rouge-intl, or {setting('force')} if this is meant"
        )
    return tok


def _splits(tok: str, language: str) -> bool:
    """Return True if a tokenizer finds words or characters in a language without blanks."""
    return TOKENIZERS[tok].splits_cjk if language in ("zh", "ja") else tok in ("char", "none")


def tokenizer_signature(name: str) -> str:
    """Return the name of a tokenizer with its version and dictionary."""
    _check_known(name)
    version = TOKENIZERS[name].version
    return name if version is None else f"{name}({version()})"


@kept_in_workspace(8)
def tokenize_all(texts: tuple[str, ...], tokenizer: str) -> list[list[str]]:
    """Tokenize many texts; the measures of one evaluation share the result."""
    _check_known(tokenizer)
    return TOKENIZERS[tokenizer].split(texts)


def tokenize(text: str, tokenizer: str) -> list[str]:
    """Tokenize one text."""
    return tokenize_all((text,), tokenizer)[0]


def _check_known(name: str) -> None:
    if name not in TOKENIZERS:
        raise UsageError(f"the tokenizer {name!r} is unknown; choose from {', '.join(TOKENIZERS)}")
