"""A dictionary for word-by-word translation: one gloss for each headword.

Dictionaries for people give many senses; a word-by-word translator needs one. The rule is the same
for every dictionary: the first gloss that can stand in a sentence, in the order of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from patmark.data import FilePath, read_lines, shown
from patmark.errors import InputError, Problem, UsageError
from patmark.text.dictionaries.entries import Dictionary, Entry
from patmark.text.scripts import has_cjk

_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_BRACKET = re.compile(r"[()\[\]{}]")
_ABOUT_THE_WORD = re.compile(
    r"(?:surname|(?:[a-z]+ )?variant of|also (?:pr|written)|see(?: also)?|CL:|abbr\. (?:for|of|to)"
    r"|used (?:in|as|to|before|after)|same as|indicates|old name|place name)\b",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"(?:to be|to|an?|the) (?=\S)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\b(?:sb|sth)\b|~'s|~|…|\.\.\.")
_ENGLISH_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Glossary:
    """Headwords in their plain form, each with one gloss.

    ``name`` says which dictionary it is, for signatures. ``longest`` is the length in characters of
    the longest headword. ``without_gloss`` headwords had no gloss that can stand in a sentence.
    """

    name: str
    source: str
    target: str
    glosses: Mapping[str, str]
    longest: int
    without_gloss: int = 0

    def __len__(self) -> int:
        return len(self.glosses)

    def get(self, text: str) -> str | None:
        """The gloss of a word, None if it is unknown."""
        return self.glosses.get(plain_headword(text, self.source))


def plain_headword(text: str, language: str) -> str:
    """NFKC, case folded; English words have one blank between them, and no hyphens."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_ENGLISH_WORD.findall(folded)) if language == "en" else folded.strip()


def glossary_of(
    name: str, source: str, target: str, entries: Iterable[tuple[str, Iterable[str]]]
) -> Glossary:
    """A glossary from headwords with their senses; of a headword that comes again, the first."""
    glosses: dict[str, str] = {}
    failed: set[str] = set()
    for headword, senses in entries:
        plain = plain_headword(headword, source)
        if not plain or plain in glosses:
            continue
        gloss = next(filter(None, (plain_gloss(sense, target) for sense in senses)), None)
        if gloss is None:
            failed.add(plain)
        else:
            glosses[plain] = gloss
    longest = max(map(len, glosses), default=0)
    return Glossary(name, source, target, glosses, longest, len(failed - glosses.keys()))


def glossary_from(dictionary: Dictionary) -> Glossary:
    """A glossary from a dictionary with all its senses."""
    return glossary_of(dictionary.name, dictionary.source, dictionary.target, dictionary.entries)


def joined_glossaries(glossaries: Sequence[Glossary]) -> Glossary:
    """Several dictionaries of one pair of languages as one; the first that has a word decides."""
    pairs = {(one.source, one.target) for one in glossaries}
    if len(pairs) != 1:
        found = ", ".join(sorted("-".join(pair) for pair in pairs)) or "none"
        raise UsageError(f"dictionaries of one pair of languages are needed, found {found}")
    ((source, target),) = pairs
    return Glossary(
        "+".join(one.name for one in glossaries), source, target,
        ChainMap(*(dict(one.glosses) for one in glossaries)),
        max(one.longest for one in glossaries),
        sum(one.without_gloss for one in glossaries),
    )  # fmt: skip


def plain_gloss(sense: str, target: str) -> str | None:
    """What a sense contributes to a sentence; None if it only speaks about the word.

    Remarks in brackets and after a comma go; of an English sense also the first article or
    ``to``, and the placeholders sb and sth.
    """
    text = unicodedata.normalize("NFC", sense).strip()
    if target != "en":
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


def tsv_entries(path: FilePath, source: str, target: str) -> Dictionary:
    """A dictionary of one's own: word, tab, translation on each line, without a header."""
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
    return Dictionary(f"tsv({len(entries)} lines)", source, target, entries)


def read_tsv_glossary(path: FilePath, source: str, target: str) -> Glossary:
    """A glossary of one's own; of a word that occurs on several lines, the first counts."""
    return glossary_from(tsv_entries(path, source, target))
