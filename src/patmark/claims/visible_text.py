"""The visible text of claims: nothing hidden, no reasoning of a model, no other section.

A draft is judged by its claims alone. Other text becomes blanks, so that every character keeps its
place; a letter of another script that looks Latin becomes Latin.

| text | is |
|---|---|
| ``<!-- … -->``, ``/* … */``, a line after ``%`` or ``//``, ``[//]: # (…)`` | a comment |
| ``\\begin{comment} … \\end{comment}``, ``\\iffalse … \\fi`` of TeX | a comment |
| ``<think> … </think>``, also without the first tag | a thought |
| ``<script>``, ``hidden``, ``display:none``, white or transparent letters | hidden |
| a run of zero-width or tag characters, marks of direction | invisible |
| after a heading such as Abstract or 说明书, up to one of the claims | another section |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from patmark.claims.words import pattern
from patmark.collections.patents import classify_heading
from patmark.languages import kept_in_workspace
from patmark.wording import tr

HiddenKind: TypeAlias = Literal["comment", "thought", "hidden", "invisible", "section"]
HIDDEN_NAMES: Mapping[HiddenKind, str] = {
    "comment": tr("a comment"),
    "thought": tr("a thought of a model"),
    "hidden": tr("text that is not shown"),
    "invisible": tr("invisible characters"),
    "section": tr("another section"),
}


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A place in a claim text that is not part of the claims."""

    start: int
    end: int
    kind: HiddenKind


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text with other content blanked, and the places of these blanks."""

    text: str
    hidden: tuple[HiddenText, ...] = ()


_STYLES = (
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?(?=\s*[;\"'])"
    r"|font-size\s*:\s*0|(?<!-)color\s*:\s*(?:white|transparent|#f{3}(?:f{3})?\b"
    r"|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))"
)
_TAG = (
    r"<(?P<tag>script|style|template|noscript|details|head|title)\b[^>]*>.*?(?:</(?P=tag)\s*>|\Z)"
    rf"|<(?P<styled>\w+)\b[^>]*?(?:\shidden\b(?!\s*=\s*[\"']?false)|(?:{_STYLES})|\scolor\s*=\s*[\"']?(?:white|#f{{6}}))"
    r"[^>]*>.*?(?:</(?P=styled)\s*>|\Z)"
)
_HIDDEN = re.compile(
    r"(?P<comment><!--.*?(?:-->|\Z)|/\*.*?\*/"
    r"|\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)|\\iffalse\b.*?(?:\\fi\b|\Z)"
    r"|(?:(?<=[.。}>]\n)|(?<=\n\n)|\A)[ \t]*(?:%|//)[^\n]*|(?<![^\n])[ \t]*\[(?://|comment)\]:\s[^\n]*"
    r"|(?<![^\s])[#%][ \t]*patmark:[^\n]*|(?<=\s)//[ \t]*patmark:[^\n]*)"
    r"|(?P<thought><(?P<thinking>think|thinking|thought|reasoning|scratchpad)\b[^>]*>.*?"
    r"(?:</(?P=thinking)\s*>|\Z))"
    rf"|(?P<hidden>{_TAG})",
    re.DOTALL | re.IGNORECASE,
)
_LAST_THOUGHT = re.compile(r"\A.*</(?:think|thinking|thought|reasoning|scratchpad)\s*>", re.DOTALL)
_MAY_HIDE = re.compile(r"[<%]|//|/\*|patmark:|\\begin|\\iffalse")
INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""A character without width: zero-width, direction, variation and tag characters."""
_INVISIBLE_RUN = re.compile(f"{INVISIBLE}{{4,}}")


@kept_in_workspace(1024)
def visible_text(text: str) -> VisibleText:
    """Return the text that a reader sees as claims."""
    seen = _with_latin_letters(text) if not text.isascii() else text
    found: list[HiddenText] = []
    for step in (_hidden_places, _invisible_places, _section_places):
        places = list(step(seen))
        for one in reversed(places):
            blank = re.sub(r"[^\n]", " ", seen[one.start : one.end])
            seen = f"{seen[: one.start]}{blank}{seen[one.end :]}"
        found += places
    return VisibleText(seen, tuple(sorted(found, key=lambda one: one.start)))


def _hidden_places(text: str) -> Iterator[HiddenText]:
    if _MAY_HIDE.search(text) is None and "]: " not in text:
        return
    start = 0
    thought = _LAST_THOUGHT.match(text)
    if thought is not None and re.search(r"<(?:think|thought|reason|scratch)", text) is None:
        start = thought.end()
        yield HiddenText(0, start, "thought")
    for match in _HIDDEN.finditer(text, start):
        kind: HiddenKind = (
            "comment" if match["comment"] else "thought" if match["thought"] else "hidden"
        )
        yield HiddenText(match.start(), match.end(), kind)


def _invisible_places(text: str) -> Iterator[HiddenText]:
    """Yield runs of invisible characters; a single one may be a soft hyphen."""
    if not text.isascii():
        for match in _INVISIBLE_RUN.finditer(text):
            yield HiddenText(*match.span(), "invisible")


_LOOK_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABESIJKMHOPCTYXaesijopcyxdqwhABEZHIKMNOPTYXo"
)
_NO_LATIN = re.compile("[Ͱ-ϿЀ-ԯ]")
_MIXED_WORD = re.compile(r"[^\W\d_]*[Ͱ-ϿЀ-ԯ][^\W\d_]*")
_LATIN = re.compile("[A-Za-z]")


def _with_latin_letters(text: str) -> str:
    """Return a text with Latin letters for lookalikes of other scripts within a word."""
    if _NO_LATIN.search(text) is None:
        return text
    return _MIXED_WORD.sub(
        lambda match: (
            match.group().translate(_LOOK_ALIKE) if _LATIN.search(match.group()) else match.group()
        ),
        text,
    )


_LINE = re.compile(r"^[^\S\n]*(?P<words>\S[^\n]{0,79}?)[^\S\n]*$", re.MULTILINE)
_MARKS = " \t#*【】[]<>《》:：-—=_"
_SENTENCE_END = re.compile(r"(?:\A|[.。>]|\n[^\S\n]*\n)[^\S\n]*\n?[^\S\n]*\Z")


def _section_places(text: str) -> Iterator[HiddenText]:
    """Yield the text below the headings of other sections, up to a heading of claims."""
    opened: int | None = None
    for match in _LINE.finditer(text):
        words = match["words"].strip(_MARKS)
        if pattern("heading", name="claims").fullmatch(words):
            if opened is not None:
                yield HiddenText(opened, match.start("words"), "section")
            opened = None
        elif opened is None and _opens_section(text, match, words):
            opened = match.start("words")
    if opened is not None:
        yield HiddenText(opened, len(text.rstrip()), "section")


def _opens_section(text: str, line: re.Match[str], words: str) -> bool:
    """Return True if a line is the heading of another section, not a wrapped line of a claim."""
    if not words or words[-1] in ".。,，;；" or words[0].islower():
        return False
    if (
        pattern("heading", name="other").fullmatch(words) is None
        and classify_heading(words) is None
    ):
        return False
    return _SENTENCE_END.search(text[max(0, line.start() - 80) : line.start()]) is not None
