"""Word-by-word translation with a dictionary: the baseline that needs no model.

From left to right the longest run of words that is a headword is replaced by its gloss. A Chinese
or Japanese word that is none is tried in parts, the longest first. What stays unknown is kept as
it stands and counted; numbers, Latin letters and marks are kept; Japanese particles and
auxiliaries are left out and counted. Order, number and tense are those of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patmark.errors import UsageError
from patmark.systems.pieces import CUTTERS, Piece, cut
from patmark.text import has_cjk, has_han
from patmark.text.dictionaries import Glossary

VERSION = 1
_ENGLISH_MARKS = str.maketrans("。、，；：！？「」『』【】〔〕《》・", '.,,;:!?""""[][]"" ')
_CJK_MARKS = str.maketrans(",.;:!?", "，。；：！？")
_NO_BLANK_BEFORE = re.compile(r" (?=[,.;:!?)\]%])")
_NO_BLANK_AFTER = re.compile(r"(?<=[(\[]) ")
_LATIN_MEETS_LATIN = re.compile(r"(?<=[A-Za-z0-9])\x00(?=[A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated text, and what was done to its words.

    ``translated`` counts glosses, ``left_out`` particles; ``unknown`` are the words that stand in
    the text as they were.
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
    """A piece of the translation. ``kind``: gloss, unknown, kept, mark, or nothing."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class DictionaryTranslator:
    """Translates with one glossary, always in the same way."""

    glossary: Glossary

    def __post_init__(self) -> None:
        for language in (self.glossary.source, self.glossary.target):
            if language not in CUTTERS:
                known = ", ".join(CUTTERS)
                raise UsageError(f"no words are known for {language!r}; choose from {known}")

    @property
    def signature(self) -> str:
        """Method, dictionary and segmenter with their versions."""
        glossary = self.glossary
        cutter = CUTTERS[glossary.source].version()
        return (
            f"word-by-word/{VERSION}({glossary.name},{glossary.source}-{glossary.target},{cutter})"
        )

    def translate(self, text: str) -> Translation:
        """The translation of one text."""
        parts = list(self._parts(cut(text, self.glossary.source)))
        return Translation(
            _joined([part for part in parts if part.text], self.glossary.target),
            sum(part.kind == "gloss" for part in parts),
            tuple(part.text for part in parts if part.kind == "unknown"),
            sum(part.kind == "nothing" for part in parts),
        )

    def _parts(self, pieces: Sequence[Piece]) -> Iterator[_Part]:
        place = 0
        while place < len(pieces):
            taken, gloss = self._longest(pieces, place)
            if gloss is not None:
                yield _Part(gloss, "gloss")
            else:
                yield from self._single(pieces[place])
            place += taken

    def _longest(self, pieces: Sequence[Piece], start: int) -> tuple[int, str | None]:
        """How many pieces the longest headword at a place takes, and its gloss.

        A run begins and ends with a word; only the last word of it may be inflected.
        """
        if pieces[start].kind != "word":
            return 1, None
        blank = CUTTERS[self.glossary.source].blank
        for end in range(self._furthest(pieces, start), start, -1):
            *first, last = pieces[start:end]
            if last.kind != "word":
                continue
            before = [piece.surface for piece in first]
            for form in (last.surface, last.lemma):
                gloss = self.glossary.get(blank.join([*before, form]))
                if gloss is not None:
                    return end - start, gloss
        return 1, None

    def _furthest(self, pieces: Sequence[Piece], start: int) -> int:
        """Where a headword that begins at a place can end at the latest."""
        end, length = start, 0
        while end < len(pieces) and pieces[end].kind != "mark":
            length += len(pieces[end].surface)
            if end > start and length > self.glossary.longest:
                break
            end += 1
        return end

    def _single(self, piece: Piece) -> Iterator[_Part]:
        """A piece that begins no headword."""
        if piece.kind == "particle":
            yield _Part("", "nothing")
        elif piece.kind != "word":
            yield _Part(piece.surface, piece.kind)
        elif has_cjk(piece.surface):
            yield from self._by_characters(piece.surface)
        else:
            yield _Part(piece.surface, "unknown")

    def _by_characters(self, word: str) -> Iterator[_Part]:
        """Headwords within a word, the longest first; a kana alone is none."""
        place, unknown = 0, ""
        while place < len(word):
            tried = (word[place:end] for end in range(len(word), place, -1))
            found = next((part for part in tried if self._is_headword(part)), None)
            if found is None:
                unknown += word[place]
                place += 1
                continue
            if unknown:
                yield _Part(unknown, "unknown")
                unknown = ""
            yield _Part(self.glossary.get(found) or "", "gloss")
            place += len(found)
        if unknown:
            yield _Part(unknown, "unknown")

    def _is_headword(self, text: str) -> bool:
        return (len(text) > 1 or has_han(text)) and self.glossary.get(text) is not None


def _joined(parts: Sequence[_Part], language: str) -> str:
    """The parts as a text: blanks and marks as the language has them."""
    english = language == "en"
    marks = _ENGLISH_MARKS if english else _CJK_MARKS
    texts = [part.text.translate(marks) if part.kind == "mark" else part.text for part in parts]
    if english:
        text = " ".join(" ".join(texts).split())
        return _NO_BLANK_AFTER.sub("", _NO_BLANK_BEFORE.sub("", text))
    return _LATIN_MEETS_LATIN.sub(" ", "\x00".join(texts)).replace("\x00", "")
