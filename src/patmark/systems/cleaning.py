"""Chatter in answers, and faults such as refusals.

Only text on separate lines before the answer is removed. Everything else stays and is flagged,
since it may belong to the answer: "Translation: moving the camera along the x axis."

| kind | chatter | taken away |
|---|---|---|
| thinking | the reasoning of a model, up to ``</think>`` | if the answer begins on a new line |
| preamble | an announcement: "Here is the translation:" | if it is a line of its own |
| label | "Translation:" before the text | if it is a line of its own, as a preamble |
| fence | a code fence around all of it | never |
| quotes | quotation marks around all of it, if the source has none there | never |
| closing | a last paragraph that speaks to the reader: "Let me know if …", "Note: …" | never |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from patmark.languages import has_cjk, packs
from patmark.llm import is_refusal
from patmark.wording import setting

VERSION = 3

# Patterns are texts here, and compiled by re on first use. Phrases are rows of the packs.
_THINKING = r"(?s)\A\s*(?:<think(?:ing)?>)?.*</think(?:ing)?>[ \t]*(?:\n\s*|\Z)"
_BEGINNING = r"(?i)\A\s*(?:\*\*|#+ )?"
_BEFORE_CLOSING = r"(?i)\n[ \t]*\n[ \t]*(?:\*\*|[(（*_-]+ ?)?"
_FENCE = r"(?s)\A\s*(`{3,}|~{3,})[\w-]*[ \t]*\n(.*?)\n?[ \t]*\1\s*\Z"
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」", "『": "』", "«": "»", "`": "`"}
_COLON_SOON = r"\s*[^\n:]{1,20}:"
_SHORTEST_COPY = 10
_PLAIN_WORD = r"\b[a-z]{3,}\b"
_WORDS_OF_A_SENTENCE = 3


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text, and the names of the steps that shortened it."""

    text: str
    steps: tuple[str, ...] = ()


def clean(raw: str, source: str) -> Cleaned:
    """Remove chatter on separate lines before an answer, unless the source has the line."""
    text, done = raw, []
    for name, step in (("thinking", _thinking), ("preamble", _preamble)):
        if length := step(text, source):
            text = text[length:]
            done.append(name)
    stripped = text.strip()
    return Cleaned(stripped, tuple(done) if done or stripped == raw else ("blanks",))


def chatter_in(text: str, source: str) -> tuple[str, ...]:
    """Return the kinds of chatter in a text; phrases that the source has too are none."""
    return tuple(name for name, holds in _KINDS.items() if holds(text, source))


def _thinking(text: str, source: str) -> int:
    found = None if "</think" in source else re.match(_THINKING, text)
    return found.end() if found else 0


def _preamble(text: str, source: str) -> int:
    first = (_lines(source) or [""])[0]
    same = first.endswith((":", "：")) or re.match(_announcing(), _plain(source))
    if same or _has_same_lines(text, source):
        return 0
    found = re.match(_own_line(), _plain(text))
    return found.end() if found else 0


def _plain(text: str) -> str:
    """Return a text with the colons of the tables."""
    return text.replace("：", ":")


@cache
def _phrases(group: str) -> str:
    return f"(?:{'|'.join(pack.table('answers').pattern(group) for pack in packs())})"


def _announcing() -> str:
    return f"{_BEGINNING}{_phrases('preamble')}"


@cache
def _own_line() -> str:
    preamble, label = _phrases("preamble"), _phrases("label")
    return (
        rf"{_BEGINNING}(?:{preamble}(?:\*\*)?[ \t]*(?:\r?\n\s*|\Z)"
        rf"|(?:{label}(?:\*\*)?\s*:|(?:(?<=\*\*)|(?<=# )){label}|{_phrases('agreed')})"
        r"(?:\*\*)?[ \t]*\r?\n\s*)"
    )


def _has_same_lines(text: str, source: str) -> bool:
    """Return True if a text has no more lines than a source of several lines."""
    return 1 < len(_lines(source)) >= len(_lines(text))


def _begins(pattern: str, text: str, source: str) -> bool:
    same = re.match(_COLON_SOON, _plain(source)) or _has_same_lines(text, source)
    return bool(re.match(pattern, _plain(text))) and not same


def _is_quoted(text: str, source: str) -> bool:
    bare, given = text.strip(), source.strip()
    if len(bare) < 2 or _QUOTES.get(bare[0]) != bare[-1] or given[:1] in _QUOTES:
        return False
    inner = bare[1:-1]
    return bare[0] not in inner and bare[-1] not in inner


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


_KINDS: Mapping[str, Callable[[str, str], bool]] = {
    "thinking": lambda text, source: "</think" in text and "</think" not in source,
    "preamble": lambda text, source: _begins(_announcing(), text, source),
    "label": lambda text, source: _begins(
        rf"{_BEGINNING}{_phrases('label')}(?:\*\*)?\s*:", text, source
    ),
    "fence": lambda text, source: (
        bool(re.match(_FENCE, text)) and "```" not in source and "~~~" not in source
    ),
    "quotes": _is_quoted,
    "closing": lambda text, source: (
        bool(re.search(f"{_BEFORE_CLOSING}{_phrases('closing')}", _plain(text)))
        and not re.search(r"\n[ \t]*\n", source)
    ),
}


def refusal(text: str) -> str | None:
    """Return the first words of a refusal, None if the text is not one."""
    return f"refused: {' '.join(text.split())[:100]}" if is_refusal(text) else None


def is_copy(source: str, text: str) -> bool:
    """Return True if a translation is the source itself although it should differ.

    Short titles may be written alike in Chinese and Japanese; numbers, formulas and names need no
    translation.
    """
    copied = "".join(text.split())
    if copied != "".join(source.split()):
        return False
    if has_cjk(source):
        return len(copied) >= _SHORTEST_COPY
    return len(re.findall(_PLAIN_WORD, source)) >= _WORDS_OF_A_SENTENCE


def find_fault(
    source: str, text: str, *, cut_off: bool = False, may_copy: bool = True, chatty: bool = False
) -> str | None:
    """Return the fault of an answer, or None; only ``chatty`` systems refuse."""
    if cut_off:
        limit = setting("max_tokens")
        return f"the answer is cut off: it reached the largest number of tokens ({limit})"
    if not text.strip():
        return "the answer is empty"
    if chatty and (refused := refusal(text)) is not None:
        return refused
    if not may_copy and is_copy(source, text):
        return "the answer is the source, not a translation"
    return None
