"""Word-by-word translation with a dictionary: a baseline without a model or a network.

From left to right, the longest sequence of words that is a headword is replaced by its gloss. A
Chinese or Japanese word that is not a headword is tried in parts, the longest first. Unknown words
stay, or are removed on request, and are counted. Numbers, Latin letters and marks stay. Japanese
particles and auxiliaries and English articles are removed and counted. Order, number and tense are
those of the source.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from patmark.data import Glossary, SenseChoice, joined_glossaries, read_glossary
from patmark.errors import UsageError
from patmark.languages import (
    GLOSS_LANGUAGE,
    WORD_TOKENIZERS,
    has_cjk,
    has_han,
    japanese_words,
    jieba_words,
    language as pack_of,
    lemmatizer_version,
    mecab_version,
    simple_lemma,
    zh_words_version,
)
from patmark.systems.kinds import (
    BuildContext,
    Description,
    OnAnswer,
    Options,
    SystemAnswer,
    SystemInput,
    SystemKind,
    Traits,
)
from patmark.wording import setting

TokenKind: TypeAlias = Literal["word", "untranslated", "mark", "particle"]

VERSION = 2
_MARKS = str.maketrans("。、，；：！？「」『』【】〔〕《》", '.,,;:!?""""[][]""')
_PLAIN_MARKS = {**_MARKS, 0x30FB: ord(" ")}  # the dot between words
_CJK_MARKS = str.maketrans(",.;:!?", "，。；：！？")
_NO_BLANK_BEFORE = re.compile(r" (?=[,.;:!?)\]%])")
_NO_BLANK_AFTER = re.compile(r"(?<=[(\[]) ")
_LATIN_MEETS_LATIN = re.compile(r"(?<=[A-Za-z0-9])\x00(?=[A-Za-z0-9])")
_DEFAULT = "cedict"
_ARTICLES = frozenset({"a", "an", "the"})
_ENGLISH = re.compile(r"[0-9]+(?:[.,][0-9]+)+|[^\W_]+|\S")
_HYPHEN_IN_WORD = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class DictionarySystem:
    """A dictionary as a system."""

    translator: DictionaryTranslator
    traits: ClassVar[Traits] = Traits(
        may_copy=True, only_translates=True, run_type="RBMT", resources=("E",)
    )

    @property
    def description(self) -> Description:
        """Method, dictionary and tokenizer with their versions."""
        return Description("dictionary", self.translator.signature)

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Translate line by line, so that line breaks stay."""
        for item in items:
            lines = item.source.split("\n")
            texts = [self.translator.translate(one).text if one.strip() else "" for one in lines]
            on_answer(item, SystemAnswer("\n".join(texts)))
            await asyncio.sleep(0)


def dictionary_system(choices: Sequence[str], source: str | None, target: str) -> DictionarySystem:
    """Return the system for a language pair; CC-CEDICT is the default for zh-en and en-zh."""
    if source is None:
        raise UsageError(f"a dictionary needs both languages: {setting('lang', 'zh-en')}")
    if source == target:
        raise UsageError(f"a dictionary translates; {source} is the only language given")
    pair = {source, target} - {GLOSS_LANGUAGE}
    has_default = len(pair) == 1 and _DEFAULT in pack_of(*pair).dictionaries
    if not choices and not has_default:
        raise UsageError(
            f"no dictionary is at hand for {source}-{target}: name one with "
            f"{setting('dictionary', 'edict:FILE')} or {setting('dictionary', 'tsv:FILE')}"
        )
    glossaries = [read_glossary(choice, source, target) for choice in choices or [_DEFAULT]]
    return DictionarySystem(DictionaryTranslator(joined_glossaries(glossaries)))


def _build(_: str, options: Options, context: BuildContext) -> DictionarySystem:
    choices = options.get("dictionary", [])
    return dictionary_system(choices, context.source_language, context.target_language)


DICTIONARY = SystemKind("dictionary", _build, options=("dictionary",))


@dataclass(frozen=True, slots=True)
class GlossedText:
    """A translated text, and the counts of its words.

    ``translated`` counts glosses, ``left_out`` particles. ``unknown`` are the words without a
    gloss, which are kept or removed.
    """

    text: str
    translated: int
    unknown: tuple[str, ...]
    left_out: int

    @property
    def coverage(self) -> float:
        """The share of words that have a gloss; 1 for a text without words."""
        words = self.translated + len(self.unknown)
        return self.translated / words if words else 1.0


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the translation. ``kind``: gloss, unknown, untranslated, mark, or nothing."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class DictionaryTranslator:
    """A deterministic translator with one glossary; unknown words may be left out.

    ``choose`` picks one of the glosses of a headword; without it, the first one is taken.
    """

    glossary: Glossary
    keep_unknown: bool = True
    choose: SenseChoice | None = None

    def __post_init__(self) -> None:
        for language in (self.glossary.source, self.glossary.target):
            check_language(language)

    @property
    def signature(self) -> str:
        """Method, dictionary and tokenizer with their versions."""
        glossary = self.glossary
        languages = f"{glossary.source}-{glossary.target}"
        tokenizer = TOKENIZERS[glossary.source].version()
        unknown = "" if self.keep_unknown else ",unknown=left out"
        return f"word-by-word/{VERSION}({glossary.name},{languages},{tokenizer}{unknown})"

    def choosing(self, choose: SenseChoice) -> DictionaryTranslator:
        """Return this translator with a choice among the glosses of each headword."""
        return replace(self, choose=choose)

    def translate(self, text: str) -> GlossedText:
        """Translate one text."""
        parts = list(self._parts(tokenize(text, self.glossary.source)))
        kept = [
            part for part in parts if part.text and (self.keep_unknown or part.kind != "unknown")
        ]
        return GlossedText(
            _joined(kept, self.glossary.target),
            sum(part.kind == "gloss" for part in parts),
            tuple(part.text for part in parts if part.kind == "unknown"),
            sum(part.kind == "nothing" for part in parts),
        )

    def _parts(self, tokens: Sequence[Token]) -> Iterator[_Part]:
        tokens, position = list(tokens), 0
        while position < len(tokens):
            taken, gloss = self._longest(tokens, position)
            if gloss is None:
                taken, gloss = self._across(tokens, position)
            if gloss is not None:
                yield _Part(gloss, "gloss")
            else:
                yield from self._single(tokens[position])
            position += taken

    def _longest(self, tokens: Sequence[Token], start: int) -> tuple[int, str | None]:
        """Return the number of tokens of the longest headword at a position, and its gloss.

        A run begins and ends with a word; only the last word of it may be inflected.
        """
        if tokens[start].kind != "word":
            return 1, None
        blank = TOKENIZERS[self.glossary.source].blank
        for end in range(self._furthest(tokens, start), start, -1):
            *first, last = tokens[start:end]
            if last.kind != "word":
                continue
            before = [token.surface for token in first]
            forms = [blank.join([*before, form]) for form in (last.surface, last.lemma)]
            gloss = self._gloss(*forms)
            if gloss is not None:
                return end - start, gloss
        return 1, None

    def _gloss(self, *forms: str) -> str | None:
        """Return the gloss of a word, given in its forms; the first one that is known counts."""
        gloss = next(filter(None, map(self.glossary.get, forms)), None)
        if gloss is None or self.choose is None:
            return gloss
        senses = [sense for form in forms for sense in self.glossary.senses(form)]
        return self.choose(forms[0], list(dict.fromkeys(senses)))

    def _across(self, tokens: list[Token], start: int) -> tuple[int, str | None]:
        """Find a headword that ends within a later word, whose rest becomes a word."""
        if TOKENIZERS[self.glossary.source].blank or tokens[start].kind != "word":
            return 1, None
        end = start
        while end < len(tokens) and tokens[end].kind == "word" and has_cjk(tokens[end].surface):
            end += 1
        text = "".join(token.surface for token in tokens[start:end])[: self.glossary.longest]
        for length in range(len(text), len(tokens[start].surface), -1):
            gloss = self._gloss(text[:length])
            if gloss is not None:
                return _cut(tokens, start, length), gloss
        return 1, None

    def _furthest(self, tokens: Sequence[Token], start: int) -> int:
        """Return the last position at which a headword from ``start`` can end."""
        end, length = start, 0
        while end < len(tokens) and tokens[end].kind != "mark":
            length += len(tokens[end].surface)
            if end > start and length > self.glossary.longest:
                break
            end += 1
        return end

    def _single(self, token: Token) -> Iterator[_Part]:
        """Yield the parts of a token that begins no headword."""
        if token.kind == "particle":
            yield _Part("", "nothing")
        elif token.kind != "word":
            yield _Part(token.surface, token.kind)
        elif has_cjk(token.surface):
            yield from self._by_characters(token.surface)
        else:
            yield _Part(token.surface, "unknown")

    def _by_characters(self, word: str) -> Iterator[_Part]:
        """Yield headwords within a word, the longest first; a kana alone is none."""
        position, unknown = 0, ""
        while position < len(word):
            tried = (word[position:end] for end in range(len(word), position, -1))
            whole = (part for part in tried if len(part) > 1 or has_han(part))
            found = next((part for part in whole if self.glossary.get(part) is not None), None)
            if found is None:
                unknown += word[position]
                position += 1
                continue
            if unknown:
                yield _Part(unknown, "unknown")
                unknown = ""
            yield _Part(self._gloss(found) or "", "gloss")
            position += len(found)
        if unknown:
            yield _Part(unknown, "unknown")


def _cut(tokens: list[Token], start: int, length: int) -> int:
    """Cut words so that one ends ``length`` characters after a start; return their number."""
    taken = 0
    while length:
        word = tokens[start + taken].surface
        if length < len(word):
            tokens[start + taken] = Token(word[length:], "word", word[length:])
            break
        length -= len(word)
        taken += 1
    return taken


def _joined(parts: Sequence[_Part], language: str) -> str:
    """Join parts to a text, with the blanks and punctuation of the language."""
    spaced = pack_of(language).is_spaced
    marks = _PLAIN_MARKS if spaced else _CJK_MARKS
    texts = [part.text.translate(marks) if part.kind == "mark" else part.text for part in parts]
    if spaced:
        text = " ".join(" ".join(texts).split())
        return _NO_BLANK_AFTER.sub("", _NO_BLANK_BEFORE.sub("", text))
    return _LATIN_MEETS_LATIN.sub(" ", "\x00".join(texts)).replace("\x00", "")


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its dictionary form, or a token that is not translated."""

    surface: str
    kind: TokenKind
    lemma: str


@dataclass(frozen=True, slots=True)
class WordTokenizer:
    """A tokenizer of a language; ``blank`` is between the words of a headword."""

    tokenize: Callable[[str], list[Token]]
    blank: str
    version: Callable[[], str]


def _token(surface: str) -> Token:
    kind: TokenKind = "untranslated" if any(map(str.isalnum, surface)) else "mark"
    return Token(surface, "word" if has_cjk(surface) else kind, surface)


def _chinese(text: str) -> list[Token]:
    return [_token(word) for word in jieba_words(text) if word.strip()]


def _japanese(text: str) -> list[Token]:
    tokens = []
    for word in japanese_words(text):
        token = _token(word.surface)
        if token.kind == "word":
            kind: TokenKind = "particle" if word.is_function_word else "word"
            token = Token(word.surface, kind, word.base)
        tokens.append(token)
    return tokens


def _english(text: str) -> list[Token]:
    tokens = []
    for surface in _ENGLISH.findall(_HYPHEN_IN_WORD.sub(" ", text)):
        if surface.lower() in _ARTICLES:
            tokens.append(Token(surface, "particle", surface.lower()))
        elif surface.isalpha():
            tokens.append(Token(surface, "word", simple_lemma(surface.lower())))
        else:
            tokens.append(_token(surface))
    return tokens


_OF_WORDS = {
    "zh-jieba": WordTokenizer(_chinese, "", zh_words_version),
    "ja-mecab": WordTokenizer(_japanese, "", mecab_version),
}
TOKENIZERS: Mapping[str, WordTokenizer] = {
    **{code: _OF_WORDS[name] for code, name in WORD_TOKENIZERS.items() if name in _OF_WORDS},
    GLOSS_LANGUAGE: WordTokenizer(_english, " ", lambda: lemmatizer_version("simplemma")),
}


def check_language(language: str) -> None:
    """Refuse a language without a tokenizer."""
    if language not in TOKENIZERS:
        known = ", ".join(TOKENIZERS)
        raise UsageError(f"no words are known for {language!r}; choose from {known}")


def tokenize(text: str, language: str) -> list[Token]:
    """Tokenize a text without blanks; full-width letters become plain ones."""
    return TOKENIZERS[language].tokenize(unicodedata.normalize("NFKC", text))
