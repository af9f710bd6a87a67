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
from functools import partial

from patmark.languages import has_cjk
from patmark.llm import is_refusal
from patmark.wording import setting

VERSION = 3

# Patterns are texts here, and compiled by re on first use.
_THINKING = r"(?s)\A\s*(?:<think(?:ing)?>)?.*</think(?:ing)?>[ \t]*(?:\n\s*|\Z)"
_POLITE = r"(?:(?:sure|certainly|of course|okay|ok|absolutely)[,!.]\s*)?"
_POLITE_ZH = r"(?:(?:好的|当然)[，,。！!]?\s*)?"
_POLITE_JA = r"(?:(?:はい|承知(?:しま|いたしま)した)[、。]?\s*)?"
_ANNOUNCED = r"\b(?:translat\w*|rendering|claims?|revis\w*)\b"
_PREAMBLE = (
    r"(?:"
    rf"{_POLITE}(?:here(?:'s|’s| is| are)|below (?:is|are)|the following (?:is|are))"
    rf"[^\n:]{{0,80}}{_ANNOUNCED}[^\n:]{{0,80}}:"
    rf"|{_POLITE}(?:the|my) (?:(?:english |chinese |japanese )?translation|translated text)"
    r"(?: of [^\n:]{0,40})? (?:is|reads)(?: as follows)?:"
    rf"|{_POLITE_ZH}(?:以下|下面|这)[为是][^\n:：]{{0,40}}(?:翻译|译文|权利要求)[^\n:：]{{0,20}}[:：]"
    rf"|{_POLITE_ZH}[^\n:：，。]{{0,10}}(?:翻译|译文)(?:结果)?如下[:：]"
    rf"|{_POLITE_JA}以下[はが][^\n:：]{{0,40}}(?:翻訳|訳文|請求項|クレーム)[^\n:：]{{0,20}}[:：]"
    rf"|{_POLITE_JA}以下(?:に|の(?:通り|とおり))[^\n:：。]{{0,20}}(?:翻訳|訳文)[^\n:：。]{{0,20}}[:：。]"
    rf"|{_POLITE_JA}(?:翻訳|訳文)(?:結果)?は(?:以下|次)の(?:通り|とおり)[^\n:：。]{{0,10}}[:：。]"
    r")"
)
_LABEL = (
    r"(?:(?:english |chinese |japanese )?translation(?: \(\w+\))?|translated text|revised claims"
    r"|(?:中文|英文|日文)?(?:翻译|译文)(?:结果)?"
    r"|(?:日本語|英語|中国語)?(?:翻訳|訳)文?(?:結果)?|英訳|和訳)"
)
_AGREED = (
    r"(?:sure|certainly|of course|absolutely)!|(?:好的|当然)[。！!]|承知(?:しま|いたしま)した。"
)
_BEGINNING = r"(?i)\A\s*(?:\*\*|#+ )?"
_ANNOUNCING = rf"{_BEGINNING}{_PREAMBLE}"
_LABELLED = rf"{_BEGINNING}{_LABEL}(?:\*\*)?\s*[:：]"
_OWN_LINE = (
    rf"{_BEGINNING}(?:{_PREAMBLE}(?:\*\*)?[ \t]*(?:\r?\n\s*|\Z)"
    rf"|(?:{_LABEL}(?:\*\*)?\s*[:：]|(?:(?<=\*\*)|(?<=# )){_LABEL}|{_AGREED})"
    r"(?:\*\*)?[ \t]*\r?\n\s*)"
)
_FENCE = r"(?s)\A\s*(`{3,}|~{3,})[\w-]*[ \t]*\n(.*?)\n?[ \t]*\1\s*\Z"
_CLOSING = (
    r"(?i)"
    r"\n[ \t]*\n[ \t]*(?:\*\*|[(（*_-]+ ?)?(?:(?:please )?let me know\b|i hope\b|feel free\b"
    r"|if you (?:need|have|would|want)\b|note:? (?:that )?(?:i|the translation|this translation)\b"
    r"|(?:translator['’]s |translation )?notes?(?:\*\*)?:"
    r"|(?:(?:译者|译|訳)?注|说明|補足)[:：]"
    r"|希望[^\n]{0,20}帮助|如(?:果|有)[^\n]{0,20}(?:问题|疑问)|ご不明な点|何かご質問)"
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」", "『": "』", "«": "»", "`": "`"}
_COLON_SOON = r"\s*[^\n:：]{1,20}[:：]"
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
    for name, step in (("thinking", _without_thinking), ("preamble", _without_preamble)):
        shorter = step(text, source)
        if shorter != text:
            text = shorter
            done.append(name)
    stripped = text.strip()
    return Cleaned(stripped, tuple(done) if done or stripped == raw else ("blanks",))


def chatter_in(text: str, source: str) -> tuple[str, ...]:
    """Return the kinds of chatter in a text; phrases that the source has too are none."""
    return tuple(name for name, holds in _KINDS.items() if holds(text, source))


def _without_thinking(text: str, source: str) -> str:
    return text if "</think" in source else re.sub(_THINKING, "", text, count=1)


def _without_preamble(text: str, source: str) -> str:
    """Remove an announcement on a separate line, unless the source has such a line too."""
    first = (_lines(source) or [""])[0]
    same = first.endswith((":", "：")) or re.match(_ANNOUNCING, source)
    if same or _has_same_lines(text, source):
        return text
    return re.sub(_OWN_LINE, "", text, count=1)


def _has_same_lines(text: str, source: str) -> bool:
    """Return True if a text has no more lines than a source of several lines."""
    return 1 < len(_lines(source)) >= len(_lines(text))


def _begins(pattern: str, text: str, source: str) -> bool:
    """Return True if a text begins so, and the source has nothing like it."""
    same = re.match(_COLON_SOON, source) or _has_same_lines(text, source)
    return bool(re.match(pattern, text)) and not same


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
    "preamble": partial(_begins, _ANNOUNCING),
    "label": partial(_begins, _LABELLED),
    "fence": lambda text, source: (
        bool(re.match(_FENCE, text)) and "```" not in source and "~~~" not in source
    ),
    "quotes": _is_quoted,
    "closing": lambda text, source: (
        bool(re.search(_CLOSING, text)) and not re.search(r"\n[ \t]*\n", source)
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
